"""Traces: what two compositions show of the variables that both have, up to stuttering.

For grains with variables of their own, where single steps cannot be compared, or on request in both directions. Every
finite behaviour of the one is to be one of the other, as far as it can be seen; `search.inclusion` decides that exactly
for the constants at hand. What only the fine composition shows is a behaviour that checks of the coarse one miss; what
only the coarse one shows may be a false alarm. Each is told by a shortest behaviour, and by what the other side can do
where it can no longer follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gristmill.checking.graphs import View
from gristmill.compose.verify.sides import Change, Observed, Side, changes, observe
from gristmill.search.budget.limits import NO_LIMITS, Limits
from gristmill.search.inclusion import Difference, Inclusion, decide
from gristmill.trace import Trace

Kind = Literal["missing", "spurious"]


@dataclass(frozen=True, slots=True)
class Possibility:
    """What a side can do next that can be seen: one step that shows it, by way of example."""

    action: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class TraceDifference:
    """A behaviour of one composition that the other does not have.

    `kind`: "missing" if only the fine composition has it, "spurious" if only the coarse one has it. `behaviour` ends
    with the step that makes the difference, which is by `action` and changes `changes`; None, and empty, if that is
    its initial state. `matched`: a behaviour of the other composition that shows all but this step; `possible`: what
    can be seen next there. `observed_steps`: how many steps of `behaviour` can be seen.
    """

    kind: Kind
    behaviour: Trace
    matched: Trace | None
    action: str | None
    changes: tuple[Change, ...]
    possible: tuple[Possibility, ...]
    observed_steps: int


@dataclass(frozen=True, slots=True)
class Direction:
    """Whether one composition shows nothing but what the other shows. `seconds`: of the decision alone."""

    verdict: Literal["included", "different", "incomplete"]
    message: str
    difference: TraceDifference | None
    product_steps: int
    seconds: float


@dataclass(frozen=True, slots=True)
class TraceComparison:
    """`missed`: does the coarse composition show all that the fine one shows; `added`: the other way round, if
    asked."""

    fine: str
    coarse: str
    observed: tuple[str, ...]
    missed: Direction
    added: Direction | None


def compare_traces(
    fine: Side,
    coarse: Side,
    variables: Sequence[str],
    *,
    both: bool = True,
    limits: Limits = NO_LIMITS,
    views: Mapping[str, View] | None = None,
) -> TraceComparison:
    """Compare what two compositions show of `variables`. `views`: what is seen of the values of some of them."""
    fine_seen, coarse_seen = observe((fine, coarse), variables, views)
    missed = _direction("missing", fine_seen, coarse_seen, variables, limits)
    added = _direction("spurious", coarse_seen, fine_seen, variables, limits) if both else None
    return TraceComparison(fine.name, coarse.name, tuple(variables), missed, added)


def _direction(kind: Kind, first: Observed, second: Observed, variables: Sequence[str], limits: Limits) -> Direction:
    partial = second.side.graph.incomplete
    if partial is not None:  # a step that seems to be missing may only not have been found yet
        return Direction("incomplete", f"Not all states of {second.side.name} were explored: {partial}", None, 0, 0.0)
    found = decide(first.graph, second.graph, limits=limits)
    verdict, message = found.verdict, found.message
    if verdict == "included" and first.side.graph.incomplete is not None:
        verdict = "incomplete"
        message = f"Not all states of {first.side.name} were explored: {first.side.graph.incomplete}"
    difference = _difference(kind, first, second, variables, found)
    return Direction(verdict, message, difference, found.product_steps, found.seconds)


def _difference(
    kind: Kind, first: Observed, second: Observed, variables: Sequence[str], found: Inclusion
) -> TraceDifference | None:
    told = found.difference
    if told is None:
        return None
    graph, run = first.side.graph, told.run
    last = graph.labels[run.edges[-1]] if run.edges else None
    return TraceDifference(
        kind,
        graph.trace(run.states, run.edges),
        None if told.matched is None else second.side.graph.trace(told.matched.states, told.matched.edges),
        None if last is None else first.side.action_name(last),
        changes(graph, variables, run.states[-2], run.states[-1]) if run.edges else (),
        _possible(second, variables, told),
        sum(first.seen[a] != first.seen[b] for a, b in zip(run.states, run.states[1:], strict=False)),
    )


def _possible(second: Observed, variables: Sequence[str], told: Difference) -> tuple[Possibility, ...]:
    graph = second.side.graph
    return tuple(
        Possibility(
            second.side.action_name(graph.labels[each.edge]),
            changes(graph, variables, each.state, graph.targets[each.edge]),
        )
        for each in told.possible
        if each.edge >= 0
    )
