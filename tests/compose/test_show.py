"""`compose show` as people and tools use it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from specimen import written

from gristmill.cli.main import gristmill
from gristmill.source import SourceError

COARSE = """---- MODULE StoreCoarse ----
EXTENDS Naturals
CONSTANTS Node, Most
VARIABLES holder, copies
Init == copies = {}
Store(n) == holder = n /\\ copies' \\in {copies \\cup {d} : d \\in 0..Most} /\\ UNCHANGED holder
====
"""
COARSE_GRAIN = """grain.coarse = { file = "StoreCoarse.tla", actions = ["Store(n)"], of = "fine" }

[domain]
n = "Node"

[mix.quick]
Store = "coarse"
"""


def run(*words: str) -> Result:
    return CliRunner().invoke(gristmill, ["compose", *words])


@pytest.fixture
def manifest(tmp_path: Path) -> str:
    return str(written(tmp_path))


@pytest.fixture
def grained(tmp_path: Path) -> str:
    path = written(tmp_path)
    (tmp_path / "StoreCoarse.tla").write_text(COARSE, encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"Keep"]\n', f'"Keep"]\n{COARSE_GRAIN}'), encoding="utf-8")
    return str(path)


def test_text(manifest: str) -> None:
    found = run("show", manifest)
    assert found.exit_code == 0
    lines = found.output.splitlines()
    assert lines[0] == "Lease: 3 modules, 8 actions, 8 variables"
    assert "  holder    Lease, environment  Lease, Store, environment" in lines
    assert any(line.startswith("    granted    internal  guard of Take (Lease.tla:") for line in lines)
    assert "  writes store, which is internal to Store: Crash" in lines


def test_brief_leaves_the_actions_out(manifest: str) -> None:
    assert "guard reads" in run("show", manifest).output
    assert "guard reads" not in run("show", manifest, "--brief").output


def test_json(manifest: str) -> None:
    found = json.loads(run("show", manifest, "--format", "json").output)
    assert found["format"] == 1
    assert [each["name"] for each in found["modules"]] == ["Lease", "Store", "environment"]
    assert [each["slot"] for each in found["interaction"]] == ["holder"]
    lease = found["modules"][0]
    assert lease["internal"] == ["epoch", "asked", "granted", "net.ask", "net.grant"]
    granted = next(each for each in lease["dependencies"] if each["slot"] == "granted")
    assert granted["path"][-1]["kind"] == "guard"
    assert granted["path"][-1]["location"]["line"] > 1
    assert found["ghosts"]["recognised"] == ["store[*].at", "history"]
    assert found["slices"] == [{"variable": "net", "field": "type", "tags": ["ask", "copy", "grant"]}]


def test_drawing_and_page(manifest: str, tmp_path: Path) -> None:
    svg, page = tmp_path / "lease.svg", tmp_path / "lease.html"
    assert run("show", manifest, "--svg", str(svg), "--html", str(page)).exit_code == 0
    drawing = ET.fromstring(svg.read_text(encoding="utf-8"))
    texts = [each.text for each in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Lease", "Store", "environment", "holder"} <= set(texts)
    html = page.read_text(encoding="utf-8")
    assert "<svg" in html
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")  # needs nothing from elsewhere
    assert "prefers-color-scheme: dark" in html


def test_names_are_escaped(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("module.Lease", 'module."<b>&"'), encoding="utf-8")
    svg = tmp_path / "lease.svg"
    found = run("show", str(path), "--svg", str(svg))
    if found.exit_code == 0:
        ET.fromstring(svg.read_text(encoding="utf-8"))


def test_places_of_a_mix_are_those_of_the_files(grained: str) -> None:
    found = json.loads(run("show", grained, "--mix", "quick", "--format", "json").output)
    places = {
        action["name"]: Path(action["location"]["file"]).name for each in found["modules"] for action in each["actions"]
    }
    assert places["Store"] == "StoreCoarse.tla"
    assert places["Take"] == "Lease.tla"
    text = (Path(grained).parent / "Lease.tla").read_text(encoding="utf-8").splitlines()
    for module in found["modules"]:
        for action in module["actions"]:
            for test in action["guard"]:
                if Path(test["location"]["file"]).name == "Lease.tla":
                    name = test["slot"].split("[")[0].split(".")[0]
                    assert name in text[test["location"]["line"] - 1], test


def test_difference(grained: str) -> None:
    found = run("show", grained, "--diff", "finest", "quick")
    assert found.exit_code == 0, found.output
    assert "quick - finest" in found.output
    assert "gone actions: Write, Publish, Keep" in found.output
    document = json.loads(run("show", grained, "--diff", "finest", "quick", "--format", "json").output)
    assert document["actions"]["added"] == ["Store"]
    assert document["actions"]["count"] == 6
    assert document["lines_removed"] > document["lines_added"] > 0
    same = json.loads(run("show", grained, "--diff", "quick", "quick", "--format", "json").output)
    assert (same["lines_added"], same["lines_removed"]) == (0, 0)


def test_mistakes(manifest: str, tmp_path: Path) -> None:
    assert "there is no mix" in run("show", manifest, "--diff", "finest", "quik").output
    assert "cannot be written" in run("show", manifest, "--svg", str(tmp_path / "no" / "a.svg")).output
    assert "compares two mixes" in run("show", manifest, "--diff", "finest", "coarsest", "--svg", "a.svg").output
    (tmp_path / "Lease.tla").write_text("---- MODULE Lease ----\nInit == 1 +\n====", encoding="utf-8")
    found = run("show", manifest)
    assert found.exit_code != 0
    assert isinstance(found.exception, SourceError)


def test_a_cut_that_is_spoiled_is_told(manifest: str, tmp_path: Path) -> None:
    spec = tmp_path / "Lease.tla"
    text = spec.read_text(encoding="utf-8")
    spec.write_text(text.replace("granted[n] = Node", "granted[n] = Node /\\ Cardinality(net) < 9"), encoding="utf-8")
    output = " ".join(run("show", manifest, "--brief").output.split())
    assert "net cannot be cut by type: the guard looks at messages of any type in Take (Lease.tla:" in output
    assert "Cardinality(net) < 9" in output


def test_split(manifest: str, tmp_path: Path) -> None:
    target = tmp_path / "proposed.toml"
    found = run("split", str(tmp_path / "Lease.tla"), "-o", str(target))
    assert found.exit_code == 0
    assert run("show", str(target), "--brief").exit_code == 0
    assert json.loads(run("split", str(tmp_path / "Lease.tla"), "--format", "json").output)["proposal"]
    assert "has no variable" in run("split", str(tmp_path / "Lease.tla"), "--ghost", "nothing").output
    assert "only 8 actions" in run("split", str(tmp_path / "Lease.tla"), "--modules", "9").output
