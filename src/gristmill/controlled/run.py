"""One run of a program under a strategy."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import logging
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TextIO

from gristmill.controlled import current, guard, substitutes
from gristmill.controlled.choices import enabled, partitions
from gristmill.controlled.connections import Connection
from gristmill.controlled.errors import (
    Uncontrolled,
    Violation,
    WrongScenario,
    describe_error,
    kind_of_error,
    verdict_of_error,
)
from gristmill.controlled.event import Event
from gristmill.controlled.network import Packet
from gristmill.controlled.node import Node
from gristmill.controlled.settings import Settings
from gristmill.controlled.story import Story
from gristmill.controlled.strategies import Diverged, Strategy
from gristmill.controlled.world import World
from gristmill.search.budget.deadline import TookTooLong, call

Program = Callable[[World], None]
Outcome = Literal["finished", "quiet", "cut", "violation"]


@dataclass(frozen=True, slots=True)
class Run:
    """`cut`: the run reached a bound. `quiet`: nothing could happen any more, and no task was waiting."""

    outcome: Outcome
    events: tuple[str, ...]
    violation: Violation | None
    uncontrolled: tuple[Uncontrolled, ...]
    outside: frozenset[str]
    faults: dict[str, int]
    seconds: float
    digest: bytes  # of the events
    order: bytes  # of what each node saw: runs that differ only in how nodes take turns have the same
    story: Story


def make_root() -> str:
    """A new directory, in memory if there is such a place."""
    fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.mkdtemp(prefix="gristmill-", dir=fast)


class Laboratory:
    """Where runs take place: the standard library is replaced, files have a place, output goes nowhere."""

    def __init__(self, quiet: bool = True, root: str = "") -> None:
        self.root = root  # of the nodes' directories; removed in the end
        self.quiet = quiet
        self.runs = 0
        self._sink: TextIO = sys.stdout  # of what is printed, once all is prepared

    @contextmanager
    def open(self) -> Iterator[Laboratory]:
        with self.prepared(), self.silence():
            yield self

    @contextmanager
    def prepared(self) -> Iterator[None]:
        """All but that what the program prints goes nowhere."""
        guard.install()
        before = os.getcwd()
        self.root = self.root or make_root()
        collecting = gc.isenabled()
        gc.freeze()
        gc.disable()  # when rubbish is collected would be decided by what ran before
        try:
            with substitutes.installed(), open(os.devnull, "w") as self._sink, self._no_remarks():
                yield
        finally:
            gc.unfreeze()
            if collecting:
                gc.enable()
            os.chdir(before)
            shutil.rmtree(self.root, ignore_errors=True)
            self.root = ""

    @contextmanager
    def _no_remarks(self) -> Iterator[None]:
        """Neither logs nor warnings."""
        if not self.quiet:
            yield
            return
        disabled = logging.root.manager.disable
        logging.disable(logging.CRITICAL)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        finally:
            logging.disable(disabled)

    @contextmanager
    def silence(self) -> Iterator[None]:
        """What the program prints goes nowhere, while this lasts."""
        if not self.quiet:
            yield
            return
        before = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self._sink
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before

    def run(self, program: Program, strategy: Strategy, settings: Settings, seed: int) -> Run:
        """Raises `LimitReached` if the search has to stop before the run is over."""
        self.begin_run()
        world = World(settings, seed, self.root)
        substitutes.begin_run(seed)
        events: list[Event] = []
        outer = asyncio.events._get_running_loop()
        try:
            current.world = world
            outcome = call(settings.real_seconds, _run, world, program, strategy, events)
        except TookTooLong as error:
            world.fail_slow(error)
            outcome = "violation"
        finally:
            # The run may have been interrupted just where a node's loop was about to restore it. No signal comes here.
            asyncio.events._set_running_loop(outer)
            world.dispose()
            current.world = None
        return _result(world, outcome, events)

    def begin_run(self) -> None:
        self.runs += 1
        if self.runs % 25 == 0:
            gc.collect()


def _run(world: World, program: Program, strategy: Strategy, events: list[Event]) -> Outcome:
    try:
        program(world)
        if not world.nodes:
            raise WrongScenario("the program has set up no node: it calls world.node(name, main)")
        if world.settings.partitions:
            partitions(world)  # wrong sides are told at once
        outcome = _steps(world, strategy, events)
    except Uncontrolled:
        return "cut"
    except (Diverged, TookTooLong, WrongScenario, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit and its like leave even the callbacks of a loop
        world.fail("exception", describe_error(error), kind_of_error(error), verdict_of_error(error))
        return "violation"
    if world.violation is None:
        world.check_end(cut=outcome == "cut")
    return "violation" if world.violation is not None else outcome


def _steps(world: World, strategy: Strategy, events: list[Event]) -> Outcome:
    settings = world.settings
    while world.violation is None:
        if world.finished:
            return "finished"
        if world.step >= settings.steps or world.now > settings.seconds or _blocked(world):
            return "cut"
        possible = enabled(world)
        if all(event.kind in ("crash", "reset", "partition") for event in possible):
            _check_hang(world)  # nothing but a fault can happen, and it need not
            return "quiet"
        chosen = strategy.choose(possible, world.step + 1)
        events.append(chosen)
        world.perform(chosen)
    return "violation"


def _blocked(world: World) -> bool:
    return any(not world.is_allowed(found) for found in world.uncontrolled)


def _check_hang(world: World) -> None:
    waiting = [node.name for node in world.nodes if not node.daemon and node.up and not node.done]
    if waiting and world.settings.hang_fails:
        text = f"nothing can happen any more, and {', '.join(waiting)} still waits"
        world.fail("hang", text, verdict="deadlock")


def _result(world: World, outcome: Outcome, events: list[Event]) -> Run:
    texts = tuple(event.text for event in events)
    return Run(
        outcome=outcome,
        events=texts,
        violation=world.violation,
        uncontrolled=tuple(world.uncontrolled),
        outside=frozenset(world.outside),
        faults=dict(world.used),
        seconds=world.now,
        digest=_digest("\n".join(texts)),
        order=_order(world, events),
        story=Story(tuple(node.name for node in world.nodes), world.records, world.packets, world.describe),
    )


def _order(world: World, events: list[Event]) -> bytes:
    seen: dict[str, list[str]] = {node.name: [] for node in world.nodes}
    for event in events:
        subject = event.subject
        if isinstance(subject, Packet):
            if event.kind in ("deliver", "split"):
                seen[subject.receiver.name].append(event.text)
        elif isinstance(subject, Node):
            seen[subject.name].append(event.text)
        elif isinstance(subject, tuple):
            seen[subject[0].name].append(event.text)
        elif isinstance(subject, Connection):  # both ends see it break
            for node in {subject.client, subject.server}:
                seen[node.name].append(event.text)
    return _digest("\n\n".join("\n".join([name, *texts]) for name, texts in seen.items()))


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def hash_seed() -> str:
    """How strings are hashed in this process, on which the order of sets depends: a number, or "random"."""
    return os.environ.get("PYTHONHASHSEED", "random") if sys.flags.hash_randomization else "0"
