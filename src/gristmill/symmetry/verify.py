"""Is a declared symmetry one? A search that relies on one that is none overlooks states, and says "ok".

A violation that was found is real in any case. After a search that found nothing wrong:

- if the specification is equivariant (`equivariance`), the symmetry is one: that is a proof;
- else states are compared with permutations of them, in their steps and in what constraints and properties say. A
  difference is an error. If all of them could be compared, that is a proof, too;
- else the states are explored once more, without the symmetry;
- if that is too much, or not possible, the verdict is `incomplete`.

How much is too much is counted, not timed: a verdict must not depend on how fast a machine is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gristmill.explain.formulas import is_repeatable, undisturbed
from gristmill.ir.model import Model, Named
from gristmill.ir.walk import operators_in
from gristmill.library import Effect
from gristmill.reference.model import SpecificationModel
from gristmill.search import Result, State
from gristmill.search.symmetry import Asymmetry, Symmetry, compare_orbits
from gristmill.search.verdict import CONFIGURATION_ERROR
from gristmill.source import Diagnostic
from gristmill.symmetry.ambiguous_choice import ChoiceMonitor
from gristmill.symmetry.equivariance import Doubt, doubts, relevant_bodies
from gristmill.values import show

SAMPLE = 500  # states that are compared first, at most
EFFORT = 1_000_000  # for comparing states: about as many microseconds of the reference evaluator
MOST_STATES = 10_000_000  # that are explored once more

Repeat = Callable[[int], Result]  # the search without the symmetry, of at most so many states


def with_symmetry_verified(
    result: Result, model: Model, searchable: SpecificationModel, choices: ChoiceMonitor | None, repeat: Repeat
) -> Result:
    """The result, if the symmetry is one; else what is wrong, or that this is not known.

    `choices`: what has been seen in the search; None if that was not recorded.
    """
    if result.violations or model.symmetry is None or searchable.symmetry is None:
        return result
    if choices is not None:
        choices.open = False
    with undisturbed(searchable.evaluator.context):
        wrong = _wrong_initially(searchable) if model.implied_inits else None
        if wrong is not None:
            return broken(result, model, model.symmetry, wrong)
        found = doubts(model, searchable.symmetry, searchable.evaluator, monitored=choices is not None)
        ambiguous = choices.ambiguous if choices is not None else ()
        found += [Doubt("CHOOSE takes one of several", span) for span in ambiguous]
        if not found:
            return result
        compared = _compared(result, model, model.symmetry, searchable)
    if compared is not None:
        return compared
    return _repeated(result, model, searchable.symmetry, repeat, _reasons(found))


def _wrong_initially(searchable: SpecificationModel) -> Asymmetry | None:
    """Init may tell values apart, so an initial state that was taken for another is looked at by itself."""
    for state in searchable.initial_states():
        for predicate in searchable.implied_inits:
            if not predicate.holds(state):
                return Asymmetry(state, searchable.symmetry(state), f"{predicate.name} is true in only one of them")
    return None


def _compared(result: Result, model: Model, symmetry: Named, searchable: SpecificationModel) -> Result | None:
    """The result, if all states could be compared, or the error; None if it is still open."""
    if not searchable.explored or not _can_be_compared(model):
        return None
    most = EFFORT // _effort(result, searchable.symmetry)
    sample = max(1, min(SAMPLE, most // 4))
    comparison = compare_orbits(searchable, searchable.symmetry, searchable.explored, sample=sample, most=most)
    if comparison.found is not None:
        return broken(result, model, symmetry, comparison.found)
    return result if comparison.complete else None


def _effort(result: Result, symmetry: Symmetry) -> int:
    """Of comparing two states: to find the steps of each, and the representatives of where they lead."""
    steps = result.generated // max(1, result.distinct)
    return (1 + steps) * (50 + len(symmetry))


# --- without the symmetry --------------------------------------------------------------------------------------------


def _repeated(result: Result, model: Model, symmetry: Symmetry, repeat: Repeat, why: str) -> Result:
    assert model.symmetry is not None
    if result.verdict != "ok":
        return _with_caveat(result, f"Whether {model.symmetry.name} is a symmetry is not known: {why}.")
    if not _can_be_repeated(model):
        return _unknown(result, model.symmetry, f"{why}. Evaluating the specification again may come to something else")
    most = result.distinct * (1 + len(symmetry))  # if it is a symmetry, there are no more
    if most > MOST_STATES:
        return _unknown(result, model.symmetry, f"{why}. Without it there may be {most:,} states")
    whole = repeat(most)
    if whole.distinct > most and model.view is None:
        difference = f"without it there are more than {most:,} states, the permutations of those found with it"
        return broken(result, model, model.symmetry, Asymmetry((), (), difference))
    if whole.violations:
        return _violated(whole, model.symmetry)
    if whole.verdict != "ok" or whole.queue:
        return _unknown(result, model.symmetry, f"{why}. Of the search without it: {whole.message}")
    text = f"Whether {model.symmetry.name} is a symmetry is not known: {why}. "
    return _with_caveat(result, text + f"So all {whole.distinct:,} states were explored without it, too.")


def _violated(whole: Result, symmetry: Named) -> Result:
    message = f"{symmetry.name} is no symmetry of the specification: without it, {_uncapitalised(whole.message)}"
    warning = Diagnostic("symmetry-broken", message, symmetry.code.span, severity="warning", help=_HELP)
    return replace(whole, diagnostics=(*whole.diagnostics, warning))


def _uncapitalised(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _unknown(result: Result, symmetry: Named, why: str) -> Result:
    message = f"Whether {symmetry.name} is a symmetry is not known, and so not whether all states were found: {why}"
    help = f"check without SYMMETRY {symmetry.name}, or with smaller constants; or mend what keeps it from being proved"
    diagnostic = Diagnostic("symmetry-not-proved", message, symmetry.code.span, severity="warning", help=help)
    found = (*result.diagnostics, diagnostic)
    return replace(result, verdict="incomplete", property=symmetry.name, message=message, diagnostics=found)


def _with_caveat(result: Result, caveat: str) -> Result:
    return replace(result, caveats=(*result.caveats, caveat))


def _reasons(doubts: list[Doubt]) -> str:
    """Not all of them: who removes these will be told the others."""
    places: dict[str, list[str]] = {}
    for doubt in list(dict.fromkeys(doubts))[:_MOST_DOUBTS]:
        found = places.setdefault(doubt.reason, [])
        found += [str(doubt.span)] if str(doubt.span) not in found else []
    return "; ".join(f"{reason} ({', '.join(found)})" for reason, found in places.items())


_MOST_DOUBTS = 3
_HELP = "look for a permuted value that is mentioned by name, or taken by CHOOSE"


def broken(result: Result, model: Model, symmetry: Named, found: Asymmetry) -> Result:
    name = symmetry.name
    message = f"the specification breaks the symmetry {name}: {found.difference}"
    help = _HELP
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
    allowed = Effect.PRINTS | Effect.MAKES_NAMES
    return all(operator.does_only(allowed) for operator in operators_in(*relevant_bodies(model)))


def _can_be_repeated(model: Model) -> bool:
    """Whether the search can be repeated: it begins with the registers that it began with."""
    draws = any(operator.effects & Effect.DRAWS for operator in operators_in(*relevant_bodies(model)))
    return not draws and all(map(is_repeatable, relevant_bodies(model)))
