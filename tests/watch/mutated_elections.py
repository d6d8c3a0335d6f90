"""Mutations of elections: votes, candidates, leaders that are none, and who is told to take over."""

from __future__ import annotations

from collections.abc import Sequence

from mutating import Mutated, after, changed, fields, first, in_place, made, of_kind, put, renumbered, third, view

from gristmill.watch.messages import Message


def second_vote(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server that has voted in a term votes for another candidate in the same term."""
    for at, each in of_kind(messages, start, "MsgVoteResp"):
        said = fields(each)
        if said["granted"]:
            other = third(messages, each.source, each.target)
            term = said["term"]
            asks = put(each, first(messages, "MsgVote"), other, each.source, term=term, lastTerm=term, last=1_000_000)
            return after(messages, at, asks, put(each, each, each.source, other))
    return None


def vote_for_older_log(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server votes for a candidate whose log lacks entries that it has."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        said, known = fields(each), view(messages, at)
        if known.last > 10 and said["index"] > 10:
            other = third(messages, each.source, each.target)
            newer = known.term + 1
            asks = put(each, first(messages, "MsgVote"), other, each.source, term=newer, lastTerm=1, last=3)
            votes = put(each, first(messages, "MsgVoteResp"), each.source, other, term=newer, granted=True)
            return after(messages, at, asks, votes)
    return None


def second_leader(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server that voted for another one leads the same term."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        said = fields(each)
        if said["term"] == view(messages, at).term:
            beat = put(each, first(messages, "MsgHeartbeat"), each.source, each.target, term=said["term"], commit=0)
            return after(messages, at, beat)
    return None


def leader_without_votes(messages: Sequence[Message], start: int) -> Mutated | None:
    """A candidate leads though nobody has voted for it: its votes never arrived."""
    for _, each in of_kind(messages, start, "MsgVoteResp"):
        rest = [m for m in messages if not (m.kind == "MsgVoteResp" and m.target == each.target)]
        for m in rest:
            if m.kind == "MsgApp" and m.source == each.target and fields(m)["term"] == fields(each)["term"]:
                return renumbered(rest, m)
    return None


def boasting_candidate(messages: Sequence[Message], start: int) -> Mutated | None:
    """A candidate claims a longer log than it has."""
    for at, each in of_kind(messages, start, "MsgVote"):
        return in_place(messages, at, changed(each, last=fields(each)["last"] + 7))
    return None


def vote_after_campaign(messages: Sequence[Message], start: int) -> Mutated | None:
    """A candidate, which has voted for itself, votes for another one in the same term."""
    for at, each in of_kind(messages, start, "MsgVote"):
        term = fields(each)["term"]
        asks = put(each, each, each.target, each.source, last=1_000_000)
        return after(messages, at, asks, put(each, granted(messages), each.source, each.target, term=term))
    return None


def vote_in_past_term(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server votes in a term that it has left behind."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        known = view(messages, at)
        if known.term > 1 and fields(each)["term"] == known.term:
            other, past = third(messages, each.source, each.target), known.term - 1
            asks = put(each, first(messages, "MsgVote"), other, each.source, term=past, last=1_000_000)
            return after(messages, at, asks, put(each, granted(messages), each.source, other, term=past))
    return None


def campaign_in_own_term(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server asks for votes in the term that it is in, and in which it follows somebody."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        known = view(messages, at)
        if fields(each)["term"] == known.term:
            last = known.acknowledged.get(each.source, 0)
            asks = put(each, first(messages, "MsgVote"), each.source, each.target, term=known.term, last=last)
            return after(messages, at, changed(asks, lastTerm=known.term))
    return None


def campaign_with_shrunken_log(messages: Sequence[Message], start: int) -> Mutated | None:
    """A candidate does not have any more what it has acknowledged."""
    for at, each in of_kind(messages, start, "MsgVote"):
        known = view(messages, at)
        if known.acknowledged.get(each.source, 0) > 20:
            return in_place(messages, at, changed(each, last=known.acknowledged[each.source] - 10))
    for at, each in of_kind(messages, start, "MsgAppResp"):
        known = view(messages, at)
        if fields(each)["term"] == known.term and known.acknowledged.get(each.source, 0) > 20:
            asks = put(each, first(messages, "MsgVote"), each.source, each.target, term=known.term + 1)
            shrunken = known.acknowledged[each.source] - 10
            return after(messages, at, changed(asks, last=shrunken, lastTerm=known.term))
    return None


def pre_vote_for_older_log(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server would vote for a candidate whose log lacks entries that it has."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        known = view(messages, at)
        if fields(each)["index"] > 10 and known.last > 10:
            return after(messages, at, *_pre_vote(messages, each, known.term + 1, known.term + 1, last=3, lastTerm=1))
    return None


def pre_vote_in_own_term(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server would vote in the term that it is in already."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        known = view(messages, at)
        if fields(each)["term"] == known.term:
            asked = _pre_vote(messages, each, known.term, known.term, last=1_000_000, lastTerm=known.term)
            return after(messages, at, *asked)
    return None


def pre_vote_answered_in_another_term(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server is asked about one term, and would vote in another."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        known = view(messages, at)
        if fields(each)["term"] == known.term:
            asked = _pre_vote(messages, each, known.term + 1, known.term + 3, last=1_000_000, lastTerm=known.term)
            return after(messages, at, *asked)
    return None


def _pre_vote(
    messages: Sequence[Message], place: Message, asked: int, answered: int, **log: int
) -> tuple[Message, Message]:
    """Somebody asks the sender of a message about a term, and it would vote. Pre-votes have the form of votes."""
    other = third(messages, place.source, place.target)
    asks = put(place, first(messages, "MsgVote"), other, place.source, kind="MsgPreVote", term=asked, **log)
    would = put(place, granted(messages), place.source, other, kind="MsgPreVoteResp", term=answered)
    return asks, would


def take_over_by_follower(messages: Sequence[Message], start: int) -> Mutated | None:
    """A server that does not lead tells another one to take over."""
    for at, each in of_kind(messages, start, "MsgAppResp"):
        known = view(messages, at)
        if fields(each)["term"] == known.term:
            other = third(messages, each.source, each.target)
            return after(messages, at, made(each, "MsgTimeoutNow", each.source, other, term=known.term))
    return None


def take_over_by_laggard(messages: Sequence[Message], start: int) -> Mutated | None:
    """A leader lets a server take over that does not have its whole log, and has lagged behind for a while. (If it had
    all of it a few messages ago, this one may have been overtaken by them on other connections.)"""
    for at, each in of_kind(messages, start, "MsgApp"):
        known, before = view(messages, at + 1), view(messages, max(0, at - 120))
        lags = known.acknowledged.get(each.target, 0) < (before.last if before.term == known.term else 1)
        if each.source == known.leader and fields(each)["term"] == known.term and fields(each)["entries"] and lags:
            return after(messages, at, made(each, "MsgTimeoutNow", each.source, each.target, term=known.term))
    return None


def granted(messages: Sequence[Message]) -> Message:
    return next(each for each in messages if each.kind == "MsgVoteResp" and fields(each)["granted"])
