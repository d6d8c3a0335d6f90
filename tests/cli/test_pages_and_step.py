"""`--html` of the verbs that check specifications, and `step`, from the command line."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COUNTER = """EXTENDS Naturals
VARIABLE n
Init == n = 0
Add(k) == n < 5 /\\ n' = n + k
Next == \\E k \\in {1, 2} : Add(k)
Small == n < 4
Number == n \\in Nat
"""


def data_of(page: Path) -> Any:
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_check_writes_a_page_with_the_graph_of_a_small_model(run, write, tmp_path):
    write("M.tla", COUNTER)
    ended = run("check", "M.tla", "--invariant", "Small", "--html", "page.html")
    assert ended.code == 12
    assert "page.html is written" in ended.err
    data = data_of(tmp_path / "page.html")
    assert len(data["graph"]["states"]) == 5
    assert data["graph"]["paths"] == [[0, 2, 4]]
    assert "Add(k = 2)" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("options", [["--engine", "native"], ["--format", "json"], ["--no-deadlock"]])
def test_whatever_the_engine_and_the_format(run, write, tmp_path, options):
    write("M.tla", COUNTER)
    run("check", "M.tla", "--invariant", "Small", "--html", "page.html", *options)
    assert len(data_of(tmp_path / "page.html")["runs"]) == 1


def test_a_model_that_writes_files_is_not_searched_twice(run, write, tmp_path):
    spec = COUNTER.replace("EXTENDS Naturals", "EXTENDS Naturals, TLC, TLCExt, IOUtils, Json").replace(
        "n' = n + k", 'n\' = n + k /\\ JsonSerialize("out.json", <<n>>)'
    )
    write("M.tla", spec)
    ended = run("check", "M.tla", "--invariant", "Number", "--no-deadlock", "--html", "page.html")
    assert ended.code == 0
    assert "graph" not in data_of(tmp_path / "page.html")


def test_simulate_writes_a_page(run, write, tmp_path):
    write("M.tla", COUNTER)
    ended = run("simulate", "M.tla", "--invariant", "Small", "--seed", "1", "--html", "page.html")
    assert ended.code == 12
    assert len(data_of(tmp_path / "page.html")["runs"]) == 1
    assert "seed" in (tmp_path / "page.html").read_text()


def test_mistakes_are_on_the_page(run, write, tmp_path):
    write("M.tla", COUNTER.replace("n' = n + k", "n' = n + x"))
    ended = run("check", "M.tla", "--html", "page.html")
    assert ended.code == 150
    page = (tmp_path / "page.html").read_text()
    assert 'class="verdict bad"' in page
    assert "M.tla:" in page


def test_compose_check_writes_a_page(run, tmp_path):
    manifest = ROOT / "examples" / "TwoPhase.toml"
    ended = run("compose", "check", str(manifest), "--html", "page.html")
    assert ended.code == 0, ended.err
    assert "gristmill compose check" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("verb", ["check", "simulate"])
def test_what_cannot_be_written_is_said_before_the_search(run, write, verb):
    write("M.tla", COUNTER)
    ended = run(verb, "M.tla", "--html", "nowhere/page.html")
    assert ended.code == 2
    assert "there is no folder" in ended.err
    assert ended.out == ""


def test_a_sweep_has_no_page(run, write):
    write("M.tla", "CONSTANT K\n" + COUNTER)
    assert "choose one" in run("check", "M.tla", "--sweep", "K=1,2", "--html", "page.html").err


def test_step_prints_a_place(run, write):
    write("M.tla", COUNTER)
    ended = run("step", "M.tla", "--init", "Init", "--next", "Next", "--print", "--at", "1.2")
    assert ended.code == 0
    assert ended.out.startswith("  1  Initial state\n  2  Add(k = 2)\n\n     n = 2\n\nSteps\n  1  Add(k = 1)\n")


def test_step_begins_where_a_check_has_ended(run, write):
    write("M.tla", COUNTER)
    write("M.cfg", "INIT Init\nNEXT Next\nINVARIANT Small\n")
    run("check", "M.tla", "--itf", "found.json")
    assert "False here: Small" in run("step", "M.tla", "--trace", "found.json", "--print").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--at", "9"], "there is no step 9: there are 1"),
        (["--at", "a"], "is no path"),
        (["--trace", "none.json"], "cannot be read"),
        (["--at", "1", "--trace", "x"], "choose one"),
        (["--next", "Nxt"], "not defined"),
        (["--constant", "K"], "NAME=VALUE"),
        ([], "this is no terminal: use --web"),
    ],
)
def test_mistakes_end_step_with_a_message(run, write, words, said):
    write("M.tla", COUNTER)
    ended = run("step", "M.tla", "--init", "Init", *([] if "--next" in words else ["--next", "Next"]), *words)
    assert ended.code in (1, 2)
    assert said in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_server_of_step_ends_cleanly(tmp_path, number):
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{COUNTER}====\n")
    command = [sys.executable, "-m", "gristmill.cli", "step", "M.tla", "--init", "Init", "--next", "Next", "--web"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(address + "api/node?number=0", timeout=60) as answer:
            assert len(json.load(answer)["options"]) == 1
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert "Traceback" not in err
