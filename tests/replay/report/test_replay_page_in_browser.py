"""The report of a replay in a browser: keys, slider, clicks, what is shown, and that nothing overlaps or sticks out."""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import replayed_raft as raft

from gristmill.replay.outcome import Outcome, Replayed
from gristmill.replay.report.page import write_page
from gristmill.replay.result import Comparison, Moved, Run, StepRun
from headless import Browser, Page, executable

pytestmark = pytest.mark.skipif(executable() is None, reason="there is no Chromium to open the page in")

WHERE = "[document.getElementById('where').textContent, location.hash]"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("pages") / "differences.html", raft.with_differences())


def written(path: Path, outcome: Outcome) -> str:
    write_page(path, raft.mapping(), outcome)
    return path.as_uri()


def selected(page: Page) -> list[Any]:
    rows = "[...document.querySelectorAll('.chart.shown [aria-selected=true]')]"
    found: list[Any] = page.value(f"{rows}.map((row) => Number(row.dataset.step))")
    return found


def test_it_opens_at_the_first_discrepancy_with_both_sides(browser: Browser, differences: str) -> None:
    page = browser.page(differences)
    assert page.value(WHERE) == ["step 30 of 30", "#1.30"]
    assert selected(page) == [30]
    sides = page.text("#sides")
    for said in ("a variable has another value", "log of s2 and commit of s2 differ", "[1].term", "Held, waiting"):
        assert said in sides
    marked = page.value("[...document.querySelectorAll('#sides .other')].map((each) => each.textContent)")
    assert "9" in marked
    assert "31" in marked
    shown = page.value("[...document.querySelectorAll('#sides .differs .equal')].map((each) => each.textContent)")
    assert shown == ["≠", "≠"]


def test_a_system_that_does_not_start_as_it_should_is_shown_at_the_initial_state(
    browser: Browser, tmp_path: Path
) -> None:
    page = browser.page(written(tmp_path / "start.html", raft.not_started()))
    assert page.value(WHERE) == ["step 0 of 0", "#1.0"]
    assert "term of s3 differs" in page.text("#sides")
    cells = page.value("[...document.querySelectorAll('#sides .differs .value')].map((each) => each.innerText)")
    assert cells == ["0", "5"]
    assert "22 of 23 values agree." in page.text("#sides")


def test_keys_go_from_step_to_step(browser: Browser, differences: str) -> None:
    page = browser.page(differences + "#1.12")
    for key, step in [("ArrowLeft", 11), ("ArrowRight", 12), ("ArrowRight", 13)]:
        page.press(key)
        assert page.value(WHERE) == [f"step {step} of 30", f"#1.{step}"]
        assert selected(page) == [step]
    page.value("document.querySelector('.chart.shown ol').focus()")
    for key, step in [
        ("ArrowDown", 14),
        ("ArrowUp", 13),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("End", 30),
        ("ArrowRight", 30),
    ]:
        page.press(key)
        assert selected(page) == [step]


def test_the_slider_goes_to_a_step_by_its_own_keys(browser: Browser, differences: str) -> None:
    page = browser.page(differences + "#1.12")
    page.value("document.getElementById('slider').focus()")
    page.press("ArrowRight")
    assert page.value(WHERE) == ["step 13 of 30", "#1.13"]
    page.press("Home")
    assert page.value(WHERE) == ["step 0 of 30", "#1.0"]
    assert page.value("document.getElementById('previous').disabled") is True
    page.click("#next")
    assert page.value("document.getElementById('slider').value") == "1"


def test_a_click_into_the_chart_shows_the_step(browser: Browser, differences: str) -> None:
    page = browser.page(differences)
    page.click(".chart.shown li[data-step='12'] svg")
    assert page.value(WHERE) == ["step 12 of 30", "#1.12"]
    assert "12 Propose(s1)" in page.text("#sides")
    assert "put {'command': 1}" in page.text("#sides")


def test_another_run_is_chosen_from_the_list(browser: Browser, differences: str) -> None:
    page = browser.page(differences)
    page.click(".runs a[data-run='2']")
    assert page.value(WHERE) == ["step 11 of 11", "#3.11"]
    for said in ("an action never came", "nothing is held at VoteGrant", "main[s3]: waits in poll()"):
        assert said in page.text("#sides")
    assert "The model after this step" in page.text("#sides")
    assert page.value("document.querySelectorAll('.chart.shown').length") == 1


def test_only_what_changed_is_shown_unless_all_is_asked_for(browser: Browser, differences: str) -> None:
    page = browser.page(differences + "#1.12")
    names = "[...document.querySelectorAll('#sides .variable')].map((each) => each.innerText).filter(Boolean)"
    assert page.value(names) == ["log", "sent", "leaderLog"]
    assert "21 of 23 values are equal and as they were before" in page.text("#sides")
    assert "read: itsLog" not in page.text("#sides")
    page.click("#all")
    assert len(page.value("[...document.querySelectorAll('#sides td.equal')]")) == 23
    page.click("#readings")
    assert "read: itsLog" in page.text("#sides")


def test_long_values_are_folded_until_they_are_asked_for(browser: Browser, differences: str) -> None:
    page = browser.page(differences + "#1.16")
    page.click("#all")
    cell = "[...document.querySelectorAll('#sides .rest')].find((row) => row.innerText.startsWith('net')).children[1]"
    assert "characters …" in page.value(f"{cell}.textContent")
    page.value(f"{cell}.querySelectorAll('button.fold').forEach((button) => button.click())")
    with raft.mapping().specification.world.active():
        net = raft.trace(30)[16].state.raw["net"]
        assert page.value(f"{cell}.textContent") == raft.show(net)


def test_what_a_system_says_is_never_run(browser: Browser, differences: str) -> None:
    page = browser.page(differences + "#4.6")
    assert raft.HOSTILE[:-1] in page.text("#sides")
    assert page.value("document.querySelectorAll('img').length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_as_the_browser_wants_until_they_are_chosen(
    browser: Browser, differences: str, scheme: str
) -> None:
    page = browser.page(differences, scheme=scheme)
    page.value("localStorage.clear(), delete document.documentElement.dataset.theme")
    assert _is_dark(page) == (scheme == "dark")
    page.click("#theme")
    assert _is_dark(page) == (scheme == "light")
    page.value("localStorage.clear()")


def _is_dark(page: Page) -> bool:
    color = page.value("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, color[4:-1].split(","))) < 3 * 128


@pytest.mark.parametrize("width", [360, 390, 768, 1024, 1280, 1920])
def test_nothing_sticks_out_of_the_page(browser: Browser, differences: str, width: int) -> None:
    page = browser.page(differences, width=width, height=800)
    page.click("#all")
    page.click("#pairs summary")
    assert page.value("document.documentElement.scrollWidth") <= width


def test_labels_in_the_chart_do_not_overlap(browser: Browser, differences: str) -> None:
    page = browser.page(differences)
    overlaps = page.value(
        """(() => {
          const found = [];
          for (const svg of document.querySelectorAll('.chart.shown li svg')) {
            const whole = svg.getBoundingClientRect();
            const boxes = [...svg.querySelectorAll('text')].map((each) => each.getBoundingClientRect());
            boxes.forEach((a, i) => {
              if (a.left < whole.left || a.right > whole.right + 1) found.push('out');
              boxes.slice(i + 1).forEach((b) => {
                if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) found.push('over');
              });
            });
          }
          return found;
        })()"""
    )
    assert overlaps == []


def test_three_hundred_steps_with_forty_variables(browser: Browser, tmp_path: Path) -> None:
    page = browser.page(written(tmp_path / "large.html", _large()) + "#1.150")
    page.press("ArrowRight")
    assert page.value(WHERE) == ["step 151 of 300", "#1.151"]
    page.click("#all")
    assert len(page.value("[...document.querySelectorAll('#sides td.equal')]")) == 40 * 5
    page.value("document.querySelector('.chart.shown ol').focus()")
    page.press("End")
    assert selected(page) == [300]


ROW_IN_VIEW = """(() => {
  const row = document.querySelector('.chart.shown [aria-selected=true]'), box = row.closest('.scroll');
  const own = row.getBoundingClientRect();
  return own.top >= box.querySelector('.names').getBoundingClientRect().bottom - 1
    && own.bottom <= box.getBoundingClientRect().bottom + 1;
})()"""


@pytest.mark.parametrize("width", [390, 1440])
def test_the_step_in_view_is_in_view_in_the_chart(browser: Browser, differences: str, width: int) -> None:
    page = browser.page(differences + "#1.15", width=width)
    for keys in (["ArrowRight"] * 12, ["ArrowLeft"] * 25):
        for key in keys:
            page.press(key)
            assert page.value(ROW_IN_VIEW) is True


@pytest.mark.parametrize(
    ("mine", "theirs", "marked"),
    [
        ("<<1, 2, 3>>", "<<1, 5, 3>>", ["2"]),
        ("<<1, 2, 3>>", "<<1>>", ["2", "3"]),
        ("<<>>", "<<1>>", ["<<>>"]),
        ("{a, b, c}", "{b}", ["a", "c"]),
        ("{b}", "{a, b}", []),
        ('[x |-> <<1, 2>>, y |-> "a, b"]', '[y |-> "a, c", x |-> <<1, 3>>]', ["2", '"a, b"']),
        ("[x |-> 1, y |-> 2]", "[x |-> 1]", ["y |-> 2"]),
        ("(s1 :> 1 @@ s2 :> {2})", "(s1 :> 1 @@ s2 :> {})", ["2"]),
        ("(s1 :> 1 @@ <<s1, s2>> :> 3)", "(s1 :> 1 @@ <<s1, s2>> :> 4)", ["3"]),
        ('"[not, a record]"', '"[no, record]"', ['"[not, a record]"']),
        ("no value: a[1, is not there", "<<1>>", ["no value: a[1, is not there"]),
        ("5", "6", ["5"]),
    ],
)
def test_what_differs_inside_of_a_value_is_marked(
    browser: Browser, differences: str, mine: str, theirs: str, marked: list[str]
) -> None:
    script = files("gristmill.report.page").joinpath("static", "difference.js").read_text(encoding="utf-8")
    page = browser.page(differences)
    places = page.value(f"(() => {{ {script}; return differingPlaces({json.dumps(mine)}, {json.dumps(theirs)}); }})()")
    assert [mine[start:end] for start, end in places] == marked


def _large() -> Outcome:
    """Of five nodes; in every step something changes, and long messages go to and fro."""
    nodes = [*raft.mapping().nodes, "a client", "another client"]
    steps = []
    for number in range(1, 301):
        values = tuple(
            Comparison(f"variable{n}", node, text := _large_value(number, n), text, True, f"field{n}")
            for n in range(40)
            for node in nodes
        )
        move = Moved("release", nodes[number % 5], "thread from here", nodes[number % 3], f"AMessageOfKind{number % 7}")
        steps.append(StepRun(number, f"Action{number % 11}({nodes[number % 5]})", (move,) * (1 + number % 3), values))
    trace = [raft.trace(1)[0]] * 301
    outcome = raft.conforming()
    run = Run("large", tuple(steps), None, 300, initial=steps[0].comparisons)
    return replace(outcome, replayed=[Replayed(tuple(trace), run)])


def _large_value(number: int, variable: int) -> str:
    return "<<" + ", ".join(str(n) for n in range((number + variable) // 40)) + ">>"
