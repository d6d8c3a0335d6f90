"""Asyncio programs under the controlled world: packets with messages are actors, and the next timer of each node."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from gristmill.controlled import Node as WorldNode
from gristmill.controlled import World
from gristmill.controlled.errors import Uncontrolled, WrongScenario, describe_error, place_of_error
from gristmill.controlled.manual import Manual
from gristmill.controlled.network import Packet
from gristmill.controlled.run import Laboratory
from gristmill.explore.system import System
from gristmill.replay.driver import DriverError, Failure, Node, Reading, Setup
from gristmill.replay.program import world_faults
from gristmill.replay.program.looking import Looking
from gristmill.replay.program.paths import NotPlain, plain
from gristmill.replay.program.settings import ProgramSettings
from gristmill.replay.program.stage import Actor, Stage
from gristmill.search.budget.deadline import TookTooLong, call
from gristmill.source.toml_reader import suggestion

T = TypeVar("T")

_MESSAGES = ("data", "datagram")  # packets that carry some, rather than open or end connections
_ALLOW = 'keep it out of the program, or let it through with a word of this message: allow = ["…"] in [program]'


class WorldStage(Stage):
    def __init__(self, setup: Setup, settings: ProgramSettings) -> None:
        assert not isinstance(settings.target, System)
        self.setup, self.settings, self.program = setup, settings, settings.target
        self.looking = Looking(setup, settings.files)
        self.operations = {name: self._operation(name) for name in setup.document.get("client", {})}
        self._lab = Laboratory()
        self._open = ExitStack()
        self._prepared = False
        self._run: Manual | None = None
        self._failures: list[Failure] = []
        self._messages: dict[Packet, Actor | None] = {}

    # ------------------------------------------------------------------------------------------------------------ runs

    def begin(self) -> None:
        if not self._prepared:
            self._open.enter_context(self._lab.prepared())
            self._prepared = True
        self._failures.clear()
        self._messages.clear()
        try:
            self._run = Manual(self._lab, self.program, self.settings.controlled, self.settings.seed)
        except WrongScenario as error:
            raise DriverError(str(error), None, self.setup.places.value("program", "file")) from None
        except Exception as error:
            text = f"the program cannot be set up: {describe_error(error)}"
            raise DriverError(text, None, self.setup.places.value("program", "file")) from None
        self._check_nodes(self._run.world)

    def _check_nodes(self, world: World) -> None:
        names = [node.name for node in world.nodes]
        for node in self.setup.nodes:
            if node not in names:
                help = f"the program has set up {', '.join(names)}; `nodes` in [system] says what they are in the model"
                raise DriverError(f"the program has no node {node}", help, self.setup.places.value("system", "nodes"))
        for own in world.nodes:
            if own.name not in self.setup.nodes:  # it is nobody's business when that one starts
                own.start()

    def end(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.close()

    def close(self) -> None:
        self._prepared = False
        self._open.close()

    def _inside(self, action: Callable[[Manual], T]) -> T:
        """Run the program's code. Raises `DriverError` if that cannot be controlled, or does not come to an end."""
        run = self._run
        assert run is not None, "the driver was not started"
        try:
            with run.inside():
                made = call(self.settings.controlled.real_seconds, action, run)
        except TookTooLong as error:
            seconds = self.settings.controlled.real_seconds
            raise DriverError(f"the program took more than {seconds:g} s; it was at {place_of_error(error)}") from None
        except Uncontrolled as error:
            raise _uncontrolled(error) from None
        problem = run.problem()
        if problem is not None:
            raise _uncontrolled(problem)
        violation = run.world.violation
        if violation is not None:
            run.world.violation = None
            name = "" if violation.name == "exception" else f"{violation.name}: "
            self._failures.append(Failure(violation.node or None, "exception", f"{name}{violation.message}"))
        return made

    def _node(self, name: Node) -> WorldNode:
        assert self._run is not None, "the driver was not started"
        return self._run.world.network.nodes[name]

    # ---------------------------------------------------------------------------------------------------------- moving

    def stir(self) -> None:
        self._inside(self._stir)

    def _stir(self, run: Manual) -> None:
        stirred = True
        while stirred:
            stirred = run.stir()
            for packet in run.world.network.in_flight:
                if packet.deliverable and self._message(packet) is None:
                    run.deliver(packet)
                    stirred = True
                    break

    def actors(self) -> list[Actor]:
        assert self._run is not None, "the driver was not started"
        world = self._run.world
        packets = (self._message(packet) for packet in world.network.in_flight if packet.deliverable)
        timers = (self._timer(node) for node in world.nodes if node.up)
        return [actor for actor in (*packets, *timers) if actor is not None]

    def _message(self, packet: Packet) -> Actor | None:
        """What is on its way, unless it is no message."""
        if packet not in self._messages:
            self._messages[packet] = self._decoded(packet) if packet.kind in _MESSAGES else None
        return self._messages[packet]

    def _decoded(self, packet: Packet) -> Actor | None:
        if self.settings.decode is None:
            return None
        try:
            found = plain(self.settings.decode(packet.data))
        except NotPlain as error:
            raise DriverError(f"a message from {packet.sender.name}: {error}", *self._decoder()) from None
        except Exception as error:
            text = f"a message from {packet.sender.name} was not understood: {describe_error(error)}"
            raise DriverError(text, *self._decoder()) from None
        if found is None:
            return None
        message = found if isinstance(found, dict) else {"kind": str(found)}
        kind = str(message.get("kind", ""))
        sender, receiver = packet.sender.name, packet.receiver.name
        given = {"from": sender, "to": receiver, "kind": kind, "message": message}
        return Actor(packet, f"{sender} -> {receiver} #{packet.number}", receiver, "message", kind, given, message)

    def _decoder(self) -> tuple[str, Any]:
        return "`decode` makes a dict of the bytes of a packet", self.setup.places.value("program", "decode")

    def _timer(self, node: WorldNode) -> Actor | None:
        handle = node.loop.first_timer
        if handle is None:
            return None
        name = _timer_name(node, handle)
        given = {"kind": name, "milliseconds": round((handle.when() - node.loop.time()) * 1000)}
        return Actor(handle, f"timer {name} of {node.name}", node.name, "timer", name, given, given)

    def go_on(self, actor: Actor) -> None:
        if actor.at == "message":
            packet = actor.key
            assert isinstance(packet, Packet)
            self._messages.pop(packet, None)
            self._inside(lambda run: run.deliver(packet))
        else:
            self._inside(lambda run: self._node(actor.node).fire_next())

    def failures(self) -> list[Failure]:
        found, self._failures = self._failures, []
        return found

    # --------------------------------------------------------------------------------------------- looking and acting

    def check_reading(self, reading: Reading) -> None:
        self.looking.check(reading)

    def read(self, node: Node, readings: Sequence[Reading]) -> dict[str, Any]:
        own = self._node(node)
        return self._inside(lambda run: {each.name: self._read(run.world, own, each) for each in readings})

    def _read(self, world: World, node: WorldNode, reading: Reading) -> Any:
        return self._sent(node) if "sent" in reading.how else self.looking.read(reading, node, (world, node))

    def _sent(self, node: WorldNode) -> dict[Node, tuple[Any, ...]]:
        """The messages from this node to each other that are on their way, in their order."""
        found: dict[Node, list[Any]] = {other: [] for other in self.setup.nodes}
        for packet in node.network.in_flight:
            actor = self._message(packet) if packet.sender is node else None
            if actor is not None and actor.node in found:
                found[actor.node].append(actor.bound)
        return {other: tuple(messages) for other, messages in found.items()}

    def running(self, node: Node) -> bool:
        return self._node(node).up

    def folder(self, node: Node) -> Path | None:
        return Path(self._node(node).directory)

    def call(self, operation: str, node: Node, arguments: Mapping[str, Any]) -> None:
        function = self.operations.get(operation)
        if function is None:
            help = suggestion(operation, self.operations) or f"write [client.{operation}]"
            raise DriverError(f"there is no operation {operation!r} of clients", help)
        own = self._node(node)
        try:
            self._inside(lambda run: _begin(function, run.world, own, arguments))
        except DriverError:
            raise
        except Exception as error:
            raise DriverError(f"{operation} on {node}: {describe_error(error)}") from None

    def _operation(self, name: str) -> Callable[..., Any]:
        table, places = self.setup.document["client"][name], self.setup.places
        for key in table:
            if key != "python":
                text = f"[client.{name}] has no key `{key}`"
                raise DriverError(text, 'python = "FILE.py:function"', places.key("client", name, key))
        if not isinstance(table.get("python"), str):
            text = f"[client.{name}] does not say what is done"
            raise DriverError(text, 'write python = "FILE.py:function"', places.key("client", name))
        return self.settings.files.function(table["python"], places.value("client", name, "python"))

    def fault(self, kind: str, node: Node | None, details: Mapping[str, Any], actor: Actor | None) -> None:
        found = None if node is None else self._node(node)
        other = self._node(details["to"]) if "to" in details else None
        self._inside(lambda run: world_faults.do(kind, found, other, details, actor))

    def kinds(self) -> tuple[str, ...]:
        return world_faults.KINDS

    def no_messages(self) -> tuple[str, str] | None:
        if self.settings.decode is None:
            return "nothing says what the bytes of messages mean", 'write decode = "FILE.py:function" in [program]'
        return None

    def doing(self) -> list[str]:
        assert self._run is not None, "the driver was not started"
        world = self._run.world
        lines = [self._state(node) for node in world.nodes]
        for one, other in sorted(sorted(node.name for node in pair) for pair in world.network.cuts):
            lines.append(f"{one} and {other} do not reach each other")
        links: dict[tuple[Node, Node], list[str]] = {}
        for packet in world.network.in_flight:
            actor = self._message(packet)
            said = packet.kind if actor is None else actor.kind or packet.kind
            links.setdefault((packet.sender.name, packet.receiver.name), []).append(said)
        return lines + [f"{one} -> {other}: {', '.join(said)}" for (one, other), said in sorted(links.items())]

    def _state(self, node: WorldNode) -> str:
        if not node.up:
            return f"{node.name} is down"
        timer = self._timer(node)
        next_ = f", next timer {timer.kind} in {timer.given['milliseconds']} ms" if timer is not None else ""
        return f"{node.name} is up{next_}" + (", its main function has ended" if node.done else "")


def _begin(function: Callable[..., Any], world: World, node: WorldNode, arguments: Mapping[str, Any]) -> None:
    """A plain function is called by the world; a coroutine is a task of the node."""
    made = function(world, node, arguments)
    if inspect.iscoroutine(made):
        node.loop.create_task(made)


def _timer_name(node: WorldNode, handle: asyncio.TimerHandle) -> str:
    """The function that is to be called, or the coroutine that sleeps."""
    callback, arguments = handle._callback, handle._args  # type: ignore[attr-defined]
    for task in node.loop.tasks if arguments and isinstance(arguments[0], asyncio.Future) else ():
        if getattr(task, "_fut_waiter", None) is arguments[0]:
            callback = task.get_coro()
    name = getattr(callback, "__qualname__", None) or type(callback).__name__
    return str(name).rpartition(".")[2]


def _uncontrolled(found: Uncontrolled) -> DriverError:
    return DriverError(f"the program does what cannot be controlled: {found}", _ALLOW)
