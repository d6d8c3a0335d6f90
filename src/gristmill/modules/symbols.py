"""What names denote.

Symbols are compared by identity: two declarations of the same name are two symbols. A symbol knows its `name`, its
`arity`, its `span`, and the `module` it was born in; operators and instances also know their parameters. Levels are
filled in by `levels`; they are not part of what a symbol is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from gristmill.source import Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax import tree

if TYPE_CHECKING:
    from gristmill.modules.levels.algebra import ExpressionLevels, OperatorArgument, OperatorLevels, ParameterLimits
    from gristmill.modules.specification import ResolvedModule


@dataclass(slots=True, eq=False)
class BuiltIn:
    """An operator of the language itself: `\\cup`, `'`, `TRUE`."""

    name: str
    arity: int
    levels: OperatorLevels

    params: tuple[Parameter, ...] = ()
    module: None = None
    span: None = None


@dataclass(slots=True, eq=False)
class Constant:
    """A name from `CONSTANT`."""

    name: str
    arity: int
    module: ResolvedModule
    span: Span
    level: int = 0
    levels: ExpressionLevels | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class Variable:
    """A name from `VARIABLE`."""

    name: str
    module: ResolvedModule
    span: Span
    arity: int = 0
    level: int = 1
    levels: ExpressionLevels | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class Parameter:
    """A formal parameter (possibly an operator), or an identifier bound by a quantifier and its like."""

    name: str
    arity: int
    module: ResolvedModule
    span: Span
    level: int = 0
    levels: ExpressionLevels | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class NewDeclaration:
    """A name from `NEW` in an ASSUME … PROVE."""

    name: str
    arity: int
    kind: Literal["CONSTANT", "VARIABLE", "STATE", "ACTION", "TEMPORAL"]
    module: ResolvedModule
    span: Span
    level: int = 0
    levels: ExpressionLevels | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class Operator:
    """A definition: an operator, a function `f[x \\in S] == e`, or a LAMBDA (then `name` is `LAMBDA`).

    Of an operator declared RECURSIVE, `definition` is None until the definition is met.
    """

    name: str
    params: tuple[Parameter, ...]
    definition: tree.OperatorDefinition | tree.FunctionDefinition | tree.Lambda | None
    module: ResolvedModule
    span: Span
    local: bool = False
    recursive: bool = False  # declared RECURSIVE, or a function that applies itself
    declared: bool = False  # declared RECURSIVE
    let_depth: int = 0  # 0 at the top of a module
    in_section: bool = False  # between a RECURSIVE and the last of its definitions, at the same LET
    labels: dict[str, Label] = field(default_factory=dict, repr=False)
    levels: OperatorLevels | None = field(default=None, repr=False)

    @property
    def arity(self) -> int:
        return len(self.params)

    @property
    def level(self) -> int:
        """The level it has when its arguments are constants; known once levels are checked."""
        return 0 if self.levels is None else self.levels.outside.level

    @property
    def is_function(self) -> bool:
        return isinstance(self.definition, tree.FunctionDefinition)

    @property
    def body(self) -> tree.Expression:
        """The right-hand side. Of a function it stands under the bounds of the definition."""
        assert self.definition is not None
        return self.definition.body


@dataclass(slots=True, eq=False)
class Fact:
    """A theorem, an assumption or a step of a proof, by its name. `statement` is what it claims."""

    name: str
    kind: Literal["theorem", "assumption", "step"]
    module: ResolvedModule
    span: Span
    statement: tree.Statement | tree.StepBody | None = None
    local: bool = False
    labels: dict[str, Label] = field(default_factory=dict, repr=False)
    levels: OperatorLevels | None = field(default=None, repr=False)
    in_scope: bool = True  # False once the names it declares with NEW are out of scope

    params: tuple[Parameter, ...] = ()
    arity: int = 0


@dataclass(slots=True, eq=False)
class ProofStep:
    """A named step that claims nothing: DEFINE, USE, HIDE, INSTANCE."""

    name: str
    body: tree.StepBody
    module: ResolvedModule
    span: Span
    arity: int = 0


@dataclass(slots=True, eq=False)
class Label:
    """`name(params) :: body`."""

    name: str
    params: tuple[Parameter, ...]
    node: tree.Labelled | tree.AssumeProve
    span: Span
    labels: dict[str, Label] = field(default_factory=dict, repr=False)
    goal: Fact | None = None  # the ASSUME … PROVE it stands in
    clause: int = 0

    @property
    def arity(self) -> int:
        return len(self.params)


@dataclass(slots=True, eq=False)
class Substitute:
    """What an INSTANCE puts for a declared name: the expression written, or the symbol of the same name."""

    target: Constant | Variable
    value: tree.Expression | None
    symbol: Symbol | None  # of an implicit substitution
    span: Span
    levels: ExpressionLevels | None = field(default=None, repr=False)
    operator: Symbol | None = None  # when the target is an operator: what is put for it
    argument: OperatorArgument | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class Instance:
    """One INSTANCE in the text, with every substitution that it makes, explicit and implicit."""

    module: ResolvedModule
    params: tuple[Parameter, ...]
    substitutes: dict[Constant | Variable, Substitute]
    home: ResolvedModule  # where it stands
    node: tree.Instance
    span: Span
    members: dict[Symbol, Symbol] = field(default_factory=dict, repr=False)
    limits: ParameterLimits | None = field(default=None, repr=False)

    def member(self, symbol: Symbol) -> Symbol:
        """`symbol`, a definition of the instantiated module, as it is seen through this instance."""
        if not self.params and (not self.substitutes or _is_closed(symbol)):
            return symbol
        seen = self.members.get(symbol)
        if seen is None:
            seen = self.members[symbol] = _through(self, symbol)
        return seen


@dataclass(slots=True, eq=False)
class NamedInstance:
    """`I(x) == INSTANCE M`. When reached through another instance, `outer` is that one and `inner` the name in it."""

    name: str
    params: tuple[Parameter, ...]
    instance: Instance
    module: ResolvedModule
    span: Span
    local: bool = False
    inner: NamedInstance | None = None

    @property
    def arity(self) -> int:
        return len(self.params)

    def find(self, name: str) -> Symbol | None:
        """The symbol that `I!name` denotes."""
        if self.inner is not None:
            found = self.inner.find(name)
        else:
            found = self.instance.module.exported(name)
        return None if found is None else self.instance.member(found)

    def names(self) -> Iterator[str]:
        if self.inner is not None:
            return self.inner.names()
        return (name for name, symbol in self.instance.module.exports() if is_definition(symbol))

    def definitions(self) -> Iterator[Symbol]:
        """Every operator, theorem and assumption reached through this instance, also through those inside it."""
        for name in self.names():
            found = self.find(name)
            if isinstance(found, NamedInstance):
                yield from found.definitions()
            elif found is not None:
                yield found


@dataclass(slots=True, eq=False)
class Instanced:
    """A definition seen through an INSTANCE: `operator` with the substitutions of `instance`.

    Its parameters are those of the instance followed by those of the operator. To evaluate it, bind the instance's
    parameters, put the instance's substitutes for the declared names, and evaluate the operator.
    """

    name: str
    params: tuple[Parameter, ...]
    instance: Instance
    operator: Operator | Instanced | Fact
    module: ResolvedModule
    span: Span
    local: bool = False
    levels: OperatorLevels | None = field(default=None, repr=False)

    @property
    def arity(self) -> int:
        return len(self.params)

    @property
    def level(self) -> int:
        """The level it has when its arguments are constants; known once levels are checked."""
        return 0 if self.levels is None else self.levels.outside.level

    @property
    def origin(self) -> Operator | Fact:
        """The definition itself, past every instance."""
        at: Operator | Instanced | Fact = self
        while isinstance(at, Instanced):
            at = at.operator
        return at

    @property
    def labels(self) -> dict[str, Label]:
        return self.origin.labels


Declared = Constant | Variable | Parameter | NewDeclaration
Defined = Operator | Instanced | Fact
Symbol = BuiltIn | Declared | Defined | ProofStep | NamedInstance


def is_definition(symbol: Symbol) -> bool:
    """Does an INSTANCE make this symbol known? Declared names are substituted instead."""
    return isinstance(symbol, Operator | Instanced | Fact | NamedInstance)


def origin(symbol: Symbol) -> Symbol:
    """The definition behind a symbol; two imports of one definition have the same origin."""
    return symbol.origin if isinstance(symbol, Instanced) else symbol


def _is_closed(symbol: Symbol) -> bool:
    """No substitution can touch a definition of a module without parameters, its own or those around it."""
    return symbol.module is None or symbol.module.is_closed


def _through(instance: Instance, symbol: Symbol) -> Symbol:
    if isinstance(symbol, NamedInstance):
        params = instance.params + symbol.params
        return NamedInstance(symbol.name, params, instance, instance.home, symbol.span, False, symbol)
    assert isinstance(symbol, Operator | Instanced | Fact)
    return Instanced(symbol.name, instance.params + symbol.params, instance, symbol, instance.home, symbol.span)
