"""From a tree back to source that parses to the same tree.

Junction lists are laid out in lines, everything else in one; so columns are the only thing to get right. An operator
behind an unparenthesised junction list goes to a line of its own, left of the bullets.
"""

from collections.abc import Callable, Sequence
from typing import Any

from gristmill.syntax import tree
from gristmill.syntax.layout import Layout
from gristmill.syntax.literals import string_text
from gristmill.syntax.notation import closable, fits_before_postfix, fits_left, fits_right, operator_of
from gristmill.syntax.operators import INFIX, NEGATION, OPERATORS, Operator
from gristmill.syntax.spelling import spelling
from gristmill.syntax.tree import Apply, Expression, Name


def print_expression(expression: Expression, column: int = 0, unicode: bool = False) -> str:
    """The text of an expression whose first character stands in `column` (from 0)."""
    printer = ExpressionPrinter(Layout(column), unicode)
    printer.expression(expression)
    return printer.layout.text()


# How to write these without beginning a list.
_NO_BULLETS = {"/\\": "\\land", "\\/": "\\lor"}


class ExpressionPrinter:
    def __init__(self, layout: Layout, unicode: bool) -> None:
        self.layout = layout
        self.write = layout.write
        self.spell = spelling(unicode)

    def expression(self, node: Expression) -> None:
        _PRINTERS[type(node)](self, node)

    # ------------------------------------------------------------------------------------------ names and operators

    def symbol(self, name: str) -> str:
        return self.spell.get(name, name)

    def name(self, node: Name) -> None:
        self.write(self.symbol(node.name))

    def text_node(self, node: tree.Number | tree.Decimal) -> None:
        self.write(node.text)

    def string(self, node: tree.String) -> None:
        self.write(string_text(node.value))

    def at(self, node: tree.At) -> None:
        self.write("@")

    def step_name(self, node: tree.StepName) -> None:
        self.write(node.name)

    def path(self, node: tree.Path) -> None:
        for index, segment in enumerate(node.segments):
            if index:
                self.write("!")
            match segment:
                case tree.NameSegment(name, args):
                    # `A!!!!!!` would be nonsense: symbols are set apart.
                    self.write(f" {self.symbol(name)} " if name in OPERATORS else name)
                    if args:
                        self.arguments(args)
                case tree.IndexSegment(number):
                    self.write(str(number))
                case tree.ArgumentsSegment(args):
                    self.arguments(args)
                case tree.SelectorSegment(kind):
                    self.write(self.symbol(kind))

    def arguments(self, args: Sequence[Expression]) -> None:
        self.write("(")
        self.separated(args)
        self.write(")")

    def separated(self, items: Sequence[Expression]) -> None:
        for index, item in enumerate(items):
            if index:
                self.write(", ")
            if isinstance(item, Name) and item.name in OPERATORS:
                self.write(f" {self.symbol(item.name)} ")  # `F(+)` would contain the symbol `(+)`
            else:
                self.expression(item)

    def apply(self, node: Apply) -> None:
        operator, args = operator_of(node), node.args
        if operator is None:
            self.nonfix(node)
        elif operator.fixity == "prefix":
            self.prefix(operator, args[0])
        elif operator.fixity == "postfix":
            if fits_before_postfix(args[0]) or closable(args[0]):
                self.before_postfix(args[0])
                self.write(self.symbol(operator.name))
            else:
                self.nonfix(node)
        else:
            left_fits, right_fits = fits_left(operator, args[0]), fits_right(operator, args[1])
            if (left_fits or closable(args[0])) and (right_fits or closable(args[1])):
                self.operand(args[0], left_fits)
                self.infix_sign(operator.name)
                self.operand(args[1], right_fits)
            else:
                self.nonfix(node)

    def nonfix(self, node: Apply) -> None:
        """`Op(a, b)`, `+(a, b)`."""
        name = node.operator.name
        if name in OPERATORS and self.layout.ends_with("("):
            self.write(" ")  # `(*(a, b))` would be a comment
        self.write(_NO_BULLETS.get(name) or self.symbol(name))
        self.arguments(node.args)

    def operand(self, node: Expression, fits: bool) -> None:
        if fits or not isinstance(node, Apply):
            self.expression(node)
        else:
            self.nonfix(node)

    def infix_sign(self, name: str) -> None:
        if not self.layout.close_list():
            self.write(" ")
        self.write(self.symbol(name) + " ")

    def prefix(self, operator: Operator, operand: Expression) -> None:
        self.write("-" if operator.name == NEGATION else self.symbol(operator.name))
        if operator.name.isalpha() or not isinstance(operand, Name | tree.Parens | tree.Number):
            self.write(" ")
        self.operand(operand, fits_right(operator, operand))

    def before_postfix(self, node: Expression) -> None:
        self.operand(node, fits_before_postfix(node))
        self.layout.close_list()

    def cross_product(self, node: tree.CrossProduct) -> None:
        product = INFIX["\\X"]
        first, *others = node.factors
        self.operand(first, fits_left(product, first) and not isinstance(first, tree.CrossProduct))
        for factor in others:
            self.infix_sign(product.name)
            self.operand(factor, fits_right(product, factor))

    def parens(self, node: tree.Parens) -> None:
        self.write("(")
        self.expression(node.body)
        self.write(")")

    def junction(self, node: tree.Junction) -> None:
        column, bullet = self.layout.column, self.symbol(node.operator) + " "
        for index, item in enumerate(node.items):
            if index:
                self.layout.newline(column)
            self.write(bullet)
            self.expression(item)
        self.layout.open_list = column

    def labelled(self, node: tree.Labelled) -> None:
        self.write(node.name)
        if node.params:
            self.arguments(node.params)
        self.write(f" {self.symbol('::')} ")
        self.expression(node.body)

    # --------------------------------------------------------------------------------------------------- binders

    def bound(self, bound: tree.Bound) -> None:
        names = ", ".join(name.name for name in bound.names)
        self.write(f"{self.symbol('<<')}{names}{self.symbol('>>')}" if bound.is_tuple else names)
        if bound.domain is not None:
            self.write(f" {self.symbol(chr(92) + 'in')} ")
            self.expression(bound.domain)

    def bounds(self, bounds: Sequence[tree.Bound]) -> None:
        for index, bound in enumerate(bounds):
            if index:
                self.write(", ")
            self.bound(bound)

    def quantified(self, node: tree.Quantified) -> None:
        self.write(self.symbol(node.quantifier) + " ")
        self.bounds(node.bounds)
        self.write(" : ")
        self.expression(node.body)

    def choose(self, node: tree.Choose) -> None:
        self.write("CHOOSE ")
        self.bound(node.bound)
        self.write(" : ")
        self.expression(node.body)

    def lambda_(self, node: tree.Lambda) -> None:
        self.write("LAMBDA " + ", ".join(name.name for name in node.params) + " : ")
        self.expression(node.body)

    # --------------------------------------------------------------------------------- sets, functions, records

    def set_enumeration(self, node: tree.SetEnumeration) -> None:
        self.write("{")
        self.separated(node.items)
        self.write("}")

    def set_filter(self, node: tree.SetFilter) -> None:
        self.write("{")
        self.bound(node.bound)
        self.write(" : ")
        self.expression(node.predicate)
        self.write("}")

    def set_map(self, node: tree.SetMap) -> None:
        self.write("{")
        self.expression(node.body)
        self.write(" : ")
        self.bounds(node.bounds)
        self.write("}")

    def tuple_(self, node: tree.Tuple) -> None:
        self.write(self.symbol("<<"))
        self.separated(node.items)
        self.write(self.symbol(">>"))

    def function_literal(self, node: tree.FunctionLiteral) -> None:
        self.write("[")
        self.bounds(node.bounds)
        self.write(f" {self.symbol('|->')} ")
        self.expression(node.body)
        self.write("]")

    def function_set(self, node: tree.FunctionSet) -> None:
        self.write("[")
        self.expression(node.domain)
        self.write(f" {self.symbol('->')} ")
        self.expression(node.range)
        self.write("]")

    def function_apply(self, node: tree.FunctionApply) -> None:
        self.before_postfix(node.function)
        self.write("[")
        self.separated(node.args)
        self.write("]")

    def field_access(self, node: tree.FieldAccess) -> None:
        self.before_postfix(node.record)
        if isinstance(node.record, tree.StepName):
            self.write(" ")  # `<1>2.` is the beginning of a step
        self.write(f".{node.name}")

    def fields(self, fields: Sequence[tree.FieldValue], arrow: str) -> None:
        self.write("[")
        for index, field in enumerate(fields):
            self.write((", " if index else "") + field.name + arrow)
            self.expression(field.value)
        self.write("]")

    def record(self, node: tree.Record) -> None:
        self.fields(node.fields, f" {self.symbol('|->')} ")

    def record_set(self, node: tree.RecordSet) -> None:
        self.fields(node.fields, " : ")

    def except_(self, node: tree.Except) -> None:
        self.write("[")
        self.expression(node.function)
        for index, update in enumerate(node.updates):
            self.write(", !" if index else " EXCEPT !")
            for step in update.path:
                match step:
                    case tree.FieldStep(name):
                        self.write(f".{name}")
                    case tree.IndexStep(args):
                        self.write("[")
                        self.separated(args)
                        self.write("]")
            self.write(" = ")
            self.expression(update.value)
        self.write("]")

    # ------------------------------------------------------------------------------------------ conditions, LET

    def if_(self, node: tree.If) -> None:
        self.write("IF ")
        self.expression(node.condition)
        self.write(" THEN ")
        self.expression(node.then)
        self.write(" ELSE ")
        self.expression(node.otherwise)

    def case(self, node: tree.Case) -> None:
        for index, arm in enumerate(node.arms):
            if index and not self.layout.close_list():
                self.write(" ")
            self.write(f"{self.symbol('[]')} " if index else "CASE ")
            if arm.guard is None:
                self.write("OTHER")
            else:
                self.expression(arm.guard)
            self.write(f" {self.symbol('->')} ")
            self.expression(arm.value)

    def let(self, node: tree.Let) -> None:
        start = self.layout.column
        self.write("LET ")
        column = self.layout.column
        for index, definition in enumerate(node.definitions):
            if index:
                self.layout.newline(column)
            self.definition(definition)
        self.layout.newline(start)
        self.write("IN ")
        self.expression(node.body)

    # ----------------------------------------------------------------------------------------- temporal formulas

    def box_action(self, node: tree.BoxAction) -> None:
        self.write("[")
        self.expression(node.action)
        self.write("]_")
        self.expression(node.subscript)

    def angle_action(self, node: tree.AngleAction) -> None:
        self.write(self.symbol("<<"))
        self.expression(node.action)
        self.write(self.symbol(">>_"))
        self.expression(node.subscript)

    def fairness(self, node: tree.Fairness) -> None:
        self.write(f"{node.kind}_")
        self.expression(node.subscript)
        self.write("(")
        self.expression(node.action)
        self.write(")")

    # ---------------------------------------------------------------------------------------------- definitions

    def definition(self, node: tree.Definition) -> None:
        if isinstance(node, tree.Recursive):
            self.write("RECURSIVE ")
            self.parameters(node.params)
            return
        if node.local:
            self.write("LOCAL ")
        sign = f" {self.symbol('==')} "
        match node:
            case tree.OperatorDefinition(name, params):
                self.left_hand_side(name, params)
                self.write(sign)
                self.expression(node.body)
            case tree.FunctionDefinition(name, bounds):
                self.write(name + "[")
                self.bounds(bounds)
                self.write("]" + sign)
                self.expression(node.body)
            case tree.InstanceDefinition(name, params, instance):
                self.left_hand_side(name, params)
                self.write(sign)
                self.instance(instance)

    def left_hand_side(self, name: str, params: Sequence[tree.Parameter]) -> None:
        operator = OPERATORS.get(name)
        shown = self.symbol(name)
        if operator is None:
            self.write(name)
            if params:
                self.write("(")
                self.parameters(params)
                self.write(")")
        elif operator.fixity == "infix":
            self.write(f"{params[0].name} {shown} {params[1].name}")
        else:
            self.write(f"{shown} {params[0].name}" if operator.fixity == "prefix" else f"{params[0].name} {shown}")

    def parameters(self, params: Sequence[tree.Parameter]) -> None:
        self.write(", ".join(self.parameter(param) for param in params))

    def parameter(self, param: tree.Parameter) -> str:
        operator = OPERATORS.get(param.name)
        shown = self.symbol(param.name)
        if operator is None:
            return shown + ("(" + ", ".join("_" * param.arity) + ")" if param.arity else "")
        forms = {"prefix": f"{shown} _", "infix": f"_ {shown} _", "postfix": f"_ {shown}"}
        return forms[operator.fixity]

    def instance(self, node: tree.Instance) -> None:
        self.write(f"INSTANCE {node.module}")
        for index, substitution in enumerate(node.substitutions):
            self.write(", " if index else " WITH ")
            self.write(f"{self.symbol(substitution.name)} {self.symbol('<-')} ")
            self.expression(substitution.value)


_PRINTERS: dict[type, Callable[[ExpressionPrinter, Any], None]] = {
    Name: ExpressionPrinter.name,
    tree.Number: ExpressionPrinter.text_node,
    tree.Decimal: ExpressionPrinter.text_node,
    tree.String: ExpressionPrinter.string,
    tree.At: ExpressionPrinter.at,
    tree.Path: ExpressionPrinter.path,
    Apply: ExpressionPrinter.apply,
    tree.Parens: ExpressionPrinter.parens,
    tree.Junction: ExpressionPrinter.junction,
    tree.Quantified: ExpressionPrinter.quantified,
    tree.Choose: ExpressionPrinter.choose,
    tree.SetEnumeration: ExpressionPrinter.set_enumeration,
    tree.SetFilter: ExpressionPrinter.set_filter,
    tree.SetMap: ExpressionPrinter.set_map,
    tree.FunctionLiteral: ExpressionPrinter.function_literal,
    tree.FunctionSet: ExpressionPrinter.function_set,
    tree.FunctionApply: ExpressionPrinter.function_apply,
    tree.Record: ExpressionPrinter.record,
    tree.RecordSet: ExpressionPrinter.record_set,
    tree.FieldAccess: ExpressionPrinter.field_access,
    tree.Except: ExpressionPrinter.except_,
    tree.Tuple: ExpressionPrinter.tuple_,
    tree.CrossProduct: ExpressionPrinter.cross_product,
    tree.If: ExpressionPrinter.if_,
    tree.Case: ExpressionPrinter.case,
    tree.Let: ExpressionPrinter.let,
    tree.BoxAction: ExpressionPrinter.box_action,
    tree.AngleAction: ExpressionPrinter.angle_action,
    tree.Fairness: ExpressionPrinter.fairness,
    tree.Lambda: ExpressionPrinter.lambda_,
    tree.Labelled: ExpressionPrinter.labelled,
    tree.StepName: ExpressionPrinter.step_name,
}
