"""Decompositions: which fields of each process are auxiliary, so that a search need not tell states apart by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gristmill.explore.analysis.flow import auxiliary_fields, fields_read
from gristmill.explore.data import thaw
from gristmill.explore.model import Model, State, Transition
from gristmill.explore.program import Local
from gristmill.explore.schedule import describe
from gristmill.explore.transitions import Inbox, LocalStep, Rules, Spare
from gristmill.explore.views import Checker, StateReader
from gristmill.source import Diagnostic, SourceError


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Auxiliary fields by class; `claimed` are those that only an annotation says to be."""

    auxiliary: Mapping[type, frozenset[str]]
    claimed: frozenset[str] = frozenset()

    def relevant(self, kind: type, local: Local) -> Local:
        """The function h of the paper, for one process."""
        dropped = self.auxiliary.get(kind)
        if not dropped:
            return local
        return local._replace(fields=tuple((name, value) for name, value in local.fields if name not in dropped))

    @property
    def names(self) -> list[str]:
        return sorted(f"{kind.__name__}.{name}" for kind, names in self.auxiliary.items() for name in names)


def infer(rules: Rules) -> Decomposition:
    """What the source of handlers, guards and properties shows to be auxiliary, and what `aux()` declares so."""
    read = [fields_read(one.holds) for one in rules.system.properties]
    read_by_properties = frozenset[str]().union(*(names for names in read if names is not None))
    opaque = any(names is None for names in read)
    auxiliary: dict[type, frozenset[str]] = {}
    claimed: set[str] = set()
    for program in rules.programs:
        declared = frozenset(name for name, one in program.kind.declared.items() if one.auxiliary)
        inferred: frozenset[str] = frozenset()
        if not opaque:
            live = program.live(program.first)
            inferred = auxiliary_fields(program.kind, live, read_by_properties) - program.constants.keys()
        claimed |= {f"{program.kind.__name__}.{name}" for name in declared - inferred}
        # Of several processes of a class, a field must be auxiliary in all: it may hold other things in another one.
        auxiliary[program.kind] = (inferred | declared) & auxiliary.get(program.kind, inferred | declared)
    return Decomposition(auxiliary, frozenset(claimed))


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
