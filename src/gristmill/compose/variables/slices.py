"""Networks cut by the tag of messages: one variable for each value of a field.

That is legitimate if every message has one of finitely many known tags, every write says of which tags the messages are
that come and go, and every read looks at messages of known tags only. Otherwise the expression is told that spoils it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gristmill.compose.variables.accesses import Accesses, accesses_of
from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Expression
from gristmill.ir.passes.dependencies.abstract import Frame, Solved
from gristmill.ir.passes.dependencies.messages import Messages, Slicing
from gristmill.ir.places import Place, Slice
from gristmill.ir.walk import reachable
from gristmill.source import Span
from gristmill.values import ModelValue, show

_EMPTY: tuple[Any, ...] = (frozenset(), ())  # the empty set, and the empty function


@dataclass(frozen=True, slots=True)
class Spoiled:
    """Why a variable cannot be cut by a field: what an action (or Init, if there is none) says about it."""

    variable: str
    field: str
    action: str | None
    reason: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Cut:
    """What became of a wish to cut a variable: a slicing, or why there is none."""

    slicing: Slicing | None
    spoiled: tuple[Spoiled, ...] = ()


def cut(model: Model, variable: str, field: str, *, most: int | None = None) -> Cut:
    """Cut one variable by a field of its messages. The world of the model must be active.

    `most`: how many expressions that spoil it are enough.
    """
    index = model.variables.index(variable)
    shape = _initial_shape(model, index, field)
    if isinstance(shape, str):
        return Cut(None, (Spoiled(variable, field, None, shape, None),))
    slicing = Slicing(index, field, shape.depth, tuple(_sorted_tags(tags_in_text(model, field) | shape.tags)))
    while True:
        spoiled, written = _tried(model, slicing, most)
        if spoiled or written <= set(slicing.tags):
            break
        slicing = replace(slicing, tags=tuple(_sorted_tags({*slicing.tags, *written})))
    if not spoiled and not slicing.tags:
        spoiled = (Spoiled(variable, field, None, f"no message of {variable} has a constant {field}", None),)
    return Cut(None, spoiled) if spoiled else Cut(slicing)


def _tried(model: Model, slicing: Slicing, most: int | None) -> tuple[tuple[Spoiled, ...], set[Any]]:
    """What spoils a slicing, each expression once, and the tags of messages that are written."""
    spoiled: dict[Span | None, Spoiled] = {}
    written: set[Any] = set()
    for action in model.actions:
        if not _speaks_of(action.code.body, slicing.variable):
            continue
        found = accesses_of(replace(model, actions=(action,)), (slicing,))
        written |= _written_tags(found, slicing)
        for each in _spoiling(found, slicing, model.variables[slicing.variable]):
            spoiled.setdefault(each.span, each)
        if most is not None and len(spoiled) >= most:
            break
    return tuple(spoiled.values()), written


def cuts(model: Model, wanted: Mapping[str, str]) -> dict[str, Cut]:
    return {variable: cut(model, variable, field) for variable, field in wanted.items()}


def suggested(model: Model, already: Sequence[str] = ()) -> list[Slicing]:
    """Variables that may be cut, though nobody has asked for it: by the field with the most values."""
    fields = _candidate_fields(model)
    found = []
    short_first = sorted(model.actions, key=lambda action: sum(1 for _ in reachable(action.code.body)))
    model = replace(model, actions=tuple(short_first))  # what does not work mostly shows in any action
    for variable in _gone_through(model) if fields else ():
        shape = _initial_shape(model, model.variables.index(variable), "")
        if variable in already or isinstance(shape, str) or not shape.is_collection:
            continue
        options = [cut(model, variable, field, most=1).slicing for field in fields]
        useful = [each for each in options if each is not None and len(each.tags) > 1]
        if useful:
            found.append(max(useful, key=lambda each: len(each.tags)))
    return found


def _speaks_of(node: Expression, variable: int) -> bool:
    return any(isinstance(each, nodes.Variable) and each.index == variable for each in reachable(node))


# ------------------------------------------------------------------------------------------------------------- the text


@dataclass(frozen=True, slots=True)
class _Shape:
    """Of an initial value: how many functions are around the messages, and the tags of those that are there."""

    depth: int
    tags: frozenset[Any]
    is_collection: bool  # and not a sequence, whose order couples what is in it


@dataclass(frozen=True, slots=True)
class _Cell:
    """What is to be cut: one of so many variables, by a field of its messages."""

    variables: int
    variable: int
    field: str


def _initial_shape(model: Model, variable: int, field: str) -> _Shape | str:
    for node in reachable(None if model.init is None else model.init.body):
        match node:
            case nodes.Equal(nodes.Variable(index, False), value) if index == variable:
                return _shape(value, 0, _Cell(len(model.variables), variable, field))
    return "its initial value is not given by an equation"


def _shape(node: Any, depth: int, cell: _Cell) -> _Shape | str:
    match node:
        case nodes.FunctionLiteral(bounds=(bound,), body=body) if not _is_empty(bound.domain):
            return _shape(body, depth + 1, cell)
        case nodes.FunctionLiteral(bounds=(_, _, *_) as bounds, body=body):
            return _shape(body, depth + 1, cell) if bounds else ""
        case nodes.FunctionLiteral():
            return _Shape(depth, frozenset(), True)
        case nodes.Call(definition, ()) if definition.body is not None:
            return _shape(definition.body, depth, cell)
        case nodes.TupleLiteral(()):
            return _Shape(depth, frozenset(), False)
        case nodes.Literal(value) if value in _EMPTY:
            return _Shape(depth, frozenset(), value == frozenset())
        case nodes.SetEnumeration(items):
            reader = Messages(cell.variables, [Slicing(cell.variable, cell.field, depth, ())])
            members = reader.members(node, cell.field, Frame(), Solved())
            if members is not None:
                return _Shape(depth, frozenset(members), True)
            return f"it has messages in the beginning whose {cell.field} is not known" if items else ""
    return "its initial value is no collection of messages"


def _is_empty(node: Any) -> bool:
    match node:
        case nodes.SetEnumeration(()):
            return True
        case nodes.Literal(value):
            return value in _EMPTY
    return False


def _roots(model: Model) -> list[Expression]:
    initial = [] if model.init is None else [model.init.body]
    return [*initial, *(action.code.body for action in model.actions)]


def tags_in_text(model: Model, field: str) -> set[Any]:
    """Constants that messages are made with, or compared with."""
    found: set[Any] = set()
    reader = Messages(len(model.variables))
    for node in reachable(*_roots(model)):
        for value in _given(node, field):
            found |= reader.constants(value, Frame()) or set()
    return found


def _given(node: Any, field: str) -> list[Expression]:
    match node:
        case nodes.RecordLiteral(names, values) if field in names:
            return [values[names.index(field)]]
        case nodes.Equal(nodes.FieldAccess(_, name), value) | nodes.Equal(value, nodes.FieldAccess(_, name)):
            return [value] if name == field else []
        case nodes.Member(nodes.FieldAccess(_, name), nodes.SetEnumeration(items)) if name == field:
            return list(items)
    return []


def _candidate_fields(model: Model) -> list[str]:
    """Fields that records are made with, that are looked at, and that have at least two constant values."""
    made: set[str] = set()
    compared: set[str] = set()
    for node in reachable(*_roots(model)):
        match node:
            case nodes.RecordLiteral(names):
                made.update(names)
            case nodes.Equal(nodes.FieldAccess(_, name), _) | nodes.Equal(_, nodes.FieldAccess(_, name)):
                compared.add(name)
            case nodes.Member(nodes.RecordLiteral(names), _):
                compared.update(names)
    return [name for name in sorted(made & compared) if len(_names(tags_in_text(model, name))) > 1]


def messages_of(model: Model) -> dict[Any, frozenset[str]]:
    """For each tag of messages, the actions that speak of it: they make such messages, or look for them.

    The tag is the field with the most values. This is a hint at who talks to whom, and proves nothing.
    """
    tags = {field: _names(tags_in_text(model, field)) for field in _candidate_fields(model)}
    field = max(sorted(tags), key=lambda name: len(tags[name]), default=None)
    found: dict[Any, set[str]] = {}
    for action in model.actions if field is not None else ():
        for tag in _names(tags_in_text(replace(model, init=None, actions=(action,)), field or "")):
            found.setdefault(tag, set()).add(action.name)
    return {tag: frozenset(found[tag]) for tag in _sorted_tags(set(found))}


def _names(tags: Iterable[Any]) -> list[Any]:
    return [tag for tag in tags if isinstance(tag, str | ModelValue)]


def _gone_through(model: Model) -> list[str]:
    """Variables whose elements are gone through, or that something is said to be an element of."""
    found: set[int] = set()
    for node in reachable(*_roots(model)):
        match node:
            case nodes.Bound(domain=domain) | nodes.Member(_, domain):
                found.update(_collection(domain))
    return [model.variables[index] for index in sorted(found)]


def _collection(node: Any) -> Iterator[int]:
    match node:
        case nodes.Variable(index, False):
            yield index
        case nodes.FunctionApply(function):
            yield from _collection(function)
        case nodes.Primitive(_, args):
            for each in args:
                yield from _collection(each)


def _sorted_tags(tags: set[Any] | frozenset[Any]) -> list[Any]:
    return sorted(tags, key=show)


# ----------------------------------------------------------------------------------------------------- what was found


def _written_tags(found: Sequence[Accesses], slicing: Slicing) -> set[Any]:
    slots = [update.slot for each in found for update in each.updates]
    return {key.tag for slot in slots for key in slot.path[slicing.depth : slicing.depth + 1] if isinstance(key, Slice)}


def is_in_a_slice(slot: Place, slicing: Slicing) -> bool:
    return len(slot.path) > slicing.depth and isinstance(slot.path[slicing.depth], Slice)


def _spoiling(found: Sequence[Accesses], slicing: Slicing, variable: str) -> Iterator[Spoiled]:
    def whole(slot: Place) -> bool:
        return slot.variable == slicing.variable and not is_in_a_slice(slot, slicing)

    for action in found:
        for test in action.tests:
            if whole(test.slot):
                reason = f"the guard looks at messages of any {slicing.field}"
                yield Spoiled(variable, slicing.field, action.name, reason, test.span)
        for update in action.updates:
            if whole(update.slot):
                reason = f"messages are written whose {slicing.field} is not known"
                yield Spoiled(variable, slicing.field, action.name, reason, update.span)
            elif any(map(whole, update.sources)):
                reason = f"the update looks at messages of any {slicing.field}"
                yield Spoiled(variable, slicing.field, action.name, reason, update.span)
