"""A run whose events somebody outside chooses, one after the other, with as much time between them as they like.

Outside of `inside`, the process is as it was: clocks, chance, output and the working directory are the real ones.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

from gristmill.controlled import current, substitutes
from gristmill.controlled.errors import Uncontrolled, WrongScenario
from gristmill.controlled.event import make
from gristmill.controlled.network import Packet
from gristmill.controlled.run import Laboratory, Program
from gristmill.controlled.settings import Settings
from gristmill.controlled.world import World


class Manual:
    """The program has been called, and no node of it runs. The laboratory is prepared, and remains so."""

    def __init__(self, lab: Laboratory, program: Program, settings: Settings, seed: int = 0) -> None:
        lab.begin_run()
        self._lab = lab
        self._chance = random.Random(seed).getstate()
        self.world = World(settings, seed, lab.root, starts_nodes=False)
        with self.inside():
            substitutes.begin_run(seed)
            program(self.world)
        if not self.world.nodes:
            raise WrongScenario("the program has set up no node: it calls world.node(name, main)")

    @contextmanager
    def inside(self) -> Iterator[World]:
        """Here the program's code may run."""
        outer, chance, before = asyncio.events._get_running_loop(), random.getstate(), os.getcwd()
        random.setstate(self._chance)
        current.world = self.world
        try:
            with self._lab.silence():
                yield self.world
        finally:
            asyncio.events._set_running_loop(outer)
            current.world = current.node = None
            self._chance = random.getstate()
            random.setstate(chance)
            self.world.leave_directory()
            os.chdir(before)

    # These, and all that a node or the network is told to do, inside.

    def deliver(self, packet: Packet) -> None:
        """It arrives, and its receiver runs until it is quiet."""
        self.world.perform(make("deliver", packet.key, packet))
        packet.receiver.run_until_quiet()

    def stir(self) -> bool:
        """All that is ready runs, and timers fire that are due; packets stay where they are. Whether something did."""
        stirred = False
        for node in self.world.nodes:
            due = node.loop.next_timer
            if node.up and due is not None and due <= node.loop.time():
                node.loop.fire_timers()
            if node.up and node.loop.ready:
                stirred = True
                node.run_until_quiet()
        return stirred

    def problem(self) -> Uncontrolled | None:
        """What the program has done that is neither controlled nor allowed."""
        return next((each for each in self.world.uncontrolled if not self.world.is_allowed(each)), None)

    def close(self) -> None:
        with self.inside():
            self.world.dispose()
