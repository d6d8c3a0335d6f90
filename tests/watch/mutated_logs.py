"""Mutations of logs: entries, what is acknowledged, what is committed, snapshots."""

from __future__ import annotations

from collections.abc import Sequence

from mutating import Mutated, after, changed, fields, in_place, made, of_kind, put, third, view

from gristmill.values import Value
from gristmill.watch.messages import Message


def commit_beyond_acknowledged(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader tells others that entries are committed that no other server has yet."""
    for at, each in of_kind(messages, start, "MsgApp"):
        said = fields(each)
        if len(said["entries"]) and said["prev"] > 10:
            return in_place(messages, at, changed(each, commit=said["prev"] + len(said["entries"])))
    return None


def overwritten_after_commit(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader sends another entry where it has committed one."""
    for at, each in of_kind(messages, start, "MsgApp"):
        said = fields(each)
        if said["commit"] > 12 and said["prev"] >= said["commit"] and said["entries"]:
            entry = {**said["entries"][0], "data": 123_456_789}
            return in_place(
                messages, at, changed(each, prev=said["commit"] - 1, prevTerm=said["term"], entries=(entry,))
            )
    return None


def wrong_previous_term(messages: Sequence[Message], start: int) -> Mutated | None:
    for at, each in of_kind(messages, start, "MsgApp"):
        return in_place(messages, at, changed(each, prevTerm=fields(each)["prevTerm"] + 5))
    return None


def entry_of_another_term(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader appends an entry of an older term."""
    for at, each in of_kind(messages, start, "MsgApp"):
        said = fields(each)
        if said["entries"] and said["prev"] + len(said["entries"]) > view(messages, at).last:
            old = tuple({**entry, "term": entry["term"] - 1} for entry in said["entries"])
            return in_place(messages, at, changed(each, entries=old))
    return None


def answer_without_request(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server acknowledges entries that it was not sent."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        said = fields(each)
        if not said["reject"]:
            return in_place(messages, at, changed(each, index=said["index"] + 1_000))
    return None


def acknowledged_one_too_many(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server acknowledges one entry more than it was ever sent."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        said, known = fields(each), view(messages, at)
        if not said["reject"] and said["term"] == known.term and said["index"] == known.has.get(each.source):
            return in_place(messages, at, changed(each, index=said["index"] + 1))
    return None


def acknowledged_past_leader(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server takes entries of a leader whose term is over."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        said, known = fields(each), view(messages, at)
        if known.term > 1 and said["term"] == known.term and not said["reject"]:
            other, past = third(messages, each.source, each.target), known.term - 1
            sends = next(m for m in messages if m.kind == "MsgApp" and fields(m)["entries"])
            old = put(each, sends, other, each.source, term=past, prev=said["index"], prevTerm=past)
            end = said["index"] + len(fields(sends)["entries"])
            return after(messages, at, old, put(each, each, each.source, other, term=past, index=end))
    return None


def gap_in_the_log(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader sends entries behind the end of its log."""
    for at, each in of_kind(messages, start, "MsgApp"):
        said, known = fields(each), view(messages, at)
        if said["entries"] and said["term"] == known.term and said["prev"] + len(said["entries"]) > known.last:
            return in_place(messages, at, changed(each, prev=known.last + 25))
    return None


def two_faced_leader(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader sends other entries to one server than it has sent to another."""
    for at, each in of_kind(messages, start, "MsgApp"):
        said, known = fields(each), view(messages, at)
        end = said["prev"] + len(said["entries"])
        if said["entries"] and said["term"] == known.term and end <= known.last and known.commit < end:
            other = tuple({**entry, "data": entry["data"] + 1} for entry in said["entries"])
            return in_place(messages, at, changed(each, entries=other))
    return None


def deposed_leader_appends(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server that has followed a newer leader for a while goes on leading its old term. (A message that it had sent
    before may be overtaken by a few on other connections: that is no mistake.)"""
    followed: dict[tuple[Value, int], int] = {}
    for at, each in of_kind(messages, 0, "MsgAppResp"):
        said, known = fields(each), view(messages, at)
        followed[each.source, said["term"]] = followed.get((each.source, said["term"]), 0) + 1
        if at >= start and said["term"] == known.term > 2 and followed[each.source, known.term] > 40:
            old = next((m for m in messages[:at] if m.kind == "MsgApp" and m.source == each.source), None)
            if old is not None:
                return after(messages, at, put(each, old, each.source, each.target))
    return None


def snapshot_beyond_commit(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader sends a snapshot with entries that are not committed."""
    for at, each in of_kind(messages, start, "MsgApp"):
        said, known = fields(each), view(messages, at)
        if known.commit < known.last and each.source == known.leader and said["term"] == known.term > 1:
            index = known.last + 1
            return after(messages, at, _snapshot(messages, each, term=known.term, index=index, indexTerm=known.term))
    return None


def snapshot_of_another_term(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader sends a snapshot whose last entry has another term than it has in the log."""
    for at, each in of_kind(messages, start, "MsgApp"):
        said, known = fields(each), view(messages, at)
        if known.commit > 10 and each.source == known.leader and said["term"] == known.term > 1:
            index = known.commit
            other = known.term + 1
            return after(messages, at, _snapshot(messages, each, term=known.term, index=index, indexTerm=other))
    return None


def _snapshot(messages: Sequence[Message], place: Message, **values: int) -> Message:
    """Of all servers that are heard of."""
    voters = frozenset(each.source for each in messages if each.kind == "MsgApp" or each.kind == "MsgAppResp")
    return made(place, "MsgSnap", place.source, place.target, voters=voters, **values)
