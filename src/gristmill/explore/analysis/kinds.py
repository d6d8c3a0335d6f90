"""What is known of the types of expressions in a method, and the edges that it adds to the graph."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gristmill.explore.analysis.code import Method, own_field
from gristmill.explore.analysis.nodes import (
    ITERABLE,
    NUMBER,
    SETS,
    SINK,
    SIZED,
    TEXT,
    Kind,
    Node,
    kind_of_result,
    kind_of_value,
)

if TYPE_CHECKING:
    from gristmill.explore.analysis.flow import Flow

# Functions that give something of their argument, the kinds of argument for which they do not raise (None: all), and
# the kind of what they give.
PURE: dict[str, tuple[frozenset[str] | None, Kind]] = {
    "len": (SIZED, NUMBER),
    "str": (None, TEXT),
    "repr": (None, TEXT),
    "bool": (None, NUMBER),
    "list": (ITERABLE, "list"),
    "tuple": (ITERABLE, "tuple"),
    "set": (frozenset({TEXT, "bytes", "set", "frozenset", "dict"}), "set"),
    "frozenset": (frozenset({TEXT, "bytes", "set", "frozenset", "dict"}), "frozenset"),
    "dict": (frozenset({"dict"}), "dict"),
}
# Methods that leave what they are called on as it is, by its kind; with the kind of what they give.
PURE_METHODS: dict[str, tuple[frozenset[str], Kind]] = {
    "get": (frozenset({"dict"}), None),
    "keys": (frozenset({"dict"}), "view"),
    "values": (frozenset({"dict"}), "view"),
    "items": (frozenset({"dict"}), "view"),
    "copy": (frozenset({"dict", "list", "set"}), None),
    "union": (SETS, "set"),
    "intersection": (SETS, "set"),
    "difference": (SETS, "set"),
    "symmetric_difference": (SETS, "set"),
}


class KnownKinds:
    """Of one method: edges, and what is known of the kinds of its expressions."""

    def __init__(self, flow: Flow, method: Method, has_self: bool = True) -> None:
        self.flow, self.method = flow, method
        self.self_name = method.self_name if has_self else ""
        self.reached: Node = ("reached", method.owner, method.name)
        self.result: Node = ("result", method.owner, method.name)
        self.decided_by: list[Node] = [self.reached]

    # Edges

    def local(self, name: str) -> Node:
        return ("local", self.method.owner, self.method.name, name)

    def into(self, sources: Iterable[Node], target: Node) -> None:
        self.flow.edges.update((source, target) for source in (*sources, *self.decided_by) if source != target)

    def assign_name(self, target: Node, sources: Iterable[Node]) -> None:
        self.into(sources, target)
        self.flow.aliases.update((target, source) for source in sources)

    def matters(self, found: set[Node]) -> set[Node]:
        """Of what may raise: neither whether it does nor whether it comes to that may depend on anything auxiliary."""
        self.into(found, SINK)
        return found

    @contextmanager
    def under(self, test: set[Node]) -> Iterator[None]:
        """What is done, or not, depending on these."""
        before = len(self.decided_by)
        self.decided_by += test
        yield
        del self.decided_by[before:]

    # Kinds

    def kind(self, node: ast.expr) -> Kind:
        """The kind of an expression, if it is known: that of a field is the one that it begins with."""
        match node:
            case ast.Constant(value=value):
                return kind_of_value(value)
            case ast.Attribute():
                return self.field_kind(node)
            case ast.List() | ast.ListComp():
                return "list"
            case ast.Tuple():
                return "tuple"
            case ast.Set() | ast.SetComp():
                return "set"
            case ast.Dict() | ast.DictComp():
                return "dict"
            case ast.JoinedStr():
                return TEXT
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return NUMBER
            case ast.BinOp(left=left, op=op, right=right):
                return kind_of_result(self.kind(left), op, self.kind(right))
            case ast.Call(func=ast.Name(id=name)) if self.is_builtin(name) and name in PURE:
                return PURE[name][1]
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in PURE_METHODS:
                kinds, made = PURE_METHODS[name]
                return made if self.kind(value) in kinds else None
            case _:
                return None

    def field_kind(self, node: ast.Attribute) -> Kind:
        field = own_field(node, self.self_name)
        if field is None or field not in self.flow.first:
            return None
        found = kind_of_value(self.flow.first[field])
        if found is not None:
            self.flow.typed.add(field)
        return found

    def is_builtin(self, name: str) -> bool:
        """Whether the name has no other meaning."""
        module = sys.modules.get(self.method.owner.__module__)
        if module is None or name in vars(module) or self.is_local(name):
            return False
        code = getattr(vars(self.method.owner).get(self.method.name), "__code__", None)
        return hasattr(builtins, name) and (code is None or name not in code.co_freevars)

    def is_local(self, name: str) -> bool:
        return any(
            (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
            or (isinstance(node, ast.arg) and node.arg == name)
            or (isinstance(node, ast.FunctionDef | ast.ClassDef | ast.alias) and node.name == name)
            for node in ast.walk(self.method.tree)
        )
