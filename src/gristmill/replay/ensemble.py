"""One system, with those who move it and look at it: brought to the initial state of a trace."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from gristmill.replay.driver import Driver, DriverError
from gristmill.replay.lawful import Lawful
from gristmill.replay.mapping.parts import Mapping, Move
from gristmill.replay.moving import Mover, NeverCame, SystemFailed
from gristmill.replay.observing import Observer
from gristmill.replay.result import Comparison, Discrepancy
from gristmill.replay.steps import ModelStep
from gristmill.replay.straying import Strays
from gristmill.source import SourceError

_LOOK_AGAIN = 0.02  # seconds, while a variable is not yet what it should be


class Ensemble:
    """`initial`: the comparison with the initial state. `restored`: it was brought there without a new start."""

    def __init__(self, mapping: Mapping, driver: Driver) -> None:
        self.mapping, self.driver = mapping, driver
        self.mover = Mover(mapping, driver)
        self.observer = Observer(mapping, driver)
        self.lawful = Lawful(mapping)
        self.strays = Strays(mapping, driver, self.mover)
        self.started = False
        self.restored = False
        self.initial: tuple[Comparison, ...] = ()

    # ------------------------------------------------------------------------------------------------------- beginning

    def begin(self, first: ModelStep) -> Discrepancy | None:
        """Start it anew, in the initial state: a few tries, as who wins a race is not ours to say."""
        limits, discrepancy = self.mapping.limits, None
        self.restored = False
        for attempt in range(1, limits.start_tries + 1):
            if self.started:
                self.driver.reset()
            else:
                self.started = True
                self.driver.start()
            self.mover.forget()
            self.strays.forget()
            self.initial = ()
            try:
                discrepancy = self._try_to_begin(first, self.mapping.start, limits.start_seconds)
            except (NeverCame, SystemFailed) as problem:
                discrepancy = self._not_begun(problem)
            except DriverError:
                if attempt == limits.start_tries:
                    raise
                continue
            if discrepancy is None:
                break
        return discrepancy

    def restore(self, first: ModelStep) -> bool:
        """Whether it could be brought back to the initial state as it is, which saves a new start."""
        if not self.started or not self.mapping.reset:
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
        self.restored = found is None
        return self.restored

    def _try_to_begin(self, first: ModelStep, moves: Sequence[Move], seconds: float) -> Discrepancy | None:
        self.mover.perform(moves, first.state, {}, seconds)
        comparisons = self.agree(first, first, seconds, beginning=True)
        self.initial = tuple(comparisons)
        self.driver.hold(self.mapping.gates)
        self.mover.take_in(0.0)  # what has failed has failed now, and not in the first step
        self.lawful.begin(self.driver.held(), first.state)
        wrong = [each for each in comparisons if not each.equal]
        if not wrong:
            return None
        return Discrepancy("start", 0, "", differing(wrong), wrong[0].node, wrong[0].variable, tuple(wrong))

    def is_still(self, first: ModelStep) -> bool:
        """Whether it is in the initial state that it was brought to a while ago. What has failed is no error."""
        try:
            self.mover.take_in(0.0)
            comparisons = self.agree(first, first, self.mapping.limits.patience)
            self.mover.take_in(0.0)
            self.lawful.begin(self.driver.held(), first.state)
        except (SystemFailed, DriverError):
            return False
        # What is down is not compared, so it must be as much as it was.
        return len(comparisons) == len(self.initial) and all(each.equal for each in comparisons)

    def _not_begun(self, problem: NeverCame | SystemFailed) -> Discrepancy:
        failure = problem.failure if isinstance(problem, SystemFailed) else None
        node = problem.node if isinstance(problem, NeverCame) else problem.failure.node
        return Discrepancy("start", 0, "", str(problem), node, None, (), self.waiting(), self.doing(), failure)

    # --------------------------------------------------------------------------------------------------------- looking

    def agree(self, before: ModelStep, step: ModelStep, patience: float, beginning: bool = False) -> list[Comparison]:
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

    def waiting(self) -> tuple[str, ...]:
        return _told(lambda: [str(each) for each in self.driver.held()])

    def doing(self) -> tuple[str, ...]:
        return _told(self.driver.doing)


def _told(look: Callable[[], list[str]]) -> tuple[str, ...]:
    """What can be found out for a message; a system that has just failed may not tell."""
    try:
        return tuple(look())
    except (DriverError, SourceError) as problem:
        return (str(problem),)


def differing(wrong: Sequence[Comparison]) -> str:
    told = [f"{_named(each)} is {each.real}, in the model {each.model}" for each in wrong[:3]]
    return "; ".join(told) + (f"; and {len(wrong) - 3} more" if len(wrong) > 3 else "")


def _named(each: Comparison) -> str:
    return each.variable if each.node is None else f"{each.variable} of {each.node}"
