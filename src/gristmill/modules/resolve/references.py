"""Names and applications: what is meant, and does it get the arguments it takes?"""

from __future__ import annotations

from gristmill.modules.resolve.state import Resolution, Wanted
from gristmill.modules.symbols import (
    BuiltIn,
    Constant,
    Fact,
    Instanced,
    NamedInstance,
    NewDeclaration,
    Operator,
    Parameter,
    ProofStep,
    Symbol,
    Variable,
)
from gristmill.source import Span
from gristmill.syntax import tree

_PLAIN = frozenset((Variable, Parameter, Constant, Operator, NewDeclaration))


def name(r: Resolution, node: tree.Name) -> None:
    """A name as an expression."""
    symbol = r.scope.names.get(node.name)
    if symbol is None:
        r.unknown(node.name, node.span)
        return
    r.program.symbols[id(node)] = symbol
    if symbol.arity != 0:
        missing_arguments(r, symbol, node.span)
    elif type(symbol) not in _PLAIN:
        check_is_expression(r, symbol, node.span)
    elif type(symbol) is Operator and symbol in r.functions:
        symbol.recursive = True


def check_is_expression(r: Resolution, symbol: Symbol, span: Span) -> bool:
    """Some names denote no value: instances, steps that claim nothing, ASSUME … PROVE."""
    match symbol:
        case NamedInstance():
            hint = f"name a definition of the instance: `{symbol.name}!Op`"
            r.report("incomplete-name", f"`{symbol.name}` is an instance, not a value", span, hint)
        case ProofStep():
            r.report("step-not-expression", f"the step {symbol.name} claims nothing that has a value", span)
        case Fact() | Instanced() if (claim := not_an_expression(symbol)) is not None:
            r.report(claim[0], f"`{symbol.name}` is {claim[1]}, not an expression", span)
        case _:
            return True
    return False


def not_an_expression(symbol: Fact | Instanced) -> tuple[str, str] | None:
    fact = symbol.origin if isinstance(symbol, Instanced) else symbol
    if not isinstance(fact, Fact):
        return None
    match fact.statement:
        case tree.AssumeProve():
            return "assume-prove-not-expression", "an ASSUME … PROVE"
        case (
            tree.QedStep() | tree.CaseStep() | tree.HaveStep() | tree.TakeStep() | tree.PickStep() | tree.WitnessStep()
        ) as step:
            return "step-not-expression", f"a {type(step).__name__.removesuffix('Step').upper()} step"
        case tree.AssertStep(suffices=True):
            return "step-not-expression", "a SUFFICES step"
        case tree.AssertStep(statement=tree.AssumeProve()):
            return "assume-prove-not-expression", "an ASSUME … PROVE"
        case _:
            return None


def missing_arguments(r: Resolution, symbol: Symbol, span: Span) -> None:
    if not symbol.name[:1].isalnum() and symbol.name[:1] not in "_<":
        r.report("operator-not-expression", f"the operator `{symbol.name}` stands where an expression must", span)
        return
    wrong_arity(r, symbol, 0, span)


def wrong_arity(r: Resolution, symbol: Symbol, given: int, span: Span) -> None:
    takes = f"{symbol.arity} argument{'s' if symbol.arity != 1 else ''}"
    message = f"`{symbol.name}` takes {takes if symbol.arity else 'no arguments'} but is given {given or 'none'}"
    hint = None
    if symbol.arity == 0 and given == 1:
        hint = f"a function is applied with brackets: `{symbol.name}[…]`"
    elif given == 0 and span.file.text[span.end : span.end + 1] == "[":
        hint = f"an operator is applied with parentheses: `{symbol.name}(…)`"
    r.report("wrong-arity", message, span, hint, (symbol.span, f"`{symbol.name}` is defined here"))


def apply(r: Resolution, node: tree.Apply) -> None:
    operator = node.operator
    symbol = r.scope.names.get(operator.name)
    if symbol is None:
        r.unknown(operator.name, operator.span)
        for arg in node.args:
            loose_argument(r, arg)
        return
    r.program.symbols[id(operator)] = symbol
    if type(symbol) is BuiltIn:
        for arg in node.args:
            r.handlers[type(arg)](r, arg)
        if symbol.arity != len(node.args):
            wrong_arity(r, symbol, len(node.args), node.span)
        return
    if symbol.arity != len(node.args):
        wrong_arity(r, symbol, len(node.args), node.span)
        for arg in node.args:
            loose_argument(r, arg)
        return
    if not isinstance(symbol, Operator | Parameter | Constant):
        check_is_expression(r, symbol, node.span)
    arguments(r, symbol, node.args)


def arguments(r: Resolution, symbol: Symbol, args: tuple[tree.Expression, ...], first: int = 0) -> None:
    """Arguments of `symbol` from its parameter number `first` on."""
    match symbol:
        case Operator() | Instanced() | NamedInstance():
            for position, arg in enumerate(args, first):
                expected = symbol.params[position].arity
                if expected:
                    operator_argument(r, arg, expected, symbol, position)
                else:
                    r.handlers[type(arg)](r, arg)
        case _:
            for arg in args:
                r.handlers[type(arg)](r, arg)


def loose_argument(r: Resolution, arg: tree.Expression) -> None:
    """An argument of something unknown: find the mistakes inside it, but say nothing of the argument itself."""
    if isinstance(arg, tree.Lambda):
        lambda_(r, arg)
    elif isinstance(arg, tree.Name):
        if arg.name not in r.scope.names:
            r.unknown(arg.name, arg.span)
    else:
        r.expression(arg)


def operator_argument(r: Resolution, arg: tree.Expression, expected: int, main: Symbol, position: int) -> None:
    """An argument for an operator parameter: the name of an operator with that many arguments, or a LAMBDA."""
    place = f"argument {position + 1} of `{main.name}`"
    match arg:
        case tree.Lambda():
            lambda_(r, arg)
            if len(arg.params) != expected:
                _wrong_operator(r, place, expected, "the LAMBDA", len(arg.params), arg.span)
        case tree.Name():
            symbol = r.scope.names.get(arg.name)
            if symbol is None:
                r.unknown(arg.name, arg.span)
                return
            r.program.symbols[id(arg)] = symbol
            check_operator(r, symbol, expected, place, arg.span)
        case tree.Path():
            r.resolve_path(r, arg, Wanted(expected, place))
        case _:
            r.expression(arg)
            r.report(
                "operator-expected",
                f"{place} must be an operator with {_count(expected)}, not an expression",
                arg.span,
                "write the operator's name alone, or a LAMBDA",
                (main.span, f"`{main.name}` is defined here"),
            )


def check_operator(r: Resolution, symbol: Symbol, expected: int, place: str, span: Span) -> None:
    if symbol.arity != expected or isinstance(symbol, NamedInstance):
        _wrong_operator(r, place, expected, f"`{symbol.name}`", symbol.arity, span)
    elif isinstance(symbol, Operator | Instanced) and any(p.arity for p in symbol.params):
        r.report(
            "operator-argument-order",
            f"{place} must be an operator on values, but `{symbol.name}` itself takes an operator",
            span,
        )


def _wrong_operator(r: Resolution, place: str, expected: int, what: str, arity: int, span: Span) -> None:
    takes = _count(arity) if arity else "no arguments"
    r.report(
        "operator-argument-arity",
        f"{place} must be an operator with {_count(expected)}, but {what} takes {takes}",
        span,
    )


def _count(arity: int) -> str:
    return f"{arity} argument{'s' if arity != 1 else ''}"


def lambda_(r: Resolution, node: tree.Lambda) -> Operator:
    """A LAMBDA where an operator is expected."""
    r.scope.enter()
    params = r.bind_names(node.params)
    symbol = Operator("LAMBDA", tuple(params), node, r.module, node.span)
    r.note(node, symbol)
    body_under(r, params, node.body)
    r.scope.leave()
    return symbol


def misplaced_lambda(r: Resolution, node: tree.Lambda) -> None:
    lambda_(r, node)
    r.report(
        "lambda-not-expression",
        "a LAMBDA is an operator, and stands where an expression must",
        node.span,
        "for a function write `[x \\in S |-> e]`",
    )


def body_under(r: Resolution, params: list[Parameter], body: tree.Expression) -> None:
    """An expression in the scope of names that labels in it have to mention."""
    if not r.frames:
        r.handlers[type(body)](r, body)
        return
    bound = r.frames[-1].bound
    before = len(bound)
    bound.extend(params)
    r.handlers[type(body)](r, body)
    del bound[before:]
