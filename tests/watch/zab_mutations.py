"""Mutations of a healthy recording of ZooKeeper: each is something that no correct server sends.

As in `mutating`: a mutation gets the messages of a run, and says which messages come instead, and which of them is
the wrong one; None if nothing can be mutated there. Messages that are put in have the next number on their connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mutating import Mutated, after, changed, fields, in_place, made

from gristmill.watch.messages import Message

Mutation = Callable[[Sequence[Message]], Mutated | None]
WRAP = 1 << 32


def said(messages: Sequence[Message], *kinds: str) -> Iterator[tuple[int, Message, dict[str, Any]]]:
    for at, each in enumerate(messages):
        if each.kind in kinds:
            yield at, each, fields(each)


def on_same(message: Message, kind: str, **values: Any) -> Message:
    """The next message of the same sender on the same connection."""
    own = fields(message)
    found = made(message, kind, message.source, message.target, link=own["link"], number=own["number"] + 1, **values)
    return changed(found, link=own["link"])


def highest(messages: Sequence[Message], until: int, kind: str, link: int) -> int:
    return max((own["zxid"] for _, _, own in said(messages[:until], kind) if own["link"] == link), default=0)


# ------------------------------------------------------------------------------------------------------- the leader


def commit_without_quorum(messages: Sequence[Message]) -> Mutated | None:
    """A transaction is committed that nobody has acknowledged."""
    for at, each, own in said(messages, "PROPOSAL"):
        acked = max((other["zxid"] for _, _, other in said(messages[:at], "ACK")), default=0)
        if own["zxid"] == acked + 1 and highest(messages, at, "COMMIT", own["link"]) == own["zxid"] - 1:
            return after(messages, at, on_same(each, "COMMIT", zxid=own["zxid"]))
    return None


def commit_out_of_turn(messages: Sequence[Message]) -> Mutated | None:
    """A follower is told that a transaction is committed, but not that the one before it is."""
    for at, each, own in said(messages, "COMMIT"):
        later = own["zxid"] + 1
        acked = any(other["zxid"] == later for _, _, other in said(messages[:at], "ACK"))
        if acked and highest(messages, at, "PROPOSAL", own["link"]) >= later:
            return in_place(messages, at, changed(each, zxid=later))
    return None


def proposal_goes_back(messages: Sequence[Message]) -> Mutated | None:
    """A new transaction with the zxid of an earlier one."""
    for at, each, own in said(messages, "PROPOSAL"):
        if own["zxid"] % WRAP > 6:
            return in_place(messages, at, changed(each, zxid=own["zxid"] - 3))
    return None


def proposal_leaves_one_out(messages: Sequence[Message]) -> Mutated | None:
    for at, each, own in said(messages, "PROPOSAL"):
        if own["zxid"] % WRAP > 6:
            return in_place(messages, at, changed(each, zxid=own["zxid"] + 1))
    return None


def different_proposals(messages: Sequence[Message]) -> Mutated | None:
    """Two followers get different transactions with the same zxid."""
    seen: dict[int, int] = {}
    for at, each, own in said(messages, "PROPOSAL"):
        if seen.setdefault(own["zxid"], own["link"]) != own["link"]:
            return in_place(messages, at, changed(each, cxid=own["cxid"] + 1000))
    return None


def difference_instead_of_truncation(messages: Sequence[Message]) -> Mutated | None:
    """ZOOKEEPER-1154: the follower has transactions that the leader does not have, and keeps them."""
    for at, each, _ in said(messages, "TRUNC"):
        return in_place(messages, at, changed(each, kind="DIFF"))
    return None


def truncation_too_short(messages: Sequence[Message]) -> Mutated | None:
    """The follower keeps a transaction that the leader does not have."""
    for at, each, own in said(messages, "TRUNC"):
        return in_place(messages, at, changed(each, zxid=own["zxid"] + 1))
    return None


def snapshot_of_the_future(messages: Sequence[Message]) -> Mutated | None:
    """A snapshot with transactions that are not committed."""
    for at, each, own in said(messages, "SNAP"):
        if own["zxid"]:
            return in_place(messages, at, changed(each, zxid=own["zxid"] + 100))
    return None


def older_epoch(messages: Sequence[Message]) -> Mutated | None:
    """NEWLEADER of an epoch that the leader has left behind."""
    for at, each, own in said(messages, "NEWLEADER"):
        return in_place(messages, at, changed(each, epoch=own["epoch"] - 1))
    return None


def epoch_that_is_not_new(messages: Sequence[Message]) -> Mutated | None:
    """A leader begins with an epoch that its followers have accepted from somebody else."""
    for at, each, own in said(messages, "LEADERINFO"):
        if own["epoch"] > 1 and not any(m.source == each.source for _, m, _ in said(messages[:at], "LEADERINFO")):
            return in_place(messages, at, changed(each, epoch=own["epoch"] - 1))
    return None


def served_too_early(messages: Sequence[Message]) -> Mutated | None:
    """UPTODATE before a quorum has acknowledged NEWLEADER."""
    for at, each, _ in said(messages, "NEWLEADER"):
        return after(messages, at, on_same(each, "UPTODATE"))
    return None


def history_held_back(messages: Sequence[Message]) -> Mutated | None:
    """NEWLEADER before the follower has got all that the leader began with: its history was shorter than the leader
    takes it to be."""
    for at, each, own in said(messages, "ACKEPOCH"):
        on_link = [each for each in messages[at + 1 :] if fields(each).get("link") == own["link"]]
        if own["zxid"] % WRAP > 3 and len(on_link) > 1 and (on_link[0].kind, on_link[1].kind) == ("DIFF", "NEWLEADER"):
            shorter = changed(each, zxid=own["zxid"] - 2)
            where = messages.index(on_link[1])
            return in_place([*messages[:at], shorter, *messages[at + 1 :]], where, on_link[1])
    return None


def proposed_before_established(messages: Sequence[Message]) -> Mutated | None:
    """A new transaction before a quorum has acknowledged NEWLEADER."""
    for at, each, own in said(messages, "NEWLEADER"):
        values = {"session": 1, "cxid": 1, "operation": 5}
        return after(messages, at, on_same(each, "PROPOSAL", zxid=own["epoch"] * WRAP + 1, **values))
    return None


# --------------------------------------------------------------------------------------------------------- the follower


def acknowledged_without_proposal(messages: Sequence[Message]) -> Mutated | None:
    for at, each, own in said(messages, "ACK"):
        if own["zxid"] % WRAP > 5:
            return in_place(messages, at, changed(each, zxid=own["zxid"] + 50))
    return None


def epoch_goes_back(messages: Sequence[Message]) -> Mutated | None:
    """A follower has forgotten which epoch it has promised."""
    for at, each, own in said(messages, "FOLLOWERINFO"):
        if own["epoch"] > 0:
            return in_place(messages, at, changed(each, epoch=own["epoch"] - 1))
    return None


def epoch_accepted_twice(messages: Sequence[Message]) -> Mutated | None:
    """A follower that comes back promises the same epoch once more."""
    for at, each, own in said(messages, "ACKEPOCH"):
        if own["epoch"] == -1:
            return in_place(messages, at, changed(each, epoch=fields(messages[at - 1]).get("epoch", 1)))
    return None


def acknowledged_and_lost(messages: Sequence[Message]) -> Mutated | None:
    """A follower has lost transactions that it had acknowledged."""
    for at, each, own in said(messages, "ACKEPOCH"):
        acked = [m["zxid"] for _, other, m in said(messages[:at], "ACK") if other.source == each.source]
        if acked and max(acked) == own["zxid"]:
            return in_place(messages, at, changed(each, zxid=own["zxid"] - 2))
    return None


# ---------------------------------------------------------------------------------------------- votes, and the clients


def boasting_candidate(messages: Sequence[Message]) -> Mutated | None:
    """A server that never led votes for itself, with transactions that it does not have."""
    for at, each, own in said(messages, "NOTIFICATION"):
        if own["state"] == "LOOKING" and own["leader"] == each.source:
            return in_place(messages, at, changed(each, zxid=own["zxid"] + 10))
    return None


def vote_for_who_did_not_ask(messages: Sequence[Message]) -> Mutated | None:
    """A server votes for a candidate with a history that nobody has told it of."""
    for at, each, own in said(messages, "NOTIFICATION"):
        if own["state"] == "LOOKING" and own["leader"] != each.source:
            return in_place(messages, at, changed(each, epoch=own["epoch"] + 3))
    return None


def written_before_commit(messages: Sequence[Message]) -> Mutated | None:
    """A follower answers a write when it has got the proposal, and not yet the commit."""
    for at, each, own in said(messages, "PROPOSAL"):
        clients = [other for _, other, _ in said(messages[:at], "Reply") if other.source == each.target]
        if clients and highest(messages, at, "COMMIT", own["link"]) == own["zxid"] - 1:
            answer = changed(clients[-1], zxid=own["zxid"], session=own["session"], cxid=own["cxid"], writes=True)
            return after(messages, at, answer)
    return None


def written_without_a_transaction(messages: Sequence[Message]) -> Mutated | None:
    for at, each, own in said(messages, "Reply"):
        if own["writes"]:
            return in_place(messages, at, changed(each, cxid=own["cxid"] + 500))
    return None


def answer_goes_back(messages: Sequence[Message]) -> Mutated | None:
    """A client is told of an older state than before."""
    seen: dict[int, int] = {}
    for at, each, own in said(messages, "Reply"):
        before = seen.get(own["link"], 0)
        seen[own["link"]] = own["zxid"]
        if not own["writes"] and before % WRAP > 3:
            return in_place(messages, at, changed(each, zxid=before - 2))
    return None


def session_goes_back(messages: Sequence[Message]) -> Mutated | None:
    """A session that has seen more than this server has is taken nevertheless."""
    for at, each, own in said(messages, "Connect"):
        for later, answer, told in said(messages[at:], "Connected"):
            if told["link"] == own["link"] and told["session"]:
                far = changed(each, seen=own["seen"] + 1000 * WRAP)
                return in_place([*messages[:at], far, *messages[at + 1 :]], at + later, answer)
    return None


# Each with the action that would have sent the message, and a part of what it lacked.
EVERY: dict[Mutation, tuple[str, str]] = {
    commit_without_quorum: ("SendCommit", "zxid <= Max(Known(i), Initial(i)) is false"),
    commit_out_of_turn: ("SendCommit", "Follows(log[i], d.committed, zxid)"),
    proposal_goes_back: ("SendProposal", "l.entries[k] = entry is false"),
    proposal_leaves_one_out: ("SendProposal", "zxid = next is false"),
    different_proposals: ("SendProposal", "l.entries[k] = entry is false"),
    difference_instead_of_truncation: ("SendDiff", "Reaches(i, Ending(log[i], last), at) is false"),
    truncation_too_short: ("SendTrunc", "Reaches(i, Ending(log[i], last), at) is false"),
    snapshot_of_the_future: ("SendSnap", "Reaches(i, Ending(log[i], last), at) is false"),
    older_epoch: ("SendNewLeader", "epoch = lead[i].epoch is false"),
    epoch_that_is_not_new: ("SendLeaderInfo", "epoch = lead[i].epoch is false"),
    served_too_early: ("SendUptodate", "lead[i].established is false"),
    history_held_back: ("SendNewLeader", "down[i][key].at >= Initial(i) is false"),
    proposed_before_established: ("SendProposal", "lead[i].established is false"),
    acknowledged_without_proposal: ("SendAck", "Has(log[i], zxid) is false"),
    epoch_goes_back: ("SendFollowerInfo", "epoch \\in {accepted[i], offered[i].accepted} is false"),
    epoch_accepted_twice: ("SendAckEpoch", "ELSE epoch = -1 is false"),
    acknowledged_and_lost: ("SendAckEpoch", "MayEnd(i, zxid) is false"),
    boasting_candidate: ("SendVote", "leader = i"),
    vote_for_who_did_not_ask: ("SendVote", "heard[i]"),
    written_before_commit: ("SendReply", "zxid <= Processed(i) is false"),
    written_without_a_transaction: ("SendReply", "Is(k)"),
    answer_goes_back: ("SendReply", "zxid >= Seen(i, link) is false"),
    session_goes_back: ("SendConnected", "Seen(i, link) <= Processed(i) is false"),
}
