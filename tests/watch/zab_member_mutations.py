"""Mutations of recordings of ZooKeeper with observers, and of those in which members change (as `zab_mutations`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mutating import Mutated, after, changed, fields, in_place, made, renumbered
from zab_mutations import Mutation, on_same, said

from gristmill.watch.messages import Message


def links_of_observers(messages: Sequence[Message]) -> dict[int, int]:
    """Connections of observers, and where their synchronization was done."""
    found = {own["link"] for _, _, own in said(messages, "OBSERVERINFO")}
    return {own["link"]: at for at, _, own in said(messages, "UPTODATE") if own["link"] in found}


def acked_before(messages: Sequence[Message], until: int) -> int:
    return max((own["zxid"] for _, _, own in said(messages[:until], "ACK")), default=0)


def last_on(messages: Sequence[Message], until: int, link: int, source: object) -> Message:
    """What this server has sent last on a connection."""
    on_link = (each for each in reversed(messages[:until]) if each.source == source)
    return next(each for each in on_link if fields(each).get("link") == link)


# ------------------------------------------------------------------------------------------------------------ observers


def informed_without_quorum(messages: Sequence[Message]) -> Mutated | None:
    """An observer is told of a transaction that nobody has acknowledged."""
    links = links_of_observers(messages)
    for at, each, own in said(messages, "PROPOSAL"):
        there = [link for link, began in links.items() if began < at]
        informed = max((told["zxid"] for _, _, told in said(messages[:at], "INFORM")), default=0)
        if there and own["zxid"] == acked_before(messages, at) + 1 and informed == own["zxid"] - 1:
            like = last_on(messages, at, there[-1], each.source)
            same = {name: own[name] for name in ("zxid", "session", "cxid", "operation")}
            return after(messages, at, on_same(like, "INFORM", **same))
    return None


def observers_count(messages: Sequence[Message]) -> Mutated | None:
    """A transaction is committed that only observers have acknowledged."""
    links = links_of_observers(messages)
    for at, each, own in said(messages, "PROPOSAL"):
        observers = [messages[began].target for began in links.values() if began < at]
        if len(observers) > 1 and own["zxid"] == acked_before(messages, at) + 1:
            acks = [
                on_same(last_on(messages, at, link, observer), "ACK", zxid=own["zxid"])
                for link, observer in zip(links, observers, strict=False)
            ]
            commit = on_same(each, "COMMIT", zxid=own["zxid"])
            return after(messages, at, *acks, commit)
    return None


def informed_out_of_turn(messages: Sequence[Message]) -> Mutated | None:
    """An observer is told of a transaction, but not of the one before it."""
    for at, _, own in said(messages, "INFORM"):
        for later, following, told in said(messages[at:], "INFORM"):
            if told["link"] == own["link"] and told["zxid"] == own["zxid"] + 1:
                early = changed(following, number=own["number"])
                return renumbered([*messages[:at], *messages[at + 1 : at + later], early], early)
    return None


def _transaction(own: dict[str, Any]) -> dict[str, Any]:
    return {name: own[name] for name in ("zxid", "session", "cxid", "operation")}


def informed_of_another(messages: Sequence[Message]) -> Mutated | None:
    """An observer is told of another transaction than followers are."""
    for at, each, own in said(messages, "INFORM"):
        return in_place(messages, at, changed(each, cxid=own["cxid"] + 1000))
    return None


def informed_follower(messages: Sequence[Message]) -> Mutated | None:
    """A follower has to be asked before."""
    for at, each, own in said(messages, "COMMIT"):
        proposed = [told for _, _, told in said(messages[:at], "PROPOSAL") if told["zxid"] == own["zxid"]]
        if proposed and own["zxid"] % 100 > 5:
            same = {name: proposed[0][name] for name in ("session", "cxid", "operation")}
            inform = made(
                each,
                "INFORM",
                each.source,
                each.target,
                link=own["link"],
                number=own["number"],
                **same,
                zxid=own["zxid"],
            )
            return in_place(messages, at, inform)
    return None


def observer_is_asked(messages: Sequence[Message]) -> Mutated | None:
    """An observer gets a proposal, as if it had a vote."""
    for at, each, own in said(messages, "INFORM"):
        ask = made(
            each, "PROPOSAL", each.source, each.target, link=own["link"], number=own["number"], **_transaction(own)
        )
        if own["link"] in links_of_observers(messages[:at]):
            return in_place(messages, at, ask)
    return None


def observer_acknowledges(messages: Sequence[Message]) -> Mutated | None:
    for at, each, own in said(messages, "INFORM"):
        if own["link"] in links_of_observers(messages[:at]):
            like = last_on(messages, at, own["link"], each.target)
            return after(messages, at, on_same(like, "ACK", zxid=own["zxid"]))
    return None


def observer_campaigns(messages: Sequence[Message]) -> Mutated | None:
    """An observer votes for itself."""
    observers = {each.source for _, each, _ in said(messages, "OBSERVERINFO")}
    for at, each, own in said(messages, "NOTIFICATION"):
        if each.source in observers and each.source not in own["voters"]:
            return in_place(messages, at, changed(each, state="LOOKING", leader=each.source, zxid=0, epoch=0))
    return None


def voter_observes(messages: Sequence[Message]) -> Mutated | None:
    """A server that has a vote says that it has none; and need not keep what it acknowledges."""
    for at, each, _ in said(messages, "FOLLOWERINFO"):
        return in_place(messages, at, changed(each, kind="OBSERVERINFO"))
    return None


# ------------------------------------------------------------------------------------------------------ configurations


def half_a_quorum(messages: Sequence[Message]) -> Mutated | None:
    """A new configuration becomes active by a quorum of the old one alone."""
    for at, each, own in said(messages, "RECONFIG"):
        if (
            len({told["link"] for _, _, told in said(messages[: at + 1], "RECONFIG") if told["zxid"] == own["zxid"]})
            < 3
        ):
            continue
        for acked, ack, told in said(messages, "ACK"):
            old_member = told["zxid"] == own["zxid"] and ack.target == each.source and each.source not in own["voters"]
            if old_member and ack.source in own["voters"]:
                like = last_on(messages, acked, told["link"], each.source)
                values = {"zxid": own["zxid"], "leader": ack.source}
                return after(messages, acked, on_same(like, "COMMITANDACTIVATE", **values))
    return None


def led_by_who_has_no_vote(messages: Sequence[Message]) -> Mutated | None:
    """Who is to lead by the new configuration is none of it."""
    for at, each, own in said(messages, "COMMITANDACTIVATE"):
        (voters, *_) = [told["voters"] for _, _, told in said(messages, "RECONFIG") if told["zxid"] == own["zxid"]]
        others = [server for server in ("1", "2", "3", "4") if server not in voters]
        if others:
            return in_place(messages, at, changed(each, leader=others[0]))
    return None


def led_by_who_has_not_acknowledged(messages: Sequence[Message]) -> Mutated | None:
    """Who is to lead by the new configuration may not have it."""
    for at, each, own in said(messages, "COMMITANDACTIVATE"):
        (voters, *_) = [told["voters"] for _, _, told in said(messages, "RECONFIG") if told["zxid"] == own["zxid"]]
        acked = {ack.source for _, ack, told in said(messages[:at], "ACK") if told["zxid"] >= own["zxid"]}
        others = sorted(set(voters) - acked - {each.source})
        if others:
            return in_place(messages, at, changed(each, leader=others[0]))
    return None


def not_activated(messages: Sequence[Message]) -> Mutated | None:
    """A follower is told that a new configuration is committed as if it were none, and goes on with the old one."""
    for at, each, own in said(messages, "COMMITANDACTIVATE"):
        values = {"zxid": own["zxid"], "link": own["link"], "number": own["number"]}
        return in_place(messages, at, made(each, "COMMIT", each.source, each.target, **values))
    return None


def activated_without_configuration(messages: Sequence[Message]) -> Mutated | None:
    """A transaction that is no configuration, committed as if it were one."""
    for at, each, own in said(messages, "COMMIT"):
        values = {"zxid": own["zxid"], "link": own["link"], "number": own["number"], "leader": each.source}
        return in_place(messages, at, made(each, "COMMITANDACTIVATE", each.source, each.target, **values))
    return None


def different_configurations(messages: Sequence[Message]) -> Mutated | None:
    """Two followers get different configurations with the same zxid."""
    seen: dict[int, int] = {}
    for at, each, own in said(messages, "RECONFIG"):
        if seen.setdefault(own["zxid"], own["link"]) != own["link"]:
            return in_place(messages, at, changed(each, voters=frozenset(("1", "4"))))
    return None


def two_at_once(messages: Sequence[Message]) -> Mutated | None:
    """A configuration is proposed before the last one is committed."""
    for at, each, own in said(messages, "RECONFIG"):
        zxid = own["zxid"] + 1
        values = {"session": own["session"], "cxid": own["cxid"] + 1, "voters": frozenset(("1", "2"))}
        return after(messages, at, on_same(each, "RECONFIG", zxid=zxid, version=zxid, **values))
    return None


def invented_configuration(messages: Sequence[Message]) -> Mutated | None:
    """A new leader tells of a configuration that nobody has proposed."""
    for at, each, own in said(messages, "NEWLEADER"):
        if own["version"]:
            return in_place(messages, at, changed(each, voters=frozenset((each.source,))))
    return None


def told_too_early(messages: Sequence[Message]) -> Mutated | None:
    """A server tells by its vote that a configuration is active, which is not committed."""
    for at, each, own in said(messages, "NOTIFICATION"):
        if own["version"]:
            return in_place(messages, at, changed(each, version=own["version"] + 1, voters=frozenset((each.source,))))
    return None


def commits_after_it_has_left(messages: Sequence[Message]) -> Mutated | None:
    """A leader has left the lead to another server, and commits what was proposed since."""
    for _, each, own in said(messages, "COMMITANDACTIVATE"):
        if own["leader"] == each.source:
            continue
        where = [at for at, _, told in said(messages, "COMMITANDACTIVATE") if told["zxid"] == own["zxid"]]
        links = [(fields(messages[at])["link"], messages[at]) for at in where]
        zxid, last = own["zxid"] + 1, where[-1]
        transaction = {"zxid": zxid, "session": 1, "cxid": 1, "operation": 5}
        new = [on_same(told, "PROPOSAL", **transaction) for _, told in links]
        acks = [on_same(last_on(messages, last, link, told.target), "ACK", zxid=zxid) for link, told in links]
        return after(messages, last, *new, *acks, on_same(new[0], "COMMIT", zxid=zxid))
    return None


def informed_of_other_voters(messages: Sequence[Message]) -> Mutated | None:
    """An observer is told of another configuration than followers are."""
    for at, each, own in said(messages, "INFORMANDACTIVATE"):
        return in_place(messages, at, changed(each, voters=own["voters"] - {each.source}))
    return None


def epoch_without_quorum(messages: Sequence[Message]) -> Mutated | None:
    """A leader begins an epoch when only a server has joined that has no vote any more."""
    for at, each, own in said(messages, "FOLLOWERINFO"):
        told = [conf["voters"] for _, _, conf in said(messages[:at], "RECONFIG")]
        leads = any(info.source == each.target for _, info, _ in said(messages[:at], "LEADERINFO"))
        if told and each.source not in told[-1] and each.target in told[-1] and not leads:
            values = {"link": own["link"], "number": 1, "epoch": own["epoch"] + 1}
            return after(messages, at, made(each, "LEADERINFO", each.target, each.source, **values))
    return None


# Each with the action that would have sent the message, and a part of what it lacked.
EVERY: dict[Mutation, tuple[str, str]] = {
    informed_without_quorum: ("SendInform", "zxid <= Known(i)"),
    observers_count: ("SendCommit", "zxid <= Max(Known(i), Initial(i)) is false"),
    informed_out_of_turn: ("SendInform", "Follows(l, d.at, zxid)"),
    informed_of_another: ("SendInform", "l.entries[k] = entry is false"),
    informed_follower: ("SendInform", "d.observes is false"),
    observer_is_asked: ("SendProposal", 'd.stage = "syncing"'),
    observer_acknowledges: ("SendAck", "~up[i].observes is false"),
    observer_campaigns: ("SendVote", "MayVote(i, voters)"),
    voter_observes: ("SendObserverInfo", "MayObserve(i, i) is false"),
    half_a_quorum: ("SendCommitAndActivate", "zxid <= Max(Known(i), Initial(i)) is false"),
    led_by_who_has_no_vote: ("SendCommitAndActivate", "leader \\in conf.voters"),
    led_by_who_has_not_acknowledged: ("SendCommitAndActivate", "leader \\in Stored(i, zxid)"),
    not_activated: ("SendCommit", "IsConfiguration(i, zxid)"),
    activated_without_configuration: ("SendCommitAndActivate", "conf.version = zxid"),
    different_configurations: ("SendReconfig", "conf.version = version => conf.voters = voters"),
    two_at_once: ("SendReconfig", "own.seen.version <= Max(own.active.version, Known(i)) is false"),
    invented_configuration: ("SendNewLeader", "conf.voters"),
    told_too_early: ("SendVote", "members[i].active.voters"),
    commits_after_it_has_left: ("SendCommit", "lead[i].left"),
    informed_of_other_voters: ("SendInformAndActivate", "conf \\in Configurations(i) is false"),
    epoch_without_quorum: ("SendLeaderInfo", "MayBegin(i, joined) is false"),
}
