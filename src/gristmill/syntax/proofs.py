"""The parser of proofs, which are kept but never evaluated, and of ASSUME … PROVE."""

import re
from typing import Literal

from gristmill.syntax import tree
from gristmill.syntax.definitions import DefinitionParser
from gristmill.syntax.token import IDENTIFIER, STEP

_LEAF_PROOFS = frozenset(["BY", "OBVIOUS", "OMITTED"])
_NEW_KINDS = frozenset(["CONSTANT", "VARIABLE", "STATE", "ACTION", "TEMPORAL"])
_STEP_LEVEL = re.compile(r"<([0-9]+|\+|\*)>")


class ProofParser(DefinitionParser):
    # ----------------------------------------------------------------------------------------- statements

    def statement(self) -> tree.Statement:
        """An expression, or ASSUME … PROVE, perhaps labelled."""
        return self.assume_prove() if self.at_assume_prove() else self.expression()

    def at_assume_prove(self) -> bool:
        at = 2 if self.peek() == IDENTIFIER and self.peek_at(1) == "::" else 0
        return self.peek_at(at) in ("ASSUME", "[]ASSUME")

    def assume_prove(self) -> tree.AssumeProve:
        self.enter()
        first = self.index
        label = None
        if self.peek() == IDENTIFIER:
            label = self.identifier("as a label").name
            self.index += 1
        boxed = self.peek() == "[]ASSUME"
        self.index += 1
        assumptions = [self.assumption()]
        while self.accept(","):
            assumptions.append(self.assumption())
        if self.peek() not in ("PROVE", "[]PROVE"):
            self.fail_expecting("`PROVE` or `,`", "in ASSUME")
        self.index += 1
        goal = self.expression()
        self.depth -= 1
        return tree.AssumeProve(tuple(assumptions), goal, boxed, label, self.span_from(first))

    def assumption(self) -> tree.Assumption:
        if self.at_assume_prove():
            return self.assume_prove()
        kind = self.peek()
        return self.new_symbol() if kind == "NEW" or kind in _NEW_KINDS else self.expression()

    def new_symbol(self) -> tree.NewSymbol:
        first = self.index
        self.accept("NEW")
        kind = self.peek() if self.peek() in _NEW_KINDS else ""
        if kind:
            self.index += 1
        parameter = self.parameter()
        domain = None
        if kind in ("", "CONSTANT") and self.peek() == "\\in":
            if parameter.arity:
                self.fail("syntax-error", "a symbol with arguments cannot be declared by `\\in`")
            self.index += 1
            domain = self.expression()
        return tree.NewSymbol(kind, parameter, domain, self.span_from(first))  # type: ignore[arg-type]

    # --------------------------------------------------------------------------------------------- proofs

    def optional_proof(self, level: int) -> tree.Proof | None:
        """The proof that begins at the cursor, of a statement at proof level `level` (-1: a theorem)."""
        kind = self.peek()
        if kind in _LEAF_PROOFS or kind == "PROOF":
            return self.proof(level)
        if kind == STEP:
            token = self.tokens.text(self.index)
            found = _STEP_LEVEL.match(token)
            assert found is not None
            mark = found[1]
            if mark == "+" or (mark == "*" and level < 0) or (mark.isdigit() and int(mark) > level):
                return self.proof(level)
        return None

    def proof(self, level: int) -> tree.Proof:
        self.enter()
        first = self.index
        explicit = self.accept("PROOF")
        proof = self.leaf_proof(first, explicit) or self.steps_proof(first, explicit, level)
        self.depth -= 1
        return proof

    def leaf_proof(self, first: int, explicit: bool) -> tree.LeafProof | None:
        kind = self.peek()
        if kind not in _LEAF_PROOFS:
            return None
        self.index += 1
        only, facts, definitions = self.facts_and_definitions() if kind == "BY" else (False, (), ())
        return tree.LeafProof(kind, only, facts, definitions, explicit, self.span_from(first))  # type: ignore[arg-type]

    def facts_and_definitions(self) -> tuple[bool, tuple[tree.Fact, ...], tuple[tree.Fact, ...]]:
        only = self.accept("ONLY")
        facts = () if self.peek() == "DEF" else self.facts()
        definitions = self.facts() if self.accept("DEF") else ()
        return only, facts, definitions

    def facts(self) -> tuple[tree.Fact, ...]:
        facts = [self.fact()]
        while self.accept(","):
            facts.append(self.fact())
        return tuple(facts)

    def fact(self) -> tree.Fact:
        first, kind = self.index, self.peek()
        if kind == "MODULE":
            self.index += 1
            name, _ = self.module_name("behind MODULE")
            return tree.ModuleFact(name, self.span_from(first))
        if self.at_operator_name():
            self.index += 1
            return tree.Name(kind, self.tokens.span(first))
        return self.expression()

    def use_or_hide(self) -> tree.UseOrHide:
        first = self.index
        kind: Literal["USE", "HIDE"] = "USE" if self.peek() == "USE" else "HIDE"
        self.index += 1
        only, facts, definitions = self.facts_and_definitions()
        return tree.UseOrHide(kind, only, facts, definitions, self.span_from(first))

    def steps_proof(self, first: int, explicit: bool, outer: int) -> tree.StepsProof:
        steps: list[tree.Step] = []
        level: int | None = None
        while not steps or not isinstance(steps[-1].body, tree.QedStep):
            if self.peek() != STEP:
                self.fail_expecting("a proof step", "here", "a structured proof ends with a QED step")
            level = self.step_level(level, outer)
            steps.append(self.step(level))
        return tree.StepsProof(tuple(steps), explicit, self.span_from(first))

    def step_level(self, level: int | None, outer: int) -> int:
        """The level of the proof that the step at the cursor belongs to; the first step decides it."""
        token = self.tokens.text(self.index)
        found = _STEP_LEVEL.match(token)
        assert found is not None
        mark = found[1]
        own = int(mark) if mark.isdigit() else None
        if level is None:
            if own is not None and own <= outer:
                self.fail("bad-step-level", f"the step `{token}` must be of a level deeper than <{outer}>")
            return outer + 1 if own is None else own
        if mark == "+" or (own is not None and own != level):
            self.fail(
                "bad-step-level",
                f"the step `{token}` is not of the level <{level}> of its proof",
                help="a proof ends with a QED step of its level",
            )
        return level

    def step(self, level: int) -> tree.Step:
        first = self.index
        token = self.tokens.text(first)
        self.index += 1
        body = self.step_body()
        proof_start = self.index
        proof = self.optional_proof(level)
        if proof is not None and not isinstance(body, tree.AssertStep | tree.CaseStep | tree.PickStep | tree.QedStep):
            self.fail("step-takes-no-proof", "this kind of step takes no proof", self.tokens.span(proof_start))
        return tree.Step(token, body, proof, self.span_from(first))

    def step_body(self) -> tree.StepBody:
        first, kind = self.index, self.peek()
        if kind in ("USE", "HIDE"):
            return self.use_or_hide()
        if kind == "INSTANCE":
            instance = self.instance()
            return tree.InstanceStep(instance, self.span_from(first))
        if kind == "DEFINE" or self.at_definition():
            return self.define_step()
        self.index += 1
        match kind:
            case "QED":
                return tree.QedStep(self.span_from(first))
            case "HAVE":
                fact = self.expression()
                return tree.HaveStep(fact, self.span_from(first))
            case "TAKE":
                bounds = self.bounded_or_not()
                return tree.TakeStep(bounds, self.span_from(first))
            case "WITNESS":
                values = self.expressions("WITNESS")
                return tree.WitnessStep(values, self.span_from(first))
            case "PICK":
                bounds = self.bounded_or_not()
                self.expect(":", "behind the names of PICK")
                predicate = self.expression()
                return tree.PickStep(bounds, predicate, self.span_from(first))
            case "CASE":
                condition = self.expression()
                return tree.CaseStep(condition, self.span_from(first))
            case "SUFFICES":
                claim = self.statement()
                return tree.AssertStep(claim, True, self.span_from(first))
        self.index = first
        claim = self.statement()
        return tree.AssertStep(claim, False, self.span_from(first))

    def define_step(self) -> tree.DefineStep:
        first = self.index
        explicit = self.accept("DEFINE")
        definitions = [self.definition()]
        while self.at_definition():
            definitions.append(self.definition())
        return tree.DefineStep(tuple(definitions), explicit, self.span_from(first))
