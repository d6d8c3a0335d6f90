"""The states of a run, explored by a cluster."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path as Folder
from typing import Literal

from gristmill.checking.head_start import first_level, head_start_for
from gristmill.checking.run import Check
from gristmill.cluster.connection import parse_address
from gristmill.cluster.errors import ClusterError
from gristmill.cluster.search import ClusterSearch
from gristmill.cluster.task import Learnt, Task, pickled
from gristmill.cluster.team import Team
from gristmill.cluster.telling import Told, failed, told, told_of_initial
from gristmill.native.codec import decode_several, encode_several
from gristmill.native.errors import NoNativeFormError
from gristmill.native.run.partition import record_of_initial
from gristmill.reference.model import SpecificationModel
from gristmill.search import Limits, Result, State
from gristmill.search.behaviour import Path
from gristmill.search.budget.limits import LimitReached
from gristmill.search.caveats import caveats
from gristmill.search.core.search import Outcome
from gristmill.search.on_the_fly import Interim
from gristmill.search.profile import Profile
from gristmill.search.result import NO_ERROR, ActionCoverage
from gristmill.search.statistics import coverage
from gristmill.search.store import NONE
from gristmill.search.verdict import CONFIGURATION_ERROR, Verdict
from gristmill.source import Diagnostic
from gristmill.values import EvaluationError

AT_ONCE = 100_000  # states that an actor generates in a round
_FEW = 4  # actors: if there are more, rounds are larger, as each has a batch for every other
_SAMPLES = 4_000  # states that travel to the actors, to learn a layout from


class ClusterExplorer:
    engine: Literal["python", "native"] = "native"

    def __init__(self, check: Check) -> None:
        self.check = check
        self.team: Team | None = None
        self.folder: Folder | None = None  # that is ours, and goes away
        self.search: ClusterSearch | None = None

    def profile(self, profile: Profile, result: Result) -> Profile:
        return profile

    def close(self) -> None:
        if self.team is not None:
            self.team.close()
            self.team = None
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def breadth_first(self, searchable: SpecificationModel, limits: Limits, interim: Interim | None) -> Result:
        self.check.choices = None  # native code does not monitor CHOOSE
        try:
            return _Run(self, searchable, limits).result()
        except ClusterError as error:
            return refused(error)
        except NoNativeFormError as error:
            return refused(ClusterError(f"native code cannot hold a state: {error}", "check it without --cluster"))

    def open(self) -> Team:
        if self.team is None:
            options = self.check.options
            assert options.cluster is not None
            self.team = Team(parse_address(options.cluster, options.workers))
        return self.team

    def saved_in(self) -> Folder:
        """Where levels are saved: in a folder of ours, or in one that all machines share."""
        if self.check.options.checkpoint is not None:
            return self.check.options.checkpoint.resolve()
        if self.folder is None:
            self.folder = Folder(tempfile.mkdtemp(prefix="gristmill-cluster-"))
        return self.folder


def refused(error: ClusterError) -> Result:
    diagnostic = Diagnostic("cluster", str(error), help=error.help)
    return Result("error", message=str(error), diagnostics=(diagnostic,), status=CONFIGURATION_ERROR)


class _Run:
    def __init__(self, explorer: ClusterExplorer, model: SpecificationModel, limits: Limits) -> None:
        self.explorer, self.model, self.limits = explorer, model, limits
        self.started = time.monotonic()
        self.told: Told | None = None
        self.initial_generated = self.initial_cut = 0

    def result(self) -> Result:
        search: ClusterSearch | None = None
        incomplete: str | None = None
        try:
            initial = self.initial()
            if self.told is None:
                search = self.begin()
                search.begin(initial, self.initial_generated, self.initial_cut)
                search.explore()
                if search.totals.events:
                    self.told = self.explain(search)
        except LimitReached as reached:
            incomplete = str(reached)
        except KeyboardInterrupt:
            incomplete = "Interrupted"
        return self.put_together(search, incomplete)

    # -------------------------------------------------------------------------------------------------- initial states

    def initial(self) -> bytes:
        """Initial states by the reference evaluator, checked by it as well; those within the constraints, encoded."""
        found: list[bytes] = []
        state: State | None = None
        try:
            for state in self.model.initial_states():
                self.initial_generated += 1
                if all(each.holds(state) for each in self.model.constraints):
                    found.append(record_of_initial(encode_several(state)))
                else:
                    self.initial_cut += 1
                self.told = told_of_initial(self.model, [(None, state)])
                if self.told is not None:
                    break
                state = None
        except EvaluationError as error:
            self.told = failed(self.model, error, [] if state is None else [(None, state)], None)
        return b"".join(found)

    def begin(self) -> ClusterSearch:
        check, explorer = self.explorer.check, self.explorer
        samples = tuple(
            encode_several(each) for each in first_level(self.model, head_start_for(self.model.specified))[:_SAMPLES]
        )
        team = explorer.open()
        task = Task(
            pickled(check.model),
            len(check.model.world.positions),
            team.owners,
            self.model.symmetry is not None,
            str(explorer.saved_in()),
            check.options.checkpoint is not None,
        )
        progress = check.options.on_progress
        most = AT_ONCE * max(1, team.owners // _FEW)
        explorer.search = ClusterSearch(team, task, Learnt(samples), self.limits, progress, most)
        return explorer.search

    # ---------------------------------------------------------------------------------------------------- what is wrong

    def explain(self, search: ClusterSearch) -> Told:
        """Of all that is wrong in a level, what has the least name: the same one each time."""
        event = min(search.totals.events, key=lambda each: (each.kind, each.state, each.action, each.parent))
        kind = Outcome(event.kind)
        path: Path = [(action, self.decoded(state)) for action, state in search.path(event)]
        if kind not in (Outcome.DEADLOCK, Outcome.FAILED):
            path = [*path, (event.action, self.decoded(event.state))]
        return told(self.model, kind, path)

    def decoded(self, state: bytes) -> State:
        return tuple(decode_several(state, len(self.model.variables)))

    # ------------------------------------------------------------------------------------------------------ what to say

    def put_together(self, search: ClusterSearch | None, incomplete: str | None) -> Result:
        found = self.told.violation if self.told is not None else None
        rows = self.coverage(search)
        verdict: Verdict = found.verdict if found else "incomplete" if incomplete else "ok"
        begun = search is not None and bool(search.counts)
        seconds = time.monotonic() - self.started
        return Result(
            verdict=verdict,
            property=found.property if found else None,
            message=found.message if found else incomplete or NO_ERROR,
            distinct=search.distinct if search else 0,
            generated=search.generated if search and begun else self.initial_generated,
            depth=max(search.depth if search else 0, min(1, self.initial_generated)),
            queue=search.queue if search else 0,
            seconds=seconds,
            search_seconds=seconds,
            trace=found.trace if found else None,
            coverage=rows,
            caveats=tuple(self.caveats(search, rows, incomplete)),
            violations=(found,) if found else (),
            diagnostics=self.told.diagnostics if self.told is not None else (),
        )

    def coverage(self, search: ClusterSearch | None) -> tuple[ActionCoverage, ...]:
        none = [0] * len(self.model.actions)
        taken = (search.totals.taken if search else none) or none
        by = Counter(dict(enumerate((search.totals.found if search else none) or none)))
        by[NONE] = sum(search.counts[0]) if search and search.counts else 0
        return coverage(self.model.actions, by, taken, self.initial_generated)

    def caveats(
        self, search: ClusterSearch | None, rows: tuple[ActionCoverage, ...], incomplete: str | None
    ) -> Iterator[str]:
        if search is None or (not search.totals.expanded and incomplete):
            return  # nothing was explored, of which nothing can be said
        if search.losses:
            times = "once" if search.losses == 1 else f"{search.losses} times"
            yield f"An actor was lost {times}: its level was done again from what had been saved."
        if self.told is not None:
            yield "The level in which the error was found was explored to its end: counts are those of whole levels."
            return
        yield from caveats(self.model, rows, cut=search.totals.cut, queue=search.queue, asked=False)
        if incomplete is None:
            yield "What holds vacuously has not been looked for: that takes all states on one machine."
