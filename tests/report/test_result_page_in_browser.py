"""The page of a check in a browser, of real counterexamples: clicks, keys, the graph, wide and long traces."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gristmill
from browsing import browsing, opened, reason
from gristmill.report.page.result import result_page
from gristmill.search.result import Result

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))

ELECTION = """---- MODULE Election ----
EXTENDS Naturals
VARIABLES msgs, term, leader
Node == {"n1", "n2", "n3"}
Init == msgs = {} /\\ term = [n \\in Node |-> 0] /\\ leader = [n \\in Node |-> FALSE]
Ask(n) == term[n] < 2 /\\ term' = [term EXCEPT ![n] = @ + 1] /\\ UNCHANGED leader
  /\\ msgs' = msgs \\cup {[type |-> "Ask", src |-> n, dst |-> m, term |-> term[n] + 1] : m \\in Node \\ {n}}
Vote(m) == m.type = "Ask" /\\ m.term >= term[m.dst] /\\ term' = [term EXCEPT ![m.dst] = m.term] /\\ UNCHANGED leader
  /\\ msgs' = (msgs \\ {m}) \\cup {[type |-> "Vote", src |-> m.dst, dst |-> m.src, term |-> m.term]}
Win(m) == m.type = "Vote" /\\ leader' = [leader EXCEPT ![m.dst] = TRUE] /\\ msgs' = msgs \\ {m} /\\ UNCHANGED term
Next == (\\E n \\in Node : Ask(n)) \\/ \\E m \\in msgs : Vote(m) \\/ Win(m)
OneLeader == \\A a, b \\in Node : leader[a] /\\ leader[b] => a = b
====
"""


def wide(variables: int, steps: int) -> str:
    """A counter, a queue and a growing set, among many variables that stay as they are."""
    names = [f"v{number}" for number in range(1, variables + 1)]
    initial = "\n".join(
        f"  /\\ {name} = {'<<>>' if name in ('v2', 'v3') else '{}' if name == 'v4' else 0}" for name in names
    )
    rest = ", ".join(name for name in names if name not in ("v1", "v2", "v4"))
    return f"""---- MODULE Wide ----
EXTENDS Naturals, Sequences
VARIABLES {", ".join(names)}
Init ==
{initial}
Tick(i) == /\\ i = v1 % 3 /\\ v1 < {steps} /\\ v1' = v1 + 1
  /\\ v2' = (IF Len(v2) > 20 THEN Tail(v2) ELSE Append(v2, [n |-> v1, who |-> "server"]))
  /\\ v4' = v4 \\cup {{v1}} /\\ UNCHANGED <<{rest}>>
Next == \\E i \\in 0..2 : Tick(i)
Small == v1 < {steps - 1}
====
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Result], str]:
    def write(result: Result) -> str:
        file = tmp_path / "page.html"
        file.write_text(result_page(result, "Model"), encoding="utf-8")
        return file.as_uri()

    return write


def election() -> Result:
    return gristmill.check(ELECTION, init="Init", next="Next", invariants=["OneLeader"])


def die_hard() -> Result:
    return gristmill.check("examples/DieHard.tla", graph=True)


def where(page: Any) -> str:
    found: str = page.locator("#where").inner_text()
    return found


def test_it_opens_at_the_violation_and_steps_by_keys_buttons_slider_and_clicks(browser: Any, written: Any) -> None:
    with opened(browser, written(election())) as page:
        assert where(page) == "state 7 of 7"
        assert "Invariant OneLeader is violated" in page.locator("#sides .finding").inner_text()
        for key, state in [("ArrowLeft", 6), ("ArrowLeft", 5), ("ArrowRight", 6)]:
            page.keyboard.press(key)
            assert where(page) == f"state {state} of 7"
        page.locator("#previous").click()
        assert where(page) == "state 5 of 7"
        page.locator(".chart ol li").nth(1).click()
        assert where(page) == "state 2 of 7"
        page.locator(".chart ol").focus()
        page.keyboard.press("Home")
        assert where(page) == "state 1 of 7"
        page.keyboard.press("ArrowDown")
        assert where(page) == "state 2 of 7"
        page.locator("#slider").focus()
        page.keyboard.press("End")
        assert where(page) == "state 7 of 7"
        assert page.locator("#next").is_disabled()
        assert page.url.endswith("#1.7")


def test_what_changed_is_told_inside_of_values(browser: Any, written: Any) -> None:
    with opened(browser, written(election()) + "#1.4") as page:
        rows = page.locator(".changes li").all_inner_texts()
        assert len(rows) == 2  # a message is taken, another is sent; terms are equal already
        assert rows[0].startswith("msgs − [")
        assert rows[1].startswith("msgs + [")
        page.locator("#all").uncheck()
        assert page.locator("#sides .variable").all_inner_texts() == ["msgs"]
        assert "2 of 3 variables are as they were." in page.locator("#sides").inner_text()


def test_why_is_the_formula_down_to_its_parts(browser: Any, written: Any) -> None:
    with opened(browser, written(election())) as page:
        why = page.locator(".why").inner_text()
        for said in ("Why OneLeader is false here", "leader[a] /\\ leader[b] => a = b", "FALSE", "for a ="):
            assert said in why


def test_messages_are_a_sequence_chart(browser: Any, written: Any) -> None:
    with opened(browser, written(election())) as page:
        assert page.locator(".names .name").all_text_contents() == ["n1n1", "n2n2", "n3n3"]  # with their titles
        rows = page.locator(".chart ol li")
        assert rows.nth(1).locator("g.sent").count() == 2
        assert rows.nth(6).locator("g.message .label").all_text_contents() == ["Vote"]


def test_a_model_without_messages_has_no_chart(browser: Any, written: Any) -> None:
    with opened(browser, written(die_hard())) as page:
        assert page.locator(".chart svg").count() == 0
        assert page.locator(".chart li").count() == 7


def test_the_graph_is_clicked_moved_and_zoomed(browser: Any, written: Any) -> None:
    with opened(browser, written(die_hard())) as page:
        graph = page.locator(".graph svg")
        assert page.locator(".graph .state").count() == 14
        assert page.locator(".graph .wrong").get_attribute("data-state") == "13"
        assert page.locator(".graph .state.on-path").count() == 7
        assert page.locator(".graph .edge.on-path").count() == 6
        graph.scroll_into_view_if_needed()
        page.locator('.graph [data-state="0"]').click()
        state = page.locator("#state").inner_text()
        assert "State 1 of the graph" in state
        assert "FillSmall → 2" in state
        page.get_by_role("button", name="FillSmall → 2").click()
        assert "State 2 of the graph" in page.locator("#state").inner_text()
        before = graph.get_attribute("viewBox")
        page.locator('[data-zoom="1.25"]').click()
        larger = graph.get_attribute("viewBox")
        assert larger != before
        box = graph.bounding_box()
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(box["x"] + 80, box["y"] + 60, steps=4)
        page.mouse.up()
        assert graph.get_attribute("viewBox") != larger
        page.keyboard.press("0")
        page.locator('[data-zoom="0"]').click()
        page.keyboard.press("ArrowLeft")
        assert page.locator(".graph .here").get_attribute("data-state") != "13"


def test_a_step_and_the_graph_go_together(browser: Any, written: Any) -> None:
    with opened(browser, written(die_hard())) as page:
        page.locator(".chart ol li").first.click()
        assert page.locator(".graph .here").get_attribute("data-state") == "0"
        page.locator('.graph [data-state="0"]').click()
        page.get_by_role("button", name="state 1", exact=True).click()
        assert where(page) == "state 1 of 7"


def test_a_long_trace_of_many_variables(browser: Any, written: Any) -> None:
    result = gristmill.check(wide(40, 300), init="Init", next="Next", invariants=["Small"])
    with opened(browser, written(result) + "#1.150") as page:
        assert where(page) == "state 150 of 300"
        assert page.locator(".chart li").count() == 300
        assert "37 of 40 variables are as they were." in page.locator("#sides").inner_text()
        selected = page.locator('.chart li[aria-selected="true"]').bounding_box()
        scroll = page.locator(".chart .scroll").bounding_box()
        assert scroll["y"] <= selected["y"] < min(scroll["y"] + scroll["height"], 900)
        rows = page.locator(".changes li").all_inner_texts()
        assert rows[0].split() == ["v1", "148", "→", "149"]
        assert rows[1].split()[:2] == ["v2", "Append"] or rows[1].split()[:3] == ["v2", "Tail", "drops"]
        assert rows[2].split() == ["v4", "+", "148"]
        page.locator("#all").check()
        assert page.locator("#sides .variable").count() == 40
        for _ in range(10):
            page.keyboard.press("ArrowRight")
        assert where(page) == "state 160 of 300"


def test_several_violations_are_a_list_to_choose_from(browser: Any, written: Any) -> None:
    result = gristmill.check(
        ELECTION.replace("====", 'NoVote == \\A m \\in msgs : m.type # "Vote"\n===='),
        init="Init",
        next="Next",
        invariants=["OneLeader", "NoVote"],
        continue_=True,
        deadlock=False,
    )
    with opened(browser, written(result)) as page:
        assert page.locator(".runs a").count() == 2
        titles = page.locator(".runs .title").all_inner_texts()
        page.locator(".runs a").nth(1).click()
        assert page.locator(".why.shown h2").inner_text() == f"Why {titles[1]} is false here"
        assert page.locator(".chart.shown h3").inner_text() == titles[1]


def test_light_and_dark_as_the_system_has_it_or_as_chosen(browser: Any, written: Any) -> None:
    address = written(die_hard())
    colour = "getComputedStyle(document.body).backgroundColor"
    with opened(browser, address, scheme="dark") as page:
        assert page.evaluate(colour) == "rgb(13, 17, 23)"
        page.locator("#theme").click()
        assert page.evaluate(colour) == "rgb(255, 255, 255)"
    with opened(browser, address) as page:
        assert page.evaluate(colour) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("width", [480, 700, 1280])
@pytest.mark.parametrize("make", [election, die_hard])
def test_nothing_sticks_out(browser: Any, written: Any, make: Callable[[], Result], width: int) -> None:
    with opened(browser, written(make()), width) as page:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_a_specification_says_is_never_markup(browser: Any, written: Any) -> None:
    evil = '</script><script>document.title = \\"x\\"</script><img src=x onerror=alert(1)>'
    spec = f"""---- MODULE Evil ----
VARIABLES m
Init == m = {{}}
Send(t) == m = {{}} /\\ m' = {{[type |-> t, from |-> "<b>a</b>", to |-> t]}}
Next == Send("{evil}")
Safe == m = {{}}
====
"""
    with opened(
        browser, written(gristmill.check(spec, init="Init", next="Next", invariants=["Safe"], graph=True))
    ) as page:
        assert page.title() == "Model: Invariant Safe is violated"
        assert page.locator("img, b").count() == 0
        assert "<img src=x onerror=alert(1)>" in page.locator("#sides").inner_text()
        page.locator(".graph .state").last.click()
        assert page.locator("img, b").count() == 0


def test_a_notebook_shows_the_same_page_in_a_frame(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "notebook.html"
    file.write_text(f"<!DOCTYPE html><body>{election()._repr_html_()}</body>", encoding="utf-8")
    with opened(browser, file.as_uri()) as page:
        frame = page.frame_locator("iframe")
        frame.locator("#previous").click()
        assert frame.locator("#where").inner_text() == "state 6 of 7"
        assert "OneLeader" in frame.locator(".why").inner_text()


def test_no_error_has_coverage_and_the_graph(browser: Any, written: Any) -> None:
    result = gristmill.check("examples/TwoPhase.tla", constants={"RM": {gristmill.ModelValue("r1")}}, graph=True)
    with opened(browser, written(result)) as page:
        assert page.locator(".verdict").inner_text().startswith("Model")
        assert page.locator(".graph .state").count() == result.distinct
        assert page.locator(".bars code").all_inner_texts()[1:3] == ["Commit", "Abort"]
        page.locator(".graph .state").nth(3).click()
        assert "State 4 of the graph" in page.locator("#state").inner_text()
