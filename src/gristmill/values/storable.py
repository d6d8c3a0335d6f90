"""Values that TLC refuses to keep in a state: with an infinite set in them, or with a set that cannot be sorted."""

from gristmill.values.atoms import Value
from gristmill.values.errors import EvaluationError
from gristmill.values.function import Fn
from gristmill.values.kinds import is_lazy
from gristmill.values.operations.sets import check_set
from gristmill.values.world import suspected


def check_storable(value: Value) -> None:
    """An error if a state cannot hold this value, which is in normal form."""
    if is_lazy(value):
        _refuse(value)
    if suspected():
        _search(value)


def _search(value: Value) -> None:
    if type(value) is Fn:
        for key, each in value.items():
            _search(key)
            _search(each)
    elif type(value) is tuple:
        for each in value:
            _search(each)
    elif type(value) is frozenset:
        check_set(value)
        for each in value:
            _search(each)
    elif is_lazy(value):
        _refuse(value)


def _refuse(value: Value) -> None:
    raise EvaluationError("infinite-in-state", "a state cannot hold {value}, which is not listed", value=value)
