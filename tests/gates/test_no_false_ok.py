"""Whatever fails, with whatever verb, however it is asked: nobody may be told that all is well.

The table has a row for each failure of `failures.py` and a column for each verb of the command line, and for each
function of the API that is no verb. `!`: it must say so, in each of its outputs (`ways.py`). A letter: that does not
make sense, for the reason below it. Whoever adds a failure or a verb fills in its row or column; the tests ask for it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import pytest
from failures import BASE, FAILURES, PLUSCAL_BASE, Failure
from ways import WAYS, json_of, write

import gristmill
from gristmill.cli.main import VERBS
from gristmill.cli.main import gristmill as commands
from gristmill.search.result import Verdict

TABLE = """
failure                           check simulate compose explore parse fmt translate eval repl plot bench examples open

syntax                              !      !        !       !      !    !      t      !    !    d     !      !      !
unknown name                        !      !        !       p      !    s      t      !    !    d     !      !      !
level                               !      !        !       p      k    s      t      !    !    d     !      !      !
truncated                           !      !        !       !      !    !      t      !    !    d     !      !      !
empty                               !      !        !       !      !    !      !      !    !    !     !      !      !
not text                            !      !        !       !      !    !      !      !    !    !     !      !      !
bytes that are not UTF-8            !      !        !       !      !    !      !      !    !    !     !      !      !
no file                             !      !        !       !      !    !      !      !    !    !     !      !      !
PlusCal                             !      !        !       p      !    c      !      !    !    d     !      !      !
PlusCal, no invariant               !      !        !       p      !    c      !      !    !    d     !      !      !
PlusCal, SPECIFICATION              !      !        !       p      !    c      !      !    !    d     !      !      !
PlusCal above an old translation    !      !        !       p      !    c      !      !    !    d     !      !      !
unknown invariant                   !      !        !       p      k    k      k      v    v    d     !      !      !
unknown specification               !      !        e       p      k    k      k      v    v    d     !      !      !
configuration syntax                !      !        !       p      k    k      k      !    !    d     !      !      !
no value of a constant              !      !        !       p      k    k      k      !    !    d     !      !      !
replacement of another arity        !      !        !       p      k    k      k      !    !    d     !      !      !
configuration that is no text       !      !        !       p      k    k      k      !    !    d     !      b      !
no such system                      p      p        p       !      p    p      p      p    p    p     p      p      p
evaluation of Init                  !      !        !       p      k    k      k      !    !    d     !      !      !
evaluation of Next                  !      !        !       p      k    k      k      i    i    d     !      !      !
evaluation of an invariant          !      !        !       !      k    k      k      i    i    d     !      !      o
a variable without a value          !      !        !       p      k    k      k      i    i    d     !      !      !
typed model values                  !      !        !       p      k    k      k      i    i    d     !      !      o
evaluation while printing           !      !        !       p      k    k      k      i    i    d     !      !      o
Assert                              !      !        !       !      k    k      k      i    i    d     m      !      !
invariant                           !      !        !       !      k    k      k      i    i    d     m      !      o
deadlock                            !      !        e       p      k    k      k      i    i    d     m      !      o
action property                     !      !        e       p      k    k      k      i    i    d     m      !      o
liveness                            !      w        e       p      k    k      k      i    i    d     m      !      o
assumption                          !      !        !       p      k    k      k      v    v    d     m      !      !
postcondition                       !      n        e       p      k    k      k      i    i    d     m      !      o
time                                !      n        !       !      l    l      l      l    l    l     !      l      l
depth                               !      n        !       !      l    l      l      l    l    l     l      l      l
states                              l      l        l       !      l    l      l      l    l    l     l      l      l
memory                              !      !        !       l      l    l      l      l    l    l     l      l      l
address space                       !      u        !       u      u    u      u      u    u    u     !      !      u
interrupt                           !      !        !       !      q    q      q      q    q    q     !      !      !
damaged checkpoint                  !      g        g       g      g    g      g      g    g    g     g      g      g
damaged states                      !      g        g       g      g    g      g      g    g    g     g      g      g
damaged origins                     !      g        g       g      g    g      g      g    g    g     g      g      g
damaged layout.json                 !      g        g       g      g    g      g      g    g    g     g      g      g
damaged checkpoint, liveness        !      g        g       g      g    g      g      g    g    g     g      g      g
damaged states, liveness            !      g        g       g      g    g      g      g    g    g     g      g      g
damaged origins, liveness           !      g        g       g      g    g      g      g    g    g     g      g      g
damaged layout.json, liveness       !      g        g       g      g    g      g      g    g    g     g      g      g
damaged schedule                    r      r        r       !      r    r      r      r    r    r     r      r      r
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
}
# Where an output has another question to answer than the verb: a reason for each.
ELSEWHERE = {
    ("no value of a constant", "check", "sweep"): "a sweep gives it one",
    ("replacement of another arity", "check", "sweep"): "a sweep gives it a value",
    ("no value of a constant", "compose", "sweep"): "a sweep gives it one",
    ("replacement of another arity", "compose", "sweep"): "a sweep gives it a value",
    ("syntax", "translate", "check"): REASONS["t"],
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
}
# Methods that are asked as a verb of another name, or as an output of another name.
ASKED_AS = {
    "check": ("check", "opened"),
    "simulate": ("simulate", "opened"),
    "evaluate": ("eval", "opened"),
    "steps": ("open", "api"),
}

ROWS = [line for line in TABLE.splitlines() if line]
COLUMNS = ROWS[0].split()[1:]
CELLS = {
    re.split(r"\s{2,}", row)[0]: dict(zip(COLUMNS, cells, strict=True))
    for row in ROWS[1:]
    for cells in [row.split()[-len(COLUMNS) :]]
}


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
    assert not re.search(r"^No error found|^no error\b", found.out, re.MULTILINE), found.text
    if output == "json":
        answer_in_json(found.out, failure, verb)


def answer_in_json(out: str, failure: Failure, verb: str) -> None:
    if not out and (verb == "explore" or failure.address_space):  # told on standard error alone
        return
    document = json_of(out)
    assert not document.get("ok"), out
    assert document.get("verdict") != "ok", out
    assert document.get("exit_code") != 0, out
    if verb in ("check", "compose"):
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
