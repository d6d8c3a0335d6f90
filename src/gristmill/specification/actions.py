"""Actions as programs see them: parameters, where they come from, what they read and write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from gristmill.explain.text import text_of
from gristmill.ir import model as ir
from gristmill.ir.nodes import Expression
from gristmill.ir.passes import dependencies as found_by
from gristmill.ir.places import Anything, Constant, Slice, Symbol
from gristmill.ir.places import Key as FoundKey
from gristmill.ir.places import Place as FoundPlace
from gristmill.source import Span
from gristmill.values import Value, to_python

Elements = Callable[[Expression], Sequence[Value] | None]  # of a set that is the same in every state


@dataclass(frozen=True, slots=True)
class Name:
    """What an action binds, or a field of that: in `log[m.to]`, `m` is a parameter of the action."""

    name: str
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.name, *self.fields))


Key = Name | Constant | Anything | Slice


@dataclass(frozen=True, slots=True)
class Place:
    """A variable, or the part of it that the arguments in `path` lead to. As text: `log[n].term`, `votes[*]`.

    An argument is a `Name`, a `Constant` whose `value` is a TLA+ value, or anything at all (`*`).
    """

    variable: str
    path: tuple[Key, ...]
    text: str = field(compare=False)

    def may_touch(self, other: Place) -> bool:
        """Whether one may be part of the other in some state, for some parameters."""
        return self.variable == other.variable and all(map(_may_equal, self.path, other.path))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.text}>"


def _may_equal(a: Key, b: Key) -> bool:
    return not (isinstance(a, Constant) and isinstance(b, Constant)) or a.value == b.value


@dataclass(frozen=True, slots=True)
class Write:
    """What an action may write: a place, what the new value is computed from, what decides whether it is written.

    `certain`: every step writes it, though perhaps the value that it has. The value depends on the guard as well.
    """

    place: Place
    reads: tuple[Place, ...]
    control: tuple[Place, ...]
    certain: bool


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What an action reads and writes. Nothing is left out: what is not named here plays no part in any step.

    - `guard`: reads that decide whether it is possible, for given parameters, the sets that these are chosen from
      included.
    - `updates`: reads that decide which values are written.
    - `writes`: what is written, with the reads of each; `may_write` and `must_write`: the places alone.
    - `unchanged`: variables that no step changes.
    - `limits`: what could not be looked into, so that more is named than need be; and operators whose value depends on
      more than the state, as `RandomElement`.

    Evaluation that fails is outside of this: other values elsewhere may make an expression have no value.
    """

    guard: tuple[Place, ...]
    updates: tuple[Place, ...]
    writes: tuple[Write, ...]
    unchanged: tuple[str, ...]
    limits: tuple[str, ...] = ()

    @property
    def may_write(self) -> tuple[Place, ...]:
        return tuple(each.place for each in self.writes)

    @property
    def must_write(self) -> tuple[Place, ...]:
        return tuple(each.place for each in self.writes if each.certain)


@dataclass(frozen=True, slots=True)
class Parameter:
    """`domain`: the set that it is chosen from, as it is written; None if it is not chosen but follows from others.

    `values`: the elements of the domain, as Python objects, if it is a small set that is the same in every state.
    """

    name: str
    domain: str | None = None
    values: tuple[object, ...] | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the next-state relation.

    `location`: where its definition is, or the disjunct itself if that has several. `module`: the one that it is
    written in, also if that is extended or instanced.
    """

    name: str
    parameters: tuple[Parameter, ...]
    location: Span
    module: str
    dependencies: Dependencies

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters."""
        return tuple(each.name for each in self.parameters)


def actions_of(model: ir.Model, elements: Elements) -> tuple[Action, ...]:
    """Each once. Those that differ in nothing but arguments, `Send("a") \\/ Send("b")`, are one."""
    same: dict[tuple[object, ...], list[ir.Action]] = {}
    for each in model.actions:
        names = tuple(name for name, _ in each.parameters)
        same.setdefault((each.name, each.span, names), []).append(each)
    return tuple(_action(model, group, elements) for group in same.values())


def _action(model: ir.Model, group: Sequence[ir.Action], elements: Elements) -> Action:
    first = group[0]
    parameters = tuple(
        _parameter(name, [each.domains[place] for each in group], elements)
        for place, (name, _) in enumerate(first.parameters)
    )
    return Action(first.name, parameters, first.span, first.module, _dependencies(model, group))


def _parameter(name: str, domains: Sequence[Expression | None], elements: Elements) -> Parameter:
    texts = {None if each is None else text_of(each) for each in domains}
    if len(texts) > 1 or domains[0] is None:
        return Parameter(name)
    values = elements(domains[0])
    return Parameter(name, texts.pop(), None if values is None else tuple(map(to_python, values)))


# ------------------------------------------------------------------------------------------------------ dependencies


@dataclass(slots=True)
class _Sources:
    """Of one written place, in all actions of a group. `certain`: in how many of them it is certainly written."""

    reads: set[Place] = field(default_factory=set)
    control: set[Place] = field(default_factory=set)
    certain: int = 0


def _dependencies(model: ir.Model, group: Sequence[ir.Action]) -> Dependencies:
    guard: set[Place] = set()
    written: dict[Place, _Sources] = {}
    limits: dict[str, None] = {}
    unchanged = frozenset(range(len(model.variables)))
    for action in group:
        found = found_by.dependencies(model, action)
        places = _Places(model.variables, found.parameters, [name for name, _ in action.parameters])
        guard |= places.several(found.guard)
        for write in found.writes:
            sources = written.setdefault(places.one(write.place), _Sources())
            sources.reads |= places.several(write.reads)
            sources.control |= places.several(write.control)
        for place in {places.one(write.place) for write in found.writes if write.certain}:
            written[place].certain += 1
        limits |= dict.fromkeys(found.limits)
        unchanged &= found.unchanged(len(model.variables))
    writes = tuple(
        Write(place, _sorted(sources.reads), _sorted(sources.control), sources.certain == len(group))
        for place, sources in sorted(written.items(), key=lambda item: item[0].text)
    )
    return Dependencies(
        _sorted(guard),
        _sorted({place for write in writes for place in (*write.reads, *write.control)}),
        writes,
        tuple(model.variables[index] for index in sorted(unchanged)),
        tuple(limits),
    )


def _sorted(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted(places, key=str))


class _Places:
    """The places of one action, with the names of its parameters in the place of those that its arguments have."""

    def __init__(self, variables: Sequence[str], keys: Sequence[FoundKey], names: Sequence[str]) -> None:
        self._variables = variables
        self._names = {
            (key.number, key.fields): name
            for key, name in reversed(list(zip(keys, names, strict=True)))
            if isinstance(key, Symbol)
        }

    def several(self, found: Iterable[FoundPlace]) -> set[Place]:
        return set(map(self.one, found))

    def one(self, found: FoundPlace) -> Place:
        renamed = FoundPlace(found.variable, tuple(map(self._renamed, found.path)))
        path = tuple(Name(key.name, key.fields) if isinstance(key, Symbol) else key for key in renamed.path)
        return Place(self._variables[found.variable], path, renamed.text(tuple(self._variables)))

    def _renamed(self, key: FoundKey) -> FoundKey:
        if not isinstance(key, Symbol):
            return key
        for length in range(len(key.fields), -1, -1):
            name = self._names.get((key.number, key.fields[:length]))
            if name is not None:
                return Symbol(key.number, name, key.fields[length:])
        return key
