"""Breadth-first search by actors, each of which owns a part of the states; level by level.

Within a level, partitions expand their states in rounds. What each has found for another is stored there, before the
next level begins. So the states of a level, their number, and how many were generated are those of one machine. In a
long level a partition has its next round to do before what it has found in this one was delivered, so that none waits.

Nothing is believed that can be counted: what one partition says it has sent, the other must have received; what was
generated must be what was sent, cut or known; a level must have been expanded to its last state. When all partitions
have saved what they have found, the level is over. If an actor is lost before that, or a state does not fit, the level
is done again from its beginning: storing a state twice changes nothing, and all its counts begin anew.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial
from typing import Any, TypeVar

from gristmill.cluster.errors import ClusterError, LostError, MismatchError
from gristmill.cluster.partition import Event, Expanded, Inserted, Saved
from gristmill.cluster.task import History, Learnt, MisfitsError, Task, learnt_from
from gristmill.cluster.team import Team
from gristmill.search import Limits, OnProgress
from gristmill.search.budget.limits import LimitReached
from gristmill.search.progress import Progress
from gristmill.source.quick_dataclass import dataclass

Answer = TypeVar("Answer")

_MOST_LOSSES = 8  # one after the other, without a level being finished
_MOST_LAYOUTS = 24
_MOST_SAMPLES = 20_000
_LONG = 20_000  # states of a partition in a level, for which it takes several rounds, perhaps


@dataclass(slots=True)
class Totals:
    """Of all levels that are over; or of one."""

    generated: int = 0
    cut: int = 0
    expanded: int = 0
    repeated: int = 0
    sent: int = 0  # from one partition to another
    defined: int = 0  # values that were sent along
    bytes: int = 0  # saved
    taken: list[int] = field(default_factory=list)
    found: list[int] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def add(self, other: Totals) -> None:
        for name in ("generated", "cut", "expanded", "repeated", "sent", "defined", "bytes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.taken = _sums(self.taken, other.taken)
        self.found = _sums(self.found, other.found)
        self.events += other.events


def _sums(some: list[int], others: Iterable[int]) -> list[int]:
    others = list(others)
    return [a + b for a, b in zip(some, others, strict=True)] if some else others


class ClusterSearch:
    """`counts`: for each level that is over, the states that each partition has found for it."""

    def __init__(
        self,
        team: Team,
        task: Task,
        learnt: Learnt,
        limits: Limits,
        on_progress: OnProgress | None,
        most: int,
    ) -> None:
        self.team, self.task, self.learnt, self.limits = team, task, learnt, limits
        self.owners = task.owners
        self.totals = Totals()
        self.counts: list[tuple[int, ...]] = []
        self._layouts = [learnt]  # all that there were
        self._saved_with: list[int] = []  # for each level that is over, which of them
        self.memory: tuple[Saved, ...] = ()
        self.losses = 0  # actors that were started again
        self.rounds = 0
        self._initial: bytes | None = None
        self._most = most
        self._again = False  # the level that is being done was begun before
        self._on_progress = on_progress
        self._started = time.monotonic()
        self._now = Totals()  # of the level that is being done
        self._stored = [0] * task.owners
        self._largest = 0  # bytes of an actor's memory

    # ---------------------------------------------------------------------------------------------------- where it is

    @property
    def distinct(self) -> int:
        return sum(map(sum, self.counts))

    @property
    def queue(self) -> int:
        """States that are found and not expanded, when a level is over."""
        return self.distinct - self.totals.expanded

    @property
    def depth(self) -> int:
        return sum(1 for level in self.counts if sum(level))

    @property
    def generated(self) -> int:
        return self.totals.generated

    def tick(self) -> None:
        """Tell about the progress, and look whether it must end. Raises `LimitReached`."""
        seconds = time.monotonic() - self._started
        if self._on_progress is not None:
            found = max(self.distinct, sum(self._stored))
            queue = found - self.totals.expanded - self._now.expanded
            generated = self.generated + self._now.generated
            self._on_progress(Progress(found, generated, queue, self.depth, seconds, self._largest))
        reason = self.limits.exceeded(seconds, self._largest)
        if reason is not None:
            raise LimitReached(reason)

    # -------------------------------------------------------------------------------------------------------- the run

    def begin(self, initial: bytes, generated: int, cut: int) -> None:
        """All initial states that are within the constraints, checked; `generated` with those that are not."""
        self._initial = initial
        self._start(range(self.owners))
        self._repeated(self._first_level)
        self.totals.generated, self.totals.cut = generated, cut

    def explore(self) -> None:
        """Until nothing is left, or something is wrong. Raises `LimitReached`."""
        while self.counts[-1] and sum(self.counts[-1]) and not self.totals.events:
            level = len(self.counts)
            if level == self.limits.depth:
                raise LimitReached(f"The depth limit of {level} was reached")
            if level > 1 and (reason := self.limits.too_many(self.distinct)):
                raise LimitReached(reason)
            self._repeated(partial(self._level, level))

    def path(self, event: Event) -> list[tuple[int | None, bytes]]:
        """Actions and states from an initial state to the parent of an event."""
        return self._repeated(lambda: self._path(event.parent))

    def _path(self, last: int) -> list[tuple[int | None, bytes]]:
        path: list[tuple[int | None, bytes]] = []
        at: int | None = last
        while at is not None:
            number, owner = divmod(at, self.owners)
            at, action, state = self._gather({owner: self.team.call(owner, "state", number)})[owner]
            path.append((action, state))
            if len(path) > len(self.counts) + 1:
                raise MismatchError("the origins of a state lead nowhere")
        path.reverse()
        return path

    # --------------------------------------------------------------------------------------------- when something goes

    def _repeated(self, attempt: Callable[[], Answer]) -> Answer:
        """What `attempt` gives, in the end: after a loss, or with another layout, it is tried again."""
        trouble: LostError | MisfitsError | None = None
        losses = 0
        while True:
            try:
                if isinstance(trouble, LostError):
                    self._replace()
                elif trouble is not None:
                    self._learn(trouble)
                self._now, self._again = Totals(), trouble is not None
                return attempt()
            except LostError as error:
                trouble, losses = error, losses + 1
                if losses > _MOST_LOSSES:
                    why = str(error).strip().splitlines()
                    raise ClusterError(f"actors die again and again: {why[0] if why else 'lost'}") from None
            except MisfitsError as error:
                trouble = error

    def _start(self, numbers: Iterable[int]) -> None:
        """The first one compiles: the others on its machine find what it has compiled."""
        first, *others = numbers
        self.team.start(first, self.task, self.learnt)
        if others:
            self._gather({first: self.team.call(first, "who")})
        for number in others:
            self.team.start(number, self.task, self.learnt)

    def _replace(self) -> None:
        """Start those actors again that have died; each takes up what it had saved."""
        alive = self.team.alive(range(self.owners), self.tick)
        dead = [number for number in range(self.owners) if number not in alive]
        for number in dead:
            self.team.end(number)
        if dead:
            self._start(dead)
            self.losses += len(dead)
            self._restore(dead, is_new=True)

    def _learn(self, trouble: MisfitsError) -> None:
        """All partitions get a layout that fits, and take up what they had saved."""
        before = self.learnt
        self.learnt = learnt_from(before, trouble.misfits)
        self._layouts.append(self.learnt)
        if len(self._layouts) > _MOST_LAYOUTS or self.learnt == before or len(self.learnt.samples) > _MOST_SAMPLES:
            raise ClusterError("no layout fits its states for long", "check it without --cluster")
        self._restore(range(self.owners), is_new=False)

    def _restore(self, numbers: Iterable[int], is_new: bool) -> None:
        """`is_new`: they have just been started."""
        used = tuple(sorted(set(self._saved_with)))
        layouts = tuple(self._layouts[each] for each in used)
        learnt = tuple(used.index(each) for each in self._saved_with)
        misfits = self._gather(
            {
                number: self.team.call(
                    number,
                    "restore",
                    self.learnt,
                    is_new,
                    History(tuple(level[number] for level in self.counts), learnt, layouts),
                )
                for number in numbers
            }
        )
        found = [each for each in misfits.values() if each is not None]
        if found:
            raise MisfitsError(found)

    def _check_alike(self) -> None:
        """States travel as words, so that all must have the same layout."""
        if len({digest for _, _, digest in self._all("who").values()}) > 1:
            raise ClusterError(
                "the machines do not generate the same program from this model",
                "have the same version of gristmill on all of them",
            )

    def _gather(self, calls: dict[int, Any]) -> dict[int, Any]:
        return self.team.gather(calls, self.tick)

    # -------------------------------------------------------------------------------------------------------- a level

    def _all(self, method: str, *arguments: Any) -> dict[int, Any]:
        return self._gather({number: self.team.call(number, method, *arguments) for number in range(self.owners)})

    def _first_level(self) -> None:
        self._check_alike()
        inserted = self._all("initial", self._initial)
        self._accept(inserted.values())
        self._save(1, self._saving(1))

    def _level(self, level: int) -> None:
        """Expand one level, and store the next."""
        if self._again:
            self._check_alike()
        active = set(range(self.owners))
        ahead = 2 if max(self.counts[level - 1]) > _LONG else 1
        expanding: deque[dict[int, Any]] = deque()
        inserting: deque[tuple[dict[int, Any], dict[int, int]]] = deque()
        begins = True
        while active or expanding:
            while active and len(expanding) < ahead:
                expanding.append({number: self._expand(number, level, begins) for number in sorted(active)})
                begins = False
            calls = expanding.popleft()
            reports = self._gather({number: call[0] for number, call in calls.items()})
            self._expanded(level, reports)
            active -= {number for number, report in reports.items() if not report.left}
            inserting.append(self._deliver(calls, reports))
            if len(inserting) > ahead:
                self._received(*inserting.popleft())
            self.rounds += 1
        saving = self._saving(level + 1)
        while inserting:
            self._received(*inserting.popleft())
        _must_be_equal("expanded states", self._now.expanded, sum(self.counts[level - 1]))
        self._save(level + 1, saving)

    def _expand(self, number: int, level: int, begins: bool) -> Any:
        return self.team.call(number, "expand", level, self._most, begins, self._again, parts=self.owners + 1)

    def _expanded(self, level: int, reports: dict[int, Expanded]) -> None:
        self._raise_misfits(reports.values())
        for number, report in reports.items():
            _must_be_equal("states of a level", report.states, self.counts[level - 1][number])
            routed = report.cut + report.unknown + report.repeated + sum(report.sent)
            _must_be_equal("generated states", report.generated, routed)
            _must_be_equal("generated states, by action", report.generated, sum(report.taken))
            self._check_names(report.names)
            self._stored[number] = report.stored
            self._largest = max(self._largest, report.memory)
            away = sum(report.sent) - report.sent[number]
            self._now.add(
                Totals(
                    report.generated,
                    report.cut,
                    report.expanded,
                    report.repeated,
                    away,
                    report.defined,
                    taken=list(report.taken),
                )
            )

    def _deliver(self, calls: dict[int, Any], reports: dict[int, Expanded]) -> tuple[dict[int, Any], dict[int, int]]:
        """Have each partition store what the others have found for it. Batches go from one to the other directly."""
        inserting, expected = {}, {}
        for owner in range(self.owners):
            senders = [number for number in calls if number != owner and reports[number].sent[owner]]
            if senders:
                batches = [calls[number][1 + owner] for number in senders]
                inserting[owner] = self.team.call(owner, "insert", tuple(senders), *batches)
                expected[owner] = sum(reports[number].sent[owner] for number in senders)
        return inserting, expected

    def _received(self, inserting: dict[int, Any], expected: dict[int, int]) -> None:
        inserted: dict[int, Inserted] = self._gather(inserting)
        self._accept(inserted.values())
        for owner, report in inserted.items():
            _must_be_equal("states sent and received", report.received, expected[owner])
            self._stored[owner] = report.stored

    def _accept(self, inserted: Iterable[Inserted]) -> None:
        inserted = list(inserted)
        if any(report.gap for report in inserted):
            raise LostError("a batch of states was lost")
        self._raise_misfits(inserted)
        for report in inserted:
            self._check_names(report.names)

    def _raise_misfits(self, reports: Iterable[Expanded | Inserted]) -> None:
        misfits = [report.misfit for report in reports if report.misfit is not None]
        if misfits:
            raise MisfitsError(misfits)

    def _check_names(self, names: int) -> None:
        """States travel with numbers in place of strings, so no partition may have met one that others do not know."""
        if names != self.task.names:
            raise ClusterError("a string has come up that is not in the specification", "check it without --cluster")

    def _saving(self, level: int) -> dict[int, Any]:
        """All that was sent to a partition is stored before it begins to save."""
        return {number: self.team.call(number, "save", level) for number in range(self.owners)}

    def _save(self, level: int, saving: dict[int, Any]) -> None:
        """Everything of a level is stored: when all partitions have it in their files, it is over."""
        saved: dict[int, Saved] = self._gather(saving)
        _must_be_equal("levels", level, len(self.counts) + 1)
        self.memory = tuple(saved[number] for number in range(self.owners))
        before = [sum(each[number] for each in self.counts) for number in range(self.owners)]
        self._stored = [before[number] + saved[number].states for number in range(self.owners)]
        for each in self.memory:
            self._now.found = _sums(self._now.found, each.found)
            self._now.bytes += each.size
            self._now.events += each.events
        self.counts.append(tuple(each.states for each in self.memory))
        self._saved_with.append(len(self._layouts) - 1)
        self.totals.add(self._now)
        self._now = Totals()


def _must_be_equal(what: str, one: int, other: int) -> None:
    if one != other:
        raise MismatchError(
            f"{what}: {one:,} and {other:,} should be equal; what was found is not to be believed",
            "this is a mistake of gristmill, please report it; without --cluster one machine checks the model",
        )
