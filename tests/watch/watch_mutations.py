"""Mutations of a healthy recording of Raft: each is something that no correct server sends.

A mutation gets the messages of a run and a number of the message to begin at. It says which messages come instead, and
which of them is the wrong one. None if nothing can be mutated there, or behind it. `REASONS`: what the nearest way to
send the message lacks then: one of these must be part of what an alarm tells.
"""

from __future__ import annotations

from mutated_elections import (
    boasting_candidate,
    campaign_in_own_term,
    campaign_with_shrunken_log,
    leader_without_votes,
    pre_vote_answered_in_another_term,
    pre_vote_for_older_log,
    pre_vote_in_own_term,
    second_leader,
    second_vote,
    take_over_by_follower,
    take_over_by_laggard,
    vote_after_campaign,
    vote_for_older_log,
    vote_in_past_term,
)
from mutated_logs import (
    acknowledged_one_too_many,
    acknowledged_past_leader,
    answer_without_request,
    commit_beyond_acknowledged,
    deposed_leader_appends,
    entry_of_another_term,
    gap_in_the_log,
    overwritten_after_commit,
    snapshot_beyond_commit,
    snapshot_of_another_term,
    two_faced_leader,
    wrong_previous_term,
)
from mutated_reads import (
    heartbeat_beyond_match,
    heartbeat_of_past_term,
    invented_token,
    read_before_quorum,
    read_beyond_commit,
    read_by_follower,
    read_that_nobody_asked_for,
    read_told_to_another,
    stale_read,
    term_goes_back,
)
from mutating import Mutated, Mutation, changed, fields, made, of_kind, renumbered, view

__all__ = [
    "MUTATIONS",
    "REASONS",
    "Mutated",
    "Mutation",
    "changed",
    "fields",
    "made",
    "of_kind",
    "renumbered",
    "view",
]

_LEADS = 'role[i] = "Leader" is false'
_APPENDS = 'IF elected THEN alone ELSE role[i] = "Leader"'

_EXPECTED: dict[Mutation, tuple[str, ...]] = {
    second_vote: (r"vote[i] \in {Nobody",),
    vote_for_older_log: ("IsUpToDate",),
    second_leader: (_LEADS,),
    leader_without_votes: (_APPENDS,),
    boasting_candidate: ("last would be",),
    vote_after_campaign: (r"vote[i] \in {Nobody",),
    vote_in_past_term: ("m.term >= term[i]",),
    campaign_in_own_term: ("term would be",),
    campaign_with_shrunken_log: ("last would be",),
    pre_vote_for_older_log: ("IsUpToDate",),
    pre_vote_in_own_term: ("m.term > term[i]",),
    pre_vote_answered_in_another_term: ("term would be",),
    take_over_by_follower: (_LEADS,),
    take_over_by_laggard: ("match[i][j]",),
    commit_beyond_acknowledged: ("committed <= known",),
    overwritten_after_commit: ("Agrees(",),
    wrong_previous_term: ("prevTerm",),
    entry_of_another_term: ("new[k].term = newer",),
    answer_without_request: ("index would be",),
    acknowledged_one_too_many: ("index would be",),
    acknowledged_past_leader: (
        "IsPast",
        "term would be",
    ),
    gap_in_the_log: ("prev <= Last(l)",),
    two_faced_leader: ("Agrees(",),
    deposed_leader_appends: (_APPENDS,),
    snapshot_beyond_commit: ("index <= commit[i]",),
    snapshot_of_another_term: ("indexTerm",),
    term_goes_back: ("term would be",),
    heartbeat_beyond_match: ("committed <= commit[i]",),
    read_before_quorum: ("IsQuorum",),
    stale_read: (".low <= index",),
    heartbeat_of_past_term: ("term would be",),
    invented_token: ("token would be",),
    read_by_follower: (_LEADS,),
    read_that_nobody_asked_for: ("token",),
    read_beyond_commit: ("index <= commit[i]",),
    read_told_to_another: (".from = j",),
}
MUTATIONS: tuple[Mutation, ...] = tuple(_EXPECTED)
REASONS = {mutation.__name__: reasons for mutation, reasons in _EXPECTED.items()}
