"""The guards of an action, as they are written: what must hold before it can be taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gristmill.explain.comments import comment_of
from gristmill.explain.text import text_of
from gristmill.ir import nodes
from gristmill.ir.levels import ACTION, level
from gristmill.ir.model import Action
from gristmill.ir.nodes import Expression

_DEEPEST = 16  # calls


@dataclass(frozen=True, slots=True)
class Guard:
    """A formula, with the comment that the specification has on it."""

    text: str
    words: str | None


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of these must hold, each all that it lists."""

    ways: tuple[tuple[Condition, ...], ...]


Condition = Guard | Alternatives


def guards_of(action: Action) -> tuple[Condition, ...]:
    """In the order in which they stand. Formulas about the next state are effects, and no guards."""
    return tuple(_guards(action.code.body, 0))


def _guards(node: Expression, depth: int) -> Iterator[Condition]:
    match node:
        case nodes.And(items):
            for item in items:
                yield from _guards(item, depth)
        case _ if level(node) != ACTION:
            yield Guard(text_of(node), comment_of(node.span))
        case nodes.Or(items):
            ways = tuple(tuple(_guards(item, depth)) for item in items)
            if any(ways):
                yield Alternatives(ways)
        case nodes.If(condition, then, otherwise):
            asked = text_of(condition)
            first = (Guard(asked, comment_of(condition.span)), *_guards(then, depth))
            yield Alternatives((first, (Guard(f"~({asked})", None), *_guards(otherwise, depth))))
        case nodes.Quantified(False, _, body) | nodes.Let(_, _, _, body) | nodes.Disjunct(_, body):
            yield from _guards(body, depth)
        case nodes.Call(definition) if definition.body is not None and depth < _DEEPEST:
            yield from _guards(definition.body, depth + 1)
