"""The translation as text: declarations, Init, the actions, Next, Spec, Termination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gristmill.pluscal import tree
from gristmill.pluscal.actions import ActionWriter, Scope
from gristmill.pluscal.fairness import Fairness, fairness_conjuncts
from gristmill.pluscal.names import Resolved
from gristmill.pluscal.options import Options
from gristmill.pluscal.shape import Shape
from gristmill.pluscal.steps import (
    DEFAULT_INITIAL_VALUE,
    Step,
    StepMaker,
    first_label,
    initial_value,
)
from gristmill.pluscal.substitute import in_parens
from gristmill.pluscal.writer import Writer
from gristmill.source import Diagnostic, SourceFile, Span
from gristmill.syntax import tree as tla
from gristmill.syntax.literals import string_text
from gristmill.syntax.tree import Expression, Name

PROC_SET = Name("ProcSet", SourceFile("", "ProcSet").span(0, 7))


@dataclass(slots=True)
class Actions:
    """The disjuncts of Next, and where every action comes from."""

    single: list[str] = field(default_factory=list)
    procedures: list[str] = field(default_factory=list)
    sets: list[tuple[Expression, str]] = field(default_factory=list)
    origins: dict[str, Span] = field(default_factory=dict)
    identities: dict[str, Expression] = field(default_factory=dict)  # of the one process that takes an action


class Generator:
    def __init__(self, resolved: Resolved, options: Options, shape: Shape) -> None:
        algorithm = resolved.algorithm
        self.algorithm, self.options, self.shape = algorithm, options, shape
        self.renamings, self.local_names = resolved.renamings, resolved.local_names
        self.writer = Writer()
        self.diagnostics: list[Diagnostic] = []
        self.action_writer = ActionWriter(self.writer, self.diagnostics)
        self.actions = Actions()
        self.multiple = bool(algorithm.processes)
        procedure_variables = [v for p in algorithm.procedures for v in (*p.params, *p.variables)]
        process_variables = [v for p in algorithm.processes for v in p.variables]
        self.local_variables = [v.name.name for v in (*procedure_variables, *process_variables)]
        self.global_variables = [] if shape.omit_pc else ["pc"]
        self.global_variables += [v.name.name for v in algorithm.variables]
        self.global_variables += ["stack"] if algorithm.procedures else []
        self.variables = (*self.global_variables, *self.local_variables)
        in_sets = [v.name.name for p in algorithm.processes if p.is_set for v in p.variables]
        per_process = [*(v.name.name for v in procedure_variables), *in_sets] if self.multiple else []
        self.subscripted = frozenset(per_process)
        self.all_declarations = [*algorithm.variables, *procedure_variables, *process_variables]
        self.needs_default = any(v.value is None for v in self.all_declarations)

    def generate(self) -> None:
        """Write it all; mistakes found on the way are in `diagnostics`."""
        if not self.variables:
            self.diagnostics.append(
                Diagnostic("pluscal-no-variables", "the algorithm has no variables", self.algorithm.name.span)
            )
            return
        self.check_names()
        self.report_renamings()
        self.declare()
        if self.multiple:
            self.process_set()
        self.init()
        for procedure in self.algorithm.procedures:
            self.procedure(procedure)
        for process in self.algorithm.processes:
            self.process(process)
        if not self.multiple:
            self.body()
        self.next()
        self.spec()
        self.termination()

    def check_names(self) -> None:
        """What the algorithm names must not have a name that the translation defines."""
        ours = {"vars", "Init", "Next", "Spec"} | ({"ProcSet", "self"} if self.multiple else set())
        ours |= set() if self.shape.omit_pc or self.shape.omit_terminating else {"Terminating", "Termination"}
        ours |= {DEFAULT_INITIAL_VALUE} if self.needs_default else set()
        algorithm = self.algorithm
        parts: list[tree.Procedure | tree.Process] = [*algorithm.procedures, *algorithm.processes]
        names = [*(v.name for v in self.all_declarations), *(part.name for part in parts)]
        bodies = [algorithm.body, *(part.body for part in parts)]
        labels = [s.label for body in bodies for s in tree.walk(body) if s.label is not None]
        names += [Name(label.name, label.span) for label in labels if not self.shape.omit_pc]
        for name in names:
            if name.name in ours:
                message = f"`{name.name}` is a name that the translation defines"
                problem = Diagnostic("pluscal-reserved-name", message, name.span, help="use another name")
                self.diagnostics.append(problem)

    # ------------------------------------------------------------------------------------------ declarations

    def report_renamings(self) -> None:
        for renaming in self.renamings:
            line, column = renaming.span.line, renaming.span.column
            what = f"{renaming.description} at line {line}, column {column}"
            self.writer.write(f"\\* {what} is called {renaming.new_name} here\n")

    def declare(self) -> None:
        w = self.writer
        if self.needs_default:
            w.write(f"CONSTANT {DEFAULT_INITIAL_VALUE}\n")
        definitions = self.algorithm.definitions
        if definitions is None:
            self.declare_variables(self.variables)
        else:
            self.declare_variables(self.global_variables)
            w.write("\n\\* the define statement\n")
            self.define(definitions)
            w.write("\n")
            self.declare_variables(self.local_variables)
        w.newline()
        w.names("vars == <<", self.variables, ">>")
        w.blank_line()

    def declare_variables(self, names: Sequence[str]) -> None:
        if names:
            self.writer.names("VARIABLES " if len(names) > 1 else "VARIABLE ", names, "")
            self.writer.newline()

    def define(self, definitions: Span) -> None:
        """The text of the definitions, comments and all, moved to the left margin."""
        file = definitions.file
        line_start = file.text.rfind("\n", 0, definitions.start) + 1
        before = " " * len(file.text[line_start : definitions.start].expandtabs(8))
        lines = [line.rstrip().expandtabs(8) for line in (before + definitions.text).split("\n")]
        while lines and not lines[-1].strip():
            lines.pop()
        while lines and not lines[0].strip():
            lines.pop(0)
        margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        with self.writer.coming_from(definitions):
            self.writer.write("\n".join(line[margin:] for line in lines))
        self.writer.newline()

    def process_set(self) -> None:
        w = self.writer
        w.write("ProcSet == ")
        for index, process in enumerate(self.algorithm.processes):
            w.write(" \\cup " if index else "")
            bare = process.is_set and in_parens(process.identity) is process.identity
            w.write("" if bare else "(" if process.is_set else "{")
            w.expression(process.identity)
            w.write("" if bare else ")" if process.is_set else "}")
        w.blank_line()

    # --------------------------------------------------------------------------------------------------- Init

    def init(self) -> None:
        w = self.writer
        w.write("Init ==")
        for variable in self.algorithm.variables:
            self.initial(variable)
        for procedure in self.algorithm.procedures:
            for variable in (*procedure.params, *procedure.variables):
                self.initial(variable, procedure.name.name, PROC_SET if self.multiple else None)
        for process in self.algorithm.processes:
            for variable in process.variables:
                domain, identity = (process.identity, None) if process.is_set else (None, process.identity)
                self.initial(variable, process.name.name, domain, identity)
        if self.algorithm.procedures:
            w.write("\n    /\\ stack = " + ("[self \\in ProcSet |-> << >>]" if self.multiple else "<< >>"))
        if not self.shape.omit_pc:
            w.write("\n    /\\ pc = ")
            self.initial_pc()
        w.blank_line()

    def initial(
        self,
        variable: tree.VariableDeclaration,
        owner: str = "",
        domain: Expression | None = None,
        identity: Expression | None = None,
    ) -> None:
        """`x = e`, `x \\in S`, or for each process in `domain` one value; `identity` is that of the one process."""
        w = self.writer
        value, span = initial_value(variable), variable.span
        w.write("\n    /\\ ")
        with w.coming_from(span):
            w.write(f"{variable.name.name} {chr(92) + 'in' if variable.is_member else '='} ")
            if domain is None:
                scope = replace(self.scope(identity, identity is not None, owner), subscripted=frozenset())
                w.operand(scope.on(value), scope.by_old_names())
                return
            if variable.is_member:
                # No process is meant in particular: any one will do.
                bound = tla.Bound((Name("self", span),), False, domain, span)
                scope = self.scope(tla.Choose(bound, Name("TRUE", span), span), False, owner)
                w.write("[")
                w.expression(domain)
                w.write(" -> ")
            else:
                scope = self.scope(Name("self", span), False, owner)
                w.write("[self \\in ")
                w.expression(domain)
                w.write(" |-> ")
            w.expression(scope.on(value), scope.by_old_names())
            w.write("]")

    def initial_pc(self) -> None:
        if not self.multiple:
            self.writer.write(string_text(first_label(self.algorithm.body)))
            return
        processes = self.algorithm.processes
        if len(processes) == 1:
            self.writer.write(f"[self \\in ProcSet |-> {string_text(first_label(processes[0].body))}]")
            return
        self.writer.write("[self \\in ProcSet |-> CASE ")
        column = self.writer.column - 3
        for index, process in enumerate(processes):
            if index:
                self.writer.newline(column)
                self.writer.write("[] ")
            self.writer.write("self \\in " if process.is_set else "self = ")
            self.writer.operand(process.identity)
            self.writer.write(f" -> {string_text(first_label(process.body))}")
        self.writer.write("]")

    # ------------------------------------------------------------------------------------------------- actions

    def scope(self, self_: Expression | None, single: bool, owner: str) -> Scope:
        renamed = self.local_names.get(owner, {})
        return Scope(self.variables, self.subscripted, self_, single, self.algorithm.name.span, renamed)

    def steps(self, body: tree.Body, procedure: tree.Procedure | None, self_: Expression | None) -> list[Step]:
        maker = StepMaker(self.algorithm.procedures, procedure, self_, self.shape.omit_pc)
        steps = maker.steps(body)
        self.diagnostics.extend(maker.diagnostics)
        return steps

    def procedure(self, procedure: tree.Procedure) -> None:
        self_ = Name("self", procedure.name.span) if self.multiple else None
        steps = self.steps(procedure.body, procedure, self_)
        argument = "(self)" if self.multiple else ""
        self.write_steps(steps, argument, self.scope(self_, False, procedure.name.name))
        self.alternatives(procedure.name.name + argument, steps, argument, procedure.span)
        self.actions.origins[procedure.name.name] = procedure.span
        (self.actions.procedures if self.multiple else self.actions.single).append(procedure.name.name + argument)

    def process(self, process: tree.Process) -> None:
        self_ = Name("self", process.name.span) if process.is_set else process.identity
        steps = self.steps(process.body, None, self_)
        argument = "(self)" if process.is_set else ""
        scope = self.scope(self_, not process.is_set, process.name.name)
        name = process.name.name
        if self.shape.omit_pc:
            self.write_action(name + argument, steps[0], scope)
        else:
            self.write_steps(steps, argument, scope)
            self.alternatives(name + argument, steps, argument, process.span)
        self.actions.origins[name] = process.span
        if process.is_set:
            self.actions.sets.append((process.identity, name + argument))
        else:
            self.actions.single.append(name)
            self.actions.identities.update(dict.fromkeys((name, *(step.label for step in steps)), process.identity))

    def body(self) -> None:
        steps = self.steps(self.algorithm.body, None, None)
        scope = self.scope(None, False, "")
        if self.shape.omit_pc:
            self.write_action("Next", steps[0], scope)
            return
        self.write_steps(steps, "", scope)
        self.actions.single.extend(step.label for step in steps)

    def write_steps(self, steps: list[Step], argument: str, scope: Scope) -> None:
        for step in steps:
            self.actions.origins[step.label] = step.span
            self.write_action(step.label + argument, step, scope)

    def write_action(self, name: str, step: Step, scope: Scope) -> None:
        self.action_writer.action(name, step, scope)
        self.writer.blank_line()

    def alternatives(self, name: str, steps: list[Step], argument: str, span: Span) -> None:
        """`P(self) == a(self) \\/ b(self)`."""
        w = self.writer
        with w.coming_from(span):
            w.write(f"{name} ==")
            text = " \\/ ".join(step.label + argument for step in steps)
            if w.column + 1 + len(text) <= 100:
                w.write(" " + text)
            else:
                for step in steps:
                    w.write(f"\n    \\/ {step.label}{argument}")
        w.blank_line()

    # -------------------------------------------------------------------------------------- Next, Spec, Termination

    @property
    def has_terminating(self) -> bool:
        return self.options.done_disjunct and not self.shape.omit_terminating

    def next(self) -> None:
        w = self.writer
        if self.has_terminating:
            w.write("\\* An algorithm that has ended may stutter for ever: this is no deadlock.\n")
            done = '/\\ \\A self \\in ProcSet : pc[self] = "Done"' if self.multiple else '/\\ pc = "Done"'
            w.write(f"Terminating ==\n    {done}\n    /\\ UNCHANGED vars\n\n")
        if self.shape.omit_pc and not self.multiple:
            return
        disjuncts: list[tuple[Expression | None, str]] = [(None, action) for action in self.actions.single]
        if self.actions.procedures:
            disjuncts.append((PROC_SET, " \\/ ".join(self.actions.procedures)))
        disjuncts.extend(self.actions.sets)
        if self.has_terminating:
            disjuncts.append((None, "Terminating"))
        w.write("Next ==")
        for domain, action in disjuncts:
            w.write("\n    \\/ " if len(disjuncts) > 1 else "\n    ")
            if domain is not None:
                self.quantifier("\\E", domain)
            w.write(action)
        w.blank_line()

    def quantifier(self, symbol: str, domain: Expression) -> None:
        self.writer.write(f"{symbol} self \\in ")
        self.writer.operand(domain)
        self.writer.write(" : ")

    def spec(self) -> None:
        w = self.writer
        conjuncts = fairness_conjuncts(self.algorithm, self.options)
        if not conjuncts:
            w.write("Spec == Init /\\ [][Next]_vars\n")
            return
        w.write("Spec ==\n    /\\ Init\n    /\\ [][Next]_vars")
        for conjunct in conjuncts:
            self.fairness(conjunct)
        w.newline()

    def fairness(self, fairness: Fairness) -> None:
        w = self.writer
        w.write("\n    /\\ ")
        with w.coming_from(fairness.span):
            if fairness.domain is not None:
                self.quantifier("\\A", fairness.domain)
            elif fairness.identity is not None:
                w.write("LET self == ")
                w.expression(fairness.identity)
                w.write(" IN ")
            column = w.column
            one_line = " /\\ ".join(fairness.formulas)
            if column + len(one_line) <= 100 or len(fairness.formulas) == 1:
                w.write(one_line)
            else:
                w.write(("\n" + " " * column).join(f"/\\ {formula}" for formula in fairness.formulas))

    def termination(self) -> None:
        if self.shape.omit_pc or self.shape.omit_terminating:
            return
        where = "\\A self \\in ProcSet : pc[self]" if self.multiple else "pc"
        self.writer.write(f'\nTermination == <>({where} = "Done")\n')
