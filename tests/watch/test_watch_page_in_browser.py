"""The report of watching in a browser: the filter, light and dark, what is shown, and that nothing sticks out."""

from collections.abc import Iterator
from typing import Any

import pytest
from lock_recordings import OUT_OF_TURN, judged

from gristmill.watch.report.page import render_page
from headless import Browser, Page, executable

pytestmark = pytest.mark.skipif(executable() is None, reason="there is no Chromium to open the page in")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    mapping, watched = judged(folder, *OUT_OF_TURN)
    with mapping.specification.world.active():
        (folder / "watched.html").write_text(render_page(mapping, watched), encoding="utf-8")
    return (folder / "watched.html").as_uri()


def shown(page: Page) -> list[Any]:
    rows = "[...document.querySelectorAll('.messages tbody tr')].filter((row) => row.getClientRects().length)"
    found: list[Any] = page.value(f"{rows}.map((row) => Number(row.cells[0].textContent))")
    return found


def set_value(page: Page, control: str, value: str, event: str) -> None:
    page.value(
        f"(() => {{ const it = document.getElementById({control!r}); it.value = {value!r};"
        f" it.dispatchEvent(new Event({event!r})); }})()"
    )
    assert page.errors() == []


def test_messages_are_filtered(browser: Browser, address: str) -> None:
    page = browser.page(address)
    assert shown(page) == [1, 2, 3, 4, 5, 6]
    set_value(page, "wanted", "ticket 2", "input")
    assert shown(page) == [4, 5, 6]
    assert page.text("#count") == "3 of 6"
    set_value(page, "of-kind", "Acquired", "change")
    assert shown(page) == [6]
    page.click("#reset")
    assert shown(page) == [1, 2, 3, 4, 5, 6]
    set_value(page, "of-node", "lock", "change")
    assert shown(page) == [1, 2, 3, 4, 5, 6]
    assert page.text("#count") == "6"


def test_the_alarm_is_told(browser: Browser, address: str) -> None:
    page = browser.page(address)
    told = page.text(".alarm")
    for said in ("lock sent Acquired to client", "it is the turn of this ticket", "current[s] = m.ticket is false"):
        assert said in told
    assert page.value("document.querySelectorAll('.alarm .chart li').length") == 6
    assert page.value("document.querySelectorAll('.alarm .chart li.wrong g.wrong').length") == 1
    page.click(".alarm summary")
    assert "Assign" in page.text(".history")


def test_light_and_dark(browser: Browser, address: str) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    light = browser.page(address).value(background)
    page = browser.page(address, scheme="dark")
    dark = page.value(background)
    assert light != dark
    page.click("#theme")
    assert page.value(background) == light


@pytest.mark.parametrize("width", [360, 800, 1440])
def test_nothing_sticks_out(browser: Browser, address: str, width: int) -> None:
    page = browser.page(address, width=width)
    assert page.value("document.documentElement.scrollWidth") <= width
