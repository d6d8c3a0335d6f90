"""TLC's configuration files: which formulas of a specification to check, and what its constants are.

    SPECIFICATION Spec
    CONSTANTS
      N = 3                     \\* an assignment: numbers, strings, Booleans, model values, sets of these
      Nodes = {n1, n2}          \\* n1 and n2 are model values
      f(1) = 2                  \\* the value of a constant operator at arguments
      Len <- MyLen              \\* a replacement by an operator of the root module
      Max <- [Numbers] MyMax    \\* … of a definition in another module; the same with =
    INVARIANTS TypeOK Safe

What TLC accepts is accepted, and means the same. There is more: names with `!` in every section, and negative numbers.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any, NoReturn

from gristmill.modules.choices import NAMED, Choices, Section
from gristmill.source import Diagnostic, Label, SourceError, SourceFile, Span, read_source
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax.lexer import lex
from gristmill.syntax.literals import number_value
from gristmill.syntax.token import END, NUMBER, STRING, Tokens
from gristmill.values import FALSE, TRUE, Fn, ModelValue, Value, current, make_set


@dataclass(frozen=True, slots=True)
class Name:
    """An operator that a section names, such as `TypeOK` or `Impl!Spec`."""

    text: str
    span: Span = field(compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Flag:
    value: bool
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name = value`, `name(arguments) = value` or `name = [module] value`."""

    name: str
    value: Value
    span: Span = field(compare=False)
    name_span: Span = field(compare=False)
    arguments: tuple[Value, ...] = ()
    module: str | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """`name <- definition` or `name <- [module] definition`."""

    name: str
    definition: str
    span: Span = field(compare=False)
    name_span: Span = field(compare=False)
    module: str | None = None


@dataclass(slots=True)
class Config:
    """What a configuration file says, in its order. Where it says two things of a constant, the later holds."""

    file: SourceFile
    named: dict[str, list[Name]] = field(default_factory=dict)  # by the field of `Choices`
    check_deadlock: Flag | None = None
    assignments: list[Assignment] = field(default_factory=list)
    replacements: list[Replacement] = field(default_factory=list)
    # Strings and model values in the order in which they appear: the first in the order of a run (`values.World`).
    names: list[str] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)

    @property
    def checks_deadlock(self) -> bool:
        return self.check_deadlock is None or self.check_deadlock.value

    def choices(self) -> Choices:
        """What is asked for. Of two things said of a constant, the later holds."""
        spans = {name.text: name.span for names in reversed(self.named.values()) for name in reversed(names)}
        constants: dict[tuple[str | None, str], Value] = {}
        tables: dict[str, dict[Value, Value]] = {}
        for assignment in self.assignments:
            spans.setdefault(assignment.name, assignment.name_span)
            if assignment.arguments:
                tables.setdefault(assignment.name, {})[assignment.arguments] = assignment.value
            else:
                constants[assignment.module, assignment.name] = assignment.value
        replacements: dict[tuple[str | None, str], str] = {}
        for replacement in self.replacements:
            spans.setdefault(replacement.name, replacement.name_span)
            spans.setdefault(replacement.definition, replacement.span)
            replacements[replacement.module, replacement.name] = replacement.definition
        return Choices(
            **{each.name: _asked(each, self.named[each.name]) for each in NAMED if self.named.get(each.name)},
            constants=constants,
            tables={name: Fn(table) for name, table in tables.items()},
            replacements=replacements,
            check_deadlock=self.checks_deadlock,
            spans=spans,
            warnings=tuple(self.warnings),
        )


def _asked(section: Section, names: Sequence[Name]) -> Any:
    return tuple(name.text for name in names) if section.many else names[0].text


_NAMED = {keyword: section for section in NAMED for keyword in section.keywords}
_CONSTANTS = ("CONSTANT", "CONSTANTS")
_CHECK_DEADLOCK = "CHECK_DEADLOCK"
SECTIONS = frozenset((*_NAMED, *_CONSTANTS, _CHECK_DEADLOCK))

_RETIRED = frozenset(("TYPE", "TYPE_CONSTRAINT"))
_WORD = re.compile(r"[0-9A-Za-z_]+")
_SHOUTED = re.compile(r"_?[A-Z][A-Z_]{3,}")


def parse_config(file: SourceFile, start: int = 0, end: int | None = None) -> tuple[Config, list[Diagnostic]]:
    """The configuration in a file, or in a stretch of it, and everything that is wrong with it.

    Reading it registers its strings and model values in the world of the run, as TLC reads this file before any
    module.
    """
    tokens, diagnostics = lex(file, start, end)
    parser = _Parser(tokens, diagnostics)
    parser.sections()
    parser.config.warnings += (each for each in diagnostics if each.severity != "error")
    return parser.config, diagnostics


def read_config(path: str) -> Config:
    """The configuration in a file; `SourceError` if there are errors in it."""
    config, diagnostics = parse_config(read_source(path))
    if any(diagnostic.severity == "error" for diagnostic in diagnostics):
        raise SourceError(diagnostics)
    return config


def find_embedded_config(file: SourceFile, name: str) -> tuple[int, int] | None:
    """Where a module file holds the configuration `---- CONFIG name ----`, up to `====`: offsets for `parse_config`."""
    opening = re.compile(rf"^-----*[ \t]*CONFIG[ \t]+{re.escape(name)}[ \t]*-----*[ \t]*\r?$", re.MULTILINE)
    found = opening.search(file.text)
    if found is None:
        return None
    closing = re.compile(r"^====", re.MULTILINE).search(file.text, found.end())
    return found.end(), closing.start() if closing else len(file.text)


class _BrokenEntry(Exception):
    """Reported; the parser goes on with the next entry."""


class _Parser:
    def __init__(self, tokens: Tokens, diagnostics: list[Diagnostic]) -> None:
        self.tokens = tokens
        self.diagnostics = diagnostics
        self.config = Config(tokens.file)
        self.at = 0

    # --- tokens ------------------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        return self.tokens.text(self.at)

    @property
    def kind(self) -> str:
        return self.tokens.kinds[self.at]

    @property
    def span(self) -> Span:
        return self.tokens.span(self.at)

    def advance(self) -> Span:
        span = self.span
        if self.kind != END:
            self.at += 1
        return span

    def at_section(self) -> bool:
        return self.kind == END or self.text in SECTIONS

    def at_word(self) -> bool:
        return self.kind != STRING and _WORD.fullmatch(self.text) is not None

    def report(
        self, id: str, message: str, span: Span, help: str | None = None, labels: tuple[Label, ...] = ()
    ) -> None:
        self.diagnostics.append(Diagnostic(id, message, span, help=help, labels=labels))

    def warn(self, id: str, message: str, span: Span, help: str | None = None, first: Span | None = None) -> None:
        labels = (Label(first, "first here"),) if first else ()
        self.diagnostics.append(Diagnostic(id, message, span, "warning", help, labels))

    def expected(self, what: str, help: str | None = None) -> None:
        found = "the end of the file" if self.kind == END else f"`{self.text}`"
        self.report("expected", f"expected {what}, found {found}", self.span, help)

    # --- sections ----------------------------------------------------------------------------------------------------

    def sections(self) -> None:
        while self.kind != END:
            keyword, span = self.text, self.span
            if keyword in _NAMED:
                self.named(keyword, _NAMED[keyword])
            elif keyword in _CONSTANTS:
                self.constants()
            elif keyword == _CHECK_DEADLOCK:
                self.deadlock()
            else:
                self.unknown_section(keyword, span)
        self.refuse_two_specifications()
        self.warn_of_second_constants(self.config.assignments)
        self.warn_of_second_constants(self.config.replacements)

    def unknown_section(self, keyword: str, span: Span) -> None:
        if keyword in _RETIRED:
            help: str | None = f"TLC does not read {keyword} any more: make it an INVARIANT or leave it out"
        else:
            close = _close_sections(keyword, 0.6)
            help = f"did you mean `{close}`?" if close else "sections begin with words such as SPECIFICATION, CONSTANTS"
        self.report("unknown-section", f"`{keyword}` begins no section of a configuration file", span, help)
        self.advance()
        while not self.at_section():
            self.advance()

    def named(self, keyword: str, section: Section) -> None:
        if section.many:
            self.names(self.config.named.setdefault(section.name, []))
        else:
            self.single(keyword, section)

    def single(self, keyword: str, section: Section) -> None:
        start = self.advance()
        if self.at_section() or not self.at_word():
            self.report("missing-name", f"{keyword} needs a name behind it", start)
            return
        name = self.name()
        before = self.config.named.setdefault(section.name, [name])[0]
        if before is not name:
            self.second(keyword, start, before.span)

    def second(self, keyword: str, span: Span, before: Span) -> None:
        label = Label(before, "the first one")
        self.report("section-twice", f"a second {keyword}: there can be one only", span, labels=(label,))

    def names(self, found: list[Name]) -> None:
        self.advance()
        while not self.at_section():
            if self.at_word():
                name = self.name()
                found.append(name)
                self.warn_of_misspelt_section(name)
            else:
                help = "names are separated by spaces" if self.text == "," else None
                self.report("expected-name", f"`{self.text}` is not the name of an operator", self.advance(), help)

    def warn_of_misspelt_section(self, name: Name) -> None:
        close = _close_sections(name.text, 0.8) if _SHOUTED.fullmatch(name.text) else None
        if close:
            message = f"`{name}` is read as the name of an operator here"
            self.warn("looks-like-section", message, name.span, f"did you mean the section `{close}`?")

    def name(self) -> Name:
        """`A` or `A!B!C`."""
        start = end = self.advance()
        while self.text == "!" and self.kind != END:
            self.advance()
            end = self.advance()
        span = start.to(end)
        return Name("".join(span.text.split()), span)

    def deadlock(self) -> None:
        start = self.advance()
        before = self.config.check_deadlock
        if self.text not in ("TRUE", "FALSE"):
            self.expected("TRUE or FALSE")
            if not self.at_section():
                self.advance()
        elif before is not None:
            self.second(_CHECK_DEADLOCK, start, before.span)
            self.advance()
        else:
            self.config.check_deadlock = Flag(self.text == "TRUE", start.to(self.span))
            self.advance()

    def refuse_two_specifications(self) -> None:
        whole, first, step = (self.config.named.get(name) for name in ("specification", "init", "next"))
        other = first or step
        if whole and other:
            earlier, later = sorted((whole[0].span, other[0].span), key=lambda span: span.start)
            self.report(
                "specification-and-init",
                "a configuration has either SPECIFICATION or INIT and NEXT, not both",
                later,
                labels=(Label(earlier, "and here"),),
            )

    # --- constants ---------------------------------------------------------------------------------------------------

    def constants(self) -> None:
        self.advance()
        while not self.at_section():
            try:
                self.entry()
            except _BrokenEntry:
                self.skip_entry()

    def broken(self, what: str, help: str | None = None) -> NoReturn:
        self.expected(what, help)
        raise _BrokenEntry

    def entry(self) -> None:
        """One assignment or replacement."""
        if self.kind in (STRING, NUMBER) or self.text in (",", "=", "<-"):
            self.expected("the name of a constant", "an entry is `name = value` or `name <- operator`")
            self.advance()
            raise _BrokenEntry
        name = self.name()
        if self.text == "<-":
            self.replacement(name)
        else:
            self.assignment(name)

    def assignment(self, name: Name) -> None:
        arguments = self.arguments() if self.text == "(" else ()
        if self.text != "=":
            self.broken("= or <-", self.what_was_meant(name))
        self.advance()
        module = self.module()
        value = self.value()
        span = name.span.to(self.tokens.span(self.at - 1))
        self.config.assignments.append(Assignment(name.text, value, span, name.span, arguments, module))

    def what_was_meant(self, name: Name) -> str:
        """By something that looks like an entry, and is none."""
        section = _close_sections(name.text, 0.8) if _SHOUTED.fullmatch(name.text) else None
        if section is not None:
            return f"did you mean the section `{section}`?"
        if not _WORD.match(name.text):
            return f"a value in a configuration is no expression: {_USE_AN_OPERATOR}"
        return f"write `{name} = value` or `{name} <- operator`"

    def replacement(self, name: Name) -> None:
        self.advance()
        module = self.module()
        if self.at_section() or self.kind in (STRING, NUMBER):
            self.broken("the name of an operator", f"for a value, write `{name} = value`")
        definition = self.name()
        span = name.span.to(definition.span)
        self.config.replacements.append(Replacement(name.text, definition.text, span, name.span, module))

    def module(self) -> str | None:
        """`[module]`, where it stands."""
        if self.text != "[":
            return None
        self.advance()
        if not self.at_word():
            self.broken("the name of a module", _HOW_TO_GIVE["["])
        module = self.text
        self.advance()
        if self.text != "]":
            self.broken("]", _HOW_TO_GIVE["["])
        self.advance()
        return module

    def arguments(self) -> tuple[Value, ...]:
        """`(1, a)`, behind the name of an operator."""
        values: list[Value] = []
        while self.text in ("(", ","):
            self.advance()
            values.append(self.value())
        if self.text != ")":
            self.broken(")")
        self.advance()
        return tuple(values)

    def skip_entry(self) -> None:
        """Go on with what may be the next `name =` or `name <-`."""
        while not self.at_section() and self.tokens.text(min(self.at + 1, len(self.tokens) - 1)) not in ("=", "<-"):
            self.advance()

    def warn_of_second_constants(self, entries: Sequence[Assignment | Replacement]) -> None:
        seen: dict[tuple[object, ...], Span] = {}
        for each in entries:
            arguments = each.arguments if isinstance(each, Assignment) else ()
            name = (each.module, each.name, *arguments)
            if name in seen:
                message = f"`{each.name}` is given a second time: this one holds"
                self.warn("constant-twice", message, each.span, first=seen[name])
            seen[name] = each.span

    # --- values ------------------------------------------------------------------------------------------------------

    def value(self) -> Value:
        text, kind = self.text, self.kind
        if kind == NUMBER:
            return self.number(text)
        if kind == STRING:
            return self.string(text)
        if text == "-" and self.tokens.kinds[self.at + 1] == NUMBER:
            self.advance()
            return -self.number(self.text)
        if text == "{":
            return self.set()
        if self.at_section() or not self.at_word():
            self.broken("a value", _HOW_TO_GIVE.get(text))
        self.advance()
        return _BOOLEANS[text] if text in _BOOLEANS else ModelValue(self.appears(text))

    def number(self, text: str) -> int:
        value = number_value(text)
        if value is None:
            self.report("number-too-long", "this number has too many digits", self.span)
            raise _BrokenEntry
        self.advance()
        return value

    def string(self, text: str) -> str:
        """As in TLC, a backslash in it stands for itself."""
        self.advance()
        return self.appears(text[1:-1])

    def set(self) -> Value:
        self.advance()
        elements: list[Value] = []
        while self.text != "}":
            elements.append(self.value())
            if self.text == ",":
                self.advance()
            elif self.text != "}":
                self.broken(", or }")
        self.advance()
        return make_set(elements)

    def appears(self, name: str) -> str:
        self.config.names.append(name)
        current().register(name)
        return name


_BOOLEANS = {"TRUE": TRUE, "FALSE": FALSE}

_USE_AN_OPERATOR = "define an operator with it and write `name <- operator`"
_DEFINE = f"a configuration file has no such values: {_USE_AN_OPERATOR}"
_HOW_TO_GIVE = {"<<": _DEFINE, "[": _DEFINE, "(": _DEFINE, "-": _DEFINE}


def _close_sections(word: str, cutoff: float) -> str | None:
    close = difflib.get_close_matches(word.upper(), SECTIONS, 1, cutoff)
    return close[0] if close else None
