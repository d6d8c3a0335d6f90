"""Actions taken in a partly known state: every way that there may be, and what is then known before and after.

Nothing is left out that is possible in a state which the partly known one may stand for. What is put in may be too
much: guards that cannot be decided are taken to hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from gristmill.evaluate import Context
from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.ir.walk import Node, reachable
from gristmill.library import Form
from gristmill.specification import Specification
from gristmill.values import Fn, Value, apply, enumerate_set, is_enumerable, is_set
from gristmill.watch.derive import Event, Monitor
from gristmill.watch.unknown.assuming import assume
from gristmill.watch.unknown.evaluating import Evaluation
from gristmill.watch.unknown.frames import Frame, Later, Path
from gristmill.watch.unknown.values import (
    ANY,
    Part,
    PartialLocal,
    Unknown,
    formed,
    includes,
    is_known,
    same,
    unknown_like,
)

_MOST_WAYS = 64  # through one action: with more, nothing is known afterwards
_MOST_CHOICES = 256  # elements that are tried one by one
_MOST_KEPT = 10_000  # results that are remembered
# What evaluating an action counts as: one for so many nodes, and no more than that.
_NODES, _AT_MOST = 4, 128
_ROUNDS = 4  # what a message tells of the state may decide guards that were assumed before

# The state after, what was sent, whether the message is gone, whether something was assumed.
Outcome = tuple[tuple[Part, ...], frozenset[Part], bool, bool]


class TooManyWaysError(Exception):
    """Through one action."""


class PartialActions:
    """For one thread."""

    def __init__(self, specification: Specification, monitor: Monitor) -> None:
        self.monitor, self.variables = monitor, specification.variables
        self.evaluation = Evaluation(Context(self.variables))
        self.network = self.variables.index(monitor.network)
        self.places = [self.variables.index(name) for name in monitor.local]
        self._primes: dict[int, bool] = {}
        self._given: Mapping[int, Part] = {}
        self._arrived: Value | None = None
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
        self._given = {slot: values[name] for slot, name in slots.items() if name in values}
        self._arrived = arrived
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
        for path in self._steps(body, Frame({}), Path(start)):
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

    # -------------------------------------------------------------------------------------------- through an action

    def _steps(self, node: Expression, frame: Frame, path: Path) -> Iterator[Path]:
        evaluation = self.evaluation
        if not self._has_primes(node):
            found = evaluation.test(node, frame, path)
            if found is True:
                yield path
            elif found is None:
                yield from self._assumed(node, frame, path)
            return
        match node:
            case nodes.And(items):
                yield from self._in_turn(items, frame, path)
            case nodes.Or(items):
                for item in items:
                    yield from self._steps(item, frame, path.copy())
            case nodes.Disjunct(_, body):
                yield from self._steps(body, frame, path)
            case nodes.Let(_, _, _, body):
                yield from self._steps(body, evaluation.let(node, frame), path)
            case nodes.Call() | nodes.CallLocal():
                body_of, inner = evaluation.called(node, frame)
                if body_of is not None:
                    yield from self._steps(body_of, inner, path)
            case nodes.If(condition, then, otherwise):
                for branch, holds in ((then, True), (otherwise, False)):
                    chosen = path.copy()
                    if assume(evaluation, condition, holds, frame, chosen):
                        yield from self._steps(branch, frame, chosen)
            case nodes.Quantified(False, bounds, body):
                for inner, chosen in self._chosen(bounds, frame, path):
                    yield from self._steps(body, inner, chosen)
            case nodes.Equal(nodes.Variable(index, True), right):
                yield from self._assigned(index, right, frame, path)
            case nodes.Member(nodes.Variable(index, True), right):
                path.following[index], path.assumed = ANY, True
                yield path
            case nodes.Unchanged(variables):
                for index in variables:
                    path.following.setdefault(index, path.current[index])
                yield path
            case _:
                path.assumed = True  # a form that is not looked into: it may hold
                yield path

    def _in_turn(self, items: tuple[Expression, ...], frame: Frame, path: Path) -> Iterator[Path]:
        if not items:
            yield path
            return
        for found in self._steps(items[0], frame, path):
            yield from self._in_turn(items[1:], frame, found)

    def _assumed(self, node: Expression, frame: Frame, path: Path) -> Iterator[Path]:
        """A guard that is not decided, one conjunct after the other: each may tell something about the state."""
        match node:
            case nodes.And(items):
                yield from self._in_turn(items, frame, path)
            case nodes.Let(_, _, _, body):
                yield from self._steps(body, self.evaluation.let(node, frame), path)
            case nodes.Call():
                body_of, inner = self.evaluation.called(node, frame)
                if body_of is not None:
                    yield from self._steps(body_of, inner, path)
            case _:
                if assume(self.evaluation, node, True, frame, path):
                    yield path

    def _chosen(self, bounds: tuple[nodes.Bound, ...], frame: Frame, path: Path) -> Iterator[tuple[Frame, Path]]:
        """Parameters are given or chosen; what is chosen from a set that is not known is not known."""
        if not bounds:
            yield frame, path
            return
        bound, rest = bounds[0], bounds[1:]
        slots = dict.fromkeys(bound.slots)
        choices = [(frame, path)]
        for slot in slots:
            choices = [pair for one, way in choices for pair in self._one(slot, bound, one, way)]
        for one, way in choices:
            yield from self._chosen(rest, one, way)

    def _one(self, slot: int, bound: nodes.Bound, frame: Frame, path: Path) -> Iterator[tuple[Frame, Path]]:
        domain = bound.domain
        if isinstance(domain, nodes.Variable) and domain.index == self.network:
            if self._arrived is not None:
                yield frame.bound({slot: self._arrived}), path
            return
        if slot in self._given and domain is not None:
            chosen, value = path.copy(), self._given[slot]
            member = nodes.Member(nodes.Literal(value, bound.span), domain, bound.span)
            if assume(self.evaluation, member, True, frame, chosen):
                yield frame.bound({slot: value}), chosen
            return
        values: Part = ANY if domain is None else self.evaluation.value(domain, frame, path)
        if type(values) is Unknown or not is_set(values) or not is_enumerable(values):
            unknown = path.copy()
            unknown.assumed = True
            yield frame.bound(dict.fromkeys(bound.slots, ANY)), unknown
            return
        elements = list(islice(enumerate_set(values), _MOST_CHOICES + 1))
        if len(elements) > _MOST_CHOICES:
            raise TooManyWaysError
        for each in elements:
            yield frame.bound({slot: each}), path.copy()

    def _assigned(self, index: int, right: Expression, frame: Frame, path: Path) -> Iterator[Path]:
        if index == self.network:
            path.following[index] = ANY
            yield from self._network(right, frame, path)
            return
        value = self.evaluation.value(right, frame, path)
        known = path.following.get(index)
        if known is None:
            path.following[index] = value
            yield path
        elif same(known, value) is not False:
            yield path

    # ------------------------------------------------------------------------------------------------------ sending

    def _network(self, node: Expression, frame: Frame, path: Path) -> Iterator[Path]:
        """The messages that the next set has more or less than this one."""
        evaluation = self.evaluation
        match node:
            case nodes.Variable(index, False) if index == self.network:
                yield path
            case nodes.Primitive(operator, (left, right)) if operator.form in (Form.UNION, Form.DIFFERENCE):
                for found in self._network(left, frame, path):  # type: ignore[arg-type]
                    if operator.form is Form.UNION:
                        yield from self._network(right, frame, found)  # type: ignore[arg-type]
                    else:
                        found.gone = found.gone or self._takes_away(right, frame, found)  # type: ignore[arg-type]
                        yield found
            case nodes.SetEnumeration(items):
                path.sent += tuple((item, frame, None) for item in items)
                yield path
            case nodes.SetMap(bounds, body):
                frames = evaluation.bindings(bounds, frame, path)
                if frames is None:
                    raise TooManyWaysError
                path.sent += tuple((body, each, None) for each in frames)
                yield path
            case nodes.If(condition, then, otherwise):
                for branch, holds in ((then, True), (otherwise, False)):
                    chosen = path.copy()
                    if assume(evaluation, condition, holds, frame, chosen):
                        yield from self._network(branch, frame, chosen)
            case nodes.Let(_, _, _, body):
                yield from self._network(body, evaluation.let(node, frame), path)
            case nodes.Call() | nodes.CallLocal():
                body_of, inner = evaluation.called(node, frame)
                if body_of is None:
                    raise TooManyWaysError
                yield from self._network(body_of, inner, path)
            case nodes.Local(depth, slot):
                held = frame.up(depth).slots.get(slot)
                if isinstance(held, Later):
                    yield from self._network(held.expression, held.frame, path)
                else:
                    yield self._values(held, path)
            case _:
                yield self._values(evaluation.value(node, frame, path), path)

    def _values(self, values: Part, path: Path) -> Path:
        if type(values) is not frozenset:
            raise TooManyWaysError
        path.sent += tuple((None, Frame({}), each) for each in values)
        return path

    def _takes_away(self, node: Expression, frame: Frame, path: Path) -> bool:
        """Whether the message that has arrived is gone. If that is not known, it may be looked at again."""
        taken = self.evaluation.value(node, frame, path)
        return type(taken) is frozenset and self._arrived in taken

    def _has_primes(self, node: Expression) -> bool:
        known = self._primes.get(id(node))
        if known is None:
            known = self._primes[id(node)] = any(map(_is_primed, reachable(node)))
        return known


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


def _is_primed(node: Node) -> bool:
    return isinstance(node, nodes.Unchanged) or (isinstance(node, nodes.Variable) and node.primed)
