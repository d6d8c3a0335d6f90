"""The reference evaluator explores the states of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from gristmill.checking.run import Check, parts_of, with_counts
from gristmill.reference.model import SpecificationModel
from gristmill.search import Limits, Result, breadth_first
from gristmill.search.on_the_fly import Interim
from gristmill.search.profile import Part, Profile


class ReferenceExplorer:
    engine: Literal["python", "native"] = "python"

    def __init__(self, check: Check) -> None:
        self.check = check

    def breadth_first(self, searchable: SpecificationModel, limits: Limits, interim: Interim | None) -> Result:
        options = self.check.options
        with self.check.stopwatch.during("search"):
            return breadth_first(
                searchable,
                limits=limits,
                keep_going=options.keep_going,
                keep_graph=options.keep_graph or options.keep_labels,
                keep_steps=interim is not None,
                on_progress=options.on_progress,
                interim=None if options.keep_going else self.check.timed(interim),
                each_obligation=options.each_obligation,
            )

    def profile(self, profile: Profile, result: Result) -> Profile:
        reason = "--engine python was asked for" if self.check.options.engine == "python" else None
        return replace(profile, parts=tuple(with_counts(self._parts(), result)), reason=reason)

    def _parts(self) -> Iterator[Part]:
        """What was evaluated, and what that took."""
        for kind, names in parts_of(self.check.model):
            for name in names:
                yield self.check.costs.part((kind, name), native=False)

    def close(self) -> None:
        pass
