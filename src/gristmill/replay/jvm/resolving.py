"""Points of a mapping against class files, before anything runs, and against the machines that do."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.replay.driver import DriverError, Resolved
from gristmill.replay.jvm.session import Session
from gristmill.replay.jvm.settings import Settings
from gristmill.replay.jvm.threads import OF_THE_JDK
from gristmill.replay.jvm.watched import Watched


def check(settings: Settings) -> None:
    """Raises `DriverError` for the first point that is not there. Without a class path nothing is known yet."""
    if not settings.class_path.entries:
        return
    for each in settings.points:
        if each.point.options.get("optional") is not True:
            _places(settings, each)


def resolved(settings: Settings, sessions: Sequence[Session]) -> list[Resolved]:
    return [_resolved(settings, each, sessions) for each in settings.points]


def _resolved(settings: Settings, watched: Watched, sessions: Sequence[Session]) -> Resolved:
    name = watched.point.name
    for session in sessions:
        found = session.arming.spots_of(name)
        if found:
            return Resolved(name, tuple(str(spot) for spot in found))
    try:
        return Resolved(name, _places(settings, watched))
    except DriverError as error:
        return Resolved(name, (), error.message, error.help)


def _places(settings: Settings, watched: Watched) -> tuple[str, ...]:
    class_name = watched.place.class_name
    if class_name.startswith(OF_THE_JDK) and not settings.class_path.has(class_name):
        return (f"{class_name} is of the JDK: looked for when a node runs",)
    if not settings.class_path.entries:
        return ("looked for when a node runs, as there is no `classpath` in [jvm]",)
    spots = settings.class_path.locate(watched.place)
    problem = watched.unknown_names(spots, settings.aliases)
    if problem is not None:
        raise problem
    return tuple(str(spot) for spot in spots)
