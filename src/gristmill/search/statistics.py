"""Coverage and out-degree, read off the store after a search."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from gristmill.search.model import Action, Model
from gristmill.search.result import ActionCoverage, ExpressionCoverage, ObligationCoverage, OutDegree
from gristmill.search.store import NONE
from gristmill.source import Span


def coverage(
    actions: Sequence[Action], found_by: Counter[int], taken: Sequence[int], initial_generated: int
) -> tuple[ActionCoverage, ...]:
    """Of the initial predicate and of each action, its instances taken together.

    `found_by[i]` states were first reached by action i, which generated `taken[i]`.
    """
    rows = [ActionCoverage("Init", found_by[NONE], initial_generated, initial=True)]
    instances: dict[tuple[str, Span | None], list[int]] = {}
    for number, action in enumerate(actions):
        instances.setdefault((action.name, action.location), []).append(number)
    for (name, location), numbers in instances.items():
        distinct, generated = sum(found_by[n] for n in numbers), sum(taken[n] for n in numbers)
        rows.append(ActionCoverage(name, distinct, generated, location))
    return tuple(rows)


def obligations(model: Model, met: Mapping[int, Collection[int]]) -> tuple[ObligationCoverage, ...]:
    """How the obligations of actions were met: `met` has numbers of alternatives, by action."""
    return tuple(
        ObligationCoverage(
            each.name,
            model.actions[each.action].name,
            tuple(each.alternatives[number].name for number in sorted(met.get(each.action, ()))),
        )
        for each in model.obligations
    )


def never_evaluated(rows: Sequence[ExpressionCoverage]) -> Iterator[ExpressionCoverage]:
    """The outermost and the first ones: what stands inside or behind another one goes without saying."""
    never = {row.location for row in rows if row.count == 0}
    last: Span | None = None
    for row in rows:
        span = row.location
        inside = last is not None and span.file is last.file and span.end <= last.end
        if span in never and not inside:
            last = span
            if row.after not in never:
                yield row


def out_degree(parents: array[int], expanded: int) -> OutDegree | None:
    """Over the first `expanded` states, those whose successors are known."""
    if expanded == 0:
        return None
    children = Counter(parents)
    children.pop(NONE, None)
    states_with = Counter(children.values())
    states_with[0] = expanded - len(children)
    degrees = sorted(degree for degree, states in states_with.items() if states)
    average = sum(degree * states_with[degree] for degree in degrees) / expanded
    return OutDegree(degrees[0], average, degrees[-1], _percentile(states_with, degrees, 0.95 * expanded))


def _percentile(states_with: Counter[int], degrees: Sequence[int], rank: float) -> int:
    seen = 0
    for degree in degrees:
        seen += states_with[degree]
        if seen >= rank:
            return degree
    return degrees[-1]
