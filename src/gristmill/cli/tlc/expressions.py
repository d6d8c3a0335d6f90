"""Coverage by expression: how often the parts of actions and invariants were evaluated, told below each of them.

Native code counts actions alone. So a model that is small enough is explored once more, by the evaluator that counts;
nothing of what it prints is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gristmill.api import Result, run
from gristmill.building import Built
from gristmill.checking.options import Options
from gristmill.cli.tlc import codes
from gristmill.cli.tlc.messages import Messages
from gristmill.cli.tlc.places import place
from gristmill.explain.formulas import is_repeatable
from gristmill.ir.model import Model
from gristmill.ir.walk import SEARCHED, bodies
from gristmill.search import Limits
from gristmill.search.result import ExpressionCoverage
from gristmill.source import Span

MOST_STATES = 30_000  # generated: some seconds
_SECONDS = 15.0


def counted(
    build: Callable[[], Built], model: Model, result: Result, options: Options
) -> tuple[ExpressionCoverage, ...] | None:
    """The counts of a run that has ended, by doing it again; None if that cannot be done, or takes too long."""
    if result.generated > MOST_STATES or result.verdict == "incomplete" or result.verdict == "error":
        return None
    if not all(map(is_repeatable, bodies(model, SEARCHED))):
        return None
    again = Options(
        Limits(options.limits.depth, _SECONDS),
        options.keep_going,
        output=lambda text: None,
        permissions=options.permissions,
        seed=options.seed,
        expression_coverage=True,
        engine="python",
    )
    found = run(build, again)
    return found.expressions if found.verdict == result.verdict else None


def print_within(messages: Messages, rows: Sequence[ExpressionCoverage], body: Span) -> None:
    """The parts of one definition, each below what contains it."""
    around: list[Span] = []
    for row in _within(rows, body):
        span = row.location
        while around and span.end > around[-1].end:
            around.pop()
        messages.say(codes.COVERAGE_VALUE, f"  {'|' * len(around)}{place(span)}: {row.count}")
        around.append(span)


def _within(rows: Sequence[ExpressionCoverage], body: Span) -> Iterator[ExpressionCoverage]:
    for row in rows:
        span = row.location
        if span.file.path == body.file.path and body.start <= span.start and span.end <= body.end:
            yield row
