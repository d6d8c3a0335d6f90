"""From a resolved specification and what to check in it to a model."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import replace

from gristmill.ir import lower_forms, lower_operators, nodes
from gristmill.ir.configured import misfits
from gristmill.ir.environment import ByName, Env, Frame, InSlot, LetOperator
from gristmill.ir.levels import ACTION, CONSTANT, STATE, level
from gristmill.ir.lower import Arg, Bindings, Lowering, Wrap
from gristmill.ir.model import Action, Branch, Model, Named, TemporalProperty
from gristmill.ir.name_actions import ActionNames, Place
from gristmill.ir.walk import reachable
from gristmill.library import Form
from gristmill.library.effects import FOLLOWS_SEARCH
from gristmill.modules.choices import Choices
from gristmill.modules.specification import OperatorReference, Specification
from gristmill.modules.symbols import BuiltIn, Constant, Fact, Instanced, NamedInstance, Operator, Symbol, Variable
from gristmill.modules.variable_order import variable_order
from gristmill.source import Diagnostic, Label, SourceError, Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree
from gristmill.values import ModelValue

__all__ = ["action_names_by_disjunct", "actions_of", "assemble", "lower_forms", "lower_operators"]

_LEVELS = ("a constant", "a state predicate", "an action", "a temporal formula")


def assemble(specification: Specification, choices: Choices) -> Model:
    """Raises `SourceError` with everything that does not fit together."""
    return with_deep_stack(lambda: _Assembler(specification, choices).model())


def actions_of(specification: Specification, choices: Choices, name: str) -> list[tuple[Action, tree.Expression]]:
    """The actions of one next-state relation, each with the part of the text that it was made of."""

    def found() -> list[tuple[Action, tree.Expression]]:
        assembler = _Assembler(specification, choices)
        assembler.next.append((assembler.opened(assembler.symbol(name, "NEXT")), name))
        assembler.branches()
        return list(zip(assembler.names.actions, assembler.names.places, strict=True))

    return with_deep_stack(found)


def action_names_by_disjunct(specification: Specification, choices: Choices, name: str) -> list[list[str]]:
    """The names of the actions in each disjunct of a next-state relation."""

    def found() -> list[list[str]]:
        assembler = _Assembler(specification, choices)
        whole = assembler.opened(assembler.symbol(name, "NEXT"))
        is_choice = isinstance(whole.node, tree.Junction) and whole.node.operator == "\\/"
        items = whole.node.items if is_choice else (whole.node,)  # type: ignore[union-attr]
        assembler.next += [(replace(whole, node=item), name) for item in items]
        return [[assembler.names.actions[n].name for n in branch.actions] for branch in assembler.branches()]

    return with_deep_stack(found)


def _as_it_is(body: nodes.Expression) -> nodes.Expression:
    return body


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A piece of a formula: a tree, the environment to read it in, and what to put around it when it is lowered."""

    node: tree.Expression
    env: Env
    wrap: Wrap = _as_it_is


class _Assembler:
    def __init__(self, specification: Specification, choices: Choices) -> None:
        self.specification, self.choices = specification, choices
        bindings, self.warnings = bind(specification, choices)
        self.lowering = Lowering(specification, bindings)
        self.init: list[nodes.Expression] = []
        self.init_env = self.lowering.root_env()  # one for all conjuncts of the initial predicate
        self.next: list[tuple[_Part, str]] = []
        self.names = ActionNames(self.lowering)
        self.fairness: list[nodes.Code] = []
        self.claims: list[Named] = []  # conjuncts of the specification that speak of constants alone

    def model(self) -> Model:
        root, choices = self.specification.root, self.choices
        model = Model(
            root.name,
            tuple(variable.name for variable in root.variables),
            None,
            (),
            (),
            tuple(self.assumptions()),
            variable_order=variable_order(root),
            warnings=tuple(self.warnings),
        )
        self.behaviour()
        if self.init:
            body = nodes.And(tuple(self.init), self.init[0].span) if len(self.init) > 1 else self.init[0]
            model.init = nodes.Code(body, self.init_env.frame.size, "Init", body.span)
        model.branches = self.branches()
        model.actions = tuple(self.names.actions)
        model.next = self.next_definition()
        model.fairness = tuple(self.fairness)
        model.claims = tuple(self.claims)
        model.constants = tuple(self.constants())
        model.invariants = tuple(self.named(name, "INVARIANT", STATE) for name in choices.invariants)
        model.constraints = tuple(self.named(name, "CONSTRAINT", STATE) for name in choices.constraints)
        model.action_constraints = tuple(
            self.named(name, "ACTION_CONSTRAINT", ACTION) for name in choices.action_constraints
        )
        model.symmetry = self.optional(choices.symmetry, "SYMMETRY", CONSTANT)
        model.view = self.optional(choices.view, "VIEW", STATE)
        model.alias = self.optional(choices.alias, "ALIAS", ACTION)
        model.postconditions = tuple(self.named(name, "POSTCONDITION", STATE) for name in choices.postconditions)
        model.possible = tuple(self.named(name, "_POSSIBLE", ACTION) for name in choices.possible)
        model.check_deadlock = choices.check_deadlock
        for name in choices.properties:
            self.property(model, name)
        model.asserts = any(operator.form is Form.ASSERT for operator in self.lowering.used)
        model.asks_search = any(operator.effects & FOLLOWS_SEARCH for operator in self.lowering.used)
        return model

    # --------------------------------------------------------------------------------------------- what is asked for

    def symbol(self, name: str, role: str) -> Operator | Instanced | Fact:
        symbol = self.specification.find(name)
        if symbol is not None:
            symbol = self.lowering.bindings.replacements.get(symbol, symbol)
        if role == "PROPERTY" and isinstance(symbol, NamedInstance) and symbol.arity == 0:
            return self.symbol(f"{name}!Spec", role)  # to refine a module is to satisfy its specification
        if isinstance(symbol, Operator | Instanced | Fact) and symbol.arity == 0:
            return symbol
        if symbol is None:
            known = [n for n, s in self.specification.root.names.items() if not isinstance(s, BuiltIn)]
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{close[0]}`?" if close else None
            span = self.choices.spans.get(name)
            unknown = Diagnostic("unknown-operator", f"{role} `{name}` is not defined", span, help=hint)
            raise SourceError([unknown, *self.warnings])
        if symbol.arity:
            raise SourceError(Diagnostic("not-a-formula", f"{role} `{name}` takes arguments", symbol.span))
        raise SourceError(Diagnostic("not-a-formula", f"{role} `{name}` is not a definition", symbol.span))

    def named(self, name: str, role: str, highest: int) -> Named:
        symbol = self.symbol(name, role)
        env = self.lowering.root_env()
        code = self.code_of(symbol, env, name)
        found = symbol.levels.outside.level if symbol.levels is not None else level(code.body)
        if found > highest:
            message = f"{role} `{name}` must be {_LEVELS[highest]}; it is {_LEVELS[found]}"
            labels, help = _reason(code.body, role) if highest < ACTION == found else ((), None)
            raise SourceError(Diagnostic("wrong-level", message, symbol.span, labels=labels, help=help))
        return Named(name, code)

    def code_of(self, symbol: Operator | Instanced | Fact, env: Env, name: str) -> nodes.Code:
        body = self.lowering.apply_symbol(symbol, (), env, symbol.span)
        return nodes.Code(body, env.frame.size, name, symbol.span)

    def optional(self, name: str | None, role: str, highest: int) -> Named | None:
        return None if name is None else self.named(name, role, highest)

    def constants(self) -> Iterator[Named]:
        """Constants for which the configuration puts a definition: it must have a value, whether it is used or not."""
        for symbol, by in self.lowering.bindings.replacements.items():
            if isinstance(symbol, Constant) and not symbol.arity and isinstance(by, Operator | Instanced | Fact):
                yield Named(symbol.name, self.code_of(by, self.lowering.root_env(), symbol.name))

    def assumptions(self) -> Iterator[Named]:
        for index, unit in enumerate(self.specification.root.assumptions):
            # An AXIOM is for provers; like TLC, only ASSUME and ASSUMPTION are evaluated.
            if isinstance(unit.body, tree.Expression) and unit.keyword != "AXIOM":
                name = unit.name.name if unit.name else f"assumption {index + 1}"
                yield Named(name, self.lowering.code(unit.body, self.lowering.root_env(), name))

    # ------------------------------------------------------------------------------------------- behaviours, properties

    def behaviour(self) -> None:
        choices = self.choices
        if choices.specification is not None:
            symbol = self.symbol(choices.specification, "SPECIFICATION")
            for part in self.conjuncts(self.open(symbol, [], self.init_env)):
                self.specification_part(part, choices.specification)
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
        self.require_something()
        if choices.init is not None:
            self.named(choices.init, "INIT", STATE)
            initial = self.symbol(choices.init, "INIT")
            self.init.append(self.lowering.apply_symbol(initial, (), self.init_env, initial.span))
        if choices.next is not None:
            self.next.append((self.opened(self.symbol(choices.next, "NEXT")), choices.next))

    def require_something(self) -> None:
        """A module with variables must say how they behave; silence would look like success."""
        root, choices = self.specification.root, self.choices
        missing = [role for role, name in (("INIT", choices.init), ("NEXT", choices.next)) if name is None]
        asked = choices.invariants or choices.properties
        if missing and (root.variables or asked or len(missing) == 1):
            raise SourceError(
                Diagnostic(
                    "nothing-to-check",
                    f"there is no SPECIFICATION, and no {' and no '.join(missing)}, to check",
                    root.node.name_span,
                    help="name the formula: in the configuration, or by --specification, or by --init and --next",
                )
            )

    def opened(self, symbol: Operator | Instanced | Fact) -> _Part:
        """The body of a definition without parameters that was asked for by name."""
        return self.open(symbol, [], self.lowering.root_env())

    def open(self, symbol: Symbol, args: list[Arg], env: Env) -> _Part:
        """The body of a definition, past every INSTANCE, and the environment in which to read it."""
        while True:
            binding = env.bindings.get(symbol)
            base = binding.env if isinstance(binding, LetOperator) else self.base(symbol, env)
            assert isinstance(symbol, Operator | Instanced | Fact)
            bound = {param: ByName(*arg) for param, arg in zip(symbol.params, args, strict=True)}
            env = env.at(base).with_bindings(bound)  # type: ignore[arg-type]
            if not isinstance(symbol, Instanced):
                body = symbol.statement if isinstance(symbol, Fact) else symbol.body
                assert isinstance(body, tree.Expression)
                return _Part(body, env)
            args = args[len(symbol.instance.params) :]
            env = env.bind(bindings={}, context=self.lowering.instance_context(symbol.instance, env))
            symbol = symbol.operator

    def base(self, symbol: Symbol, env: Env) -> Env:
        kept = {}
        if isinstance(symbol, Instanced) and symbol.instance in env.bindings:
            kept = {symbol.instance: env.bindings[symbol.instance]}
        return env.bind(bindings=kept, context=self.lowering.home_context(symbol, env))

    def conjuncts(self, part: _Part) -> Iterator[_Part]:
        """The conjuncts of a formula, through parentheses, LET and definitions, as far as it speaks of steps."""
        match part.node:
            case tree.Parens(body) | tree.Labelled(_, _, body):
                yield from self.conjuncts(replace(part, node=body))
            case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
                for item in items:
                    yield from self.conjuncts(replace(part, node=item))
            case tree.Let(_, body) if not self.is_state_level(part):
                env, let = lower_forms.bind_let(self.lowering, part.node, part.env)
                yield from self.conjuncts(_Part(body, env, lambda e: part.wrap(let(e))))
            case tree.Name() | tree.Path() | tree.Apply() if (inner := self.looked_into(part)) is not None:
                yield from self.conjuncts(inner)
            case _:
                yield part

    def looked_into(self, part: _Part) -> _Part | None:
        """What a name stands for, or an application, if that speaks of steps."""
        if isinstance(part.node, tree.Name) and (given := self.argument(part)) is not None:
            return given
        found = self.called(part)
        if found is None or self.is_state_level(part):
            return None
        return replace(self.open(*found), wrap=part.wrap)

    def is_state_level(self, part: _Part) -> bool:
        return level(self.lowering.lower(part.node, part.env)) <= STATE

    def called(self, part: _Part) -> tuple[Symbol, list[Arg], Env] | None:
        """The definition that an expression applies, its arguments, and where to read it, if it can be looked into."""
        node, env = part.node, part.env
        args: tuple[tree.Expression, ...] = ()
        if isinstance(node, tree.Path):
            reference = self.specification.reference_of(node)
            if not isinstance(reference, OperatorReference):
                return None
            symbol: object = reference.symbol
            args = reference.args
        elif isinstance(node, tree.Apply):
            symbol, args = self.specification.symbol_of(node.operator), node.args
        else:
            symbol = self.specification.symbol_of(node)
        given = env.bindings.get(symbol)
        if isinstance(given, ByName) and isinstance(given.node, tree.Name):  # an operator that was given as an argument
            symbol, env = self.specification.symbol_of(given.node), env.at(given.env)
        symbol = self.lowering.bindings.replacements.get(symbol, symbol)  # type: ignore[call-overload]
        if not isinstance(symbol, Operator | Instanced | Fact):
            return None
        if isinstance(env.bindings.get(symbol), InSlot) or _is_recursive(symbol):
            return None
        return symbol, [(arg, part.env) for arg in args], env

    def argument(self, part: _Part) -> _Part | None:
        """What a parameter that is bound by name stands for."""
        binding = part.env.bindings.get(self.specification.symbol_of(part.node))
        if isinstance(binding, ByName):
            return replace(part, node=binding.node, env=part.env.at(binding.env))
        return None

    def specification_part(self, part: _Part, name: str) -> None:
        match part.node:
            case tree.Apply(tree.Name("[]"), (inner,)):
                action = _bare(inner)
                if isinstance(action, tree.BoxAction):
                    self.next.append((replace(part, node=action.action), "Next"))
                    return
                if level(self.lowering.lower(inner, part.env)) <= ACTION:
                    raise SourceError(_no_behaviour(part.node.span))
        body = part.wrap(self.lowering.lower(part.node, part.env))
        if level(body) == CONSTANT:
            self.claims.append(Named(name, self.code_of_part(part, name)))
        elif level(body) <= STATE:
            self.init.append(body)
        else:
            self.fairness.append(self.code_of_part(part, name))

    def code_of_part(self, part: _Part, name: str) -> nodes.Code:
        env = _with_own_frame(part.env)
        body = part.wrap(self.lowering.lower(part.node, env))
        return nodes.Code(body, env.frame.size, name, part.node.span)

    def property(self, model: Model, name: str) -> None:
        """A property is taken apart: what can be decided state by state or step by step needs no temporal logic."""
        parts = list(self.conjuncts(self.opened(self.symbol(name, "PROPERTY"))))
        if all(self.is_state_level(part) for part in parts):
            self.state_property(model, name, parts)
            return
        for part in parts:
            match part.node:
                case tree.Apply(tree.Name("[]"), (inner,)):
                    code = self.code_of_part(replace(part, node=inner), name)
                    if level(code.body) <= STATE:
                        model.invariants += (Named(name, code, self.mapping(part)),)
                        continue
                    if isinstance(code.body, nodes.BoxAction):
                        model.implied_actions += (Named(name, code, self.mapping(part)),)
                        continue
            code = self.code_of_part(part, name)
            if level(code.body) <= STATE:
                model.implied_inits += (Named(name, code, self.mapping(part)),)
            else:
                model.temporal += (TemporalProperty(name, code),)

    def state_property(self, model: Model, name: str, parts: list[_Part]) -> None:
        """A property with nothing temporal in it: strictly, it speaks of initial states, which hardly anybody means."""
        for part in parts:
            code = self.code_of_part(part, name)
            if level(code.body) == CONSTANT:
                model.implied_inits += (Named(name, code, self.mapping(part)),)
            else:
                model.invariants += (Named(name, code, self.mapping(part)),)
        if any(level(invariant.code.body) == STATE for invariant in model.invariants if invariant.name == name):
            model.warnings += (_state_property(name, self.choices.spans.get(name)),)

    def mapping(self, part: _Part) -> tuple[Named, ...]:
        """The variables of the module that a formula comes from, if an INSTANCE puts something else for them."""
        instance = part.env.context.instance
        if instance is None:
            return ()
        found = []
        for variable in instance.substitutes:
            if isinstance(variable, Variable):
                env = _with_own_frame(part.env)
                body = part.wrap(self.lowering.apply_symbol(variable, (), env, variable.span))
                if not (isinstance(body, nodes.Variable) and body.name == variable.name):
                    found.append(Named(variable.name, nodes.Code(body, env.frame.size, variable.name, variable.span)))
        return tuple(found)

    # -------------------------------------------------------------------------------------------------------- actions

    def next_definition(self) -> nodes.Definition | None:
        """`Next` of `[][Next]_vars`."""
        if len(self.next) != 1:
            return None
        part, _ = self.next[0]
        found = self.names.calls.find(part.node, part.env)
        return None if found is None else next(iter(self.names.definition_of(found, part.env)), None)

    def branches(self) -> tuple[Branch, ...]:
        """The next-state relation as a whole; there may be several, of which each step satisfies one."""
        found = []
        for part, name in self.next:
            first, env = len(self.names.actions), _with_own_frame(part.env)
            place = Place(name, part.wrap, module=self.specification.root.name)
            body = part.wrap(self.names.lower(part.node, env, place))
            code = nodes.Code(body, env.frame.size, name, part.node.span)
            found.append(Branch(code, tuple(range(first, len(self.names.actions)))))
        return tuple(found)


def _with_own_frame(env: Env) -> Env:
    """A small frame for code of its own, unless what it refers to lives in the frame there is."""
    return env if env.bindings or env.context.frame is not None else env.bind(frame=Frame())


def _is_recursive(symbol: Operator | Instanced | Fact) -> bool:
    origin = symbol.origin if isinstance(symbol, Instanced) else symbol
    return isinstance(origin, Operator) and (
        origin.recursive or not isinstance(origin.definition, tree.OperatorDefinition)
    )


def _no_behaviour(span: Span) -> Diagnostic:
    return Diagnostic(
        "not-a-specification",
        "a conjunct []P of a specification, with P no [A]_v, says nothing that could be executed",
        span,
        help="write it as an invariant to be checked, or as a conjunct of Init and Next",
    )


def _state_property(name: str, span: Span | None) -> Diagnostic:
    return Diagnostic(
        "state-predicate-as-property",
        f"the property `{name}` is a predicate of states; it is checked in every state, as an invariant is",
        span,
        severity="warning",
        help=f"say INVARIANT {name}; to check it in initial states only, say {name} /\\ [][TRUE]_vars",
    )


def _bare(node: tree.Expression) -> tree.Expression:
    while isinstance(node, tree.Parens):
        node = node.body
    return node


def bind(specification: Specification, choices: Choices) -> tuple[Bindings, list[Diagnostic]]:
    """The symbols that the choices speak of, and warnings about names that are not there.

    Something said of a name that does not exist does no harm by itself. If it was meant for another, that one is now
    without a value, which is an error.
    """
    warnings: list[Diagnostic] = [*choices.warnings]

    def find(name: str, module: str | None = None) -> Symbol | None:
        home = specification.root if module is None else specification.modules.get(module)
        symbol = home.names.get(name) if home is not None else None
        if symbol is None:
            warnings.append(_unknown(specification, name, module, choices.spans.get(name)))
        return symbol

    constants = {find(name, module): value for (module, name), value in choices.constants.items()}
    tables = {find(name): table for name, table in choices.tables.items()}
    replacements: dict[Symbol, Symbol] = {}
    for (module, name), other in choices.replacements.items():
        symbol, by = find(name, module), find(other)
        if symbol is not None and by is None:
            raise SourceError(replace(warnings[-1], severity="error"))
        if symbol is not None and by is not None:
            replacements[symbol] = by
    known = {symbol: value for symbol, value in constants.items() if symbol is not None}
    uninitialized = specification.root.names.get("defaultInitValue")
    if isinstance(uninitialized, Constant):  # PlusCal's default initial value, not assigned by hand
        known.setdefault(uninitialized, ModelValue("defaultInitValue"))
    named = {find(name, module) for module, name in (*choices.constants, *choices.replacements) if module is not None}
    qualified = frozenset(symbol for symbol in named if symbol is not None)
    bindings = Bindings(known, {s: t for s, t in tables.items() if s is not None}, qualified, replacements)
    said = list(misfits(replacements, known, bindings.tables, choices.spans))
    problems = [*_without_value(specification, bindings, warnings), *(d for d in said if d.severity == "error")]
    warnings += (d for d in said if d.severity != "error")
    if problems:
        raise SourceError([*problems, *warnings])
    return bindings, warnings


def _without_value(specification: Specification, bindings: Bindings, unknown: list[Diagnostic]) -> Iterator[Diagnostic]:
    for constant in specification.root.constants:
        if constant in bindings.constants or constant in bindings.tables or constant in bindings.replacements:
            continue
        form = constant.name if not constant.arity else f"{constant.name}({', '.join('_' * constant.arity)})"
        remedy = "<- an operator" if constant.arity else "= a value"
        yield Diagnostic(
            "constant-without-value",
            f"the constant `{form}` has no value",
            constant.span,
            help=f"say `{constant.name} {remedy}` in the configuration"
            + ("" if constant.arity else f", or --constant {constant.name}=…"),
        )


def _unknown(specification: Specification, name: str, module: str | None, span: Span | None) -> Diagnostic:
    where = f"module {module or specification.root.name}"
    known = [n for n, s in specification.root.names.items() if not isinstance(s, BuiltIn)]
    close = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean `{close[0]}`?" if close else None
    message = f"`{name}` is neither declared nor defined in {where}"
    return Diagnostic("unknown-constant", message, span, severity="warning", help=hint)


def _reason(body: nodes.Expression, role: str) -> tuple[tuple[Label, ...], str]:
    """Why a formula is an action: where it first speaks of a next state, and what to do about it."""
    found = [node.span for node in reachable(body) if _is_of_next_state(node)]
    first = min(found, key=lambda span: (span.file.path, span.start), default=None)
    labels = () if first is None else (Label(first, "this speaks of the next state"),)
    if role == "INIT":
        return labels, "leave out the prime, or UNCHANGED: an initial predicate says what the variables are, not become"
    return labels, "leave out the prime, or check it as a property of steps: PROPERTY with [][…]_vars"


def _is_of_next_state(node: object) -> bool:
    return isinstance(node, nodes.Unchanged) or (isinstance(node, nodes.Variable) and node.primed)
