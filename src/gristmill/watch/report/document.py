"""What came of watching, as JSON."""

from __future__ import annotations

from typing import Any

from gristmill.values import Value, show
from gristmill.watch.alarms import Alarm, Lost
from gristmill.watch.explaining import Candidate, Earlier, Lack
from gristmill.watch.messages import Message
from gristmill.watch.report.words import name_of, place, summary
from gristmill.watch.verdicts import NodeVerdict, Watched

EXIT_CODES = {"ok": 0, "alarm": 13, "incomplete": 3}


def document(watched: Watched) -> dict[str, Any]:
    """In the world of the specification."""
    return {
        "format": 1,
        "system": watched.system,
        "verdict": watched.verdict,
        "exit_code": EXIT_CODES[watched.verdict],
        "messages": watched.messages,
        "ignored": watched.ignored,
        "not_judged": list(watched.trouble),
        "notes": list(watched.notes),
        "processor_seconds": round(watched.seconds, 3),
        "nodes": [_node(each) for each in watched.nodes],
    }


def _node(verdict: NodeVerdict) -> dict[str, Any]:
    counts = verdict.counts
    return {
        "node": name_of(verdict.node),
        "called": verdict.called,
        "sent": counts.sent,
        "received": counts.received,
        "states_mean": round(counts.states / counts.sent, 3) if counts.sent else None,
        "states_most": counts.most_states,
        "searches": counts.searches,
        "exact_searches": counts.exact,
        "learning": counts.learning,
        "relearned": counts.relearned,
        "unknown": list(verdict.unknown),
        "alarms": [alarm_json(verdict.node, each) for each in verdict.alarms],
        "losses": [lost_json(each) for each in verdict.ends if isinstance(each, Lost)],
        "alarm": alarm_json(verdict.node, verdict.end) if isinstance(verdict.end, Alarm) else None,
        "lost": lost_json(verdict.end) if isinstance(verdict.end, Lost) else None,
    }


def alarm_json(node: Value, alarm: Alarm) -> dict[str, Any]:
    reasons = alarm.reasons
    return {
        "message": message_json(alarm.message),
        "summary": summary(node, alarm),
        "confirmed": alarm.confirmed,
        "window": alarm.window,
        "candidates": [_candidate(each) for each in reasons.candidates],
        "instead": [
            {"field": each.field, "value": show(each.value), "allowed": show(each.allowed)} for each in reasons.instead
        ],
        "allowed_until": None if reasons.earlier is None else _earlier(reasons.earlier),
        "before": [message_json(each) for each in alarm.before],
        "rests_on": list(alarm.rests_on),
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "action": candidate.action,
        "about": candidate.words,
        "answers": None if candidate.answers is None else candidate.answers.number,
        "held": candidate.held,
        "lacks": list(candidate.lacks),
        "needs": [_lack(each) for each in candidate.obstacles],
    }


def _lack(lack: Lack) -> dict[str, Any]:
    return {"text": lack.text, "words": lack.words, "values": dict(lack.values), "place": place(lack) or None}


def _earlier(earlier: Earlier) -> dict[str, Any]:
    changes = [
        {"variable": each.variable, "before": show(each.before), "after": show(each.after)} for each in earlier.changes
    ]
    return {"message": message_json(earlier.until), "ago": earlier.ago, "changes": changes}


def lost_json(lost: Lost) -> dict[str, Any]:
    return {"message": message_json(lost.message), "why": lost.why}


def message_json(message: Message) -> dict[str, Any]:
    return {
        "number": message.number,
        "record": message.sequence,
        "time_ns": message.time,
        "kind": message.kind,
        "from": name_of(message.source),
        "to": name_of(message.target),
        "value": show(message.record),
    }
