"""Every configuration of every example comes out as it says itself."""

import pytest
from pages import result_of

from gristmill.examples.catalogue import Run, examples
from gristmill.examples.running import found

RUNS = [each for example in examples() for each in example.runs()]


@pytest.mark.parametrize("each", RUNS, ids=lambda each: f"{each.config.parent.name}/{each.name}")
def test_verdict(each: Run) -> None:
    result = result_of(each)
    assert found(result, each.expected) == each.expected, [str(d) for d in result.diagnostics]


@pytest.mark.parametrize("each", RUNS, ids=lambda each: each.name)
def test_a_configuration_says_what_it_shows(each: Run) -> None:
    assert each.module.exists()
    assert each.shows.endswith(".")
    assert each.expected.verdict != "ok" or each.verb == "simulate" or each.expected.states is not None


def test_every_module_is_checked() -> None:
    """What no configuration uses, nobody would notice to be broken. Modules may be parts of others."""
    for example in examples():
        texts = "".join(path.read_text() for path in example.files if path.suffix == ".tla")
        for path in example.files:
            used = any(each.module == path for each in example.runs())
            part = f"INSTANCE {path.stem}" in texts or f"EXTENDS {path.stem}" in texts
            assert used or part or path.suffix != ".tla", path


def test_numbers_and_folders_agree() -> None:
    assert [example.number for example in examples()] == sorted(example.number for example in examples())
    assert all(example.folder.is_dir() for example in examples())
    assert len({example.name for example in examples()}) == len(examples())
