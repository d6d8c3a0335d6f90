"""Replays traces of the model on the system: one action at a time, and after each the two sides are compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from gristmill.replay.driver import Driver, DriverError, Failure
from gristmill.replay.ensemble import Ensemble, differing
from gristmill.replay.mapping.parts import Mapping
from gristmill.replay.moving import Mover, NeverCame, SystemFailed
from gristmill.replay.observing import Observer
from gristmill.replay.result import Comparison, Discrepancy, Run, StepRun
from gristmill.replay.spare import MakeDriver, Spare
from gristmill.replay.steps import ModelStep
from gristmill.source import Diagnostic, SourceError
from gristmill.systems.running.undisturbed import undisturbed

_FAILURE_SECONDS = 0.5  # for a failure to be noticed, when something else has gone wrong because of it

OnStep = Callable[[StepRun], None]


class Coordinator:
    """Drives one system through any number of traces. `close` it, or use it in a `with` statement.

    `spare`: makes the driver of a second one, which is started while a trace is replayed, for the next.
    """

    def __init__(self, mapping: Mapping, driver: Driver, spare: MakeDriver | None = None) -> None:
        self.mapping = mapping
        self.ensemble = Ensemble(mapping, driver)
        self._spare = None if spare is None else Spare(mapping, spare)
        self._trusts_resets = True

    @property
    def driver(self) -> Driver:
        return self.ensemble.driver

    @property
    def mover(self) -> Mover:
        return self.ensemble.mover

    @property
    def observer(self) -> Observer:
        return self.ensemble.observer

    def close(self) -> None:
        """A second Ctrl-C has to wait, as something would be left behind."""
        with undisturbed():
            try:
                self.driver.stop()
            finally:
                if self._spare is not None:
                    self._spare.close()

    def __enter__(self) -> Coordinator:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------------------------ runs

    def run(self, name: str, trace: Sequence[ModelStep], on_step: OnStep | None = None, *, more: bool = False) -> Run:
        """Replay a trace from its initial state, which the system is brought to first. `more`: others will follow.

        Raises `DriverError`, and `SourceError` if the mapping does not say what it needs.
        """
        self._check_mapped(trace)
        run = self._run(name, trace, on_step, more)
        if run.discrepancy is None or not self.ensemble.restored:
            return run
        # What a reset has left may be the reason. From now on nothing but a new start is good enough.
        self._trusts_resets = False
        again = self._run(name, trace, on_step, more, anew=True)
        return again if again.discrepancy is not None else replace(again, only_after_reset=run.discrepancy.message)

    def _run(
        self, name: str, trace: Sequence[ModelStep], on_step: OnStep | None, more: bool, anew: bool = False
    ) -> Run:
        began = time.monotonic()
        steps: list[StepRun] = []
        discrepancy = self._begin(trace[0], anew)
        ready = time.monotonic()
        if more and self._spare is not None and discrepancy is None:
            self._spare.prepare(trace[0])
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
            self.ensemble.initial,
        )

    def _check_mapped(self, trace: Sequence[ModelStep]) -> None:
        """What the mapping does not speak of is no fault of the system's."""
        for step in trace[1:]:
            if step.action not in self.mapping.actions:
                message = f"the mapping does not say what {step.action} is in the system"
                help = f"write [action.{step.action}]; a [known] table has random traces avoid its steps"
                raise SourceError(Diagnostic("unmapped-action", message, self.mapping.places.key("action"), help=help))

    def _begin(self, first: ModelStep, anew: bool) -> Discrepancy | None:
        """Bring a system to the initial state: the one that there is, as it is; one that waits for it; or a new one."""
        if not anew:
            if self._trusts_resets and self.ensemble.restore(first):
                return None
            fresh = self._spare.exchange(self.ensemble, first) if self._spare is not None else None
            if fresh is not None:
                self.ensemble = fresh
                return None
        return self.ensemble.begin(first)

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
            comparisons = self.ensemble.agree(before, step, self.mapping.limits.patience)
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

    def _judged(
        self, number: int, action: str, before: ModelStep, step: ModelStep, comparisons: Sequence[Comparison]
    ) -> Discrepancy | None:
        self.mover.take_in(0.0)
        wrong = [each for each in comparisons if not each.equal]
        if wrong:
            where, variable = wrong[0].node, wrong[0].variable
            return Discrepancy(
                "differs", number, action, differing(wrong), where, variable, tuple(wrong), self.ensemble.waiting()
            )
        for arrival in self.driver.held():
            if self.ensemble.strays.lets_go(arrival, before.state, step.state.raw):
                continue
            why = self.ensemble.lawful.problem(arrival, step.state)
            if why is not None:
                message = f"{arrival}: {why}"
                waiting, doing = self.ensemble.waiting(), self.ensemble.doing()
                return Discrepancy("unexpected", number, action, message, arrival.node, None, (), waiting, doing)
        return None

    def _never_came(self, number: int, action: str, problem: NeverCame) -> Discrepancy:
        waiting, doing = self.ensemble.waiting(), self.ensemble.doing()
        return Discrepancy("never-came", number, action, problem.message, problem.node, None, (), waiting, doing)

    def _failed(self, number: int, action: str, failure: Failure) -> Discrepancy:
        message = f"node {failure.node}: {failure.message}" if failure.node is not None else failure.message
        waiting = self.ensemble.waiting()
        return Discrepancy("failed", number, action, message, failure.node, None, (), waiting, (), failure)

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
