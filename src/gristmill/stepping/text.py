"""A place in a session as plain text: for scripts, and for those who have neither a terminal nor a browser at hand."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.report.changes import step_words
from gristmill.report.explanation import render_blocked
from gristmill.report.page.of_trace import title_of
from gristmill.report.style import Style, printable
from gristmill.stepping.session import Node, Option, Session
from gristmill.values import show

_WORDS = 60  # letters of what a step changes
_MOST_WORDS = 3


def render_place(session: Session, number: int, width: int) -> str:
    """The path, the state, the steps with their numbers, and what blocks the others."""
    options, blocked, false = session.options(number), session.blocked(number), session.false_invariants(number)
    with session.specification.world.active():
        lines = [
            *_path(session, number),
            *_state(session.node(number), false),
            *_options(session.node(number), options),
        ]
        if blocked:
            lines += ["", "Not possible here, and why", *render_blocked(blocked, Style(False), width)]
    return "\n".join(lines).strip("\n") + "\n"


def _path(session: Session, number: int) -> Iterator[str]:
    for at, node in enumerate(session.path(number), 1):
        assert node.taken is not None
        yield f"{at:>3}  {printable(title_of(node.taken.step))}"


def _state(node: Node, false: list[str]) -> Iterator[str]:
    if node.taken is not None:
        yield ""
        yield from (f"     {name} = {printable(show(value))}" for name, value in node.taken.state.raw.items())
    if false:
        yield f"     False here: {', '.join(false)}"


def _options(node: Node, options: list[Option]) -> Iterator[str]:
    yield ""
    if not options:
        yield printable(node.error) or "No step is possible here"
        return
    yield "Steps" if node.taken is not None else "Initial states"
    for number, option in enumerate(options, 1):
        yield f"{number:>3}  {printable(title_of(option.step))}{_words(node, option)}"


def _words(node: Node, option: Option) -> str:
    if node.taken is None:
        words = [f"{name} = {show(value)}" for name, value in option.state.raw.items()]
    else:
        words = [str(each) for each in step_words(node.taken.state.raw, option.state.raw, _WORDS)]
    more = [f"… {len(words) - _MOST_WORDS} more"] if len(words) > _MOST_WORDS else []
    return "".join(f"\n       {printable(each)}" for each in [*words[:_MOST_WORDS], *more])
