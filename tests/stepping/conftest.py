"""Specifications to step through, opened for each test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gristmill
from gristmill.specification import Specification
from gristmill.stepping.session import Session

LOCK = """---- MODULE Lock ----
EXTENDS Naturals
CONSTANT P
VARIABLES owner, waiting, count
Init == owner = "none" /\\ waiting \\in {{}, P} /\\ count = 0
Ask(p) == p \\notin waiting /\\ owner # p /\\ waiting' = waiting \\cup {p} /\\ UNCHANGED <<owner, count>>
Take(p) == p \\in waiting /\\ owner = "none" /\\ owner' = p /\\ waiting' = waiting \\ {p} /\\ count' = count + 1
Drop == owner # "none" /\\ owner' = "none" /\\ UNCHANGED <<waiting, count>>
Next == (\\E p \\in P : Ask(p) \\/ Take(p)) \\/ Drop
Few == count < 2
====
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "Lock.tla"
    file.write_text(LOCK)
    (tmp_path / "Lock.cfg").write_text('CONSTANT P = {"a", "<b>"}\nINIT Init\nNEXT Next\nINVARIANT Few\n')
    return file


@pytest.fixture
def opened(lock: Path) -> Iterator[Specification]:
    with gristmill.open(lock) as found:
        yield found


@pytest.fixture
def session(opened: Specification) -> Session:
    return Session(opened)


@pytest.fixture
def taking(session: Session) -> Callable[..., int]:
    """Takes steps by their titles, and gives the number of the state they lead to."""
    from gristmill.report.page.of_trace import title_of

    def take(*titles: str, start: int = 0) -> int:
        number = start
        for title in titles:
            with session.specification.world.active():
                options = [title_of(each.step) for each in session.options(number)]
            number = session.take(number, options.index(title)).number
        return number

    return take
