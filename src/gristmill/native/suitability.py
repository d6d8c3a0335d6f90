"""Which models are for the native engine. The others are the reference evaluator's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Any

from gristmill.evaluate.check import Options
from gristmill.evaluate.dependencies import COMPOSE, EFFECT, IMPURE, Analysis
from gristmill.ir import nodes
from gristmill.ir.assemble import ASK_SEARCH
from gristmill.ir.levels import parts
from gristmill.ir.model import Model
from gristmill.ir.nodes import Code
from gristmill.search import Result
from gristmill.source import Diagnostic


def why_not(model: Model, options: Options) -> str | None:
    """Why a model is not for the native engine, in words."""
    if options.keep_graph:
        return "the whole graph is wanted"
    if model.asks_search and not ASK_SEARCH.isdisjoint(_operators([*_searched(model), *_afterwards(model)])):
        return "it asks how far the search is"
    if model.possible:
        return "it counts how often something is possible"
    if options.expression_coverage:
        return "the coverage of expressions is wanted"
    if model.init is None or not model.variables:
        return "it has no states"
    analysis = Analysis()
    traits = reduce(or_, (analysis.of(code.body).bits for code in _searched(model)), 0)
    if traits & (IMPURE | EFFECT):  # it matters how often: a part of the states is explored by both engines
        return "evaluating it has effects (output, registers, files) or depends on chance"
    if traits & COMPOSE:
        return "it composes actions, and the states in between are counted"
    return None


def needs_states(model: Model) -> Result:
    """Fingerprints are all that is wanted, and not enough."""
    names = ", ".join(sorted({formula.name for formula in model.temporal}))
    message = f"{names}: a temporal property is decided on the states themselves, of which --fingerprint keeps none"
    help = "leave out --fingerprint, or check the temporal properties in a run of their own"
    return Result("error", message=message, diagnostics=(Diagnostic("needs-states", message, help=help),), status=151)


def _searched(model: Model) -> Iterator[Code]:
    """What is evaluated in states and steps. Assumptions and constants are not: nobody searches by then."""
    named = (model.invariants, model.constraints, model.action_constraints, model.implied_inits, model.implied_actions)
    yield from (formula.code for family in named for formula in family)
    yield from (action.code for action in model.actions)
    if model.view is not None:
        yield model.view.code
    if model.init is not None:
        yield model.init


def _afterwards(model: Model) -> Iterator[Code]:
    """What is evaluated of what was found."""
    yield from (formula.code for formula in model.temporal)
    yield from (formula.code for formula in (*model.postconditions, *model.possible))
    yield from model.fairness
    yield from (formula.code for formula in (model.alias, model.symmetry) if formula is not None)


def _operators(codes: Iterable[Code]) -> Iterator[str]:
    """The hand-written operators that are mentioned, also in what is called."""
    seen: set[nodes.Definition] = set()
    waiting: list[Any] = [code.body for code in codes]
    while waiting:
        node = waiting.pop()
        match node:
            case nodes.Primitive(operator) | nodes.PrimitiveOperator(operator):
                yield operator
            case nodes.Call(definition) | nodes.OperatorArgument(definition) if definition not in seen:
                seen.add(definition)
                waiting.append(definition.body)
        waiting.extend(parts(node))


__all__ = ["needs_states", "why_not"]
