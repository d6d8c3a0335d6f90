"""Whatever fails, with whatever verb, however it is asked: nobody may be told that all is well.

The table has a row for each failure of `failures.py` and a column for each verb of the command line, and for each
function of the API that is no verb. `!`: it must say so, in each of its outputs (`ways.py`). A letter: that does not
make sense, for the reason below it. Whoever adds a failure or a verb fills in its row or column; the tests ask for it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import get_args

import click
import pytest
from failures import BASE, FAILURES, OF_RECORDINGS, OF_SYSTEMS, PLUSCAL_BASE, Failure
from ways import WAYS, json_of, write

import gristmill
from gristmill.cli.main import VERBS
from gristmill.cli.main import gristmill as commands
from gristmill.search.result import Verdict

TABLE = """
failure                     check simulate compose explore replay parse fmt translate eval repl plot bench examples open

syntax                        !      !        !       !      !      !    !      t      !    !    d     !      !      !
unknown name                  !      !        !       p      !      !    s      t      !    !    d     !      !      !
level                         !      !        !       p      !      k    s      t      !    !    d     !      !      !
truncated                     !      !        !       !      !      !    !      t      !    !    d     !      !      !
empty                         !      !        !       !      !      !    !      !      !    !    !     !      !      !
not text                      !      !        !       !      !      !    !      !      !    !    !     !      !      !
bytes that are not UTF-8      !      !        !       !      !      !    !      !      !    !    !     !      !      !
no file                       !      !        !       !      !      !    !      !      !    !    !     !      !      !
PlusCal                       !      !        !       p      !      !    c      !      !    !    d     !      !      !
PlusCal, no invariant         !      !        !       p      !      !    c      !      !    !    d     !      !      !
PlusCal, SPECIFICATION        !      !        !       p      !      !    c      !      !    !    d     !      !      !
PlusCal, old translation      !      !        !       p      !      !    c      !      !    !    d     !      !      !
unknown invariant             !      !        !       p      !      k    k      k      v    v    d     !      !      !
unknown specification         !      !        e       p      !      k    k      k      v    v    d     !      !      !
configuration syntax          !      !        !       p      !      k    k      k      !    !    d     !      !      !
no value of a constant        !      !        !       p      !      k    k      k      !    !    d     !      !      !
replacement of another arity  !      !        !       p      !      k    k      k      !    !    d     !      !      !
configuration, no text        !      !        !       p      !      k    k      k      !    !    d     !      b      !
no such system                p      p        p       !      p      p    p      p      p    p    p     p      p      p
evaluation of Init            !      !        !       p      !      k    k      k      !    !    d     !      !      !
evaluation of Next            !      !        !       p      !      k    k      k      i    i    d     !      !      !
evaluation of an invariant    !      !        !       !      !      k    k      k      i    i    d     !      !      o
a variable without a value    !      !        !       p      !      k    k      k      i    i    d     !      !      !
typed model values            !      !        !       p      !      k    k      k      i    i    d     !      !      o
evaluation while printing     !      !        !       p      !      k    k      k      i    i    d     !      !      o
Assert                        !      !        !       !      !      k    k      k      i    i    d     m      !      !
invariant                     !      !        !       !      !      k    k      k      i    i    d     m      !      o
deadlock                      !      !        e       p      !      k    k      k      i    i    d     m      !      o
action property               !      !        e       p      !      k    k      k      i    i    d     m      !      o
liveness                      !      w        e       p      !      k    k      k      i    i    d     m      !      o
assumption                    !      !        !       p      !      k    k      k      v    v    d     m      !      !
postcondition                 !      n        e       p      !      k    k      k      i    i    d     m      !      o
time                          !      n        !       !      !      l    l      l      l    l    l     !      l      l
depth                         !      n        !       !      n      l    l      l      l    l    l     l      l      l
states                        l      l        l       !      l      l    l      l      l    l    l     l      l      l
memory                        !      !        !       l      l      l    l      l      l    l    l     l      l      l
address space                 !      u        !       u      !      u    u      u      u    u    u     !      !      u
interrupt                     !      !        !       !      !      q    q      q      q    q    q     !      !      !
damaged checkpoint            !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged states                !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged parents               !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged actions               !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged layout.json           !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged checkpoint, live      !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged states, live          !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged parents, live         !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged actions, live         !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged layout.json, live     !      g        g       g      g      g    g      g      g    g    g     g      g      g
damaged schedule              r      r        r       !      r      r    r      r      r    r    r     r      r      r
"""
REASONS = {
    "t": "translates algorithms, and does not read the TLA+ around them",
    "d": "reads numbers, and no specification",
    "p": "a Python program has none, or a specification is none",
    "s": "looks at spelling, not at what names mean",
    "c": "an algorithm is a comment, which stays as it is",
    "k": "reads no configuration, and evaluates nothing",
    "v": "evaluates what it is asked, and neither checks nor needs this",
    "b": "the configurations of the examples come with Gristmill",
    "o": "takes steps, and checks nothing unless asked to: see the output `opened` of `check`",
    "i": "evaluates in the first initial state, where this is in order",
    "m": "measures how long it takes to find a violation as it measures everything; the verdict stands in its table",
    "w": "behaviours of finite length do not show it; the caveat says that it was not checked",
    "n": "means to end there: what was asked for is done",
    "l": "has no such limit",
    "u": "takes no more memory than the process began with",
    "q": "ends in no time, or is a dialogue: tests/cli and tests/repl have it",
    "e": "checks the invariants of compositions; it lists what else a configuration asks for as not checked",
    "g": "has no checkpoints",
    "r": "follows no schedules",
    "x": "reads no mapping, and drives no system",
    "y": "reads no recordings",
    "h": "is for looking around by hand, and gives no verdict",
    "f": "goes on from checkpoints as `check` does, which is asked",
    "a": "writes a script, and reads nothing",
    "z": "watches nodes that send messages, which there are none of here: the failures at the end are its own",
}
# Where an output has another question to answer than the verb: a reason for each.
ELSEWHERE = {
    ("no value of a constant", "check", "sweep"): "a sweep gives it one",
    ("replacement of another arity", "check", "sweep"): "a sweep gives it a value",
    ("no value of a constant", "compose", "sweep"): "a sweep gives it one",
    ("replacement of another arity", "compose", "sweep"): "a sweep gives it a value",
    ("syntax", "translate", "check"): REASONS["t"],
}


def elsewhere(outputs: str, failures: Iterable[str], reason: str) -> dict[tuple[str, str, str], str]:
    """Of `replay`, which has a question for each of its modes."""
    return {(failure, "replay", output): reason for failure in failures for output in outputs.split()}


_OF_THE_MODEL = ("evaluation of an invariant", "typed model values", "evaluation while printing", "invariant")
_OF_BEHAVIOURS = ("action property", "liveness", "postcondition")
_WHILE_RUNNING = (
    "mapping with a condition that is none",
    "evaluation of an expression of a mapping",
    *(name for name in OF_SYSTEMS if name.startswith("a system that") and name != "a system that does not start"),
    "a reading that fails",
)
_READ_BY_ALL = ("mapping syntax", "mapping that is no text", "no mapping")
_OF_ONE_FILE = {
    "trace": ("no trace", "damaged trace", "a trace of another specification", "a trace of other variables"),
    "log": ("no log", "damaged log", "a log of another system"),
    "from": tuple(name for name in OF_SYSTEMS if name.split()[-1] == "record" or name.startswith("a record")),
}
ELSEWHERE |= {
    **elsewhere(
        "text json trace from",
        (*_OF_THE_MODEL, *_OF_BEHAVIOURS),
        "compares a system with the model, and checks nothing of the model itself; see the output `confirm`",
    ),
    **elsewhere("log", _OF_BEHAVIOURS, "looks at the invariants of the states that fit"),
    **elsewhere("confirm", ("deadlock",), "confirms violations of invariants; behaviours may end"),
    **elsewhere(
        "explain",
        (*_OF_THE_MODEL, *_OF_BEHAVIOURS, "evaluation of Init", "evaluation of Next", "Assert", "deadlock"),
        "evaluates nothing",
    ),
    **elsewhere("explain", ("a variable without a value",), "takes no step"),
    **elsewhere("explain confirm", _WHILE_RUNNING, "runs nothing, as there is nothing to confirm"),
    **elsewhere(
        "log",
        [name for name in OF_SYSTEMS if name not in _OF_ONE_FILE["log"] and name not in _READ_BY_ALL],
        "reads the table [log], and drives no system",
    ),
    **{
        key: reason
        for mode, failures in _OF_ONE_FILE.items()
        for output in WAYS["replay"]
        if output != mode
        for key, reason in elsewhere(output, failures, "reads no such file").items()
    },
}
# Found by this gate, and not mended so far.
OPEN: dict[tuple[str, str], str] = {}

# Functions of the API, and methods of what `gristmill.open` gives, that have no answer to be taken for "all is well".
NO_VERDICT = {
    "to_python": "turns a value into a Python object",
    "initial": "asked wherever steps are taken",
    "observation": "what `follow` makes of what it is given",
    "blocked": "says why there is no step",
    "close": "answers nothing",
    "search": "runs a search of one's own, whose answer it is",
}
# Methods that are asked as a verb of another name, or as an output of another name.
ASKED_AS = {
    "check": ("check", "opened"),
    "simulate": ("simulate", "opened"),
    "evaluate": ("eval", "opened"),
    "expression": ("eval", "expression"),
    "expressions": ("eval", "expressions"),
    "steps": ("open", "api"),
}

ROWS = [line for line in TABLE.splitlines() if line]
WRITTEN = ROWS[0].split()[1:]
# The cells of `watch`, `step` and `completion` are all alike; those of `tlc` are those of `check`, but for its
# options, and the language server says what `parse` says.
_FIRST = [WRITTEN[0], "tlc", *WRITTEN[1:5], "watch", "step", *WRITTEN[5:11]]
COLUMNS = [*_FIRST, "lsp", WRITTEN[11], "completion", *WRITTEN[-2:]]
_OF_TLC = {"time": "l", "depth": "n", "memory": "l"}


def derived(name: str, row: Mapping[str, str]) -> dict[str, str]:
    tlc = "f" if name.startswith("damaged") and row["check"] == "!" else _OF_TLC.get(name, row["check"])
    return {**row, "tlc": tlc, "completion": "a", "watch": "z", "step": "h"}


CELLS = {
    re.split(r"\s{2,}", row)[0]: derived(re.split(r"\s{2,}", row)[0], dict(zip(WRITTEN, cells, strict=True)))
    for row in ROWS[1:]
    for cells in [row.split()[-len(WRITTEN) :]]
} | {name: {verb: "!" if verb == "replay" else "x" for verb in COLUMNS} for name in OF_SYSTEMS}
CELLS |= {name: {verb: "!" if verb == "watch" else "y" for verb in COLUMNS} for name in OF_RECORDINGS}
for row in CELLS.values():
    row["lsp"] = row["parse"]


def test_every_verb_has_a_column() -> None:
    assert [*VERBS, "open"] == COLUMNS == list(WAYS)


def test_every_failure_has_a_row() -> None:
    assert list(CELLS) == list(FAILURES)


def test_every_gap_has_a_reason() -> None:
    letters = {cell for row in CELLS.values() for cell in row.values()} - {"!"}
    assert letters == set(REASONS)


def test_every_verdict_is_shown() -> None:
    assert {failure.verdict for failure in FAILURES.values()} == set(get_args(Verdict)) - {"ok"}


def parameters(command: click.Command) -> list[click.Parameter]:
    """Also of the commands of a group."""
    if not isinstance(command, click.Group):
        return command.params
    ctx = click.Context(command)
    commands_of = [command.get_command(ctx, name) for name in command.list_commands(ctx)]
    return [each for inner in commands_of if inner is not None for each in inner.params]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_that_writes_json_is_asked_for_it(verb: str) -> None:
    command = commands.get_command(None, verb)  # type: ignore[arg-type]
    assert command is not None
    choices = [choice for each in parameters(command) for choice in getattr(each.type, "choices", ())]
    assert ("json" in choices and verb not in ("bench", "examples")) == ("json" in WAYS[verb])


def test_every_function_of_the_api_is_asked() -> None:
    functions = [name for name in dir(gristmill) if inspect.isfunction(getattr(gristmill, name))]
    assert {"check", "open", "simulate"} <= set(functions)
    assert [name for name in functions if name not in NO_VERDICT and "api" not in WAYS.get(name, {})] == []


def test_every_method_of_an_opened_specification_is_asked() -> None:
    methods = [name for name, _ in inspect.getmembers(gristmill.Specification, inspect.isfunction) if name[0] != "_"]
    asked = {name: ASKED_AS.get(name, ("open", name)) for name in methods if name not in NO_VERDICT}
    assert [name for name, (verb, output) in asked.items() if output not in WAYS[verb]] == []


# ------------------------------------------------------------------------------------------------------------ the gate


def questions() -> Iterator[object]:
    for name, row in CELLS.items():
        for verb, cell in row.items():
            if cell != "!":
                continue
            for output, way in WAYS[verb].items():
                failure = FAILURES[name]
                if way.can(failure, failure.options.get(verb, {})) and (name, verb, output) not in ELSEWHERE:
                    reason = OPEN.get((name, verb))
                    marks = [pytest.mark.xfail(reason=reason, strict=False)] if reason else []
                    yield pytest.param(name, verb, output, marks=marks, id=f"{name}-{verb}-{output}")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "verb", "output"), list(questions()))
def test_nobody_is_told_that_all_is_well(name: str, verb: str, output: str, folder: Path) -> None:
    failure, way = FAILURES[name], WAYS[verb][output]
    options = failure.options.get(verb, {})
    write(folder, {**(PLUSCAL_BASE if verb == "translate" else BASE), **failure.files})
    if failure.prepare:
        failure.prepare(folder)
    found = way(folder, failure, options)
    assert not found.all_well, found.text
    assert "internal error" not in found.text, found.text
    if output != "api":  # where a mistake, or a lack of memory, is raised
        assert "Traceback (most recent call last)" not in found.text, found.text
    assert not re.search(r"^No error found|^no error\b|No error has been found", found.out, re.MULTILINE), found.text
    if output == "json" or "--format" in way.words:
        answer_in_json(found.out, failure, verb)


def answer_in_json(out: str, failure: Failure, verb: str) -> None:
    if not out and (verb == "explore" or failure.address_space):  # told on standard error alone
        return
    document = json_of(out)
    assert not document.get("ok"), out
    assert document.get("verdict") != "ok", out
    assert document.get("exit_code") != 0, out
    if verb in ("check", "compose") or (verb == "replay" and failure in OF_SYSTEMS.values()):
        assert document["verdict"] == failure.verdict, out


@pytest.mark.parametrize("base", ["BASE", "PLUSCAL_BASE"])
@pytest.mark.parametrize(("verb", "output"), [(verb, output) for verb, outputs in WAYS.items() for output in outputs])
def test_all_is_well_where_nothing_is_wrong(base: str, verb: str, output: str, folder: Path) -> None:
    """Else the gate would show nothing."""
    if verb == "translate" and base == "BASE":
        pytest.skip("there is nothing to translate")
    write(folder, {"BASE": BASE, "PLUSCAL_BASE": PLUSCAL_BASE}[base])
    found = WAYS[verb][output](folder, Failure("ok"), {})
    assert found.all_well, found.text
