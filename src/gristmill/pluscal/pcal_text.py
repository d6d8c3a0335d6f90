"""The tree of pcal.trans as it prints it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, assert_never

from gristmill.pluscal import pcal_tree as pcal
from gristmill.pluscal.token_lines import TokenLines

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Process:
    name: str
    fairness: str
    minus: list[str]
    plus: list[str]
    calls: list[str]
    is_set: bool
    identity: TokenLines
    variables: list[pcal.Variable]
    body: list[pcal.Labelled]


class PcalText:
    """Text with hanging indentation: what `indent` writes is the margin of what follows, until `dedent`."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.margins = [0]

    def algorithm(
        self,
        name: str,
        variables: Sequence[pcal.Variable],
        definitions: TokenLines,
        procedures: Sequence[pcal.Procedure],
        processes: Sequence[Process],
        body: Sequence[pcal.Labelled],
    ) -> str:
        pad = "" if processes else " "
        kind = "multiprocess" if processes else "uniprocess"
        self.line(f'[type    {pad}|-> "{kind}", ')
        self.line(f' name  |-> "{name}", ')
        self.sequence(f" decls {pad}|-> ", variables, self.variable, ",")
        self.line(f" defs  {pad}|-> {definitions.shown()},")
        self.sequence(f" prcds {pad}|-> ", procedures, self.procedure, ",")
        if processes:
            self.sequence(" procs |-> ", processes, self.process, "]", False)
        else:
            self.sequence(" body  |-> ", body, self.labelled, "]", False)
        return "".join(self.parts)

    # ----------------------------------------------------------------------------------------------- writing

    def write(self, text: str) -> None:
        self.parts.append(text)

    def line(self, text: str) -> None:
        self.write(text)
        self.newline()

    def newline(self) -> None:
        self.write("\n" + " " * self.margins[-1])

    def indent(self, text: str) -> None:
        self.write(text)
        self.margins.append(self.margins[-1] + len(text))

    def dedent(self) -> None:
        self.margins.pop()

    def items(
        self, items: Sequence[Item], show: Callable[[Item], None], opening: str = "<<", closing: str = ">>"
    ) -> None:
        self.indent(opening)
        for index, item in enumerate(items):
            if index:
                self.line(", ")
            show(item)
        self.write(closing)
        self.dedent()

    def sequence(
        self, head: str, items: Sequence[Item], show: Callable[[Item], None], tail: str, newline: bool = True
    ) -> None:
        self.indent(head)
        self.items(items, show)
        self.write(tail)
        self.dedent()
        if newline:
            self.newline()

    def expression(self, lines: TokenLines) -> None:
        self.write(lines.shown())

    # ------------------------------------------------------------------------------------------------- parts

    def variable(self, v: pcal.Variable) -> None:
        self.write(f'[var |-> "{v.name}", eqOrIn |-> {_sign(v.is_member)}, val |-> {v.value.shown()}]')

    def names(self, names: Sequence[str]) -> str:
        return "<<" + ", ".join(f'"{name}"' for name in names) + ">>"

    def modifiers(self, part: pcal.Procedure | Process) -> str:
        minus, plus, calls = self.names(part.minus), self.names(part.plus), self.names(part.calls)
        return f"minusLabels |-> {minus}, plusLabels |->{plus}, proceduresCalled |->{calls},"

    def procedure(self, p: pcal.Procedure) -> None:
        self.indent("")
        self.line(f'[name   |-> "{p.name}", ')
        self.line(self.modifiers(p))
        self.sequence(" params |-> ", p.params, self.variable, ",")
        self.sequence(" decls  |-> ", p.variables, self.variable, ",")
        self.sequence(" body   |-> ", p.body, self.labelled, "]", False)
        self.dedent()

    def process(self, p: Process) -> None:
        self.indent("")
        self.line(f'[name   |-> "{p.name}",')
        self.line(f' fairness |-> "{p.fairness}", {self.modifiers(p)}')
        self.line(f" eqOrIn |-> {_sign(p.is_set)},")
        self.line(f" id     |-> {p.identity.shown()},")
        self.sequence(" decls  |-> ", p.variables, self.variable, ",")
        self.sequence(" body   |-> ", p.body, self.labelled, "]", False)
        self.dedent()

    def labelled(self, group: pcal.Labelled) -> None:
        self.indent("")
        self.line(f'[label |-> "{group.label}",')
        self.sequence(" stmts |-> ", group.statements, self.statement, "]", False)
        self.dedent()

    # -------------------------------------------------------------------------------------------- statements

    def statement(self, node: pcal.Node) -> None:
        self.indent("")
        match node:
            case pcal.While(test, unlabelled, labelled):
                self.line('[type    |-> "while", ')
                self.line(f" test    |-> {test.shown()},")
                self.sequence(" labDo   |-> ", labelled, self.labelled, ",")
                self.sequence(" unlabDo |-> ", unlabelled, self.statement, "]", False)
            case pcal.Assign(singles):
                self.line('[type |-> "assignment",')
                self.sequence(" ass  |-> ", singles, self.single, "]", False)
            case pcal.If():
                self.if_(node)
            case pcal.Either():
                self.either(node)
            case pcal.With(name, is_member, value, body):
                self.line('[type   |-> "with", ')
                self.line(f' var    |-> "{name}",')
                self.line(f" eqOrIn |-> {_sign(is_member)},")
                self.line(f" exp    |-> {value.shown()},")
                self.sequence(" do     |-> ", body, self.statement, "]", False)
            case pcal.Simple(word, value):
                self.line(f'[type |-> "{word}", ')
                self.write(f" exp |-> {value.shown()}]")
            case pcal.Skip():
                self.write('[type |-> "skip"]')
            case pcal.Goto(target):
                self.write(f'[type |-> "goto",  to |-> "{target}"]')
            case pcal.Return(source):
                self.write(f'[type |-> "return", from |-> "{source}"]')
            case pcal.Call():
                self.call(node)
            case _:
                assert_never(node)
        self.dedent()

    def single(self, single: pcal.Single) -> None:
        self.indent("")
        self.line(f'[lhs |-> [var |-> "{single.variable}", sub |-> {single.path.shown()}],')
        self.write(f" rhs |-> {single.value.shown()}]")
        self.dedent()

    def if_(self, node: pcal.If) -> None:
        if not node.has_label:
            self.line('[type    |-> "if", ')
            self.line(f" test    |-> {node.test.shown()},")
            self.sequence(" then |-> ", node.then.unlabelled, self.statement, ",")
            self.sequence(" else |-> ", node.otherwise.unlabelled, self.statement, "]", False)
            return
        self.line('[type      |-> "labelIf",')
        self.line(f" test      |-> {node.test.shown()},")
        self.sequence(" unlabThen |-> ", node.then.unlabelled, self.statement, ",")
        self.sequence(" labThen   |-> ", node.then.labelled, self.labelled, ",")
        self.sequence(" unlabElse |-> ", node.otherwise.unlabelled, self.statement, ",")
        self.sequence(" labElse   |-> ", node.otherwise.labelled, self.labelled, "]")

    def either(self, node: pcal.Either) -> None:
        if node.has_label:
            self.line('[type    |-> "labelEither",')
            self.sequence(" clauses |-> ", node.clauses, self.clause, "]")
            return
        self.line('[type |-> "either", ')
        self.indent(" ors  |-> ")
        bodies = [clause.unlabelled for clause in node.clauses]
        self.items(bodies, lambda body: self.items(body, self.statement), "<< ", " >>")
        self.write("]")
        self.dedent()

    def clause(self, clause: pcal.Branch) -> None:
        self.indent("")
        self.sequence("[unlabOr |-> ", clause.unlabelled, self.statement, ",")
        self.sequence(" labOr   |-> ", clause.labelled, self.labelled, "]")
        self.dedent()

    def call(self, call: pcal.Call) -> None:
        words = {"": ("call", "returnTo", ""), "return": ("callReturn", "from    ", call.source)}
        kind, field, value = words.get(call.then, ("callGoto", "after   ", call.after))
        self.line(f'[type     |-> "{kind}",')
        self.line(f' {field} |-> "{value}",')
        self.line(f' to       |-> "{call.procedure}",')
        if not call.then:
            self.sequence(" args     |-> ", call.args, self.expression, "]", False)
            return
        self.indent("args     |-> ")
        self.items(call.args, self.expression)
        self.line("]")
        self.dedent()


def _sign(is_member: bool) -> str:
    return '"\\\\in"' if is_member else '"="'
