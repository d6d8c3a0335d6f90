"""What a mapping says to this driver.

    [alias]
    Q = "org.apache.zookeeper.server.quorum"     # Q.Learner is a class, in points and paths

    [jvm]
    classpath = ["{jars}/*.jar", "!logback*"]    # to find points in before anything runs; {classpath} in [node]
    port = "debug"                               # the name of the port in [node] that the debugger is to listen on
    exceptions = ["java.lang.NullPointerException"]   # a failure wherever it is thrown, also if it is caught …
    exceptions-in = ["Q.*"]                           # … in classes of these names
    system = ["org.apache.zookeeper"]            # packages whose frames are told; all but the JDK's otherwise

    [[jvm.cut]]                                  # how a link to another node is cut
    root = "Q.LearnerHandler"                    # objects, by their class,
    where = "sid"                                # by a path from them, which is …
    is = "{number}"                              # … this, of the other node; {node} otherwise
    path = "sock.close()"                        # what is called on them; `method = "close"` besides, if it has no ()

The command of a node has `-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:{port.debug}`.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.replay.driver import DriverError, Setup
from gristmill.replay.jvm import paths
from gristmill.replay.jvm.classpath import ClassPath
from gristmill.replay.jvm.points import suggestion, unaliased
from gristmill.replay.jvm.watched import Watched, watched
from gristmill.systems.running.templates import filled

_KEYS = ("classpath", "port", "exceptions", "exceptions-in", "system", "cut")
_CUT_KEYS = ("root", "where", "is", "path", "method")


@dataclass(frozen=True, slots=True)
class Link:
    """How links are cut: on objects of the class `root` for which `where` is `other`, a method is called."""

    root: str
    where: paths.Path | None
    other: str
    path: paths.Path


@dataclass(frozen=True, slots=True)
class Settings:
    aliases: Mapping[str, str]
    class_path: ClassPath
    port: str
    exceptions: tuple[str, ...]
    exceptions_in: tuple[str, ...]
    system: tuple[str, ...]
    links: tuple[Link, ...]
    points: tuple[Watched, ...]

    @property
    def path_text(self) -> str:
        return os.pathsep.join(str(entry) for entry in self.class_path.entries)


def settings_of(setup: Setup) -> Settings:
    """Raises `DriverError`, with the place in the mapping."""
    reader = _Reader(setup)
    aliases = reader.aliases()
    return Settings(
        aliases,
        ClassPath(reader.class_path()),
        reader.text("port", "debug"),
        tuple(unaliased(each, aliases) for each in reader.texts("exceptions")),
        tuple(unaliased(each, aliases) for each in reader.texts("exceptions-in")) or ("*",),
        reader.texts("system"),
        reader.links(),
        tuple(watched(point, aliases) for point in setup.points),
    )


class _Reader:
    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.table: Mapping[str, Any] = setup.document.get("jvm", {})
        self.check_keys(self.table, _KEYS, ("jvm",))

    def check_keys(self, table: Mapping[str, Any], known: tuple[str, ...], path: tuple[str | int, ...]) -> None:
        for key in table:
            if key not in known:
                span = self.setup.places.key(*path, key)
                raise DriverError(f"[{path[0]}] has no key `{key}`", suggestion(key, known), span)

    def wrong(self, what: str, *path: str | int) -> DriverError:
        return DriverError(f"`{path[-1]}` must be {what}", span=self.setup.places.value(*path))

    def aliases(self) -> dict[str, str]:
        table = self.setup.document.get("alias", {})
        for name, value in table.items():
            if not isinstance(value, str):
                raise self.wrong("the name of a package or a class", "alias", name)
        return dict(table)

    def text(self, key: str, default: str) -> str:
        value = self.table.get(key, default)
        if not isinstance(value, str):
            raise self.wrong("a text", "jvm", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.table.get(key, [])
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self.wrong("a list of texts", "jvm", key)
        return tuple(found)

    def class_path(self) -> list[Path]:
        """Files and folders; `*` stands for names, and what begins with `!` is left out."""
        values = {name: str(each) for name, each in self.setup.document.get("values", {}).items()}
        values["mapping"] = str(self.setup.folder.resolve())
        span = self.setup.places.value("jvm", "classpath")
        given = [filled(each, values, span) for each in self.texts("classpath")]
        without = [each[1:] for each in given if each.startswith("!")]
        found: list[Path] = []
        for pattern in (each for each in given if not each.startswith("!")):
            matching = [each for each in self._matching(pattern) if not _matches_any(each.name, without)]
            if not matching:
                raise DriverError(f"there is nothing at {pattern}", "the class path has folders and jars", span)
            found += [each for each in matching if each not in found]
        return found

    def _matching(self, pattern: str) -> list[Path]:
        base = (self.setup.folder / pattern).absolute()
        if not any(sign in pattern for sign in "*?["):
            return [base] if base.exists() else []
        return sorted(base.parent.glob(base.name))

    def links(self) -> tuple[Link, ...]:
        tables = self.table.get("cut", [])
        tables = [tables] if isinstance(tables, dict) else tables
        if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            raise self.wrong("a table", "jvm", "cut")
        return tuple(self._link(each, ("jvm", "cut", number)) for number, each in enumerate(tables))

    def _link(self, table: Mapping[str, Any], place: tuple[str | int, ...]) -> Link:
        self.check_keys(table, _CUT_KEYS, place)
        for key, value in table.items():
            if not isinstance(value, str):
                raise self.wrong("a text", *place, key)
        span = self.setup.places.key(*place)
        if "root" not in table:
            raise DriverError("a link is cut at objects of a class", 'write root = "CLASS"', span)
        try:
            where = paths.parse_path(table["where"]) if "where" in table else None
            called = called_path(table.get("path"), table.get("method"))
        except paths.PathError as error:
            raise DriverError(error.message, error.help, span) from None
        return Link(table["root"], where, table.get("is", "{node}"), called)


def _matches_any(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def called_path(path: str | None, method: str | None) -> paths.Path:
    """A path that ends with a call. Raises `PathError`."""
    steps = ".".join(each for each in (path, f"{method}()" if method else None) if each)
    parsed = paths.parse_path(steps)
    if not isinstance(parsed.steps[-1], paths.Call):
        raise paths.PathError(f"{parsed.text} does not say what is called", 'write path = "sock.close()"')
    return parsed
