"""Of a search that found no end: which variable grows, and by which action.

One random behaviour tells, after the search: what is bounded soon reaches its bound, what is not is greater at the end
than ever before. What is said is what was seen on that behaviour, no more.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from gristmill.reference.model import SpecificationModel
from gristmill.search.model import State
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import TimeIsUp, interrupt_thread
from gristmill.values import EvaluationError, Fn, Value

_MOST_STEPS, _LEAST_STEPS = 400, 24
_TRIES = 8  # successors that may fail a constraint


@dataclass(frozen=True, slots=True)
class Growth:
    """`first` and `last`: what the variable measures in the first and the last of `steps` steps."""

    variable: str
    action: str
    first: int
    last: int
    steps: int
    is_number: bool

    def __str__(self) -> str:
        amount = "from {} to {}" if self.is_number else "from {} to {} elements"
        return f"`{self.variable}` grows by {self.action}, {amount.format(f'{self.first:,}', f'{self.last:,}')}"


def sentence(growing: Sequence[Growth]) -> str:
    """All of them in one, since the remedy is the same. They are of one behaviour."""
    it, them = ("it has", "it") if len(growing) == 1 else ("they have", "them")
    return (
        f"{'; '.join(map(str, growing))}, in {growing[0].steps:,} steps of a random behaviour: "
        f"if {it} no bound, the search has no end. A CONSTRAINT can bound {them}."
    )


def growing(model: SpecificationModel, seconds: float) -> list[Growth]:
    """In about so many seconds; nothing if a behaviour cannot be followed for long enough."""
    try:
        with _Guard(2 * seconds), model.undisturbed():
            names, states = _walk(model, time.monotonic() + seconds)
            return sorted(_grown(model, names, states), key=lambda each: each.first - each.last)
    except (EvaluationError, RecursionError, MemoryError, KeyboardInterrupt):
        return []  # the result is there already; this is an addition


class _Guard:
    """Interrupts this thread if it is still inside after so many seconds: a single step may take for ever."""

    def __init__(self, seconds: float) -> None:
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._over = False
        self._timer = threading.Timer(seconds, self._interrupt)
        self._timer.daemon = True

    def _interrupt(self) -> None:
        with self._lock:
            if not self._over:
                interrupt_thread(self._thread, TimeIsUp)

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._over = True
        self._timer.cancel()


def _walk(model: SpecificationModel, until: float) -> tuple[list[str], list[State]]:
    """The actions of a random behaviour, and its states."""
    random = Random(0)
    state = next(iter(model.initial_states()), None)
    names: list[str] = []
    states = [] if state is None else [state]
    while states and len(names) < _MOST_STEPS and time.monotonic() < until:
        steps = [each for each in model.steps(states[-1]) if each.state != states[-1]]
        for taken in random.sample(steps, min(_TRIES, len(steps))):
            if all(each.holds(taken.state) for each in model.constraints):
                names.append(model.actions[taken.action].name)
                states.append(taken.state)
                break
        else:
            break
    return names, states


def _grown(model: SpecificationModel, names: Sequence[str], states: Sequence[State]) -> Iterator[Growth]:
    if len(names) < _LEAST_STEPS:
        return
    for number, variable in enumerate(model.variables):
        values = [model.values(state)[number] for state in states]
        sizes = [measure(value) for value in values]
        if not _keeps_growing(sizes):
            continue
        by = Counter[str]()
        for name, before, after in zip(names, sizes, sizes[1:], strict=False):
            by[name] += max(0, after - before)
        yield Growth(variable, by.most_common(1)[0][0], sizes[0], sizes[-1], len(names), type(values[-1]) is int)


def measure(value: Value) -> int:
    """How large a value is: of a number how far from 0, of what has elements how many, at all depths."""
    if type(value) is int:
        return abs(value)
    if isinstance(value, frozenset | tuple | Fn):
        parts = value.values() if isinstance(value, Fn) else value
        inner = [measure(each) if not isinstance(each, int) or isinstance(value, Fn) else 0 for each in parts]
        return len(value) + sum(inner)
    return 0


def _keeps_growing(sizes: Sequence[int]) -> bool:
    """A new maximum in each quarter of the way, and much greater in the end than in the first one."""
    quarter = len(sizes) // 4
    peaks = [max(sizes[n * quarter : (n + 1) * quarter]) for n in range(4)]
    return peaks[0] < peaks[1] < peaks[2] < peaks[3] and peaks[3] >= peaks[0] + 4
