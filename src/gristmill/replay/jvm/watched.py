"""Points of a mapping, understood: where they are, and what is read there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gristmill.replay.driver import COMMON_OPTIONS, DriverError, Point
from gristmill.replay.jvm.here import SPECIAL
from gristmill.replay.jvm.locate import Spot
from gristmill.replay.jvm.paths import Path, PathError, parse_paths
from gristmill.replay.jvm.points import Place, parse_place, suggestion

_OPTIONS = ("optional", *COMMON_OPTIONS)


@dataclass(frozen=True, slots=True)
class Watched:
    point: Point
    place: Place
    binds: Mapping[str, tuple[Path, ...]]

    @property
    def beginnings(self) -> frozenset[str]:
        """The names that its paths start with."""
        return frozenset(path.first for paths in self.binds.values() for path in paths if path.first is not None)

    def unknown_names(self, spots: Sequence[Spot], aliases: Iterable[str]) -> DriverError | None:
        """What is wrong if a path starts with what nothing is called at any of the places."""
        known = {*SPECIAL, *(variable.name for spot in spots for variable in spot.variables)}
        wrong = sorted(name for name in self.beginnings - known - set(aliases) if not name[0].isupper())
        if not wrong:
            return None
        if spots and not spots[0].named:
            help: str | None = "the class has no names of local variables: arguments are called arg0, arg1, …"
        else:
            help = suggestion(wrong[0], sorted(known))
        return DriverError(f"nothing is called {wrong[0]} at {self.place}", help, self.point.span)


def watched(point: Point, aliases: Mapping[str, str]) -> Watched:
    """Raises `DriverError`."""
    for option in point.options:
        if option not in _OPTIONS:
            message = f"point {point.name}: a point of a JVM has no key `{option}`"
            raise DriverError(message, suggestion(option, _OPTIONS), point.span)
    try:
        binds = {name: parse_paths(text) for name, text in point.bind.items()}
    except PathError as error:
        raise DriverError(error.message, error.help, point.span) from None
    return Watched(point, parse_place(point.at, aliases, point.span), binds)
