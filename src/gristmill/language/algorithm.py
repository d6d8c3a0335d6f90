"""The names of a PlusCal algorithm, as its author wrote them: what each denotes, where it is declared.

Expressions are resolved by the very code that resolves TLA+, with the variables of the algorithm in scope. The
translation plays no part in it, so that places are those of the algorithm whether or not the file has a translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache

from gristmill.language.files import has_algorithm
from gristmill.language.occurrences import Occurrence, Walk
from gristmill.language.targets import AlgorithmPart, Target
from gristmill.modules.resolve.modules import HANDLERS, load_module
from gristmill.modules.resolve.paths import resolve_path
from gristmill.modules.resolve.state import Program, Resolution
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import Operator, Parameter, Symbol, Variable
from gristmill.pluscal import find_algorithm, tree
from gristmill.pluscal.locate import AlgorithmRegion, find_translation
from gristmill.pluscal.options import read_options
from gristmill.pluscal.parser import parse_algorithm
from gristmill.source import SourceError, SourceFile, Span
from gristmill.syntax import tree as tla
from gristmill.syntax.cursor import ParseFailure
from gristmill.syntax.definitions import DefinitionParser
from gristmill.syntax.lexer import lex
from gristmill.syntax.token import END


@dataclass(slots=True, eq=False)
class AlgorithmNames:
    """`declared`: what the algorithm makes known to the module, under the names that the translation uses for it."""

    algorithm: tree.Algorithm
    region: AlgorithmRegion
    parts: list[AlgorithmPart] = field(default_factory=list)
    declared: dict[str, Target] = field(default_factory=dict)
    occurrences: list[Occurrence] = field(default_factory=list)
    definitions: list[tla.Definition] = field(default_factory=list)


def algorithm_names(file: SourceFile, root: ResolvedModule | None, program: Program) -> AlgorithmNames | None:
    """None where a file has no algorithm, or one that does not parse."""
    parsed = parsed_algorithm(file)
    if parsed is None or root is None:
        return None
    names = AlgorithmNames(*parsed)
    module = ResolvedModule(root.name, root.node, file, names_unknown=True)
    quiet = replace(program, loader=program.loader, diagnostics=[], in_progress=[root.name])
    resolution = Resolution(quiet, module, HANDLERS, load_module, resolve_path)
    resolution.scope.enter(dict(root.names))
    _Walk(resolution, names, Walk(quiet, module)).algorithm()
    return names


def parsed_algorithm(file: SourceFile) -> tuple[tree.Algorithm, AlgorithmRegion] | None:
    if not has_algorithm(file):
        return None
    try:
        region = find_algorithm(file)
        if region is None or not region.plausible:
            return None
        return parse_algorithm(file, region, read_options(file)[0]), region
    except SourceError:
        return None


def region_of(file: SourceFile) -> tuple[int, int] | None:
    """Where the algorithm of a file stands, also one that does not parse."""
    try:
        region = find_algorithm(file)
    except SourceError:
        return None
    return None if region is None or not region.plausible else (region.keyword.start, region.end)


@lru_cache(maxsize=64)
def translation_of(file: SourceFile) -> tuple[int, int] | None:
    """The offsets between the markers of a translation."""
    if "TRANSLATION" not in file.text:
        return None
    try:
        region = find_translation(file)
    except SourceError:
        return None
    return None if region is None else (region.start, region.end)


class _Walk:
    def __init__(self, resolution: Resolution, names: AlgorithmNames, found: Walk) -> None:
        self.r, self.names, self.found = resolution, names, found
        self.parts: dict[tuple[str, str], AlgorithmPart] = {}

    def algorithm(self) -> None:
        algorithm = self.names.algorithm
        self.part(algorithm.name, "algorithm", algorithm.span)
        for macro in algorithm.macros:
            self.part(macro.name, "macro", macro.span)
        for procedure in algorithm.procedures:
            self.part(procedure.name, "procedure", procedure.span)
        for process in algorithm.processes:
            self.part(process.name, "process", process.span)
        self.declarations(algorithm.variables)
        if algorithm.definitions is not None:
            self.definitions(algorithm.definitions)
        for macro in algorithm.macros:
            self.macro(macro)
        for procedure in algorithm.procedures:
            with self.scope():
                self.declarations(procedure.params)
                self.declarations(procedure.variables)
                self.body(procedure.body)
        for process in algorithm.processes:
            self.process(process)
        self.body(algorithm.body)
        self.names.occurrences = self.found.found

    @contextmanager
    def scope(self) -> Iterator[None]:
        self.r.scope.enter()
        yield
        self.r.scope.leave()

    def part(self, name: tla.Name, kind: str, whole: Span) -> None:
        part = AlgorithmPart(name.name, kind, name.span, whole)  # type: ignore[arg-type]
        self.names.parts.append(part)
        self.parts[kind, name.name] = part
        if kind in ("procedure", "process", "label"):
            self.names.declared.setdefault(name.name, part)
        self.found.add(name.span, part, True)

    def declare(self, name: tla.Name, symbol: Symbol) -> None:
        self.r.scope.bind(name.name, symbol)
        self.found.add(name.span, symbol, True)

    def declarations(self, declarations: Iterable[tree.VariableDeclaration]) -> None:
        for each in declarations:
            if each.value is not None:
                self.expression(each.value)
            variable = Variable(each.name.name, self.r.module, each.name.span)
            self.names.declared.setdefault(variable.name, variable)
            self.declare(each.name, variable)

    def expression(self, expression: tla.Expression) -> None:
        self.r.expression(expression)
        self.found.go(expression)

    def definitions(self, span: Span) -> None:
        """Those of `define`, which the parser of algorithms keeps as text."""
        parser = DefinitionParser(lex(span.file, span.start, span.end)[0])
        try:
            while parser.peek() != END:
                definition = parser.definition(local=parser.accept("LOCAL"))
                self.names.definitions.append(definition)
                self.definition(definition)
        except ParseFailure:
            return  # what follows is no definition that could be known by its name

    def definition(self, definition: tla.Definition) -> None:
        """The translation defines the name, too; here it is this definition that counts."""
        names = self.r.scope.names
        if not isinstance(definition, tla.Recursive):
            names.pop(definition.name, None)
        self.r.node(definition)
        symbol = self.r.program.symbols.get(id(definition))
        if isinstance(symbol, Operator):
            self.r.scope.bind(symbol.name, symbol)
            self.names.declared[symbol.name] = symbol
        self.found.go(definition)

    def macro(self, macro: tree.Macro) -> None:
        with self.scope():
            for param in macro.params:
                self.declare(param, Parameter(param.name, 0, self.r.module, param.span))
            self.body(macro.body)

    def process(self, process: tree.Process) -> None:
        self.expression(process.identity)
        with self.scope():
            own = Parameter("self", 0, self.r.module, process.name.span)
            if process.is_set:
                self.r.scope.bind("self", own)
            self.declarations(process.variables)
            self.body(process.body)

    # ------------------------------------------------------------------------------------------- statements

    def body(self, body: tree.Body) -> None:
        for statement in tree.walk(body):
            label = statement.label
            if label is not None and not label.added and ("label", label.name) not in self.parts:
                name = tla.Name(label.name, Span(label.span.file, label.span.start, label.span.start + len(label.name)))
                self.part(name, "label", name.span)
        self.statements(body)

    def statements(self, body: tree.Body) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, statement: tree.Statement) -> None:
        match statement:
            case tree.Assign(assignments):
                for each in assignments:
                    self.assignment(each)
            case tree.If(test, then, otherwise):
                self.expression(test)
                self.statements(then)
                self.statements(otherwise)
            case tree.Either(clauses):
                for clause in clauses:
                    self.statements(clause)
            case tree.While(test, body):
                self.expression(test)
                self.statements(body)
            case tree.With(name, _, value, body):
                self.expression(value)
                with self.scope():
                    self.declare(name, Parameter(name.name, 0, self.r.module, name.span))
                    self.statements(body)
            case tree.Await(value) | tree.Assert(value) | tree.Print(value):
                self.expression(value)
            case tree.Goto(target):
                self.refer(target, "label")
            case tree.Call(procedure, args, then):
                self.refer(procedure, "procedure")
                self.expressions(args)
                if isinstance(then, tree.Goto):
                    self.refer(then.target, "label")
            case tree.MacroCall(macro, args):
                self.refer(macro, "macro")
                self.expressions(args)
            case tree.Skip() | tree.Return():
                pass

    def expressions(self, expressions: Iterable[tla.Expression]) -> None:
        for each in expressions:
            self.expression(each)

    def assignment(self, assignment: tree.Assignment) -> None:
        self.expression(assignment.variable)
        for step in assignment.path:
            if isinstance(step, tla.IndexStep):
                self.expressions(step.args)
        self.expression(assignment.value)

    def refer(self, name: tla.Name, kind: str) -> None:
        self.found.add(name.span, self.parts.get((kind, name.name)))
