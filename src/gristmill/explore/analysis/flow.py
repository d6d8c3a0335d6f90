"""Which fields flow into what matters: a decomposition of the state, inferred.

A field is auxiliary if no information flows from it into a guard, a send, a choice, a timer, an assertion, anything
that may raise, or a field that matters; then states that differ only in it do the same (Definition 1 of the paper on
decomposition-based stateful search).

The analysis is a graph: nodes are fields, local variables and results of methods, an edge says that one may influence
the other, by being assigned to it or by deciding whether it is assigned. What is not understood counts as mattering.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from gristmill.explore.analysis.code import (
    EFFECTS,
    Code,
    Function,
    Method,
    NoSource,
    code_of,
    own_field,
    parse_test,
    super_call,
)
from gristmill.explore.process import Process

Node = tuple[Any, ...]  # ("field", name), ("local", owner, method, name), ("result", …), ("reached", …), SINK
SINK: Node = ("what matters",)
ANY_FIELD: Node = ("every field",)

# Methods that only change the container they are called on, and do not raise.
CHANGERS = frozenset("append add extend update discard clear insert appendleft setdefault".split())
# Calls that give something of their arguments, and do not raise.
PURE = frozenset("len str repr tuple list set frozenset dict bool".split())
PURE_METHODS = frozenset("get keys values items copy union intersection difference symmetric_difference".split())
RAISING_OPERATORS = (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)
ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def auxiliary_fields(kind: type[Process], first: Process, read_by_properties: Iterable[str]) -> frozenset[str]:
    """The fields of a class on which nothing that matters depends. `first` is a process as `__init__` leaves it."""
    fields = frozenset(vars(first)) - Process.OUTSIDE_STATE
    try:
        flow = _Flow(code_of(kind), vars(first))
    except NoSource:
        return frozenset()
    sinks: set[Node] = {SINK, *(("field", name) for name in read_by_properties)}
    mattering = _flowing_into(flow.edges, sinks)
    if ANY_FIELD in mattering:
        return frozenset()
    return frozenset(name for name in fields if ("field", name) not in mattering)


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


class _Flow:
    """The edges of all methods and guards of a class."""

    def __init__(self, code: Code, first: dict[str, Any]) -> None:
        self.code, self.first = code, first
        self.edges: set[tuple[Node, Node]] = set()
        self.aliases: set[tuple[Node, Node]] = set()  # a target, and what may be the same object
        self.changed: set[Node] = set()  # in place
        for method in code.methods():
            if method.name != "__init__":
                _MethodFlow(self, method).run()
        for handler in code.kind.handlers.values():
            for test in (handler.guard, handler.size, handler.by):
                if callable(test):
                    self.guard(parse_test(test))
        self.follow_aliases()

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

    def may_be_mutable(self, field: str) -> bool:
        return not isinstance(self.first.get(field), int | str | bytes | tuple | frozenset)

    def guard(self, tree: Function) -> None:
        """Everything that a guard reads of the process matters."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                self.edges.add((("field", node.attr), SINK))
        names = [one.arg for one in tree.args.args]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and any(
                isinstance(argument, ast.Name) and argument.id == names[0] for argument in node.args if names
            ):
                self.edges.add((ANY_FIELD, SINK))  # `self` goes elsewhere, and may be read there


class _MethodFlow:
    def __init__(self, flow: _Flow, method: Method) -> None:
        self.flow, self.method, self.self_name = flow, method, method.self_name
        self.reached: Node = ("reached", method.owner, method.name)
        self.decided_by: list[Node] = [self.reached]

    def run(self) -> None:
        self.statements(self.method.tree.body)

    # Edges

    def local(self, name: str) -> Node:
        return ("local", self.method.owner, self.method.name, name)

    def into(self, sources: Iterable[Node], target: Node) -> None:
        self.flow.edges.update((source, target) for source in (*sources, *self.decided_by) if source != target)

    # Statements

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                sources = self.expression(value)
                for target in targets:
                    self.assign(target, sources)
            case ast.AnnAssign(target=target, value=annotated):
                if annotated is not None:
                    self.assign(target, self.expression(annotated))
            case ast.AugAssign(target=target, op=op, value=value):
                sources = self.expression(value)
                if isinstance(op, RAISING_OPERATORS):
                    self.into([*sources, *self.expression(_loaded(target))], SINK)
                self.assign(target, sources)
                field = own_field(target, self.self_name)
                if field is not None and self.flow.may_be_mutable(field):
                    self.flow.changed.add(("field", field))
            case ast.Expr(value=value):
                self.bare(value)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(self.expression(test), body, orelse)
            case ast.While(test=test, body=body, orelse=orelse):
                sources = self.expression(test)
                self.into(sources, SINK)  # decides whether the handler comes back
                self.branch(sources, body, orelse)
            case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
                sources = self.expression(iterated)
                self.assign(target, sources)
                self.branch(sources, body, orelse)
            case ast.Return(value=result):
                self.into(self.expression(result) if result else (), ("result", self.method.owner, self.method.name))
            case ast.Pass() | ast.Break() | ast.Continue() | ast.Import() | ast.ImportFrom():
                pass
            case _:  # assert, raise, try, with, del, match, global, nested definitions
                self.everything(node)

    def everything(self, node: ast.AST) -> None:
        """All that is read matters."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.expr):
                self.into(self.expression(inner), SINK)
            if isinstance(inner, ast.Global | ast.Nonlocal):
                self.into([ANY_FIELD], SINK)
            if isinstance(inner, ast.stmt) and inner is not node and not isinstance(inner, ast.Pass):
                self.statement(inner)

    def branch(self, test: set[Node], *bodies: list[ast.stmt]) -> None:
        leaves = any(
            isinstance(inner, ast.Return | ast.Raise | ast.Break | ast.Continue)
            for body in bodies
            for statement in body
            for inner in ast.walk(statement)
        )
        if leaves:  # what comes after is reached or not, depending on the test
            self.into(test, self.reached)
        self.decided_by += test
        for body in bodies:
            self.statements(body)
        del self.decided_by[len(self.decided_by) - len(test) :]

    def bare(self, value: ast.expr) -> None:
        """An expression as a statement: `self.log.append(x)` flows into the log, whatever else."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in CHANGERS:
            field = own_field(value.func.value, self.self_name)
            if field is not None:
                sources = [node for argument in value.args for node in self.expression(argument)]
                self.into(sources, ("field", field))
                self.flow.changed.add(("field", field))
                return
        self.expression(value)

    def assign(self, target: ast.expr, sources: set[Node]) -> None:
        field = own_field(target, self.self_name)
        if field is not None:
            self.assign_name(("field", field), sources)
        elif isinstance(target, ast.Name):
            self.assign_name(self.local(target.id), sources)
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self.assign(element, sources)
        elif isinstance(target, ast.Subscript):
            self.assign_element(target, sources)
        else:
            self.into([*sources, *self.expression(_loaded(target))], SINK)

    def assign_name(self, target: Node, sources: set[Node]) -> None:
        self.into(sources, target)
        self.flow.aliases.update((target, source) for source in sources)

    def assign_element(self, target: ast.Subscript, sources: set[Node]) -> None:
        field = own_field(target.value, self.self_name)
        given = sources | self.expression(target.slice)
        if field is not None and isinstance(self.flow.first.get(field), dict):
            self.into(given, ("field", field))
            self.flow.changed.add(("field", field))
        else:  # may raise, or change something through another name
            self.into([*given, *self.expression(target.value)], SINK)

    # Expressions: what they depend on

    def expression(self, node: ast.expr) -> set[Node]:
        match node:
            case ast.Name(id=name):
                return {ANY_FIELD} if name == self.self_name else {self.local(name)}
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
            case ast.Subscript(value=value, slice=index):
                return self.matters(self.expression(value) | self.expression(index))
            case ast.BinOp(left=left, op=op, right=right):
                found = self.expression(left) | self.expression(right)
                return self.matters(found) if isinstance(op, RAISING_OPERATORS) else found
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                found = self.expression(left).union(*map(self.expression, comparators))
                return self.matters(found) if any(isinstance(op, ORDERINGS) for op in ops) else found
            case ast.NamedExpr(target=target, value=value):
                found = self.expression(value)
                self.into(found, self.local(target.id))
                return found
            case ast.Await() | ast.Yield() | ast.YieldFrom():
                return {ANY_FIELD}
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node)
            case _:
                return set[Node]().union(*map(self.expression, _parts(node)))

    def matters(self, found: set[Node]) -> set[Node]:
        """Of what may raise: whether it does must not depend on anything auxiliary."""
        self.into(found, SINK)
        return found

    def attribute(self, node: ast.Attribute) -> set[Node]:
        field = own_field(node, self.self_name)
        if field is None:
            return self.matters(self.expression(node.value))
        if self.flow.code.is_property(field):
            return self.method_call(field, None, set())
        if field == "__dict__":
            return self.matters({ANY_FIELD})
        return {("field", field)}

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> set[Node]:
        found: set[Node] = set()
        for generator in node.generators:
            iterated = self.expression(generator.iter)
            self.assign(generator.target, iterated)
            found |= iterated.union(*map(self.expression, generator.ifs))
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return found.union(*map(self.expression, elements))

    def call(self, node: ast.Call) -> set[Node]:
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        given = set[Node]().union(*map(self.expression, arguments))
        own, inherited = own_field(node.func, self.self_name), super_call(node.func)
        if own in EFFECTS:
            self.into(given, SINK)
            return set()
        if own is not None:
            known = self.flow.code.find(own) or hasattr(Process, own)
            return self.method_call(own, None, given) if known else self.matters(given | {("field", own)})
        if inherited is not None:
            return self.method_call(inherited, self.method.owner, given)
        if isinstance(node.func, ast.Name):
            return given if node.func.id in PURE else self.matters(given)
        if isinstance(node.func, ast.Attribute):
            found = given | self.expression(node.func.value)
            return found if node.func.attr in PURE_METHODS else self.matters(found)
        return self.matters(given | self.expression(node.func))

    def method_call(self, name: str, after: type | None, given: set[Node]) -> set[Node]:
        """Arguments flow into parameters (all into all), and whether it is called into all that it does."""
        called = self.flow.code.find(name, after)
        if called is None:  # one of `Process`'s own: `peers`, `start`, `restart`
            return self.matters(given)
        if name == "__init__":
            return self.matters({ANY_FIELD})
        for parameter in called.parameters:
            self.into(given, ("local", called.owner, called.name, parameter))
        self.into((), ("reached", called.owner, called.name))
        return {("result", called.owner, called.name)}


def _parts(node: ast.AST) -> list[ast.expr]:
    """The expressions directly inside a node, through helpers such as slices and formatted values."""
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            found.append(child)
        elif not isinstance(child, ast.expr_context | ast.operator | ast.unaryop | ast.boolop | ast.cmpop):
            found += _parts(child)
    return found


def _loaded(target: ast.expr) -> ast.expr:
    return target.value if isinstance(target, ast.Attribute | ast.Subscript) and _is_deep(target) else target


def _is_deep(target: ast.Attribute | ast.Subscript) -> bool:
    return not isinstance(target.value, ast.Name)


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
