"""The parser of modules. A mistake in one unit is reported, and parsing goes on with the next unit."""

from dataclasses import replace
from math import inf

from gristmill.source import Diagnostic, SourceError, SourceFile
from gristmill.source.collector import paused_collector
from gristmill.source.diagnostic import MAX_DIAGNOSTICS
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree
from gristmill.syntax.cursor import ParseFailure
from gristmill.syntax.definitions import DefinitionParser
from gristmill.syntax.lexer import lex, lex_module
from gristmill.syntax.proofs import ProofParser
from gristmill.syntax.token import END, END_MODULE, IDENTIFIER, MODULE, SEPARATOR, Tokens

_UNIT_KEYWORDS = frozenset(
    "CONSTANT VARIABLE RECURSIVE LOCAL INSTANCE ASSUME ASSUMPTION THEOREM PROPOSITION USE HIDE".split()
)
_BEGINS_UNIT = _UNIT_KEYWORDS | {SEPARATOR, MODULE, END_MODULE, END}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A module, unless nothing of one could be made out, and what was wrong with its text."""

    module: tree.Module | None
    diagnostics: list[Diagnostic]
    tokens: Tokens


def parse_module(file: SourceFile) -> Parsed:
    """Parse the first module in a file. The module is complete only if there are no diagnostics."""
    with paused_collector():
        return with_deep_stack(lambda: _parse_module(file))


_BEGINS = "a module begins with a line such as `---- MODULE Name ----`"
_NOT_THE_CONFIGURATION = "this is a configuration: name the file of the module instead, and this one with --config"


def _parse_module(file: SourceFile) -> Parsed:
    tokens, diagnostics = lex_module(file)
    if tokens.kinds[0] == END:
        nowhere = file.span(0, 0)
        missing = Diagnostic(
            "no-module",
            "there is no module in this file",
            nowhere,
            help=_NOT_THE_CONFIGURATION if file.path.endswith(".cfg") else _BEGINS,
        )
        return Parsed(None, [*diagnostics, missing], tokens)
    parser = ModuleParser(tokens, list(diagnostics))
    try:
        module: tree.Module | None = parser.module()
    except ParseFailure as failure:
        parser.diagnostics.append(failure.diagnostic)
        module = None
    return Parsed(module, _worth_saying(diagnostics, parser.diagnostics), tokens)


def _worth_saying(lexical: list[Diagnostic], all_found: list[Diagnostic]) -> list[Diagnostic]:
    """In the order of the text, without what only follows from a bad token before it on the same line."""
    bad_tokens: dict[int, int] = {}
    for diagnostic in reversed(lexical):
        assert diagnostic.span is not None
        bad_tokens[diagnostic.span.line] = diagnostic.span.start

    def follows(diagnostic: Diagnostic) -> bool:
        span = diagnostic.span
        assert span is not None
        return diagnostic.id in ("syntax-error", "missing-operand") and bad_tokens.get(span.line, inf) <= span.start

    said = [diagnostic for diagnostic in all_found if not follows(diagnostic)]
    said.sort(key=lambda d: d.span.start if d.span else 0)
    return said[:MAX_DIAGNOSTICS]


def parse_expression(file: SourceFile) -> tree.Expression:
    """Parse a file that holds one expression. Raises `SourceError`."""
    return with_deep_stack(lambda: _parse_expression(file))


def _parse_expression(file: SourceFile) -> tree.Expression:
    tokens, diagnostics = lex(file)
    if diagnostics:
        raise SourceError(diagnostics)
    parser = DefinitionParser(tokens)
    try:
        expression = parser.expression()
        if parser.peek() != END:
            parser.fail_expecting("an operator or the end", "behind this expression")
    except ParseFailure as failure:
        raise SourceError(failure.diagnostic) from None
    return expression


COMPARED = "to compare two values, write `=`"


class ModuleParser(ProofParser):
    def __init__(self, tokens: Tokens, diagnostics: list[Diagnostic]) -> None:
        super().__init__(tokens)
        self.diagnostics = diagnostics

    def module(self) -> tree.Module:
        self.enter()
        first = self.index
        self.expect(MODULE, "at the beginning of a module")
        name, name_span = self.module_name("as the name of the module")
        self.expect(SEPARATOR, f"behind `MODULE {name}`")
        extends = self.extends()
        units = self.units()
        if self.peek() != END_MODULE:
            self.recover_from_missing_end(name)
        else:
            self.index += 1
        self.depth -= 1
        return tree.Module(name, extends, units, name_span, self.span_from(first))

    def recover_from_missing_end(self, name: str) -> None:
        if any(d.id == "unclosed-comment" for d in self.diagnostics):
            return  # the end is in there
        at = self.tokens.span(self.index)
        self.diagnostics.append(
            Diagnostic("unclosed-module", f"the module `{name}` is not closed", at, help="close it with a line `====`")
        )

    def extends(self) -> tuple[tree.Name, ...]:
        names: list[tree.Name] = []
        first = self.index
        try:
            if self.accept("EXTENDS"):
                while True:
                    name, span = self.module_name("behind EXTENDS")
                    names.append(tree.Name(name, span))
                    if not self.accept(","):
                        break
        except ParseFailure as failure:
            self.recover(failure, first)
        return tuple(names)

    def units(self) -> tuple[tree.Unit, ...]:
        units: list[tree.Unit] = []
        while self.peek() not in (END_MODULE, END):
            first = self.index
            depth = self.depth
            try:
                units.append(self.unit())
                if self.peek() not in _BEGINS_UNIT and not self.at_definition():
                    self.stray_token(units[-1])
            except ParseFailure as failure:
                self.depth, self.limit = depth, -1
                self.recover(failure, first)
        return tuple(units)

    def stray_token(self, before: tree.Unit) -> None:
        """What follows a complete unit does not begin another: most often an operator is missing between."""
        if self.peek() == "==":
            self.check_comparison(before)
            self.check_left_hand_side()
        equals = self.misspelt_definition()
        if equals is not None:
            name = self.tokens.text(self.index)
            self.index = equals
            self.definition_sign(name)
        hint = COMPARED if self.peek() == "==" else None
        self.fail_expecting("an operator, a definition or the end of the module", "here", hint)

    def check_comparison(self, before: tree.Unit) -> None:
        """`x == 0` inside of a definition, where `=` was meant: the unit that has just ended goes on in this line."""
        line = self.first_of_line()
        inside = self.columns[line] > before.span.column - 1
        if inside or self.starts[line] == before.span.start:
            message = "`==` defines a name, and cannot stand inside of a definition"
            self.fail("syntax-error", message, help=COMPARED)

    def check_left_hand_side(self) -> None:
        """Before a stray `==`: if a definition begins on its line, what stands before that is not complete."""
        line = self.line_of_definition()
        if line is not None:
            before, name = self.tokens.text(line - 1), self.tokens.text(line)
            message = f"expected an expression behind `{before}`, found the definition of `{name}`"
            self.fail("syntax-error", message, self.tokens.span(line))

    def line_of_definition(self) -> int | None:
        """The index of the first token of the cursor's line, if a definition begins there."""
        here, self.index = self.index, self.first_of_line()
        line, self.index = (self.index if self.at_definition() else None), here
        return line

    def first_of_line(self) -> int:
        """The index of the first token of the cursor's line."""
        return next(index for index in range(self.index, -1, -1) if self.begins_line(index))

    def misspelt_definition(self) -> int | None:
        """The index of the `=` where `a = 1`, `F(x) = 1` or `f[x \\in S] = 1` begins at the cursor."""
        if self.kinds[self.index] != IDENTIFIER:
            return None
        at = self.index + 1
        if self.kinds[at] in ("(", "["):
            at = self.closing_brackets.get(at, at) + 1
        return at if self.kinds[at] == "=" else None

    def recover(self, failure: ParseFailure, first: int) -> None:
        """Go on with the next unit. One that begins further right than the broken one is part of it."""
        diagnostic, column = failure.diagnostic, self.columns[first]
        if self.kinds[self.index] == "==" and (line := self.line_of_definition() or 0) > first:
            self.index = line  # the broken unit has run into the next one
            if diagnostic.message.endswith("found `==`"):
                found = f"found the definition of `{self.tokens.text(line)}`"
                message = diagnostic.message.removesuffix("found `==`") + found
                diagnostic = replace(diagnostic, message=message, span=self.tokens.span(line))
        if len(self.diagnostics) < 2 * MAX_DIAGNOSTICS:  # the lexer's may stand behind all of them
            self.diagnostics.append(diagnostic)
        self.index = max(self.index, first + 1)
        while self.kinds[self.index] not in (END_MODULE, END):
            if self.begins_line(self.index) and self.columns[self.index] <= column:
                if self.kinds[self.index] in _BEGINS_UNIT or self.at_definition():
                    return
                if self.misspelt_definition() is not None:
                    return
            self.index += 1

    def begins_line(self, index: int) -> bool:
        return index == 0 or self.file.text.find("\n", self.ends[index - 1], self.starts[index]) >= 0

    def unit(self) -> tree.Unit:
        first, kind = self.index, self.peek()
        if kind == MODULE:
            return self.module()
        if kind == "LOCAL":
            return self.local_unit()
        if kind not in _BEGINS_UNIT:
            return self.definition()
        if kind == "INSTANCE":
            instance = self.instance()
            return tree.InstanceUnit(instance, False, self.span_from(first))
        if kind == "RECURSIVE":
            return self.recursive()
        if kind in ("USE", "HIDE"):
            return self.use_or_hide()
        self.index += 1
        match kind:
            case "CONSTANT":
                params = self.declarations()
                self.check_last_comma()
                return tree.ConstantDeclaration(params, self.span_from(first))
            case "VARIABLE":
                names = self.names("to declare")
                self.check_last_comma()
                return tree.VariableDeclaration(names, self.span_from(first))
            case "ASSUME" | "ASSUMPTION":
                name = self.statement_name()
                body: tree.Statement = self.expression()
                return tree.Assume(self.tokens.text(first), name, body, self.span_from(first))
            case "THEOREM" | "PROPOSITION":
                name = self.statement_name()
                body = self.statement()
                proof = self.optional_proof(-1)
                return tree.Theorem(self.tokens.text(first), name, body, proof, self.span_from(first))
        return tree.Separator(self.span_from(first))

    def check_last_comma(self) -> None:
        """`VARIABLES x, y,` takes the name of the definition in the next line for another variable."""
        last = self.index - 1
        if self.peek() in ("==", "(", "[") and self.kinds[last - 1] == "," and self.begins_line(last):
            self.index = last
            message = f"expected another name behind `,`, found the definition of `{self.tokens.text(last)}`"
            self.fail("syntax-error", message, self.tokens.span(last - 1), help="leave out the last comma")

    def local_unit(self) -> tree.Unit:
        first = self.index
        self.index += 1
        if self.peek() == "INSTANCE":
            instance = self.instance()
            return tree.InstanceUnit(instance, True, self.span_from(first))
        return self.definition(local=True)

    def statement_name(self) -> tree.Name | None:
        if self.peek() == IDENTIFIER and self.peek_at(1) == "==":
            name = self.identifier("here")
            self.index += 1
            return name
        return None
