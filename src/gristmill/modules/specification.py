"""The result of name resolution: modules with their symbols, and what every name in their trees denotes.

Trees are immutable and know nothing of symbols, so the denotations stand in tables beside them, keyed by the identity
of nodes (`id(node)`); the specification keeps the trees alive. A later stage needs no lookup of its own:

- `symbol_of(node)` for a `Name` (an expression, the operator of an `Apply`, a name in a `Bound`, a LAMBDA's parameter),
  and for the node of a definition, an INSTANCE, a LAMBDA or a label, the symbol that it introduces;
- `reference_of(path)` for a `Path`: an operator with all its arguments, or a piece of a definition with the binders it
  was taken from;
- `at_target(at)` for an `@`: the expression it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from gristmill.modules.levels.algebra import ParameterLimits
from gristmill.modules.symbols import (
    Constant,
    Defined,
    Instance,
    Label,
    NamedInstance,
    Operator,
    Parameter,
    Symbol,
    Variable,
    is_definition,
)
from gristmill.source import SourceFile
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax import tree
from gristmill.syntax.token import Tokens


@dataclass(slots=True, eq=False)
class ResolvedModule:
    """A module and the names in it: its own and those it extends, in the order in which they became known."""

    name: str
    node: tree.Module
    file: SourceFile
    parent: ResolvedModule | None = None  # the module it is nested in
    is_library: bool = False  # one of the modules that come with Gristmill
    extends: list[ResolvedModule] = field(default_factory=list, repr=False)
    names: dict[str, Symbol] = field(default_factory=dict, repr=False)
    local_names: set[str] = field(default_factory=set, repr=False)  # not seen by those who extend or instantiate it
    weak_names: set[str] = field(default_factory=set, repr=False)  # give way to any other meaning of theirs
    modules: dict[str, ResolvedModule] = field(default_factory=dict, repr=False)  # nested in it, or in one it extends
    depends: list[ResolvedModule] = field(default_factory=list, repr=False)  # what it extends or instantiates
    instances: list[Instance] = field(default_factory=list, repr=False)  # at its top level, named or not
    recursive_sections: list[list[Operator]] = field(default_factory=list, repr=False)
    is_complete: bool = False  # its end was reached
    has_errors: bool = False
    names_unknown: bool = False  # something it extends is missing or broken: an unknown name is not its fault
    limits: ParameterLimits | None = field(default=None, repr=False)
    constant_module: bool | None = None  # no variables, and every definition of constant level
    theorem_level: int = 0  # the highest level of its own theorems
    tokens: Tokens | None = field(default=None, repr=False)  # of its file, as long as nobody has asked for the words
    words: tuple[list[str], list[str]] | None = field(default=None, repr=False)  # see `modules.appearance`
    _closed: bool | None = None

    def symbols(self) -> Iterator[Symbol]:
        return iter(self.names.values())

    @property
    def constants(self) -> list[Constant]:
        """Its own and those it extends."""
        return [symbol for symbol in self.names.values() if isinstance(symbol, Constant)]

    @property
    def variables(self) -> list[Variable]:
        return [symbol for symbol in self.names.values() if isinstance(symbol, Variable)]

    @property
    def assumptions(self) -> Iterator[tree.Assume]:
        """Every ASSUME that holds in this module: those of the modules it extends first, each once."""
        for module in self.with_extended():
            yield from (unit for unit in module.node.units if isinstance(unit, tree.Assume))

    def with_extended(self) -> list[ResolvedModule]:
        """The modules it extends, directly or not, dependencies first, and itself at the end."""
        found: dict[ResolvedModule, None] = {}

        def visit(module: ResolvedModule) -> None:
            if module not in found:
                for extended in module.extends:
                    visit(extended)
                found[module] = None

        visit(self)
        return list(found)

    @property
    def is_closed(self) -> bool:
        """Whether its definitions depend on no declared constant or variable, so that INSTANCE leaves them alone."""
        if self._closed is not None:
            return self._closed
        closed = not any(isinstance(symbol, Constant | Variable) for symbol in self.names.values())
        closed = closed and (self.parent is None or self.parent.is_closed)
        if self.is_complete:
            self._closed = closed
        return closed

    def exported(self, name: str) -> Symbol | None:
        """The definition of that name that an INSTANCE of this module makes known."""
        symbol = self.names.get(name)
        if symbol is None or name in self.local_names or not is_definition(symbol):
            return None
        return symbol

    def exports(self) -> Iterator[tuple[str, Symbol]]:
        return ((name, symbol) for name, symbol in self.names.items() if name not in self.local_names)


@dataclass(frozen=True, slots=True, eq=False)
class OperatorReference:
    """`I(x)!Op(y)`: a definition reached by its compound name, with the arguments of all its parts in a row."""

    symbol: Symbol
    args: tuple[tree.Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """`Op(a)!2!(b)`: a piece of a definition.

    It means `LAMBDA params : node`, with the substitutions of `instances` (the outermost first) made in `node`, applied
    to `args`. Where an operator is expected there are no arguments, and it means the LAMBDA itself.
    """

    node: tree.Expression | tree.AssumeProve | tree.NewSymbol | tree.StepBody
    params: tuple[Parameter, ...]
    args: tuple[tree.Expression, ...]
    instances: tuple[Instance, ...]
    definition: Defined


Reference = OperatorReference | Selection


@dataclass(frozen=True, slots=True, eq=False)
class ExceptTarget:
    """`@` in `[f EXCEPT …, ![i] = … @ …]`: what `f`, with the updates before this one, has at `[i]`."""

    node: tree.Except
    update: tree.Update


@dataclass(frozen=True, slots=True, eq=False)
class PreviousStep:
    """`@` at the beginning of a proof step: the right-hand side of the step before."""

    expression: tree.Expression


AtTarget = ExceptTarget | PreviousStep


@dataclass(slots=True, eq=False)
class Specification:
    """A root module with everything it depends on."""

    root: ResolvedModule
    modules: dict[str, ResolvedModule]  # one a file, dependencies first
    symbols: dict[int, Symbol | Instance | Label] = field(repr=False)
    references: dict[int, Reference] = field(repr=False)
    at_targets: dict[int, AtTarget] = field(repr=False)
    synthetic: list[tree.Expression] = field(default_factory=list, repr=False)  # nodes of no text, kept alive

    def symbol_of(self, node: object) -> Symbol | Instance | Label:
        return self.symbols[id(node)]

    def reference_of(self, path: tree.Path) -> Reference:
        return self.references[id(path)]

    def at_target(self, at: tree.At) -> AtTarget:
        return self.at_targets[id(at)]

    def find(self, name: str) -> Symbol | None:
        """A name as it is known at the end of the root module; `I!Op` reaches into a named instance."""
        first, *rest = name.split("!")
        symbol = self.root.names.get(first)
        for part in rest:
            symbol = symbol.find(part) if isinstance(symbol, NamedInstance) else None
        return symbol
