"""What every way of running a specification asks before it reads, writes or shows something of the world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import gristmill
from gristmill.cli.main import gristmill as command

SPECIFICATION = r"""---- MODULE Hostile ----
EXTENDS Naturals, Sequences, TLC, TLCExt, Json, IOUtils
VARIABLE n
How == [format |-> "TXT", charset |-> "UTF-8", openOptions |-> <<"APPEND">>]
Put(file) == Serialize("echo gotcha", file, How).exitValue = 0
Init == n = 0
Next == n < 40 /\ n' = n + 1
Step == n < 40 /\ n' = n + 1 /\ (n = 30 => Put("../outside.txt"))
Written == n = 3 => Put("../outside.txt")
Seen == n = 3 => IOEnv.GRISTMILL_SECRET # ""
Small == n < 3
Shown == [n |-> n, put |-> Put("../outside.txt")]
Constant == IF "GRISTMILL_SECRET" \in DOMAIN IOEnv THEN 1 ELSE 2
UsesConstant == Constant = 2 \/ n < 50
Finished == Put("../outside.txt")
====
"""
BASE = "INIT Init\nCHECK_DEADLOCK FALSE\n"
WAYS = {
    "invariant": "NEXT Next INVARIANT Written",
    "action": "NEXT Step",
    "constraint": "NEXT Next CONSTRAINT Written",
    "postcondition": "NEXT Next POSTCONDITION Finished",
    "alias": "NEXT Next INVARIANT Small ALIAS Shown",
}
ASKED = {"environment": "NEXT Next INVARIANT Seen", "constant": "NEXT Next INVARIANT UsesConstant"}


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "Hostile.tla").write_text(SPECIFICATION)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GRISTMILL_SECRET", "hidden")
    return tmp_path / "outside.txt"


def run(*args: str) -> Result:
    return CliRunner().invoke(command, list(args))


def check(config: str, *args: str, verb: str = "check") -> Result:
    Path("Hostile.cfg").write_text(BASE + config)
    return run(verb, "Hostile.tla", *args)


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("way", WAYS)
def test_check_writes_only_where_it_may(hostile: Path, way: str, engine: str) -> None:
    refused = check(WAYS[way], "--engine", engine)
    assert refused.exit_code != 0, refused.output
    assert not hostile.exists()
    assert f"--allow-write {hostile.parent}" in refused.output
    check(WAYS[way], "--engine", engine, "--allow-write", "..")
    assert hostile.exists()


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("way", ASKED)
def test_check_shows_only_variables_that_it_may(hostile: Path, way: str, engine: str) -> None:
    refused = check(ASKED[way], "--engine", engine)
    assert refused.exit_code not in (0, 1)
    assert "--env GRISTMILL_SECRET" in refused.output
    assert "hidden" not in refused.output
    allowed = check(ASKED[way], "--engine", engine, "--env", "GRISTMILL_SECRET")
    assert allowed.exit_code == 0, allowed.output


def test_simulate(hostile: Path) -> None:
    own = ("--num", "1", "--depth", "10")
    assert check(WAYS["invariant"], *own, verb="simulate").exit_code not in (0, 1)
    assert not hostile.exists()
    assert check(WAYS["invariant"], *own, "--allow-write", "..", verb="simulate").exit_code == 0
    assert hostile.exists()


def test_eval_and_repl(hostile: Path) -> None:
    for more, extends in ((("--spec", "Hostile.tla"), "Put"), (("--extends", "Json"), "JsonSerialize")):
        expression = 'Put("../outside.txt")' if extends == "Put" else 'JsonSerialize("../outside.txt", <<1>>)'
        refused = run("eval", expression, *more)
        assert refused.exit_code == 75
        assert "--allow-write" in refused.output
        assert not hostile.exists()
        assert run("eval", expression, *more, "--allow-write", "..").output.strip() == "TRUE"
        hostile.unlink()
    typed = CliRunner().invoke(command, ["repl", "--extends", "IOUtils"], input="IOEnv.GRISTMILL_SECRET\n")
    assert "--env GRISTMILL_SECRET" in typed.output
    typed = CliRunner().invoke(
        command, ["repl", "--extends", "IOUtils", "--env", "GRISTMILL_SECRET"], input="IOEnv.GRISTMILL_SECRET\n"
    )
    assert '"hidden"' in typed.output


def test_from_python(hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = f"{BASE}\n{WAYS['invariant']}"
    given: dict[str, Any] = {"config": config}
    assert not gristmill.check("Hostile.tla", **given).ok
    assert not gristmill.simulate("Hostile.tla", num=1, **given).result.ok
    assert not hostile.exists()
    assert gristmill.check("Hostile.tla", allow_write=[tmp_path], **given).ok
    assert gristmill.simulate("Hostile.tla", num=1, allow_write=[".."], **given).result.ok
    asked = f"{BASE}\n{ASKED['environment']}"
    assert gristmill.check("Hostile.tla", config=asked, env=["GRISTMILL_SECRET"]).ok
    hostile.unlink()
    monkeypatch.chdir("..")
    (tmp_path / "inside" / "Hostile.tla").write_text(SPECIFICATION.replace("../outside", "../../outside"))
    elsewhere = gristmill.check(tmp_path / "inside" / "Hostile.tla", **given)
    assert any(each.id == "write-not-allowed" for each in elsewhere.diagnostics)


@pytest.mark.parametrize("home", [".", "somebody", "some/body"])
def test_the_home_folder_and_those_above_it_are_not_allowed_by_standing_there(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / home))
    expression = 'JsonSerialize("outside.txt", <<1>>)'
    assert run("eval", expression, "--extends", "Json").exit_code == 75
    assert not hostile.exists()
    assert run("eval", expression, "--extends", "Json", "--allow-write", ".").exit_code == 0


def test_the_folder_of_the_specification(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path.cwd()
    (folder / "Hostile.tla").write_text(SPECIFICATION.replace("../outside.txt", f"{folder}/here.txt"))
    monkeypatch.chdir("..")
    assert gristmill.check(folder / "Hostile.tla", config=f"{BASE}\n{WAYS['invariant']}").ok
    assert (folder / "here.txt").exists()
