"""`gristmill replay SYSTEM.map.toml --log FILE …`, as users run it."""

import json
import shutil
from pathlib import Path

from click.testing import CliRunner, Result
from logged import EXAMPLE

from gristmill.cli.replay import replay

NAMES = ("s1", "s2", "s3")


def _run(folder: Path, *options: str, mapping: Path = EXAMPLE / "cell.map.toml") -> Result:
    logs = [option for name in NAMES for option in ("--log", str(folder / f"{name}.ndjson"))]
    return CliRunner().invoke(replay, [str(mapping), *logs, *options])


def _altered(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE / "logs", tmp_path / "logs")
    file = tmp_path / "logs" / "s1.ndjson"
    lines = file.read_text("utf-8").splitlines()
    lines[22] = lines[22].replace('"version": 14', '"version": 15')
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "logs"


def test_a_run_that_fits() -> None:
    ended = _run(EXAMPLE / "logs")
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.startswith("The log is that of a behaviour of Cell: 136 events\n")


def test_a_run_that_does_not(tmp_path: Path) -> None:
    folder = _altered(tmp_path)
    ended = _run(folder)
    assert ended.exit_code == 13
    assert f"{folder / 's1.ndjson'}:23 cannot come next" in ended.stdout
    assert ".version: 15 in the log, 14 in the model" in ended.stdout
    document = json.loads(_run(folder, "--format", "json").stdout)
    assert (document["verdict"], document["exit_code"], document["matched"]) == ("property", 13, 83)


def test_what_was_not_decided(tmp_path: Path) -> None:
    ended = _run(EXAMPLE / "logs", "--bound", "50")
    assert ended.exit_code == 3
    assert ended.stdout.startswith("Not decided: ")


def test_mistakes_have_places(tmp_path: Path) -> None:
    mapping = tmp_path / "cell.map.toml"
    for name in ("Cell.tla", "Cell.cfg"):
        shutil.copy(EXAMPLE / name, tmp_path)
    text = (EXAMPLE / "cell.map.toml").read_text("utf-8")
    mapping.write_text(text.replace('action = "Grant"', 'action = "Grand"'), encoding="utf-8")
    ended = _run(EXAMPLE / "logs", mapping=mapping)
    assert ended.exit_code == 150
    assert "Cell has no action `Grand`" in ended.stderr
    assert "did you mean `Grant`?" in ended.stderr
    assert f"{mapping}:" in ended.stderr
    ended = _run(tmp_path)
    assert ended.exit_code == 150
    assert "there is no file" in ended.stderr
