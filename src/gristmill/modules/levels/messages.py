"""What to say about a level that is too high: which part of the expression brings it in, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.modules.levels.algebra import ACTION, CONSTANT, LEVEL_NAMES
from gristmill.modules.symbols import Instanced, Operator, Variable
from gristmill.source import Label, Span
from gristmill.syntax import tree

if TYPE_CHECKING:
    from gristmill.modules.levels.check import LevelCheck


def too_high(
    c: LevelCheck, what: str, node: tree.Expression, level: int, limit: int, id: str = "level-too-high"
) -> None:
    """`node` has a level that `what` does not admit. Says where the level comes from."""
    labels = origin_of_level(c, node, level)
    c.report(
        id,
        f"{what} must be of {_at_most(limit)} level, but this is of {LEVEL_NAMES[level]} level",
        node.span,
        None,
        labels,
    )


def _at_most(limit: int) -> str:
    return "constant" if limit == CONSTANT else f"at most {LEVEL_NAMES[limit]}"


def origin_of_level(c: LevelCheck, node: tree.Expression, level: int) -> list[Label]:
    """The innermost part of an expression that has its level, and where that comes from."""
    if c.record is not None or type(node) not in c.handlers:
        return []
    return _reasons(c, _innermost(c, node, level), level, node)


def action_within(c: LevelCheck, node: tree.Expression) -> Span | None:
    """The prime, or UNCHANGED, that makes an action of an expression, also if it stands in a definition it uses."""
    if c.record is not None or type(node) not in c.handlers:
        return None
    seen = set[int]()
    while True:
        found = _innermost(c, node, ACTION)
        symbol = _symbol(c, found)
        if not isinstance(symbol, Operator) or symbol.definition is None or id(symbol) in seen:
            return found.span if isinstance(found, tree.Apply) else None
        seen.add(id(symbol))
        node = symbol.definition.body


def _innermost(c: LevelCheck, node: tree.Expression, level: int) -> object:
    """The innermost part of an expression that has this level, or a higher one."""
    c.record = {}
    errors = c.errors
    c.expression(node)
    record, c.record, c.errors = c.record, None, errors
    at: object = node
    while True:
        below = [n for n in _children(at) if id(n) in record and record[id(n)].level >= level]
        if not below:
            return at
        at = below[0]


def _symbol(c: LevelCheck, node: object) -> object:
    used = node.operator if isinstance(node, tree.Apply) else node
    return c.program.symbols.get(id(used))


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


def _reasons(c: LevelCheck, node: object, level: int, whole: tree.Expression) -> list[Label]:
    name = LEVEL_NAMES[level]
    symbol = _symbol(c, node)
    labels = []
    if node is not whole and hasattr(node, "span"):
        labels.append(Label(node.span, f"this makes it {name} level"))
    if isinstance(symbol, Variable | Operator | Instanced):
        what = "declared" if isinstance(symbol, Variable) else "defined"
        labels.append(Label(symbol.span, f"`{symbol.name}`, of {name} level, is {what} here"))
    return labels
