"""What the threads of a node are doing, a line for each."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.replay.jvm.connection import Disconnected, NoAnswer
from gristmill.replay.jvm.gates import Held
from gristmill.replay.jvm.helper import NAME
from gristmill.replay.jvm.session import Session
from gristmill.replay.jvm.tasks import Task, together
from gristmill.replay.jvm.threads import Call, Doing
from gristmill.replay.jvm.wire import JdwpError

_MOST_FRAMES = 4


def doing(session: Session, held: Sequence[Held]) -> list[str]:
    points = {each.thread: each.arrival.point for each in held}
    try:
        threads = session.machine.run(_all(session))
    except (Disconnected, NoAnswer, JdwpError) as error:
        return [f"{session.node}: {error}"]
    own = [each for each in threads if each is not None and not each.internal and each.name != NAME]
    return [_line(session, each, points.get(each.thread)) for each in sorted(own, key=lambda each: each.name)]


def _all(session: Session) -> Task[list[Doing | None]]:
    threads = yield from session.machine.objects.threads()
    return (yield from together(_one(session, each.id) for each in threads))


def _one(session: Session, thread: int) -> Task[Doing | None]:
    try:
        return (yield from session.machine.threads.doing(thread))
    except JdwpError:  # it has just ended
        return None


def _line(session: Session, thread: Doing, point: str | None) -> str:
    state = f"held at {point}" if point is not None else thread.state
    packages = session.settings.system
    frames = [str(call) for call in thread.stack if _is_of_system(call, packages)][:_MOST_FRAMES]
    where = " in " + " < ".join(frames or [str(call) for call in thread.stack[:1]])
    return f"{session.node}: {thread.name}: {state}{where}"


def _is_of_system(call: Call, packages: Sequence[str]) -> bool:
    return call.class_name.startswith(tuple(packages)) if packages else not call.of_the_jdk
