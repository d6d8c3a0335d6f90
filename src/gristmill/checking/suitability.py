"""Which models are for the native engine. The others are the reference evaluator's."""

from __future__ import annotations

from gristmill.checking.options import Options
from gristmill.ir.model import Model
from gristmill.ir.walk import SEARCHED, bodies
from gristmill.native.plan.effects import ORDERED, NativeAnalysis
from gristmill.native.plan.printing import prints_alone


def why_not(model: Model, options: Options) -> str | None:
    """Why a model is not for the native engine, in words."""
    if options.keep_graph:
        return "the whole graph is wanted"
    if model.possible:
        return "it counts how often something is possible"
    if options.expression_coverage:
        return "the coverage of expressions is wanted"
    if model.init is None or not model.variables:
        return "it has no states"
    return why_not_in_order(model, options) if in_order(model) and not prints_alone(model) else None


def in_order(model: Model) -> bool:
    """Whether evaluating states does more than to evaluate them. Mostly they must then be explored in order."""
    analysis = NativeAnalysis()
    return any(analysis.of(body).bits & ORDERED for body in bodies(model, SEARCHED))


def init_in_order(model: Model) -> bool:
    """Whether the initial predicate has effects."""
    return model.init is not None and NativeAnalysis().is_ordered(model.init.body)


def draws(model: Model) -> bool:
    """Whether something is drawn at random in each state."""
    analysis = NativeAnalysis()
    return any(analysis.draws(body) for body in bodies(model, SEARCHED))


def why_not_in_order(model: Model, options: Options) -> str | None:
    analysis = NativeAnalysis()
    if model.obligations:
        return "steps of its actions have obligations, and evaluating it has effects"
    if options.keep_going or options.fingerprint or options.checkpoint is not None:
        return "evaluating it has effects (output, registers, files), or depends on chance, and must not be repeated"
    if any(analysis.cannot_be_repeated(body) for body in bodies(model, SEARCHED)):
        return "it reads files, or has constants whose evaluation can be seen"
    if model.view is not None and analysis.of(model.view.code.body).bits & ORDERED:
        return "its VIEW has effects"
    return None


__all__ = ["draws", "in_order", "init_in_order", "prints_alone", "why_not", "why_not_in_order"]
