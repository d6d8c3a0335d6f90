"""The levels of assumptions, theorems and proofs."""

from __future__ import annotations

from gristmill.modules.levels.algebra import (
    ACTION,
    CONSTANT,
    NOTHING,
    TEMPORAL,
    ExpressionLevels,
    Params,
    define,
    join,
    pass_on,
    with_limit,
)
from gristmill.modules.levels.check import Handler, LevelCheck
from gristmill.modules.levels.instances import check_instance
from gristmill.modules.levels.messages import too_high
from gristmill.modules.symbols import Constant, Fact, Instance, NamedInstance, NewDeclaration
from gristmill.syntax import tree


def assume(c: LevelCheck, node: tree.Assume) -> ExpressionLevels:
    before = c.errors
    levels = c.expression(node.body)
    if levels.level != CONSTANT and c.errors == before:
        assert not isinstance(node.body, tree.AssumeProve)
        too_high(c, "an assumption", node.body, levels.level, CONSTANT, "assume-not-constant")
    note_fact(c, node, levels)
    return levels


def note_fact(c: LevelCheck, node: tree.Assume | tree.Theorem | tree.Step, levels: ExpressionLevels) -> None:
    fact = c.program.symbols.get(id(node))
    if isinstance(fact, Fact):
        fact.levels = define((), levels)


def theorem(c: LevelCheck, node: tree.Theorem) -> ExpressionLevels:
    """A theorem's level counts its proof in: a module with a non-constant proof is not a constant module."""
    levels = c.expression(node.body)
    note_fact(c, node, levels)
    if node.proof is None:
        return levels
    proved = join((levels, proof(c, node.proof)))
    if levels.level == TEMPORAL:
        check_temporal_goal(c, node.proof)
    return proved


def assume_prove(c: LevelCheck, node: tree.AssumeProve) -> ExpressionLevels:
    levels = join([c.expression(part) for part in (*node.assumptions, node.goal)])
    constants: Params = frozenset(p for p in levels.params if isinstance(p, Constant))
    return with_limit(levels, constants, ACTION)


def new_symbol(c: LevelCheck, node: tree.NewSymbol) -> ExpressionLevels:
    symbol = c.program.symbols[id(node.parameter)]
    assert isinstance(symbol, NewDeclaration)
    levels = NOTHING
    if node.domain is not None:
        before = c.errors
        levels = c.expression(node.domain)
        if levels.level == TEMPORAL and c.errors == before:
            c.report("level-temporal-bound", "a temporal formula is used as a set", node.domain.span)
    return join((levels, ExpressionLevels(symbol.level)))


# -------------------------------------------------------------------------------------------------- proofs


def proof(c: LevelCheck, node: tree.Proof) -> ExpressionLevels:
    if isinstance(node, tree.LeafProof):
        return facts(c, node.facts)
    return join([step(c, each) for each in node.steps])


def facts(c: LevelCheck, nodes: tuple[tree.Fact, ...]) -> ExpressionLevels:
    return join([fact(c, node) for node in nodes])


def fact(c: LevelCheck, node: tree.Fact) -> ExpressionLevels:
    if isinstance(node, tree.ModuleFact):
        return NOTHING
    if isinstance(node, tree.Name) and isinstance(c.program.symbols.get(id(node)), NamedInstance):
        return NOTHING
    return c.expression(node)


def step(c: LevelCheck, node: tree.Step) -> ExpressionLevels:
    claimed = c.expression(node.body)
    note_fact(c, node, claimed)
    if node.proof is None:
        return claimed
    proved = join((claimed, proof(c, node.proof)))
    if claimed.level == TEMPORAL:
        check_temporal_goal(c, node.proof)
    return proved


def check_temporal_goal(c: LevelCheck, node: tree.Proof | None) -> None:
    """Below a temporal goal, what is taken, witnessed, assumed or distinguished must be constant."""
    if not isinstance(node, tree.StepsProof):
        return
    for each in node.steps:
        match each.body:
            case tree.TakeStep() | tree.WitnessStep() | tree.HaveStep() | tree.CaseStep() as body:
                if c.expression(body).level != CONSTANT:
                    word = type(body).__name__.removesuffix("Step").upper()
                    message = f"a {word} step for a temporal goal must be of constant level"
                    c.report("level-temporal-goal", message, body.span)
                if isinstance(body, tree.CaseStep):
                    check_temporal_goal(c, each.proof)
            case tree.QedStep():
                check_temporal_goal(c, each.proof)
            case _:
                pass


def assert_step(c: LevelCheck, node: tree.AssertStep) -> ExpressionLevels:
    return c.expression(node.statement)


def case_step(c: LevelCheck, node: tree.CaseStep) -> ExpressionLevels:
    return c.expression(node.condition)


def have_step(c: LevelCheck, node: tree.HaveStep) -> ExpressionLevels:
    return c.expression(node.fact)


def take_step(c: LevelCheck, node: tree.TakeStep) -> ExpressionLevels:
    return join(c.domains(node.bounds))


def witness_step(c: LevelCheck, node: tree.WitnessStep) -> ExpressionLevels:
    return pass_on([c.operand("a witness", value, ACTION) for value in node.values], ACTION)


def pick_step(c: LevelCheck, node: tree.PickStep) -> ExpressionLevels:
    levels, domains = c.under("the condition of PICK", node.bounds, node.predicate, TEMPORAL)
    if levels.level == TEMPORAL:
        for bound, domain in zip(node.bounds, domains, strict=False):
            if domain.level != CONSTANT and bound.domain is not None:
                message = "the set of a temporal PICK must be of constant level"
                c.report("level-temporal-pick", message, bound.domain.span)
    return levels


def qed_step(c: LevelCheck, node: tree.QedStep) -> ExpressionLevels:
    return NOTHING


def define_step(c: LevelCheck, node: tree.DefineStep) -> ExpressionLevels:
    return join([c.expression(each) for each in node.definitions])


def instance_step(c: LevelCheck, node: tree.InstanceStep) -> ExpressionLevels:
    made = c.program.symbols.get(id(node.instance))
    return check_instance(c, made) if isinstance(made, Instance) else NOTHING


def use_or_hide(c: LevelCheck, node: tree.UseOrHide) -> ExpressionLevels:
    return facts(c, node.facts)


PROOFS: dict[type, Handler] = {
    tree.Assume: assume,
    tree.Theorem: theorem,
    tree.AssumeProve: assume_prove,
    tree.NewSymbol: new_symbol,
    tree.AssertStep: assert_step,
    tree.CaseStep: case_step,
    tree.HaveStep: have_step,
    tree.TakeStep: take_step,
    tree.WitnessStep: witness_step,
    tree.PickStep: pick_step,
    tree.QedStep: qed_step,
    tree.DefineStep: define_step,
    tree.InstanceStep: instance_step,
    tree.UseOrHide: use_or_hide,
}
