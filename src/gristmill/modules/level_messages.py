"""What to say about a level that is too high: which part of the expression brings it in, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.modules.levels import CONSTANT, LEVEL_NAMES
from gristmill.modules.symbols import Variable
from gristmill.source import Label, Span
from gristmill.syntax import tree

if TYPE_CHECKING:
    from gristmill.modules.level_check import LevelCheck


def too_high(c: LevelCheck, what: str, node: tree.Expression, level: int, limit: int) -> None:
    """`node` has a level that `what` does not admit. Says where the level comes from."""
    labels = []
    found = origin_of_level(c, node, level)
    if found is not None and found[0] != node.span:
        labels.append(Label(*found))
    c.report(
        "level-too-high",
        f"{what} must be of {_at_most(limit)} level, but this is of {LEVEL_NAMES[level]} level",
        node.span,
        None,
        labels,
    )


def _at_most(limit: int) -> str:
    return "constant" if limit == CONSTANT else f"at most {LEVEL_NAMES[limit]}"


def origin_of_level(c: LevelCheck, node: tree.Expression, level: int) -> tuple[Span, str] | None:
    """The innermost part of an expression that has its level, and why."""
    if c.record is not None or type(node) not in c.handlers:
        return None
    c.record = {}
    errors = c.errors
    c.expression(node)
    record, c.record, c.errors = c.record, None, errors
    at: object = node
    while True:
        below = [n for n in _children(at) if id(n) in record and record[id(n)].level >= level]
        if not below:
            break
        at = below[0]
    return at.span, _reason(c, at, level)  # type: ignore[attr-defined]


def _children(node: object) -> list[object]:
    found: list[object] = []
    for name in getattr(node, "__slots__", ()):
        value = getattr(node, name)
        if isinstance(value, Span):
            continue
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, tree.Bound | tree.FieldValue | tree.Arm | tree.Update | tree.IndexStep):
                found += _children(each)
            elif hasattr(each, "span"):
                found.append(each)
    return found


def _reason(c: LevelCheck, node: object, level: int) -> str:
    name = LEVEL_NAMES[level]
    match node:
        case tree.Name():
            symbol = c.program.symbols.get(id(node))
            what = "variable" if isinstance(symbol, Variable) else "definition"
            return f"the {what} `{node.name}` is of {name} level"
        case tree.Apply():
            return f"`{node.operator.name}` makes it {name} level"
        case _:
            return f"this is of {name} level"
