"""What an expression depends on, and whether it may raise: then what decides that must not be auxiliary."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterable

from gristmill.explore.analysis.code import EFFECTS, own_field, super_call
from gristmill.explore.analysis.kinds import PURE, PURE_METHODS, KnownKinds
from gristmill.explore.analysis.nodes import (
    ANY_FIELD,
    HASHABLE,
    ITERABLE,
    NUMBER,
    SETS,
    SINK,
    Kind,
    Node,
    kind_of_result,
)
from gristmill.explore.process import Process

RAISING_OPERATORS = (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)
HARMLESS_COMPARISONS = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)
HARMLESS = (ast.Constant, ast.Tuple, ast.List, ast.Slice, ast.JoinedStr)


class ExpressionFlow(KnownKinds, ABC):
    def unless(self, kinds: frozenset[str] | None, *nodes: ast.expr) -> set[Node]:
        """What expressions depend on. Those that are not of these kinds may make an operation raise."""
        found: set[Node] = set()
        for node in nodes:
            sources = self.expression(node)
            found |= sources
            if kinds is not None and self.kind(node) not in kinds:
                self.matters(sources)
        return found

    # Expressions: what they depend on

    def expression(self, node: ast.expr) -> set[Node]:
        match node:
            case ast.Name(id=name):
                return {ANY_FIELD} if name == self.self_name else {self.local(name)}
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(left, op, right)
            case ast.UnaryOp(op=op, operand=operand):
                return self.unless(None if isinstance(op, ast.Not) else frozenset({NUMBER}), operand)
            case ast.Compare():
                return self.compare(node)
            case ast.BoolOp(values=values):
                return self.one_after_the_other(values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                found = self.expression(test)
                with self.under(found):
                    return found | self.expression(body) | self.expression(orelse)
            case ast.NamedExpr(target=target, value=value):
                found = self.expression(value)
                self.assign_name(self.local(target.id), found)
                return found
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node)
            case ast.Starred(value=value):
                return self.unless(ITERABLE, value)
            case ast.Set(elts=elements):
                return self.unless(HASHABLE, *elements)
            case ast.Dict(keys=keys, values=values):
                found = self.unless(HASHABLE, *(key for key in keys if key is not None))
                spread = [value for key, value in zip(keys, values, strict=True) if key is None]
                return found | self.unless(frozenset({"dict"}), *spread) | self.all_of(values)
            case ast.FormattedValue(value=value, format_spec=None):
                return self.expression(value)
            case ast.Await() | ast.Yield() | ast.YieldFrom():
                return self.matters({ANY_FIELD})
            case _:
                found = self.all_of(_parts(node))
                return found if isinstance(node, HARMLESS) else self.matters(found)

    def all_of(self, nodes: Iterable[ast.expr]) -> set[Node]:
        return set[Node]().union(*map(self.expression, nodes))

    def one_after_the_other(self, values: list[ast.expr]) -> set[Node]:
        """Of `and` and `or`: whether the next is come to depends on those before."""
        found: set[Node] = set()
        for value in values:
            with self.under(found):
                found = found | self.expression(value)
        return found

    def binary(self, left: ast.expr, op: ast.operator, right: ast.expr) -> set[Node]:
        kinds = self.kind(left), self.kind(right)
        found = self.expression(left) | self.expression(right)
        if isinstance(op, RAISING_OPERATORS):
            return self.matters(found)
        if kind_of_result(kinds[0], op, kinds[1]) is None:
            self.raises_by_type(((left, kinds[0]), (right, kinds[1])))
        return found

    def raises_by_type(self, operands: Iterable[tuple[ast.expr, Kind]]) -> None:
        """An operation raises or not depending on the types of its operands, some of which are not known."""
        for operand, kind in operands:
            if kind is None or kind == "none":
                self.matters(self.expression(operand))
        self.matters(set())

    def compare(self, node: ast.Compare) -> set[Node]:
        found = self.all_of([node.left, *node.comparators])
        if all(isinstance(op, HARMLESS_COMPARISONS) for op in node.ops):
            return found
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            kind = self.kind(node.comparators[0])
            if kind in ("list", "tuple") or (kind in (*SETS, "dict") and self.kind(node.left) in HASHABLE):
                return found
        return self.matters(found)

    def attribute(self, node: ast.Attribute) -> set[Node]:
        field = own_field(node, self.self_name)
        if field is None:
            return self.matters(self.expression(node.value))
        if self.flow.code.is_property(field):
            return self.method_call(field, None, set())
        if field == "__dict__" or self.flow.code.find(field):  # a method that is not called here, but somewhere
            return self.matters({ANY_FIELD})
        return {("field", field)}

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> set[Node]:
        found: set[Node] = set()
        before = len(self.decided_by)
        for generator in node.generators:
            iterated = self.unless(ITERABLE, generator.iter)
            self.assign(generator.target, iterated, gives_pairs(generator.iter, generator.target))
            self.decided_by += iterated
            found |= iterated | self.one_after_the_other(generator.ifs)
            self.decided_by += found
        if isinstance(node, ast.DictComp):
            found |= self.unless(HASHABLE, node.key) | self.expression(node.value)
        else:
            found |= self.unless(HASHABLE if isinstance(node, ast.SetComp) else None, node.elt)
        del self.decided_by[before:]
        return found

    @abstractmethod
    def assign(self, target: ast.expr, sources: set[Node], unpacks: bool = False) -> None:
        """`unpacks`: there are as many values as targets, for sure."""

    def call(self, node: ast.Call) -> set[Node]:
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        own, inherited = own_field(node.func, self.self_name), super_call(node.func)
        if isinstance(node.func, ast.Name) and self.is_pure_function(node.func.id, node):
            return self.unless(PURE[node.func.id][0], *arguments)
        if own is None and isinstance(node.func, ast.Attribute) and self.is_pure_method(node.func, node):
            return self.expression(node.func.value) | self.pure_arguments(node.func.attr, node.args)
        given = self.all_of(arguments)
        if own in EFFECTS:
            self.into(given, SINK)
            return set()
        if own is not None:
            known = self.flow.code.find(own) or hasattr(Process, own)
            return self.method_call(own, None, given) if known else self.matters(given | {("field", own)})
        if inherited is not None:
            return self.method_call(inherited, self.method.owner, given)
        return self.matters(given | self.expression(node.func))

    def is_pure_function(self, name: str, node: ast.Call) -> bool:
        return name in PURE and not node.keywords and len(node.args) <= 1 and self.is_builtin(name)

    def is_pure_method(self, function: ast.Attribute, node: ast.Call) -> bool:
        if function.attr not in PURE_METHODS or node.keywords or len(node.args) > 2:
            return False
        kinds, _ = PURE_METHODS[function.attr]
        return self.kind(function.value) in kinds

    def pure_arguments(self, name: str, arguments: list[ast.expr]) -> set[Node]:
        if name == "get" and arguments:
            return self.unless(HASHABLE, arguments[0]) | self.all_of(arguments[1:])
        wanted = SETS if PURE_METHODS[name][0] == SETS else frozenset[str]()  # the others have no arguments
        return self.unless(wanted, *arguments)

    def method_call(self, name: str, after: type | None, given: set[Node]) -> set[Node]:
        """Arguments flow into parameters (all into all), and whether it is called into all that it does."""
        called = self.flow.code.find(name, after)
        if called is None:  # one of `Process`'s own: `peers`, `start`, `restart`
            return self.matters(given)
        if name == "__init__":
            return self.matters({ANY_FIELD})
        for parameter in called.parameters:
            self.assign_name(("local", called.owner, called.name, parameter), given)
        self.into((), ("reached", called.owner, called.name))
        return {("result", called.owner, called.name)}


def gives_pairs(iterated: ast.expr, target: ast.expr) -> bool:
    """Whether this is `for key, value in ….items()`."""
    plain = isinstance(target, ast.Tuple) and len(target.elts) == 2 and not any(map(_is_nested, target.elts))
    called = iterated.func if isinstance(iterated, ast.Call) else None
    return plain and isinstance(called, ast.Attribute) and called.attr == "items"


def as_many(target: ast.expr, value: ast.expr) -> bool:
    """Whether this is `a, b = x, y`."""
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(value, ast.Tuple | ast.List):
        return False
    return len(value.elts) == len(target.elts) and not any(map(_is_nested, (*target.elts, *value.elts)))


def _is_nested(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred | ast.Tuple | ast.List)


def _parts(node: ast.AST) -> list[ast.expr]:
    """The expressions directly inside a node, through helpers such as slices and formatted values."""
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            found.append(child)
        elif not isinstance(child, ast.expr_context | ast.operator | ast.unaryop | ast.boolop | ast.cmpop):
            found += _parts(child)
    return found
