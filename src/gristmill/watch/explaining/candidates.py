"""The ways there are to send a message, and what each lacked. The nearest, which lacks least, comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.explain.branches import Branch
from gristmill.explain.comments import comment_of
from gristmill.trace import Explanation, Shown
from gristmill.values import Fn, Value, show
from gristmill.watch.derive import Event
from gristmill.watch.explaining.alternatives import Before
from gristmill.watch.explaining.parts import Candidate, Lack
from gristmill.watch.messages import Message
from gristmill.watch.simulation import Node, State

Owed = frozenset[Value] | None

_MOST_STATES = 3
_MOST_ANSWERED = 12  # messages that an action may have answered
_MOST = 6
_MOST_LACKS = 4  # more than that is another story
_LONGEST = 72  # characters of a value
_MOST_VALUES = 4


def candidates(node: Node, states: Sequence[State], history: Sequence[Before], message: Message) -> list[Candidate]:
    """`history`: messages of the node, with the states before each."""
    found: list[Candidate] = []
    for event in node.monitor.events:
        if event.may_send(message.kind):
            ways = sorted(_ways(node, event, states[:_MOST_STATES], history, message), key=_distance)
            found += ways[:1]
    found.sort(key=_distance)
    nearest = len(found[0].obstacles) if found else 0
    return [each for each in found if len(each.obstacles) <= nearest + _MOST_LACKS][:_MOST]


def _distance(candidate: Candidate) -> tuple[bool, int, int]:
    """An action that has nothing to answer is further off than any other."""
    return candidate.held == 0, len(candidate.obstacles), -candidate.held


def _ways(
    node: Node, event: Event, states: Sequence[State], history: Sequence[Before], message: Message
) -> Iterator[Candidate]:
    record = message.record
    assert isinstance(record, Fn)
    if event.consumes is None:
        for given in event.unified(record):
            for state in states:
                for branch in node.actions.branches(event, state.local, node.name, given):
                    yield from _candidate(node, event, branch, record, None)
        return
    found = False
    for each, then in _answered(node, event, history, record):
        given = {event.consumes: each.record}
        for state, owed in _when(each, then, states):
            for branch in node.actions.branches(event, state.local, node.name, given, each.record):
                for way in _candidate(node, event, branch, record, each, owed):
                    found = True
                    yield way
    if not found:
        kinds = " or ".join(event.kinds) or "message"
        lack = Lack(f"no {kinds} from {_name(record[node.mapping.target])} has come that was not answered")
        yield Candidate(event.name, comment_of(event.span), (lack,), 0, None, event.span)


def _when(message: Message, then: Sequence[State], states: Sequence[State]) -> Iterator[tuple[State, Owed]]:
    """The states in which a message may be looked at: now; or, if it is used up, when it came, and then what was
    answered is still owed."""
    for state in states:
        if message.number not in state.used:
            yield state, None
        else:
            yield from ((each, state.owed) for each in then[:_MOST_STATES])


def _answered(node: Node, event: Event, history: Sequence[Before], record: Fn) -> list[Before]:
    """The last first, each once. The one that is answered came from whoever gets the answer."""
    found: dict[Value, Before] = {}
    for each, states in reversed(history):
        is_theirs = each.target == node.name and each.source == record[node.mapping.target]
        if is_theirs and (not event.kinds or each.kind in event.kinds):
            found.setdefault(each.record, (each, states))
        if len(found) == _MOST_ANSWERED:
            break
    return list(found.values())


def _candidate(
    node: Node, event: Event, branch: Branch, record: Fn, answers: Message | None, owed: Owed = None
) -> Iterator[Candidate]:
    """Of a way through the action that sends something like this record, and one that is owed if that is known."""
    guards = tuple(_lack(each) for each in branch.false)
    for sent in (each for value in branch.assigned if isinstance(value, frozenset) for each in value):
        if (
            isinstance(sent, Fn)
            and sent.keys() == record.keys()
            and node.alike(sent, record)
            and not _is(sent, answers)
            and (owed is None or sent in owed)
        ):
            differences = tuple(_differences(sent, record))
            held = branch.held + len(record) - len(differences)
            lacks = (*guards, *differences) or (_elsewhere(answers),)
            yield Candidate(event.name, comment_of(event.span), lacks, held, answers, event.span)


def _is(sent: Value, answers: Message | None) -> bool:
    """The network, as it becomes, has in it what was received."""
    return answers is not None and sent == answers.record


def _elsewhere(answers: Message | None) -> Lack:
    what = f"message {answers.number} was answered" if answers is not None else "it was possible"
    return Lack(f"{what} in another state than any that the messages before leave possible")


def _differences(sent: Fn, record: Fn) -> Iterator[Lack]:
    for name, value in record.items():
        if sent[name] != value:
            yield Lack(f"{name} would be {shortened(show(sent[name]))}, not {shortened(show(value))}")


def _lack(guard: Explanation) -> Lack:
    note = f" ({guard.note})" if guard.note else ""
    said = "is false" if guard.truth is False else "has no value"
    return Lack(
        f"{guard.text} {said}{note}", comment_of(guard.span) if guard.span else None, _values(guard), guard.span
    )


def _values(guard: Explanation) -> Shown:
    """Of the guard, and of the parts of it that decide it. What is too long to read is left out, if there is more."""
    found = dict(guard.values)
    for part in _deciding(guard):
        found.update(part.values)
    short = {name: value for name, value in found.items() if len(value) <= _LONGEST}
    return tuple((name, shortened(value)) for name, value in [*(short or found).items()][:_MOST_VALUES])


def _deciding(guard: Explanation) -> Iterator[Explanation]:
    for part in guard.parts:
        if not part.truth and not part.parts:
            yield part
        yield from _deciding(part)


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _name(node: Value) -> str:
    return node if isinstance(node, str) else show(node)
