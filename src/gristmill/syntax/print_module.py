"""From the tree of a module, proofs included, back to source that parses to the same tree."""

from collections.abc import Sequence
from typing import assert_never

from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree
from gristmill.syntax.layout import Layout
from gristmill.syntax.printer import ExpressionPrinter


def print_module(module: tree.Module, unicode: bool = False) -> str:
    """The text of a module, ending in a newline."""
    printer = ModulePrinter(Layout(), unicode)
    with_deep_stack(lambda: printer.module(module))
    return printer.layout.text() + "\n"


class ModulePrinter(ExpressionPrinter):
    def module(self, node: tree.Module) -> None:
        self.write(f"---- MODULE {node.name} ----")
        if node.extends:
            self.layout.newline(0)
            self.write("EXTENDS " + ", ".join(name.name for name in node.extends))
        for unit in node.units:
            self.layout.newline(0)
            self.unit(unit)
        self.layout.newline(0)
        self.write("====")

    def unit(self, node: tree.Unit) -> None:
        match node:
            case tree.Module():
                self.module(node)
            case tree.Separator():
                self.write("----")
            case tree.ConstantDeclaration(params):
                self.write("CONSTANT ")
                self.parameters(params)
            case tree.VariableDeclaration(names):
                self.write("VARIABLE " + ", ".join(name.name for name in names))
            case tree.InstanceUnit(instance, local):
                self.write("LOCAL " if local else "")
                self.instance(instance)
            case tree.Assume(keyword, name, body):
                self.heading(keyword, name)
                self.statement(body)
            case tree.Theorem(keyword, name, body, proof):
                self.heading(keyword, name)
                self.statement(body)
                self.proof(proof)
            case tree.UseOrHide():
                self.use_or_hide(node)
            case tree.OperatorDefinition() | tree.FunctionDefinition() | tree.InstanceDefinition() | tree.Recursive():
                self.definition(node)
            case _:
                assert_never(node)

    def heading(self, keyword: str, name: tree.Name | None) -> None:
        self.write(f"{keyword} ")
        if name is not None:
            self.write(f"{name.name} {self.symbol('==')} ")

    # ------------------------------------------------------------------------------------------------ statements

    def statement(self, node: tree.Statement) -> None:
        if isinstance(node, tree.AssumeProve):
            self.assume_prove(node)
        else:
            self.expression(node)

    def assume_prove(self, node: tree.AssumeProve) -> None:
        box = self.symbol("[]") if node.boxed else ""
        if node.label is not None:
            self.write(f"{node.label} {self.symbol('::')} ")
        self.write(f"{box}ASSUME ")
        for index, assumption in enumerate(node.assumptions):
            self.write(", " if index else "")
            if isinstance(assumption, tree.NewSymbol):
                self.new_symbol(assumption)
            else:
                self.statement(assumption)
        self.write(f" {box}PROVE ")
        self.expression(node.goal)

    def new_symbol(self, node: tree.NewSymbol) -> None:
        kind = f"{node.kind} " if node.kind else ""
        self.write(f"NEW {kind}{self.parameter(node.parameter)}")
        if node.domain is not None:
            self.write(f" {self.symbol(chr(92) + 'in')} ")
            self.expression(node.domain)

    # ---------------------------------------------------------------------------------------------------- proofs

    def proof(self, proof: tree.Proof | None) -> None:
        if proof is None:
            return
        self.layout.newline(2)
        if proof.explicit:
            self.write("PROOF ")
        match proof:
            case tree.LeafProof(kind, only, facts, definitions):
                self.write(kind)
                self.facts_and_definitions(only, facts, definitions)
            case tree.StepsProof(steps):
                for step in steps:
                    self.layout.newline(2)
                    self.step(step)
            case _:
                assert_never(proof)

    def facts_and_definitions(self, only: bool, facts: Sequence[tree.Fact], definitions: Sequence[tree.Fact]) -> None:
        self.write(" ONLY" if only else "")
        for words, items in (("", facts), ("DEF ", definitions)):
            for index, fact in enumerate(items):
                self.write(", " if index else f" {words}")
                if isinstance(fact, tree.ModuleFact):
                    self.write(f"MODULE {fact.module}")
                else:
                    self.expression(fact)

    def use_or_hide(self, node: tree.UseOrHide) -> None:
        self.write(node.kind)
        self.facts_and_definitions(node.only, node.facts, node.definitions)

    def step(self, node: tree.Step) -> None:
        self.write(node.token + " ")
        self.step_body(node.body)
        self.proof(node.proof)

    def step_body(self, node: tree.StepBody) -> None:
        match node:
            case tree.AssertStep(statement, suffices):
                self.write("SUFFICES " if suffices else "")
                self.statement(statement)
            case tree.CaseStep(expression):
                self.write("CASE ")
                self.expression(expression)
            case tree.HaveStep(expression):
                self.write("HAVE ")
                self.expression(expression)
            case tree.TakeStep(bounds):
                self.write("TAKE ")
                self.bounds(bounds)
            case tree.WitnessStep(values):
                self.write("WITNESS ")
                self.separated(values)
            case tree.PickStep(bounds, predicate):
                self.write("PICK ")
                self.bounds(bounds)
                self.write(" : ")
                self.expression(predicate)
            case tree.DefineStep(definitions, explicit):
                self.write("DEFINE " if explicit else "")
                column = self.layout.column
                for index, definition in enumerate(definitions):
                    if index:
                        self.layout.newline(column)
                    self.definition(definition)
            case tree.InstanceStep(instance):
                self.instance(instance)
            case tree.UseOrHide():
                self.use_or_hide(node)
            case tree.QedStep():
                self.write("QED")
            case _:
                assert_never(node)
