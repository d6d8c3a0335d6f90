"""Mappings: what is right is understood, and what is wrong is told with its place and a remedy, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from gristmill.replay.mapping import Mapping, read_mapping
from gristmill.source import SourceError

SPECIFICATION = """
---- MODULE Mail ----
EXTENDS Naturals, Sequences
CONSTANT Nodes
VARIABLES sent, got
Init == sent = <<>> /\\ got = [n \\in Nodes |-> 0]
Send(n) == sent' = Append(sent, n) /\\ UNCHANGED got
Get(n, m) == sent # <<>> /\\ Head(sent) = m /\\ sent' = Tail(sent) /\\ got' = [got EXCEPT ![n] = @ + 1]
Next == \\E n, m \\in Nodes : Send(n) \\/ Get(n, m)
====
"""
MAPPING = """
[system]
driver = "jvm"
specification = "Mail.tla"
constants = { Nodes = "{1, 2}" }
nodes = "Nodes"
definitions = 'Twice(x) == 2 * x'

[point.received]
at = "a.B.c entry"
bind = { from = "x" }
where = 'Twice(from) < 5'

[point.done]
at = "a.B.c exit"
tells = true

[action.Get]
on = "n"
from = "received"
where = 'from = m'
to = "done"

[action.Send]
do = [{ call = "send", on = "n", with = { number = 'Len(sent)' } }]

[read.count]
path = "x"

[variable.got]
per = "s"
value = 'count'

[variable.sent]
unobserved = "on its way"

[client.send]
method = "send"

[node]
command = ["server", "{peers}"]
ports = ["client", "peer"]
failures = ["FATAL"]
files."a.cfg" = "port={port.client}"
[node.each]
peers = { text = "{node}:{port.peer}", join = "," }
"""


def read(folder: Path, text: str = MAPPING) -> Mapping:
    (folder / "Mail.tla").write_text(SPECIFICATION)
    file = folder / "mail.map.toml"
    file.write_text(text)
    return read_mapping(file)


def messages(folder: Path, text: str) -> list[str]:
    with pytest.raises(SourceError) as error:
        read(folder, text)
    return [_told(each.message, each.span.line if each.span else 0, each.help) for each in error.value.diagnostics]


def _told(message: str, line: int, help: str | None) -> str:
    return f"{line}: {message}" + (f" ({help})" if help else "")


def test_a_mapping_is_understood(tmp_path: Path) -> None:
    mapping = read(tmp_path)
    assert mapping.nodes == ("1", "2")
    assert mapping.gates == ("received",)
    (point, _) = mapping.points
    assert point.accepts("1", {"from": 2})
    assert not point.accepts("1", {"from": 3})
    (move,) = mapping.actions["Get"].moves
    assert (move.kind, move.name, move.to) == ("release", "received", ("done",))
    (call,) = mapping.actions["Send"].moves
    first = mapping.specification.initial()[0]
    assert call.details["number"].value(first, {"n": 1}) == 0
    assert mapping.variables["got"].readings == ("count",)
    assert mapping.variables["sent"].unobserved == "on its way"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('driver = "jvm"', 'driver = "jmv"', "3: there is no driver `jmv` (did you mean `jvm`?)"),
        ('"Mail.tla"', '"Male.tla"', "4: there is no file Male.tla (did you mean `Mail.tla`?)"),
        ("[action.Get]", "[action.Got]", "18: Mail has no action `Got` (did you mean `Get`?)"),
        ('from = "received"', 'from = "receved"', "20: there is no point `receved` (did you mean `received`?)"),
        ('to = "done"', 'to = "don"', "22: there is no point `don` (did you mean `done`?)"),
        ("'from = m'", "'from = q'", "21: the name `q` is not declared or defined"),
        ("'from = m'", "'from = ('", "21: expected an expression"),
        ("[variable.got]", "[variable.gott]", "30: Mail has no variable `gott` (did you mean `got`?)"),
        ("value = 'count'", "", "30: nothing says how `got` is observed (write value = '…', or unobserved = \"why\")"),
        ("{ call =", "{ cal =", "25: a move has no key `cal` (did you mean `call`?)"),
        ('to = "done"', "to = 3", "22: `to` must be the name of a point, or several"),
        ("Twice(x) == 2 * x", "Twice(x) == 2 * y", "7: the name `y` is not declared or defined"),
        ("[read.count]", "[read.sent]", "`sent` is a variable of Mail, and cannot be a name of the mapping, too"),
        ('nodes = "Nodes"', 'nodes = "3"', "6: `nodes` must be a set"),
        ('nodes = "Nodes"', "nods = 1", "6: [system] has no key `nods` (did you mean `nodes`?)"),
        ('driver = "jvm"', "driver = jvm", "3: this is no TOML"),
        ('nodes = "Nodes"', 'nodes = "Nodes"\nseconds = "ten"', "7: `seconds` must be a number of seconds"),
        ('nodes = "Nodes"', 'nodes = "Nodes"\npatience = -1', "7: `patience` must be a number of seconds"),
        ("[action.Get]", "[start]\ntries = 0\n[action.Get]", "19: `tries` must be a whole number from 1"),
        ('call = "send"', 'call = "sent"', "25: there is no operation `sent` of clients (did you mean `send`?)"),
        ('on = "n", with', "with", '25: on which node is `send` called? (write on = "…")'),
        ('call = "send"', 'do = "both"', "25: there are no moves `both`"),
        ("[point.done]", "[pont.done]", "14: a mapping has no key `pont` (did you mean `point`?)"),
        ('command = ["server", "{peers}"]', 'command = "server"', "41: `command` must be a list of texts"),
        ('["client", "peer"]', '"client"', "42: `ports` must be a list of texts"),
        ('["client", "peer"]', '{ client = "2181" }', "42: `client` must be the number of a port"),
        ('failures = ["FATAL"]', 'failures = ["("]', "43: '(' is no regular expression"),
        ("failures = [", "failure = [", "43: [node] has no key `failure` (did you mean `failures`?)"),
        ('"port={port.client}"', "3", "44: `a.cfg` must be a text"),
        ("{ text =", "{ txt =", "46: `peers` does not say what stands there for each node"),
        ("[client.send]", "[violation.X]\nfailure = '('\n[client.send]", "is no regular expression"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in MAPPING
    assert any(told in each for each in messages(tmp_path, MAPPING.replace(old, new, 1)))


def test_a_variable_that_is_not_spoken_of(tmp_path: Path) -> None:
    (told,) = messages(tmp_path, MAPPING.replace('[variable.sent]\nunobserved = "on its way"\n', ""))
    assert "the mapping does not speak of `sent`" in told


def test_mistakes_are_told_all_at_once(tmp_path: Path) -> None:
    wrong = MAPPING.replace("[action.Get]", "[action.Got]").replace('"done"', '"don"', 1)
    assert len(messages(tmp_path, wrong)) >= 2


STRAY = """
[stray.copy]
from = "received"
where = 'again /\\ from \\notin {sent[k] : k \\in 1..Len(after.sent)}'
set = { return = '"void"' }
"""


def test_strays_are_understood(tmp_path: Path) -> None:
    mapping = read(tmp_path, MAPPING + STRAY)
    (stray,) = mapping.strays
    assert (stray.kind, stray.name, stray.all, stray.to) == ("release", "received", True, ())
    assert stray.where is not None
    first = mapping.specification.initial()[0]
    assert stray.where.value(first, {"again": True, "after": {"sent": ()}, "from": 1}) is True
    assert stray.where.value(first, {"again": False, "after": {"sent": ()}, "from": 1}) is False


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('from = "received"\nwhere = \'again', 'from = "recieved"\nwhere = \'again', "there is no point `recieved`"),
        ("set = {", 'to = "done"\nset = {', "[stray.copy] has no key `to`"),
        ("again /", "agin /", "the name `agin` is not declared or defined"),
    ],
)
def test_mistakes_in_strays(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in STRAY
    assert any(told in each for each in messages(tmp_path, MAPPING + STRAY.replace(old, new, 1)))
