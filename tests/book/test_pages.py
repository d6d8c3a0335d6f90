"""The pages of the book show what really comes out. `pytest --update-golden` writes them anew."""

import os
import re
from pathlib import Path

import pytest
from pages import ELLIPSIS, Command, abridged, blocks, matches, once, pages, rewritten, timeless

from gristmill.examples.catalogue import examples


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    run: dict[Command, str] = {}
    for commands in blocks(text):
        for command in commands:
            run[command] = once(command.text, command.output)
    assert run, "a page without commands"
    if os.environ.get("GRISTMILL_UPDATE_GOLDEN"):
        page.write_text(rewritten(text, run), encoding="utf-8")
        return
    for command, output in run.items():
        assert matches(output, command.output), f"$ {command.text}\n{timeless(output)}"


def test_every_example_has_a_page() -> None:
    assert [page.stem for page in pages()[1:]] == [example.folder.name for example in examples()]


def test_a_long_counterexample_is_abridged() -> None:
    output = (
        "Error\n\n"
        + "".join(f"{n:>3}  {'Step' if n > 1 else 'Initial state'}\n     x = {n}\n\n" for n in range(1, 10))
        + "9 distinct states\n"
    )
    assert "x = 2\n" in abridged(output)
    assert "x = 5\n" not in abridged(output)
    assert matches(output, abridged(output))


def test_matching() -> None:
    assert matches("a\nb\nc\n", "a\n…\nc\n")
    assert matches("a\nc\n", "a\n…\nc\n")
    assert matches("in 0.50 s\n", "in 12.01 s\n")
    assert not matches("a\nb\n", "a\n")
    assert not matches("a\nb\n", "a\nc\n…\n")


def test_excerpts_of_the_tutorial_are_from_the_examples() -> None:
    """Line by line: what is left out is marked."""
    lines = {line.strip() for example in examples() for path in example.files for line in path.read_text().splitlines()}
    for block in re.findall(r"^```tla\n(.*?)^```$", pages()[0].read_text(), re.MULTILINE | re.DOTALL):
        assert [line for line in block.splitlines() if line.strip() not in {*lines, ELLIPSIS, ""}] == []
