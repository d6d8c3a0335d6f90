"""Temporal properties of a specification, decided on the graph of its states and steps.

A property is violated iff there is a behaviour that is fair, as the specification says, and does not satisfy it. While
the search is under way, behaviours in what is known are looked at; that there is none, only the whole graph can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from gristmill.evaluate.journal import silent
from gristmill.ir.levels import ACTION, level
from gristmill.ir.model import TemporalProperty
from gristmill.ir.nodes import Code
from gristmill.reference.model import SpecificationModel, failure_of
from gristmill.search import Graph, Result, Violation
from gristmill.search.budget.limits import NO_MEMORY, LimitReached
from gristmill.search.liveness.emptiness import GrowingGraph, StepGraph, TooComplex, Valuation
from gristmill.search.liveness.formula import Formula, is_proposition
from gristmill.source import Diagnostic, SourceError
from gristmill.temporal.assumptions import Assumptions
from gristmill.temporal.atoms import Atoms
from gristmill.temporal.counterexample import counterexample
from gristmill.temporal.formula import Translation
from gristmill.temporal.predicates import Condition, LeadsTo
from gristmill.temporal.progress import Pace
from gristmill.temporal.purity import unsteady
from gristmill.values import EvaluationError


class Temporal:
    """The temporal properties of one run. `look` during the search, as often as one likes, and `decide` after it."""

    def __init__(self, model: SpecificationModel, pace: Pace) -> None:
        self._model, self._pace = model, pace
        specified = model.specified
        cut = specified.constraints or specified.action_constraints
        self._translation = Translation(model.evaluator, len(model.variables), None if cut else specified.next)
        self._atoms = Atoms(model, self._translation.predicates)
        self._growing = GrowingGraph()
        self._steps = StepGraph(0, [0], [])
        self._graph: Graph | None = None
        self._fairness: Assumptions | None = None
        self._conditions: tuple[Condition, ...] = ()
        self._formulas: dict[int, Formula] = {}
        self._leads_to: dict[int, tuple[LeadsTo, ...]] = {}
        self._refused: dict[int, Diagnostic] = {}
        self._caveats: list[str] = []

    # -------------------------------------------------------------------------------------------------- the runs

    def look(self, graph: Graph, expanded: int) -> Violation | None:
        """What cannot be decided or evaluated is left to the end, and a limit to the search, which looks at it, too."""
        with silent(self._model.evaluator.context):
            try:
                self._see(graph, expanded)
                if any(each.is_next and unsteady(each.code.body) for each in self._translation.predicates):
                    return None  # whether it is enabled is known only where all steps are
                return self._first_violation(self._assumed())
            except (SourceError, EvaluationError, LimitReached):
                return None

    def decide(self, result: Result, graph: Graph) -> Result:
        """`result` is that of the search that has found the graph. "ok" only if every property has been decided."""
        with silent(self._model.evaluator.context):
            return self._tried(result, graph)

    def _tried(self, result: Result, graph: Graph) -> Result:
        try:
            return self._decision(result, graph)
        except LimitReached as reached:
            return self._ended(result, str(reached))
        except KeyboardInterrupt:
            return self._ended(result, "Interrupted")
        except MemoryError:
            return self._ended(result, NO_MEMORY)
        except EvaluationError as error:
            return _failed(result, error)

    def _decision(self, result: Result, graph: Graph) -> Result:
        self._pace.begin(result.distinct, result.generated, result.queue, result.depth)
        properties = self._model.specified.temporal
        for each in properties:
            if level(each.formula) == ACTION:
                return _mistaken(result, each)
        try:
            fairness = self._assumed()
        except SourceError as error:
            return _undecided(result, [(properties[0].name, error.diagnostics[0])])
        self._translate_all()  # so that an engine is told of all predicates at once
        self._see(graph, len(graph.states))
        self._refused.clear()
        violation = self._first_violation(fairness)
        if violation is not None:
            return violated(result, violation)
        if self._refused:
            return _undecided(result, [(properties[n].name, why) for n, why in self._refused.items()])
        return replace(result, caveats=(*result.caveats, *self._bounds(), *dict.fromkeys(self._caveats)))

    def predicates(self) -> list[tuple[Code, bool]]:
        """What will have to be evaluated in all states or, where that is said, of all steps."""
        with suppress(SourceError, EvaluationError):
            self._assumed()
        self._translate_all()
        return self._atoms.to_evaluate()

    def _translate_all(self) -> None:
        for number, each in enumerate(self._model.specified.temporal):
            with suppress(SourceError, EvaluationError):  # reported when the property is decided
                self._formula(number, each)

    def _see(self, graph: Graph, expanded: int) -> None:
        if graph.rows is not None:
            rows = graph.rows
            self._steps = StepGraph(graph.initial, rows.first, rows.targets, rows.actions, in_c=True)
        else:
            if graph.steps is None:
                self._growing.extend(graph.sources, graph.targets, graph.edge_actions)
            growing = graph.steps or self._growing
            self._steps = growing.graph(len(graph.states), graph.initial)
        self._graph = graph
        self._atoms.look_at(graph.states, self._steps, expanded, self._pace, graph.rows)

    def _assumed(self) -> Assumptions:
        """The fairness of the specification. Raises `SourceError`."""
        if self._fairness is None:
            formulas = [self._translation.formula(code) for code in self._model.specified.fairness]
            self._fairness = Assumptions(formulas, self._atoms, self._translation.predicates)
            self._conditions = tuple(self._translation.conditions.values())
            self._translation.leads_to.clear()
        return self._fairness

    # ------------------------------------------------------------------------------------------------ properties

    def _first_violation(self, fairness: Assumptions) -> Violation | None:
        self._caveats.clear()
        for number, each in enumerate(self._model.specified.temporal):
            violation = self._violation(number, each, fairness)
            if violation is not None:
                return violation
        return None

    def _violation(self, number: int, checked: TemporalProperty, fairness: Assumptions) -> Violation | None:
        try:
            formula = self._formula(number, checked)
            lasso, valuation, glance = fairness.violation(self._steps, formula, self._pace)
        except SourceError as error:
            self._refused[number] = error.diagnostics[0]
            return None
        except EvaluationError as error:
            if error.id not in ("unassigned-variable", "unassigned-initially"):
                raise
            self._refused[number] = _undecidable_enabled(error)
            return None
        except TooComplex:
            message = f"the temporal formula {checked.name} has too many cases to be checked"
            self._refused[number] = Diagnostic("temporal-formula-too-complex", message, checked.code.span)
            return None
        if lasso is None:
            self._caveats += _vacuous(checked.name, self._leads_to.get(number, ()), valuation)
            return None
        assert self._graph is not None
        states, translation = self._graph.states, self._translation
        return counterexample(
            self._model, translation, states, self._steps, checked, formula, self._conditions, glance, lasso
        )

    def _formula(self, number: int, checked: TemporalProperty) -> Formula:
        if number not in self._formulas:
            self._formulas[number] = self._translation.formula(checked.code)
            self._leads_to[number] = tuple(self._translation.leads_to)
            self._translation.leads_to.clear()
        return self._formulas[number]

    # ------------------------------------------------------------------------------------------------ what to say

    def _ended(self, result: Result, why: str) -> Result:
        message = f"{why} while temporal properties were checked"
        name = self._model.specified.temporal[0].name
        return replace(result, verdict="incomplete", property=name, message=message)

    def _bounds(self) -> Iterator[str]:
        if self._model.constraints or self._model.action_constraints:
            yield "Temporal properties were checked of the behaviours that stay within the constraints for ever."


def violated(result: Result, found: Violation) -> Result:
    """A result with another violation, as the first thing to tell if there was none."""
    return replace(
        result,
        verdict=found.verdict,
        property=found.property,
        message=found.message,
        trace=found.trace,
        violations=(*result.violations, found),
        caveats=(),
    )


def _failed(result: Result, error: EvaluationError) -> Result:
    failure = failure_of(error)
    message = f"Evaluating a temporal formula failed: {failure.message}"
    diagnostics = (*result.diagnostics, *failure.diagnostics)
    found = Violation(failure.verdict, None, message)
    return replace(
        result, verdict=failure.verdict, message=message, diagnostics=diagnostics, violations=(found,), caveats=()
    )


def _mistaken(result: Result, checked: TemporalProperty) -> Result:
    message = f"{checked.name} is an action: a property of behaviours says when it is taken"
    help = f"write [][{checked.name}]_vars for every step, <><<{checked.name}>>_vars for some step"
    diagnostic = Diagnostic("wrong-level", message, checked.code.span, help=help)
    return replace(
        result, verdict="error", property=checked.name, message=message, diagnostics=(diagnostic,), caveats=()
    )


def _undecided(result: Result, refused: list[tuple[str, Diagnostic]]) -> Result:
    (name, first), diagnostics = refused[0], tuple(diagnostic for _, diagnostic in refused)
    message = f"the temporal property {name} was not checked: {first.message}"
    diagnostics = (*result.diagnostics, *diagnostics)
    return replace(result, verdict="incomplete", property=name, message=message, diagnostics=diagnostics)


def _undecidable_enabled(error: EvaluationError) -> Diagnostic:
    """Typically of an action of an INSTANCE in which an expression, no variable, is put for a variable."""
    (diagnostic,) = failure_of(error).diagnostics
    return replace(
        diagnostic,
        id="enabled-not-decided",
        message=f"whether an action is enabled cannot be decided: {error.message}",
    )


def _vacuous(name: str, met: Iterable[LeadsTo], valuation: Valuation) -> Iterator[str]:
    """`P ~> Q` says nothing if P is never true."""
    for each in dict.fromkeys(met):
        if is_proposition(each.left) and not valuation.ever(each.left):
            never = " ".join(each.text.split())
            yield f"{name} holds because {never} is never true: what it leads to has not been checked."
