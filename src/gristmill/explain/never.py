"""Why an action was never possible: the guard that it came to, and that was false.

In each state an action is blocked by one guard or by several, one for each way to choose its parameters. The one that
stands last is told: whoever asks why something never happens wants to know how far it came.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from gristmill.evaluate.evaluator import Evaluator
from gristmill.explain.blocked import Furthest, Reached
from gristmill.explain.text import one_line
from gristmill.explain.vacuity import from_everywhere
from gristmill.ir.model import Action
from gristmill.search import State
from gristmill.source import Span
from gristmill.source.quick_dataclass import dataclass

_MOST_STATES, _OF_MANY = 200, 60  # that are looked at for one action: all, or some of more
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class _Guard:
    text: str
    span: Span | None
    note: str | None


def never_possible(
    evaluator: Evaluator, actions: Sequence[Action], states: Sequence[State], seconds: float
) -> Iterator[str]:
    """A sentence for each of the actions, none of which is possible in any of the states; none if it takes too long."""
    names = dict.fromkeys(action.name for action in actions)
    began = time.thread_time()
    most = len(states) if len(states) <= _MOST_STATES else _OF_MANY
    for number, name in enumerate(names, 1):
        instances = [Furthest(evaluator, action) for action in actions if action.name == name]
        found = _HowFar()
        until = began + seconds * number / len(names)
        for place in from_everywhere(len(states)):
            if found.states == most or time.thread_time() > until:
                break
            found.look(instances, states[place])
        yield from found.sentence(name, len(states))


class _HowFar:
    """How far an action came in the states that were looked at, and how often it came as far as that."""

    def __init__(self) -> None:
        self.states = 0
        self._path: tuple[int, ...] = ()
        self._guards: Counter[_Guard] = Counter()

    def look(self, instances: Sequence[Furthest], state: State) -> None:
        self.states += 1
        reached = [each for action in instances if (each := action.in_state(state)) is not None]
        if reached:
            self._add(max(reached, key=lambda each: each.path))

    def _add(self, reached: Reached) -> None:
        if reached.path < self._path:
            return
        if reached.path > self._path:
            self._path = reached.path
            self._guards.clear()
        guard = reached.blocked.guard
        self._guards[_Guard(guard.text, guard.span, guard.note)] += 1

    def sentence(self, name: str, states: int) -> Iterator[str]:
        if not self._guards:
            return
        (guard, count), *_ = self._guards.most_common(1)
        place = f" ({_place(guard.span)})" if guard.span is not None else ""
        reason = f"there was nothing to choose in {_cut(guard.text)}" if guard.note else f"{_cut(guard.text)} was false"
        if self.states < states:  # how many were looked at may be another number the next time
            furthest = "" if count == self.states else "where it came furthest, "
            yield f"{name}: {furthest}{reason}{place}, as far as states were looked at."
        elif count == states:
            yield f"{name}: {reason} {'in the only state' if states == 1 else f'in all {states:,} states'}{place}."
        else:
            yield f"{name} came furthest in {count:,} of {states:,} states, where {reason}{place}."


def _place(span: Span) -> str:
    written = span.file.original(span)  # in the algorithm, if that is where a user would look
    return f"{os.path.basename(written.file.path)}:{written.line}"


def _cut(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
