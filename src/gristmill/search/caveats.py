"""What a verdict rests on: the sentences after "no error found" that a careful person would ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.search.model import Model
from gristmill.search.result import ActionCoverage, CollisionOdds


def caveats(model: Model, rows: Sequence[ActionCoverage], *, cut: int, queue: int, asked: bool) -> Iterator[str]:
    """Of a search that no violation has ended. `cut` states failed a constraint; `queue` states were left.

    `asked`: the model itself has ended the search.
    """
    if cut:
        names = [*(each.name for each in model.constraints), *(each.name for each in model.action_constraints)]
        yield (
            f"{_times(cut)} a generated state was not explored because of {_and(names)}: "
            "what lies behind it has not been checked."
        )
    if asked:
        yield 'The specification ended the search itself, by TLCSet("exit", TRUE).'
    if queue:
        yield f"{_states_were(queue)} found and checked, but not explored further."
    if model.view is not None:
        yield "States with the same VIEW were taken to be the same: what tells them apart has not been checked."
    if model.symmetry is not None:
        yield "Of states that are the same up to symmetry only one was explored."
    if not queue:
        yield from _vacuous(model, rows)


def patience(seconds: float, limit: float | None) -> float:
    """For how many seconds of the processor to look for remarks, after a search of so many: not far past a limit.

    What is met at all is met soon, mostly: what takes longer is what is never met, and then all states would have to
    be looked at. Nobody waits for that as long as for the search itself. Some thousand states take no time at all.
    """
    wanted = min(1.0 + 0.1 * seconds, 3.0)
    return wanted if limit is None else min(wanted, max(0.2, limit - seconds))


def of_fingerprints(odds: CollisionOdds) -> str:
    """What a search rests on that keeps fingerprints in place of states."""
    return (
        "Only fingerprints of states were kept. That two states had the same one, and one of them was not explored, "
        f"has odds of about {odds.calculated:.1e} (by their number) or {odds.observed:.1e} (by how close two came)."
    )


def _vacuous(model: Model, rows: Sequence[ActionCoverage]) -> Iterator[str]:
    initial, actions = rows[0], rows[1:]
    if initial.generated == 0:
        yield "There is no initial state: everything holds, and nothing has been checked."
        return
    never = never_taken(rows)
    if actions and len(never) == len(actions):
        yield "No action was ever possible: only initial states have been checked."
        if model.implied_actions:
            yield f"{_and([each.name for each in model.implied_actions])} would hold of any step, but there was none."
    elif never:
        yield f"Never possible: {_and(never)}."


def never_taken(rows: Sequence[ActionCoverage]) -> list[str]:
    """Names of actions."""
    return [row.name for row in rows[1:] if row.generated == 0]


def _times(count: int) -> str:
    return "Once" if count == 1 else f"{count:,} times"


def _states_were(count: int) -> str:
    return "1 state was" if count == 1 else f"{count:,} states were"


def _and(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} and {unique[-1]}"
