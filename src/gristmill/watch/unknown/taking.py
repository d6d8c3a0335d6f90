"""Actions taken in a partly known state: every way that there may be, and what is then known before and after.

Nothing is left out that is possible in a state which the partly known one may stand for. What is put in may be too
much: guards that cannot be decided are taken to hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gristmill.evaluate import Context
from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.specification import Specification
from gristmill.values import Fn, Value, apply
from gristmill.watch.derive import Event, Monitor
from gristmill.watch.unknown.assuming import assume
from gristmill.watch.unknown.evaluating import Evaluation
from gristmill.watch.unknown.frames import Frame, Path
from gristmill.watch.unknown.values import ANY, Part, PartialLocal, formed, includes, is_known, unknown_like
from gristmill.watch.unknown.ways import TooManyWaysError, Ways

_MOST_WAYS = 64  # through one action: with more, nothing is known afterwards
_MOST_KEPT = 10_000  # results that are remembered
# What evaluating an action counts as: one for so many nodes, and no more than that.
_NODES, _AT_MOST = 4, 128
_ROUNDS = 4  # what a message tells of the state may decide guards that were assumed before

# The state after, what was sent, whether the message is gone, whether something was assumed.
Outcome = tuple[tuple[Part, ...], frozenset[Part], bool, bool]


class PartialActions:
    """For one thread."""

    def __init__(self, specification: Specification, monitor: Monitor) -> None:
        self.monitor, self.variables = monitor, specification.variables
        self.evaluation = Evaluation(Context(self.variables))
        self._ways = Ways(self.evaluation, self.variables.index(monitor.network))
        self.places = [self.variables.index(name) for name in monitor.local]
        self._forms = PartialLocal()
        self._kept: dict[object, list[Outcome]] = {}
        self._invariants = [each.code.body for each in specification.model.invariants]
        self.evaluations = 0  # small actions count as few, large ones as many

    def unknown(self, node: Value, initial: tuple[Value, ...]) -> PartialLocal:
        """Nothing is known of a node but the form of its variables, which is that of the initial ones."""
        own = [apply(value, node) for value in initial]
        self._forms = PartialLocal(Fn({node: unknown_like(value)}) for value in own)
        named = zip(own, self.monitor.local, strict=True)
        return PartialLocal(Fn({node: unknown_like(value, name)}) for value, name in named)

    def consistent(self, local: tuple[Part, ...], node: Value) -> tuple[Part, ...] | None:
        """What the invariants of the specification say of a state; None if they exclude it."""
        state: list[Part] = [ANY] * len(self.variables)
        for place, value in zip(self.places, local, strict=True):
            state[place] = value
        path = Path(tuple(state))
        for body in self._invariants:
            if not self._of_node(body, node, path):
                return None
        found = [path.current[place] for place in self.places]
        return tuple(found) if all(map(is_known, found)) else PartialLocal(found)

    def _of_node(self, body: Expression, node: Value, path: Path) -> bool:
        """`\\A i \\in Nodes : …`, of this node. What an invariant says of several nodes is not looked at."""
        if isinstance(body, nodes.Call) and body.definition.body is not None:
            return self._of_node(body.definition.body, node, path)
        match body:
            case nodes.And(items):
                return all(self._of_node(item, node, path) for item in items)
            case nodes.Quantified(True, (nodes.Bound((slot,)),), inner):
                return assume(self.evaluation, inner, True, Frame({slot: node}), path)
            case _:
                return True

    def take(
        self,
        event: Event,
        local: tuple[Part, ...],
        node: Value,
        given: Mapping[str, Value],
        arrived: Value | None = None,
        expected: Value | None = None,
    ) -> list[Outcome]:
        """Every way to take an action. `expected`: only those that send this message."""
        key = (id(event), local, arrived, expected, tuple(given.items()))
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) > _MOST_KEPT:
                self._kept.clear()
            found = self._kept[key] = self._take(event, local, node, given, arrived, expected)
            self.evaluations += min(_AT_MOST, 1 + self.evaluation.steps // _NODES)
        return found

    def _take(
        self,
        event: Event,
        local: tuple[Part, ...],
        node: Value,
        given: Mapping[str, Value],
        arrived: Value | None,
        expected: Value | None,
    ) -> list[Outcome]:
        slots = {
            expression.slot: name
            for name, expression in event.action.parameters
            if isinstance(expression, nodes.Local) and expression.depth == 0
        }
        values = {**given, event.node: node}
        self._ways.given = {slot: values[name] for slot, name in slots.items() if name in values}
        self._ways.arrived = arrived
        self.evaluation.steps = 0
        start: list[Part] = [ANY] * len(self.variables)
        for place, value in zip(self.places, local, strict=True):
            start[place] = value
        outcomes: dict[Outcome, None] = {}
        try:
            for path in self._refined(event.action.code.body, tuple(start), expected, _ROUNDS):
                outcomes[self._outcome(path)] = None
                if len(outcomes) > _MOST_WAYS:
                    raise TooManyWaysError
        except TooManyWaysError:
            # Nothing is known any more, and nothing is used up: whatever else it has sent can still be sent.
            sent = frozenset() if expected is None else frozenset((expected,))
            return [(self._forms, sent, False, True)]
        return _widest(list(outcomes))

    def _refined(
        self, body: Expression, start: tuple[Part, ...], expected: Value | None, rounds: int
    ) -> Iterator[Path]:
        """What is learned on a way is known from its beginning: it is gone once more, if that was anything."""
        for path in self._ways.steps(body, Frame({}), Path(start)):
            for found in (path,) if expected is None else self._sending(path, expected):
                if found.current == start or rounds == 0:
                    yield found
                    continue
                for again in self._refined(body, found.current, expected, rounds - 1):
                    again.assumed = True
                    yield again

    def _outcome(self, path: Path) -> Outcome:
        after = [path.following.get(place, ANY) for place in self.places]
        if not all(map(is_known, after)):
            after = [formed(value, form) for value, form in zip(after, self._forms, strict=True)]
        evaluate = self.evaluation.value
        sent = frozenset(value if term is None else evaluate(term, frame, path) for term, frame, value in path.sent)
        local = tuple(after) if all(map(is_known, after)) else PartialLocal(after)
        return local, sent, path.gone, path.assumed

    def _sending(self, path: Path, expected: Value) -> Iterator[Path]:
        """The ways on which this message is among those sent, each with what that tells of the state."""
        for term, frame, value in path.sent:
            found = path.copy()
            if term is None:
                if value == expected:
                    yield found
                continue
            equal = nodes.Equal(term, nodes.Literal(expected, term.span), term.span)
            if assume(self.evaluation, equal, True, frame, found):
                yield found


def _widest(outcomes: list[Outcome]) -> list[Outcome]:
    """Without those that say more than another one, and nothing else."""
    kept: list[Outcome] = []
    for local, sent, gone, assumed in sorted(outcomes, key=_known_parts):
        wider = (each for each in kept if each[1:3] == (sent, gone))
        if not any(includes(tuple(other), tuple(local), {}) for other, _, _, _ in wider):
            kept.append((local, sent, gone, assumed))
    return kept


def _known_parts(outcome: Outcome) -> int:
    return sum(map(is_known, outcome[0]))
