"""The driver that a mapping asks for. Each is imported when it is used."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.replay.driver import Driver, Setup
from gristmill.replay.mapping.parts import Mapping, Move
from gristmill.replay.observing import OURS
from gristmill.source import Diagnostic, SourceError
from gristmill.source.toml_reader import suggestion


def setup_of(mapping: Mapping) -> Setup:
    readings = tuple(each for each in mapping.readings.values() if not OURS & each.how.keys())
    return Setup(mapping.nodes, mapping.points, readings, mapping.document, mapping.places, mapping.folder)


def driver_of(mapping: Mapping) -> Driver:
    """Raises `DriverError`, `SourceError` if the mapping does not say what the driver needs, or what it cannot do."""
    driver = _made(mapping)
    problems = [problem for move in _moves(mapping) for problem in _problems(move, mapping, driver)]
    if problems:
        driver.stop()
        raise SourceError(problems)
    return driver


def _moves(mapping: Mapping) -> Iterator[Move]:
    yield from (*mapping.start, *mapping.reset)
    for action in mapping.actions.values():
        yield from action.moves
    for violation in mapping.violations.values():
        yield from violation.moves
    for shared in mapping.moves.values():
        yield from shared


def _problems(move: Move, mapping: Mapping, driver: Driver) -> Iterator[Diagnostic]:
    kinds = driver.kinds()
    if move.kind == "fault" and move.name not in kinds:
        message = f"the driver `{mapping.driver}` has no fault `{move.name}`"
        yield Diagnostic("unknown-fault", message, move.span, help=suggestion(move.name, kinds))
    if move.changes and not driver.sets_values:
        message = f"the driver `{mapping.driver}` cannot set values where an actor is held"
        yield Diagnostic("cannot-set", message, move.span, help="leave `set` out")


def _made(mapping: Mapping) -> Driver:
    setup = setup_of(mapping)
    if mapping.driver == "jvm":
        from gristmill.replay.jvm.driver import JvmDriver

        return JvmDriver(setup)
    if mapping.driver == "network":
        from gristmill.replay.network.driver import NetworkDriver

        return NetworkDriver(setup)
    from gristmill.replay.program.driver import ProgramDriver

    return ProgramDriver(setup)
