"""From a resolved specification and what to check in it to a model."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Container, Iterator

from gristmill.ir import lower_forms, lower_operators, nodes
from gristmill.ir.choices import Choices
from gristmill.ir.environment import Env, Frame
from gristmill.ir.levels import ACTION, CONSTANT, STATE, level
from gristmill.ir.lower import Arg, Bindings, Lowering, primed_params
from gristmill.ir.model import Action, Model, Named, TemporalProperty
from gristmill.modules.specification import OperatorReference, Specification
from gristmill.modules.symbols import BuiltIn, Fact, Instanced, Operator, Symbol
from gristmill.source import Diagnostic, SourceError, Span
from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree

__all__ = ["assemble", "lower_forms", "lower_operators"]

_LEVELS = ("a constant", "a state predicate", "an action", "a temporal formula")


def assemble(specification: Specification, choices: Choices, primitives: Container[str]) -> Model:
    """Raises `SourceError` with everything that does not fit together."""
    return with_deep_stack(lambda: _Assembler(specification, choices, primitives).model())


class _Assembler:
    def __init__(self, specification: Specification, choices: Choices, primitives: Container[str]) -> None:
        self.specification, self.choices = specification, choices
        self.lowering = Lowering(specification, bind(specification, choices), primitives)
        self.init: list[nodes.Expression] = []
        self.init_frame = Frame()  # one for all conjuncts of the initial predicate
        self.next: list[tuple[tree.Expression, Env, str]] = []
        self.fairness: list[nodes.Code] = []

    def model(self) -> Model:
        root, choices = self.specification.root, self.choices
        model = Model(
            root.name,
            tuple(variable.name for variable in root.variables),
            None,
            (),
            tuple(self.assumptions()),
        )
        self.behaviour()
        if self.init:
            body = nodes.And(tuple(self.init), self.init[0].span) if len(self.init) > 1 else self.init[0]
            model.init = nodes.Code(body, self.init_frame.size, "Init", body.span)
        model.actions = tuple(action for node, env, name in self.next for action in self.split(node, env, name))
        model.fairness = tuple(self.fairness)
        model.invariants = tuple(self.named(name, "INVARIANT", STATE) for name in choices.invariants)
        model.constraints = tuple(self.named(name, "CONSTRAINT", STATE) for name in choices.constraints)
        model.action_constraints = tuple(
            self.named(name, "ACTION_CONSTRAINT", ACTION) for name in choices.action_constraints
        )
        model.symmetry = self.optional(choices.symmetry, "SYMMETRY", CONSTANT)
        model.view = self.optional(choices.view, "VIEW", STATE)
        model.alias = self.optional(choices.alias, "ALIAS", ACTION)
        model.postconditions = tuple(self.named(name, "POSTCONDITION", STATE) for name in choices.postconditions)
        model.check_deadlock = choices.check_deadlock
        for name in choices.properties:
            self.property(model, name)
        return model

    # --------------------------------------------------------------------------------------------- what is asked for

    def symbol(self, name: str, role: str) -> Operator | Instanced | Fact:
        symbol = self.specification.find(name)
        if isinstance(symbol, Operator | Instanced | Fact) and symbol.arity == 0:
            return symbol
        if symbol is None:
            known = [n for n, s in self.specification.root.names.items() if not isinstance(s, BuiltIn)]
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{close[0]}`?" if close else None
            span = self.choices.spans.get(name)
            raise SourceError(Diagnostic("unknown-operator", f"{role} `{name}` is not defined", span, help=hint))
        if symbol.arity:
            raise SourceError(Diagnostic("not-a-formula", f"{role} `{name}` takes arguments", symbol.span))
        raise SourceError(Diagnostic("not-a-formula", f"{role} `{name}` is not a definition", symbol.span))

    def named(self, name: str, role: str, highest: int) -> Named:
        symbol = self.symbol(name, role)
        env = self.lowering.root_env()
        code = self.code_of(symbol, env, name)
        found = level(code.body)
        if found > highest:
            raise SourceError(
                Diagnostic(
                    "wrong-level", f"{role} `{name}` must be {_LEVELS[highest]}; it is {_LEVELS[found]}", symbol.span
                )
            )
        return Named(name, code)

    def code_of(self, symbol: Operator | Instanced | Fact, env: Env, name: str) -> nodes.Code:
        body = self.lowering.apply_symbol(symbol, (), env, symbol.span)
        return nodes.Code(body, env.frame.size, name, symbol.span)

    def optional(self, name: str | None, role: str, highest: int) -> Named | None:
        return None if name is None else self.named(name, role, highest)

    def assumptions(self) -> Iterator[Named]:
        for index, unit in enumerate(self.specification.root.assumptions):
            if isinstance(unit.body, tree.Expression):
                name = unit.name.name if unit.name else f"assumption {index + 1}"
                yield Named(name, self.lowering.code(unit.body, self.lowering.root_env(), name))

    # ------------------------------------------------------------------------------------------- behaviours, properties

    def behaviour(self) -> None:
        choices = self.choices
        if choices.specification is not None:
            symbol = self.symbol(choices.specification, "SPECIFICATION")
            for part, env in self.conjuncts(*self.opened(symbol)):
                self.specification_part(part, env, choices.specification)
            if not self.init or not self.next:
                missing = "initial predicate" if not self.init else "next-state action"
                raise SourceError(
                    Diagnostic(
                        "incomplete-specification",
                        f"the specification `{choices.specification}` has no {missing}",
                        symbol.span,
                        help="a specification has the form Init /\\ [][Next]_vars /\\ fairness",
                    )
                )
            return
        if choices.init is not None:
            self.named(choices.init, "INIT", STATE)
            initial = self.symbol(choices.init, "INIT")
            env = self.lowering.root_env().bind(frame=self.init_frame)
            self.init.append(self.lowering.apply_symbol(initial, (), env, initial.span))
        if choices.next is not None:
            symbol = self.symbol(choices.next, "NEXT")
            node, env = self.opened(symbol)
            self.next.append((node, env, choices.next))

    def opened(self, symbol: Operator | Instanced | Fact) -> tuple[tree.Expression, Env]:
        """The tree of a definition without parameters, past every INSTANCE, and the environment to read it in."""
        env = self.lowering.root_env()
        return self.open_in(symbol, env)

    def open_in(self, symbol: Symbol, env: Env) -> tuple[tree.Expression, Env]:
        context = self.lowering.home_context(symbol, env)
        env = env.bind(bindings={}, context=context)
        while isinstance(symbol, Instanced):
            env = env.bind(context=self.lowering.instance_context(symbol.instance, env))
            symbol = symbol.operator
        if isinstance(symbol, Fact):
            assert isinstance(symbol.statement, tree.Expression)
            return symbol.statement, env
        assert isinstance(symbol, Operator)
        return symbol.body, env

    def conjuncts(self, node: tree.Expression, env: Env) -> Iterator[tuple[tree.Expression, Env]]:
        """The conjuncts of a formula, through parentheses, labels and definitions without parameters."""
        match node:
            case tree.Parens(body) | tree.Labelled(_, _, body):
                yield from self.conjuncts(body, env)
            case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
                for item in items:
                    yield from self.conjuncts(item, env)
            case tree.Name() | tree.Path() if (opened := self.transparent(node, env)) is not None:
                yield from self.conjuncts(*opened)
            case _:
                yield node, env

    def transparent(self, node: tree.Name | tree.Path, env: Env) -> tuple[tree.Expression, Env] | None:
        """A definition without parameters that is a conjunction or temporal, to be looked into."""
        symbol = self.referred(node)
        if not isinstance(symbol, Operator | Instanced | Fact) or symbol.arity or symbol in env.bindings:
            return None
        if symbol in self.lowering.bindings.replacements:
            symbol = self.lowering.bindings.replacements[symbol]
            if symbol.arity or not isinstance(symbol, Operator | Instanced | Fact):
                return None
        if level(self.lowering.apply_symbol(symbol, (), env, node.span)) < ACTION:
            return None
        return self.open_in(symbol, env)

    def referred(self, node: tree.Name | tree.Path) -> object:
        if isinstance(node, tree.Name):
            return self.specification.symbol_of(node)
        reference = self.specification.reference_of(node)
        return reference.symbol if isinstance(reference, OperatorReference) and not reference.args else None

    def specification_part(self, node: tree.Expression, env: Env, name: str) -> None:
        match node:
            case tree.Apply(tree.Name("[]"), (inner,)):
                action = _bare(inner)
                if isinstance(action, tree.BoxAction):
                    self.next.append((action.action, env, "Next"))
                    return
        body = self.lowering.lower(node, env.bind(frame=self.init_frame))
        if level(body) <= STATE:
            self.init.append(body)
        else:
            self.fairness.append(self.lowering.code(node, env.bind(frame=Frame()), name))

    def property(self, model: Model, name: str) -> None:
        """A property is taken apart: what can be decided state by state or step by step needs no temporal logic."""
        symbol = self.symbol(name, "PROPERTY")
        for node, env in self.conjuncts(*self.opened(symbol)):
            here = env.bind(frame=Frame())
            match node:
                case tree.Apply(tree.Name("[]"), (inner,)):
                    code = self.lowering.code(inner, here, name)
                    if level(code.body) <= STATE:
                        model.invariants += (Named(name, code),)
                        continue
                    if isinstance(code.body, nodes.BoxAction):
                        model.implied_actions += (Named(name, code),)
                        continue
            here = env.bind(frame=Frame())
            code = self.lowering.code(node, here, name)
            if level(code.body) <= STATE:
                model.implied_inits += (Named(name, code),)
            else:
                model.temporal += (TemporalProperty(name, code),)

    # -------------------------------------------------------------------------------------------------------- actions

    def split(self, node: tree.Expression, env: Env, name: str) -> Iterator[Action]:
        """The disjuncts of the next-state action, each under the name of the definition it stands in."""
        yield from self.split_in(node, env.bind(frame=Frame()), name, lambda body: body)

    def split_in(
        self, node: tree.Expression, env: Env, name: str, wrap: Callable[[nodes.Expression], nodes.Expression]
    ) -> Iterator[Action]:
        match node:
            case tree.Parens(body) | tree.Labelled(_, _, body):
                yield from self.split_in(body, env, name, wrap)
            case tree.Junction("\\/", items) | tree.Apply(tree.Name("\\/"), items):
                for item in items:
                    yield from self.split_in(item, env, name, wrap)
            case tree.Quantified("\\E", bounds, body) if all(bound.domain is not None for bound in bounds):
                lowered, inner = self.lowering.bounds(bounds, env, env)
                yield from self.split_in(
                    body, inner, name, lambda e: wrap(nodes.Quantified(False, lowered, e, node.span))
                )
            case tree.Name() | tree.Path() | tree.Apply() if (found := self.action_call(node)) is not None:
                symbol, args = found
                yield from self.split_call(symbol, [(arg, env) for arg in args], node, env, wrap)
            case _:
                yield self.leaf(node, env, name, wrap)

    def leaf(
        self, node: tree.Expression, env: Env, name: str, wrap: Callable[[nodes.Expression], nodes.Expression]
    ) -> Action:
        body = wrap(self.lowering.lower(node, env))
        return Action(name, nodes.Code(body, env.frame.size, name, node.span), node.span)

    def action_call(self, node: tree.Expression) -> tuple[Operator, tuple[tree.Expression, ...]] | None:
        """A call of an operator of the specification, which may be a disjunction itself."""
        match node:
            case tree.Apply(operator, args):
                symbol: object = self.specification.symbol_of(operator)
            case tree.Name():
                symbol, args = self.specification.symbol_of(node), ()
            case _:
                return None
        replaced = self.lowering.bindings.replacements
        if not isinstance(symbol, Operator) or symbol.recursive or symbol in replaced or symbol.let_depth:
            return None
        if symbol.module.is_library or not isinstance(symbol.definition, tree.OperatorDefinition):
            return None
        if any(param.arity for param in symbol.params):
            return None
        return symbol, args

    def split_call(
        self,
        symbol: Operator,
        args: list[Arg],
        node: tree.Expression,
        env: Env,
        wrap: Callable[[nodes.Expression], nodes.Expression],
    ) -> Iterator[Action]:
        """Look into a definition: its disjuncts are actions of their own, named after it."""
        body = _bare(symbol.body)
        if not isinstance(body, tree.Junction | tree.Quantified | tree.Apply | tree.Name):
            yield self.leaf(node, env, symbol.name, wrap)
            return
        base = env.at(self.lowering.base_env(symbol, env))
        inner, let = self.lowering.bind_arguments(
            symbol.params, args, primed_params(symbol), env, base, node.span
        )
        yield from self.split_in(symbol.body, inner, symbol.name, lambda body: wrap(let(body)))


def _bare(node: tree.Expression) -> tree.Expression:
    while isinstance(node, tree.Parens):
        node = node.body
    return node


def bind(specification: Specification, choices: Choices) -> Bindings:
    """The symbols that the choices speak of. Raises `SourceError` for names that are not there."""
    problems: list[Diagnostic] = []

    def find(name: str, module: str | None = None) -> Symbol | None:
        home = specification.root if module is None else specification.modules.get(module)
        symbol = home.names.get(name) if home is not None else None
        if symbol is None:
            problems.append(_unknown(specification, name, module, choices.spans.get(name)))
        return symbol

    constants = {find(name, module): value for (module, name), value in choices.constants.items()}
    tables = {find(name): table for name, table in choices.tables.items()}
    replacements = {find(name, module): find(other) for (module, name), other in choices.replacements.items()}
    if problems:
        raise SourceError(problems)
    return Bindings(constants, tables, replacements)  # type: ignore[arg-type]  # nothing is None without problems


def _unknown(specification: Specification, name: str, module: str | None, span: Span | None) -> Diagnostic:
    where = f"module {module or specification.root.name}"
    known = [n for n, s in specification.root.names.items() if not isinstance(s, BuiltIn)]
    close = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean `{close[0]}`?" if close else None
    return Diagnostic("unknown-constant", f"`{name}` is neither declared nor defined in {where}", span, help=hint)
