"""Where places are in bytecode: the same whether it comes from a class file or from a running machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from gristmill.replay.driver import DriverError
from gristmill.replay.jvm.bytecode import Call, calls, returns
from gristmill.replay.jvm.classfile import Body, Member, Variable
from gristmill.replay.jvm.descriptors import arguments, readable, readable_arguments, slots
from gristmill.replay.jvm.points import Place, suggestion
from gristmill.replay.jvm.pool import Pool
from gristmill.replay.jvm.protocol import STATIC

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spot:
    """An instruction of a method, and what has a name there. Arguments are also called arg0, arg1 and so on."""

    class_name: str
    method: Member
    index: int
    line: int | None
    variables: tuple[Variable, ...]
    named: bool  # whether the class has the names of its local variables

    def __str__(self) -> str:
        where = f"instruction {self.index}" + (f", line {self.line}" if self.line is not None else "")
        return f"{self.class_name}.{self.method.name}{readable_arguments(self.method.descriptor)}, {where}"


def chosen(place: Place, methods: Sequence[tuple[Member, T]], parents: Sequence[str] = ()) -> list[tuple[Member, T]]:
    """The methods that a place means. `parents`: superclasses that have a method of this name. Raises `DriverError`."""
    named = [each for each in methods if each[0].name == place.method]
    if not named:
        if parents:
            help: str | None = f"it is inherited: name the class that has it, {parents[0]}"
        else:
            help = suggestion(place.method, (header.name for header, _ in methods))
        raise DriverError(f"class {place.class_name} has no method {place.method}", help, place.span)
    fitting = [each for each in named if _fits(place.arguments, each[0].descriptor)]
    if not fitting:
        wanted = ", ".join(place.arguments or ())
        known = ", ".join(place.method + readable_arguments(header.descriptor) for header, _ in named)
        message = f"{place.class_name} has no method {place.method}({wanted})"
        raise DriverError(message, f"there is {known}", place.span)
    return fitting


def _fits(wanted: tuple[str, ...] | None, descriptor: str) -> bool:
    if wanted is None:
        return True
    types = [readable(each) for each in arguments(descriptor)]
    return len(wanted) == len(types) and all(map(_same_type, wanted, types))


def _same_type(wanted: str, name: str) -> bool:
    """A class may be named without its package, and one inside of a class without that."""
    return name == wanted or name.endswith(("." + wanted, "$" + wanted))


def spots(place: Place, method: Member, body: Body, pool: Pool) -> list[Spot]:
    """Raises `DriverError` if there is no such place in the method."""
    return [_spot(place, method, body, index) for index in _indices(place, body, pool)]


def _spot(place: Place, method: Member, body: Body, index: int) -> Spot:
    line = max((each for each in body.lines if each[0] <= index), default=(0, None))[1]
    living = [each for each in body.variables or () if each.lives_at(index)]
    numbered = slots(method.descriptor, bool(method.modifiers & STATIC))
    living += [Variable(f"arg{n}", each, slot, 0, len(body.code)) for n, (slot, each) in enumerate(numbered)]
    return Spot(place.class_name, method, index, line, tuple(living), body.variables is not None)


def _indices(place: Place, body: Body, pool: Pool) -> list[int]:
    if place.kind == "entry":
        return [0]
    if place.kind == "line":
        return _of_line(place, body)
    if place.kind == "exit":
        return _numbered(place, returns(body.code), "returns")
    wanted = place.name or ""
    every = calls(body.code, pool)
    fitting = [each for each in every if _is_call_of(wanted, each)]
    if not fitting:
        message = f"{place.class_name}.{place.method} does not call {wanted}"
        raise DriverError(message, suggestion(wanted, (each.name for each in every)), place.span)
    found = [each.offset if place.kind == "call" else each.after for each in fitting]
    return _numbered(place, found, f"calls of {wanted}")


def _is_call_of(wanted: str, call: Call) -> bool:
    owner, _, name = wanted.rpartition(".")
    return name == call.name and (not owner or _same_type(owner, call.owner))


def _numbered(place: Place, found: list[int], what: str) -> list[int]:
    if place.number is None:
        return sorted(set(found))
    if place.number > len(found):
        message = f"{place.class_name}.{place.method} has no {place.number} {what}"
        raise DriverError(message, f"there are {len(found)} of them" if found else None, place.span)
    return [found[place.number - 1]]


def _of_line(place: Place, body: Body) -> list[int]:
    """The beginning of each stretch of code that belongs to the line."""
    lines = [(index, line) for index, line in body.lines]
    found = [
        index
        for number, (index, line) in enumerate(lines)
        if line == place.number and (number == 0 or lines[number - 1][1] != line)
    ]
    if not found:
        known = [line for _, line in lines]
        help = f"its lines are {min(known)} to {max(known)}" if known else "the class was compiled without lines"
        raise DriverError(f"{place.class_name}.{place.method} has no code on line {place.number}", help, place.span)
    return found
