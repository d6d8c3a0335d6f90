"""What can be done to nodes besides letting their threads go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gristmill.replay.driver import Arrival, DriverError, Node
from gristmill.replay.jvm.paths import Path, PathError
from gristmill.replay.jvm.points import suggestion
from gristmill.replay.jvm.reading import Reading, Start, raw
from gristmill.replay.jvm.session import Session
from gristmill.replay.jvm.settings import Link, called_path
from gristmill.replay.jvm.tasks import Task, together
from gristmill.replay.jvm.throwing import interrupt
from gristmill.replay.jvm.wire import Ref

if TYPE_CHECKING:
    from gristmill.replay.jvm.driver import JvmDriver


class Faults:
    """`cut` calls what `[jvm] cut` says, on both ends of a link, as far as they have something to be called on. A
    system that connects again by itself heals its links by itself, so `heal` does nothing.

    `invoke` calls a method without arguments: `path` (and `method`, if the path does not end with it), from where the
    thread of an `arrival` is held, or from a class; with `root`, from the instances of a class.

    `interrupt` interrupts the threads whose names begin with `thread`: one that waits then stops waiting, as it does
    when its time is up.
    """

    def __init__(self, driver: JvmDriver) -> None:
        self._driver = driver
        self.kinds: dict[str, Callable[[Node, Mapping[str, Any]], None]] = {
            "start": lambda node, details: driver.begin_node(node),
            "kill": lambda node, details: driver.kill(node),
            "restart": self._restart,
            "pause": lambda node, details: driver.pause(node),
            "continue": lambda node, details: driver.go_on(node),
            "cut": self._cut,
            "heal": lambda node, details: None,
            "invoke": self._invoke,
            "interrupt": self._interrupt,
        }

    def inflict(self, kind: str, node: Node | None, details: Mapping[str, Any]) -> None:
        done = self.kinds.get(kind)
        if done is None:
            raise DriverError(f"the driver has no fault {kind!r}", suggestion(kind, self.kinds))
        arrival = details.get("arrival")
        where = node if node is not None or not isinstance(arrival, Arrival) else arrival.node
        if where is None:
            raise DriverError(f"the fault {kind!r} is one of a node", 'write on = "…"')
        done(where, details)

    def _restart(self, node: Node, details: Mapping[str, Any]) -> None:
        self._driver.kill(node)
        self._driver.begin_node(node)

    def _interrupt(self, node: Node, details: Mapping[str, Any]) -> None:
        name, session = details.get("thread"), self._driver.session(node)
        if not isinstance(name, str):
            help = "write with = { thread = '\"NAME\"' }, as its name begins"
            raise DriverError("which thread is interrupted?", help)
        if session.machine.run(interrupt(session.machine, name)) == 0:
            raise DriverError(f"node {node} has no thread {name}…")

    # ------------------------------------------------------------------------------------------------------- calling

    def _invoke(self, node: Node, details: Mapping[str, Any]) -> None:
        session = self._driver.session(node)
        arrival, root = details.get("arrival"), details.get("root")
        try:
            path = called_path(details.get("path"), details.get("method"))
            if isinstance(arrival, Arrival):
                held = self._driver.held_at(arrival)
                wanted = frozenset({path.first} if path.first else ())
                found = session.machine.run(session.starts(held.armed, held.thread, wanted))
                session.machine.run(session.reading(held.thread).read(path, found, raw))
            elif isinstance(root, str):
                session.machine.run(self._reading(session).from_root(root, [path], raw))
            else:
                nothing: dict[str, Start] = {}
                session.machine.run(self._reading(session).read(path, nothing, raw))
        except PathError as error:
            raise DriverError(f"node {node}: {error.message}", error.help) from None

    def _reading(self, session: Session) -> Reading:
        return session.reading(self._driver.calling_thread(session))

    # ------------------------------------------------------------------------------------------------------- cutting

    def _cut(self, node: Node, details: Mapping[str, Any]) -> None:
        other, links = details.get("to"), self._driver.settings.links
        if not isinstance(other, str):
            raise DriverError("a link is cut between two nodes", 'write with = { to = "…" }')
        if not links:
            raise DriverError("the mapping does not say how a link is cut", "write [[jvm.cut]]")
        count = 0
        for here, there in ((node, other), (other, node)):
            if self._driver.running(here):
                count += sum(self._cut_at(here, there, link) for link in links)
        if count == 0:
            roots = " or ".join(link.root for link in links)
            raise DriverError(f"there is no link between {node} and {other}: no {roots} is for the other node")

    def _cut_at(self, here: Node, there: Node, link: Link) -> int:
        session = self._driver.session(here)
        wanted = self._driver.processes.fill(link.other, there)
        try:
            return session.machine.run(self._cut_all(self._reading(session), link, wanted))
        except PathError as error:
            raise DriverError(f"node {here}: {error.message}", error.help) from None

    def _cut_all(self, reading: Reading, link: Link, wanted: str) -> Task[int]:
        """How many links there were."""
        found = yield from reading.instances(link.root)
        fits = yield from together(self._is_for(reading, each, link.where, wanted) for each in found)
        chosen = [each for each, fitting in zip(found, fits, strict=True) if fitting]
        yield from together(reading.follow(each, link.path.steps, raw) for each in chosen)
        return len(chosen)

    def _is_for(self, reading: Reading, ref: Ref, where: Path | None, wanted: str) -> Task[bool]:
        if where is None:
            return True
        return str((yield from reading.plain_at(ref, where))) == wanted
