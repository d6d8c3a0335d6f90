"""Boxes that send orders to an office, which answers: a specification, programs that do it or nearly so, a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gristmill.replay.coordinator import Coordinator
from gristmill.replay.drivers import driver_of
from gristmill.replay.mapping import Mapping, read_mapping
from gristmill.replay.steps import ModelStep, of_transition

SPECIFICATION = r"""
---- MODULE Post ----
EXTENDS Naturals, Sequences
CONSTANTS Box, Most
VARIABLES orders,  \* orders[b]: how many of b are on their way
          taken,   \* whose orders the office has taken, in this order
          answers, \* answers[b]: how many are on their way to b
          done,    \* done[b]: how many b has got
          up       \* up[b]: b runs
Init == /\ orders = [b \in Box |-> 0] /\ answers = [b \in Box |-> 0] /\ done = [b \in Box |-> 0]
        /\ taken = <<>> /\ up = [b \in Box |-> TRUE]
Sum(f) == f["b1"] + f["b2"]
Ordered == Sum(orders) + Len(taken)
Order(b) == /\ up[b] /\ Ordered < Most
            /\ orders' = [orders EXCEPT ![b] = @ + 1]
            /\ UNCHANGED <<taken, answers, done, up>>
OrderAll == /\ \A b \in Box : up[b]
            /\ Ordered + 1 < Most
            /\ orders' = [b \in Box |-> orders[b] + 1]
            /\ UNCHANGED <<taken, answers, done, up>>
Take(b) == /\ orders[b] > 0
           /\ orders' = [orders EXCEPT ![b] = @ - 1]
           /\ taken' = Append(taken, b)
           /\ answers' = [answers EXCEPT ![b] = @ + 1]
           /\ UNCHANGED <<done, up>>
TakeMany(b, n) == /\ orders[b] = n /\ n > 1
                  /\ orders' = [orders EXCEPT ![b] = 0]
                  /\ taken' = taken \o [each \in 1..n |-> b]
                  /\ answers' = [answers EXCEPT ![b] = @ + n]
                  /\ UNCHANGED <<done, up>>
Finish(b) == /\ answers[b] > 0 /\ up[b]
             /\ answers' = [answers EXCEPT ![b] = @ - 1]
             /\ done' = [done EXCEPT ![b] = @ + 1]
             /\ UNCHANGED <<orders, taken, up>>
Crash(b) == up[b] /\ up' = [up EXCEPT ![b] = FALSE] /\ UNCHANGED <<orders, taken, answers, done>>
Next == \/ \E b \in Box : Order(b) \/ Take(b) \/ Finish(b) \/ Crash(b)
        \/ \E b \in Box, n \in 2..3 : TakeMany(b, n)
        \/ OrderAll
Few == Len(taken) < 2
====
"""
CONFIGURATION = 'CONSTANTS Box = {"b1", "b2"} Most = 6\nINIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n'

PROGRAM = '''
from gristmill.explore import Message, Process, System, on


class Request(Message):
    number: int


class Answer(Message):
    number: int


class Office(Process):
    def __init__(self):
        self.taken, self.last, self.total, self.cleared = [], None, 0, 0

    @on(Request)
    def request(self, message, sender):
        self.take(sender)
        self.answer(sender)

    def take(self, sender):
        self.taken.append(sender)
        self.last, self.total = sender, self.total + 1

    def answer(self, sender):
        self.send(sender, Answer(self.total))

    def clear(self):
        self.taken, self.last, self.cleared = [], None, self.cleared + 1


class Forgetful(Office):
    """Takes a second order for one of somebody else."""

    def take(self, sender):
        super().take("b1" if len(self.taken) == 1 else sender)


class Silent(Office):
    """Does not answer to a second order."""

    def answer(self, sender):
        if len(self.taken) != 2:
            super().answer(sender)


class Chatty(Office):
    """Answers a second order to everybody."""

    def answer(self, sender):
        for box in ("b1", "b2") if len(self.taken) == 2 else (sender,):
            super().answer(box)


class Failing(Office):
    def take(self, sender):
        super().take(sender)
        if len(self.taken) == 2:
            raise ValueError("no more room")


class Stubborn(Office):
    """Does not forget what it has taken."""

    def clear(self):
        self.cleared += 1


class Box(Process):
    def __init__(self):
        self.sent, self.done = 0, 0

    def order(self):
        self.sent += 1
        self.send("office", Request(self.sent))

    @on(Answer)
    def answer(self, message, sender):
        self.done += 1

    def clear(self):
        self.sent, self.done = 0, 0


def system(office="Office"):
    return System({"office": globals()[office](), "b1": Box(), "b2": Box()})
'''

MAPPING = r"""
[system]
driver = "program"
specification = "Post.tla"
nodes = 'Box \union {"office"}'

[values]
office = "Office"
[program]
file = "post.py:system"
options = { office = "{office}" }

[client.order]
method = "order"
[client.clear]
method = "clear"

[start]
do = [{ for = 'n \in Box \union {"office"}', fault = "start", on = "n" }]

[point.request]
at = "message Request"
[point.answer]
at = "message Answer"
bind = { number = "number" }

[moves.deliver]
names = ["box", "times"]
do = [{ from = "request", on = '"office"', where = "from = box", repeat = "times" }]

[action.Order]
call = "order"
on = "b"
[action.OrderAll]
do = [{ for = 'each \in <<"b2", "b1">>', call = "order", on = "each" }]
[action.Take]
do = "deliver"
with = { box = "b", times = "1" }
[action.TakeMany]
do = "deliver"
with = { box = "b", times = "n" }
[action.Finish]
from = "answer"
on = "b"
[action.Crash]
do = [{ fault = "kill", on = "b", with = { lose = '"none"' } }]

[read]
readTaken = { path = "taken" }
readDone = { path = "done" }
readSent = { sent = true }

[variable.taken]
per = "n"
when = 'n = "office"'
value = "readTaken"
model = "taken"
[variable.orders]
per = "n"
when = 'n \in Box'
value = "Len(readSent.office)"
[variable.answers]
per = "n"
when = 'n = "office"'
value = '[b \in Box |-> Len(readSent[b])]'
model = "answers"
[variable.done]
per = "n"
when = 'n \in Box'
value = "readDone"
[variable.up]
unobserved = "what is down cannot be asked"
"""


def write_post(folder: Path, mapping: str = MAPPING, configuration: str = CONFIGURATION) -> Path:
    (folder / "Post.tla").write_text(SPECIFICATION)
    (folder / "Post.cfg").write_text(configuration)
    (folder / "post.py").write_text(PROGRAM)
    file = folder / "post.map.toml"
    file.write_text(mapping)
    return file


def changed(*changes: tuple[str, str]) -> str:
    """The mapping with other words in it."""
    text = MAPPING
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


@contextmanager
def posting(folder: Path, mapping: str = MAPPING, office: str = "Office") -> Iterator[Coordinator]:
    found = read_mapping(write_post(folder, mapping), values={"office": office})
    with Coordinator(found, driver_of(found)) as coordinator:
        yield coordinator


def trace(mapping: Mapping, *actions: str | tuple[Any, ...]) -> list[ModelStep]:
    """A behaviour: actions, each with the values of its parameters."""
    (first,) = mapping.specification.initial()
    steps = [ModelStep(first)]
    for each in actions:
        name, *values = (each,) if isinstance(each, str) else each
        parameters = next(each.names for each in mapping.specification.actions if each.name == name)
        (taken,) = mapping.specification.take(steps[-1].state, name, dict(zip(parameters, values, strict=True)))
        steps.append(of_transition(taken))
    return steps


def two_orders(box: str = "b2") -> Sequence[tuple[str, str]]:
    """What shows the mistake of every office that has one: at the fourth step."""
    return [("Order", box), ("Take", box), ("Order", box), ("Take", box)]
