"""Definitions, at the top of a module, in LET and in proofs: operators, functions, RECURSIVE."""

from __future__ import annotations

from gristmill.modules.resolve.expressions import bounds
from gristmill.modules.resolve.references import body_under
from gristmill.modules.resolve.state import Handler, LabelFrame, Resolution
from gristmill.modules.symbols import Operator, Parameter, Symbol
from gristmill.source import Span
from gristmill.syntax import tree


def operator_definition(r: Resolution, node: tree.OperatorDefinition) -> None:
    r.scope.enter()
    params = r.parameters(node.params)
    known = r.known(node.name)
    declared = recursive_declaration(r, known, node.name, node.name_span)
    if declared is not None:
        check_recursive_arity(r, declared, params, node)
        declared.params = params
    elif known is not None and not is_recursive_elsewhere(known):
        r.taken(node.name, node.name_span, known)
    r.frames.append(LabelFrame())
    r.expression(node.body)
    frame = r.frames.pop()
    r.scope.leave()
    symbol = declared or Operator(node.name, params, node, r.module, node.name_span, node.local, let_depth=r.let_depth)
    symbol.labels = frame.labels
    r.note(node, symbol)
    if declared is not None:
        end_recursion(r, declared, node)
    else:
        define(r, symbol, known)


def function_definition(r: Resolution, node: tree.FunctionDefinition) -> None:
    params = bounds(r, node.bounds)
    known = r.known(node.name)
    declared = recursive_declaration(r, known, node.name, node.name_span)
    if declared is not None and declared.arity != 0:
        r.report(
            "recursive-arity",
            f"the function `{node.name}` is declared RECURSIVE with arguments",
            node.name_span,
            f"a function is declared without: `RECURSIVE {node.name}`",
            (declared.span, "declared here"),
        )
    elif declared is None and known is not None and not is_recursive_elsewhere(known):
        r.taken(node.name, node.name_span, known)
    symbol = declared or Operator(node.name, (), node, r.module, node.name_span, node.local, let_depth=r.let_depth)
    # The function is known in its own body, but not in its domains.
    if declared is None:
        r.scope.bind(node.name, symbol)
        r.functions.append(symbol)
    r.frames.append(LabelFrame())
    body_under(r, params, node.body)
    symbol.labels = r.frames.pop().labels
    if declared is None:
        r.functions.pop()
    r.scope.leave()
    r.note(node, symbol)
    if declared is not None:
        end_recursion(r, declared, node)
    else:
        define(r, symbol, known)


def define(r: Resolution, symbol: Operator, known: Symbol | None) -> None:
    """Make a definition known. That a name is taken has been said before."""
    enlist(r, symbol)
    if known is None:
        r.bind(symbol)
        if symbol.local and r.scope.contexts[-1] is r.module.names:
            r.module.local_names.add(symbol.name)


def enlist(r: Resolution, symbol: Operator) -> None:
    """Definitions made before a RECURSIVE one is complete have their levels computed together with it."""
    if r.section is not None:
        symbol.in_section = bool(r.undefined[r.let_depth])
        r.section.append(symbol)


# --------------------------------------------------------------------------------------------- RECURSIVE


def recursive(r: Resolution, node: tree.Recursive) -> None:
    for param in node.params:
        params = tuple(Parameter("_", 0, r.module, param.span) for _ in range(param.arity))
        symbol = Operator(param.name, params, None, r.module, param.span, recursive=True, declared=True)
        symbol.let_depth = r.let_depth
        if r.section is None:
            r.section = []
            r.module.recursive_sections.append(r.section)
        symbol.in_section = True
        if r.declare(symbol, param.span):
            r.note(param, symbol)
            r.section.append(symbol)
            r.undefined[r.let_depth].append(symbol)
    if not any(r.undefined):
        r.section = None


def recursive_declaration(r: Resolution, known: Symbol | None, name: str, span: Span) -> Operator | None:
    """The RECURSIVE declaration that a definition of `name` here completes."""
    if not is_recursive_elsewhere(known):
        return None
    assert isinstance(known, Operator)
    if known.let_depth == r.let_depth:
        return known
    r.report(
        "recursive-wrong-let",
        f"`{name}` must be defined in the same LET that declares it RECURSIVE",
        span,
        other=(known.span, "declared here"),
    )
    return None


def is_recursive_elsewhere(known: Symbol | None) -> bool:
    return isinstance(known, Operator) and known.declared and known.definition is None


def check_recursive_arity(
    r: Resolution, declared: Operator, params: tuple[Parameter, ...], node: tree.OperatorDefinition
) -> None:
    if declared.arity == len(params) and not (params and params[-1].arity):
        return
    r.report(
        "recursive-arity",
        f"`{node.name}` is defined with other arguments than it is declared RECURSIVE with",
        node.name_span,
        other=(declared.span, "declared here"),
    )


def end_recursion(r: Resolution, symbol: Operator, node: tree.OperatorDefinition | tree.FunctionDefinition) -> None:
    symbol.definition = node
    undefined = r.undefined[r.let_depth]
    if symbol in undefined:
        undefined.remove(symbol)
    if not any(r.undefined):
        r.section = None


def check_all_defined(r: Resolution) -> None:
    """At the end of a LET or of a module: everything declared RECURSIVE must be defined by now."""
    for symbol in r.undefined[r.let_depth]:
        r.report("recursive-not-defined", f"`{symbol.name}` is declared RECURSIVE but never defined", symbol.span)
    r.undefined[r.let_depth].clear()
    if not any(r.undefined):
        r.section = None


def let(r: Resolution, node: tree.Let) -> None:
    names: dict[str, Symbol] = {}
    r.scope.enter(names)
    r.let_depth += 1
    r.undefined.append([])
    for definition in node.definitions:
        r.node(definition)
    check_all_defined(r)
    r.undefined.pop()
    r.let_depth -= 1
    r.expression(node.body)
    r.scope.leave()
    r.program.let_names[id(node)] = names


DEFINITIONS: dict[type, Handler] = {
    tree.OperatorDefinition: operator_definition,
    tree.FunctionDefinition: function_definition,
    tree.Recursive: recursive,
    tree.Let: let,
}
