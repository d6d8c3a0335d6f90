"""What to say of a run that found nothing wrong: not "no error" if hardly anything was looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gristmill.ir.model import Model
from gristmill.search.result import NO_ERROR, Result

_ASK = (
    "No invariant and no property was asked for: name them by INVARIANT and PROPERTY in the configuration, "
    "or by --invariant and --property."
)


def with_what_was_checked(result: Result, model: Model) -> Result:
    """The result, with what was checked and what was not, and a message that tells if that is little.

    The verdict stays.
    """
    decided = {each.name for each in model.temporal} if result.verdict in ("ok", "liveness") else set()
    checked = [*_states_and_steps(model), *sorted(decided), *_others(model)]
    if result.verdict in ("error", "assumption") and not result.generated:  # there was no state to look at
        checked = ["assumptions"] if result.verdict == "assumption" else []
    result = replace(
        result, checked=tuple(dict.fromkeys(checked)), undecided=_cut_off(result, model), unasked=model.unasked
    )
    if result.verdict == "ok":
        message, *caveats = _of_little(result, model) or (NO_ERROR,)
        return replace(result, message=message, caveats=(*caveats, *result.caveats))
    if result.verdict == "incomplete":
        caveats = [*([] if asks_something(model) else [_ASK]), *_undecided(model)]
        return replace(result, caveats=(*caveats, *result.caveats))
    return result


def _cut_off(result: Result, model: Model) -> tuple[str, ...]:
    """Temporal properties that were asked for, of a run that something else has ended."""
    if result.verdict in ("ok", "liveness", "incomplete"):
        return ()
    return tuple(dict.fromkeys(each.name for each in model.temporal))


def _undecided(model: Model) -> Iterator[str]:
    names = list(dict.fromkeys(each.name for each in model.temporal))
    if names:
        yield f"Not decided: {_and(names)}, which takes a search of all states."


def _states_and_steps(model: Model) -> Iterator[str]:
    """Names, as they were asked for, of what is checked while states are explored."""
    for named in (model.invariants, model.implied_inits, model.implied_actions):
        yield from (each.name for each in named)


def _others(model: Model) -> Iterator[str]:
    yield from (each.name for each in (*model.postconditions, *model.possible))
    if has_behaviours(model):
        yield from _without_being_asked(model)
    elif model.assumptions:
        yield "assumptions"


def asks_something(model: Model) -> bool:
    """Whether anything must hold of states, steps or behaviours that has a name."""
    return bool(
        model.invariants
        or model.implied_inits
        or model.implied_actions
        or model.obligations
        or model.temporal
        or model.postconditions
        or model.possible
    )


def _of_little(result: Result, model: Model) -> tuple[str, ...] | None:
    if not has_behaviours(model):
        return None if model.assumptions else ("Nothing was checked: there are no behaviours and no assumptions",)
    if not result.generated:
        return ("Nothing was checked: there is no initial state",)
    if asks_something(model):
        return None
    also = list(_without_being_asked(model))
    return ("Nothing was checked" + (f" but {_and(also)}" if also else ""), _ASK)


def has_behaviours(model: Model) -> bool:
    return model.init is not None or bool(model.actions)


def _without_being_asked(model: Model) -> Iterator[str]:
    if model.check_deadlock:
        yield "deadlock"
    if model.asserts:
        yield "assertions"
    if model.assumptions:
        yield "assumptions"


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
