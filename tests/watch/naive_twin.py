"""Small specifications made at random, and an oracle for one node that shares nothing with the monitor.

The oracle follows every behaviour of the whole specification in which only this node acts, and in which messages to it
are put into the network when the trace has them. A message that the node sends must then be in the network. Answers may
be sent later, or never; what the node sends by itself is in the trace where it does so.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import gristmill
from gristmill.specification import Specification, State, Transition
from gristmill.values import Fn, Value, from_python, make_record

KINDS, ANSWERS = ("Ask", "Set", "Tell"), ("Yes", "No", "Now")
_VARIABLES = ("a", "b")

_HEAD = """---- MODULE Small ----
EXTENDS Integers
Node == {"n", "world"}
Some == 0..2
VARIABLES messages, a, b
Init == messages = {} /\\ a = [n \\in Node |-> 0] /\\ b = [n \\in Node |-> 0]
"""


def specification_text(seed: int) -> str:
    """Handlers of messages, actions that the node takes by itself, with and without sending."""
    chance = random.Random(seed)
    actions: list[str] = []
    steps: list[str] = []
    for number in range(chance.randint(3, 6)):
        form = chance.choice(("handle", "handle", "handle", "send", "alone"))
        name = f"Act{number}"
        guard = f"{_term(chance, form)} {chance.choice(('<', '<=', '=', '#', '>='))} {_term(chance, form)}"
        changed = chance.choice(_VARIABLES)
        other = next(each for each in _VARIABLES if each != changed)
        update = f"{changed}' = [{changed} EXCEPT ![n] = ({_term(chance, form)} + {chance.randint(0, 1)}) % 4]"
        answer = f'[kind |-> "{chance.choice(ANSWERS)}", from |-> n, to |-> "world", v |-> {_term(chance, form)}]'
        if form == "handle":
            kept = chance.choice(("messages", "(messages \\ {m})"))
            sent = f"messages' = {kept} \\cup {{{answer}}}" if chance.random() < 0.7 else f"messages' = {kept}"
            actions.append(
                f'{name}(n, m) == /\\ m.to = n /\\ m.kind = "{chance.choice(KINDS)}" /\\ {guard}\n'
                f"    /\\ {update} /\\ UNCHANGED {other} /\\ {sent}"
            )
            steps.append(f"\\E n \\in Node, m \\in messages : {name}(n, m)")
        elif form == "send":
            actions.append(
                f'{name}(n, p) == /\\ n = "n" /\\ {guard} /\\ {update} /\\ UNCHANGED {other}'
                f" /\\ messages' = messages \\cup {{{answer}}}"
            )
            steps.append(f"\\E n \\in Node, p \\in Some : {name}(n, p)")
        else:
            actions.append(f'{name}(n) == /\\ n = "n" /\\ {guard} /\\ {update} /\\ UNCHANGED <<{other}, messages>>')
            steps.append(f"\\E n \\in Node : {name}(n)")
    last = (
        'Close(n, m) == /\\ m.to = n /\\ m.kind = "Tell" /\\ a\' = [a EXCEPT ![n] = m.v] /\\ UNCHANGED <<b, messages>>'
    )
    steps.append("\\E n \\in Node, m \\in messages : Close(n, m)")
    for kind in KINDS:  # every kind is spoken of
        actions.append(
            f'Get{kind}(n, m) == m.to = n /\\ m.kind = "{kind}" /\\ m.v > 9 /\\ UNCHANGED <<a, b, messages>>'
        )
        steps.append(f"\\E n \\in Node, m \\in messages : Get{kind}(n, m)")
    for kind in ANSWERS:
        answer = f'[kind |-> "{kind}", from |-> n, to |-> "world", v |-> p]'
        actions.append(
            f"Say{kind}(n, p) == a[n] > 9 /\\ messages' = messages \\cup {{{answer}}} /\\ UNCHANGED <<a, b>>"
        )
        steps.append(f"\\E n \\in Node, p \\in Some : Say{kind}(n, p)")
    return _HEAD + "\n".join([*actions, last, "Next ==\n    \\/ " + "\n    \\/ ".join(steps), "===="]) + "\n"


def _term(chance: random.Random, form: str) -> str:
    own = {"handle": ("m.v",), "send": ("p",), "alone": ()}[form]
    return chance.choice(("a[n]", "b[n]", "1", "2", *own, *own))


MAPPING = """[system]
name = "small"
specification = "Small.tla"
nodes = "Node"
[watch]
decoder = "json-lines"
""" + "".join(f'[watch.record.{kind}]\nv = "v"\n' for kind in (*KINDS, *ANSWERS))


def written(folder: Path, seed: int) -> Path:
    (folder / "Small.tla").write_text(specification_text(seed))
    (folder / "Small.cfg").write_text("INIT Init\nNEXT Next\n")
    (folder / "small.map.toml").write_text(MAPPING)
    return folder / "small.map.toml"


def opened(folder: Path) -> Specification:
    return gristmill.open(folder / "Small.tla", config=folder / "Small.cfg")


def record(kind: str, source: str, target: str, value: int) -> Value:
    fields = {"kind": kind, "from": source, "to": target, "v": value}
    return make_record({name: from_python(each) for name, each in fields.items()})


class Twin:
    """Judges by brute force. `limit`: states at a time; more, and nothing is said."""

    def __init__(self, specification: Specification, limit: int = 3_000) -> None:
        self.specification, self.limit = specification, limit

    def first_wrong(self, trace: Sequence[tuple[bool, Value]]) -> int | None:
        """The number of the first message that no behaviour has sent; None if there is none.

        A message of a trace is one that the node has sent, or one to it. Raises `OverflowError`.
        """
        states = {self._key(each): each for each in self.specification.initial()}
        for number, (is_sent, message) in enumerate(trace):
            if not is_sent:
                if any(message in each.raw["messages"] for each in states.values()):
                    states = self._closure(states)  # the first of two that are alike may be gone by now
                states = self._distinct(self._with(each, message) for each in states.values())
                continue
            every = self._closure(states)
            spoken = [after for each in every.values() for after in self._speaking(each, message)]
            owed = {key: each for key, each in every.items() if message in each.raw["messages"]}
            states = owed | self._distinct(spoken)
            if not states:
                return number
        return None

    def _closure(self, states: dict[object, State]) -> dict[object, State]:
        found = dict(states)
        waiting = list(states.values())
        while waiting:
            state = waiting.pop()
            for step in self._own(state):
                if not _speaks(state, step) and self._key(step.state) not in found:
                    found[self._key(step.state)] = step.state
                    waiting.append(step.state)
            if len(found) > self.limit:
                raise OverflowError
        return found

    def _speaking(self, state: State, message: Value) -> Iterator[State]:
        """The states after the node has sent this by itself, maybe once more."""
        network = state.raw["messages"]
        assert isinstance(network, frozenset)
        silent = self._as(state, network - frozenset(_sent(state)))
        for step in self._own(silent):
            if _speaks(silent, step) and message in step.state.raw["messages"]:
                after = step.state.raw["messages"]
                assert isinstance(after, frozenset)
                yield self._as(step.state, after | network)

    def _own(self, state: State) -> list[Transition]:
        return [each for each in self.specification.steps(state) if each.parameters.get("n") == "n"]

    def _with(self, state: State, message: Value) -> State:
        network = state.raw["messages"]
        assert isinstance(network, frozenset)
        return self._as(state, network | {message})

    def _as(self, state: State, network: frozenset[Value]) -> State:
        raw = dict(state.raw)
        values = tuple(network if name == "messages" else value for name, value in raw.items())
        return State(tuple(raw), values, state.world)

    def _distinct(self, states: Iterable[State]) -> dict[object, State]:
        return {self._key(each): each for each in states}

    def _key(self, state: State) -> object:
        return tuple(state.raw.values())


def random_trace(specification: Specification, seed: int, length: int) -> list[tuple[bool, Value]]:
    """What a node that follows the specification sends and receives."""
    chance, twin = random.Random(seed), Twin(specification)
    state = specification.initial()[0]
    trace: list[tuple[bool, Value]] = []
    owed: list[Value] = []
    while len(trace) < length:
        if owed and chance.random() < 0.5:
            trace.append((True, owed.pop(chance.randrange(len(owed)))))
        elif chance.random() < 0.5:
            message = record(chance.choice(KINDS), "world", "n", chance.randint(0, 2))
            state = twin._with(state, message)
            trace.append((False, message))
        else:
            steps = twin._own(state)
            if steps:
                step = chance.choice(steps)
                new = [each for each in _sent(step.state) if each not in _sent(state)]
                if _speaks(state, step) and not new:
                    continue  # what it sends again cannot be told from what it has sent
                trace += [(True, each) for each in new if _speaks(state, step)]
                owed += [each for each in new if not _speaks(state, step)]
                state = step.state
    return trace


def _speaks(state: State, step: Transition) -> bool:
    """Whether the node sends something by itself, be it once more."""
    return "m" not in step.parameters and (
        "p" in step.parameters or step.state.raw["messages"] != state.raw["messages"]
    )


def _sent(state: State) -> list[Fn]:
    network = state.raw["messages"]
    assert isinstance(network, frozenset)
    return sorted((each for each in network if isinstance(each, Fn) and each["from"] == "n"), key=repr)


def mutated(trace: Sequence[tuple[bool, Value]], seed: int) -> list[tuple[bool, Value]]:
    """One message that the node has sent says something else, or another one is put in."""
    chance, found = random.Random(seed), list(trace)
    wrong = record(chance.choice(ANSWERS), "n", "world", chance.randint(0, 3))
    sent = [at for at, (is_sent, _) in enumerate(trace) if is_sent]
    if sent and chance.random() < 0.5:
        found[chance.choice(sent)] = (True, wrong)
    else:
        found.insert(chance.randrange(len(trace) + 1), (True, wrong))
    return found
