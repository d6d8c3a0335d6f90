"""`gristmill replay` as users call it: its modes, what it writes, and what it says to mistakes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from leaving import Replay
from posting import CONFIGURATION, MAPPING, changed, trace, two_orders, write_post
from talking import MAPPING as TALKING
from talking import write_talking

from gristmill.cli.main import gristmill
from gristmill.replay.mapping import read_mapping
from gristmill.replay.steps import to_trace
from gristmill.trace.itf import itf_document

Ran = Callable[..., Result]
MAP, TRACE = "post.map.toml", "trace.itf.json"
RANDOM = (MAP, "--random", "600s", "--depth", "12", "--shrink", "0s")
ACTIONS = [*two_orders(), ("Finish", "b2"), ("Order", "b1")]


@pytest.fixture(scope="module")
def itf(tmp_path_factory: pytest.TempPathFactory) -> str:
    """As `check --itf` writes it."""
    mapping = read_mapping(write_post(tmp_path_factory.mktemp("post")))
    return json.dumps(itf_document(to_trace(mapping.specification, trace(mapping, *ACTIONS)), source="Post"))


@pytest.fixture
def replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, itf: str) -> Ran:
    """In a folder with a mapping and a trace."""
    monkeypatch.chdir(tmp_path)
    write_post(tmp_path)
    Path(TRACE).write_text(itf)
    return lambda *arguments: CliRunner().invoke(gristmill, ["replay", *arguments])


def told(result: Result, status: int) -> str:
    """What was said, to people; there must be no traceback behind it."""
    assert result.exit_code == status, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.output


def document(result: Result, status: int) -> dict[str, Any]:
    told(result, status)
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["exit_code"] == status
    return found


# ---------------------------------------------------------------------------------------------------------- one trace


def test_a_trace_that_the_system_does(replay: Ran) -> None:
    text = told(replay(MAP, "--trace", TRACE), 0)
    assert "The system did it: every step, and every observed variable agreed" in text
    assert "1 trace, 6 steps" in text


def test_a_trace_without_the_names_of_its_actions(replay: Ran) -> None:
    """As other tools write it: they are found."""
    whole = json.loads(Path(TRACE).read_text())
    states = [{name: each for name, each in state.items() if name != "#meta"} for state in whole["states"]]
    Path("bare.itf.json").write_text(json.dumps({"vars": whole["vars"], "states": states}))
    named, bare = (document(replay(MAP, "--trace", file, "--format", "json"), 0) for file in (TRACE, "bare.itf.json"))
    assert named["actions"] == bare["actions"] == {"Order": 3, "Take": 2, "Finish": 1}
    assert named["mode"] == "trace"


def test_a_trace_that_the_system_does_not_do(replay: Ran) -> None:
    found = document(replay(MAP, "--trace", TRACE, "--set", "office=Forgetful", "--format", "json"), 13)
    (discrepancy,) = found["discrepancies"]
    assert (found["verdict"], discrepancy["kind"], discrepancy["step"]) == ("property", "differs", 4)
    assert discrepancy["trace"][:4] == ['Order("b2")', 'Take("b2")', 'Order("b2")', 'Take("b2")']


@pytest.mark.parametrize(
    ("states", "why"),
    [
        ([{"x": 1}], "the model has no variable that is called `x`"),
        ([{"taken": {"#tup": ["b1"]}}], "no initial state is its first one"),
        ([{"taken": {"#tup": []}}, {"taken": {"#tup": ["b1"]}}], "its step 1 is not possible"),
    ],
)
def test_a_trace_of_another_specification(replay: Ran, states: list[Any], why: str) -> None:
    Path("other.itf.json").write_text(json.dumps({"vars": list(states[0]), "states": states}))
    text = told(replay(MAP, "--trace", "other.itf.json"), 150)
    assert f"the trace is no behaviour of Post: {why}" in text
    assert "help: was it made by another specification, or with other constants?" in text


def test_a_trace_without_a_state(replay: Ran) -> None:
    Path("empty.itf.json").write_text('{"vars": [], "states": []}')
    assert "the trace has no state" in told(replay(MAP, "--trace", "empty.itf.json"), 150)


# ------------------------------------------------------------------------------------------------------- random traces


def test_the_same_seed_gives_the_same_traces(replay: Ran) -> None:
    def traces(seed: int) -> list[Any]:
        options = ("--num", "6", "--seed", str(seed), "--set", "office=Forgetful", "--format", "json")
        found = document(replay(*RANDOM, *options), 13)
        return [found["pairs"], [each["trace"] for each in found["discrepancies"]], found["seed"]]

    first = traces(7)
    assert first[0]
    assert first[1]
    assert first == traces(7)
    assert first[0] != traces(8)[0]


def test_the_first_discrepancy_may_be_enough(replay: Ran) -> None:
    found = document(replay(*RANDOM, "--first", "--seed", "7", "--set", "office=Failing", "--format", "json"), 13)
    assert found["traces"] == found["conforming"] + 1


def test_discrepancies_of_random_traces_are_made_smaller(replay: Ran) -> None:
    options = ("--random", "600s", "--num", "3", "--seed", "7", "--set", "office=Failing", "--format", "json")
    found = document(replay(MAP, *options), 13)
    assert min(len(each["trace"]) for each in found["discrepancies"]) <= 4


def test_workers_tell_of_all_their_traces(replay: Ran, tmp_path: Path) -> None:
    run = Replay(tmp_path, [*RANDOM, "--num", "3", "--workers", "2", "--seed", "7", "--format", "json"])
    assert run.ended() == 0, run.text
    found = json.loads(run.text)
    assert (found["traces"], found["conforming"]) == (6, 6)
    assert sum(found["actions"].values()) == found["steps"] > 30


# ---------------------------------------------------------------------------------------------------------- violations


def few(folder: Path, violation: str = "", most: int = 6) -> None:
    """The office takes two orders, which it should not."""
    configuration = CONFIGURATION.replace("Most = 6", f"Most = {most}") + "INVARIANT Few\n"
    write_post(folder, MAPPING + violation, configuration)


def test_a_violation_that_the_system_shows(replay: Ran, tmp_path: Path) -> None:
    few(tmp_path)
    found = document(replay(MAP, "--confirm", "--format", "json"), 12)
    (confirmation,) = found["confirmations"]
    assert (found["verdict"], confirmation["invariant"], confirmation["confirmed"]) == ("invariant", "Few", True)
    assert len(confirmation["run"]["steps"]) == 3  # two orders at once


def test_a_violation_that_the_system_does_not_show(replay: Ran, tmp_path: Path) -> None:
    few(tmp_path)
    text = told(replay(MAP, "--confirm", "--set", "office=Failing"), 13)
    assert "0 of 1 violation of the model confirmed on the system" in text
    assert "no more room" in " ".join(text.split())


@pytest.mark.parametrize(("shows", "status"), [("Len(readTaken.office) = 2", 12), ("Len(readTaken.office) = 3", 13)])
def test_the_symptom_of_a_violation(replay: Ran, tmp_path: Path, shows: str, status: int) -> None:
    few(tmp_path, f"\n[violation.Few]\nshows = '{shows}'\nsays = \"it is full\"\n".replace(".office", '["office"]'))
    found = document(replay(MAP, "--confirm", "--only", "Few", "--format", "json"), status)
    assert ("it is full" in found["confirmations"][0]["observed"]) is (status == 12)


def test_a_model_without_a_violation(replay: Ran, tmp_path: Path) -> None:
    few(tmp_path, most=1)
    assert "The model has no violation to confirm" in told(replay(MAP, "--confirm"), 0)


def test_an_invariant_that_is_none(replay: Ran, tmp_path: Path) -> None:
    few(tmp_path)
    text = told(replay(MAP, "--confirm", "--only", "Fev"), 150)
    assert "Post has no invariant `Fev`" in text
    assert "did you mean `Few`?" in text


def test_a_violation_with_an_action_that_is_not_mapped(replay: Ran, tmp_path: Path) -> None:
    few(tmp_path)
    one = '[action.Take]\ndo = "deliver"\nwith = { box = "b", times = "1" }\n'
    many = '[action.TakeMany]\ndo = "deliver"\nwith = { box = "b", times = "n" }\n'
    Path(MAP).write_text(changed((one, ""), (many, "")))
    assert "it cannot be replayed: the mapping does not say what Take" in told(replay(MAP, "--confirm"), 13)


# ------------------------------------------------------------------------------------------------------------- records


@pytest.mark.parametrize(("office", "status"), [("Office", 0), ("Forgetful", 13), ("Failing", 13)])
def test_a_recorded_run_is_the_same_again(replay: Ran, office: str, status: int) -> None:
    told(replay(MAP, "--trace", TRACE, "--set", f"office={office}", "--record", "run.json"), status)
    assert ", as recorded" in told(replay("--from", "run.json"), status)
    assert document(replay("--from", "run.json", "--format", "json"), status)["not_as_recorded"] == []


def test_another_system_does_not_do_as_recorded(replay: Ran) -> None:
    told(replay(MAP, "--trace", TRACE, "--record", "run.json"), 0)
    text = told(replay("--from", "run.json", "--set", "office=Forgetful"), 13)
    assert 'not as recorded: step 4: taken of office was <<"b2", "b2">>, now it is <<"b2", "b1">>' in text
    assert "not as recorded: there were 6 steps, now there are 4" in text


def test_the_system_was_mended(replay: Ran) -> None:
    """It does what the model says, and that is not what was recorded."""
    told(replay(MAP, "--trace", TRACE, "--set", "office=Failing", "--record", "run.json"), 13)
    found = document(replay("--from", "run.json", "--set", "office=Office", "--format", "json"), 13)
    assert found["discrepancies"] == []
    assert "it ended with: failed at step 4; now with: no discrepancy" in found["not_as_recorded"]


def altered(change: Callable[[dict[str, Any]], None]) -> None:
    record = json.loads(Path("run.json").read_text())
    change(record)
    Path("run.json").write_text(json.dumps(record))


def test_a_record_that_was_altered(replay: Ran) -> None:
    told(replay(MAP, "--trace", TRACE, "--record", "run.json"), 0)
    altered(lambda record: record["run"]["steps"][2]["comparisons"][0].update(real="<<>>"))
    text = told(replay("--from", "run.json"), 13)
    assert 'not as recorded: step 3: taken of office was <<>>, now it is <<"b2">>' in text
    altered(lambda record: record["trace"]["states"].pop(1))
    assert "the trace is no behaviour of Post: its step 1 is not possible" in told(replay("--from", "run.json"), 150)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.clear(),
        lambda record: record.update(run=3),
        lambda record: record["run"].pop("steps"),
        lambda record: record["request"].update(mapping=3),
        lambda record: record["request"].update(values={"office": 3}),
        lambda record: record["request"].update(more=3),
        lambda record: record["trace"].pop("states"),
    ],
)
def test_what_is_no_record(replay: Ran, change: Callable[[dict[str, Any]], None]) -> None:
    told(replay(MAP, "--trace", TRACE, "--record", "run.json"), 0)
    altered(change)
    assert "error[" in told(replay("--from", "run.json"), 150)


def test_the_report_is_written(replay: Ran) -> None:
    told(replay(MAP, "--trace", TRACE, "--set", "office=Forgetful", "--html", "report.html"), 13)
    page = Path("report.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "1 discrepancy between the model and the system" in page


# ------------------------------------------------------------------------------------------ what ends before its time

LOOK = """
seen = []

def look(office):
    if isinstance(office, Box):
        return ()
    if office.total == 0 and seen:  # in the second run
        raise ERROR("no luck")
    seen.extend(office.taken)
    return office.taken
"""


def ends_in_the_second_run(error: str) -> None:
    """The first one finds what is wrong with the office."""
    Path(MAP).write_text(changed(('readTaken = { path = "taken" }', 'readTaken = { python = "post.py:look" }')))
    with Path("post.py").open("a") as program:
        program.write(LOOK.replace("ERROR", error))


@pytest.mark.parametrize("mode", [("--trace", TRACE), RANDOM[1:]])
@pytest.mark.parametrize(("error", "told_"), [("KeyboardInterrupt", "(interrupted)"), ("ValueError", "no luck")])
def test_what_was_found_before_is_told(replay: Ran, mode: tuple[str, ...], error: str, told_: str) -> None:
    """Be it that somebody interrupts, or that the system cannot be driven any more."""
    ends_in_the_second_run(error)
    found = replay(MAP, *mode, "--set", "office=Failing", "--shrink", "60s", "--seed", "7")
    if error == "ValueError" and mode[0] == "--trace":
        told_ = "no more room"  # in the runs that make a trace smaller it does not matter
    text = " ".join(told(found, 13).split())  # lines are broken where the folder's name is long
    assert told_ in text
    assert "Error: 1 discrepancy between the model and the system" in text


@pytest.mark.parametrize("mode", [(MAP, "--trace", TRACE), (MAP, "--confirm"), ("--from", "run.json"), RANDOM])
def test_what_is_interrupted_is_incomplete(replay: Ran, tmp_path: Path, mode: tuple[str, ...]) -> None:
    few(tmp_path)
    told(replay(MAP, "--trace", TRACE, "--record", "run.json"), 0)
    ends_in_the_second_run("KeyboardInterrupt")
    with Path("post.py").open("a") as program:
        program.write("seen.append(1)\n")
    found = document(replay(*mode, "--format", "json"), 3)
    assert (found["verdict"], found["interrupted"], found["traces"]) == ("incomplete", True, 0)
    assert found["message"].startswith("Interrupted: ")


# -------------------------------------------------------------------------------------------------------------- explain


def test_a_mapping_is_explained(replay: Ran) -> None:
    text = told(replay(MAP, "--explain"), 0)
    assert "post, driven through program; nodes b1, b2, office" in text
    assert "Request, where it is to arrive next" in text
    assert "do deliver, with box = b, times = 1" in text
    assert "up: not observed (what is down cannot be asked)" in text


def test_points_that_are_not_there_are_told(replay: Ran) -> None:
    Path(MAP).write_text(changed(('at = "message Answer"', 'at = "massage Answer"')))
    text = told(replay(MAP, "--explain"), 150)
    assert "point `answer`: there is no 'massage Answer' in a program" in text


# ------------------------------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "say what to replay: one of --trace, --random, --confirm, --from, --log, --explain"),
        (("--confirm",), "which mapping? write: gristmill replay SYSTEM.map.toml"),
        ((MAP,), "say what to replay"),
        ((MAP, "--confirm", "--explain"), "say what to replay: one of"),
        ((MAP, "--trace", TRACE, "--random", "3s"), "say what to replay: one of"),
        ((MAP, "other.map.toml", "--confirm"), "there is one mapping: what is other.map.toml?"),
        ((MAP, "--shuffle"), "No such option"),
        ((MAP, "-workers", "2", "--confirm"), "-workers is how TLC spells an option; here it is --workers"),
        ((MAP, "--random", "soon"), "soon"),
        ((MAP, "--random", "3s", "--num", "0"), "0 is not in the range x>=1"),
        ((MAP, "--random", "3s", "--workers", "0"), "0 is not in the range x>=1"),
        ((MAP, "--confirm", "--set", "office"), "'office': write NAME=VALUE"),
        ((MAP, "--confirm", "--constant", "=3"), "'=3': write NAME=VALUE"),
        ((MAP, "--confirm", "--record", "nowhere/run.json"), "there is no folder nowhere"),
        ((MAP, "--confirm", "--html", "."), "it is a folder"),
    ],
)
def test_usage(replay: Ran, arguments: tuple[str, ...], message: str) -> None:
    assert message in told(replay(*arguments), 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.map.toml", "--confirm"), "there is no file nowhere.map.toml"),
        ((".", "--confirm"), "Is a directory"),
        ((MAP, "--trace", "nowhere.json"), "nowhere.json cannot be read: No such file or directory"),
        ((MAP, "--trace", "."), ". cannot be read: Is a directory"),
        (("--from", "nowhere.json"), "nowhere.json cannot be read: No such file or directory"),
        (("--from", "."), ". cannot be read: Is a directory"),
        (("--from", "post.py"), "post.py cannot be read: it is no record of a replay"),
        ((MAP, "--confirm", "--spec", "Nowhere.tla"), "Nowhere.tla"),
        ((MAP, "--confirm", "--constant", "Mots=3"), "`Mots` is neither declared nor defined in module Post"),
        ((MAP, "--log", "nowhere.ndjson"), "the mapping does not speak of logs"),
    ],
)
def test_files_that_cannot_be_read(replay: Ran, arguments: tuple[str, ...], message: str) -> None:
    assert message in told(replay(*arguments), 150)
    found = document(replay(*arguments, "--format", "json"), 150)
    assert found["verdict"] == "error"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[variable.done]", "[variable.dome]", "Post has no variable `dome`"),
        ("[action.Crash]", "[action.Crush]", "Post has no action `Crush`"),
        ('from = "answer"', 'from = "answers"', "there is no point `answers`"),
        ('call = "order"\non', 'call = "odrer"\non', "there is no operation `odrer` of clients"),
        ('fault = "kill"', 'fault = "kil"', "the driver `program` has no fault `kil`"),
        ('do = "deliver"', 'do = "delivr"', "there are no moves `delivr`"),
        ('value = "readDone"', 'value = "readGone"', "the name `readGone` is not declared or defined"),
    ],
)
def test_names_that_are_not_there(replay: Ran, old: str, new: str, message: str) -> None:
    """All of them before anything runs, with the place in the mapping."""
    assert old in MAPPING
    mapping = MAPPING.replace(old, new, 1)
    Path(MAP).write_text(mapping)
    text = told(replay(MAP, "--trace", TRACE), 150)
    assert message in text
    assert f"{MAP}:{mapping[: mapping.index(new)].count(chr(10)) + 1}:" in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('readDone = { path = "done" }', 'readDone = { python = "post.py:look" }', "post.py has no 'look'"),
        ('file = "post.py:system"', 'file = "post.py:sistem"', "post.py has no 'sistem'"),
        ('file = "post.py:system"', 'file = "past.py:system"', "there is no file"),
        ('method = "order"', 'method = "oder"', "no process has a method 'oder'"),
    ],
)
def test_functions_that_are_not_there(replay: Ran, old: str, new: str, message: str) -> None:
    Path(MAP).write_text(changed((old, new)))
    assert message in told(replay(MAP, "--trace", TRACE), 75)


def test_a_port_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_talking(tmp_path, TALKING.replace("{port.client}", "{port.clinet}"))
    text = told(CliRunner().invoke(gristmill, ["replay", "talk.map.toml", "--random", "60s"]), 75)
    assert "there is nothing called {port.clinet} to fill in" in text
    assert "did you mean {port.client}?" in text


PICKING = """

class Picking(Office):
    def take(self, sender):
        raise ValueError("picked " + next(iter({f"box-{number}" for number in range(50)})))
"""


def test_sets_of_strings_have_the_same_order_in_every_run(tmp_path: Path, itf: str) -> None:
    """What the program picks from a set does not depend on how strings happen to be hashed."""
    write_post(tmp_path)
    (tmp_path / TRACE).write_text(itf)
    with (tmp_path / "post.py").open("a") as program:
        program.write(PICKING)
    picked = set()
    for _ in range(3):
        run = Replay(tmp_path, [MAP, "--trace", TRACE, "--set", "office=Picking"])
        assert run.ended() == 13, run.text
        picked |= set(re.findall(r"box-\d+", " ".join(run.text.split())))
    assert len(picked) == 1
