"""Why an action cannot be taken in a state: for each way to choose its parameters, the first guard that is false.

The action is gone through as it is solved, from left to right. What stands before a conjunct is solved by the compiled
code; the first conjunct that leaves no solution is the one that blocks the action, and is looked into further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gristmill.evaluate.compiler import Compiler, Continuation
from gristmill.evaluate.dependencies import unfinished_slots
from gristmill.evaluate.evaluator import Evaluator
from gristmill.evaluate.frames import Frame, finish
from gristmill.explain.formulas import FORMS, Explainer, Place, is_repeatable, undisturbed
from gristmill.explain.text import text_of, value_text
from gristmill.ir import nodes
from gristmill.ir.model import Action
from gristmill.ir.nodes import Code, Expression
from gristmill.search import State
from gristmill.source.quick_dataclass import dataclass
from gristmill.trace import Blocked, Explanation, Shown
from gristmill.values import EvaluationError, Value

_MOST_CASES = 6  # of one action that are told one by one
_MOST_TRIED = 1_000
_DEEPEST = 4  # levels of a guard


def blocked(evaluator: Evaluator, action: Action, state: State, parameters: Mapping[str, Value] = {}) -> list[Blocked]:
    """Why an action cannot be taken, or not with these values of its parameters.

    Nothing if it can, or if looking would do something again.
    """
    if not is_repeatable(action.code.body):
        return []
    search = _Search(evaluator.compiler_of(action.code), action, parameters)
    search.look(evaluator, state)
    return _together(search.found)


@dataclass(frozen=True, slots=True)
class Reached:
    """A guard that blocks an action. `path`: the numbers of the conjuncts it stands in, from the outside."""

    blocked: Blocked
    path: tuple[int, ...]


class Furthest:
    """Asks of one action in many states: of the guards that block it, with any choice of parameters, the last."""

    def __init__(self, evaluator: Evaluator, action: Action) -> None:
        self._evaluator = evaluator
        self._search = _Search(evaluator.compiler_of(action.code), action, says_why=False)
        self._can_be_asked = is_repeatable(action.code.body)

    def in_state(self, state: State) -> Reached | None:
        if not self._can_be_asked:
            return None
        self._search.look(self._evaluator, state)
        reached = [Reached(*each) for each in zip(self._search.found, self._search.paths, strict=True)]
        return max(reached, key=lambda each: each.path, default=None)


def _together(found: list[Blocked]) -> list[Blocked]:
    """Many cases are told by the guard they have in common."""
    found = list(dict.fromkeys(found))  # of an action that does not depend on what is bound around it
    if len(found) <= _MOST_CASES:
        return found
    by_text: dict[str, Blocked] = {}
    for each in found:
        known = by_text.get(each.guard.text)
        if known is None:
            by_text[each.guard.text] = each
        else:
            bare = Explanation(known.guard.text, known.guard.truth, known.guard.span)
            by_text[each.guard.text] = replace(known, guard=bare, parameters=(), count=known.count + 1)
    return list(by_text.values())


class _Enough(Exception):
    """There are more cases than anybody reads."""


class _Solved(Exception):
    """There is a solution."""


class _Search:
    """`wanted`: only what is chosen with these parameters counts. `says_why`: guards are looked into, choices told."""

    def __init__(
        self, compiler: Compiler, action: Action, wanted: Mapping[str, Value] = {}, *, says_why: bool = True
    ) -> None:
        self.action = action
        self.says_why = says_why
        self.wanted = wanted
        self.compiler = compiler
        self.root = Place([None] * (action.code.frame_size + 2), unfinished_slots(action.code.body, 0))
        self.found: list[Blocked] = []
        self.paths: list[tuple[int, ...]] = []  # of conjuncts, to what was found
        self.path: tuple[int, ...] = ()
        self._then: Callable[[Frame], None] = lambda frame: None  # what is done with a solution now
        self._compiled: dict[tuple[int, frozenset[int]], Callable[[Frame], None]] = {}
        self._prefixes: dict[tuple[int, int], Expression] = {}

    def look(self, evaluator: Evaluator, state: State) -> None:
        """Find what blocks the action in a state; nothing if it is possible."""
        self.found, self.paths, self.path = [], [], ()
        context, body = evaluator.context, self.action.code.body
        with undisturbed(context):
            context.current[:] = state
            context.next[:] = context.blank
            self.root.frame[:] = [None] * len(self.root.frame)
            try:
                if not self.is_solvable(body, self.root):
                    self.block(body, self.root, ())
                    self.say_if_no_choice()
            except (EvaluationError, RecursionError):
                self.found, self.paths = [], []
            except _Enough:
                pass

    # ---------------------------------------------------------------------------------------------------- solving

    def solve(self, node: Expression, place: Place, then: Callable[[Frame], None]) -> None:
        run = self._run(node, place.scope)
        outer, self._then = self._then, then
        try:
            run(place.frame)
        finally:
            self._then = outer

    def _run(self, node: Expression, scope: frozenset[int]) -> Callable[[Frame], Any]:
        """Compiled once, as the same parts are solved for each choice of parameters, and in each state."""
        run = self._compiled.get((id(node), scope))
        if run is None:

            def then(frame: Frame) -> None:
                self._then(frame)

            with self.compiler.inside(scope):
                run = self.compiler.action(node, Continuation(then, lambda frame: True, then))
            self._compiled[id(node), scope] = run
        return run

    def first_of(self, items: tuple[Expression, ...], count: int) -> Expression:
        """The first conjuncts of several as one formula, always the same one."""
        if count == 1:
            return items[0]
        return self._prefixes.setdefault((id(items), count), nodes.And(items[:count], items[0].span))

    def first_solution(self, node: Expression, place: Place, then: Callable[[], None]) -> bool:
        """Whether there is a solution; `then` is called while the first one is in place."""
        before, frame = self.compiler.context.next[:], self.root.frame[:]

        def stop(frame: Frame) -> None:
            if self.is_wanted():
                then()
                raise _Solved

        try:
            self.solve(node, place, stop)
        except _Solved:
            return True
        finally:
            self.compiler.context.next[:] = before
            self.root.frame[:] = frame  # what has been tried is not what has been chosen
        return False

    def is_solvable(self, node: Expression, place: Place) -> bool:
        return self.first_solution(node, place, lambda: None)

    # ---------------------------------------------------------------------------------------------------- blocking

    def block(self, node: Expression, place: Place, bound: Shown) -> None:
        """Find what leaves no solution for `node`; nothing if there is one."""
        if not self.is_wanted() or self.is_solvable(node, place):
            return
        frame = self.root.frame[:]
        try:
            self.look_into(node, place, bound)
        finally:
            self.root.frame[:] = frame  # what is bound inside has no value outside

    def look_into(self, node: Expression, place: Place, bound: Shown) -> None:
        explainer = Explainer(self.compiler)
        if self.says_why:
            explainer.bound.update(self.parameters(bound))
        match node:
            case nodes.And(items):
                self.conjunction(items, place, bound)
            case _ if self.compiler.analysis.is_test(node, initial=False):
                bare = Explanation(text_of(node), False, node.span)
                self.add(explainer.explain(node, place, _DEEPEST) if self.says_why else bare, bound)
            case nodes.Or(items):
                for item in items:
                    self.block(item, place, bound)
            case nodes.Quantified(False):
                self.existential(explainer, node, place, bound)
            case nodes.If(condition, then, otherwise):
                self.block(then if explainer.test(condition, place) else otherwise, place, bound)
            case nodes.Let(_, _, _, body):
                explainer.bind_let(node, place)
                self.block(body, place, bound)
            case nodes.Call(definition) if definition.body is not None:
                self.block(definition.body, explainer.inside(node, place), bound)
            case _:
                values = explainer.values(node, place)
                self.add(Explanation(text_of(node), False, node.span, values=values), bound)

    def conjunction(self, items: tuple[Expression, ...], place: Place, bound: Shown) -> None:
        """The first conjunct that cannot be satisfied together with those before it."""
        for number, item in enumerate(items):
            if self.is_solvable(self.first_of(items, number + 1), place):
                continue
            path, self.path = self.path, (*self.path, number)
            if number == 0:
                self.block(item, place, bound)
            else:
                self.first_solution(self.first_of(items, number), place, lambda: self.block(item, place, bound))  # noqa: B023
            self.path = path
            return

    def existential(self, explainer: Explainer, node: nodes.Quantified, place: Place, bound: Shown) -> None:
        names = [(name, slot) for each in node.bounds for name, slot in zip(each.names, each.slots, strict=True)]
        empty = True
        for _ in explainer.instances(node, place):
            empty = False
            self.block(node.body, place, (*bound, *self.chosen(names, place)))
        if empty:
            domains = explainer.domains(node, place)
            text = ", ".join(text_of_bound(each) for each in node.bounds)
            note = "there is nothing to choose"
            self.add(Explanation(f"\\E {text}", False, node.span, values=domains, note=note), bound)

    def chosen(self, names: Sequence[tuple[str, int]], place: Place) -> Shown:
        """Values as text, which take longer than the rest: only for those who read them."""
        if not self.says_why:
            return ()
        return tuple((name, value_text(finish(place.frame[slot]))) for name, slot in names)

    def is_wanted(self) -> bool:
        """Whether the parameters that have a value so far have the wanted one."""
        if not self.wanted:
            return True
        explainer = Explainer(self.compiler)
        names = {name for name, _ in self.action.parameters}
        return self.wanted.keys() <= names and all(
            finish(explainer.value(value, self.root)) == self.wanted[name]
            for name, value in self.action.parameters
            if name in self.wanted and self.has_value(value)
        )

    def has_value(self, parameter: Expression) -> bool:
        """Whether all names in it have been bound."""
        return all(self.root.frame[slot] is not None for slot in self.slots(parameter))

    def say_if_no_choice(self) -> None:
        if not self.wanted or self.found:
            return
        shown = tuple((name, value_text(value)) for name, value in self.wanted.items())
        text = " /\\ ".join(f"{name} = {value}" for name, value in shown)
        note = "there is no such choice of parameters"
        self.found.append(Blocked(self.action.name, Explanation(text, False, note=note), shown))
        self.paths.append(())

    def add(self, guard: Explanation, bound: Shown) -> None:
        parameters = self.parameters(bound) if self.says_why else ()
        self.found.append(Blocked(self.action.name, guard, parameters, location=self.action.span))
        self.paths.append(self.path)
        if len(self.found) >= _MOST_TRIED:
            raise _Enough

    def parameters(self, bound: Shown) -> Shown:
        """Those of the action, if all of them have been chosen; else what has been."""
        explainer = Explainer(self.compiler)
        own = dict(self.known_parameters(explainer))
        if len(own) < len(self.action.parameters):
            return bound
        around = self.wrapper_names()
        return (*own.items(), *((name, value) for name, value in bound if name not in around))

    def known_parameters(self, explainer: Explainer) -> Iterator[tuple[str, str]]:
        for name, value in self.action.parameters:
            if self.has_value(value):
                yield name, value_text(explainer.value(value, self.root))

    def slots(self, value: Expression) -> list[int]:
        """Of the action's own frame, that an expression reads."""
        return [slot for depth, slot in self.compiler.analysis.of(value).locals if depth == 0]

    def wrapper_names(self) -> set[str]:
        """The names bound around the action as a whole."""
        names: set[str] = set()
        node: Any = self.action.code.body
        while isinstance(node, nodes.Quantified | nodes.Let):
            if isinstance(node, nodes.Quantified):
                names.update(name for bound in node.bounds for name in bound.names)
            node = node.body
        return names


def text_of_bound(bound: nodes.Bound) -> str:
    return " ".join(bound.span.text.split())


def _enabled(explainer: Explainer, node: nodes.Enabled, place: Place, truth: bool, depth: int) -> Explanation:
    """ENABLED A is false because of what blocks A."""
    if truth:
        return explainer.leaf(node, place, truth, depth)
    context = explainer.compiler.context
    before = context.next[:]
    context.next[:] = (*context.blank, *context.own)
    code = Code(node.action, 0, "ENABLED", node.span)
    search = _Search(explainer.compiler.for_next(), Action("ENABLED", code, node.span))
    try:
        search.block(node.action, place, ())
    except _Enough:
        pass
    finally:
        context.next[:] = before
    parts = tuple(replace(each.guard, bindings=each.parameters) for each in search.found[:_MOST_CASES])
    more = len(search.found) - len(parts)
    return explainer.whole(node, truth, *parts, note=f"and so on: {more:,} more" if more else None)


FORMS[nodes.Enabled] = _enabled
