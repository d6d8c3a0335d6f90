"""Stateful depth-first search, and with its three parameters all reductions of it.

- `key` gives what is stored of a state: all of it; its relevant part (DBSS's selective hashing); a canonical form of
  either under permutations of processes (symmetry).
- `selective_push` keeps states with a single enabled transition off the stack (DBSS's selective push-on-stack).
- `reduce` gives a sufficient subset of the transitions of a state (partial-order reduction).

With a relevant part as key and selective push this is Algorithm 1 of Saissi et al., "Efficient Verification of
Distributed Protocols Using Stateful Model Checking", with two corrections. As printed, its last lines pop a state that
may have transitions left, which are then never fired (`tests/explore/test_explore_dbss.py` shows it); the proof of
Lemma 1 has a state popped when all are. And it never asks whether the property holds in the initial state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from gristmill.explore.model import Model, State, Transition, is_end
from gristmill.explore.result import Found, Meter
from gristmill.explore.views import Checker

Key = Callable[[State], Hashable]
Reduce = Callable[[State, Sequence[Transition]], Sequence[Transition]]


def depth_first(
    model: Model,
    checker: Checker,
    meter: Meter,
    key: Key = lambda state: state,
    selective_push: bool = False,
    reduce: Reduce | None = None,
) -> set[Hashable]:
    """Visits every reachable state up to `key`; raises `Found` with the path to the first violation."""
    search = _DepthFirst(model, checker, meter, key, selective_push, reduce)
    for first in model.initial():
        search.run(first)
    return search.reached


class _Frame:
    """A state on the stack: what is left to fire in it, and how long the path to it is."""

    __slots__ = ("depth", "left", "state")

    def __init__(self, state: State, left: list[Transition], depth: int) -> None:
        self.state, self.left, self.depth = state, left, depth


class _DepthFirst:
    def __init__(
        self, model: Model, checker: Checker, meter: Meter, key: Key, selective_push: bool, reduce: Reduce | None
    ) -> None:
        self.model, self.checker, self.meter, self.key = model, checker, meter, key
        self.selective_push, self.reduce = selective_push, reduce
        self.reached: set[Hashable] = set()
        self.stack: list[_Frame] = []
        # The counterexample stack: every transition of the current path, also of states that are not on the stack.
        self.path: list[Transition] = []
        self.on_path: set[Hashable] = set()

    def run(self, first: Transition) -> None:
        frame = self.visit(first)
        while frame is not None or self.stack:
            if frame is None:  # backtrack to the last state that is on the stack
                frame = self.stack[-1]
                self.shorten_path(frame.depth)
                if not frame.left:
                    self.stack.pop()
                    frame = None
                    continue
            transition = frame.left.pop()
            self.meter.clock()
            self.meter.counts.transitions += 1
            frame = self.visit(transition)
        self.shorten_path(0)

    def visit(self, transition: Transition) -> _Frame | None:
        """Go to the transition's target if it is new; its frame if there is something to fire in it."""
        if transition.problem:
            raise Found(None, [*self.path, transition])
        state = transition.target
        known = self.key(state)
        if known in self.reached:
            return None
        self.meter.state()
        self.reached.add(known)
        self.path.append(transition)
        self.on_path.add(known)
        return self.expand(state)

    def expand(self, state: State) -> _Frame | None:
        violation = self.checker.violation(state)
        enabled = self.model.transitions(state)
        if violation is None and is_end(enabled):
            violation = self.checker.violation_at_end(state)
        if violation is not None:
            raise Found(violation, self.path)
        self.meter.at_depth(len(self.path))
        if not enabled or self.meter.too_deep(len(self.path)):
            return None
        frame = _Frame(state, self.to_fire(state, enabled), len(self.path))
        if not self.selective_push or len(frame.left) > 1:
            self.stack.append(frame)
            self.meter.counts.pushes += 1
        return frame

    def to_fire(self, state: State, enabled: list[Transition]) -> list[Transition]:
        """In reverse, as they are taken from the end. A reduced set must not close a cycle: then all are fired.

        Otherwise a transition could be put off for ever, round and round (the cycle proviso).
        """
        chosen: Sequence[Transition] = enabled
        if self.reduce is not None:
            chosen = self.reduce(state, enabled)
            if len(chosen) < len(enabled) and any(self.key(one.target) in self.on_path for one in chosen):
                chosen = enabled
        return list(reversed(chosen))

    def shorten_path(self, length: int) -> None:
        while len(self.path) > length:
            self.on_path.discard(self.key(self.path.pop().target))
