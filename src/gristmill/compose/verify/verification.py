"""`verify`: static conditions, initial states, steps, and what follows from them for the whole system."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from gristmill.checking.options import Options
from gristmill.compose.manifest.constants import configured
from gristmill.compose.system import Mix, System
from gristmill.compose.verify.argument import argument, invariants_of, outcome_of
from gristmill.compose.verify.failing import failing_steps
from gristmill.compose.verify.initial import initial_findings
from gristmill.compose.verify.papers import papers_findings
from gristmill.compose.verify.places import Places
from gristmill.compose.verify.result import Finding, UnitResult, Verification
from gristmill.compose.verify.static import homeless_findings, static_findings, undecided_findings
from gristmill.compose.verify.steps import Duties, duties_of, explore, mapped
from gristmill.compose.verify.units import Plan, Unit, plan_of
from gristmill.compose.verify.visible import View, Views, views_of
from gristmill.ir.nodes import Choose
from gristmill.ir.walk import reachable
from gristmill.search import Result
from gristmill.source import ConfigurationError, Diagnostic
from gristmill.trace import Shown
from gristmill.values import World

OnUnit = Callable[[str], None]


def verify(
    system: System,
    options: Options,
    *,
    fine: Mix | None = None,
    coarse: Mix | None = None,
    on_unit: OnUnit = lambda name: None,
) -> Verification:
    """`fine`, `coarse`: the grains that are compared, where they are not the finest and the coarsest of a module.

    `options.limits` are for each composition. `on_unit` is told what is explored now. Raises `SourceError`.
    """
    started = time.monotonic()
    plan = plan_of(system, fine, coarse)
    if not plan.units:
        raise ConfigurationError(_nothing_coarse(system))
    views = views_of(plan)
    places = Places()
    findings = [
        *static_findings(views, places),
        *views.findings,
        *initial_findings(views),
        *papers_findings(views, places),
    ]
    units = []
    for view in views.views:
        on_unit(view.unit.name)
        unit, more = _unit_result(views, view, options, places)
        units.append(unit)
        findings += more
    found = concluded(system, plan, units, findings, premises_of(views))
    return replace(found, seconds=time.monotonic() - started)


def premises_of(views: Views) -> list[str]:
    """What the compositions have in common with the whole only if nobody looks too closely."""
    bodies = [action.code.body for action in views.all_fine.model.actions]
    if any(isinstance(node, Choose) for node in reachable(*bodies)):
        return ["CHOOSE is taken to choose the same in S and in the compositions."]
    return []


def _grains_text(system: System, plan: Plan) -> str:
    if dict(plan.fine) == system.finest():
        return "every module fine"
    return ", ".join(f"{module} at the grain {grain}" for module, grain in plan.fine.items())


def concluded(
    system: System, plan: Plan, units: Sequence[UnitResult], findings: Sequence[Finding], premises: Sequence[str] = ()
) -> Verification:
    """What follows from the results of all units."""
    constants = constants_of(system)
    outcome = outcome_of(units, findings)
    invariants = tuple(invariants_of(outcome, units, [each.name for each in system.invariants]))
    return Verification(
        system.name,
        constants,
        outcome,
        tuple(units),
        tuple(findings),
        invariants,
        argument(system.name, constants, outcome, units, findings, invariants, _grains_text(system, plan), premises),
    )


def constants_of(system: System) -> Shown:
    """Names and values, as they stand in a configuration."""
    with World().active():
        sentences = configured(system).sentences
    pairs = (sentence.partition("=" if "<-" not in sentence else "<-") for sentence in sentences.values())
    return tuple((name.strip(), " ".join(value.split())) for name, _, value in pairs)


def _unit_result(views: Views, view: View, options: Options, places: Places) -> tuple[UnitResult, list[Finding]]:
    if view.composed is None:
        return _without_composition(view), []
    duties = duties_of(views, view)
    result, violated = explore(duties, options)
    findings = [
        *homeless_findings(view, duties),
        *undecided_findings(views, view, duties, places),
        *_failed(view, result),
    ]
    found = _with_steps(view, duties, result, places)
    return replace(found, violated=violated), findings


def _without_composition(view: View) -> UnitResult:
    unit = view.unit
    return UnitResult(unit.name, unit.modules, tuple(unit.fine.values()), unit.coarse.name, None)


def _with_steps(view: View, duties: Duties, result: Result, places: Places) -> UnitResult:
    assert view.composed is not None
    actions = mapped(duties, result)
    used = {name for each in actions for name in each.to}
    failures = tuple(failing_steps(duties, view, result, places))
    return replace(
        _without_composition(view),
        composition=view.composed,
        observed=view.observed,
        internal=tuple(n for n in view.composed.variables if n not in view.observed and n not in view.foreign),
        foreign=view.foreign,
        explored=result,
        action_map=actions,
        unused=tuple(name for name in duties.names if name not in used) if result.verdict == "ok" else (),
        failures=failures,
    )


def _failed(view: View, result: Result) -> list[Finding]:
    """A composition that cannot be explored: an expression that has no value, a false assumption."""
    if result.verdict in ("ok", "property", "incomplete"):
        return []
    diagnostic = Diagnostic("composition-fails", f"C({view.unit.name}) cannot be explored: {result.message}")
    return [Finding("O3", "undecided", view.unit.name, diagnostic)]


def _nothing_coarse(system: System) -> Diagnostic:
    return Diagnostic(
        "nothing-coarse",
        "no module has a coarse grain: there is nothing to verify",
        system.source.span(0, 0),
        help='add one: grain.coarse = { file = "…", actions = [...], of = "fine" }',
    )


__all__ = ["Unit", "verify"]
