"""The explorer in a browser: clicks, keys, expressions, links, traces that go out and come in."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import browsing, opened, reason
from gristmill.stepping.server import StepServer
from gristmill.stepping.session import Session

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


@pytest.fixture
def server(session: Session) -> Iterator[StepServer]:
    with StepServer(session) as found:
        yield found


def is_at(page: Any, link: str) -> None:
    page.wait_for_selector(f'html[data-at="{link}"]', state="attached")


def path(page: Any) -> list[str]:
    found: list[str] = page.locator("#path button > span:last-child").all_inner_texts()
    return found


def test_click_through(browser: Any, server: StepServer) -> None:
    with opened(browser, server.address) as page:
        is_at(page, "")
        page.get_by_text("waiting = {}").click()
        is_at(page, "1")
        assert page.locator("#options .title").all_inner_texts() == ['Ask(p = "a")', 'Ask(p = "<b>")']
        page.get_by_text('Ask(p = "<b>")').click()
        is_at(page, "1.2")
        assert path(page) == ["Initial state", 'Ask(p = "<b>")']
        assert page.locator(".changes").inner_text().split() == ["waiting", "{}", "→", '{"<b>"}']
        page.locator("#back").click()
        is_at(page, "1")
        assert page.locator("#options .visited .title").all_inner_texts() == ['Ask(p = "<b>")']
        page.locator("#path button").first.click()
        page.get_by_text('Ask(p = "a")').click()
        is_at(page, "1.1")
        page.get_by_text("2 steps: 1.2").click()
        is_at(page, "1.2")
        page.locator("#restart").click()
        is_at(page, "")


def test_what_blocks_an_action(browser: Any, server: StepServer) -> None:
    with opened(browser, server.address + "#1") as page:
        is_at(page, "1")
        page.locator("#blocked summary", has_text="Drop").click()
        assert 'owner # "none"' in page.locator("#blocked details[open]").inner_text()
        page.locator("#blocked summary", has_text="Take").click()
        assert '"<b>"' in page.locator("#blocked").inner_text()


def test_keys(browser: Any, server: StepServer) -> None:
    with opened(browser, server.address) as page:
        is_at(page, "")
        for key, link in [("1", "1"), ("1", "1.1"), ("2", "1.1.2"), ("Backspace", "1.1"), ("ArrowRight", "1.1.2")]:
            page.keyboard.press(key)
            is_at(page, link)
        page.go_back()
        is_at(page, "1.1")


def test_an_expression_is_seen_at_every_state_of_the_path(browser: Any, server: StepServer) -> None:
    with opened(browser, server.address + "#1.1.2") as page:
        is_at(page, "1.1.2")
        page.locator("#expression").fill("count + 1")
        page.keyboard.press("Enter")
        page.wait_for_selector("#watches td")
        assert page.locator("#watches td").all_inner_texts() == ["1", "1", "2", "1", "3", "2"]
        page.locator("#expression").fill("count +")
        page.keyboard.press("Enter")
        page.wait_for_selector("#problem:not(:empty)")
        assert "error[" in page.locator("#problem").inner_text()
        page.locator("#back").click()
        is_at(page, "1.1")
        page.wait_for_selector("#watches tbody tr:nth-child(3)", state="detached")
        assert page.locator("#watches td").all_inner_texts() == ["1", "1", "2", "1"]


def test_a_trace_is_saved_and_opened_again(browser: Any, server: StepServer, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    with opened(browser, server.address + "#1.1.2") as page:
        is_at(page, "1.1.2")
        with page.expect_download() as download:
            page.locator("#save").click()
        assert download.value.suggested_filename == "Lock.itf.json"
        download.value.save_as(file)
        assert len(json.loads(file.read_text())["states"]) == 3
        page.locator("#restart").click()
        is_at(page, "")
        page.set_input_files("#open", file)
        is_at(page, "1.1.2")
        document = json.loads(file.read_text())
        document["states"][2]["count"] = 5
        file.write_text(json.dumps(document))
        page.set_input_files("#open", file)
        is_at(page, "1.1")
        assert "state 3 of the trace" in page.locator("#note").inner_text()


def test_a_link_is_an_address_that_leads_to_the_same_state(browser: Any, server: StepServer) -> None:
    with opened(browser, server.address + "#1.1.2") as page:
        is_at(page, "1.1.2")
        assert page.locator("#path button").count() == 3
        page.evaluate("location.hash = '#1.9'")
        page.wait_for_selector("#note:not(:empty)")
        assert "there is no step 9" in page.locator("#note").inner_text()


def test_a_false_invariant_and_a_server_that_has_ended_are_told(browser: Any, session: Session) -> None:
    with StepServer(session) as server, opened(browser, server.address + "#2") as page:
        is_at(page, "2")
        for title in ('Take(p = "a")', "Drop", 'Take(p = "<b>")'):
            page.locator("#options .title", has_text=title).click()
            page.wait_for_selector(f"#path [aria-current=true] >> text={title}")
        assert "False here: Few" in page.locator(".finding").inner_text()
        server.close()
        page.keyboard.press("Backspace")
        page.wait_for_selector("#note:not(:empty)")
        assert "has it been stopped" in page.locator("#note").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [700, 1280])
def test_nothing_sticks_out(browser: Any, server: StepServer, width: int, scheme: str) -> None:
    with opened(browser, server.address + "#1.1.2", width, scheme=scheme) as page:
        is_at(page, "1.1.2")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
