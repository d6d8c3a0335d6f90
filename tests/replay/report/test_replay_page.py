"""The report of a replay as one HTML page, as text; `test_replay_page_in_browser.py` has it in a browser."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import replayed_raft as raft

from gristmill.replay.outcome import Outcome
from gristmill.replay.report.entries import MOST_OF_A_KIND, entries
from gristmill.replay.report.page import render_page, write_page
from gristmill.replay.result import Moved

OUTCOMES: dict[str, Callable[[], Outcome]] = {
    "differences": raft.with_differences,
    "shrunk": raft.shrunk,
    "not-started": raft.not_started,
    "conforming": raft.conforming,
    "confirming": raft.confirming,
}
VOID = {"meta", "input", "br", "link", "img"}


class Page(HTMLParser):
    """Elements with their attributes, and the text of the page. Fails if a tag is not closed in its place."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.scripts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))  # of SVG

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else ""
        (self.scripts if inside == "script" else self.words).append(data)

    def having(self, name: str, value: str) -> list[dict[str, str | None]]:
        return [own for _, own in self.elements if value in (own.get(name) or "").split()]

    @property
    def text(self) -> str:
        return " ".join(self.words)


def page_of(outcome: Outcome) -> Page:
    return Page(render_page(raft.mapping(), outcome))


def data_of(page: Page) -> Any:
    return json.loads(page.scripts[0])


@pytest.mark.parametrize("name", OUTCOMES)
def test_it_is_well_formed_and_its_names_are_unique(name: str) -> None:
    page = page_of(OUTCOMES[name]())
    names = [own["id"] for _, own in page.elements if "id" in own]
    assert len(names) == len(set(names))
    links = [own["href"] or "" for tag, own in page.elements if tag == "a"]
    assert {each[1:] for each in links if not re.fullmatch(r"#\d+\.\d+", each)} <= set(names)


@pytest.mark.parametrize("name", OUTCOMES)
def test_it_needs_nothing_from_elsewhere(name: str) -> None:
    text = render_page(raft.mapping(), OUTCOMES[name]())
    assert re.findall(r"https?:", text) == []
    assert re.findall(r"@import|url\(|//[a-z]+\.", text) == []
    page = Page(text)
    assert [tag for tag, _ in page.elements if tag in ("link", "img", "iframe", "object", "base")] == []
    assert [own for _, own in page.elements if own.keys() & {"src", "srcset", "xlink:href", "action"}] == []


def test_nothing_of_a_system_becomes_markup() -> None:
    """What a specification and a system say is full of brackets, and may be hostile."""
    outcome = raft.with_differences()
    outcome.caveats.append(raft.HOSTILE)
    outcome.unobserved = {"net": raft.HOSTILE, raft.HOSTILE: ""}
    outcome.observed = (*outcome.observed, raft.HOSTILE)
    outcome.avoided[raft.HOSTILE] = 2
    outcome.actions[raft.HOSTILE] = 3
    outcome.unmet = (raft.HOSTILE,)
    outcome.pairs[raft.HOSTILE, raft.HOSTILE] = 1
    outcome.system = outcome.specification = raft.HOSTILE
    first = outcome.replayed[1]
    strange = Moved("release", raft.HOSTILE, raft.HOSTILE, raft.HOSTILE, raft.HOSTILE)
    step = replace(first.run.steps[0], action=raft.HOSTILE, moves=(strange,), unexpected=(raft.HOSTILE,))
    run = replace(first.run, name=raft.HOSTILE, steps=(step, *first.run.steps[1:]))
    outcome.replayed[1] = replace(first, run=run)
    text = render_page(raft.mapping(), outcome)
    page = Page(text)
    assert len([tag for tag, _ in page.elements if tag == "script"]) == 2
    assert text.count("<img") == text.count("<script>alert") == 0
    assert not [own for _, own in page.elements if any(name.startswith("on") for name in own)]
    assert "\x07" not in text
    assert page.text.count('</script><img src=x onerror="alert(1)">&amp;�') >= 10


def test_the_verdict_comes_first_and_says_what_it_rests_on() -> None:
    text = page_of(raft.with_differences()).text
    head = text[: text.index("Runs")]
    for said in (
        "3 discrepancies between the model and the system",
        "5 traces, 89 steps, 12.5 s, seed 7",
        "9 variables compared after every step",
        "3 not observed",
        "12 of 22 actions replayed",
        "41 steps avoided",
    ):
        assert said in head
    for said in ("messages are held by the tap & never read back", "issue 7: two candidates of one term"):
        assert said in text


def test_every_action_has_its_bar_or_is_named() -> None:
    outcome = raft.with_differences()
    page = page_of(outcome)
    assert len(page.having("class", "fill")) == len(outcome.actions)
    behind = page.text[page.text.index("Never replayed: 10 actions") :]
    assert [name for name in outcome.unmet if name not in behind] == []
    assert f"{len(outcome.pairs)} pairs of actions" in page.text


def test_runs_of_a_kind_are_counted_where_they_are_many() -> None:
    outcome = raft.shrunk()
    again = [replace(outcome.replayed[0], smallest=None) for _ in range(9)]
    outcome.replayed += again
    shown = entries(outcome)
    assert [each.part for each in shown[:2]] == ["smallest", "whole"]
    assert len({id(each.replayed) for each in shown}) == MOST_OF_A_KIND
    assert [each.more for each in shown if each.more] == [10 - MOST_OF_A_KIND]
    assert "5 further runs of this kind" in page_of(outcome).text


def test_the_chart_has_a_row_a_step_and_an_arrow_a_message() -> None:
    page = page_of(raft.conforming())
    run = raft.conforming().replayed[0].run
    moves = [move for step in run.steps for move in step.moves]
    assert len(page.having("role", "option")) == len(run.steps) + 1
    assert len(page.having("class", "message")) == sum(
        move.what == "release" and move.other is not None for move in moves
    )
    assert len(page.having("class", "bar")) == sum(move.what == "release" and move.other is None for move in moves)
    assert len(page.having("class", "fault")) == sum(move.what == "fault" for move in moves)
    assert page.having("class", "error") == page.having("class", "wrong") == []


def test_the_discrepancy_is_marked_in_the_chart() -> None:
    page = page_of(raft.shrunk())
    assert [own["data-step"] for own in page.having("class", "wrong")] == ["7", "9"]
    assert page.text.count("✗ term differs") == 2


def test_the_data_has_both_sides_of_every_step() -> None:
    """Unfolded as the script does it, it is what was compared."""
    outcome = raft.with_differences()
    data, shown = data_of(page_of(outcome)), entries(outcome)
    texts = data["texts"]
    assert len(data["runs"]) == len(shown)
    for told, entry in zip(data["runs"], shown, strict=True):
        now: dict[int, list[Any]] = {}
        for step, comparisons in zip(told["steps"], [entry.run.initial, *_compared(entry.run)], strict=True):
            for pair in step["gone"]:
                del now[pair]
            now |= {pair: rest for pair, *rest in step["values"]}
            found = {_pair(told, texts, pair): [texts[rest[0]], texts[rest[1]], rest[2]] for pair, rest in now.items()}
            wanted = {(each.variable, each.node): [each.model, each.real, int(each.equal)] for each in comparisons}
            assert found == wanted


def _compared(run: Any) -> list[Any]:
    return [step.comparisons for step in run.steps]


def _pair(run: Any, texts: list[str], pair: int) -> tuple[str, str | None]:
    name, node = run["pairs"][pair]
    return texts[name], None if node is None else texts[node]


def test_variables_that_are_not_observed_are_shown_as_the_model_has_them() -> None:
    data = data_of(page_of(raft.conforming()))
    steps, texts = data["runs"][0]["steps"], data["texts"]
    assert {texts[name] for name, _, _ in steps[1]["model"]} == {"net", "leaders", "leaderLog"}
    before, after = ({texts[name]: texts[value] for name, value, _ in step["model"]} for step in steps[:2])
    assert before["net"] == "{}"
    assert "PreVoteRequest" in after["net"]


def test_a_step_that_was_not_compared_shows_where_the_model_went() -> None:
    data = data_of(page_of(raft.with_differences()))
    never = next(run for run in data["runs"] if data["texts"][run["discrepancy"]["title"]] == "an action never came")
    last, texts = never["steps"][-1], data["texts"]
    changed = {texts[name]: texts[value] for name, value, before in last["model"] if before is not None}
    assert changed["role"] == '(s1 :> "Leader" @@ s2 :> "Follower" @@ s3 :> "PreCandidate")'
    assert [texts[each] for each in never["discrepancy"]["doing"]] == [
        f"main[s{n}]: waits in poll()" for n in (1, 2, 3)
    ]


def test_it_is_written_as_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_page(path, raft.mapping(), raft.conforming())
    assert path.read_text(encoding="utf-8") == render_page(raft.mapping(), raft.conforming())


def test_without_a_run_there_is_still_a_page() -> None:
    nothing = replace(raft.conforming(), replayed=[], traces=0, conforming=0)
    assert "Nothing was replayed" in page_of(nothing).text
