"""Assumptions, theorems and proofs: what the steps are called, and how far the names they introduce reach."""

from __future__ import annotations

from typing import Literal

from gristmill.modules.resolve import operands
from gristmill.modules.resolve.expressions import add_label, labels_allowed
from gristmill.modules.resolve.instances import import_definitions
from gristmill.modules.resolve.paths import find_step
from gristmill.modules.resolve.references import body_under, wrong_arity
from gristmill.modules.resolve.state import Handler, LabelFrame, Resolution, Wanted
from gristmill.modules.specification import OperatorReference, PreviousStep
from gristmill.modules.symbols import (
    BuiltIn,
    Fact,
    Instanced,
    Label,
    NamedInstance,
    NewDeclaration,
    Operator,
    Parameter,
    ProofStep,
    Symbol,
)
from gristmill.source import Span
from gristmill.syntax import tree
from gristmill.syntax.operators import INFIX

_LEVELS = {"CONSTANT": 0, "VARIABLE": 1, "STATE": 1, "ACTION": 2, "TEMPORAL": 3}
_IN_ASSUME = "$ASSUME"  # no name in a text can be this; it marks the scope of an ordinary ASSUME


def assume(r: Resolution, node: tree.Assume) -> None:
    if node.name is None:
        statement(r, node.body)
        return
    r.frames.append(LabelFrame())
    statement(r, node.body)
    labels = r.frames.pop().labels
    fact = Fact(node.name.name, "assumption", r.module, node.name.span, node.body, labels=labels)
    r.note(node, fact)
    r.declare(fact, node.name.span)


def theorem(r: Resolution, node: tree.Theorem) -> None:
    fact = None
    if node.name is not None:
        fact = Fact(node.name.name, "theorem", r.module, node.name.span, node.body)
        r.note(node, fact)
        r.frames.append(LabelFrame())
    declared: dict[str, Symbol] = {}
    r.scope.enter(declared)
    r.goal = fact
    statement(r, node.body)
    r.goal = None
    r.scope.leave()
    if fact is not None:
        fact.labels = r.frames.pop().labels
        r.declare(fact, fact.span)
    if node.proof is not None:
        r.scope.enter(declared)
        proof(r, node.proof)
        r.scope.leave()
    if fact is not None:
        fact.in_scope = False


def statement(r: Resolution, node: tree.Statement) -> None:
    if isinstance(node, tree.AssumeProve):
        assume_prove(r, node)
    else:
        r.expression(node)


def assume_prove(r: Resolution, node: tree.AssumeProve) -> None:
    """The names of NEW are bound in the innermost scope: they reach as far as the caller keeps it open."""
    if node.label is not None and not labels_allowed(r, node):
        return
    if node.label is not None:
        r.frames.append(LabelFrame())
    nested = bool(r.declared_in_assume)
    if nested:
        r.scope.enter()
    mark_assume(r, node)
    r.declared_in_assume.append(False)
    for clause, assumption in enumerate(node.assumptions):
        if not nested:
            r.goal_clause = clause
        if isinstance(assumption, tree.NewSymbol):
            new_symbol(r, assumption)
            r.declared_in_assume[-1] = True
        else:
            statement(r, assumption)
    if not nested:
        r.goal_clause = len(node.assumptions)
    r.expression(node.goal)
    r.declared_in_assume.pop()
    if nested:
        r.scope.leave()
    if node.label is not None:
        label = Label(node.label, (), node, node.span, r.frames.pop().labels, r.goal, r.goal_clause)
        r.note(node, label)
        add_label(r, label)


def mark_assume(r: Resolution, node: tree.AssumeProve) -> None:
    inside = _IN_ASSUME in r.scope.names
    if node.boxed and inside:
        r.report("boxed-assume", "[]ASSUME cannot stand inside an ordinary ASSUME", node.span)
    elif not node.boxed and not inside:
        r.scope.bind(_IN_ASSUME, NewDeclaration(_IN_ASSUME, 0, "CONSTANT", r.module, node.span))


def new_symbol(r: Resolution, node: tree.NewSymbol) -> None:
    if node.domain is not None:
        r.expression(node.domain)
    kind: Literal["CONSTANT", "VARIABLE", "STATE", "ACTION", "TEMPORAL"] = node.kind or "CONSTANT"
    param = node.parameter
    symbol = NewDeclaration(param.name, param.arity, kind, r.module, param.span, _LEVELS[kind])
    r.note(param, symbol)
    r.declare(symbol, param.span)


# -------------------------------------------------------------------------------------------------- proofs


def proof(r: Resolution, node: tree.Proof) -> None:
    if isinstance(node, tree.LeafProof):
        facts_and_definitions(r, node)
        return
    r.scope.enter({})
    level = operands.step_level(node.steps[0].token, r.proof_levels, True)
    r.proof_levels.append(level)
    open_scopes = 1
    previous, r.previous_right = r.previous_right, None
    for each in node.steps:
        open_scopes += step(r, each)
    r.previous_right = previous
    r.proof_levels.pop()
    for _ in range(open_scopes):
        r.scope.leave()


def step(r: Resolution, node: tree.Step) -> int:
    """One step with its proof. Says how many scopes it leaves open for the steps behind it."""
    named = operands.step_has_name(node.token)
    if named and operands.is_implicit(node.token):
        r.report(
            "implicit-step-named",
            "a step of implicit level, <*> or <+>, cannot have a name",
            _token_span(node),
            "write the level as a number",
        )
    key = operands.step_key(node.token, r.proof_levels)
    if named:
        r.frames.append(LabelFrame())
    before = r.previous_right
    r.previous_right = None
    match node.body:
        case tree.DefineStep() | tree.UseOrHide() | tree.InstanceStep():
            r.node(node.body)
            if named:
                r.frames.pop()
                made = ProofStep(key, node.body, r.module, _token_span(node))
                r.note(node, made)
                r.declare(made, _token_span(node))
            return 0
        case _:
            r.previous_right = before
            return claim(r, node, key if named else None)


def claim(r: Resolution, node: tree.Step, key: str | None) -> int:
    """A step that claims something: assertion, CASE, HAVE, TAKE, PICK, WITNESS, QED."""
    body = node.body
    fact = None
    if key is not None:
        fact = Fact(key, "step", r.module, _token_span(node), body)
        r.note(node, fact)
    suffices = isinstance(body, tree.AssertStep) and body.suffices
    if fact is not None:
        fact.in_scope = not suffices
    declared: dict[str, Symbol] = {}
    # TAKE binds for the steps behind it; what the others bind must first be closed for their own proof.
    taking = isinstance(body, tree.TakeStep)
    if not taking:
        r.scope.enter(declared)
    r.goal = fact
    claim_body(r, body)
    r.goal = None
    if not taking:
        r.scope.leave()
    if fact is not None:
        fact.labels = r.frames.pop().labels
        r.declare(fact, fact.span)
    step_proof(r, node, declared if isinstance(body, tree.AssertStep) and not suffices else None)
    if fact is not None:
        fact.in_scope = suffices
    if suffices:
        r.scope.enter(declared)
        return 1
    if isinstance(body, tree.PickStep):
        for symbol in declared.values():
            assert symbol.span is not None
            r.declare(symbol, symbol.span)
    return 0


def step_proof(r: Resolution, node: tree.Step, declared: dict[str, Symbol] | None) -> None:
    if node.proof is None:
        return
    before = r.previous_right
    if declared is None:
        proof(r, node.proof)
    else:
        r.scope.enter(declared)
        proof(r, node.proof)
        r.scope.leave()
    r.previous_right = before


def claim_body(r: Resolution, body: tree.StepBody) -> None:
    before, r.previous_right = r.previous_right, None
    match body:
        case tree.AssertStep(statement=claimed) if not body.suffices and not isinstance(claimed, tree.AssumeProve):
            assertion(r, claimed, before)
        case tree.AssertStep(statement=claimed):
            statement(r, claimed)
        case tree.CaseStep(expression) | tree.HaveStep(expression):
            r.expression(expression)
        case tree.TakeStep():
            bind_here(r, body.bounds)
        case tree.PickStep():
            params = bind_here(r, body.bounds)
            body_under(r, params, body.predicate)
        case tree.WitnessStep():
            for value in body.values:
                r.expression(value)
        case tree.QedStep():
            pass
        case tree.DefineStep() | tree.InstanceStep() | tree.UseOrHide():
            r.node(body)


def bind_here(r: Resolution, node: tuple[tree.Bound, ...]) -> list[Parameter]:
    """Bind names in the scope that is open already."""
    for bound in node:
        if bound.domain is not None:
            r.expression(bound.domain)
    bound_names = []
    for bound in node:
        bound_names += r.bind_names(bound.names)
    return bound_names


def assertion(r: Resolution, node: tree.Expression, before: PreviousStep | None) -> None:
    """`@` on the left of an infix operator is the right-hand side of the step before."""
    if not isinstance(node, tree.Apply) or node.operator.name not in INFIX:
        r.expression(node)
        return
    left = node.args[0]
    if before is not None and isinstance(left, tree.At):
        r.program.at_targets[id(left)] = before
        symbol = r.scope.names.get(node.operator.name)
        if symbol is None:
            r.unknown(node.operator.name, node.operator.span)
        else:
            r.note(node.operator, symbol)
        r.expression(node.args[1])
    else:
        r.expression(node)
    r.previous_right = PreviousStep(node.args[1])


def define_step(r: Resolution, node: tree.DefineStep) -> None:
    for definition in node.definitions:
        r.node(definition)


def instance_step(r: Resolution, node: tree.InstanceStep) -> None:
    import_definitions(r, node.instance, local=False)


def use_or_hide(r: Resolution, node: tree.UseOrHide) -> None:
    facts_and_definitions(r, node)
    if node.kind == "HIDE":
        for each in node.facts:
            check_hidden(r, each)


def check_hidden(r: Resolution, node: tree.Fact) -> None:
    """Only what has a name as a fact can be hidden."""
    match node:
        case tree.ModuleFact() | tree.StepName():
            return
        case tree.Name() | tree.Apply():
            symbol = r.scope.names.get(node.name if isinstance(node, tree.Name) else node.operator.name)
            if symbol is None or is_fact(symbol) or isinstance(symbol, NamedInstance):
                return
        case tree.Path():
            reference = r.program.references.get(id(node))
            if not isinstance(reference, OperatorReference) or is_fact(reference.symbol):
                return
        case _:
            pass
    r.report("not-a-fact", "HIDE takes the names of theorems, assumptions and steps", node.span)


def is_fact(symbol: Symbol) -> bool:
    return isinstance(symbol, Fact) or (isinstance(symbol, Instanced) and isinstance(symbol.origin, Fact))


def facts_and_definitions(r: Resolution, node: tree.LeafProof | tree.UseOrHide) -> None:
    for each in node.facts:
        fact(r, each)
    for each in node.definitions:
        definition(r, each)


def fact(r: Resolution, node: tree.Fact) -> None:
    match node:
        case tree.ModuleFact():
            check_module(r, node)
        case tree.Name():
            symbol = r.scope.names.get(node.name)
            if symbol is None:
                r.unknown(node.name, node.span)
                return
            r.note(node, symbol)
            if symbol.arity != 0:
                wrong_arity(r, symbol, 0, node.span)
        case tree.StepName():
            found = find_step(r, node.name, node.span)
            if isinstance(found, ProofStep):
                r.report("not-a-fact", f"the step {node.name} claims nothing", node.span)
            elif found is not None:
                r.note(node, found)
        case tree.Path():
            r.resolve_path(r, node, Wanted(fact=True))
        case _:
            r.expression(node)


def definition(r: Resolution, node: tree.Fact) -> None:
    """An entry of DEF."""
    symbol: Symbol | None
    match node:
        case tree.ModuleFact():
            check_module(r, node)
            return
        case tree.Name():
            symbol = r.scope.names.get(node.name)
            if symbol is None:
                r.unknown(node.name, node.span)
                return
            r.note(node, symbol)
        case tree.StepName():
            symbol = find_step(r, node.name, node.span)
            if symbol is None:
                return
            r.note(node, symbol)
            if not isinstance(symbol, ProofStep) or not isinstance(symbol.body, tree.DefineStep):
                _not_a_definition(r, node.name, node.span)
            return
        case tree.Path():
            reference = r.resolve_path(r, node, Wanted(definition=True))
            if not isinstance(reference, OperatorReference):
                return
            symbol = reference.symbol
        case _:
            r.report("not-a-definition", "DEF takes the names of definitions", node.span)
            return
    if isinstance(symbol, BuiltIn) or not isinstance(symbol, Operator | Instanced | Fact | NamedInstance):
        _not_a_definition(r, symbol.name, node.span)


def _not_a_definition(r: Resolution, name: str, span: Span) -> None:
    r.report("not-a-definition", f"`{name}` is not a definition, and DEF takes the names of definitions", span)


def check_module(r: Resolution, node: tree.ModuleFact) -> None:
    known = node.module in r.scope.modules or node.module in r.program.modules or node.module == r.module.name
    if not known:
        r.report("unknown-module", f"the module {node.module} is neither extended nor instantiated", node.span)


def _token_span(node: tree.Step) -> Span:
    return Span(node.span.file, node.span.start, node.span.start + len(node.token))


PROOFS: dict[type, Handler] = {
    tree.Assume: assume,
    tree.Theorem: theorem,
    tree.UseOrHide: use_or_hide,
    tree.DefineStep: define_step,
    tree.InstanceStep: instance_step,
}
