"""`gristmill compose build`, `check`, `check --each` and `plan` on a depot: workers, a lock, and jobs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from suites import cases

import gristmill
from gristmill.cli.main import gristmill as command
from gristmill.compose import composition, read_manifest
from gristmill.compose.cost import estimated_states, widths_of
from gristmill.search.progress import Progress
from gristmill.source import SourceError

PYTHON = ("--engine", "python")


def compose(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["compose", *arguments])


def test_build_writes_a_module_and_its_configuration(depot: Path) -> None:
    found = compose("build", "system.toml", "--mix", "small", "-o", "Small.tla")
    assert found.exit_code == 0, found.output
    assert "Not checked: InLine; it speaks of `waiting`" in found.output
    built = gristmill.check(depot / "Small.tla", engine="python")
    assert built.ok
    checked = compose("check", "system.toml", "--grain", "Lock=coarse", "--format", "json", *PYTHON)
    document = json.loads(checked.stdout)
    assert checked.exit_code == 0
    assert document["distinct"] == built.distinct
    assert document["composition"]["mix"] == {"Lock": "coarse", "Work": "fine"}
    assert [each["invariant"] for each in document["composition"]["not_checked"]] == ["InLine"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("build", "system.toml", "--grain", "Lok=coarse"), "did you mean `Lock`?"),
        (("build", "system.toml", "--grain", "Lock=rough"), "there are `fine`, `coarse`"),
        (("build", "system.toml", "--grain", "Lock"), "write MODULE=GRAIN"),
        (("build", "system.toml", "--mix", "smal"), "did you mean `small`?"),
        (("build", "system.toml", "-o", "not-a-name.tla"), "a module needs a name"),
        (("check", "system.toml", "--config", "x.cfg"), "the manifest names the configuration"),
        (("check", "system.toml", "--each", "--mix", "small"), "leave out --mix"),
        (("plan", "system.toml", "--target", "Work", "--budget", "soon"), "is no time"),
    ],
)
def test_mistakes_on_the_command_line(depot: Path, arguments: tuple[str, ...], said: str) -> None:
    found = compose(*arguments)
    assert found.exit_code == 2, found.output
    assert said in " ".join(found.output.split()), found.output


def test_a_violation_in_a_composition_is_one(depot: Path) -> None:
    root = depot / "Depot.tla"
    root.write_text(root.read_text().replace("Exclusive == \\A w \\in busy : owner = w", "Exclusive == busy = {}"))
    found = compose("check", "system.toml", "--mix", "small", *PYTHON)
    assert found.exit_code == 12
    assert "Acquire" in found.output


def test_a_mistake_in_the_manifest_is_an_error_in_json(depot: Path) -> None:
    (depot / "system.toml").write_text('[system]\nroot = "Nowhere.tla"\n')
    found = compose("check", "system.toml", "--format", "json")
    document = json.loads(found.stdout)
    assert document["verdict"] == "error"
    assert document["diagnostics"][0]["id"] == "file-not-found"
    assert found.exit_code == document["exit_code"] != 0


def test_each_says_nothing_of_the_whole_unless_it_is_verified(depot: Path) -> None:
    found = compose("check", "system.toml", "--each", "--no-verify", "--budget", "0", *PYTHON)
    assert found.exit_code == 3, found.output
    assert "C(Lock)" in found.output
    assert "C(Work)" in found.output
    assert "Not verified" in found.output
    assert "Of the whole hold" not in found.output


def test_each_explores_the_whole_if_there_is_time(depot: Path) -> None:
    found = compose("check", "system.toml", "--each", "--no-verify", "--format", "json", *PYTHON)
    document = json.loads(found.stdout)
    assert found.exit_code == 0, found.output
    assert document["direct"]["result"]["verdict"] == "ok"
    assert document["holds_of_whole"] == ["Exclusive", "InLine"]


def test_each_concludes_what_verify_proves(depot: Path) -> None:
    found = compose("check", "system.toml", "--each", "--budget", "0", *PYTHON)
    assert found.exit_code == 0, found.output
    assert "Verified: each coarse grain can stand in for its module" in found.output
    assert "Of the whole hold: Exclusive, InLine." in found.output


def test_each_concludes_nothing_from_a_grain_that_is_rejected(depot: Path) -> None:
    """A coarse lock that is never given back: every composition is in order, and they do not cover the whole."""
    manifest = depot / "system.toml"
    manifest.write_text(manifest.read_text().replace('"Acquire(w)", "Release(w)"', '"Acquire(w)"'))
    found = compose("check", "system.toml", "--each", "--budget", "0", *PYTHON)
    assert found.exit_code == 13, found.output
    assert "Rejected" in found.output
    assert "Of the whole hold" not in found.output
    plan = compose("plan", "system.toml", "--target", "Work", "--budget", "20s")
    assert "Plan: Lock fine, Work fine" in plan.output, plan.output


def test_each_of_a_system_with_nothing_coarse(depot: Path) -> None:
    text = (depot / "system.toml").read_text()
    (depot / "system.toml").write_text("\n".join(line for line in text.split("\n") if "coarse" not in line))
    found = compose("check", "system.toml", "--each", *PYTHON)
    assert found.exit_code not in (0, 1), found.output
    assert "no module has a coarse grain" in found.output


def test_a_grain_can_be_added_without_being_a_part_of_next(depot: Path) -> None:
    composed = composition(read_manifest("system.toml"), {"Work": "coarse"}, also={"Lock": "coarse"})
    assert {action.module for action in composed.actions} == {"Lock", "Work", "environment"}
    assert [(each.name, each.origin) for each in composed.also] == [
        ("Acquire", "Acquire"),
        ("LockCoarse_Release", "Release"),
    ]
    assert "Acquire" not in composed.text.partition("Next ==")[2]
    assert gristmill.check(composed.text, config=composed.config, engine="python").ok


# --------------------------------------------------------------------------------------------------------------- costs


def sample(depth: int, queue: int) -> Progress:
    return Progress(0, 0, queue, depth, 0.0, 0)


def test_levels_are_as_wide_as_the_frontier_was() -> None:
    samples = [sample(1, 1), sample(2, 4), sample(2, 6), sample(3, 9), sample(4, 2)]
    assert widths_of(samples) == [1, 6, 9]


def test_a_bell_is_estimated() -> None:
    """Levels whose growth falls by a tenth from one to the next."""
    widths, growth = [100.0], 2.0
    while widths[-1] >= 1:
        widths.append(widths[-1] * growth)
        growth *= 0.9
    seen = 7
    done = gristmill.api.Result("incomplete", distinct=int(sum(widths[:seen])), queue=int(widths[seen - 1]))
    found = estimated_states(done, [int(width) for width in widths[:seen]])
    assert found is not None
    assert abs(found / sum(widths) - 1) < 0.1


def test_what_grows_for_ever_has_no_end_in_sight() -> None:
    done = gristmill.api.Result("incomplete", distinct=1000, queue=512)
    assert estimated_states(done, [2**n for n in range(10)]) is None


# --------------------------------------------------------------------------------------------------- the standard tools


@pytest.mark.parametrize("case", cases("builds"), ids=lambda case: case.title)
def test_sany_accepts_what_is_built(case: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With GRISTMILL_TLC, the class path of the standard tools."""
    class_path = os.environ.get("GRISTMILL_TLC")
    if not class_path or shutil.which("java") is None:
        pytest.skip("GRISTMILL_TLC is not set, or there is no Java")
    case.write(tmp_path)  # type: ignore[attr-defined]
    monkeypatch.chdir(tmp_path)
    composed = composition(read_manifest("system.toml"), case.mix)  # type: ignore[attr-defined]
    Path(f"{composed.name}.tla").write_text(composed.text)
    found = subprocess.run(
        ["java", "-cp", class_path, "tla2sany.SANY", f"{composed.name}.tla"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Semantic errors" not in found.stdout, found.stdout
    assert "Parse Error" not in found.stdout, found.stdout
    assert found.returncode == 0, found.stdout


def test_verify_of_an_init_that_cannot_be_evaluated(depot: Path) -> None:
    """A message with a place, and not an internal error."""
    root = next(path for path in depot.glob("*.tla") if "\nNext ==" in path.read_text())
    root.write_text(root.read_text().replace("Init ==", 'Init == 1 + "a" = 2 /\\', 1))
    found = compose("verify", "system.toml", *PYTHON)
    assert isinstance(found.exception, SourceError)  # `main` prints it
    [told] = found.exception.diagnostics
    assert told.id == "not-an-integer"
    assert told.span is not None
    assert told.span.file.path.endswith(".tla")
