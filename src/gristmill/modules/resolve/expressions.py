"""Expressions: the names in them, and the names they bind."""

from __future__ import annotations

from gristmill.modules.resolve.references import apply, body_under, misplaced_lambda, name
from gristmill.modules.resolve.state import Handler, LabelFrame, Resolution
from gristmill.modules.specification import ExceptTarget
from gristmill.modules.symbols import Label, Operator, Parameter
from gristmill.syntax import tree


def literal(r: Resolution, node: tree.Number | tree.Decimal | tree.String) -> None:
    pass


def parens(r: Resolution, node: tree.Parens) -> None:
    r.handlers[type(node.body)](r, node.body)


def items(r: Resolution, node: tree.Junction | tree.SetEnumeration | tree.Tuple) -> None:
    handlers = r.handlers
    for item in node.items:
        handlers[type(item)](r, item)


def cross_product(r: Resolution, node: tree.CrossProduct) -> None:
    for factor in node.factors:
        r.expression(factor)


def bounds(r: Resolution, node: tuple[tree.Bound, ...]) -> list[Parameter]:
    """Bind the names of bounds. The domains stand outside the scope of all of them."""
    for bound in node:
        if bound.domain is not None:
            r.expression(bound.domain)
    r.scope.enter()
    bound_names = []
    for bound in node:
        bound_names += r.bind_names(bound.names)
    return bound_names


def under_bounds(r: Resolution, node: tuple[tree.Bound, ...], body: tree.Expression) -> None:
    body_under(r, bounds(r, node), body)
    r.scope.leave()


def quantified(r: Resolution, node: tree.Quantified | tree.FunctionLiteral | tree.SetMap) -> None:
    under_bounds(r, node.bounds, node.body)


def choose(r: Resolution, node: tree.Choose) -> None:
    under_bounds(r, (node.bound,), node.body)


def set_filter(r: Resolution, node: tree.SetFilter) -> None:
    under_bounds(r, (node.bound,), node.predicate)


def function_set(r: Resolution, node: tree.FunctionSet) -> None:
    r.expression(node.domain)
    r.expression(node.range)


def function_apply(r: Resolution, node: tree.FunctionApply) -> None:
    r.expression(node.function)
    for arg in node.args:
        r.expression(arg)
    if len(node.args) > 1 and isinstance(node.function, tree.Name):
        check_function_arguments(r, node, node.function)


def check_function_arguments(r: Resolution, node: tree.FunctionApply, function: tree.Name) -> None:
    """A function that is defined with its arguments cannot be applied to another number of them (one is a tuple)."""
    symbol = r.scope.names.get(function.name)
    if not isinstance(symbol, Operator) or symbol in r.functions:
        return
    definition = symbol.definition
    if not isinstance(definition, tree.FunctionDefinition):
        return
    takes = sum(1 if bound.is_tuple else len(bound.names) for bound in definition.bounds)
    if takes != len(node.args):
        r.report(
            "function-arguments",
            f"the function `{symbol.name}` takes {takes} argument{'s' if takes != 1 else ''} "
            f"but is given {len(node.args)}",
            node.span,
            other=(symbol.span, f"`{symbol.name}` is defined here"),
        )


def record(r: Resolution, node: tree.Record | tree.RecordSet) -> None:
    seen: set[str] = set()
    for entry in node.fields:
        if entry.name in seen:
            r.report("duplicate-field", f"the field `{entry.name}` occurs twice", entry.span)
        seen.add(entry.name)
        r.expression(entry.value)


def field_access(r: Resolution, node: tree.FieldAccess) -> None:
    r.expression(node.record)


def except_(r: Resolution, node: tree.Except) -> None:
    r.expression(node.function)
    for update in node.updates:
        for step in update.path:
            if isinstance(step, tree.IndexStep):
                for arg in step.args:
                    r.expression(arg)
        r.excepts.append((node, update))
        r.expression(update.value)
        r.excepts.pop()


def at(r: Resolution, node: tree.At) -> None:
    if r.excepts:
        r.program.at_targets[id(node)] = ExceptTarget(*r.excepts[-1])
    else:
        r.report(
            "at-outside-except",
            "`@` has a meaning only on the right-hand side of an EXCEPT",
            node.span,
        )


def if_(r: Resolution, node: tree.If) -> None:
    r.expression(node.condition)
    r.expression(node.then)
    r.expression(node.otherwise)


def case(r: Resolution, node: tree.Case) -> None:
    for arm in node.arms:
        if arm.guard is not None:
            r.expression(arm.guard)
        r.expression(arm.value)


def bracketed_action(r: Resolution, node: tree.BoxAction | tree.AngleAction | tree.Fairness) -> None:
    r.expression(node.action)
    r.expression(node.subscript)


def labelled(r: Resolution, node: tree.Labelled) -> None:
    if not labels_allowed(r, node):
        r.expression(node.body)
        return
    r.frames.append(LabelFrame())
    r.expression(node.body)
    inner = r.frames.pop()
    params = [label_parameter(r, node, param) for param in node.params]
    label = Label(node.name, tuple(params), node, node.span, inner.labels, r.goal, r.goal_clause)
    r.note(node, label)
    check_label_parameters(r, node, params)
    add_label(r, label)


def labels_allowed(r: Resolution, node: tree.Labelled | tree.AssumeProve) -> bool:
    if not r.frames:
        r.report("label-outside-definition", "a label can stand only in a definition or a named step", node.span)
    elif any(r.declared_in_assume[1:]):
        r.report("label-under-new", "a label cannot stand below a NEW of a nested ASSUME … PROVE", node.span)
    elif r.excepts:
        r.report("label-in-except", "a label cannot stand in the updates of an EXCEPT", node.span)
    else:
        return True
    return False


def label_parameter(r: Resolution, node: tree.Labelled, param: tree.Name) -> Parameter:
    symbol = r.scope.names.get(param.name)
    if isinstance(symbol, Parameter):
        r.note(param, symbol)
        return symbol
    r.report(
        "label-parameter",
        f"`{param.name}` cannot be a parameter of the label `{node.name}`: it is not bound around it",
        param.span,
    )
    return Parameter(param.name, 0, r.module, param.span)


def check_label_parameters(r: Resolution, node: tree.Labelled, params: list[Parameter]) -> None:
    """A label names exactly those identifiers that are bound between the definition and the label."""
    listed = set(params)
    if len(listed) != len(params):
        r.report("label-parameter", f"the label `{node.name}` names a parameter twice", node.span)
    bound = r.frames[-1].bound
    for parameter in bound:
        if parameter not in listed:
            r.report(
                "label-parameter",
                f"the label `{node.name}` stands under `{parameter.name}` and must name it",
                node.span,
                f"write `{node.name}({', '.join(p.name for p in bound)})`",
            )
    for parameter in listed.difference(bound):
        if r.scope.names.get(parameter.name) is parameter:
            r.report(
                "label-parameter",
                f"the label `{node.name}` must not name `{parameter.name}`, which the definition itself binds",
                node.span,
            )


def add_label(r: Resolution, label: Label) -> None:
    known = r.frames[-1].labels.setdefault(label.name, label)
    if known is not label:
        r.report(
            "duplicate-label",
            f"the label `{label.name}` occurs twice in this definition",
            label.span,
            other=(known.span, "first here"),
        )


EXPRESSIONS: dict[type, Handler] = {
    tree.Name: name,
    tree.Number: literal,
    tree.Decimal: literal,
    tree.String: literal,
    tree.At: at,
    tree.Apply: apply,
    tree.Parens: parens,
    tree.Junction: items,
    tree.Quantified: quantified,
    tree.Choose: choose,
    tree.SetEnumeration: items,
    tree.SetFilter: set_filter,
    tree.SetMap: quantified,
    tree.FunctionLiteral: quantified,
    tree.FunctionSet: function_set,
    tree.FunctionApply: function_apply,
    tree.Record: record,
    tree.RecordSet: record,
    tree.FieldAccess: field_access,
    tree.Except: except_,
    tree.Tuple: items,
    tree.CrossProduct: cross_product,
    tree.If: if_,
    tree.Case: case,
    tree.BoxAction: bracketed_action,
    tree.AngleAction: bracketed_action,
    tree.Fairness: bracketed_action,
    tree.Lambda: misplaced_lambda,
    tree.Labelled: labelled,
}
