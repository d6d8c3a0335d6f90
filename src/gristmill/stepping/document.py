"""A place in a session as JSON, for the page in the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gristmill.report.changes import step_words
from gristmill.report.page.of_trace import changes_between, title_of
from gristmill.report.page.why import blocked_html
from gristmill.report.places import place_text
from gristmill.report.style import printable
from gristmill.stepping.session import Node, Option, Session
from gristmill.trace import Blocked
from gristmill.values import show

MOST_OPTIONS = 400  # steps from one state that are listed
_WIDTH = 90  # letters of what a step would change
_MOST_WORDS = 4  # parts that it would change


def node_document(session: Session, number: int) -> dict[str, Any]:
    """`state`, what the step `changes`, `options` to go on, what is `blocked`, the `path`, and where `branches` end."""
    node, options = session.node(number), session.options(number)
    path, blocked = session.path(number), session.blocked(number)
    with session.specification.world.active():
        return {
            "number": number,
            "link": session.link(number),
            "path": [_place(each) for each in path],
            "state": {} if node.taken is None else _shown(node.taken.state.raw),
            "changes": _changes(path),
            "options": [_option(node, at, each) for at, each in enumerate(options[:MOST_OPTIONS])],
            "more": max(0, len(options) - MOST_OPTIONS),
            "blocked": [_blocked(name, each) for name, each in _by_action(blocked).items()],
            "false": session.false_invariants(number),
            "error": printable(node.error),
            "branches": [
                {"number": each.number, "link": session.link(each.number), "length": len(session.path(each.number))}
                for each in session.leaves()
            ],
        }


def _place(node: Node) -> dict[str, Any]:
    assert node.taken is not None
    step = node.taken.step
    where = "" if step.location is None else place_text(step.location)
    return {"number": node.number, "title": printable(title_of(step)), "place": where}


def _shown(state: Mapping[str, Any]) -> dict[str, str]:
    return {name: printable(show(value)) for name, value in state.items()}


def _changes(path: list[Node]) -> list[list[str]]:
    if len(path) < 2:
        return []
    before, after = path[-2].taken, path[-1].taken
    assert before is not None
    assert after is not None
    found = changes_between(before.state.raw, after.state.raw)
    return [[printable(text) for text in (e.variable, e.path, e.kind, e.before, e.after)] for e in found]


def _option(node: Node, number: int, option: Option) -> dict[str, Any]:
    """What it would change; of an initial state, all of it."""
    if node.taken is None:
        words = [f"{name} = {value}" for name, value in _shown(option.state.raw).items()]
    else:
        words = [str(each) for each in step_words(node.taken.state.raw, option.state.raw, _WIDTH)] or [
            "nothing changes"
        ]
    more = [f"… {len(words) - _MOST_WORDS} more"] if len(words) > _MOST_WORDS + 1 else words[_MOST_WORDS:]
    return {
        "option": number,
        "title": printable(title_of(option.step)),
        "place": "" if option.step.location is None else place_text(option.step.location),
        "words": [printable(each) for each in [*words[:_MOST_WORDS], *more]],
        "leads": node.children.get(number),
    }


def _by_action(blocked: list[Blocked]) -> dict[str, list[Blocked]]:
    found: dict[str, list[Blocked]] = {}
    for each in blocked:
        found.setdefault(each.action, []).append(each)
    return found


def _blocked(action: str, cases: list[Blocked]) -> dict[str, Any]:
    return {
        "action": printable(action),
        "guards": [printable(each.guard.text) for each in cases],
        "html": blocked_html(cases),
    }
