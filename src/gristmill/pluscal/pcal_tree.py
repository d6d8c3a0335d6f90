"""The algorithm as pcal.trans has it in memory when it takes the checksum, built for nothing else.

Its translation works on this tree in place. So at the end, where control leaves a nested statement, some jumps, calls
and returns have become assignments while others are as they were. The tree here is changed in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gristmill.pluscal.token_lines import TokenLines, made_up


@dataclass(slots=True)
class Labelled:
    label: str
    statements: list[Node]


@dataclass(slots=True)
class While:
    test: TokenLines
    unlabelled: list[Node]
    labelled: list[Labelled]


@dataclass(slots=True)
class Single:
    variable: str
    path: TokenLines
    value: TokenLines


@dataclass(slots=True)
class Assign:
    singles: list[Single]


@dataclass(slots=True)
class Branch:
    """Statements before the first label, and from there on."""

    unlabelled: list[Node]
    labelled: list[Labelled] = field(default_factory=list)


@dataclass(slots=True)
class If:
    test: TokenLines
    then: Branch
    otherwise: Branch
    has_label: bool


@dataclass(slots=True)
class Either:
    clauses: list[Branch]
    has_label: bool


@dataclass(slots=True)
class With:
    name: str
    is_member: bool
    value: TokenLines
    body: list[Node]


@dataclass(slots=True)
class Simple:
    """`when`, `print` or `assert`."""

    word: str
    value: TokenLines


@dataclass(slots=True)
class Skip:
    pass


@dataclass(slots=True)
class Goto:
    target: str


@dataclass(slots=True)
class Return:
    source: str


@dataclass(slots=True)
class Call:
    """`then` is empty, `return`, or `goto` with the label in `after`."""

    procedure: str
    args: list[TokenLines]
    then: str = ""
    after: str = ""
    source: str = ""


Node = While | Assign | If | Either | With | Simple | Skip | Goto | Return | Call


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    is_member: bool
    value: TokenLines


@dataclass(slots=True)
class Procedure:
    name: str
    minus: list[str]
    plus: list[str]
    calls: list[str]
    params: list[Variable]
    variables: list[Variable]
    body: list[Labelled]


class Explosion:
    """Replaces jumps at the end of statements the way the translation does. `procedure` is the one we are in."""

    def __init__(self, procedures: Sequence[Procedure], procedure: Procedure | None, omit_pc: bool) -> None:
        self.procedures = {p.name: p for p in procedures}
        self.procedure = procedure
        self.omit_pc = omit_pc

    def groups(self, groups: Sequence[Labelled], next: str, used: bool = True) -> None:
        labels = [*(g.label for g in groups[1:]), next]
        for group, label in zip(groups, labels, strict=False):
            self.group(group, label, used)

    def group(self, group: Labelled, next: str, used: bool) -> None:
        """`used` is false for what stands behind a loop for ever, which is looked at but not translated."""
        first = group.statements[0]
        if not isinstance(first, While):
            self.ending(list(group.statements), next, used, sort_all=group.statements)
            return
        for_ever = used and not _is_true(first.test)
        inside = first.labelled[0].label if first.labelled else group.label
        self.ending(list(first.unlabelled), inside, used, sort_all=first.unlabelled)
        rest = group.statements[1:]
        self.ending(list(rest), next, for_ever, sort_all=rest)
        self.groups(first.labelled, group.label, used)

    def ending(self, statements: list[Node], next: str, used: bool, sort_all: Sequence[Node] = ()) -> bool:
        """Make the last statement explicit about control, in place; true if a jump is still to be added."""
        needs_jump = self.last(statements, next, used) if statements else not self.omit_pc
        if used:
            for node in (*statements, *sort_all):
                _sort_assignments(node)
        return needs_jump and not self.omit_pc

    def ending_with_jump(self, statements: list[Node], next: str, used: bool) -> None:
        if self.ending(statements, next, used):
            statements.append(_set("pc", made_up(f'"{next}"')))

    def last(self, statements: list[Node], next: str, used: bool) -> bool:
        node = statements[-1]
        match node:
            case If() if node.has_label:
                then, otherwise = (self.broken(branch, next, used) for branch in (node.then, node.otherwise))
                statements[-1] = If(node.test, then, otherwise, False)
            case Either() if node.has_label:
                statements[-1] = Either([self.broken(clause, next, used) for clause in node.clauses], False)
            case If() | Either():
                return self.branches(node, next, used)
            case With():
                return self.ending(node.body, next, used)
            case Goto():
                statements[-1] = _set("pc", made_up(f'"{node.target}"'))
            case Return():
                statements[-1:] = self.return_()
            case Call():
                statements[-1:] = self.call(node, next)
            case _:
                return True
        return False

    def broken(self, branch: Branch, next: str, used: bool) -> Branch:
        """A branch with labels inside; what stands before them is changed in place, unless there is nothing."""
        body = branch.unlabelled if branch.unlabelled else []
        self.ending_with_jump(body, branch.labelled[0].label if branch.labelled else next, used)
        self.groups(branch.labelled, next, used)
        return Branch(body)

    def branches(self, node: If | Either, next: str, used: bool) -> bool:
        branches = [node.then, node.otherwise] if isinstance(node, If) else node.clauses
        needs = [self.ending(branch.unlabelled, next, used) for branch in branches]
        if not all(needs):
            for branch, needed in zip(branches, needs, strict=True):
                if needed:
                    branch.unlabelled.append(_set("pc", made_up(f'"{next}"')))
        return all(needs)

    # ---------------------------------------------------------------------------------------- calls and returns

    def return_(self) -> list[Node]:
        if self.procedure is None:
            return []
        names = ["pc", *(v.name for v in (*self.procedure.variables, *self.procedure.params))]
        return [*(_set(name, _saved(name)) for name in names), _set("stack", made_up("Tail ( stack )"))]

    def call(self, call: Call, next: str) -> list[Node]:
        to = self.procedures.get(call.procedure)
        if to is None:
            return []
        singles: list[Single] = []
        if call.then == "return":
            if self.procedure is not None and self.procedure.name != to.name:
                singles += [Single(v.name, made_up(), _saved(v.name)) for v in self.procedure.variables]
                singles.append(Single("stack", made_up(), _frame(to, "Head ( stack ) . pc", "Tail ( stack )")))
        else:
            singles.append(Single("stack", made_up(), _frame(to, f'"{call.after or next}"', "stack")))
        singles += [Single(p.name, made_up(), arg) for p, arg in zip(to.params, call.args, strict=False)]
        locals_ = [_set(v.name, v.value) for v in to.variables]
        return [Assign(singles), *locals_, _set("pc", made_up(f'"{to.body[0].label}"'))]


def _set(variable: str, value: TokenLines) -> Assign:
    return Assign([Single(variable, made_up(), value)])


def _saved(name: str) -> TokenLines:
    return made_up(f"Head ( stack ) . {name}")


def _frame(to: Procedure, back: str, rest: str) -> TokenLines:
    fields = [f"{v.name} |-> {v.name}" for v in (*to.variables, *to.params)]
    lines = [f'<< [ procedure |-> "{to.name}"', f"pc |-> {back}", *fields]
    return made_up(*(line + " ," for line in lines[:-1]), lines[-1] + " ] >>", f"\\o {rest}")


def _is_true(test: TokenLines) -> bool:
    texts = [token.text for line in test.lines for token in line]
    return len(test.lines) == 1 and texts in (["TRUE"], ["(", "TRUE", ")"])


def _sort_assignments(node: Node) -> None:
    """An assignment that was translated has its parts in the order of the variables."""
    match node:
        case Assign():
            node.singles.sort(key=lambda single: single.variable)
        case If():
            _sort_all(node.then.unlabelled, node.otherwise.unlabelled)
        case Either():
            _sort_all(*(clause.unlabelled for clause in node.clauses))
        case With():
            _sort_all(node.body)


def _sort_all(*bodies: list[Node]) -> None:
    for body in bodies:
        for node in body:
            _sort_assignments(node)
