"""What the statements of a method let flow where."""

from __future__ import annotations

import ast

from gristmill.explore.analysis.code import own_field
from gristmill.explore.analysis.expressions import RAISING_OPERATORS, ExpressionFlow, as_many, gives_pairs
from gristmill.explore.analysis.nodes import (
    ANY_FIELD,
    HASHABLE,
    ITERABLE,
    NUMBER,
    SETS,
    SINK,
    Node,
    kind_of_result,
    kind_of_value,
)

# Methods that only change the container they are called on, by its kind, and what their arguments must be in order not
# to raise: None is anything.
_NUMBERS, _ANYTHING = frozenset({NUMBER}), None
CHANGERS: dict[tuple[str, str], tuple[frozenset[str] | None, ...]] = {
    ("list", "append"): (_ANYTHING,),
    ("list", "extend"): (ITERABLE,),
    ("list", "insert"): (_NUMBERS, _ANYTHING),
    ("list", "clear"): (),
    ("set", "add"): (HASHABLE,),
    ("set", "discard"): (HASHABLE,),
    ("set", "update"): (SETS,),
    ("set", "clear"): (),
    ("dict", "update"): (frozenset({"dict"}),),
    ("dict", "setdefault"): (HASHABLE, _ANYTHING),
    ("dict", "clear"): (),
}


class StatementFlow(ExpressionFlow):
    def run(self) -> None:
        self.statements(self.method.tree.body)

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                sources = self.expression(value)
                for target in targets:
                    self.assign(target, sources, as_many(target, value))
                self.alias_one_another(targets)
            case ast.AnnAssign(target=target, value=annotated):
                if annotated is not None:
                    self.assign(target, self.expression(annotated))
            case ast.AugAssign():
                self.augmented(node)
            case ast.Expr(value=value):
                self.bare(value)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(self.expression(test), body, orelse)
            case ast.While(test=test, body=body, orelse=orelse):
                sources = self.expression(test)
                self.into(sources, SINK)  # decides whether the handler comes back
                self.branch(sources, body, orelse)
            case ast.For():
                self.loop(node)
            case ast.Return(value=result):
                self.assign_name(self.result, self.expression(result) if result else set())
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

    def loop(self, node: ast.For) -> None:
        sources = self.unless(ITERABLE, node.iter)
        if any(_may_change_in_place(inner) for statement in node.body for inner in ast.walk(statement)):
            self.matters(sources)  # what is iterated over must not change, or that raises
        with self.under(sources):
            self.assign(node.target, sources, gives_pairs(node.iter, node.target))
        self.branch(sources, node.body, node.orelse)

    def branch(self, test: set[Node], *bodies: list[ast.stmt]) -> None:
        leaves = any(
            isinstance(inner, ast.Return | ast.Raise | ast.Break | ast.Continue)
            for body in bodies
            for statement in body
            for inner in ast.walk(statement)
        )
        if leaves:  # what comes after is reached or not, depending on the test
            self.into(test, self.reached)
        with self.under(test):
            for body in bodies:
                self.statements(body)

    def bare(self, value: ast.expr) -> None:
        """An expression as a statement: `self.log.append(x)` flows into the log, whatever else."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and not value.keywords:
            field = own_field(value.func.value, self.self_name)
            kind = kind_of_value(self.flow.first.get(field)) if field is not None else None
            wanted = CHANGERS.get((kind or "", value.func.attr))
            if field is not None and wanted is not None and _fit(value.args, len(wanted), value.func.attr):
                self.flow.typed.add(field)
                for argument, kinds in zip(value.args, wanted, strict=False):
                    self.into(self.unless(kinds, argument), ("field", field))
                self.change(("field", field), set())
                return
        self.expression(value)

    def change(self, target: Node, sources: set[Node]) -> None:
        """In place: visible through every alias of the object."""
        self.into(sources, target)
        self.flow.changed.add(target)

    # Assignments

    def assign(self, target: ast.expr, sources: set[Node], unpacks: bool = False) -> None:
        field = own_field(target, self.self_name)
        if field is not None:
            self.assign_name(("field", field), sources)
        elif isinstance(target, ast.Name):
            self.assign_name(self.local(target.id), sources)
        elif isinstance(target, ast.Tuple | ast.List):
            if not unpacks:
                self.matters(sources)
            for element in target.elts:
                self.assign(element, sources)
        elif isinstance(target, ast.Subscript):
            self.assign_element(target, sources)
        else:  # an attribute of something else
            self.matters(sources | self.expression(target))

    def assign_element(self, target: ast.Subscript, sources: set[Node]) -> None:
        field = own_field(target.value, self.self_name)
        if field is not None and isinstance(self.flow.first.get(field), dict):
            self.flow.typed.add(field)
            self.change(("field", field), sources | self.unless(HASHABLE, target.slice))
        else:  # may raise, or change something through another name
            self.matters(sources | self.expression(target.slice) | self.expression(target.value))

    def augmented(self, node: ast.AugAssign) -> None:
        target, sources = node.target, self.expression(node.value)
        if isinstance(target, ast.Subscript) or isinstance(node.op, RAISING_OPERATORS):
            self.matters(sources | self.expression(target))
        else:
            kinds = self.kind(target), self.kind(node.value)
            extends = kinds[0] == "list" and kinds[1] in ITERABLE and isinstance(node.op, ast.Add)
            if not extends and kind_of_result(kinds[0], node.op, kinds[1]) is None:
                self.raises_by_type(((target, kinds[0]), (node.value, kinds[1])))
        self.assign(target, sources | self.expression(target))
        field = own_field(target, self.self_name)
        if isinstance(target, ast.Name):
            self.flow.changed.add(self.local(target.id))
        elif field is not None and self.kind(target) not in (NUMBER, "text", "bytes", "tuple", "frozenset"):
            self.flow.changed.add(("field", field))

    def alias_one_another(self, targets: list[ast.expr]) -> None:
        """Of `a = b = …`: the same object under several names."""
        if len(targets) < 2:
            return
        nodes = [("field", name) if (name := own_field(one, self.self_name)) else
                 self.local(one.id) if isinstance(one, ast.Name) else None for one in targets]  # fmt: skip
        known = [node for node in nodes if node is not None]
        self.flow.aliases.update((one, other) for one in known for other in known if one != other)


def _fit(arguments: list[ast.expr], most: int, name: str) -> bool:
    """Whether a method of a container is called with as many arguments as it takes."""
    if any(isinstance(argument, ast.Starred) for argument in arguments):
        return False
    return len(arguments) == most or (name == "setdefault" and len(arguments) == 1)


def _may_change_in_place(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute)
    return isinstance(node, ast.Subscript | ast.AugAssign) and not isinstance(getattr(node, "ctx", None), ast.Load)
