"""What `gristmill tlc` writes: states, counterexamples, the specification of a counterexample."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gristmill.cli.main import gristmill

MODULE = """---- MODULE Turn ----
EXTENDS Naturals
CONSTANT Proc
VARIABLES n, at
Init == n = 0 /\\ at \\in Proc
Go(p) == n < 3 /\\ p # at /\\ at' = p /\\ n' = n + 1
Next == \\E p \\in Proc : Go(p)
Round == \\E p \\in Proc : p # at /\\ at' = p /\\ n' = (n + 1) % 2
Spec == Init /\\ [][Round]_<<n, at>> /\\ WF_<<n, at>>(Round)
Small == n < 2
Settles == <>[](n = 0)
====
"""
CONFIGS = {
    "invariant": ("INIT Init\nNEXT Next\nINVARIANT Small", 12),
    "deadlock": ("INIT Init\nNEXT Next", 11),
    "lasso": ("SPECIFICATION Spec\nPROPERTY Settles", 13),
}


@pytest.fixture(autouse=True)
def turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Turn.tla").write_text(MODULE)
    for name, (text, _) in CONFIGS.items():
        Path(f"{name}.cfg").write_text(f"CONSTANT Proc = {{a, b}}\n{text}\n")


def run(*words: str) -> Result:
    return CliRunner().invoke(gristmill, ["tlc", *words, "Turn"])


@pytest.mark.parametrize("name", CONFIGS)
def test_the_specification_of_a_trace_shows_the_same(name: str) -> None:
    status = CONFIGS[name][1]
    result = run("-config", name)
    assert result.exit_code == status
    (file,) = Path().glob("Turn_TTrace_*.tla")
    assert result.stdout.endswith(f"Trace exploration spec path: ./{file}\n")
    again = CliRunner().invoke(gristmill, ["tlc", "-config", str(file), str(file)])
    assert again.exit_code == status, again.output
    assert len(list(Path().glob("Turn_TTrace_*.tla"))) == 1  # of such a specification none is written


@pytest.mark.parametrize("options", [("-tool",), ("-noTE",), ("-noGenerateSpecTE",), ("-continue",)])
def test_no_specification_of_a_trace(options: tuple[str, ...]) -> None:
    run("-config", "invariant", *options)
    assert list(Path().glob("*_TTrace_*")) == []


def test_it_is_written_where_it_is_asked_for() -> None:
    run("-config", "invariant", "-tool", "-generateSpecTE", "-teSpecOutDir", "out/Mine.tla")
    assert "---- MODULE Mine ----" in Path("out/Mine.tla").read_text()


def test_a_counterexample_in_json_can_be_loaded_again() -> None:
    result = run("-noTE", "-config", "invariant", "-dumpTrace", "json", "t.json")
    assert '"CounterExample written: t.json"' in result.stdout
    found = json.loads(Path("t.json").read_text())
    assert found["vars"] == ["n", "at"]
    assert found["counterexample"]["state"][0] == [1, {"n": 0, "at": "a"}]
    first, action, second = found["counterexample"]["action"][0]
    assert (first, second) == ([1, {"n": 0, "at": "a"}], [2, {"n": 1, "at": "b"}])
    assert (action["name"], action["context"], action["parameters"]) == ("Go", {"p": "b"}, ["p"])
    assert action["location"]["beginLine"] == 6
    again = run("-noTE", "-config", "invariant", "-loadTrace", "json", "t.json")
    assert again.exit_code == 12
    followed = run("-noTE", "-deadlock", "-config", "deadlock", "-loadTrace", "json", "t.json")
    assert "5 states generated, 4 distinct" in followed.stdout


def test_a_lasso_has_the_step_that_closes_it() -> None:
    run("-noTE", "-config", "lasso", "-dumpTrace", "json", "t.json")
    edges = json.loads(Path("t.json").read_text())["counterexample"]["action"]
    assert edges[-1][2][0] <= edges[-1][0][0]


def test_other_forms_of_a_counterexample() -> None:
    words = ["-dumpTrace", "tla", "T.tla", "-dumpTrace", "tlcplain", "P.tla", "-dumpTrace", "tlcaction", "A.tla"]
    run("-noTE", "-config", "invariant", *words, "-dumpTrace", "dot", "t.dot", "-dumpTrace", "tlc", "t.tlc")
    assert "CounterExample ==" in Path("T.tla").read_text()
    assert "<<[n |-> 0, at |-> a], [n |-> 1, at |-> b], [n |-> 2, at |-> a]>>" in Path("P.tla").read_text()
    assert "\\/ 1 = _idx /\\ Go(b)\n\\/ 2 = _idx /\\ Go(a)" in Path("A.tla").read_text()
    assert '1->2[label="Go(b)"]' in Path("t.dot").read_text()
    assert not Path("t.tlc").exists()


def test_all_states() -> None:
    run("-deadlock", "-config", "deadlock", "-dump", "all", "-noTE")
    text = Path("all.dump").read_text()
    assert text.startswith("State 1:\n/\\ n = 0\n/\\ at = a\n\nState 2:\n")
    assert text.count("State ") == 8
    run("-deadlock", "-config", "deadlock", "-dump", "dot,actionlabels,colorize", "all", "-noTE")
    assert '1 -> 3 [label="Go",color="1",fontcolor="1"];' in Path("all.dot").read_text()


def test_behaviours_of_a_simulation() -> None:
    run("-deadlock", "-config", "deadlock", "-simulate", "num=3,file=walk", "-seed", "1")
    assert sorted(each.name for each in Path().glob("walk_*")) == ["walk_0_1", "walk_0_2", "walk_0_3"]
    assert Path("walk_0_1").read_text().count("STATE_") == 4


def test_formulas_of_the_command_line() -> None:
    assert run("-noTE", "-deadlock", "-config", "deadlock", "-inv", "n < 2").exit_code == 12
    result = run("-noTE", "-deadlock", "-config", "deadlock", "-invlevel", "3")
    assert (result.exit_code, "State 3" in result.stdout, "State 4" in result.stdout) == (12, True, False)
    Path("Post.tla").write_text("---- MODULE Post ----\nFine == FALSE\n====\n")
    assert run("-noTE", "-deadlock", "-config", "deadlock", "-postCondition", "Post!Fine").exit_code == 10


def test_a_search_up_to_a_depth() -> None:
    assert run("-noTE", "-config", "invariant", "-dfid", "3").exit_code == 12
    result = run("-noTE", "-config", "deadlock", "-dfid", "2")
    assert result.exit_code == 0
    assert "No error has been found" not in result.stdout
    assert "there are more states" in result.stderr
