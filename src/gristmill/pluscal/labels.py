"""The rules about labels: where one must stand, where none may, and adding those that are missing.

A step of an algorithm goes from one label to the next. It can change a variable only once, cannot contain a loop, and
ends where control leaves it. So a label is needed

- before the first statement of a process, a procedure or the body;
- before `while`;
- behind `call`, `return` and `goto`, and behind an `if` or `either` that contains one of these or a label;
- between two assignments to the same variable.

Inside `with` there can be no label, as the bound name would not outlive the step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar, assert_never

from gristmill.pluscal import tree
from gristmill.pluscal.options import Options
from gristmill.source import Diagnostic, SourceError, Span

AnyStatement = TypeVar("AnyStatement", bound=tree.Statement)
Names = frozenset[str]
_NOTHING: Names = frozenset()


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    message: str
    variables: Names = _NOTHING


FIRST = Rule("pluscal-label-first-statement", "the first statement of a body needs a label")
WHILE = Rule("pluscal-label-before-while", "a `while` needs a label before it")
AFTER_JUMP = Rule("pluscal-label-after-jump", "a statement behind `{}` needs a label")
AFTER_BRANCH = Rule(
    "pluscal-label-after-branch",
    "a statement behind `{}` needs a label when a branch contains a label, `goto`, `call` or `return`",
)
SECOND_ASSIGNMENT = "pluscal-second-assignment"


def add_labels(algorithm: tree.Algorithm, options: Options) -> tree.Algorithm:
    """The algorithm with a label wherever one is needed. Raises `SourceError` when it may not be added."""
    labeller = _Labeller(algorithm, options)
    # The order decides the numbers in the names of added labels, which are names of actions.
    if algorithm.processes:
        processes = tuple(
            replace(p, body=labeller.whole(p.body, None, _names(p.variables))) for p in algorithm.processes
        )
        procedures = labeller.procedures()
        algorithm = replace(algorithm, processes=processes, procedures=procedures)
        may_add = options.add_labels
    else:
        procedures = labeller.procedures()
        body = labeller.whole(algorithm.body, None, _NOTHING)
        algorithm = replace(algorithm, body=body, procedures=procedures)
        may_add = options.add_labels or not labeller.written
    problems = labeller.errors if may_add else labeller.errors + labeller.missing
    if problems:
        raise SourceError(sorted(problems, key=lambda d: d.span.start if d.span else 0))
    return algorithm


class _Labeller:
    def __init__(self, algorithm: tree.Algorithm, options: Options) -> None:
        self.algorithm, self.options = algorithm, options
        bodies = [p.body for p in algorithm.processes] + [p.body for p in algorithm.procedures] + [algorithm.body]
        self.written = {s.label.name for body in bodies for s in tree.walk(body) if s.label is not None}
        self.number = 0
        self.procedure: tree.Procedure | None = None
        self.own = _NOTHING  # variables of the procedure or process at hand; they hide those of the same name
        self.missing: list[Diagnostic] = []
        self.errors: list[Diagnostic] = []

    def procedures(self) -> tuple[tree.Procedure, ...]:
        return tuple(replace(p, body=self.whole(p.body, p, _variables(p))) for p in self.algorithm.procedures)

    def whole(self, body: tree.Body, procedure: tree.Procedure | None, own: Names) -> tree.Body:
        self.procedure, self.own = procedure, own
        return self.sequence(body, FIRST, False, _NOTHING)[0]

    def sequence(
        self, body: tree.Body, rule: Rule | None, in_with: bool, before: Names
    ) -> tuple[tree.Body, bool, Names]:
        """The body with its labels; whether what follows it needs one; the variables assigned since the last one.

        `rule` says why the first statement needs a label, `before` is what was assigned before the body.
        """
        statements: list[tree.Statement] = []
        assigned, has_label = before, False
        for s in body:
            if s.label is not None:
                assigned, has_label = _NOTHING, True
                if in_with:
                    self.error("pluscal-label-in-with", "there can be no label inside `with`", s.label)
            if rule is not None:
                s = self.require(s, rule, in_with)
                assigned, has_label = _NOTHING, True
            s, rule, assigned, needs_label = self.statement(s, in_with, before, assigned)
            has_label = has_label or needs_label
            statements.append(s)
        return tuple(statements), has_label or rule is not None, assigned

    def statement(
        self, s: tree.Statement, in_with: bool, before: Names, assigned: Names
    ) -> tuple[tree.Statement, Rule | None, Names, bool]:
        """The statement; why the next one needs a label; what is assigned then; whether a label was needed here."""
        match s:
            case tree.If() | tree.Either():
                return self.branches(s, in_with, assigned)
            case tree.While():
                return self.loop(s, in_with)
            case tree.With():
                return self.with_(s, in_with, before, assigned)
            case tree.Assign():
                changes = frozenset(a.variable.name for a in s.assignments)
                return self.simple(s, None, in_with, assigned, changes)
            case tree.Call() | tree.Return() | tree.Goto():
                rule = replace(AFTER_JUMP, message=AFTER_JUMP.message.format(_word(s)))
                return self.simple(s, rule, in_with, assigned, self.changed_by_jump(s))
            case tree.Await() | tree.Print() | tree.Assert() | tree.Skip() | tree.MacroCall():
                return s, None, assigned, False
            case _:
                assert_never(s)

    def branches(
        self, s: tree.If | tree.Either, in_with: bool, assigned: Names
    ) -> tuple[tree.Statement, Rule | None, Names, bool]:
        parts = [self.sequence(body, None, in_with, assigned) for body in tree.bodies_of(s)]
        bodies = tuple(body for body, _, _ in parts)
        after = frozenset[str]().union(*(changes for _, _, changes in parts))
        rule = None
        if any(needs for _, needs, _ in parts):
            rule = replace(AFTER_BRANCH, message=AFTER_BRANCH.message.format(_word(s)))
        if isinstance(s, tree.Either):
            return replace(s, clauses=bodies), rule, after, False
        return replace(s, then=bodies[0], otherwise=bodies[1]), rule, after, False

    def loop(self, s: tree.While, in_with: bool) -> tuple[tree.Statement, Rule | None, Names, bool]:
        if in_with:
            self.error("pluscal-while-in-with", "there can be no `while` inside `with`", s)
        else:
            s = self.require(s, WHILE, False)
        body, _, _ = self.sequence(s.body, None, False, _NOTHING)
        return replace(s, body=body), None, _NOTHING, True

    def with_(
        self, s: tree.With, in_with: bool, before: Names, assigned: Names
    ) -> tuple[tree.Statement, Rule | None, Names, bool]:
        """The body of an outermost `with` is looked at by itself: if it clashes, the label goes before the `with`."""
        body, needs, changes = self.sequence(s.body, None, True, before | assigned if in_with else _NOTHING)
        s = replace(s, body=body)
        rule = replace(AFTER_BRANCH, message="a statement behind a `with` that ends in a jump needs a label")
        clash = changes & (before | assigned)
        if in_with or not clash:
            return s, rule if needs else None, assigned | changes, False
        s = self.require(s, self.second_assignment(clash), False)
        return s, rule if needs else None, changes, True

    def simple(
        self, s: tree.Statement, rule: Rule | None, in_with: bool, assigned: Names, changes: Names
    ) -> tuple[tree.Statement, Rule | None, Names, bool]:
        clash = assigned & changes
        if not clash:
            return s, rule, assigned | changes, False
        return self.require(s, self.second_assignment(clash), in_with), rule, changes, True

    def second_assignment(self, variables: Names) -> Rule:
        shown = "the call stack" if variables == {"stack"} else f"`{min(variables - {'stack'})}`"
        message = f"{shown} may have been assigned already in this step; a second assignment needs a label before it"
        return Rule(SECOND_ASSIGNMENT, message)

    def changed_by_jump(self, s: tree.Call | tree.Return | tree.Goto) -> Names:
        """A call saves the variables of the procedure on the stack, a return restores them."""
        if isinstance(s, tree.Goto):
            return _NOTHING
        stack = frozenset(["stack"])
        procedures = self.algorithm.procedures
        if isinstance(s, tree.Call) and not isinstance(s.then, tree.Return):
            called = [p for p in procedures if p.name.name == s.procedure.name]
            if self.procedure is None or s.procedure.name != self.procedure.name.name:
                return stack.union(*map(_variables, called)) - self.own
        return stack.union(*map(_variables, procedures))

    def require(self, s: AnyStatement, rule: Rule, in_with: bool) -> AnyStatement:
        if s.label is not None:
            return s
        if in_with:
            self.error(rule.id, f"{rule.message}, and inside `with` there can be none", s)
            return s
        self.missing.append(
            Diagnostic(
                rule.id,
                rule.message,
                _head(s),
                help="write a label before this statement, or `PlusCal options (-label)` above the algorithm",
            )
        )
        return replace(s, label=tree.Label(self.new_name(), "", True, s.span))

    def new_name(self) -> str:
        while True:
            self.number += 1
            name = f"{self.options.label_root}{self.number}"
            if name not in self.written:
                return name

    def error(self, id: str, message: str, at: tree.Statement | tree.Label) -> None:
        span = at.span if isinstance(at, tree.Label) else _head(at)
        help = "a `with` is part of one step: end it before, or bind with a variable of the process"
        self.errors.append(Diagnostic(id, message, span, help=help))


def _variables(procedure: tree.Procedure) -> Names:
    return _names((*procedure.params, *procedure.variables))


def _names(declarations: tuple[tree.VariableDeclaration, ...]) -> Names:
    return frozenset(v.name.name for v in declarations)


def _head(s: tree.Statement) -> Span:
    """The first line of a statement: enough to underline."""
    end = s.span.file.text.find("\n", s.span.start, s.span.end)
    return s.span if end < 0 else Span(s.span.file, s.span.start, end)


def _word(s: tree.Statement) -> str:
    """What the statement begins with."""
    return type(s).__name__.lower()
