"""Outcomes of replays, for reports: traces of a real specification, with what a system might have done beside them.

The values of the model's side are those of the trace. The system's side is the same, except where a function that is
given says otherwise. So comparisons and their differences are made as in a replay, and no server is needed.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from gristmill.replay.conformance import finish, new_outcome
from gristmill.replay.difference import differences
from gristmill.replay.driver import Failure
from gristmill.replay.mapping import Mapping, read_mapping
from gristmill.replay.outcome import Confirmation, Outcome, Replayed
from gristmill.replay.result import Comparison, Discrepancy, Moved, Run, StepRun
from gristmill.replay.steps import ModelStep, of_transition
from gristmill.specification import Transition
from gristmill.values import Fn, show

Trace = list[ModelStep]
System = Callable[[int, str, str | None, Any], Any]  # the step, the variable, the node and the model's value

HOSTILE = '</script><img src=x onerror="alert(1)">&amp;\x07'


@cache
def mapping() -> Mapping:
    return read_mapping(Path(__file__).parent / "raft.map.toml")


# A leader is elected, and two commands are replicated: an action, its node, and the other one if there is one.
STORY = """
StartPreVote s1, StartPreVote s3, GrantPreVote s2 s1, GrantPreVote s3 s1, StartPreVote s2, GrantPreVote s1 s3,
BecomeCandidate s1, RequestVotes s1, VoteRequestStepDown s2 s1, GrantVote s2 s1, BecomeLeader s1, Propose s1,
SendEntry s1 s2, SendEntry s1 s3, AcceptEntry s2 s1, NoteMatch s1 s2, AdvanceCommit s1, VoteRequestStepDown s3 s1,
AcceptEntry s3 s1, NoteMatch s1 s3, Propose s1, SendEntry s1 s2, SendEntry s1 s3, AcceptEntry s3 s1, NoteMatch s1 s3,
AdvanceCommit s1, SendEntry s1 s3, AcceptEntry s3 s1, SendEntry s1 s2, AcceptEntry s2 s1
"""


@cache
def trace(length: int) -> Trace:
    """The beginning of the story."""
    specification = mapping().specification
    steps = [ModelStep(specification.initial()[0])]
    for line in STORY.replace("\n", " ").split(",")[:length]:
        action, *nodes = line.split()
        possible = [each for each in specification.steps(steps[-1].state) if each.action == action]
        with specification.world.active():
            steps.append(of_transition([each for each in possible if _nodes(each)[: len(nodes)] == nodes][-1]))
    return steps


def _nodes(step: Transition) -> list[str]:
    """The values of the parameters; of a message, who has sent it."""
    return [show(each["from"] if isinstance(each, Fn) and "from" in each else each) for _, each in step.raw_parameters]


def as_the_model(step: int, variable: str, node: str | None, value: Any) -> Any:
    return value


# --------------------------------------------------------------------------------------------------------------- sides


def comparisons(number: int, step: ModelStep, system: System = as_the_model) -> tuple[Comparison, ...]:
    own = mapping()
    with own.specification.world.active():
        return tuple(
            _compared(number, name, node, value, system(number, name, node, value))
            for name, node, value in _values(step)
        )


def _values(step: ModelStep) -> Iterator[tuple[str, str | None, Any]]:
    own = mapping()
    for variable in own.variables.values():
        if variable.model is None:
            continue
        for node in own.nodes if variable.per else (None,):
            names = {} if variable.per is None or node is None else {variable.per: own.node_values[node]}
            yield variable.name, node, variable.model.value(step.state, names, raw=True)


def _compared(number: int, name: str, node: str | None, model: Any, real: Any) -> Comparison:
    equal = type(model) is type(real) and model == real
    reading = f"{mapping().variables[name].readings[0]} = {show(real)}"
    inside = () if equal else differences(model, real)
    return Comparison(name, node, show(model), show(real), equal, reading, inside)


# ---------------------------------------------------------------------------------------------------------------- runs

_MESSAGES = {
    "GrantPreVote": "PreVoteRequest",
    "RefusePreVote": "PreVoteRequest",
    "GrantVote": "VoteRequest",
    "RefuseVote": "VoteRequest",
    "BecomeLeader": "VoteGrant",
    "BecomeCandidate": "PreVoteGrant",
    "AcceptEntry": "AppendRequest",
    "RejectEntry": "AppendRequest",
    "NoteMatch": "AppendAnswer",
    "NoteRejection": "AppendAnswer",
}


def moves(number: int, step: ModelStep) -> tuple[Moved, ...]:
    """What a coordinator might have done for it."""
    nodes, action = mapping().nodes, step.action or ""
    node = show(next(iter((step.parameters or {}).values())))
    others = [each for each in nodes if each != node]
    kind = _MESSAGES.get(action)
    if kind is not None:
        message = (step.parameters or {}).get("m")
        senders = others if message is None else [show(message["from"])]
        return tuple(
            Moved("release", node, f"{sender} -> {node} #{number + n} from {kind}", sender, kind)
            for n, sender in enumerate(senders)
        )
    if action == "Propose":
        return (Moved("call", node, "put {'command': 1}"), Moved("await", node, "proposer is at Proposed"))
    if number % 7 == 5:
        cut = Moved("fault", node, f"cut to {others[0]}", others[0])
        return (cut, Moved("release", node, f"main[{node}] from {action} to Idle"))
    return (Moved("release", node, f"main[{node}] from {action} to Idle"),)


def run(
    name: str, steps: Trace, system: System = as_the_model, until: int | None = None, seed: int = 0, **discrepancy: Any
) -> Run:
    """The trace up to a step, at which there is a discrepancy: of values if there are different ones."""
    length = len(steps) - 1
    last = length if until is None else until
    chance = random.Random(seed)
    done = tuple(_step(number, steps[number], system, chance) for number in range(1, last + 1))
    wrong = tuple(each for each in (done[-1].comparisons if done else ()) if not each.equal)
    initial = comparisons(0, steps[0], system)
    found: Discrepancy | None = None
    if "kind" in discrepancy:
        found = Discrepancy(**{"step": last, "action": steps[last].text, **discrepancy})
        if found.kind != "differs":  # it did not come to a comparison
            done = (*done[:-1], replace(done[-1], comparisons=()))
    elif wrong:
        message = "; ".join(f"{each.variable} is {each.real}, in the model {each.model}" for each in wrong)
        where = (wrong[0].node, wrong[0].variable)
        held = (f"s1 -> s3 #12 of s3 at AppendRequest (from = 's1', message = {HOSTILE!r})",)
        found = Discrepancy("differs", last, steps[last].text, message, *where, wrong, held)
    return Run(name, done, found, length, 1.25, 0.5, initial=initial)


def _step(number: int, step: ModelStep, system: System, chance: random.Random) -> StepRun:
    seconds = (chance.uniform(0.001, 0.02), chance.uniform(0.001, 0.004), 0.0004)
    return StepRun(number, step.text, moves(number, step), comparisons(number, step, system), *seconds)


def counted(outcome: Outcome) -> Outcome:
    """As a replay counts what it has covered."""
    for each in outcome.replayed:
        before = ""
        for step in each.trace[1 : len(each.run.steps) + 1]:
            outcome.actions[step.action or ""] += 1
            outcome.pairs[before, step.action or ""] += 1
            before = step.action or ""
    finish(mapping(), outcome, 0.0).seconds = 12.5
    return outcome


# ------------------------------------------------------------------------------------------------------------ outcomes


def stale_term(number: int, variable: str, node: str | None, value: Any) -> Any:
    """A server that does not remember a new term."""
    return 0 if variable == "term" else value


def with_differences() -> Outcome:
    """Random traces: one with a value that differs, found twice, one in which an action never comes, one failure."""
    outcome = new_outcome(mapping(), "random", 7)
    outcome.add(replayed(12, "random 1 of seed 7"))
    outcome.add(replayed(30, "random 2 of seed 7", damaged_log))
    outcome.add(replayed(30, "random 3 of seed 7", damaged_log))
    doing = tuple(f"main[{node}]: waits in poll()" for node in mapping().nodes)
    held = ("s1 -> s2 #4 of s2 at VoteRequest (from = 's1')",)
    never = {"kind": "never-came", "message": "nothing is held at VoteGrant on s1 within 10 s", "node": "s1"}
    outcome.add(replayed(14, "random 4 of seed 7", until=11, waiting=held, doing=doing, **never))
    failure = Failure("s3", "exception", f"assertion failed: {HOSTILE}", "Traceback\n" + "  in loop\n" * 20 + HOSTILE)
    failed = {"kind": "failed", "message": f"node s3: {failure.message}", "node": "s3", "failure": failure}
    outcome.add(replayed(14, "random 5 of seed 7", until=6, **failed))
    outcome.avoided["SecondCandidate"] = 41
    return counted(outcome)


def replayed(length: int, name: str, system: System = as_the_model, **how: Any) -> Replayed:
    steps = trace(length)
    return Replayed(tuple(steps), run(name, steps, system, **how))


def damaged_log(number: int, variable: str, node: str | None, value: Any) -> Any:
    """At the last step, a log has an entry that is wrong and one too many, and too much of it counts as committed."""
    if number < 30 or node != "s2":
        return value
    if variable == "log":
        return (Fn({"term": 9, "command": 1}), *value[1:], Fn({"term": 2, "command": 77}))
    return len(trace(30)) if variable == "commit" else value


def shrunk() -> Outcome:
    """A trace that was made smaller."""
    outcome = new_outcome(mapping(), "trace")
    small = replayed(7, "counterexample.itf.json", stale_term)
    whole = replayed(12, "counterexample.itf.json", stale_term, until=9)
    outcome.add(replace(whole, smallest=(small.trace, small.run), tries=6))
    return counted(outcome)


def not_started() -> Outcome:
    """The system does not get to the initial state."""
    outcome, steps = new_outcome(mapping(), "trace"), trace(8)
    compared = comparisons(
        0, steps[0], lambda number, name, node, value: 5 if (name, node) == ("term", "s3") else value
    )
    wrong = tuple(each for each in compared if not each.equal)
    found = Discrepancy("start", 0, "", "term of s3 is 5, in the model 0", "s3", "term", wrong)
    outcome.add(Replayed(tuple(steps), Run("counterexample.itf.json", (), found, 8, 30.0, 30.0, initial=compared)))
    return counted(outcome)


def conforming() -> Outcome:
    outcome = new_outcome(mapping(), "trace")
    outcome.add(replayed(8, "counterexample.itf.json"))
    return counted(outcome)


def confirming() -> Outcome:
    outcome = new_outcome(mapping(), "confirm")
    shown, left = replayed(11, "ElectionSafety"), replayed(11, "LogMatching", stale_term, until=7)
    for each in (shown, left):
        outcome.add(each)
    outcome.confirmations += [
        Confirmation("ElectionSafety", shown, True, "two leaders answer: leader = {s1: 2, s2: 2}", 3.5, 12_345),
        Confirmation("LogMatching", left, False, "the system leaves the trace at step 7: term of s1 is 0", 3.5, 12_345),
    ]
    outcome.caveats.append("the check of the model is incomplete: the time is up")
    return counted(outcome)
