"""What mutations of a recording are made with: messages changed, made, put in the place of others; what is known of the
servers at each place of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gristmill.values import Fn, Value, from_python, make_record, to_python
from gristmill.watch.messages import Message

Mutated = tuple[list[Message], Message]
Mutation = Callable[[Sequence[Message], int], Mutated | None]


def renumbered(messages: Sequence[Message], wrong: Message) -> Mutated:
    found = [replace(each, number=number) for number, each in enumerate(messages, 1)]
    return found, found[[*map(id, messages)].index(id(wrong))]


def fields(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = to_python(message.record)
    return found


def changed(message: Message, **changes: Any) -> Message:
    record = message.record
    assert isinstance(record, Fn)
    values: dict[Any, Value] = {**record, **{name: from_python(value) for name, value in changes.items()}}
    ends = {"source": values["from"], "target": values["to"], "kind": str(values["kind"])}
    return replace(message, record=make_record(values), **ends)  # type: ignore[arg-type]


def made(like: Message, kind: str, source: Value, target: Value, **values: Any) -> Message:
    """A message on a connection of its own, where another one is."""
    record = make_record({name: from_python(value) for name, value in {"kind": kind, **values}.items()})
    assert isinstance(record, Fn)
    whole = make_record({**record, "from": source, "to": target})
    channel = (10_000 + hash((source, target, kind)) % 1000, 0)
    return replace(like, channel=channel, kind=kind, source=source, target=target, record=whole)


def of_kind(messages: Sequence[Message], start: int, kind: str) -> Iterator[tuple[int, Message]]:
    return ((at, each) for at, each in enumerate(messages) if at >= start and each.kind == kind)


def in_place(messages: Sequence[Message], at: int, *others: Message, wrong: int = 0) -> Mutated:
    """These messages in the place of one."""
    return renumbered([*messages[:at], *others, *messages[at + 1 :]], others[wrong])


def after(messages: Sequence[Message], at: int, *others: Message) -> Mutated:
    """These messages after one; the last of them is wrong."""
    return renumbered([*messages[: at + 1], *others, *messages[at + 1 :]], others[-1])


def first(messages: Sequence[Message], kind: str) -> Message:
    """One of this kind, to be changed. `LookupError` if there is none."""
    found = next((each for each in messages if each.kind == kind), None)
    if found is None:
        raise LookupError(kind)
    return found


def put(place: Message, like: Message, source: Value, target: Value, **changes: Any) -> Message:
    """A message like another one, between these two, on a connection of its own, where `place` is."""
    found = changed(like, **changes)
    record = found.record
    assert isinstance(record, Fn)
    ends = make_record({**{str(name): value for name, value in record.items()}, "from": source, "to": target})
    channel = (10_000 + hash((source, target, like.kind)) % 1000, 0)
    moved = replace(found, source=source, target=target, record=ends, channel=channel)
    return replace(moved, sequence=place.sequence, time=place.time)


# ----------------------------------------------------------------------------------------- what is known of servers


@dataclass(frozen=True, slots=True)
class View:
    """What is known from all that was seen before a place: good enough to choose mutations.

    `term`, `leader`, `last`, `commit`: the newest term that has a leader, the end of its log, and what it has said to
    be committed. Of each server: the newest term that it has spoken of or heard (`terms`), how far it was sent the log
    (`has`), and how far it has acknowledged it (`acknowledged`).
    """

    term: int = 0
    last: int = 0
    commit: int = 0
    leader: Value = ""
    terms: Mapping[Value, int] = field(default_factory=dict)
    has: Mapping[Value, int] = field(default_factory=dict)
    acknowledged: Mapping[Value, int] = field(default_factory=dict)


def views(messages: Sequence[Message]) -> list[View]:
    """Before each message, and after the last. Of the run that was asked for last, they are remembered."""
    global _KNOWN
    if _KNOWN[0] is not messages:
        _KNOWN = messages, _views(messages)
    return _KNOWN[1]


_KNOWN: tuple[Sequence[Message], list[View]] = ((), [])


def _views(messages: Sequence[Message]) -> list[View]:
    found = [View()]
    for each in messages:
        found.append(_after(found[-1], each))
    return found


def _after(view: View, message: Message) -> View:
    said = fields(message)
    term = said.get("term", 0) if "Vote" not in message.kind else 0
    if term > min(view.terms.get(message.source, 0), view.terms.get(message.target, 0)):
        heard = {end: max(view.terms.get(end, 0), term) for end in (message.source, message.target)}
        view = replace(view, terms={**view.terms, **heard})
    if message.kind == "MsgApp" and said["term"] >= view.term:
        end = said["prev"] + len(said["entries"])
        has = view.has if said["term"] == view.term else {}
        view = replace(view, has={**has, message.target: max(end, has.get(message.target, 0))})
        if said["term"] > view.term:
            view = replace(view, term=said["term"], leader=message.source, last=end, commit=0, acknowledged={})
        view = replace(view, last=max(view.last, end), commit=max(view.commit, said["commit"]))
    to_leader = message.target == view.leader and said.get("term") == view.term
    if message.kind == "MsgAppResp" and to_leader and not said["reject"]:
        index = max(said["index"], view.acknowledged.get(message.source, 0))
        view = replace(view, acknowledged={**view.acknowledged, message.source: index})
    return view


def view(messages: Sequence[Message], until: int) -> View:
    return views(messages)[until]


def followers(messages: Sequence[Message], known: View) -> list[Value]:
    """Those that are known to be in the leader's term, in a fixed order."""
    return sorted((node for node, term in known.terms.items() if term == known.term and node != known.leader), key=str)


def third(messages: Sequence[Message], *others: Value) -> Value:
    return next(node for node in sorted({each.source for each in messages}, key=str) if node not in others)
