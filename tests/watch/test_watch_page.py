"""The report of watching as a page: what stands in it, that it needs nothing else, and that nothing in it is code."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from lock_recordings import ASSIGNED, HEALTHY, OUT_OF_TURN, ask, judged

from gristmill.watch.report.page import render_page

VOID = {"meta", "input", "br"}


class Wellformed(HTMLParser):
    """Every element is closed, in order; and the addresses that are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.ids += [value for name, value in attributes if name == "id" and value]
        self.links += [str(value) for name, value in found.items() if name in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(path: Path, *messages: dict[str, object]) -> str:
    mapping, watched = judged(path, *messages)
    with mapping.specification.world.active():
        return render_page(mapping, watched)


def parsed(html: str) -> Wellformed:
    found = Wellformed()
    found.feed(html)
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    return found


def test_an_alarm(tmp_path: Path) -> None:
    html = page(tmp_path, *OUT_OF_TURN)
    found = parsed(html)
    text = re.sub(r"<[^>]+>", " ", html)
    for said in ("Alarm: lock does not follow the specification", "it is the turn of this ticket", "current[s]"):
        assert said in text
    assert found.links == ["#alarm-0"]
    assert "alarm-0" in found.ids
    assert html.count("<tr data-from") + html.count('<tr class="differs" data-from') == len(OUT_OF_TURN)


@pytest.mark.parametrize(
    ("messages", "tone", "said"),
    [
        (HEALTHY, "good", "No alarm: 8 messages of lock follow the specification"),
        ((*ASSIGNED, ask("Steal")), "warning", "messages Steal are not described in the mapping"),
        ((), "warning", "No messages were found"),
    ],
)
def test_other_verdicts(tmp_path: Path, messages: tuple[dict[str, object], ...], tone: str, said: str) -> None:
    html = page(tmp_path, *messages)
    parsed(html)
    assert f'class="verdict {tone}"' in html
    assert said in re.sub(r"<[^>]+>", " ", html)


def test_it_asks_for_nothing_else(tmp_path: Path) -> None:
    html = page(tmp_path, *OUT_OF_TURN)
    assert not re.search(r"https?://|@import|url\(", html.replace("http://www.w3.org/2000/svg", ""))


def test_what_a_system_says_is_text(tmp_path: Path) -> None:
    """A kind of messages that looks like HTML, and control characters."""
    html = page(tmp_path, *ASSIGNED, ask("</script><img src=x onerror=alert(1)>\x1b[2J"))
    assert "<img" not in html
    assert "\x1b" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
