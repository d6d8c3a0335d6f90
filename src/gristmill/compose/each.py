"""Each module fine, with all others coarse: one check a module, and what follows for the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gristmill.compose.build.composer import composition
from gristmill.compose.conclusion import invariants_of_whole
from gristmill.compose.system import Composition, System
from gristmill.compose.verify.result import Verification
from gristmill.compose.verify.units import plan_of
from gristmill.search import Result
from gristmill.search.verdict import EXIT_CODES, Verdict
from gristmill.source import ConfigurationError, Diagnostic

# What is to be done for a composition: the ordinary check of it, perhaps with a limit of its own in seconds.
Check = Callable[[Composition, float | None], Result]


@dataclass(frozen=True, slots=True)
class Row:
    """`name`: `C(Vote)`, `A` or `S`."""

    name: str
    composed: Composition
    result: Result


@dataclass(frozen=True, slots=True)
class Each:
    """`rows`: a composition for each module that has a coarse grain. `direct`: the whole, if there was time for it.

    `verification`: whether the compositions cover the whole; None if nobody asked.
    """

    rows: tuple[Row, ...]
    verification: Verification | None
    direct: Row | None

    @property
    def failed(self) -> Row | None:
        """A check with a violation or an error; that of the whole counts most."""
        rows = [*([self.direct] if self.direct else []), *self.rows]
        return next((row for row in rows if row.result.verdict not in ("ok", "incomplete")), None)

    @property
    def is_direct(self) -> bool:
        """Whether the whole was explored to its end, which needs no argument."""
        return self.direct is not None and self.direct.result.verdict == "ok"

    @property
    def holds_of_whole(self) -> tuple[str, ...]:
        """Invariants that hold of S."""
        direct = [each.name for each in self.direct.composed.invariants] if self.direct and self.is_direct else []
        proven = invariants_of_whole(self.verification) if self.verification is not None else ()
        return tuple(dict.fromkeys((*direct, *proven)))

    @property
    def verdict(self) -> Verdict:
        if self.failed is not None:
            return self.failed.result.verdict
        if self.is_direct:
            return "ok"
        outcome = None if self.verification is None else self.verification.outcome
        if outcome == "rejected":
            return "property"
        complete = all(row.result.verdict == "ok" for row in self.rows)
        return "ok" if outcome == "proven" and complete and not self.open else "incomplete"

    @property
    def open(self) -> tuple[str, ...]:
        """Invariants of the system of which nobody knows whether they hold of the whole."""
        known = [*self.rows, *([self.direct] if self.direct else [])]
        names = [each.name for row in known for each in row.composed.invariants]
        names += [each.invariant.name for row in known for each in row.composed.unavailable]
        return tuple(name for name in dict.fromkeys(names) if name not in self.holds_of_whole)

    @property
    def exit_code(self) -> int:
        if self.failed is not None:
            return self.failed.result.exit_code
        return EXIT_CODES[self.verdict]

    @property
    def message(self) -> str:
        """One sentence."""
        if self.failed is not None:
            return f"{self.failed.name}: {self.failed.result.message}"
        if self.verdict == "ok":
            return "No error found"
        if self.verdict == "property":
            return "The compositions do not cover the whole: a coarse grain cannot stand in for its module"
        if self.verification is None:
            return "Not verified: nothing follows for the whole from checks of compositions"
        return "Not finished: nothing follows for the whole"


def check_each(
    system: System,
    check: Check,
    verify: Callable[[], Verification] | None,
    budget: float | None,
    on_row: Callable[[str], None] = lambda name: None,
) -> Each:
    """`budget`: seconds for the direct check of the whole; None: no such check. Raises `SourceError`."""
    plan = plan_of(system)
    if not plan.units:
        raise ConfigurationError(
            Diagnostic(
                "nothing-coarse",
                "no module has a coarse grain: there is nothing to check module by module",
                system.source.span(0, 0),
                help='add one: grain.coarse = { file = "…", actions = [...], of = "fine" }',
            )
        )
    mixes = [(f"C({unit.name})", plan.focused(unit)) for unit in plan.units]
    rows: list[Row] = []
    for name, mix in mixes:
        on_row(name)
        composed = composition(system, mix)
        rows.append(Row(name, composed, check(composed, None)))
        if _is_over(rows[-1].result):
            return Each(tuple(rows), None, None)
    verification = None
    if verify is not None and not any(row.result.verdict in _NOT_EVALUATED for row in rows):
        on_row("verify")
        verification = verify()
    direct = None
    if budget is not None:
        on_row("S")
        composed = composition(system, plan.fine)
        direct = Row("S", composed, check(composed, budget))
    return Each(tuple(rows), verification, direct)


# Of a composition that cannot be evaluated there is nothing to verify.
_NOT_EVALUATED = ("error", "assumption", "assert")


def _is_over(result: Result) -> bool:
    """A mistake in a text, or Ctrl-C: there is nothing more to learn from the others."""
    return result.message == "Interrupted" or result.status is not None


def total_seconds(rows: Sequence[Row]) -> float:
    return sum(row.result.seconds for row in rows)
