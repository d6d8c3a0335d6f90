"""Replays traces of the model on the system: one action at a time, and after each the two sides are compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import pairwise

from gristmill.replay.driver import Driver, DriverError, Failure
from gristmill.replay.lawful import Lawful
from gristmill.replay.mapping.parts import Mapping, Move
from gristmill.replay.moving import Mover, NeverCame, SystemFailed
from gristmill.replay.observing import Observer
from gristmill.replay.result import Comparison, Discrepancy, Run, StepRun
from gristmill.replay.steps import ModelStep
from gristmill.replay.straying import Strays
from gristmill.source import Diagnostic, SourceError
from gristmill.systems.running.undisturbed import undisturbed

_FAILURE_SECONDS = 0.5  # for a failure to be noticed, when something else has gone wrong because of it
_LOOK_AGAIN = 0.02  # seconds, while a variable is not yet what it should be

OnStep = Callable[[StepRun], None]


class Coordinator:
    """Drives one system through any number of traces. `close` it, or use it in a `with` statement."""

    def __init__(self, mapping: Mapping, driver: Driver) -> None:
        self.mapping, self.driver = mapping, driver
        self.mover = Mover(mapping, driver)
        self.observer = Observer(mapping, driver)
        self.lawful = Lawful(mapping)
        self.strays = Strays(mapping, driver, self.mover)
        self._started = False
        self._initial: tuple[Comparison, ...] = ()

    def close(self) -> None:
        """A second Ctrl-C has to wait, as something would be left behind."""
        with undisturbed():
            self.driver.stop()

    def __enter__(self) -> Coordinator:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------------------------ runs

    def run(self, name: str, trace: Sequence[ModelStep], on_step: OnStep | None = None) -> Run:
        """Replay a trace from its initial state, which the system is brought to first.

        Raises `DriverError`, and `SourceError` if the mapping does not say what it needs.
        """
        self._check_mapped(trace)
        began = time.monotonic()
        steps: list[StepRun] = []
        discrepancy = self._begin(trace[0])
        ready = time.monotonic()
        for number, (before, step) in enumerate(pairwise(trace), 1):
            if discrepancy is not None:
                break
            done, discrepancy = self._step(number, before, step)
            steps.append(done)
            if on_step is not None:
                on_step(done)
        return Run(
            name,
            tuple(steps),
            discrepancy,
            len(trace) - 1,
            time.monotonic() - began,
            ready - began,
            tuple(self.mover.failures),
            self._initial,
        )

    def _check_mapped(self, trace: Sequence[ModelStep]) -> None:
        """What the mapping does not speak of is no fault of the system's."""
        for step in trace[1:]:
            if step.action not in self.mapping.actions:
                message = f"the mapping does not say what {step.action} is in the system"
                help = f"write [action.{step.action}]; a [known] table has random traces avoid its steps"
                raise SourceError(Diagnostic("unmapped-action", message, self.mapping.places.key("action"), help=help))

    def _begin(self, first: ModelStep) -> Discrepancy | None:
        """Bring the system to the initial state: a few tries, as who wins a race is not ours to say."""
        if self._started and self._restored(first):
            return None
        limits, discrepancy = self.mapping.limits, None
        for attempt in range(1, limits.start_tries + 1):
            if self._started:
                self.driver.reset()
            else:
                self._started = True
                self.driver.start()
            self.mover.forget()
            self.strays.forget()
            self._initial = ()
            try:
                discrepancy = self._try_to_begin(first)
            except (NeverCame, SystemFailed) as problem:
                discrepancy = self._not_begun(problem)
            except DriverError:
                if attempt == limits.start_tries:
                    raise
                continue
            if discrepancy is None:
                break
        return discrepancy

    def _restored(self, first: ModelStep) -> bool:
        """Whether the system could be brought back to the initial state as it is, which saves a new start."""
        if not self.mapping.reset:
            return False
        try:
            self.driver.open(self.mapping.gates)
            self.mover.tolerant = True
            found = self._try_to_begin(first, self.mapping.reset, self.mapping.limits.reset_seconds)
            self.mover.forget()  # what has come so far is of the trace before
            self.strays.forget()
        except (NeverCame, SystemFailed, DriverError):
            return False
        finally:
            self.mover.tolerant = False
        return found is None

    def _try_to_begin(
        self, first: ModelStep, moves: Sequence[Move] | None = None, seconds: float | None = None
    ) -> Discrepancy | None:
        seconds = self.mapping.limits.start_seconds if seconds is None else seconds
        self.mover.perform(self.mapping.start if moves is None else moves, first.state, {}, seconds)
        comparisons = self._agree(first, first, seconds, beginning=True)
        self._initial = tuple(comparisons)
        self.driver.hold(self.mapping.gates)
        self.mover.take_in(0.0)  # what has failed has failed now, and not in the first step
        self.lawful.begin(self.driver.held(), first.state)
        wrong = [each for each in comparisons if not each.equal]
        if not wrong:
            return None
        return Discrepancy("start", 0, "", _differing(wrong), wrong[0].node, wrong[0].variable, tuple(wrong))

    # ----------------------------------------------------------------------------------------------------------- steps

    def _step(self, number: int, before: ModelStep, step: ModelStep) -> tuple[StepRun, Discrepancy | None]:
        """One action: its moves, then the comparison, then whether anything has come that should not."""
        began, self.mover.waited = time.monotonic(), 0.0
        comparisons, discrepancy, ran = [], None, None
        assert step.action is not None
        action, mapped = step.text, self.mapping.actions[step.action]
        self.mover.moved = []
        try:
            names = {**(step.parameters or {}), "after": dict(step.state.raw), "kept": self.observer.kept}
            self.mover.perform(mapped.moves, before.state, names, self.mapping.limits.seconds)
            ran = time.monotonic()
            comparisons = self._agree(before, step, self.mapping.limits.patience)
            discrepancy = self._judged(number, action, before, step, comparisons)
        except NeverCame as problem:
            discrepancy = self._never_came(number, action, problem)
        except SystemFailed as problem:
            discrepancy = self._failed(number, action, problem.failure)
        except DriverError as problem:
            discrepancy = self._not_driven(number, action, problem)
        end = time.monotonic()
        ran = end if ran is None else ran  # it did not come to its end
        own, moved = max(0.0, ran - began - self.mover.waited), tuple(self.mover.moved)
        return StepRun(number, action, moved, tuple(comparisons), ran - began, end - ran, own), discrepancy

    def _agree(self, before: ModelStep, step: ModelStep, patience: float, beginning: bool = False) -> list[Comparison]:
        """Every observed variable beside the model's, as soon as all are equal, or when there is no more patience.

        What strays goes on meanwhile.
        """
        deadline = time.monotonic() + patience
        while True:
            self.strays.let_go(before.state, step.state.raw)
            if beginning:
                self.observer.keep()
            comparisons = self.observer.compare(step.state, self.observer.snapshot())
            if all(each.equal for each in comparisons) or time.monotonic() >= deadline or self.driver.instant:
                return comparisons
            self.mover.take_in(_LOOK_AGAIN)

    def _judged(
        self, number: int, action: str, before: ModelStep, step: ModelStep, comparisons: Sequence[Comparison]
    ) -> Discrepancy | None:
        self.mover.take_in(0.0)
        wrong = [each for each in comparisons if not each.equal]
        if wrong:
            where, variable = wrong[0].node, wrong[0].variable
            return Discrepancy(
                "differs", number, action, _differing(wrong), where, variable, tuple(wrong), self._waiting()
            )
        for arrival in self.driver.held():
            if self.strays.lets_go(arrival, before.state, step.state.raw):
                continue
            why = self.lawful.problem(arrival, step.state)
            if why is not None:
                message = f"{arrival}: {why}"
                return Discrepancy(
                    "unexpected", number, action, message, arrival.node, None, (), self._waiting(), self._doing()
                )
        return None

    def _never_came(self, number: int, action: str, problem: NeverCame) -> Discrepancy:
        return Discrepancy(
            "never-came", number, action, problem.message, problem.node, None, (), self._waiting(), self._doing()
        )

    def _not_begun(self, problem: NeverCame | SystemFailed) -> Discrepancy:
        failure = problem.failure if isinstance(problem, SystemFailed) else None
        node = problem.node if isinstance(problem, NeverCame) else problem.failure.node
        waiting, doing = self._waiting(), self._doing()
        return Discrepancy("start", 0, "", str(problem), node, None, (), waiting, doing, failure)

    def _failed(self, number: int, action: str, failure: Failure) -> Discrepancy:
        message = f"node {failure.node}: {failure.message}" if failure.node is not None else failure.message
        return Discrepancy("failed", number, action, message, failure.node, None, (), self._waiting(), (), failure)

    def _not_driven(self, number: int, action: str, problem: DriverError) -> Discrepancy:
        """What made it impossible, such as the end of a node, tells more than that it was."""
        try:
            self.mover.take_in(_FAILURE_SECONDS)
        except SystemFailed as failed:
            return self._failed(number, action, failed.failure)
        except DriverError:
            pass
        failure = Failure(None, "exit", problem.message, problem.log)
        return Discrepancy("failed", number, action, problem.message, None, None, (), (), (), failure)

    def _waiting(self) -> tuple[str, ...]:
        return _told(lambda: [str(each) for each in self.driver.held()])

    def _doing(self) -> tuple[str, ...]:
        return _told(self.driver.doing)


def _told(look: Callable[[], list[str]]) -> tuple[str, ...]:
    """What can be found out for a message; a system that has just failed may not tell."""
    try:
        return tuple(look())
    except (DriverError, SourceError) as problem:
        return (str(problem),)


def _differing(wrong: Sequence[Comparison]) -> str:
    told = [f"{_named(each)} is {each.real}, in the model {each.model}" for each in wrong[:3]]
    return "; ".join(told) + (f"; and {len(wrong) - 3} more" if len(wrong) > 3 else "")


def _named(each: Comparison) -> str:
    return each.variable if each.node is None else f"{each.variable} of {each.node}"
