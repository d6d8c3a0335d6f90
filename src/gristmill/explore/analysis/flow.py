"""Which fields flow into what matters: a decomposition of the state, inferred.

A field is auxiliary if no information flows from it into a guard, a send, a choice, a timer, an assertion, anything
that may raise, or a field that matters; then states that differ only in it do the same (Definition 1 of the paper on
decomposition-based stateful search).

The analysis is a graph: nodes are fields, local variables and results of methods, an edge says that one may influence
the other, by being assigned to it or by deciding whether it is assigned. What is not understood counts as mattering.

Whether an operation raises often depends on types alone. There a field is taken to keep the type that it begins with;
it is `typed` then, and the search must look whether it does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, NamedTuple

from gristmill.explore.analysis.code import Code, Function, Method, NoSource, code_of, parameters_of, parse_test
from gristmill.explore.analysis.nodes import ANY_FIELD, SINK, Node
from gristmill.explore.analysis.statements import StatementFlow
from gristmill.explore.process import Process


class Auxiliary(NamedTuple):
    fields: frozenset[str] = frozenset()
    typed: frozenset[str] = frozenset()  # of these, the ones whose type must not change


def auxiliary_fields(kind: type[Process], first: Process, read_by_properties: Iterable[str]) -> Auxiliary:
    """The fields of a class on which nothing that matters depends. `first` is a process as `__init__` leaves it."""
    fields = frozenset(vars(first)) - Process.OUTSIDE_STATE
    try:
        flow = Flow(code_of(kind), vars(first))
    except NoSource:
        return Auxiliary()
    mattering = _flowing_into(flow.edges, {SINK, *(("field", name) for name in read_by_properties)})
    if ANY_FIELD in mattering:
        return Auxiliary()
    found = frozenset(name for name in fields if ("field", name) not in mattering)
    return Auxiliary(found, found & flow.typed)


def _flowing_into(edges: set[tuple[Node, Node]], sinks: set[Node]) -> set[Node]:
    sources: dict[Node, list[Node]] = {}
    for source, target in edges:
        sources.setdefault(target, []).append(source)
    found, todo = set(sinks), list(sinks)
    while todo:
        for source in sources.get(todo.pop(), ()):
            if source not in found:
                found.add(source)
                todo.append(source)
    return found


class Flow:
    """The edges of all methods and guards of a class."""

    def __init__(self, code: Code, first: dict[str, Any]) -> None:
        self.code, self.first = code, first
        self.edges: set[tuple[Node, Node]] = set()
        self.aliases: set[tuple[Node, Node]] = set()  # a target, and what may be the same object
        self.changed: set[Node] = set()  # in place
        self.typed: set[str] = set()  # fields that must keep their types
        for method in code.methods():
            if method.name != "__init__":
                StatementFlow(self, method).run()
        for name, handler in code.kind.handlers.items():
            for test, has_self in ((handler.guard, True), (handler.size, True), (handler.by, False)):
                if callable(test):
                    self.test(parse_test(test), f"{name}'s guard", has_self)
        self.follow_aliases()

    def test(self, tree: Function, name: str, has_self: bool) -> None:
        """A guard is a method of which the result matters. What decides how messages are grouped has no `self`."""
        if not parameters_of(tree.args):
            return
        body: list[ast.stmt] = [ast.Return(tree.body)] if isinstance(tree, ast.Lambda) else tree.body
        made = ast.FunctionDef(name=name, args=tree.args, body=body, decorator_list=[])
        flow = StatementFlow(self, Method(self.code.kind, name, made), has_self)
        flow.run()
        self.edges.add((flow.result, SINK))

    def follow_aliases(self) -> None:
        """What is changed in place under one name is changed under the others."""
        todo = list(self.changed)
        while todo:
            changed = todo.pop()
            for target, source in self.aliases:
                if target == changed:
                    self.edges.add((target, source))
                    if source not in self.changed:
                        self.changed.add(source)
                        todo.append(source)


def fields_read(test: Any) -> frozenset[str] | None:
    """Names of attributes that a property reads; None if it may read anything."""
    try:
        tree = parse_test(test)
    except NoSource:
        return None
    names = {one.arg for one in tree.args.args}
    found = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and any(isinstance(one, ast.Name) and one.id in names for one in node.args):
            return None  # the state goes elsewhere
    return frozenset(found)
