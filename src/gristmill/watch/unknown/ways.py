"""The ways through an action in a partly known state: each conjunct in turn, guards that are not decided assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.ir.walk import Node, reachable
from gristmill.library import Form
from gristmill.values import Value, enumerate_set, is_enumerable, is_set
from gristmill.watch.unknown.assuming import assume
from gristmill.watch.unknown.evaluating import Evaluation
from gristmill.watch.unknown.frames import Chosen, Frame, Later, Path
from gristmill.watch.unknown.values import ANY, Part, Unknown, same

_MOST_CHOICES = 256  # elements that are tried one by one


class TooManyWaysError(Exception):
    """Through one action."""


class Ways:
    """`network`: the variable that messages are in. `given`: values of parameters, by their slots; `arrived`: the
    message that is looked at, if any; both change from action to action."""

    def __init__(self, evaluation: Evaluation, network: int) -> None:
        self.evaluation, self.network = evaluation, network
        self.given: Mapping[int, Part] = {}
        self.arrived: Value | None = None
        self._primes: dict[int, bool] = {}

    def steps(self, node: Expression, frame: Frame, path: Path) -> Iterator[Path]:
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
                    yield from self.steps(item, frame, path.copy())
            case nodes.Disjunct(_, body):
                yield from self.steps(body, frame, path)
            case nodes.Let(_, _, _, body):
                yield from self.steps(body, evaluation.let(node, frame), path)
            case nodes.Call() | nodes.CallLocal():
                body_of, inner = evaluation.called(node, frame)
                if body_of is not None:
                    yield from self.steps(body_of, inner, path)
            case nodes.If(condition, then, otherwise):
                for branch, holds in ((then, True), (otherwise, False)):
                    chosen = path.copy()
                    if assume(evaluation, condition, holds, frame, chosen):
                        yield from self.steps(branch, frame, chosen)
            case nodes.Quantified(False, bounds, body):
                for inner, chosen in self._chosen(bounds, frame, path):
                    yield from self.steps(body, inner, chosen)
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
        for found in self.steps(items[0], frame, path):
            yield from self._in_turn(items[1:], frame, found)

    def _assumed(self, node: Expression, frame: Frame, path: Path) -> Iterator[Path]:
        """A guard that is not decided, one conjunct after the other: each may tell something about the state."""
        match node:
            case nodes.And(items):
                yield from self._in_turn(items, frame, path)
            case nodes.Let(_, _, _, body):
                yield from self.steps(body, self.evaluation.let(node, frame), path)
            case nodes.Call():
                body_of, inner = self.evaluation.called(node, frame)
                if body_of is not None:
                    yield from self.steps(body_of, inner, path)
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
            if self.arrived is not None:
                yield frame.bound({slot: self.arrived}), path
            return
        if slot in self.given and domain is not None:
            chosen, value = path.copy(), self.given[slot]
            member = nodes.Member(nodes.Literal(value, bound.span), domain, bound.span)
            if assume(self.evaluation, member, True, frame, chosen):
                yield frame.bound({slot: value}), chosen
            return
        values: Part = ANY if domain is None else self.evaluation.value(domain, frame, path)
        if type(values) is Unknown or not is_set(values) or not is_enumerable(values):
            unknown = path.copy()
            unknown.assumed = True
            yield frame.bound({slot: Chosen()}), unknown
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
                    yield self._values(evaluation.held(held, path), path)
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
        return type(taken) is frozenset and self.arrived in taken

    def _has_primes(self, node: Expression) -> bool:
        known = self._primes.get(id(node))
        if known is None:
            known = self._primes[id(node)] = any(map(_is_primed, reachable(node)))
        return known


def _is_primed(node: Node) -> bool:
    return isinstance(node, nodes.Unchanged) or (isinstance(node, nodes.Variable) and node.primed)
