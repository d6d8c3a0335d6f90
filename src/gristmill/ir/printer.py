"""The IR as text, for people who read it and for tests that compare it: the same for the same model, whenever printed.

It looks like TLA+, with what lowering has added: a name in a frame has its slot behind it (`n$0`; `n$0^1`, one frame
up), a call of a nested definition the number of frames up to its parent's (`Op^1(x)`), and every definition and every
formula the size of its frame. Definitions of the same name are numbered: `Op`, `Op.2`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, assert_never

from gristmill.ir import nodes
from gristmill.ir.model import Action, Model
from gristmill.ir.nodes import Bound, Definition
from gristmill.ir.walk import Node, bodies, definitions, formulas
from gristmill.library import Operator
from gristmill.values import show

_Structure: TypeAlias = (
    nodes.SetEnumeration
    | nodes.TupleLiteral
    | nodes.RecordLiteral
    | nodes.RecordSet
    | nodes.FunctionSet
    | nodes.CrossProduct
    | nodes.FunctionApply
    | nodes.FieldAccess
    | nodes.Except
    | nodes.Unchanged
    | nodes.Enabled
    | nodes.Cdot
    | nodes.Disjunct
    | nodes.Temporal
    | nodes.BoxAction
    | nodes.AngleAction
)
_Binder: TypeAlias = nodes.Quantified | nodes.Choose | nodes.SetFilter | nodes.SetMap | nodes.FunctionLiteral
_Connective: TypeAlias = (
    nodes.And | nodes.Or | nodes.Not | nodes.Implies | nodes.Equivalent | nodes.Equal | nodes.Member
)
_Form: TypeAlias = _Connective | nodes.If | nodes.Case | nodes.Let | _Binder | _Structure

_WIDTH = 110
_INDENT = "  "


def print_model(model: Model) -> str:
    """Formulas by role, then the definitions they reach."""
    reached = definitions(*reversed(bodies(model)))
    return "\n".join(_Printer(reached, model.variables).model(model, reached)) + "\n"


def print_node(node: Node, variables: Sequence[str] = ()) -> str:
    return "\n".join(_Printer(definitions(node), variables).lines(node))


class _Printer:
    def __init__(self, known: Sequence[Definition], variables: Sequence[str]) -> None:
        self._variables = variables
        self._names: dict[Definition, str] = {}
        counts: dict[str, int] = {}
        for definition in known:
            number = counts[definition.name] = counts.get(definition.name, 0) + 1
            self._names[definition] = definition.name if number == 1 else f"{definition.name}.{number}"

    # ------------------------------------------------------------------------------------------------------- models

    def model(self, model: Model, reached: Sequence[Definition]) -> Iterator[str]:
        yield f"model {model.name}"
        yield f"variables {', '.join(model.variables)}"
        for number, action in enumerate(model.actions):
            yield f"action {number}: {self._headline(action)}"
        for role, code in formulas(model):
            yield ""
            yield f"{'branch' if role == 'action' else role} {code.name}  [frame {code.frame_size}]"
            yield from self._indented(self.lines(code.body))
        for definition in reached:
            yield ""
            yield from self.definition(definition)

    def _headline(self, action: Action) -> str:
        given = (f"{name} = {self.text(value)}" for name, value in action.parameters)
        return f"{action.name}({', '.join(given)})" if action.parameters else action.name

    def definition(self, definition: Definition) -> Iterator[str]:
        marks = [word for word, holds in (("nested", definition.nested), ("recursive", definition.recursive)) if holds]
        size = f"frame {definition.frame_size}"
        yield f"{self._names[definition]}{_parameters(definition)} ==  [{', '.join((size, *marks))}]"
        if definition.body is not None:
            yield from self._indented(self.lines(definition.body))

    def _indented(self, lines: Iterator[str]) -> Iterator[str]:
        return (_INDENT + line for line in lines)

    # -------------------------------------------------------------------------------------------- on several lines

    def lines(self, node: Node) -> Iterator[str]:
        whole = self.text(node)
        if len(whole) <= _WIDTH and not isinstance(node, nodes.Let):
            yield whole
            return
        match node:
            case nodes.And(items):
                yield from self._bulleted("/\\", items)
            case nodes.Or(items):
                yield from self._bulleted("\\/", items)
            case nodes.Quantified(universal, bounds, body):
                yield f"{_quantifier(universal)} {self._bounds(bounds)} :"
                yield from self._indented(self.lines(body))
            case nodes.Let(slots, names, values, body):
                for slot, name, value in zip(slots, names, values, strict=True):
                    yield from self._after(f"LET {name}${slot} == ", value)
                yield from self._after("IN ", body)
            case nodes.Disjunct(action, body):
                yield from self._after(f"<{action}> ", body)
            case nodes.If(condition, then, otherwise):
                yield from self._after("IF ", condition)
                yield from self._after("THEN ", then)
                yield from self._after("ELSE ", otherwise)
            case nodes.Case(arms, other):
                for guard, value in arms:
                    yield from self._after(f"[] {self.text(guard)} -> ", value)
                if other is not None:
                    yield from self._after("[] OTHER -> ", other)
            case _:
                yield whole

    def _bulleted(self, bullet: str, items: Sequence[nodes.Expression]) -> Iterator[str]:
        for item in items:
            yield from self._after(f"{bullet} ", item)

    def _after(self, start: str, node: Node) -> Iterator[str]:
        first, *rest = self.lines(node)
        yield start + first
        yield from (" " * min(len(start), 8) + line for line in rest)

    # ------------------------------------------------------------------------------------------------ on one line

    def text(self, node: Node) -> str:
        match node:
            case nodes.Literal(value):
                return show(value)
            case nodes.Variable(_, primed, name):
                return f"{name}'" if primed else name
            case nodes.Local(depth, slot, name) | nodes.LocalOperator(depth, slot, name):
                return _local(name, slot, depth)
            case nodes.Primitive(operator, args):
                return self._primitive(_plain(operator), args)
            case nodes.Call(definition, args, depth):
                return f"{self._name(definition, depth)}({self._list(args)})" if args else self._name(definition, depth)
            case nodes.CallLocal(depth, slot, name, args):
                return f"{_local(name, slot, depth)}({self._list(args)})"
            case nodes.OperatorArgument(definition, depth):
                return f"@{self._name(definition, depth)}"
            case nodes.PrimitiveOperator(operator):
                return f"@{_plain(operator)}"
            case Bound():
                return self._bound(node)
            case nodes.Update(path, value, at_slot):
                old = "" if at_slot is None else f" @${at_slot}"
                return f"!{''.join(f'[{self.text(key)}]' for key in path)}{old} = {self.text(value)}"
            case _:
                return self._form(node)

    def _form(self, node: _Form) -> str:
        """Connectives and binders."""
        match node:
            case nodes.And(items):
                return self._joined(" /\\ ", items)
            case nodes.Or(items):
                return self._joined(" \\/ ", items)
            case nodes.Not(operand):
                return f"~{self._closed(operand)}"
            case nodes.Implies(left, right):
                return f"{self._closed(left)} => {self._closed(right)}"
            case nodes.Equivalent(left, right):
                return f"{self._closed(left)} <=> {self._closed(right)}"
            case nodes.Equal(left, right):
                return f"{self._closed(left)} = {self._closed(right)}"
            case nodes.Member(left, right):
                return f"{self._closed(left)} \\in {self._closed(right)}"
            case nodes.If(condition, then, otherwise):
                return f"IF {self.text(condition)} THEN {self.text(then)} ELSE {self.text(otherwise)}"
            case nodes.Case(arms, other):
                texts = [f"{self.text(guard)} -> {self.text(value)}" for guard, value in arms]
                return f"CASE {' [] '.join(texts + ([] if other is None else [f'OTHER -> {self.text(other)}']))}"
            case nodes.Let(slots, names, values, body):
                given = zip(slots, names, values, strict=True)
                lets = " ".join(f"{name}${slot} == {self.text(value)}" for slot, name, value in given)
                return f"LET {lets} IN {self.text(body)}"
            case nodes.Quantified(universal, bounds, body):
                return f"{_quantifier(universal)} {self._bounds(bounds)} : {self.text(body)}"
            case nodes.Choose(bound, body):
                return f"CHOOSE {self._bound(bound)} : {self.text(body)}"
            case nodes.SetFilter(bound, predicate):
                return f"{{{self._bound(bound)} : {self.text(predicate)}}}"
            case nodes.SetMap(bounds, body):
                return f"{{{self.text(body)} : {self._bounds(bounds)}}}"
            case nodes.FunctionLiteral(bounds, body, self_slot, name):
                own = "" if self_slot is None else f"{name}${self_slot} == "
                return f"{own}[{self._bounds(bounds)} |-> {self.text(body)}]"
            case _:
                return self._structure(node)

    def _structure(self, node: _Structure) -> str:
        """Data structures, actions, temporal formulas."""
        match node:
            case nodes.SetEnumeration(items):
                return f"{{{self._list(items)}}}"
            case nodes.TupleLiteral(items):
                return f"<<{self._list(items)}>>"
            case nodes.RecordLiteral(names, values):
                return f"[{', '.join(f'{n} |-> {self.text(v)}' for n, v in zip(names, values, strict=True))}]"
            case nodes.RecordSet(names, values):
                return f"[{', '.join(f'{n} : {self.text(v)}' for n, v in zip(names, values, strict=True))}]"
            case nodes.FunctionSet(domain, range_):
                return f"[{self.text(domain)} -> {self.text(range_)}]"
            case nodes.CrossProduct(factors):
                return self._joined(" \\X ", factors)
            case nodes.FunctionApply(function, argument):
                return f"{self._closed(function)}[{self.text(argument)}]"
            case nodes.FieldAccess(record, name):
                return f"{self._closed(record)}.{name}"
            case nodes.Except(function, updates):
                return f"[{self.text(function)} EXCEPT {self._list(updates)}]"
            case nodes.Unchanged(variables):
                return f"UNCHANGED <<{', '.join(map(self._variable, variables))}>>"
            case nodes.Enabled(action):
                return f"ENABLED {self._closed(action)}"
            case nodes.Cdot(first, second):
                return f"{self._closed(first)} \\cdot {self._closed(second)}"
            case nodes.Disjunct(action, body):
                return f"<{action}: {self.text(body)}>"
            case nodes.Temporal(operator, args):
                return f"{operator}({self._list(args)})"
            case nodes.BoxAction(action, changed):
                return f"[{self.text(action)}]_({self.text(changed)})"
            case nodes.AngleAction(action, changed):
                return f"<<{self.text(action)}>>_({self.text(changed)})"
            case _:
                assert_never(node)

    def _primitive(self, name: str, args: Sequence[nodes.Argument]) -> str:
        if len(args) == 2 and (name[0] == "\\" or not name[-1].isalnum()):
            return f"{self._closed(args[0])} {name} {self._closed(args[1])}"
        return f"{name}({self._list(args)})" if args else name

    def _closed(self, node: Node) -> str:
        """In parentheses, if it is not clear without where it ends."""
        is_open = isinstance(node, _OPEN_FORMS) or (isinstance(node, nodes.Primitive) and len(node.args) == 2)
        return f"({self.text(node)})" if is_open else self.text(node)

    def _joined(self, operator: str, items: Sequence[nodes.Expression]) -> str:
        return operator.join(map(self._closed, items))

    def _list(self, items: Sequence[Node]) -> str:
        return ", ".join(map(self.text, items))

    def _name(self, definition: Definition, depth: int) -> str:
        name = self._names.get(definition, definition.name)
        return f"{name}^{depth}" if definition.nested else name

    def _variable(self, index: int) -> str:
        return self._variables[index] if index < len(self._variables) else f"variable {index}"

    def _bounds(self, bounds: Sequence[Bound]) -> str:
        return ", ".join(map(self._bound, bounds))

    def _bound(self, bound: Bound) -> str:
        names = ", ".join(f"{name}${slot}" for name, slot in zip(bound.names, bound.slots, strict=True))
        names = f"<<{names}>>" if bound.is_tuple else names
        return names if bound.domain is None else f"{names} \\in {self._closed(bound.domain)}"


_OPEN_FORMS = (
    *(nodes.And, nodes.Or, nodes.Implies, nodes.Equivalent, nodes.Equal, nodes.Member, nodes.If, nodes.Case),
    *(nodes.Let, nodes.Quantified, nodes.Choose, nodes.CrossProduct, nodes.Cdot, nodes.Enabled),
)


def _quantifier(universal: bool) -> str:
    return "\\A" if universal else "\\E"


def _local(name: str, slot: int, depth: int) -> str:
    return f"{name}${slot}^{depth}" if depth else f"{name}${slot}"


def _plain(operator: Operator) -> str:
    """`<` is just that; what has a name keeps that of its module before it."""
    return str(operator) if operator.name[-1].isalnum() or operator.name[-1] == "'" else operator.name


def _parameters(definition: Definition) -> str:
    named = zip(definition.parameter_names, definition.arities, strict=True)
    names = [f"{name}${slot}" + ("" if not arity else f"/{arity}") for slot, (name, arity) in enumerate(named)]
    return f"({', '.join(names)})" if names else ""
