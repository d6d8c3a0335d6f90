"""What a handler may read, write and send, from its source: an over-approximation, for partial-order reduction."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gristmill.explore.analysis.code import Code, Method, NoSource, code_of, own_field, parse_test, super_call
from gristmill.explore.data import is_immutable
from gristmill.explore.process import Process

# The receiver of a message that is a reply; anybody; or these names.
REPLY = "reply"
ANYBODY = "anybody"
Target = str | frozenset[str]

TIMER = "timer:"  # timers are fields of this prefix and their name


@dataclass(slots=True)
class Effects:
    """`anything` is for what cannot be read: it may read, write and send whatever there is.

    Of sends, the message's type is None where it cannot be told.
    """

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    sends: set[tuple[type | None, Target]] = field(default_factory=set)
    forges: bool = False
    anything: bool = False

    def add(self, other: Effects, is_handler: bool = True) -> None:
        self.reads |= other.reads
        self.writes |= other.writes
        # Inside another method, the parameter that names the sender of the message is not known.
        self.sends |= {(kind, target if is_handler or target != REPLY else ANYBODY) for kind, target in other.sends}
        self.forges |= other.forges
        self.anything |= other.anything


# Methods of containers that leave them as they are. Any other method called on a field may change it.
READERS = frozenset(
    "get keys values items copy union intersection difference symmetric_difference issubset issuperset isdisjoint "
    "index count startswith endswith split join strip lower upper format".split()
)


def effects_of(kind: type[Process], method_name: str, constants: Mapping[str, Any]) -> Effects:
    """Of a method with all that it calls. `constants` are fields that never change, with their values."""
    try:
        code = code_of(kind)
    except NoSource:
        return Effects(anything=True)
    method = code.find(method_name)
    if method is None:  # not overridden: `start` does nothing, `restart` starts
        return effects_of(kind, "start", constants) if method_name == "restart" else Effects()
    return _Collector(code, constants).method(method)


def constant_fields(kind: type[Process], first: Mapping[str, Any]) -> frozenset[str]:
    """The fields that are never changed after `__init__`: immutable values that no method assigns."""
    try:
        code = code_of(kind)
    except NoSource:
        return frozenset()
    written: set[str] = set()
    for method in code.methods():
        if method.name != "__init__":
            effects = _Collector(code, {}).method(method)
            written |= effects.writes
            if effects.anything:
                return frozenset()
    declared = kind.declared.keys()
    return frozenset(
        name for name, value in first.items() if name not in written and name not in declared and is_immutable(value)
    )


def guard_reads(kind: type[Process], test: Any) -> frozenset[str] | None:
    """The attributes that a guard mentions, and those that methods called in it read; None if it may be anything."""
    if not callable(test):
        return frozenset()
    try:
        tree, code = parse_test(test), code_of(kind)
    except NoSource:
        return None
    first = tree.args.args[0].arg if tree.args.args else ""
    bare = {node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == first and node not in bare:
            return None  # `self` goes elsewhere
    mentioned = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    called = [effects_of(kind, name, {}) for name in mentioned if code.find(name)]
    if "__dict__" in mentioned or any(effects.anything for effects in called):
        return None
    return frozenset(mentioned).union(*(effects.reads for effects in called))


# What every process has, and no handler changes.
_OF_PROCESS = frozenset(dir(Process)) | Process.OUTSIDE_STATE


class _Collector:
    def __init__(self, code: Code, constants: Mapping[str, Any]) -> None:
        self.code, self.constants = code, constants
        self.seen: set[tuple[type, str]] = set()

    def method(self, method: Method) -> Effects:
        found = Effects()
        if (method.owner, method.name) in self.seen:
            return found
        self.seen.add((method.owner, method.name))
        understood: set[ast.AST] = set()
        for node in ast.walk(method.tree):
            if isinstance(node, ast.Call):
                self.call(node, method, found, understood)
        for node in ast.walk(method.tree):
            self.access(node, method, found, understood)
        return found

    def access(self, node: ast.AST, method: Method, found: Effects, understood: set[ast.AST]) -> None:
        """A field read or written; or `self` used for something that is not understood."""
        name = own_field(node, method.self_name)
        if name is not None and isinstance(node, ast.Attribute):
            understood.add(node.value)
            self.field(node, name, method, found)
        elif isinstance(node, ast.AugAssign | ast.Assign | ast.AnnAssign | ast.Delete):
            for target in _targets(node):
                root = _root_field(target, method.self_name)
                if root is not None:
                    found.writes.add(root)
                    if isinstance(node, ast.AugAssign) or own_field(target, method.self_name) is None:
                        found.reads.add(root)
        elif (isinstance(node, ast.Name) and node.id == method.self_name and node not in understood) or isinstance(
            node, ast.Global | ast.Nonlocal
        ):
            found.anything = True

    def field(self, node: ast.Attribute, name: str, method: Method, found: Effects) -> None:
        called = self.code.find(name)
        if called is not None:  # a property, or a method wherever it is called
            found.add(self.method(called), is_handler=False)
        elif name == "__dict__":
            found.anything = True
        elif name in self.constants or name in _OF_PROCESS:
            pass
        elif self.code.is_property(name):  # of which there is no source
            found.anything = True
        elif isinstance(node.ctx, ast.Load):
            found.reads.add(name)
        else:
            found.writes.add(name)

    def call(self, node: ast.Call, method: Method, found: Effects, understood: set[ast.AST]) -> None:
        own, inherited = own_field(node.func, method.self_name), super_call(node.func)
        if own in ("send", "broadcast", "forge"):
            found.forges |= own == "forge"
            found.sends.add(self.sent(own, node, method))
        elif own in ("set_timer", "cancel_timer"):
            found.writes.add(TIMER + _text(node.args[0]) if node.args and _text(node.args[0]) else TIMER)
        elif own is not None or inherited is not None:
            name = own or inherited or ""
            called = self.code.find(name, None if own else method.owner)
            if called is not None:
                found.add(self.method(called), is_handler=False)
        elif isinstance(node.func, ast.Attribute) and node.func.attr not in READERS:
            root = _root_field(node.func.value, method.self_name)
            if root is not None and root not in self.constants:
                found.writes.add(root)

    def sent(self, how: str, node: ast.Call, method: Method) -> tuple[type | None, Target]:
        arguments = {"send": ["to", "message"], "broadcast": ["message", "to"], "forge": ["sender", "to", "message"]}[
            how
        ]
        given = dict(zip(arguments, node.args, strict=False))
        given.update({keyword.arg: keyword.value for keyword in node.keywords if keyword.arg})
        return self.message_type(given.get("message"), method), self.target(given.get("to"), how, method)

    def message_type(self, node: ast.expr | None, method: Method) -> type | None:
        """The class of a message, where it is made in place."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return None
        function = vars(method.owner).get(method.name)
        function = function.fget if isinstance(function, property) else function
        if function is None or node.func.id in function.__code__.co_varnames:
            return None
        made = function.__globals__.get(node.func.id)
        return made if isinstance(made, type) else None

    def target(self, node: ast.expr | None, how: str, method: Method) -> Target:
        if node is None:
            return ANYBODY
        if isinstance(node, ast.Name) and how == "send" and self.is_sender(node.id, method):
            return REPLY
        name = own_field(node, method.self_name)
        value = self.constants.get(name) if name is not None else None
        if isinstance(node, ast.Constant):
            value = node.value
        if isinstance(value, str):
            return frozenset({value})
        if isinstance(value, tuple | frozenset | list | set) and all(isinstance(one, str) for one in value):
            return frozenset(value)
        return ANYBODY

    def is_sender(self, name: str, method: Method) -> bool:
        """Whether this is the second parameter of a handler of single messages, and never assigned to."""
        handler = self.code.kind.handlers.get(method.name)
        if handler is None or handler.kind != "message" or method.parameters[1:2] != [name]:
            return False
        return not any(
            isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
            for node in ast.walk(method.tree)
        )


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign | ast.Delete):
        return list(node.targets)
    return [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else []


def _root_field(node: ast.AST, self_name: str) -> str | None:
    """`f` of `self.f[…].x…`, for what is assigned to or called there; also of `self.f` in an augmented assignment."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        name = own_field(node, self_name)
        if name is not None:
            return name
        node = node.value
    return None


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
