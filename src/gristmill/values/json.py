"""Values as JSON: the plain form of the module Json, and that of ITF (Apalache's ADR 15), which keeps what is what.

Both are functions to and from the objects of Python's `json`; the plain one forgets the difference between a set and a
sequence, and both write model values as strings. ITF has no form for those: who reads them must know their names. A
model value that has the name of a string beside it is written in a form of our own, `{"#modelValue": name}`, if one
asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from gristmill.values.atoms import Boolean, ModelValue, Value, boolean
from gristmill.values.dispatch import case
from gristmill.values.errors import EvaluationError
from gristmill.values.function import Fn
from gristmill.values.kinds import is_lazy
from gristmill.values.operations.construct import make_function, make_record, make_set, make_tuple
from gristmill.values.operations.sets import normalize, not_enumerable
from gristmill.values.order import ordered
from gristmill.values.show import show
from gristmill.values.world import current

_EXACT = 1 << 53  # larger integers are not numbers in every reader of JSON


def to_json(value: Value) -> Any:
    """Records and other functions as objects, sequences as arrays, sets as arrays in canonical order."""
    return _encode(value, _PLAIN)


def to_itf(value: Value, marked: Collection[str] = ()) -> Any:
    """Records as objects; `#set`, `#tup`, `#map`, `#bigint` for the rest; `#modelValue` for the names in `marked`."""
    return _encode(value, _itf_encoders(marked) if marked else _ITF)


_Encoders = dict[type, Callable[[Any], Any]]


def _encode(value: Value, encoders: _Encoders) -> Any:
    value = normalize(value)
    if is_lazy(value):
        not_enumerable(value)
    return encoders[type(value)](value)


def _name(value: ModelValue) -> str:
    return value.name


def _truth(value: Boolean) -> bool:
    return value.truth


def _itself(value: Any) -> Any:
    return value


def _plain_function(value: Fn) -> dict[str, Any]:
    return {key if type(key) is str else show(key): to_json(each) for key, each in value.items()}


def _itf_integer(value: int) -> Any:
    return value if abs(value) < _EXACT else {"#bigint": str(value)}


def _itf_encoders(marked: Collection[str]) -> _Encoders:
    def put(value: Value) -> Any:
        return _encode(value, encoders)

    def function(value: Fn) -> dict[str, Any]:
        fields = {key: each for key, each in value.items() if type(key) is str and not key.startswith("#")}
        if len(fields) == len(value):  # a record
            return {name: put(each) for name, each in fields.items()}
        return {"#map": [[put(key), put(each)] for key, each in value.items()]}

    def model_value(value: ModelValue) -> Any:
        return {"#modelValue": value.name} if value.name in marked else value.name

    encoders: _Encoders = dict(
        (
            case(int, _itf_integer),
            case(str, _itself),
            case(Boolean, _truth),
            case(ModelValue, model_value),
            case(tuple, lambda value: {"#tup": list(map(put, value))}),
            case(frozenset, lambda value: {"#set": list(map(put, ordered(value)))}),
            case(Fn, function),
        )
    )
    return encoders


_PLAIN: _Encoders = dict(
    (
        case(int, _itself),
        case(str, _itself),
        case(Boolean, _truth),
        case(ModelValue, _name),
        case(tuple, lambda value: list(map(to_json, value))),
        case(frozenset, lambda value: list(map(to_json, ordered(value)))),
        case(Fn, _plain_function),
    )
)

_ITF = _itf_encoders(())

# --- back ------------------------------------------------------------------------------------------------------------


def from_json(thing: Any) -> Value:
    """Objects are records and arrays are sequences."""
    if isinstance(thing, dict):
        return make_record({_string(key): from_json(each) for key, each in thing.items()})
    if isinstance(thing, list):
        return make_tuple(map(from_json, thing))
    return _scalar(thing)


def from_itf(thing: Any, model_values: Collection[str] = ()) -> Value:
    """The inverse of `to_itf`; the strings in `model_values` are read as model values. Raises `EvaluationError`."""

    def read(thing: Any) -> Value:
        if isinstance(thing, list):
            return make_tuple(map(read, thing))
        if isinstance(thing, dict):
            return _read_object(thing, read)
        if isinstance(thing, str) and thing in model_values:
            return _model_value(thing)
        return _scalar(thing)

    return read(thing)


def _read_object(thing: dict[str, Any], read: Callable[[Any], Value]) -> Value:
    """A name that begins with # says that it is no record; what we do not know is not taken for one."""
    special = [name for name in thing if name.startswith("#")]
    if not special:
        return make_record({_string(name): read(each) for name, each in thing.items()})
    form = _SPECIAL.get(special[0]) if len(thing) == 1 else None
    if form is None:
        raise EvaluationError("no-tla-value", f"an object of JSON with {', '.join(special)} is no value of ITF")
    try:
        return form(thing[special[0]], read)
    except (TypeError, ValueError) as error:  # an EvaluationError is neither
        raise EvaluationError("no-tla-value", f"{special[0]} of ITF has not the form that it should have") from error


def _items(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise TypeError
    return content


def _model_value(name: Any) -> ModelValue:
    if not isinstance(name, str):
        raise TypeError
    current().register(name)
    return ModelValue(name)


_SPECIAL: dict[str, Callable[[Any, Callable[[Any], Value]], Value]] = {
    "#set": lambda content, read: make_set(map(read, _items(content))),
    "#tup": lambda content, read: make_tuple(map(read, _items(content))),
    "#map": lambda content, read: make_function((read(key), read(value)) for key, value in _items(content)),
    "#bigint": lambda content, read: int(content),
    "#modelValue": lambda content, read: _model_value(content),
}


def _scalar(thing: Any) -> Value:
    if isinstance(thing, bool):
        return boolean(thing)
    if isinstance(thing, int):
        return thing
    if isinstance(thing, str):
        return _string(thing)
    what = "null" if thing is None else f"the number {thing}" if isinstance(thing, float) else type(thing).__name__
    raise EvaluationError("no-tla-value", f"{what} of JSON has no counterpart in TLA+")


def _string(text: str) -> str:
    current().register(text)
    return text
