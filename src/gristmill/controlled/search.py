"""Searches over schedules, and what they find: failures that can be replayed, shrunk, saved and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from gristmill.controlled.crew import Crew, Load, crew
from gristmill.controlled.failure import Failure, reference
from gristmill.controlled.plan import Plan, SearchKind
from gristmill.controlled.run import Laboratory, Program, Run
from gristmill.controlled.settings import Settings
from gristmill.controlled.strategies import Diverged, Follow, deviating, next_prefix
from gristmill.controlled.tally import Batch, BatchResult, FailedRun, Tally
from gristmill.controlled.world import NO_END
from gristmill.search.budget.deadline import Deadline
from gristmill.search.budget.limits import LimitReached
from gristmill.search.progress import OnProgress, Progress
from gristmill.search.shrink import shrink
from gristmill.search.verdict import EXIT_CODES, Verdict

# What `depth` and `deviations` are, unless told.
_BOUNDS: dict[SearchKind, tuple[int | None, int | None]] = {
    "random": (None, None),
    "pct": (3, None),
    "dfs": (20, 2),
    "deepening": (None, None),
}


@dataclass(slots=True)
class Result(Tally):
    """What was explored. `ok` says that nothing failed in it, and nothing more: for a sample, in all runs of it."""

    program: str = ""
    search: SearchKind = "random"
    seed: int = 0
    settings: Settings = field(default_factory=Settings)
    seconds: float = 0.0
    depth: int | None = None
    deviations: int | None = None
    exhausted: bool = False  # a search that varies choices has seen all there is within its bounds
    levels: int = 0  # of iterative deepening: so many unusual choices were tried in all ways
    failures: dict[str, Failure] = field(default_factory=dict)  # by kind, the first of each
    stopped: list[str] = field(default_factory=list)  # why not all that was asked for was explored

    @property
    def verdict(self) -> Verdict:
        """Of the first failure; `error` also if the program cannot be explored."""
        if self.failures:
            return next(iter(self.failures.values())).verdict
        if self.blocked or self.unsteady:
            return "error"
        return "incomplete" if self.stopped else "ok"

    @property
    def ok(self) -> bool:
        return self.verdict == "ok"

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]


def explore(
    program: Program,
    *,
    runs: int = 1000,
    search: SearchKind = "random",
    seed: int = 0,
    settings: Settings | None = None,
    depth: int | None = None,
    deviations: int | Literal["usual"] | None = "usual",
    keep_going: bool = False,
    shrink_trials: int = 400,
    seconds: float | None = None,
    quiet: bool = True,
    workers: int = 1,
    on_progress: OnProgress | None = None,
    cluster: str | None = None,
    load: Load | None = None,
) -> Result:
    """Run a program under many schedules.

    - `random`: each run draws its own odds; `seed` and the number of a run determine it
    - `pct`: `depth` is the number of ordering constraints a bug may need (3)
    - `dfs`: `depth` is the number of choices that are varied (20), `deviations` how many of them may be unusual (2)
    - `deepening`: the same, but first all runs with no unusual choice, then those with one, two, … (no bounds)

    The search ends with the first failure unless `keep_going`, which looks for failures of other kinds. Workers are
    processes; what is found does not depend on how many there are. `on_progress` is told after each batch of runs.
    `cluster`: the address of one whose actors do the runs; each gets the program by calling `load`, which is pickled.
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}: there must be one at least")
    if (workers > 1 or cluster is not None) and search == "dfs":
        raise ValueError("dfs is for one worker, as each run follows from the one before; deepening is for several")
    deadline = Deadline(seconds)
    settings = settings or Settings()
    bound, unusual = _BOUNDS[search]
    plan = Plan(
        program,
        search,
        seed,
        settings,
        runs,
        bound if depth is None else depth,
        unusual if deviations == "usual" else deviations,
        keep_going,
        deadline,
    )
    result = Result(
        program=reference(program),
        search=search,
        seed=seed,
        settings=settings,
        depth=plan.depth,
        deviations=plan.deviations,
    )
    lab = Laboratory(quiet)
    with deadline.watching(), crew(workers, lab, plan, cluster, load) as hands:
        try:
            _search(plan, hands, lab, result, shrink_trials, on_progress)
            deadline.check()
        except LimitReached as reason:
            result.stopped.append(str(reason))
        except KeyboardInterrupt:  # where Ctrl-C does more than to leave a note
            result.stopped.append("interrupted")
    result.seconds = deadline.elapsed
    return result


def _search(
    plan: Plan, hands: Crew, lab: Laboratory, result: Result, shrink_trials: int, on_progress: OnProgress | None
) -> None:
    for found in explored(plan, hands, result):
        result.add(found.tally)
        if on_progress is not None:
            done = f"{result.runs:,} of {plan.runs:,} runs, {result.events:,} events"
            on_progress(Progress(0, 0, 0, 0, plan.deadline.elapsed, 0, done))
        for failed in found.failed:
            if failed.kind not in result.failures:
                _add_failure(lab, plan, failed, result, shrink_trials)
        if found.stopped:
            raise LimitReached(found.stopped)
        if result.blocked or (found.failed and not plan.keep_going):
            return


def explored(plan: Plan, hands: Crew, result: Result) -> Iterator[BatchResult]:
    match plan.search:
        case "dfs":
            return _depth_first(plan, hands, result)
        case "deepening":
            return _deepening(plan, hands, result)
        case _:
            return hands.perform(plan.batches())


def _depth_first(plan: Plan, hands: Crew, result: Result) -> Iterator[BatchResult]:
    """One run after the other, as each says which is next."""
    prefix: list[int] | None = []
    for number in range(plan.runs):
        (found,) = hands.perform([Batch(number, 1, [tuple(prefix or ())])])
        yield found
        prefix = next_prefix(*found.choices[0], plan.deviations)
        if prefix is None:
            result.exhausted = True
            return
    result.stopped.append(_after(plan))


def _deepening(plan: Plan, hands: Crew, result: Result) -> Iterator[BatchResult]:
    """First the usual run, then all that differ from it in one choice, in two, …"""
    level: list[tuple[int, ...]] = [()]
    done = 0
    while level:
        left = plan.runs - done
        following: list[tuple[int, ...]] = []
        for found in hands.perform(plan.batches_of(level[:left], done)):
            for taken, widths in found.choices:
                done += 1
                if len(following) <= plan.runs:  # more of them could not be run
                    following += deviating(taken, widths)
            yield found
        if len(level) > left:
            result.stopped.append(_after(plan))
            return
        result.levels += 1
        if plan.deviations is not None and result.levels > plan.deviations:
            break
        level = following
    result.exhausted = True


def _after(plan: Plan) -> str:
    return f"stopped after {plan.runs:,} {'run' if plan.runs == 1 else 'runs'}"


def _add_failure(lab: Laboratory, plan: Plan, failed: FailedRun, result: Result, trials: int) -> None:
    try:
        with plan.deadline.suspended():  # it has failed, and is told, however little time is left
            run = failed.run or lab.run(plan.program, Follow(failed.events, exactly=True), plan.settings, failed.seed)
    except Diverged as error:
        result.unsteady.append(str(error))
        return
    if run.violation is None or run.violation.kind != failed.kind:
        result.unsteady.append("the same schedule ended in another way when it was repeated")
        return
    best = run
    if run.violation.name != NO_END:  # every trial would take as long
        best = shrink_run(lab, plan.program, run, plan.settings, failed.seed, trials)
        with plan.deadline.suspended():
            plan.check_steady(lab, best, failed.seed, result)
    length = len(run.events)
    failure = Failure.of(best, result.program, failed.seed, plan.settings, failed.number, length)
    result.failures[failed.kind] = failure


def shrink_run(lab: Laboratory, program: Program, run: Run, settings: Settings, seed: int, trials: int) -> Run:
    """The shortest run that fails in the same way, as far as leaving out events finds one."""
    assert run.violation is not None
    kind = run.violation.kind
    best = run

    def trial(events: Sequence[str]) -> Sequence[str] | None:
        nonlocal best
        found = lab.run(program, Follow(events), settings, seed)
        if found.violation is None or found.violation.kind != kind:
            return None
        if len(found.events) < len(best.events):
            best = found
        return found.events

    # Faults first: a failure that needs none of them says more.
    with suppress(LimitReached):  # then it is as short as it has become
        shrink(_without_faults(run.events), trial, trials=1)
        shrink(best.events, trial, trials=trials)
    return best


def _without_faults(events: Sequence[str]) -> list[str]:
    return [event for event in events if event.startswith(("run ", "deliver ", "timer "))]


def replay(program: Program, failure: Failure, *, quiet: bool = True) -> Run:
    """The run that a failure describes. Raises Diverged if the program does not do what it did."""
    lab = Laboratory(quiet)
    with lab.open():
        return lab.run(program, Follow(failure.events, exactly=True), failure.settings, failure.seed)


def check(program: Program, *, save: str | None = None, **options: Any) -> Result:
    """For tests: explores, and raises AssertionError with the chart of what was found."""
    __tracebackhide__ = True
    from gristmill.controlled.report import failure_text, replay_command, result_text

    result = explore(program, **options)
    if result.ok:
        return result
    texts = [result_text(result)]
    for failure in result.failures.values():
        command = replay_command(failure, failure.save(save)) if save is not None else None
        texts.append(failure_text(failure, command))
    raise AssertionError("\n".join(texts))
