"""The explorer in the terminal, driven by textual's pilot: keys in, widgets out."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

textual = pytest.importorskip("textual", reason="textual is an extra: pip install 'gristmill[step]'")

from textual.widgets import Input, ListView, Static  # noqa: E402

from gristmill.stepping.session import Session  # noqa: E402
from gristmill.stepping.terminal import StepApp  # noqa: E402


def driven(app: StepApp, play: Callable[[Any], Awaitable[None]]) -> None:
    async def run() -> None:
        async with app.run_test(size=(140, 44)) as pilot:
            await pilot.pause()
            await play(pilot)

    asyncio.run(run())


def text(app: StepApp, name: str, width: int = 200) -> str:
    from rich.console import Console
    from rich.text import Text

    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(app.query_one(f"#{name}", Static).content)
    return Text.from_ansi(capture.get()).plain


def options(app: StepApp) -> int:
    return len(app.query_one("#options", ListView).children)


def test_take_go_back_and_branch(session: Session) -> None:
    app = StepApp(session)

    async def play(pilot: Any) -> None:
        assert options(app) == 2
        await pilot.press("enter")
        assert "1  Initial state" in text(app, "path")
        assert "Not possible here, and why" in text(app, "state")
        assert 'owner # "none"' in text(app, "state")
        await pilot.press("1")
        assert 'Ask(p = "a")' in text(app, "path")
        assert 'waiting: {} → {"a"}' in text(app, "state")
        await pilot.press("backspace", "down", "enter")
        assert 'Ask(p = "<b>")' in text(app, "path")
        await pilot.press("backspace", "right")
        assert 'Ask(p = "<b>")' in text(app, "path")
        await pilot.press("r")
        assert "Choose an initial state." in text(app, "path")

    driven(app, play)


def test_what_is_broken_in_a_narrow_place_stays_indented(session: Session) -> None:
    app = StepApp(session, session.follow_link("1").number)

    async def play(pilot: Any) -> None:
        lines = [line.rstrip() for line in text(app, "state", 16).splitlines()]
        told = lines[lines.index('Take(p = "a")') : lines.index('Take(p = "<b>")')]
        assert len(told) > 2
        assert all(line.startswith("  ") for line in told[1:])
        at = next(number for number, line in enumerate(lines) if line.startswith("owner ="))
        assert lines[at] == 'owner = "none"'

    driven(app, play)


def test_an_expression_along_the_path(session: Session) -> None:
    app = StepApp(session, session.follow_link("1.1.2").number)

    async def play(pilot: Any) -> None:
        await pilot.press("w", *"count")
        await pilot.press("plus", "1", "enter")
        lines = text(app, "watches").split()
        assert lines == ["count+1", "1", "1", "2", "1", "3", "2"]
        await pilot.press(*"count", "plus", "enter")
        assert "expression" in text(app, "note")
        assert app.query_one("#expression", Input).value == "count+"
        await pilot.press("escape")
        await pilot.press("backspace")
        assert text(app, "watches").split() == ["count+1", "1", "1", "2", "1"]

    driven(app, play)


def test_the_path_is_saved(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "path.itf.json"
    app = StepApp(session, session.follow_link("1.2").number, save_to=str(file))

    async def play(pilot: Any) -> None:
        await pilot.press("s")
        assert "is written" in text(app, "note")
        app.save_to = str(tmp_path / "nowhere" / "x.json")
        await pilot.press("s")
        assert "cannot be written" in text(app, "note")

    driven(app, play)
    assert len(json.loads(file.read_text())["states"]) == 2


def test_a_false_invariant_is_told(session: Session) -> None:
    number = session.follow_link("1.1.2").number
    app = StepApp(session, number, note="here we are")

    async def play(pilot: Any) -> None:
        assert "here we are" in text(app, "note")
        for title in ("Drop", 'Ask(p = "a")', 'Take(p = "a")'):
            with session.specification.world.active():
                from gristmill.report.page.of_trace import title_of

                at = [title_of(each.step) for each in session.options(app.here.number)].index(title)
            await pilot.press(str(at + 1))
        assert "False here: Few" in text(app, "state")
        await pilot.press("q")

    driven(app, play)
