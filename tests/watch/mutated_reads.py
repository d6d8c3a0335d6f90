"""Mutations of heartbeats and reads."""

from __future__ import annotations

from collections.abc import Sequence

from mutating import Mutated, after, changed, fields, first, in_place, of_kind, put, third, view

from gristmill.watch.messages import Message


def term_goes_back(messages: Sequence[Message], start: int) -> Mutated | None:
    """An answer with a term that the server has left behind."""
    for at, each in of_kind(messages, start, "MsgHeartbeatResp"):
        return in_place(messages, at, changed(each, term=fields(each)["term"] - 1))
    return None


def heartbeat_beyond_match(messages: Sequence[Message], start: int) -> Mutated | None:
    """A heartbeat tells a server that something is committed which that server is not known to have."""
    for at, each in of_kind(messages, start, "MsgHeartbeat"):
        return in_place(messages, at, changed(each, commit=fields(each)["commit"] + 1_000))
    return None


def read_before_quorum(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader answers a read as soon as it is asked: before any heartbeat was answered."""
    for at, each in of_kind(messages, start, "MsgReadIndex"):
        known = view(messages, at)
        if known.last > 10 and each.target == known.leader and fields(each)["token"] not in tokens(messages, at):
            like = first(messages, "MsgReadIndexResp")
            answer = put(
                each, like, each.target, each.source, term=known.term, token=fields(each)["token"], index=known.commit
            )
            return after(messages, at, answer)
    return None


def tokens(messages: Sequence[Message], until: int) -> set[int]:
    """Of the heartbeats that were sent so far."""
    return {fields(each)["token"] for each in messages[:until] if each.kind == "MsgHeartbeat"}


def stale_read(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader answers a read with an index that is older than what others knew when it began."""
    for at, each in of_kind(messages, start, "MsgReadIndexResp"):
        if fields(each)["index"] > 10:
            return in_place(messages, at, changed(each, index=3))
    return None


def heartbeat_of_past_term(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader speaks of a term that it has left behind."""
    for at, each in of_kind(messages, start, "MsgHeartbeat"):
        return in_place(messages, at, changed(each, term=fields(each)["term"] - 1))
    return None


def invented_token(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server confirms a read that nobody has asked it to."""
    for at, each in of_kind(messages, start, "MsgHeartbeatResp"):
        if fields(each)["token"]:
            return in_place(messages, at, changed(each, token=fields(each)["token"] + 1))
    return None


def read_by_follower(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server that does not lead, or not any more, answers a read."""
    for at, each in of_kind(messages, start, "MsgHeartbeatResp"):
        known = view(messages, at)
        if known.commit > 10 and fields(each)["term"] == known.term:
            other = third(messages, each.source, each.target)
            asks = put(each, first(messages, "MsgReadIndex"), other, each.source, token=987_654)
            like = first(messages, "MsgReadIndexResp")
            tells = put(each, like, each.source, other, term=known.term, token=987_654, index=known.commit)
            return after(messages, at, asks, tells)
    return None


def read_that_nobody_asked_for(messages: Sequence[Message], start: int) -> Mutated | None:
    for at, each in of_kind(messages, start, "MsgReadIndexResp"):
        return in_place(messages, at, changed(each, token=fields(each)["token"] + 1))
    return None


def read_beyond_commit(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader answers a read with an index that is not committed."""
    for at, each in of_kind(messages, start, "MsgReadIndexResp"):
        return in_place(messages, at, changed(each, index=view(messages, at).last + 1))
    return None


def read_told_to_another(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader answers a read, but not to whom has asked."""
    for at, each in of_kind(messages, start, "MsgReadIndexResp"):
        other = third(messages, each.source, each.target)
        return in_place(messages, at, put(each, each, each.source, other))
    return None
