"""Values without parts that Python does not have: TLA+'s Booleans and TLC's model values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:  # they are made of values
    from gristmill.values.function import Fn, UnlistedFunction
    from gristmill.values.lazy import LazySet

# Python's bool is none of them, although the type checker takes it for an int.
Value: TypeAlias = (
    "int | str | Boolean | ModelValue | frozenset[Value] | tuple[Value, ...] | Fn | LazySet | UnlistedFunction"
)


class Boolean:
    """TRUE or FALSE, and nothing else. Not Python's bool, because `True == 1` would make one state of two."""

    __slots__ = ("truth",)

    def __init__(self, truth: bool) -> None:
        self.truth = truth

    def __bool__(self) -> bool:
        return self.truth

    def __repr__(self) -> str:
        return "TRUE" if self.truth else "FALSE"

    def __reduce__(self) -> str:
        return repr(self)  # the name of the constant in this module: a copy is the same object

    def __copy__(self) -> Boolean:
        return self

    def __deepcopy__(self, memo: object) -> Boolean:
        return self


TRUE: Final = Boolean(True)
FALSE: Final = Boolean(False)
BOOLEAN: Final[frozenset[Boolean]] = frozenset((FALSE, TRUE))


def boolean(truth: bool) -> Boolean:
    return TRUE if truth else FALSE


_MODEL_VALUES: dict[str, ModelValue] = {}


class ModelValue:
    """A value equal only to itself. There is one object of a name, so identity is equality.

    A name such as `p_1`, one character and an underscore before something, gives it the type `p`: it can be compared
    with untyped model values and those of its own type only.
    """

    __slots__ = ("name", "type")

    name: str
    type: str | None

    def __new__(cls, name: str) -> ModelValue:
        known = _MODEL_VALUES.get(name)
        if known is None:
            known = _MODEL_VALUES[name] = super().__new__(cls)
            known.name = name
            known.type = name[0] if len(name) > 2 and name[1] == "_" else None
        return known

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        return ModelValue, (self.name,)

    def __copy__(self) -> ModelValue:
        return self

    def __deepcopy__(self, memo: object) -> ModelValue:
        return self
