"""Symmetry: states that differ only in which of several equal processes is which are stored once.

A state is taken apart process by process (its local state, its inbox); a permutation of processes moves the parts, and
renames processes wherever names stand inside them. Of all states that permutations make of one, one is stored.

That processes can be exchanged is a claim of the user. `check` tests it on every handler run of a search: exchanging
names before must be the same as exchanging them after.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from gristmill.explore.data import order_key, rename
from gristmill.explore.model import Model, State
from gristmill.explore.native.cells import Cell
from gristmill.explore.program import Envelope, Local, Outcome
from gristmill.explore.transitions import Inbox, Rules
from gristmill.explore.views import Checker, StateReader
from gristmill.source import Diagnostic, SourceError

# So many handler runs are compared with their permutations; all of them, in systems of the size that can be explored.
MOST_COMPARED = 50_000


class ProcessSymmetry:
    """The permutations of processes, and what they make of cells and states. `permutations`: process -> process."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        groups = [tuple(group) for group in rules.system.symmetric]
        _reject(rules, groups)
        self.renamings = _renamings(groups)
        self.permutations: Sequence[Sequence[int]] = [
            [rules.index[names.get(name, name)] for name in rules.names] for names in self.renamings
        ]

    def permute(self, permutation: int, cell: Cell) -> Cell:
        names = self.renamings[permutation]
        process = self.permutations[permutation][cell.process]
        return Cell(process, permuted_local(cell.local, names), self._inbox(cell.inbox, names))

    def _inbox(self, inbox: Inbox, names: dict[str, str]) -> Inbox:
        moved = [permuted_envelope(envelope, names) for envelope in inbox]
        if self.rules.system.network.ordered:
            return tuple(sorted(moved, key=lambda envelope: envelope.sender))
        return tuple(sorted(moved, key=self.rules.order_of))

    def permute_state(self, permutation: int, state: State) -> State:
        cells = [
            self.permute(permutation, Cell(process, local, inbox))
            for process, (local, inbox) in enumerate(zip(state.locals, state.inboxes, strict=True))
        ]
        cells.sort(key=lambda cell: cell.process)
        return state._replace(locals=tuple(cell.local for cell in cells), inboxes=tuple(cell.inbox for cell in cells))

    def orbit(self, state: State) -> frozenset[State]:
        """All states that permutations make of one: as canonical as any one of them, and obviously so."""
        return frozenset({state, *(self.permute_state(number, state) for number in range(len(self.renamings)))})

    # Checking the claim

    def check(self, model: Model, states: Sequence[State] = ()) -> str | None:
        """Raises if the processes can be told apart; says what was not tested, if anything."""
        initial = {one.target for one in model.initial()}
        for number in range(len(self.renamings)):
            if {self.permute_state(number, state) for state in initial} != initial:
                raise SourceError(self._told_apart("they start differently", number))
        left = self._check_handlers()
        self._check_properties(states)
        return f"symmetry was tested on {MOST_COMPARED} handler runs, not on all" if left else None

    def _check_handlers(self) -> bool:
        compared = 0
        for (process, local, method, arguments), outcomes in self.rules.handled():
            for number, names in enumerate(self.renamings):
                compared += 1
                if compared > MOST_COMPARED:
                    return True
                moved = self.rules.outcomes(
                    self.permutations[number][process],
                    permuted_local(local, names),
                    method,
                    tuple(rename(argument, names) for argument in arguments),
                )
                if _outcomes(moved) != _outcomes(permuted_outcome(outcome, names) for outcome in outcomes):
                    name = self.rules.names[process]
                    raise SourceError(self._told_apart(f"{name}.{method} does not do the same for all", number))
        return False

    def _check_properties(self, states: Sequence[State]) -> None:
        checker = Checker(self.rules)
        for state in states:
            for number in range(len(self.renamings)):
                moved = self.permute_state(number, state)
                for one in (*checker.invariants, *checker.ends):
                    if checker.holds(one, StateReader(state)) != checker.holds(one, StateReader(moved)):
                        raise SourceError(self._told_apart(f"{one.name} holds or not, depending on names", number))

    def _told_apart(self, why: str, number: int) -> Diagnostic:
        exchanged = ", ".join(f"{old} as {new}" for old, new in self.renamings[number].items() if old != new)
        return Diagnostic(
            "explore-not-symmetric",
            f"the processes declared symmetric can be told apart: {why} (taking {exchanged})",
            help="leave them out of `symmetric`, or make the handlers treat names alike: no order of names, no numbers "
            "derived from them",
        )


def permuted_local(local: Local, names: dict[str, str]) -> Local:
    return local._replace(fields=tuple((name, rename(value, names)) for name, value in local.fields))


def permuted_envelope(envelope: Envelope, names: dict[str, str]) -> Envelope:
    sender, receiver, message = envelope
    return Envelope(names.get(sender, sender), names.get(receiver, receiver), rename(message, names))


def permuted_outcome(outcome: Outcome, names: dict[str, str]) -> Outcome:
    sends = tuple(permuted_envelope(envelope, names) for envelope in outcome.sends)
    return outcome._replace(local=permuted_local(outcome.local, names), sends=sends)


def _outcomes(outcomes: object) -> set[tuple[object, ...]]:
    """Outcomes as far as they matter here: the order of choices and of sends does not."""
    return {
        (one.local, tuple(sorted(one.sends, key=lambda sent: (sent.receiver, sent.sender, order_key(sent.message)))),
         one.problem is None)
        for one in outcomes  # type: ignore[attr-defined]
    }  # fmt: skip


def _renamings(groups: list[tuple[str, ...]]) -> list[dict[str, str]]:
    """Every permutation but the identity."""
    found = []
    for chosen in itertools.product(*(itertools.permutations(group) for group in groups)):
        names = {
            old: new for group, order in zip(groups, chosen, strict=True) for old, new in zip(group, order, strict=True)
        }
        if any(old != new for old, new in names.items()):
            found.append(names)
    return found


def _reject(rules: Rules, groups: list[tuple[str, ...]]) -> None:
    def wrong(text: str) -> SourceError:
        return SourceError(Diagnostic("explore-symmetry", text))

    if not groups:
        raise wrong("symmetry is asked for, and the system declares no groups of symmetric processes")
    if len({name for group in groups for name in group}) < sum(map(len, groups)):
        raise wrong("a process is in two groups of symmetric processes")
    for group in groups:
        kinds = {rules.programs[rules.index[name]].kind for name in group}
        if len(kinds) > 1:
            names = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise wrong(f"symmetric processes must be of one class; {', '.join(group)} are of {names}")
        for side in (*rules.system.network.partitions, frozenset(rules.system.faults.crashing)):
            if side & set(group) and not side >= set(group):
                raise wrong(f"faults tell {', '.join(group)} apart: {', '.join(sorted(side))} are only some of them")
