"""`--html` of `compose verify`, `compose check --each` and `compose show`: files, and in a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from test_behaviours import MANIFEST, MERGING, ROOT, written

from browsing import browsing, opened, reason
from gristmill.cli.main import gristmill as command

PYTHON = ("--engine", "python")


@pytest.fixture
def merging(tmp_path: Path) -> Path:
    return written(tmp_path, ROOT, MERGING, MANIFEST)


def compose(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["compose", *arguments], catch_exceptions=False)


def data_of(page: str) -> Any:
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def page_of(file: Path, *arguments: str, code: int) -> str:
    found = compose(*arguments, "--html", str(file))
    assert found.exit_code == code, found.output
    return file.read_text(encoding="utf-8")


def test_a_rejected_grain_has_its_failing_steps_to_step_through(merging: Path, tmp_path: Path) -> None:
    page = page_of(tmp_path / "page.html", "verify", str(merging), *PYTHON, code=13)
    assert 'class="verdict bad"' in page
    assert "Rejected: a coarse grain is no fair stand-in." in page
    data = data_of(page)
    said = [data["texts"][each["told"]] for each in data["runs"]]
    assert said
    assert all("is no step of a coarse action of Lease" in each for each in said)
    assert "What others see of <code>" in page
    assert "steps that no coarse action takes" in page


def test_compared_behaviours_are_on_the_page(merging: Path, tmp_path: Path) -> None:
    page = page_of(tmp_path / "page.html", "verify", str(merging), "--traces", "--summaries", *PYTHON, code=13)
    assert "C(Lease) shows what A cannot show: checks of A miss this" in page
    assert "Lease: Crash is not seen" in page
    alone = page_of(tmp_path / "alone.html", "verify", str(merging), "--compare", "fine", "merged", *PYTHON, code=13)
    assert 'class="verdict bad"' in alone
    assert "fine shows what merged cannot show" in alone
    same = page_of(tmp_path / "same.html", "verify", str(merging), "--compare", "fine", "fine", *PYTHON, code=0)
    assert 'class="verdict good"' in same
    assert data_of(same)["runs"] == []


def test_what_is_proven_says_so(depot: Path, tmp_path: Path) -> None:
    page = page_of(tmp_path / "page.html", "verify", "system.toml", *PYTHON, code=0)
    assert 'class="verdict good"' in page
    assert "Proven: the coarse grains can stand in for the fine ones." in page


def test_each_module_is_a_row_whatever_the_verdict(depot: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    each = ("check", "system.toml", "--each", "--budget", "0", *PYTHON)
    page = page_of(file, *each, code=0)
    assert 'class="verdict good"' in page
    for said in ("C(Lock)", "C(Work)", "Of the whole hold: Exclusive, InLine.", "Not checked in C(Work): InLine"):
        assert said in page
    page = page_of(file, *each, "--no-verify", code=3)
    assert 'class="verdict warning"' in page
    root = tmp_path / "Depot.tla"
    root.write_text(root.read_text().replace("Exclusive == \\A w \\in busy : owner = w", "Exclusive == busy = {}"))
    page = page_of(file, *each, code=12)
    assert 'class="verdict bad"' in page
    assert "C(Lock): Exclusive" in page
    assert "Why Exclusive is false here" in page


def test_a_place_that_cannot_be_written_is_told_before_anything_is_explored(depot: Path) -> None:
    found = compose("verify", "system.toml", "--html", "nowhere/page.html")
    assert found.exit_code == 2
    assert "there is no folder" in found.output
    assert "explored" not in found.output


@pytest.mark.skipif(reason() is not None, reason=str(reason()))
def test_the_pages_in_a_browser(merging: Path, tmp_path: Path) -> None:
    verified, shown = tmp_path / "verified.html", tmp_path / "shown.html"
    page_of(verified, "verify", str(merging), "--traces", *PYTHON, code=13)
    page_of(shown, "show", str(merging), code=0)
    with browsing() as browser:
        with opened(browser, verified.as_uri(), 480) as page:
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.locator(".runs a").count() >= 2
            page.locator(".runs a").nth(1).click()
            assert page.url.split("#")[1].startswith("2.")
            page.keyboard.press("ArrowLeft")
            assert page.locator("#sides .changes, #sides .values").count() > 0
        colour = "getComputedStyle(document.querySelector('.gm-drawing .paper')).fill"
        with opened(browser, shown.as_uri(), scheme="dark") as page:
            assert page.evaluate(colour) == "rgb(13, 17, 23)"
            page.locator("#theme").click()
            assert page.evaluate(colour) == "rgb(255, 255, 255)"
            page.locator("details").first.click()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
