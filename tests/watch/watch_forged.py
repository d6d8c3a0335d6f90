"""Bugs that systems once had, as their messages would show them: forged, by changing recordings of healthy systems.

Each gets the messages of a recording, and says which come instead, and which of them is the wrong one. What the bugs
were is told by the authors of runtime protocol refinement checking (appendix D of their paper).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mutating import Mutated, fields, made, of_kind, renumbered, view

from gristmill.systems.decoders.etcd.raft import entry_record
from gristmill.systems.decoders.protobuf import write_content, write_number
from gristmill.values import Value
from gristmill.watch.messages import Message

Bug = Callable[[Sequence[Message]], Mutated]
NO_ENTRY = {"data": 0, "asks": 0, "change": "none", "member": "nobody"}


class Forgery:
    """Messages of a recording up to one, and then others."""

    def __init__(self, messages: Sequence[Message], until: int) -> None:
        self.messages = list(messages[:until])
        self.like = messages[until - 1]

    def says(self, kind: str, source: Value, target: Value, **values: Any) -> None:
        self.messages.append(made(self.like, kind, source, target, **values))

    def append(self, source: Value, target: Value, **values: Any) -> None:
        self.says("MsgApp", source, target, **{"token": 0, "entries": (), **values})

    def ends(self) -> Mutated:
        """The last message is wrong."""
        return renumbered(self.messages, self.messages[-1])


def joining(data: int, term: int, change: str, member: str) -> dict[str, Any]:
    return {"term": term, "data": data, "asks": 0, "change": change, "member": member}


# ------------------------------------------------------------------------------------------------------------- etcd


def etcd_741(messages: Sequence[Message]) -> Mutated:
    """The leader answers a read at once, without asking whether it still leads."""
    at, read = next((at, each) for at, each in of_kind(messages, 300, "ClientRead"))
    forged = Forgery(messages, at + 1)
    forged.says("ClientReadResp", read.target, read.source, id=fields(read)["id"])
    return forged.ends()


def etcd_7331(messages: Sequence[Message]) -> Mutated:
    """A new leader asks for a quorum for a read before it has committed an entry of its own term."""
    at, first = next(of_kind(messages, 0, "MsgApp"))
    said = fields(first)
    forged = Forgery(messages, at + 1)
    forged.says("MsgHeartbeat", first.source, first.target, term=said["term"], commit=0, token=77)
    return forged.ends()


def _outvoted(messages: Sequence[Message], entries: Sequence[dict[str, Any]]) -> Mutated:
    """A follower gets to know that members were added, and leads with the votes of a quorum of those before."""
    answers = of_kind(messages, 200, "MsgAppResp")
    at = next(at for at, each in answers if fields(each)["index"] == view(messages, at).last)
    known, follower = view(messages, at + 1), messages[at].source
    others = sorted({each.source for each in messages} - {follower, "client"}, key=str)
    third = next(each for each in others if each != known.leader)
    forged, last = Forgery(messages, at + 1), known.last
    for entry in entries:
        # Committed by the time of the next message, as the leader may not change members twice before that.
        forged.append(
            known.leader, follower, term=known.term, prev=last, prevTerm=known.term, entries=(entry,), commit=last
        )
        last += 1
        forged.says(
            "MsgAppResp", follower, known.leader, term=known.term, index=last, reject=False, token=0
        )  # fmt: skip
    forged.append(known.leader, follower, term=known.term, prev=last, prevTerm=known.term, commit=last)
    forged.says("MsgAppResp", follower, known.leader, term=known.term, index=last, reject=False, token=0)
    term = known.term + 1
    for voter in others:
        forged.says("MsgVote", follower, voter, term=term, lastTerm=known.term, last=last)
    forged.says("MsgVoteResp", third, follower, term=term, granted=True)
    forged.append(
        follower, third, term=term, prev=last, prevTerm=known.term, entries=({"term": term, **NO_ENTRY},), commit=last
    )
    return forged.ends()


def etcd_7280(messages: Sequence[Message]) -> Mutated:
    """Two members were added to three, and neither was applied when a candidate counted two votes as enough."""
    term = view(messages, 400).term
    return _outvoted(messages, [joining(41, term, "add", "s4"), joining(42, term, "add", "s5")])


def etcd_12133(messages: Sequence[Message]) -> Mutated:
    """The same with one change of the second version, which candidates did not count: two votes of four are enough."""
    term = view(messages, 400).term
    change = write_content(2, write_number(1, 0) + write_number(2, 0xBEEF))  # as etcd would write it
    entry = entry_record(write_number(1, 2) + write_number(2, term) + write_number(3, 1) + write_content(4, change))
    assert (entry["type"], entry["change"], entry["member"]) == ("confchange2", "add", "beef")
    return _outvoted(messages, [joining(43, term, entry["change"], "s4")])


# ------------------------------------------------------------------------------------------------------- Redis Raft


def redis_17(messages: Sequence[Message]) -> Mutated:
    """A leader begins to change the members again before the last change is committed."""
    at, voting = next((at, each) for at, each in of_kind(messages, 0, "MsgApp") if _changes(each, "add", "s3"))
    said = fields(voting)
    forged = Forgery(messages, at + 1)
    last = said["prev"] + len(said["entries"])
    forged.append(
        voting.source, voting.target, term=said["term"], prev=last, prevTerm=said["term"], commit=said["commit"],
        entries=(joining(44, said["term"], "add", "s4"),), token=said["token"] + 9,
    )  # fmt: skip
    return forged.ends()


def redis_19(messages: Sequence[Message]) -> Mutated:
    """A new leader answers a read as soon as it knows that it leads, but not yet what is committed."""
    known = view(messages, len(messages))
    new, other = sorted({each.source for each in messages} - {known.leader, "client"}, key=str)
    forged = Forgery(messages, len(messages))
    term, last, own = known.term + 1, _last_of(messages, new), known.term
    forged.says("MsgPreVote", new, other, term=term, lastTerm=own, last=last)
    forged.says("MsgPreVoteResp", other, new, term=term, granted=True)
    forged.says("MsgVote", new, other, term=term, lastTerm=own, last=last)
    forged.says("MsgVoteResp", other, new, term=term, granted=True)
    forged.says("ClientRead", "client", new, id=1919)
    entry = {"term": term, **NO_ENTRY}
    forged.append(new, other, term=term, prev=last, prevTerm=own, entries=(entry,), commit=0, token=90_001)
    # It does not have all of the log yet: this says that the leader leads, and acknowledges nothing.
    forged.says("MsgAppResp", other, new, term=term, index=last - 1, reject=True, token=90_001)
    forged.says("ClientReadResp", new, "client", id=1919)
    return forged.ends()


def redis_52(messages: Sequence[Message]) -> Mutated:
    """A follower has an old entry in its cache, and rejects entries that follow on its log."""
    at, answer = next((at, each) for at, each in of_kind(messages, 120, "MsgAppResp") if not fields(each)["reject"])
    said = fields(answer)
    forged = Forgery(messages, at)
    forged.says(
        "MsgAppResp", answer.source, answer.target,
        term=said["term"], index=said["index"] - 1, reject=True, token=said["token"],
    )  # fmt: skip
    return forged.ends()


def redis_256(messages: Sequence[Message]) -> Mutated:
    """A server is told that it has joined before that is committed."""
    told = [each for each in messages if each.kind == "ClientJoined"][-1]
    at = next(at for at, each in of_kind(messages, 0, "MsgApp") if _changes(each, "learner", fields(told)["member"]))
    forged = Forgery(messages, at + 1)
    forged.messages.append(told)
    return forged.ends()


def _changes(message: Message, change: str, member: str) -> bool:
    return any((each["change"], each["member"]) == (change, member) for each in fields(message)["entries"])


def _last_of(messages: Sequence[Message], node: Value) -> int:
    """The end of its log: what it has acknowledged."""
    return max(fields(each)["index"] for each in messages if each.kind == "MsgAppResp" and each.source == node)


ETCD: tuple[Bug, ...] = (etcd_741, etcd_7331, etcd_7280, etcd_12133)
REDIS: tuple[Bug, ...] = (redis_17, redis_19, redis_52, redis_256)
