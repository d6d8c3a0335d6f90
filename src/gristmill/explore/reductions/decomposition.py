"""Decompositions: which fields of each process are auxiliary, so that a search need not tell states apart by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gristmill.explore.analysis.flow import auxiliary_fields, fields_read
from gristmill.explore.analysis.nodes import Kind, kind_of_frozen, kind_of_value
from gristmill.explore.data import thaw
from gristmill.explore.model import Model, State, Transition
from gristmill.explore.program import Local, Program
from gristmill.explore.transitions import Inbox, LocalStep, Rules, Spare
from gristmill.explore.views import Checker, StartAnew, StateReader
from gristmill.source import Diagnostic, SourceError
from gristmill.trace.schedule import describe


class NotAuxiliary(StartAnew):
    """A field that was inferred to be auxiliary is not, or not for sure: the search must start anew."""

    def __init__(self, kind: type, field: str, why: str) -> None:
        super().__init__(f"{kind.__name__}.{field} {why}")
        self.kind, self.field = kind, field


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Auxiliary fields by class; `claimed` are those that only an annotation says to be.

    `typed` are inferred ones with the kind that their values are taken to have.
    """

    auxiliary: Mapping[type, frozenset[str]]
    claimed: frozenset[str] = frozenset()
    typed: Mapping[type, Mapping[str, Kind]] = field(default_factory=dict)

    def relevant(self, kind: type, local: Local) -> Local:
        """The function h of the paper, for one process."""
        dropped = self.auxiliary.get(kind)
        if not dropped:
            return local
        typed = self.typed.get(kind)
        if typed:
            for name, value in local.fields:
                if name in typed and kind_of_frozen(value) != typed[name]:
                    raise NotAuxiliary(kind, name, "does not keep its type")
        return local._replace(fields=tuple((name, value) for name, value in local.fields if name not in dropped))

    @property
    def names(self) -> list[str]:
        return sorted(f"{kind.__name__}.{name}" for kind, names in self.auxiliary.items() for name in names)


def infer(rules: Rules, relevant: Iterable[tuple[type, str]] = ()) -> Decomposition:
    """What the source of handlers, guards and properties shows to be auxiliary, and what `aux()` declares so.

    `relevant` are fields that turned out not to be.
    """
    read = [fields_read(one.holds) for one in rules.system.properties]
    kinds = list(dict.fromkeys(program.kind for program in rules.programs))
    declared = {kind: frozenset(name for name, one in kind.declared.items() if one.auxiliary) for kind in kinds}
    inferred: dict[type, Mapping[str, Kind]] = {kind: {} for kind in kinds}
    if all(names is not None for names in read):
        sinks = frozenset[str]().union(*(names for names in read if names is not None))
        for kind in kinds:
            known_better = {name for other, name in relevant if other is kind}
            inferred[kind] = _inferred([one for one in rules.programs if one.kind is kind], sinks | known_better)
    return Decomposition(
        {kind: declared[kind] | inferred[kind].keys() for kind in kinds},
        frozenset(f"{kind.__name__}.{name}" for kind in kinds for name in declared[kind] - inferred[kind].keys()),
        {
            kind: {name: one for name, one in inferred[kind].items() if one and name not in declared[kind]}
            for kind in kinds
        },
    )


def _inferred(programs: list[Program], sinks: frozenset[str]) -> dict[str, Kind]:
    """The auxiliary fields of processes of one class, with the kinds of those that must keep one.

    A field must be auxiliary in all processes: it may hold other things in another one. What is not is relevant, and so
    is what flows into it.
    """
    while True:
        found = [_of_one(program, sinks) for program in programs]
        agreed = {name: kind for name, kind in found[0].items() if all(one.get(name, "") == kind for one in found)}
        others = frozenset(name for program in programs for name, _ in program.first.fields) - agreed.keys()
        if others <= sinks:
            return agreed
        sinks |= others


def _of_one(program: Program, sinks: frozenset[str]) -> dict[str, Kind]:
    live = program.live(program.first)
    found = auxiliary_fields(program.kind, live, sinks)
    return {
        name: kind_of_value(getattr(live, name)) if name in found.typed else None
        for name in found.fields - program.constants.keys()
    }


def key(rules: Rules, decomposition: Decomposition, state: State) -> State:
    """The relevant part of a global state."""
    kinds = [program.kind for program in rules.programs]
    locals_ = tuple(decomposition.relevant(kind, local) for kind, local in zip(kinds, state.locals, strict=True))
    return state._replace(locals=locals_)


class Verifier:
    """Tests Definition 1 on what a search explores: equal relevant parts must have equal futures.

    Of each relevant part, the first state is kept; every other state with it is compared with that one: the same
    transitions must be enabled (rule 1), and lead to the same relevant parts (rule 2).
    """

    def __init__(self, model: Model, decomposition: Decomposition) -> None:
        self.model, self.decomposition = model, decomposition
        self.first: dict[State, State] = {}
        self.compared = 0

    def check(self, state: State) -> None:
        relevant = key(self.model.rules, self.decomposition, state)
        other = self.first.setdefault(relevant, state)
        if other == state:
            return
        self.compared += 1
        here, there = (self._steps(self.model.transitions(one)) for one in (state, other))
        if here.keys() != there.keys():
            event = sorted(here.keys() ^ there.keys())[0]
            raise SourceError(self._unsound(other, state, f"{event} can happen in only one of them"))
        for event in here:
            if here[event] != there[event]:
                raise SourceError(self._unsound(other, state, f"{event} leads to different relevant parts"))
        self._check_properties(other, state)

    def _check_properties(self, one: State, other: State) -> None:
        checker = Checker(self.model.rules)
        for tested in (*checker.invariants, *checker.ends, *checker.eventualities):
            if checker.holds(tested, StateReader(one)) != checker.holds(tested, StateReader(other)):
                raise SourceError(self._unsound(one, other, f"the property {tested.name} holds in only one of them"))

    def _steps(self, transitions: list[Transition]) -> dict[str, tuple[State, object]]:
        rules, decomposition = self.model.rules, self.decomposition
        return {describe(one.event): (key(rules, decomposition, one.target), one.problem) for one in transitions}

    def _unsound(self, one: State, other: State, why: str) -> Diagnostic:
        return Diagnostic(
            "explore-unsound-decomposition",
            f"the decomposition is not sound: two states differ only in auxiliary fields "
            f"({self._differences(one, other)}), and {why}",
            help=f"one of the fields called auxiliary ({', '.join(self.decomposition.names)}) is not",
        )

    def _differences(self, one: State, other: State) -> str:
        found = []
        for name, first, second in zip(self.model.rules.names, one.locals, other.locals, strict=True):
            values = dict(second.fields)
            found += [
                f"{name}.{field}: {thaw(value)!r} and {thaw(values[field])!r}"
                for field, value in first.fields
                if field in values and values[field] != value
            ]
        return "; ".join(found)


def verify_cells(
    rules: Rules,
    decomposition: Decomposition,
    cells: Iterable[tuple[int, Local, Inbox]],
    spares: Iterable[Spare],
) -> int:
    """Tests Definition 1 process by process; how many pairs were compared.

    What a process does depends on its local state, its inbox and the spare alone. So if, for each process, those that
    differ only in auxiliary fields do the same, then so do global states made of them.
    """
    spares = list(spares)
    first: dict[tuple[int, Local, Inbox], Local] = {}
    compared = 0
    for process, local, inbox in list(cells):
        kind = rules.programs[process].kind
        relevant = decomposition.relevant(kind, local)
        other = first.setdefault((process, relevant, inbox), local)
        if other == local:
            continue
        compared += 1
        for spare in spares:
            here, there = (
                _relevant_steps(rules.steps(process, one, inbox, spare), kind, decomposition) for one in (local, other)
            )
            if here != there:
                raise SourceError(_unsound_pair(rules, decomposition, process, (other, local), (there, here)))
    return compared


def _relevant_steps(steps: list[LocalStep], kind: type, decomposition: Decomposition) -> dict[str, tuple[object, ...]]:
    return {
        describe(step.event): (
            decomposition.relevant(kind, step.local), step.inbox, step.spare, step.sends, step.records,
            step.problem is None,
        )
        for step in steps
    }  # fmt: skip


def _unsound_pair(
    rules: Rules,
    decomposition: Decomposition,
    process: int,
    pair: tuple[Local, Local],
    steps: tuple[dict[str, tuple[object, ...]], dict[str, tuple[object, ...]]],
) -> Diagnostic:
    event = next(name for name in sorted(steps[0].keys() | steps[1].keys()) if steps[0].get(name) != steps[1].get(name))
    both = event in steps[0] and event in steps[1]
    why = "has different effects in them" if both else "can happen in only one of them"
    values = dict(pair[1].fields)
    differences = "; ".join(
        f"{name}: {thaw(value)!r} and {thaw(values[name])!r}" for name, value in pair[0].fields if values[name] != value
    )
    return Diagnostic(
        "explore-unsound-decomposition",
        f"the decomposition is not sound: two states of {rules.names[process]} differ only in auxiliary fields "
        f"({differences}), and {event} {why}",
        help=f"one of the fields called auxiliary ({', '.join(decomposition.names)}) is not",
    )
