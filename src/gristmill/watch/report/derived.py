"""The monitor that was derived, for people and for tools (`--derive`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from gristmill.explain.comments import comment_of
from gristmill.watch.applying import Actions
from gristmill.watch.derive import Event, Template
from gristmill.watch.derive.guards import Condition, Guard, guards_of
from gristmill.watch.mapping import WatchMap
from gristmill.watch.proving import AtOnce, Checked

_GHOST = "no guard reads it, and nothing else that is kept depends on it"


def render_derived(mapping: WatchMap, checked: Checked | None = None, width: int = 110) -> str:
    """`checked`: what came of checking on a bounded model, if the mapping names one."""
    monitor = mapping.monitor
    named = (
        ("local state", ", ".join(monitor.local)),
        ("messages", f"{monitor.network}, kinds told apart by `{mapping.kind}`"),
        ("left out", "; ".join(f"{name}: {_GHOST}" for name in monitor.ghosts) or "nothing"),
        ("not looked at", ", ".join(sorted(mapping.ignore)) or "no kind of messages"),
    )
    lines = [f"The monitor of a node of {mapping.name}, from {mapping.specification.name}", ""]
    for title, text in named:
        lines += wrap(text, width, initial_indent=f"{title:<15}", subsequent_indent=" " * 15)
    sections = (
        ("On a message", monitor.receivers),
        ("By itself, sending", monitor.senders),
        ("By itself, unseen", monitor.internal),
    )
    for title, events in sections:
        if events:
            lines += ["", title]
        for event in events:
            lines += _event(event, mapping, width)
    proofs = _NOT_CHECKED if checked is None else _checked(mapping, checked, width)
    native = _native(mapping, width)
    return "\n".join([*lines, "", *_schedules(mapping, width), "", *proofs, "", *native]) + "\n"


def _native(mapping: WatchMap, width: int) -> Iterator[str]:
    left = _without_native_code(mapping)
    yield "Native code"
    yield f"  {'all actions' if not left else 'all actions but these, which the reference evaluator takes'}"
    for name, why in left:
        yield from wrap(f"{name}: {why}", width, initial_indent="    ", subsequent_indent="      ")


def _without_native_code(mapping: WatchMap) -> Sequence[tuple[str, str]]:
    with mapping.specification.world.active():
        return Actions(mapping.specification, mapping.monitor).without_native_code(mapping.nodes[0])


def _schedules(mapping: WatchMap, width: int) -> Iterator[str]:
    yield "Schedules"
    told = (
        f"waits until something sent tells of it: {', '.join(sorted(mapping.wait)) or 'nothing'}",
        "has its effect on arrival: the other messages. An alarm is raised only if no schedule of the last messages "
        f"explains what was sent: of at least {mapping.limits.confirm}, and of up to {mapping.limits.window}",
        f"merged, a later one for earlier ones: {', '.join(sorted(mapping.merges)) or 'nothing'}",
        "what comes on one connection is handled in its order" if mapping.in_order else "messages have no order",
    )
    for each in told:
        yield from wrap(each, width, initial_indent="  ", subsequent_indent="    ")


_NOT_CHECKED = (
    "Nothing of that is checked: the mapping names no bounded model ([watch.bounded]).",
    "No variable is known to grow only.",
)


def _checked(mapping: WatchMap, checked: Checked, width: int) -> Iterator[str]:
    yield "What may have its effect at once (conditions A.1 to A.4), and how that was found out"
    for each in checked.at_once:
        yield from _at_once(mapping, each, width)
    if any(each.shown == "only sampled" for each in checked.at_once):
        yield f"  Sampled: states of {checked.behaviours} random behaviours of the model, over the next two messages"
    yield ""
    extent = f"all {checked.states:,} states" if checked.whole else f"{checked.states:,} states, not all there are,"
    yield f"Only grow, in {extent} of the bounded model: {', '.join(checked.grows) or 'nothing'}"
    bounded = [each for each in checked.grows if each not in checked.proved]
    if checked.proved:
        yield f"Of these, proved by SMT in any state, without bounds: {', '.join(checked.proved)}"
    if bounded:
        yield f"Checked within the bounds only: {', '.join(bounded)}"


def _at_once(mapping: WatchMap, each: AtOnce, width: int) -> Iterator[str]:
    declared = "waits" if each.kind in mapping.wait else "at once"
    counted = f"{each.compared} compared" + (f", {each.cut} left out: too many schedules" if each.cut else "")
    if each.lost is None:
        verdict = "nothing is lost" if each.compared else "has had no effect in any state"
        yield f"  {each.kind} ({declared}): {verdict}; {each.shown} ({counted})"
    else:
        yield f"  {each.kind} ({declared}): something may be lost ({counted})"
    if each.proved:
        yield f"    a state is as good if {', '.join(each.order)} is greater: A.1 to A.4 by SMT, without bounds"
    if each.past:
        yield f"    proved in any state where {' or '.join(each.past)}: it has no effect, and never will have any"
    if each.refuted is not None:
        state, message, less = each.refuted
        told = f"A.3 is refuted for {', '.join(each.order)}: in the state {state}, after {message}, {less}"
        yield from wrap(told, width, initial_indent="    ", subsequent_indent="      ")
    if each.lost is not None:
        if each.where:
            yield f"    nothing was lost where {' or '.join(each.where)}"
        state, message, sent = each.lost
        for told in (f"in the state {state}", f"once {message} has had its effect,", f"it cannot send {sent}"):
            yield from wrap(told, width, initial_indent="    ", subsequent_indent="      ")


def _event(event: Event, mapping: WatchMap, width: int) -> Iterator[str]:
    words = comment_of(event.span)
    yield f"  {event.name}({', '.join(event.parameters)})"
    if words:
        yield from wrap(words, width, initial_indent="    \\* ", subsequent_indent="    \\* ")
    if event.consumes is not None:
        when = _when(event, mapping)
        yield f"    consumes {' or '.join(event.kinds) or 'any message'}; {when}"
    for template in event.sends:
        yield f"    sends {template.kind or 'some message'}"
        yield from _sent(event, template, width)
    if not event.sends:
        yield "    sends nothing"
    guards = guards_of(event.action)
    if guards:
        yield "    needs"
        yield from _conditions(guards, 6, width)


def _when(event: Event, mapping: WatchMap) -> str:
    waits = [kind for kind in event.kinds if kind in mapping.wait]
    return "waits until something sent tells of it" if waits else "applied when it arrives"


def _sent(event: Event, template: Template, width: int) -> Iterator[str]:
    revealed = _revealed(event, template)
    if revealed:
        names = ", ".join(f"{field} = {parameter}" for field, parameter in revealed.items())
        yield from wrap(f"reveals {names}", width, initial_indent="      ", subsequent_indent="        ")
    if template.computed:
        fields = ", ".join(f"{field} = {text}" for field, text in template.computed.items())
        yield from wrap(f"must be {fields}", width, initial_indent="      ", subsequent_indent="        ")


def _revealed(event: Event, template: Template) -> dict[str, str]:
    """What a field tells: the value of a parameter that nothing else tells."""
    return {field: parameter for parameter, field in template.reveals.items() if parameter != event.node}


def _conditions(conditions: Sequence[Condition], indent: int, width: int) -> Iterator[str]:
    margin = " " * indent
    for each in conditions:
        if isinstance(each, Guard):
            words = f"   \\* {each.words}" if each.words else ""
            yield from wrap(f"{each.text}{words}", width, initial_indent=margin, subsequent_indent=margin + "  ")
        else:
            for number, way in enumerate(each.ways):
                yield f"{margin}{'or' if number else 'either'}" + ("" if way else " in any case")
                yield from _conditions(way, indent + 2, width)


# --------------------------------------------------------------------------------------------------------------- JSON


def derived_document(mapping: WatchMap, checked: Checked | None = None) -> dict[str, Any]:
    monitor = mapping.monitor
    return {
        "format": 1,
        "system": mapping.name,
        "specification": mapping.specification.name,
        "messages": monitor.network,
        "local": list(monitor.local),
        "left_out": [{"variable": name, "why": _GHOST} for name in monitor.ghosts],
        "waits": sorted(mapping.wait),
        "merged": sorted(mapping.merges),
        "ignored": sorted(mapping.ignore),
        "confirmed_over": mapping.limits.confirm,
        "in_order": mapping.in_order,
        "checked": None if checked is None else asdict(checked),
        "actions": [_action(each, mapping) for each in monitor.events],
        "not_native": [{"action": name, "why": why} for name, why in _without_native_code(mapping)],
    }


def _action(event: Event, mapping: WatchMap) -> dict[str, Any]:
    return {
        "name": event.name,
        "about": comment_of(event.span),
        "node": event.node,
        "parameters": list(event.parameters),
        "consumes": None if event.consumes is None else {"parameter": event.consumes, "kinds": list(event.kinds)},
        "at_once": event.consumes is not None and not any(kind in mapping.wait for kind in event.kinds),
        "sends": [
            {"kind": each.kind, "reveals": _revealed(event, each), "must_be": dict(each.computed)}
            for each in event.sends
        ],
        "needs": _conditions_json(guards_of(event.action)),
    }


def _conditions_json(conditions: Sequence[Condition]) -> list[Any]:
    return [
        {"text": each.text, "words": each.words}
        if isinstance(each, Guard)
        else {"either": [_conditions_json(way) for way in each.ways]}
        for each in conditions
    ]
