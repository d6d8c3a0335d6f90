"""Cuts out of a specification what a composition needs: some actions, and of these what is said of some variables.

Formulas are cut where they are true or false by themselves, that is, in the places of conjuncts, disjuncts, branches
and bodies of quantifiers, also inside of the definitions that they apply:

- an action that is not wanted is FALSE, and with it whatever it is a conjunct of;
- `v' = e` of a variable that is not kept is TRUE, and goes, as do its places in UNCHANGED (in an initial predicate,
  `v = e`). Of `v' \\in S` it remains that S is not empty.

For a v that nothing else mentions, what remains is the formula with v hidden: there is a value of v for it or not.
So whoever cuts must look whether something still mentions v (`Carver.log`), and keep it if so. Where v is given a
value twice, one of them is a test, and counts as mentioning it.

Everything else is copied. Names are marked in the copies, because merging files may rename what they denote:
definitions by `DEFINED` and a number, names that are bound by `BOUND`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, TypeVar, cast

from gristmill.compose.build.refusals import fact_applied, implicit_substitution, nested_module, part_of_definition
from gristmill.compose.build.trees import closed, names_defined, names_in, same_sign, unit_of
from gristmill.modules.specification import ResolvedModule, Selection, Specification
from gristmill.modules.symbols import (
    Constant,
    Fact,
    Instance,
    Instanced,
    NamedInstance,
    Operator,
    Parameter,
    Symbol,
    Variable,
)
from gristmill.source import InternalError, SourceError, Span
from gristmill.syntax import tree

DEFINED, BOUND = "\0", "\1"

ACTION_LEVEL = 2

T = TypeVar("T")

Mode = Literal["plain", "action", "init", "tuple", "instance"]
Hidden = tuple[tuple[Parameter, str], ...]  # parameters that stand for variables that are not kept

Key = tuple[object, Mode, Hidden]


# What a copy speaks of; of actions that were met, and of variables that are given a value, also where that is cut away.
Kind = Literal["variable", "constant", "definition", "let", "action", "write", "stay"]


class Outcome(Enum):
    """A formula that is cut away as a whole."""

    TRUE = "TRUE"
    FALSE = "FALSE"


Result = tree.Expression | Outcome


@dataclass(frozen=True, slots=True)
class Mention:
    """`what`: the name of a variable or of a LET, a constant, the number of a definition, the identity of an action."""

    kind: Kind
    what: Any
    span: Span = field(compare=False)


@dataclass(slots=True, eq=False)
class Carved:
    """A definition as far as it is needed. `made`: the copy, or what its body comes to."""

    number: int
    name: str
    module: ResolvedModule
    original: tree.Unit
    log: list[Mention] = field(default_factory=list)
    made: tree.Unit | Outcome | None = None
    dropped: frozenset[int] = frozenset()  # parameters that are gone, by position
    recursive: bool = False

    @property
    def place(self) -> tuple[str, int]:
        return self.module.name, self.original.span.start


class Carver:
    """Of one specification. `kept`: variables; `unwanted`: actions, by the identity of their nodes."""

    def __init__(
        self, specification: Specification, kept: Collection[str], unwanted: Collection[int], wanted: Mapping[int, str]
    ) -> None:
        self.specification, self.kept, self.unwanted, self.wanted = specification, kept, unwanted, wanted
        self.definitions: list[Carved] = []
        self.log: list[Mention] = []
        self.home = specification.root
        self._by_key: dict[Key, Carved] = {}
        self._hidden: dict[Symbol, str] = {}
        self._lets: dict[Symbol, tuple[Result, list[Mention]]] = {}  # actions that a LET defines
        self._mode: Mode = "plain"

    # ------------------------------------------------------------------------------------------------------ entrances

    def action(self, node: tree.Expression, home: ResolvedModule) -> Result:
        return self._in(home, "action", lambda: self.formula(node))

    def initial(self, node: tree.Expression, home: ResolvedModule) -> Result:
        return self._in(home, "init", lambda: self.formula(node))

    def expression(self, node: tree.Expression, home: ResolvedModule) -> tree.Expression:
        return self._in(home, "plain", lambda: self.copied(node))

    def reference(self, symbol: Operator) -> tree.Name:
        """A definition is needed as it is, under its name."""
        return self._defined(tree.Name(symbol.name, symbol.span), symbol)

    def _in(self, home: ResolvedModule, mode: Mode, work: Callable[[], T]) -> T:
        before = self.home, self._mode
        self.home, self._mode = home, mode
        try:
            return work()
        finally:
            self.home, self._mode = before

    # ------------------------------------------------------------------------------------------------------- formulas

    def formula(self, node: tree.Expression) -> Result:
        """A formula in a place where it may be cut."""
        if id(node) in self.unwanted:
            return Outcome.FALSE
        if id(node) in self.wanted:
            self.note("action", id(node), node.span)
        match node:
            case tree.Name("FALSE"):
                return Outcome.FALSE
            case tree.Parens(body):
                return _around(self.formula(body), lambda made: tree.Parens(made, node.span))
            case tree.Labelled(_, (), body):
                return self.formula(body)
            case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
                return self.conjunction(node, items)
            case tree.Junction("\\/", items) | tree.Apply(tree.Name("\\/"), items):
                return self.disjunction(node, items)
            case tree.Quantified("\\E" | "\\A", bounds, body) if all(bound.domain is not None for bound in bounds):
                return self.quantified(node)
            case tree.If(condition, then, otherwise):
                yes, no = self.formula(then), self.formula(otherwise)
                if isinstance(yes, Outcome) and yes is no:
                    return yes
                return tree.If(self.copy(condition), _written(yes, then), _written(no, otherwise), node.span)
            case tree.Case(arms):
                return self.case(node, arms)
            case tree.Let():
                return cast(Result, self.let(node, self.formula))
            case tree.Apply(tree.Name("UNCHANGED"), (operand,)) if self._mode == "action":
                left = self.unchanged(operand)
                if left is None:
                    return Outcome.TRUE
                return tree.Apply(self.name(node.operator), (left,), node.span)
            case tree.Apply(tree.Name("=" | "\\in" | "\\subseteq"), (left, right)) if self.target(left) is not None:
                return self.assignment(node, left, right)
            case tree.Name() | tree.Apply():
                return self.application(node)
        return self.copied(node)

    def conjunction(self, node: tree.Expression, items: Sequence[tree.Expression]) -> Result:
        mark = len(self.log)
        left: list[tree.Expression] = []
        given: list[tuple[set[str], set[str]]] = []
        for item in items:
            before = len(self.log)
            made = self.formula(item)
            given.append(self.settled(self.log[before:]))
            if made is Outcome.FALSE:
                del self.log[mark:]  # nothing of the others is left either
                return made
            if not isinstance(made, Outcome):
                left.append(made)
        self.note_tests(given, node.span)
        return _joined(node, left, Outcome.TRUE)

    def note_tests(self, given: Sequence[tuple[set[str], set[str]]], span: Span) -> None:
        """Where two conjuncts give a value to a variable that is not kept, one of them is a test: it is read."""
        for number, (written, staying) in enumerate(given):
            for others, left_alone in given[number + 1 :]:
                for name in (written & (others | left_alone)) | (staying & others):
                    self.note("variable", name, span)

    def settled(self, log: Sequence[Mention]) -> tuple[set[str], set[str]]:
        """Variables that are not kept: those that are written, and those of which it is said that they stay."""
        written: set[str] = set()
        staying: set[str] = set()
        seen: set[int] = set()
        waiting = list(log)
        while waiting:
            each = waiting.pop()
            if each.kind in ("write", "stay") and each.what not in self.kept:
                (written if each.kind == "write" else staying).add(each.what)
            elif each.kind == "definition" and each.what not in seen:
                seen.add(each.what)
                waiting += self.definitions[each.what].log
        return written, staying

    def disjunction(self, node: tree.Expression, items: Sequence[tree.Expression]) -> Result:
        made = [(self.formula(item), item) for item in items]
        left = [(each, item) for each, item in made if each is not Outcome.FALSE]
        if left and all(each is Outcome.TRUE for each, _ in left):
            return Outcome.TRUE
        return _joined(node, [_written(each, item) for each, item in left], Outcome.FALSE)

    def quantified(self, node: tree.Quantified) -> Result:
        body = self.formula(node.body)
        if isinstance(body, Outcome):
            return self.over_nothing(node, body)
        return tree.Quantified(node.quantifier, self.copy_all(node.bounds), body, node.span)

    def over_nothing(self, node: tree.Quantified, body: Outcome) -> Result:
        """Of `\\E x \\in S : TRUE` it remains that there is something in S."""
        if node.quantifier == "\\A" or body is Outcome.FALSE or self._mode == "init":
            return body
        tests = [self.not_empty(bound.domain) for bound in node.bounds if bound.domain is not None]
        left = [test for test in tests if not isinstance(test, Outcome)]
        return _joined(tree.Junction("/\\", (), node.span), left, Outcome.TRUE)

    def not_empty(self, domain: tree.Expression) -> Result:
        match domain:
            case tree.SetEnumeration(items) if items:
                return Outcome.TRUE
            case tree.Name("BOOLEAN" | "STRING" | "Nat" | "Int" | "Real"):
                return Outcome.TRUE
            case tree.Apply(tree.Name("SUBSET")):
                return Outcome.TRUE
        empty = tree.SetEnumeration((), domain.span)
        return tree.Apply(tree.Name("/=", domain.span), (closed(self.copy(domain)), empty), domain.span)

    def case(self, node: tree.Case, arms: Sequence[tree.Arm]) -> Result:
        values = [self.formula(arm.value) for arm in arms]
        if all(isinstance(value, Outcome) for value in values) and len(set(values)) == 1:
            return values[0]
        made = [
            tree.Arm(None if arm.guard is None else self.copy(arm.guard), _written(value, arm.value), arm.span)
            for arm, value in zip(arms, values, strict=True)
        ]
        return tree.Case(tuple(made), node.span)

    def assignment(self, node: tree.Apply, left: tree.Expression, right: tree.Expression) -> Result:
        name = self.target(left)
        assert name is not None
        if self.variable(right) != name:
            self.note("write", name, node.span)
        if name in self.kept:
            return self.assigned(node, right)
        if node.operator.name == "\\in" and self._mode == "action":
            return self.not_empty(right)
        return Outcome.TRUE

    def assigned(self, node: tree.Apply, right: tree.Expression) -> tree.Expression:
        """To give a variable a value is not to read it."""
        left = node.args[0]
        mark = len(self.log)
        copied = self.copy(left)
        del self.log[mark:]
        return tree.Apply(self.name(node.operator), (copied, self.copy(right)), node.span)

    def target(self, node: tree.Expression) -> str | None:
        """The variable that a formula gives a value to: `v'`, or `v` in an initial predicate."""
        match node:
            case tree.Parens(body):
                return self.target(body)
            case tree.Apply(tree.Name("'"), (operand,)) if self._mode == "action":
                return self.variable(operand)
            case tree.Name() if self._mode == "init":
                return self.variable(node)
        return None

    def hidden_variable(self, node: tree.Expression) -> str | None:
        name = self.variable(node)
        return None if name is None or name in self.kept else name

    def variable(self, node: tree.Expression) -> str | None:
        """The variable that an expression is, also by the name of a parameter."""
        match node:
            case tree.Parens(body):
                return self.variable(body)
            case tree.Name():
                symbol = self.symbol(node)
                if isinstance(symbol, Parameter):
                    return self._hidden.get(symbol)
                return symbol.name if isinstance(symbol, Variable) else None
        return None

    def unchanged(self, node: tree.Expression) -> tree.Expression | None:
        """What UNCHANGED says of variables that are kept. It reads none of them, so nothing is noted."""
        name = self.variable(node)
        if name is not None:
            self.note("stay", name, node.span)
            return tree.Name(name, node.span) if name in self.kept else None
        match node:
            case tree.Parens(body):
                inner = self.unchanged(body)
                return None if inner is None else tree.Parens(inner, node.span)
            case tree.Tuple(items):
                left = [made for item in items if (made := self.unchanged(item)) is not None]
                return tree.Tuple(tuple(left), node.span) if left else None
            case tree.Name() if self.is_tuple_definition(symbol := self.symbol(node)):
                assert isinstance(symbol, Operator)
                found = self.define(symbol, "tuple", ())
                if isinstance(found.made, Outcome):
                    self.log += [mention for mention in found.log if mention.kind == "stay"]
                    return None
                return self._marked(node, found)
        return self.copied(node)

    def is_tuple_definition(self, symbol: object) -> bool:
        """`vars == <<x, y, otherVars>>`."""
        if (
            not isinstance(symbol, Operator)
            or symbol.params
            or not isinstance(symbol.definition, tree.OperatorDefinition)
        ):
            return False
        return not (symbol.let_depth or symbol.module.is_library) and self._is_tuple(symbol.definition.body)

    def _is_tuple(self, node: tree.Expression) -> bool:
        match node:
            case tree.Parens(body):
                return self._is_tuple(body)
            case tree.Tuple(items):
                return all(self._is_tuple(item) for item in items)
            case tree.Name():
                symbol = self.symbol(node)
                return isinstance(symbol, Variable) or self.is_tuple_definition(symbol)
        return False

    # --------------------------------------------------------------------------------------------------- applications

    def application(self, node: tree.Name | tree.Apply) -> Result:
        """A definition that is applied in the place of a formula is cut, too."""
        operator, args = (node.operator, node.args) if isinstance(node, tree.Apply) else (node, ())
        symbol = self.symbol(operator)
        if not isinstance(symbol, Operator) or not self.is_cut(symbol):
            return self.copied(node)
        if symbol.let_depth:
            return self.let_application(node, symbol)
        given = list(zip(symbol.params, args, strict=True))
        hidden = tuple((p, v) for p, arg in given if not p.arity and (v := self.hidden_variable(arg)) is not None)
        found = self.define(symbol, self._mode, hidden)
        if isinstance(found.made, Outcome):
            for mention in found.log:
                if mention.kind in ("action", "write", "stay"):
                    self.log.append(mention)
            return found.made
        name = self._marked(operator, found)
        left = tuple(self.argument(arg) for n, arg in enumerate(args) if n not in found.dropped)
        return tree.Apply(name, left, node.span) if left else name

    def is_cut(self, symbol: Operator) -> bool:
        if symbol.module.is_library or symbol.recursive or not isinstance(symbol.definition, tree.OperatorDefinition):
            return False
        takes_operators = any(param.arity for param in symbol.params)
        return self._mode == "init" or symbol.level == ACTION_LEVEL or takes_operators

    def argument(self, node: tree.Expression) -> tree.Expression:
        """An action that is given as an argument is cut, too, unless it would take fewer arguments then."""
        symbol = self.symbol(node) if isinstance(node, tree.Name) else None
        if isinstance(node, tree.Name) and isinstance(symbol, Operator) and symbol.params and self.is_cut(symbol):
            found = self.define(symbol, self._mode, ())
            if not found.dropped and not isinstance(found.made, Outcome) and not symbol.let_depth:
                return self._marked(node, found)
        return self.copied(node)

    def let_application(self, node: tree.Expression, symbol: Operator) -> Result:
        """An action that a LET defines; its copy waits for the LET."""
        if symbol not in self._lets:
            before, self.log = self.log, []
            made = self.formula(symbol.body)
            self._lets[symbol] = made, self.log
            self.log = before
        made = self._lets[symbol][0]
        return made if isinstance(made, Outcome) else self.copied(node)

    # ---------------------------------------------------------------------------------------------------- definitions

    def define(self, symbol: Operator, mode: Mode, hidden: Hidden) -> Carved:
        key = (symbol, mode, hidden)
        found = self._by_key.get(key)
        if found is None:
            assert isinstance(symbol.definition, tree.OperatorDefinition | tree.FunctionDefinition)
            found = self._new(key, symbol.name, symbol.module, symbol.definition)
            found.recursive = symbol.declared
            self._make_inside(found, symbol, mode, hidden)
        return found

    def _make_inside(self, found: Carved, symbol: Operator, mode: Mode, hidden: Hidden) -> None:
        self._inside(found, mode, dict(hidden), lambda: self._make(found, symbol, mode, hidden))

    def _new(self, key: Key, name: str, module: ResolvedModule, unit: tree.Unit) -> Carved:
        if module.parent is not None:
            raise SourceError(nested_module(module, unit.span))
        found = Carved(len(self.definitions), name, module, unit)
        self.definitions.append(found)
        self._by_key[key] = found
        return found

    def _inside(self, found: Carved, mode: Mode, hidden: dict[Symbol, str], work: Callable[[], None]) -> None:
        before = self.log, self._hidden
        self.log, self._hidden = found.log, hidden
        self._in(found.module, mode, work)
        self.log, self._hidden = before

    def _make(self, found: Carved, symbol: Operator, mode: Mode, hidden: Hidden) -> None:
        definition = symbol.definition
        if mode == "plain" or isinstance(definition, tree.FunctionDefinition):
            found.made = self.copy(definition)
            return
        assert isinstance(definition, tree.OperatorDefinition)
        body = self.body(definition.body, mode)
        if isinstance(body, Outcome):
            found.made = body
            return
        hidden_params = {param for param, _ in hidden}
        used, used_before = _bound_names(body), names_in(definition.body)
        gone = {
            number
            for number, (param, node) in enumerate(zip(symbol.params, definition.params, strict=True))
            if param in hidden_params or (node.name + BOUND not in used and node.name in used_before)
        }
        found.dropped = frozenset(gone)
        params = tuple(self.copy(node) for number, node in enumerate(definition.params) if number not in gone)
        found.made = tree.OperatorDefinition(
            definition.name, params, body, False, definition.name_span, definition.span
        )

    def body(self, node: tree.Expression, mode: Mode) -> Result:
        if mode == "tuple":
            left = self.unchanged(node)
            return Outcome.TRUE if left is None else left
        return self.formula(node)

    def instance(self, symbol: NamedInstance) -> Carved:
        key: Key = (symbol, "instance", ())
        found = self._by_key.get(key)
        if found is None:
            unit = unit_of(symbol.instance)
            found = self._new(key, symbol.name, symbol.module, unit)
            self._make_instance(found, symbol.instance)
        return found

    def imported(self, instance: Instance) -> Carved:
        """`INSTANCE M` without a name, of which a definition is used."""
        key: Key = (instance, "instance", ())
        found = self._by_key.get(key)
        if found is None:
            found = self._new(key, "", instance.home, unit_of(instance))
            self._make_instance(found, instance)
        return found

    def _make_instance(self, found: Carved, instance: Instance) -> None:
        self._inside(found, "plain", {}, lambda: self._copy_instance(found, instance))

    def _copy_instance(self, found: Carved, instance: Instance) -> None:
        if instance.module.parent is not None:
            raise SourceError(nested_module(instance.module, instance.span))
        implicit = []
        for target, substitute in instance.substitutes.items():
            if substitute.value is None and substitute.symbol is not None:
                value = self._denoting(substitute.symbol, target.name, instance.span)
                if isinstance(substitute.symbol, Operator):  # it may be renamed
                    implicit.append(tree.Substitution(target.name, value, instance.span))
        copied = self.copy(instance.node)
        whole = tree.Instance(copied.module, (*copied.substitutions, *implicit), copied.module_span, copied.span)
        unit = found.original
        if isinstance(unit, tree.InstanceDefinition):
            params = self.copy_all(unit.params)
            found.made = tree.InstanceDefinition(unit.name, params, whole, False, unit.name_span, unit.span)
        else:
            assert isinstance(unit, tree.InstanceUnit)
            found.made = tree.InstanceUnit(whole, False, unit.span)

    # --------------------------------------------------------------------------------------------------------- copies

    def copied(self, node: tree.Expression) -> tree.Expression:
        return cast(tree.Expression, self.copy(node))

    def copy(self, node: Any) -> Any:
        """A node with its names marked, and what it speaks of noted."""
        match node:
            case tree.Name():
                return self.name(node)
            case tree.Path():
                return self.path(node)
            case tree.Let():
                return self.let(node, self.copy)
            case tree.Parameter(name, arity):
                if isinstance(self.specification.symbols.get(id(node)), Constant | Variable):
                    return node
                return tree.Parameter(name + BOUND, arity, node.span)
            case tree.OperatorDefinition() | tree.FunctionDefinition() | tree.InstanceDefinition():
                return self.definition_copy(node)
            case tree.Labelled(name, params, body):
                return tree.Labelled(name, self.copy_all(params), self.copy(body), node.span)
            case tree.StepName():
                raise InternalError("a step of a proof outside of a proof")
        fields = type(node).__match_args__
        return type(node)(*(self._field(getattr(node, each)) for each in fields))

    def _field(self, value: Any) -> Any:
        if isinstance(value, Span):
            return value
        if isinstance(value, tuple):
            return self.copy_all(value)
        return self.copy(value) if type(value).__module__ == tree.__name__ else value

    def copy_all(self, nodes: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(self._field(node) for node in nodes)

    def definition_copy(self, node: tree.Definition) -> tree.Definition:
        """Names of a LET are bound ones; those of a module get their final name elsewhere."""
        symbol = self.specification.symbols.get(id(node))
        inner = isinstance(symbol, Operator) and symbol.let_depth > 0
        if isinstance(node, tree.InstanceDefinition):
            inner = isinstance(symbol, NamedInstance) and symbol not in symbol.module.names.values()
        assert not isinstance(node, tree.Recursive)
        name = node.name + (BOUND if inner else "")
        match node:
            case tree.OperatorDefinition(_, params, body):
                copied = self.copy_all(params)
                return tree.OperatorDefinition(name, copied, self.copy(body), False, node.name_span, node.span)
            case tree.FunctionDefinition(_, bounds, body):
                copied = self.copy_all(bounds)
                return tree.FunctionDefinition(name, copied, self.copy(body), False, node.name_span, node.span)
            case tree.InstanceDefinition(_, params, instance):
                found = self.specification.symbols.get(id(instance))
                if isinstance(found, Instance):
                    self.note_implicit(found)
                copied = self.copy_all(params)
                return tree.InstanceDefinition(name, copied, self.copy(instance), False, node.name_span, node.span)

    def note_implicit(self, instance: Instance) -> None:
        """Of an INSTANCE in a LET: the names that it takes from where it stands must keep their names."""
        for target, substitute in instance.substitutes.items():
            if substitute.value is None and substitute.symbol is not None:
                if isinstance(substitute.symbol, Operator):
                    raise SourceError(implicit_substitution(target.name, instance.span))
                self._denoting(substitute.symbol, target.name, instance.span)

    def let(self, node: tree.Let, copy: Callable[[tree.Expression], Any]) -> Any:
        """Definitions that are no longer used go with what used them."""
        mark = len(self.log)
        body = copy(node.body)
        if isinstance(body, Outcome):
            return body
        left: list[tree.Definition] = []
        for definition in reversed(node.definitions):
            used = {mention.what for mention in self.log[mark:] if mention.kind == "let"}
            names = names_defined(definition)
            if used.isdisjoint(names):
                continue
            left.insert(0, self.let_definition(definition))
        return tree.Let(tuple(left), body, node.span) if left else body

    def let_definition(self, definition: tree.Definition) -> tree.Definition:
        symbol = self.specification.symbols.get(id(definition))
        if isinstance(symbol, Operator) and symbol in self._lets and isinstance(definition, tree.OperatorDefinition):
            made, log = self._lets[symbol]
            assert not isinstance(made, Outcome)
            self.log += log
            params = self.copy_all(definition.params)
            name = definition.name + BOUND
            return tree.OperatorDefinition(name, params, made, False, definition.name_span, definition.span)
        return self.copy(definition)  # type: ignore[no-any-return]

    # ---------------------------------------------------------------------------------------------------------- names

    def symbol(self, node: tree.Name) -> object:
        return self.specification.symbols.get(id(node))

    def name(self, node: tree.Name) -> tree.Name:
        symbol = self.symbol(node)
        if symbol is None:
            return node
        return self._denoting(symbol, node.name, node.span)

    def _denoting(self, symbol: object, name: str, span: Span) -> tree.Name:
        node = tree.Name(name, span)
        if isinstance(symbol, Parameter) and symbol in self._hidden:
            name = self._hidden[symbol]
            self.note("variable", name, span)
            return tree.Name(name, span)
        match symbol:
            case Variable():
                self.note("variable", symbol.name, span)
            case Constant():
                self.note("constant", symbol, span)
            case Parameter():
                return tree.Name(name + BOUND, span)
            case Operator() if symbol.let_depth:
                self.note("let", name, span)
                return tree.Name(name + BOUND, span)
            case Operator() if not symbol.module.is_library:
                return self._defined(node, symbol)
            case Instanced() if not symbol.module.is_library:
                found = self.imported(symbol.instance)
                self.note("definition", found.number, span)
            case Fact():
                raise SourceError(fact_applied(symbol, span))
        return node

    def _defined(self, node: tree.Name, symbol: Operator) -> tree.Name:
        return self._marked(node, self.define(symbol, "plain", ()))

    def _marked(self, node: tree.Name, found: Carved) -> tree.Name:
        self.note("definition", found.number, node.span)
        return tree.Name(f"{node.name}{DEFINED}{found.number}", node.span)

    def path(self, node: tree.Path) -> tree.Path:
        """`I!Op(x)`: the instance is needed, under whatever name it gets."""
        if isinstance(self.specification.reference_of(node), Selection):
            raise SourceError(part_of_definition(node.span))
        first = node.segments[0]
        assert isinstance(first, tree.NameSegment)
        symbol = self.home.names.get(first.name)
        rest = self.copy_all(node.segments[1:])
        if isinstance(symbol, NamedInstance):
            found = self.instance(symbol)
            self.note("definition", found.number, node.span)
            name = f"{first.name}{DEFINED}{found.number}"
        else:
            self.note("let", first.name, node.span)
            name = first.name + BOUND
        return tree.Path((tree.NameSegment(name, self.copy_all(first.args), first.span), *rest), node.span)

    def note(self, kind: Kind, what: Any, span: Span) -> None:
        self.log.append(Mention(kind, what, span))


# ------------------------------------------------------------------------------------------------------- small things


def _around(made: Result, wrap: Callable[[tree.Expression], tree.Expression]) -> Result:
    return made if isinstance(made, Outcome) else wrap(made)


def _written(made: Result, original: tree.Expression) -> tree.Expression:
    return tree.Name(made.value, original.span) if isinstance(made, Outcome) else made


def _joined(node: tree.Expression, left: list[tree.Expression], nothing: Outcome) -> Result:
    """What is left of a list, with its own sign."""
    items = node.items if isinstance(node, tree.Junction) else ()
    if len(left) < 2 and not (left and len(items) == 1):
        return left[0] if left else nothing
    if isinstance(node, tree.Junction):
        return tree.Junction(node.operator, tuple(left), node.span)
    assert isinstance(node, tree.Apply)
    if len(left) == len(node.args) and not any(isinstance(each, _OPEN) for each in left[:-1]):
        return tree.Apply(node.operator, tuple(left), node.span)
    sign: Literal["/\\", "\\/"] = "/\\" if node.operator.name == "/\\" else "\\/"
    flat = [part for each in left for part in same_sign(each, sign)]
    return tree.Junction(sign, tuple(flat), node.span)


# As the left operand, these would take the rest with them.
_OPEN = (tree.Quantified, tree.If, tree.Let, tree.Case, tree.Junction, tree.Choose)


def _bound_names(node: Any) -> set[str]:
    return {name for name in names_in(node) if name.endswith(BOUND)}
