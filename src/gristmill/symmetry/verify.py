"""Is a declared symmetry one? A search that relies on one that is none overlooks states, and says "ok".

A violation that was found is real in any case. After a search that found nothing wrong:

- if the specification is equivariant (`equivariance`), the symmetry is one: that is a proof;
- else states are compared with permutations of them, in their steps and in what constraints and properties say. If all
  of them could be compared, that is a proof, too; if only some, a caveat says so, and what the doubt is. A difference
  is an error.
"""

from __future__ import annotations

from dataclasses import replace

from gristmill.evaluate.primitives import effects
from gristmill.explain.formulas import undisturbed
from gristmill.ir import nodes
from gristmill.ir.model import Model, Named
from gristmill.ir.walk import reachable
from gristmill.reference.model import SpecificationModel
from gristmill.search import Result, State
from gristmill.search.result import CONFIGURATION_ERROR
from gristmill.search.symmetry import Asymmetry, compare_orbits
from gristmill.source import Diagnostic
from gristmill.symmetry.ambiguous_choice import Watch
from gristmill.symmetry.equivariance import Doubt, doubts, relevant_bodies
from gristmill.values import show

SAMPLE = 500  # states that are compared first


def with_symmetry_verified(result: Result, model: Model, searchable: SpecificationModel, watch: Watch | None) -> Result:
    """The result, with caveats; or the error that a declared symmetry is none, if that can be seen.

    `watch`: what has been seen in the search; None if nobody has looked.
    """
    if result.violations or model.symmetry is None or searchable.symmetry is None:
        return result
    if watch is not None:
        watch.open = False
    with undisturbed(searchable.evaluator.context):
        wrong = _wrong_initially(searchable) if model.implied_inits else None
        if wrong is not None:
            return broken(result, model, model.symmetry, wrong)
        found = doubts(model, searchable.symmetry, searchable.evaluator, watched=watch is not None)
        found += [Doubt("CHOOSE takes one of several", span) for span in (watch.ambiguous if watch is not None else ())]
        return result if not found else _compared(result, model, model.symmetry, searchable, found)


def _wrong_initially(searchable: SpecificationModel) -> Asymmetry | None:
    """Init may tell values apart, so an initial state that was taken for another is looked at by itself."""
    for state in searchable.initial_states():
        for predicate in searchable.implied_inits:
            if not predicate.holds(state):
                return Asymmetry(state, searchable.symmetry(state), f"{predicate.name} is true in only one of them")
    return None


def _compared(
    result: Result, model: Model, symmetry: Named, searchable: SpecificationModel, doubts: list[Doubt]
) -> Result:
    if not searchable.explored or not _can_be_compared(model):
        why = _reasons(doubts)
        return _with_caveat(result, f"That {symmetry.name} is a symmetry was neither proved nor tested: {why}.")
    seconds = 0.5 + 0.1 * result.seconds
    comparison = compare_orbits(searchable, searchable.symmetry, searchable.explored, sample=SAMPLE, seconds=seconds)
    if comparison.found is not None:
        return broken(result, model, symmetry, comparison.found)
    if comparison.complete:
        return result
    why = _reasons(doubts)
    return _with_caveat(result, f"That {symmetry.name} is a symmetry was tested with some of the states only: {why}.")


def _with_caveat(result: Result, caveat: str) -> Result:
    return replace(result, caveats=(*result.caveats, caveat))


def _reasons(doubts: list[Doubt]) -> str:
    """Not all of them: who removes these will be told the others."""
    reasons = list(dict.fromkeys(f"{doubt.reason} ({doubt.span})" for doubt in doubts))
    return "; ".join(reasons[:3])


def broken(result: Result, model: Model, symmetry: Named, found: Asymmetry) -> Result:
    name = symmetry.name
    message = f"the specification breaks the symmetry {name}: {found.difference}"
    help = "look for a permuted value that is mentioned by name, or taken by CHOOSE"
    if found.state:
        help += f"; the states are {_state(model, found.state)} and {_state(model, found.permuted)}"
    diagnostic = Diagnostic("symmetry-broken", message, symmetry.code.span, help=help)
    return replace(
        result,
        verdict="error",
        property=name,
        message=message,
        caveats=(),
        diagnostics=(*result.diagnostics, diagnostic),
        status=CONFIGURATION_ERROR,
    )


def _state(model: Model, state: State) -> str:
    values = (f"{name} = {show(value)}" for name, value in zip(model.variables, state, strict=True))
    return f"[{', '.join(values)}]"


def _can_be_compared(model: Model) -> bool:
    """Whether evaluating a formula a second time gives the same and changes nothing."""
    return all(
        effects(node.operator) == "none" or node.operator in ("TLC!Print", "TLC!PrintT")
        for node in reachable(*relevant_bodies(model))
        if isinstance(node, nodes.Primitive | nodes.PrimitiveOperator)
    )
