"""Values that are not known, or only in parts.

`Unknown` stands where a value is not known: for a number, between which bounds it lies. Functions, records and
sequences may have unknown parts; a set with an unknown element is unknown as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from gristmill.values import FALSE, TRUE, Boolean, EvaluationError, Fn, Value, equal

Part: TypeAlias = Any  # a TLA+ value, or `Unknown`, or a function, record or sequence of these


class Unknown:
    """Any value; if it has bounds, a number within them.

    `name`: unknown values of one name are the same, up to `plus`, what is added to it. So an answer that is made of
    something unknown tells of the state, once it is seen.
    """

    __slots__ = ("least", "most", "name", "plus")

    def __init__(self, least: int | None = None, most: int | None = None, name: str = "", plus: int = 0) -> None:
        self.least, self.most, self.name, self.plus = least, most, name, plus

    def _key(self) -> tuple[object, ...]:
        return self.least, self.most, self.name, self.plus

    def __eq__(self, other: object) -> bool:
        return type(other) is Unknown and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        bounds = f"{'' if self.least is None else self.least}..{'' if self.most is None else self.most}"
        plus = f"{self.plus:+}" if self.plus else ""
        return f"?{self.name}{plus}" if self.is_free else f"?{self.name}{plus} {bounds}"

    @property
    def is_free(self) -> bool:
        return self.least is None and self.most is None

    def may_be(self, value: Part) -> bool:
        if type(value) is Unknown:
            return isinstance(meet(self, value), Unknown | int)
        if self.is_free:
            return not self.plus or type(value) is int
        if type(value) is not int:
            return False
        return (self.least is None or self.least <= value) and (self.most is None or value <= self.most)

    def moved(self, by: int) -> Unknown:
        """So much more."""
        least, most = (None if each is None else each + by for each in (self.least, self.most))
        return Unknown(least, most, self.name, self.plus + by if self.name else 0)


ANY: Final = Unknown()


class PartialLocal(tuple[Part, ...]):
    """A local state with something unknown in it; one without is a plain tuple."""

    __slots__ = ()


class ImpossibleError(Exception):
    """Two things that are said about a value exclude each other."""


def number(least: int | None, most: int | None, name: str = "", plus: int = 0) -> Part:
    """A number between bounds: known if there is but one. Raises `ImpossibleError` if there is none."""
    if least is not None and least == most:
        return least
    if least is not None and most is not None and least > most:
        raise ImpossibleError
    return Unknown(least, most, name, plus)


def bounds(value: Part) -> tuple[int | None, int | None] | None:
    """Of a number, known or not; None if it is none."""
    if type(value) is int:
        return value, value
    return (value.least, value.most) if type(value) is Unknown else None


def is_known(value: Part) -> bool:
    kind = type(value)
    if kind is Unknown:
        return False
    if kind is Fn:
        return all(map(is_known, value.values()))
    return all(map(is_known, value)) if kind is tuple else True


def unknown_like(value: Value, name: str = "") -> Part:
    """All that is known of a value whose form is that of another: functions keep their domain, records their fields.

    `name`: the beginning of the names of what is unknown.
    """
    if type(value) is Fn:
        return Fn((key, unknown_like(each, f"{name}.{key}" if name else "")) for key, each in value.items())
    return Unknown(name=name) if name else ANY


def with_known(value: Part, known: Mapping[str, Part]) -> Part:
    """What is unknown by these names has these values."""
    kind = type(value)
    if kind is Unknown:
        if value.name not in known:
            return value
        found = known[value.name]
        return found + value.plus if type(found) is int else found
    if kind is Fn:
        if is_known(value):
            return value
        return Fn((key, with_known(each, known)) for key, each in value.items())
    return tuple(with_known(each, known) for each in value) if kind is tuple and not is_known(value) else value


def told_by(partial: Part, value: Part, known: dict[str, Part]) -> None:
    """What follows for the names in it if it is this value."""
    if type(partial) is Unknown:
        if partial.name and type(value) is not Unknown:
            known[partial.name] = value - partial.plus if type(value) is int else value
    elif type(partial) is type(value) and type(partial) in (Fn, tuple):
        for one, other in _pairs(partial, value) or ():
            told_by(one, other, known)


def formed(value: Part, form: Part) -> Part:
    """A value of which nothing is known, or of parts of it, in the form that such values have."""
    if type(form) is not Fn:
        return value
    if type(value) is Unknown:
        return form
    if type(value) is not Fn or value.keys() != form.keys():
        return value
    return Fn((key, formed(each, form[key])) for key, each in value.items())


def same(one: Part, other: Part) -> bool | None:
    """Whether two values are equal; None if that is not known."""
    if type(one) is Unknown or type(other) is Unknown:
        unknown, value = (one, other) if type(one) is Unknown else (other, one)
        if type(value) is Unknown and unknown.name and unknown.name == value.name:
            return unknown.plus == value.plus
        try:
            return None if unknown.may_be(value) else False
        except ImpossibleError:
            return False
    if type(one) is type(other) and type(one) in (Fn, tuple):
        pairs = _pairs(one, other)
        if pairs is None:
            return False
        found = [same(a, b) for a, b in pairs]
        return False if False in found else None if None in found else True
    try:
        return equal(one, other)
    except EvaluationError:
        return None


def _pairs(one: Part, other: Part) -> list[tuple[Part, Part]] | None:
    """The values of two functions at the same arguments; None if they have not the same ones."""
    if type(one) is tuple:
        return list(zip(one, other, strict=True)) if len(one) == len(other) else None
    return [(one[key], other[key]) for key in one] if one.keys() == other.keys() else None


def meet(one: Part, other: Part) -> Part:
    """What is known of a value of which both is known. Raises `ImpossibleError`."""
    if type(other) is Unknown:
        one, other = other, one
    if type(one) is Unknown:
        if type(other) is Unknown:
            named = other if other.name else one
            least, most = _tighter(one.least, other.least, max), _tighter(one.most, other.most, min)
            return number(least, most, named.name, named.plus)
        if not one.may_be(other):
            raise ImpossibleError
        return other
    if type(one) is type(other) and type(one) in (Fn, tuple):
        pairs = _pairs(one, other)
        if pairs is None:
            raise ImpossibleError
        met = [meet(a, b) for a, b in pairs]
        return tuple(met) if type(one) is tuple else Fn(zip(one, met, strict=True))
    if same(one, other) is False:
        raise ImpossibleError
    return one


def _tighter(one: int | None, other: int | None, choose: Any) -> int | None:
    return other if one is None else one if other is None else choose(one, other)


def join(one: Part, other: Part) -> Part:
    """What is known of a value that is one of two."""
    if one is other or same(one, other) is True:
        return one
    if type(one) is type(other) and type(one) in (Fn, tuple):
        pairs = _pairs(one, other)
        if pairs is None:
            return ANY
        joined = [join(a, b) for a, b in pairs]
        return tuple(joined) if type(one) is tuple else Fn(zip(one, joined, strict=True))
    first, second = bounds(one), bounds(other)
    if first is None or second is None:
        return ANY
    least = None if first[0] is None or second[0] is None else min(first[0], second[0])
    most = None if first[1] is None or second[1] is None else max(first[1], second[1])
    return Unknown(least, most)


def covers(partial: Part, value: Value) -> bool:
    """Whether this may be the value."""
    return same(partial, value) is not False


def includes(wider: Part, narrower: Part, known: dict[str, Part]) -> bool:
    """Whether one may be whatever the other may be. `known`: what the names in it then stand for, the same in all."""
    if type(wider) is Unknown:
        if wider.name:
            meant = narrower.moved(-wider.plus) if type(narrower) is Unknown else narrower
            meant = meant - wider.plus if type(meant) is int else meant
            if known.setdefault(wider.name, meant) != meant:
                return False
        inner = bounds(narrower)
        return wider.is_free or (
            inner is not None
            and (wider.least is None or (inner[0] is not None and wider.least <= inner[0]))
            and (wider.most is None or (inner[1] is not None and inner[1] <= wider.most))
        )
    if type(wider) is type(narrower) and type(wider) in (Fn, tuple):
        pairs = _pairs(wider, narrower)
        return pairs is not None and all(includes(a, b, known) for a, b in pairs)
    return type(narrower) is not Unknown and same(wider, narrower) is True


def truth(value: bool | None) -> Boolean | Unknown:
    return ANY if value is None else TRUE if value else FALSE
