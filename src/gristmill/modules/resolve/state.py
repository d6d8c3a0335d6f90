"""The state of name resolution, shared by the files that resolve each kind of construct."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from gristmill.modules.loader import Loader
from gristmill.modules.resolve import suggestions
from gristmill.modules.resolve.scope import Scope
from gristmill.modules.specification import AtTarget, PreviousStep, Reference, ResolvedModule
from gristmill.modules.symbols import (
    BuiltIn,
    Constant,
    Fact,
    Instance,
    Instanced,
    Label,
    NamedInstance,
    NewDeclaration,
    Operator,
    Parameter,
    ProofStep,
    Symbol,
    Variable,
    origin,
)
from gristmill.source import Diagnostic, Span
from gristmill.source import Label as DiagnosticLabel
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax import tree

if TYPE_CHECKING:
    from gristmill.modules.levels.algebra import ExpressionLevels

Handler = Callable[["Resolution", Any], None]

# More messages than this are of no help.
MAX_DIAGNOSTICS = 100


@dataclass(slots=True, eq=False)
class Program:
    """What the modules of one specification share."""

    loader: Loader
    modules: dict[str, ResolvedModule] = field(default_factory=dict)
    in_progress: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    symbols: dict[int, Symbol | Instance | Label] = field(default_factory=dict)
    references: dict[int, Reference] = field(default_factory=dict)
    at_targets: dict[int, AtTarget] = field(default_factory=dict)
    let_names: dict[int, dict[str, Symbol]] = field(default_factory=dict)  # of each LET, for `Op!1!name`
    synthetic: list[tree.Expression] = field(default_factory=list)
    at_levels: dict[int, ExpressionLevels] = field(default_factory=dict)  # of `@` in each update of an EXCEPT

    def continued(self, loader: Loader) -> Program:
        """A program that begins with all that is known here, and leaves this one as it is."""
        return Program(
            loader,
            dict(self.modules),
            [],
            list(self.diagnostics),
            dict(self.symbols),
            dict(self.references),
            dict(self.at_targets),
            dict(self.let_names),
            list(self.synthetic),
            dict(self.at_levels),
        )


@dataclass(slots=True, eq=False)
class LabelFrame:
    """The definition or label that the next labels belong to, and the names bound between it and them."""

    labels: dict[str, Label] = field(default_factory=dict)
    bound: list[Parameter] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a compound name has to denote: an expression, an operator with `arity` arguments, a fact, a definition."""

    arity: int = 0
    place: str = ""
    fact: bool = False
    definition: bool = False


@dataclass(slots=True, eq=False)
class Resolution:
    """The walk through one module, with the modules nested in it."""

    program: Program
    module: ResolvedModule
    handlers: dict[type, Handler]
    load: Callable[[Program, str, Span, bool], ResolvedModule | None]
    resolve_path: Callable[[Resolution, tree.Path, Wanted], Reference | None]
    scope: Scope = field(default_factory=Scope)
    excepts: list[tuple[tree.Except, tree.Update]] = field(default_factory=list)
    frames: list[LabelFrame] = field(default_factory=list)
    functions: list[Operator] = field(default_factory=list)  # whose bodies we are in
    let_depth: int = 0
    undefined: list[list[Operator]] = field(default_factory=lambda: [[]])  # declared RECURSIVE, at each LET depth
    section: list[Operator] | None = None
    declared_in_assume: list[bool] = field(default_factory=list)  # one for each ASSUME around: has it a NEW yet?
    goal: Fact | None = None
    goal_clause: int = 0
    previous_right: PreviousStep | None = None
    proof_levels: list[int] = field(default_factory=list)

    # ------------------------------------------------------------------------------------------ walking

    def expression(self, node: tree.Expression) -> None:
        self.handlers[type(node)](self, node)

    def node(self, node: object) -> None:
        """A definition, a unit or a step."""
        self.handlers[type(node)](self, node)

    def note(self, node: object, symbol: Symbol | Instance | Label) -> None:
        self.program.symbols[id(node)] = symbol

    # --------------------------------------------------------------------------------------- complaints

    def report(
        self,
        id: str,
        message: str,
        span: Span | None,
        help: str | None = None,
        other: tuple[Span | None, str] | None = None,
        severity: str = "error",
    ) -> None:
        if severity == "error":
            self.module.has_errors = True
        labels = (DiagnosticLabel(other[0], other[1]),) if other and other[0] is not None else ()
        if len(self.program.diagnostics) < MAX_DIAGNOSTICS:
            self.program.diagnostics.append(
                Diagnostic(id, message, span, severity, help, labels)  # type: ignore[arg-type]
            )

    def unknown(self, name: str, span: Span) -> None:
        """`name` denotes nothing here."""
        self.module.has_errors = True
        if self.module.names_unknown or len(self.program.diagnostics) >= MAX_DIAGNOSTICS:
            return
        later = suggestions.later_definition(self.module, name, span)
        if later is not None and later.start < span.start:
            self.report(
                "recursive-not-declared",
                f"`{name}` refers to itself but is not declared RECURSIVE",
                span,
                f"declare it before its definition: `RECURSIVE {name}`, with `(_)` for each argument",
                (later, "defined here"),
            )
            return
        if later is not None:
            self.report(
                "used-before-definition",
                f"`{name}` is used before it is defined",
                span,
                "move the definition up",
                (later, "defined here"),
            )
            return
        what = "operator" if not name[:1].isalnum() and name[:1] not in "_<" else "name"
        hint = suggestions.for_unknown(name, self.scope.names, self.module)
        self.report(f"unknown-{what}", f"the {what} `{name}` is not declared or defined", span, hint)

    # ----------------------------------------------------------------------------------------- binding

    def declare(self, symbol: Symbol, span: Span) -> bool:
        """Make a symbol known in the innermost scope, under the rules for names that are taken already.

        Says whether the name is new.
        A name denotes one thing: to bind it again is an error, but for a second declaration of the same kind and arity,
        and a second import of the same definition. Then the first one stays.
        """
        name = symbol.name
        current = self.known(name)
        if current is None:
            self.bind(symbol)
            return True
        if current is symbol:
            return False
        if type(current) is BuiltIn:
            self.taken(name, span, current)
            return False
        if type(symbol) is Parameter:
            self.taken(name, span, current)
            self.scope.bind(name, symbol)
            return False
        if kind_of(current) != kind_of(symbol) or current.arity != symbol.arity:
            self.taken(name, span, current)
            return False
        if not self.is_same(current, symbol):
            self.report(
                "duplicate-declaration",
                f"`{name}` has been {_verb(current)} before; that one is meant from here on, too",
                span,
                other=(current.span, f"first {_verb(current)} here"),
                severity="warning",
            )
        return False

    def bind(self, symbol: Symbol) -> None:
        self.scope.bind(symbol.name, symbol)
        if symbol.name in self.module.weak_names and self.module.names[symbol.name] is symbol:
            self.module.weak_names.discard(symbol.name)
            self.module.local_names.discard(symbol.name)

    def known(self, name: str) -> Symbol | None:
        """What a name means, unless it may be given another meaning: library modules pass on some by the way."""
        current = self.scope.names.get(name)
        module: ResolvedModule | None = self.module
        while module is not None:
            if name in module.weak_names and module.names.get(name) is current:
                return None
            module = module.parent
        return current

    def taken(self, name: str, span: Span, current: Symbol) -> None:
        if type(current) is BuiltIn:
            self.report("built-in-redefined", f"`{name}` is part of the language and cannot be redefined", span)
            return
        self.report(
            "duplicate-definition",
            f"`{name}` is already {_verb(current)}",
            span,
            "a name can have only one meaning at a time: choose another one",
            (current.span, f"{_verb(current)} here"),
        )

    def is_same(self, left: Symbol, right: Symbol) -> bool:
        """Two imports of one definition that no substitution can tell apart."""
        home = origin(left)
        return home is origin(right) and (home.module is None or home.module.is_closed)

    def parameter(self, name: str, arity: int, span: Span) -> Parameter:
        parameter = Parameter(name, arity, self.module, span)
        self.declare(parameter, span)
        return parameter

    def parameters(self, params: Iterable[tree.Parameter]) -> tuple[Parameter, ...]:
        return tuple([self.parameter(p.name, p.arity, p.span) for p in params])

    def bind_names(self, names: Sequence[tree.Name]) -> list[Parameter]:
        """Names bound by a quantifier and its like; the labels below have to mention them."""
        bound = []
        for name in names:
            parameter = Parameter(name.name, 0, self.module, name.span)
            self.declare(parameter, name.span)
            self.program.symbols[id(name)] = parameter
            bound.append(parameter)
        return bound


def kind_of(symbol: Symbol) -> str:
    match symbol:
        case Instanced():
            return kind_of(symbol.origin)
        case NewDeclaration():
            return f"new {symbol.kind}"
        case _:
            return type(symbol).__name__


def is_declaration(symbol: Symbol) -> bool:
    return isinstance(symbol, Constant | Variable | Parameter | NewDeclaration)


def extends_class(symbol: Symbol) -> str:
    """Two symbols of one name from two extended modules may be taken for one another within these classes."""
    match symbol:
        case Constant() | Variable() | NewDeclaration():
            return "declaration"
        case Operator() | NamedInstance() | BuiltIn():
            return "definition"
        case Instanced():
            return extends_class(symbol.origin)
        case Fact():
            return "fact"
        case Parameter() | ProofStep():
            return "local"


def _verb(symbol: Symbol) -> str:
    if type(symbol) is Parameter:
        return "bound"
    return "declared" if is_declaration(symbol) else "defined"
