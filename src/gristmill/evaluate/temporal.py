"""Temporal properties of a specification, decided on the complete graph of its states and steps.

A property is violated iff there is a behaviour that is fair, as the specification says, and does not satisfy it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gristmill.evaluate.checkable import SpecificationModel, failure_of
from gristmill.evaluate.temporal_atoms import Atoms
from gristmill.evaluate.temporal_formula import LeadsTo, Translation
from gristmill.ir.levels import ACTION, level
from gristmill.ir.model import TemporalProperty
from gristmill.search import Graph, Result, Violation
from gristmill.search.behaviour import trace_of
from gristmill.search.liveness import GrowingGraph, Lasso, TooComplex, Valuation, find_behaviour
from gristmill.search.liveness_formula import And, Formula, Not, atoms, is_proposition
from gristmill.source import Diagnostic, SourceError
from gristmill.trace import Step, Trace
from gristmill.values import EvaluationError


def decide(model: SpecificationModel, result: Result, graph: Graph) -> Result:
    """`result` is that of the search that has found the graph. Never "ok" unless every property has been decided."""
    try:
        return _Decision(model, result, graph).run()
    except (KeyboardInterrupt, MemoryError) as ended:
        why = "Interrupted" if isinstance(ended, KeyboardInterrupt) else "There is no more memory"
        message = f"{why} while temporal properties were checked"
        return replace(result, verdict="incomplete", property=model.specified.temporal[0].name, message=message)
    except EvaluationError as error:
        failure = failure_of(error)
        message = f"Evaluating a temporal formula failed: {failure.message}"
        diagnostics = (*result.diagnostics, *failure.diagnostics)
        found = Violation(failure.verdict, None, message)
        return replace(
            result, verdict=failure.verdict, message=message, diagnostics=diagnostics, violations=(found,), caveats=()
        )


class _Decision:
    def __init__(self, model: SpecificationModel, result: Result, graph: Graph) -> None:
        self.model, self.result, self.graph = model, result, graph
        self.translation = Translation(model.evaluator)
        growing = GrowingGraph()
        growing.extend(graph.sources, graph.targets, graph.edge_actions)
        self.steps = growing.graph(len(graph.states), graph.initial)
        self.atoms = Atoms(model, self.translation.predicates)
        self.atoms.look_at(graph.states, self.steps, len(graph.states), lambda: None)
        self.refused: list[tuple[str, Diagnostic]] = []
        self.caveats: list[str] = []

    def run(self) -> Result:
        properties = self.model.specified.temporal
        for each in properties:
            if level(each.formula) == ACTION:
                return self.mistaken(each)
        try:
            fairness = tuple(map(self.translation.formula, self.model.specified.fairness))
        except SourceError as error:
            return self.undecided([(properties[0].name, error.diagnostics[0])])
        self.translation.leads_to.clear()
        for each in properties:
            violation = self.violation(each, fairness)
            if violation is not None:
                return self.violated(violation)
        if self.refused:
            return self.undecided(self.refused)
        return replace(self.result, caveats=(*self.result.caveats, *self.bounds(), *self.caveats))

    def violation(self, checked: TemporalProperty, fairness: tuple[Formula, ...]) -> Violation | None:
        name = checked.name
        try:
            formula = self.translation.formula(checked.code)
            valuation = self.valuation(And((*fairness, formula)))
            lasso = find_behaviour(self.steps, valuation, And((*fairness, Not(formula))))
        except SourceError as error:
            self.refused.append((name, error.diagnostics[0]))
            return None
        except EvaluationError as error:
            if error.id != "unassigned-variable":
                raise
            self.refused.append((name, _undecidable_enabled(error)))
            return None
        except TooComplex:
            message = f"the temporal formula {name} has too many cases to be checked"
            self.refused.append((name, Diagnostic("temporal-formula-too-complex", message, checked.code.span)))
            return None
        if lasso is None:
            self.caveats += _vacuous(name, self.translation.leads_to, valuation)
            self.translation.leads_to.clear()
            return None
        message = f"Temporal property {name} is violated"
        return Violation("liveness", name, message, self.trace(lasso), location=checked.code.span)

    # ------------------------------------------------------------------------------------------------- the atoms

    def valuation(self, formula: Formula) -> Valuation:
        asked = set(atoms(formula))
        count = len(self.translation.predicates)
        return Valuation(self.steps, [self.atoms.truth(n) if n in asked else None for n in range(count)])

    # ------------------------------------------------------------------------------------------------ what to say

    def trace(self, lasso: Lasso) -> Trace:
        numbers = lasso.states if not lasso.stutters else lasso.states[: lasso.loop + 1]
        states = [self.graph.states[number] for number in numbers]
        actions = [-1, *(self.steps.label(step) for step in lasso.steps[: len(states) - 1])]
        taken = [None if action == -1 else action for action in actions]
        trace = trace_of(self.model, list(zip(taken, states, strict=True)))
        steps = tuple(
            Step(step.state, "Stuttering") if number and step.action is None else step
            for number, step in enumerate(trace.steps)
        )
        if lasso.stutters:
            return Trace(trace.variables, steps, stuttering=True)
        return Trace(trace.variables, steps, loop_start=lasso.loop)

    def violated(self, found: Violation) -> Result:
        return replace(
            self.result,
            verdict=found.verdict,
            property=found.property,
            message=found.message,
            trace=found.trace,
            violations=(*self.result.violations, found),
            caveats=(),
        )

    def mistaken(self, checked: TemporalProperty) -> Result:
        message = f"{checked.name} is an action: a property of behaviours says when it is taken"
        help = f"write [][{checked.name}]_vars for every step, <><<{checked.name}>>_vars for some step"
        diagnostic = Diagnostic("wrong-level", message, checked.code.span, help=help)
        return replace(
            self.result, verdict="error", property=checked.name, message=message, diagnostics=(diagnostic,), caveats=()
        )

    def undecided(self, refused: list[tuple[str, Diagnostic]]) -> Result:
        (name, first), diagnostics = refused[0], tuple(diagnostic for _, diagnostic in refused)
        message = f"the temporal property {name} was not checked: {first.message}"
        diagnostics = (*self.result.diagnostics, *diagnostics)
        return replace(self.result, verdict="incomplete", property=name, message=message, diagnostics=diagnostics)

    def bounds(self) -> Iterator[str]:
        if self.model.constraints or self.model.action_constraints:
            yield "Temporal properties were checked of the behaviours that stay within the constraints for ever."


def _undecidable_enabled(error: EvaluationError) -> Diagnostic:
    """Typically of an action of an INSTANCE in which an expression, no variable, is put for a variable."""
    (diagnostic,) = failure_of(error).diagnostics
    return replace(
        diagnostic,
        id="enabled-not-decided",
        message=f"whether an action is enabled cannot be decided: {error.message}",
    )


def _vacuous(name: str, met: list[LeadsTo], valuation: Valuation) -> Iterator[str]:
    """`P ~> Q` says nothing if P is never true."""
    for each in dict.fromkeys(met):
        if is_proposition(each.left) and not valuation.ever(each.left):
            never = " ".join(each.text.split())
            yield f"{name} holds because {never} is never true: what it leads to has not been checked."
