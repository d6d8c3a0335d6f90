"""Readings of a node: paths from classes or their instances, or from where its threads are held.

[read.zxid]
path = "Q.QuorumPeer.follower.zk.hzxid"       # of a class: a static field, or one of its first live instance
[read.queued]
root = "Q.QuorumPeer"                          # the same: the class by itself; "Q.QuorumPeer[*]" for all instances
path = ["follower.zk.x", "leader.zk.x"]        # the first that is not null
[read.taken]
point = "taken"                                # of every thread that is held at this point, as a tuple
path = "request.zxid"
[read.pending]
thread = "QuorumPeer"                          # of a thread whose name begins like this, wherever it is,
method = "syncWithLeader"                      # in the innermost call of a method: from its local variables
path = "packetsNotCommitted[*].hdr.zxid"
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gristmill.replay.driver import DriverError, Reading
from gristmill.replay.jvm import reading as jvm
from gristmill.replay.jvm.classes import is_gone
from gristmill.replay.jvm.gates import Held
from gristmill.replay.jvm.locals import read_local
from gristmill.replay.jvm.paths import Path, PathError, parse_paths
from gristmill.replay.jvm.points import suggestion
from gristmill.replay.jvm.session import Session
from gristmill.replay.jvm.tasks import Task, together
from gristmill.replay.jvm.wire import JdwpError

_KEYS = ("root", "path", "point", "thread", "method")
_OF_ALL_DRIVERS = ("null", "down", "keep")
_TRIES = 5  # objects may be collected while they are looked at


class Observing:
    def __init__(self, readings: Sequence[Reading]) -> None:
        """Raises `DriverError` for readings that cannot be understood."""
        self._paths = {each.name: _paths_of(each) for each in readings}

    def observe(self, session: Session, readings: Sequence[Reading], held: Sequence[Held]) -> dict[str, Any]:
        """Raises `DriverError`, `JdwpError`, `Disconnected`, `NoAnswer`."""
        for _ in range(_TRIES):
            try:
                return session.machine.run(self._all(session, readings, held))
            except JdwpError as error:
                if not is_gone(error):
                    raise
        return session.machine.run(self._all(session, readings, held))

    def _all(self, session: Session, readings: Sequence[Reading], held: Sequence[Held]) -> Task[dict[str, Any]]:
        at_once = session.reading(session.calling_thread(held))
        roots = {str(each.how["root"]): each for each in readings if "root" in each.how}
        yield from together(_placed(at_once.instances(root), each) for root, each in roots.items())
        values = yield from together(_placed(self._one(session, at_once, each, held), each) for each in readings)
        return {each.name: value for each, value in zip(readings, values, strict=True)}

    def _one(self, session: Session, at_once: jvm.Reading, reading: Reading, held: Sequence[Held]) -> Task[Any]:
        paths = self._paths[reading.name] if reading.name in self._paths else _paths_of(reading)
        if "point" in reading.how:
            there = [each for each in held if each.arrival.point == reading.how["point"]]
            return tuple((yield from together(self._where_held(session, each, paths) for each in there)))
        if "thread" in reading.how:
            name, method = str(reading.how["thread"]), str(reading.how.get("method", ""))
            return (yield from read_local(session.machine, at_once, name, method, paths))
        if "root" in reading.how:
            return (yield from at_once.from_root(str(reading.how["root"]), paths))
        return (yield from at_once.first_of(paths, {}))

    def _where_held(self, session: Session, held: Held, paths: Sequence[Path]) -> Task[Any]:
        wanted = frozenset(path.first for path in paths if path.first is not None)
        found = yield from session.starts(held.armed, held.thread, wanted)
        return (yield from session.reading(held.thread).first_of(paths, found))


def _placed(task: Task[Any], reading: Reading) -> Task[Any]:
    """With the place in the mapping, if something is wrong."""
    try:
        return (yield from task)
    except PathError as error:
        raise DriverError(f"reading {reading.name}: {error.message}", error.help, reading.span) from None


def _paths_of(reading: Reading) -> tuple[Path, ...]:
    how = reading.how
    for key in how:
        if key not in (*_KEYS, *_OF_ALL_DRIVERS):
            raise DriverError(f"reading {reading.name} has no key `{key}`", suggestion(key, _KEYS), reading.span)
    path = how.get("path")
    texts = [path] if isinstance(path, str) else path
    if not isinstance(texts, list) or not texts or not all(isinstance(each, str) for each in texts):
        raise DriverError(f"reading {reading.name} needs a path", 'write path = "CLASS.field"', reading.span)
    try:
        return parse_paths(texts)
    except PathError as error:
        raise DriverError(f"reading {reading.name}: {error.message}", error.help, reading.span) from None
