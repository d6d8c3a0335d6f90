"""The parser of algorithms: what stands around the statements. Both syntaxes share it; `self.c` tells them apart.

A mistake inside a simple statement is reported and parsing goes on behind its `;`; any other mistake in a macro,
procedure or process is reported and parsing goes on with the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from gristmill.pluscal import tree
from gristmill.pluscal.locate import AlgorithmRegion
from gristmill.pluscal.options import Options
from gristmill.pluscal.statements import StatementParser
from gristmill.source import SourceError, SourceFile, Span
from gristmill.syntax.cursor import ParseFailure
from gristmill.syntax.lexer import lex
from gristmill.syntax.token import END, Tokens
from gristmill.syntax.tree import Name

Part = TypeVar("Part")
_PARTS = ("macro", "procedure", "process", "fair")


def parse_algorithm(file: SourceFile, region: AlgorithmRegion, options: Options) -> tree.Algorithm:
    """Parse the algorithm in its region. Raises `SourceError` with every mistake found."""
    tokens, lexical = lex(file, region.start, region.end)
    parser = AlgorithmParser(tokens, region, options)
    try:
        algorithm = parser.algorithm()
    except ParseFailure as failure:
        parser.diagnostics.append(failure.diagnostic)
    end = parser.ends[max(parser.index - 1, 0)]
    # What stands in the comment behind the algorithm is prose, and no concern of ours.
    problems = [d for d in lexical if d.span is not None and d.span.start < end] + parser.diagnostics
    if problems:
        raise SourceError(sorted(problems, key=lambda d: d.span.start if d.span else 0))
    return algorithm


class AlgorithmParser(StatementParser):
    def __init__(self, tokens: Tokens, region: AlgorithmRegion, options: Options) -> None:
        super().__init__(tokens)
        self.region, self.options = region, options
        self.fair = region.fair

    def algorithm(self) -> tree.Algorithm:
        if self.region.keyword.text == "--fair":
            self.fail(
                "pluscal-syntax",
                f"`--fair` is followed by {self.describe()}, not by `algorithm`",
                self.region.keyword,
                help="an algorithm begins with `--algorithm Name` or `--fair algorithm Name`",
            )
        name = self.new_name("behind `--algorithm`")
        self.c = self.accept("{")
        variables = self.variables() if self.at_variables() else ()
        definitions = self.define() if self.at_word("define") else None
        macros = self.parts(("macro",), self.macro)
        procedures = self.parts(("procedure",), self.procedure)
        processes: tuple[tree.Process, ...] = ()
        body: tree.Body = ()
        if self.at_process():
            processes = self.parts(("process", "fair"), self.process)
            self.close("algorithm", optional_semicolon=False)
        else:
            body = self.main_body()
        syntax: Literal["p", "c"] = "c" if self.c else "p"
        span = Span(self.file, self.region.keyword.start, self.ends[self.index - 1])
        return tree.Algorithm(
            name,
            self.fair,
            syntax,
            variables,
            definitions,
            macros,
            procedures,
            processes,
            body,
            span,
        )

    def at_process(self) -> bool:
        if self.at_word("process"):
            return True
        if not self.at_word("fair"):
            return False
        return self.at_word("process", 1) or (self.peek_at(1) == "+" and self.at_word("process", 2))

    def main_body(self) -> tree.Body:
        if self.options.version == 1500 and self.accept_word("fair"):
            self.fair = True
            self.accept("+")
        if not (self.at_word("begin") or self.peek() == "{"):
            if self.at_word("fair"):
                self.index += 2 if self.peek_at(1) == "+" else 1
                self.fail_expecting("`process`", "behind `fair`")
            expected = "`begin`" if not self.c else "`{`"
            what = f"{expected} or `process`, or a part that stands before them,"
            self.fail_expecting(what, "here", self.order_help())
        self.open("algorithm")
        body = self.sequence()
        self.close("algorithm", optional_semicolon=False)
        if self.c:
            self.expect_symbol("}", "to close the algorithm")
        return body

    def order_help(self) -> str:
        return "the parts come in the order variables, define, macros, procedures, and then processes or the body"

    def parts(self, words: tuple[str, ...], parse: Callable[[], Part]) -> tuple[Part, ...]:
        """All macros, all procedures or all processes in a row, each on its own feet."""
        parts = []
        while any(self.at_word(word) for word in words):
            start = self.index
            try:
                parts.append(parse())
            except ParseFailure as failure:
                self.recover(failure)
                self.skip_to_part(start + 1)
        return tuple(parts)

    def skip_to_part(self, start: int) -> None:
        self.index = max(self.index, start)
        while self.kinds[self.index] != END and not self.at_part():
            self.index += 1
        if self.kinds[self.index] == END:
            raise ParseFailure(self.diagnostics.pop())

    def at_part(self) -> bool:
        """Whether a macro, procedure or process begins here; `end process` ends one."""
        return any(self.at_word(word) for word in _PARTS) and not self.at_word("end", -1)

    # ------------------------------------------------------------------------------------------------- parts

    def at_variables(self) -> bool:
        return self.at_word("variable") or self.at_word("variables")

    def variables(self, members: bool = True) -> tuple[tree.VariableDeclaration, ...]:
        """`variables x = 1, y \\in S; z;`: commas and semicolons do the same."""
        self.index += 1
        declarations = []
        while True:
            declarations.append(self.declaration(members))
            more = self.accept(",") or self.accept(";")
            if self.at_declarations_end():
                return tuple(declarations)
            if not more:
                self.fail_missing_semicolon("behind the declaration of a variable")

    def at_declarations_end(self) -> bool:
        return self.peek() in ("{", END) or any(self.at_word(word) for word in ("begin", "define", *_PARTS))

    def declaration(self, members: bool) -> tree.VariableDeclaration:
        first = self.index
        name = self.new_name("as the name of a variable")
        value, is_member = None, False
        if self.peek() == "\\in" and not members:
            self.fail(
                "pluscal-initial-set",
                "a variable of a procedure is initialised with `=`, not with `\\in`",
                help="assign it in the procedure: `with v \\in S do x := v; end with`",
            )
        if self.peek() in ("=", "\\in"):
            is_member = self.peek() == "\\in"
            self.index += 1
            value = self.expression()
        return tree.VariableDeclaration(name, is_member, value, self.span_from(first))

    def define(self) -> Span:
        """The definitions are parsed for their mistakes and kept as text, with their comments."""
        self.index += 1
        if self.c:
            self.expect_symbol("{", "behind `define`")
        start = self.ends[self.index - 1]
        while not (self.peek() == "}" or self.at_word("end")):
            if self.peek() == "INSTANCE":
                self.instance()
            else:
                self.definition(local=self.accept("LOCAL"))
        span = Span(self.file, start, self.starts[self.index])
        self.close("define")
        return span

    def macro(self) -> tree.Macro:
        first = self.index
        self.index += 1
        name = self.new_name("as the name of a macro")
        self.expect_symbol("(", f"behind `macro {name.name}`")
        params: list[Name] = []
        while self.peek() != ")":
            if params:
                self.expect_symbol(",", "between the parameters of a macro")
            params.append(self.new_name("as a parameter of a macro"))
        self.index += 1
        body = self.enclosed("macro")
        return tree.Macro(name, tuple(params), body, self.part_span(first))

    def procedure(self) -> tree.Procedure:
        first = self.index
        self.index += 1
        name = self.new_name("as the name of a procedure")
        self.expect_symbol("(", f"behind `procedure {name.name}`")
        params: list[tree.VariableDeclaration] = []
        while self.peek() != ")":
            if params:
                self.expect_symbol(",", "between the parameters of a procedure")
            params.append(self.declaration(members=False))
        self.index += 1
        variables = self.variables(members=False) if self.at_variables() else ()
        body = self.enclosed("procedure")
        return tree.Procedure(name, tuple(params), variables, body, self.part_span(first))

    def process(self) -> tree.Process:
        first = self.index
        fairness: Literal["", "WF", "SF"] = ""
        if self.accept_word("fair"):
            fairness = "SF" if self.accept("+") else "WF"
        self.expect_word("process", "behind `fair`")
        if self.c:
            self.expect_symbol("(", "behind `process`")
        name = self.new_name("as the name of a process")
        if self.peek() not in ("=", "\\in"):
            self.fail_expecting("`=` or `\\in`", f"behind `process {name.name}`")
        is_set = self.peek() == "\\in"
        self.index += 1
        identity = self.expression()
        if self.c:
            self.expect_symbol(")", "behind the identity of a process")
        variables = self.variables() if self.at_variables() else ()
        body = self.enclosed("process")
        return tree.Process(name, fairness, is_set, identity, variables, body, self.part_span(first))

    def enclosed(self, part: str) -> tree.Body:
        """`begin statements end part;` or `{ statements }`."""
        self.open(part)
        self.in_macro = part == "macro"
        try:
            body = self.sequence()
        finally:
            self.in_macro = False
        self.close(part)
        return body

    def part_span(self, first: int) -> Span:
        """From `first` to the end of the part, without the `;` behind it."""
        last = self.index - 1
        last -= self.kinds[last] == ";"
        return Span(self.file, self.starts[first], self.ends[last])

    def open(self, part: str) -> None:
        if self.c:
            self.expect_symbol("{", f"before the statements of the {part}")
        else:
            self.expect_word("begin", f"before the statements of the {part}")

    def close(self, part: str, optional_semicolon: bool = True) -> None:
        if self.c:
            self.expect_symbol("}", f"to close the {part}")
        else:
            self.expect_word("end", f"to close the {part}")
            self.expect_word(part, f"behind `end`, to close the {part}")
        if optional_semicolon:
            self.accept(";")
