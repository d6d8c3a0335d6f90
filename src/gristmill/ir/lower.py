"""From resolved trees to the intermediate representation.

One lowering per form of the language; they stand in `lower_forms`. Here is what they share: names, calls, INSTANCE.

Three things happen on the way. Primes are pushed down to variables: a tree is lowered in a primed or an unprimed
environment, and a definition has a version of each. INSTANCE is substituted away: inside an instantiated module the
`Context` says what stands for its declared names. And an operator that primes a parameter is expanded where it is
called, since its argument is then no value but an expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gristmill import library
from gristmill.ir import nodes
from gristmill.ir.environment import Binding, ByName, Context, Env, Frame, InSlot, InstanceHere, LetOperator
from gristmill.modules.levels.algebra import OperatorLevels
from gristmill.modules.specification import OperatorReference, Selection, Specification
from gristmill.modules.symbols import (
    BuiltIn,
    Constant,
    Fact,
    Instance,
    Instanced,
    Operator,
    Parameter,
    Symbol,
    Variable,
)
from gristmill.source import Diagnostic, SourceError, Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax import tree

# An argument: a tree and the environment it is to be read in.
Arg = tuple[tree.Expression, Env]

# Puts something around an expression, most often a LET.
Wrap = Callable[[nodes.Expression], nodes.Expression]

# One lowering for each form of the tree and each operator of the language, from `lower_forms`, `lower_operators`.
FORMS: dict[type, Callable[[Lowering, Any, Env], nodes.Expression]] = {}
BUILT_INS: dict[str, Callable[[Lowering, Sequence[Arg], Env, Span], nodes.Expression]] = {}


_STANDARD = frozenset("Naturals Integers Reals Sequences FiniteSets Bags TLC TLCExt Randomization Json".split())


@dataclass(frozen=True, slots=True)
class Bindings:
    """What the configuration says: values of constants, and operators to use in place of others."""

    constants: Mapping[Symbol, Any]  # and definitions without parameters, by value
    tables: Mapping[Symbol, Any]  # constant operators: a function of the tuple of arguments
    qualified: frozenset[Symbol]  # those of the others that were given for a module by name
    replacements: Mapping[Symbol, Symbol]  # constants and operators, by another operator


class Lowering:
    def __init__(self, specification: Specification, bindings: Bindings) -> None:
        self.specification = specification
        self.bindings = bindings
        self.variables = {symbol: index for index, symbol in enumerate(specification.root.variables)}
        self.root = Context()
        self.used: set[library.Operator] = set()
        self.own: dict[tuple[Context, Variable], int] = {}  # variables with a next value of their own, inside ENABLED

    # ------------------------------------------------------------------------------------------------ entrances

    def root_env(self) -> Env:
        return Env({}, Frame(), self.root)

    def code(self, node: tree.Expression, env: Env, name: str) -> nodes.Code:
        """Lower a tree to something that can be evaluated on its own. `env` must have a frame of its own."""
        body = self.lower(node, env)
        return nodes.Code(body, env.frame.size, name, node.span)

    def lower(self, node: tree.Expression, env: Env) -> nodes.Expression:
        return FORMS[type(node)](self, node, env)

    # ---------------------------------------------------------------------------------------------------- names

    def name(self, node: tree.Name, env: Env) -> nodes.Expression:
        symbol = self.specification.symbol_of(node)
        return self.apply_symbol(symbol, (), env, node.span)  # type: ignore[arg-type]

    def apply_symbol(self, symbol: Symbol, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        """A symbol applied to arguments (none for a plain name), emitted into `env`.

        A replacement is not replaced itself: `Op <- MyOp` lets `MyOp` speak of `Op` and mean itself.
        """
        if isinstance(symbol, Variable | Constant):
            found = self.substitute_of(symbol, env)
            if found is not None:
                own = self.own_next_value(symbol, env, span) if env.primed else None
                return own or self.substitute(*found, args, span)
        replacement = self.bindings.replacements.get(symbol)
        if replacement is not None:
            symbol, env = replacement, env.bind(context=self.root)
        if symbol in self.bindings.constants:
            return nodes.Literal(self.bindings.constants[symbol], span)
        if symbol in self.bindings.tables:
            arguments = tuple(self.lower(node, env.at(there)) for node, there in args)
            table = nodes.Literal(self.bindings.tables[symbol], span)
            return nodes.FunctionApply(table, nodes.TupleLiteral(arguments, span), span)
        if isinstance(symbol, Variable):
            return nodes.Variable(self.variables[symbol], env.primed, symbol.name, span)
        if isinstance(symbol, Parameter):
            return self.bound(symbol, args, env, span)
        if isinstance(symbol, BuiltIn):
            return self.built_in(symbol.name, args, env, span)
        if isinstance(symbol, Fact):
            return self.fact(symbol, env, span)
        if isinstance(symbol, Operator | Instanced):
            return self.defined(symbol, args, env, span)
        # A constant without a value does not get here: `assemble.bind` has complained.
        raise unsupported(f"`{symbol.name}` cannot be evaluated", span)

    def substitute_of(self, symbol: Variable | Constant, env: Env) -> tuple[Symbol | tree.Expression, Env] | None:
        """What the INSTANCEs looked through put for a declared name — a symbol or a tree — and where to read it."""
        context = _substituting(symbol, env.context)
        if context is None:
            return None
        assert context.instance is not None
        assert context.outer is not None
        substitute = context.instance.substitutes[symbol]
        put = substitute.operator or substitute.symbol or substitute.value
        assert put is not None
        return put, env.at(context.outer)

    def own_next_value(self, symbol: Variable | Constant, env: Env, span: Span) -> nodes.Variable | None:
        """The next value of a variable inside ENABLED, if an INSTANCE around that puts something else for it.

        ENABLED A says that there are next values, one for each variable of its module, that make A true. What an
        INSTANCE puts for the variables says what they are now, and nothing about those.
        """
        context = _substituting(symbol, env.context)
        if context is None or not isinstance(symbol, Variable) or not _encloses(context, env.enabling):
            return None
        now = env.bind(primed=False)
        plain = self.apply_symbol(symbol, (), now, span)
        if isinstance(plain, nodes.Variable) and not self.is_shared(plain, context, now):
            return None
        number = self.own.setdefault((context, symbol), len(self.own))
        return nodes.Variable(len(self.variables) + number, True, symbol.name, span)

    def is_shared(self, variable: nodes.Variable, context: Context, env: Env) -> bool:
        """Whether an INSTANCE puts one variable for several."""
        assert context.instance is not None
        inside = env.bind(context=context)
        declared = [symbol for symbol in context.instance.substitutes if isinstance(symbol, Variable)]
        return sum(self.apply_symbol(each, (), inside, variable.span) == variable for each in declared) > 1

    def substitute(self, put: Symbol | tree.Expression, env: Env, args: Sequence[Arg], span: Span) -> nodes.Expression:
        if isinstance(put, Symbol):
            return self.apply_symbol(put, args, env, span)
        return self.apply_operand(put, args, env, span) if args else self.lower(put, env)

    def bound(self, symbol: Parameter, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        binding = env.bindings[symbol]
        match binding:
            case InSlot(frame, slot):
                depth = env.frame.hops_to(frame)
                if args:
                    arguments = tuple(self.argument(arg, 0, env) for arg in args)
                    return nodes.CallLocal(depth, slot, symbol.name, arguments, span)
                return nodes.Local(depth, slot, symbol.name, span)
            case ByName(node, there):
                if args:
                    return self.apply_operand(node, args, env.at(there), span)
                return self.lower(node, env.at(there))
        raise AssertionError(binding)

    def apply_operand(self, node: tree.Expression, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        """An operator given as an argument — a name, a path or a LAMBDA — applied to arguments."""
        match node:
            case tree.Parens(body):
                return self.apply_operand(body, args, env, span)
            case tree.Name():
                return self.apply_symbol(self.specification.symbol_of(node), args, env, span)  # type: ignore[arg-type]
            case tree.Lambda(_, body):
                operator = self.specification.symbol_of(node)
                assert isinstance(operator, Operator)
                return self.with_arguments(
                    operator.params, args, frozenset(), env, env, span, lambda inner: self.lower(body, inner)
                )
            case tree.Path():
                return self.path(node, env, args)
        raise unsupported("this cannot be used as an operator", node.span)

    def fact(self, symbol: Fact, env: Env, span: Span) -> nodes.Expression:
        statement = symbol.statement
        if statement is None or not isinstance(statement, tree.Expression):
            raise unsupported(f"`{symbol.name}` is not an expression", span)
        return self.lower(statement, env.bind(bindings={}))

    # ---------------------------------------------------------------------------------------------- definitions

    def defined(self, symbol: Operator | Instanced, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        binding = env.bindings.get(symbol)
        if binding is None and isinstance(symbol, Operator) and symbol.let_depth:
            # Reached by a path into the middle of a definition, whose parameters are bound here.
            if not symbol.params:
                return self.expansion(symbol, env)
            binding = LetOperator(symbol, env)
        if isinstance(binding, InSlot):
            return self.let_value(binding, symbol, env, span)
        if isinstance(binding, ByName):
            return self.lower(binding.node, env.at(binding.env))
        primitive = self.primitive(symbol, env)
        if primitive is not None:
            return nodes.Primitive(primitive, self.arguments(symbol.params, args, env), span)
        if self.must_inline(symbol, args):
            return self.inline(symbol, args, env, span)
        if isinstance(binding, LetOperator):
            definition = self.let_definition(binding, env)
            depth = env.frame.hops_to(binding.env.frame)
        else:
            definition, home = self.definition(symbol, env)
            depth = env.frame.hops_to(home) if home is not None else 0
        return nodes.Call(definition, self.arguments(symbol.params, args, env), depth, span)

    def let_value(self, binding: InSlot, symbol: Operator | Instanced, env: Env, span: Span) -> nodes.Expression:
        if env.primed and binding.origin is not None:
            return self.expansion(symbol, env.at(binding.origin))
        return nodes.Local(env.frame.hops_to(binding.frame), binding.slot, symbol.name, span)

    def primitive(self, symbol: Operator | Instanced, env: Env) -> library.Operator | None:
        """The hand-written implementation of an operator, if it has one."""
        origin = symbol.origin if isinstance(symbol, Instanced) else symbol
        module = origin.module
        if isinstance(origin, Operator) and origin.let_depth:
            return None
        # A specification may come with its own copy of a standard module; TLC goes by the name, too.
        if not module.is_library and module.name not in _STANDARD:
            return None
        found = library.find(module.name, origin.name)
        if found is not None:
            if env.primed:  # it may be another in the next state, whatever that is
                found = library.find(module.name, f"{origin.name}'") or found
            self.used.add(found)
        return found

    def must_inline(self, symbol: Operator | Instanced, args: Sequence[Arg]) -> bool:
        """An argument that is primed inside is an expression, not a value; a number or a string is the same primed."""
        primed = primed_params(symbol)
        return any(param in primed and not _is_rigid(arg[0]) for param, arg in zip(symbol.params, args, strict=True))

    def inline(self, symbol: Operator | Instanced, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        """Expand a definition where it is called."""
        if env.inlining.count(symbol) > 20:
            raise unsupported(f"the recursive operator `{symbol.name}` primes its parameter", span)
        here = env.bind(inlining=(*env.inlining, symbol))
        binding = env.bindings.get(symbol)
        base = binding.env if isinstance(binding, LetOperator) else self.base_env(symbol, here)
        primed = primed_params(symbol)
        return self.with_arguments(
            symbol.params, args, primed, here, here.at(base), span, lambda inner: self.expansion(symbol, inner)
        )

    def base_env(self, symbol: Operator | Instanced, env: Env) -> Env:
        return env.bind(bindings={}, context=self.home_context(symbol, env))

    def home_context(self, symbol: Symbol, env: Env) -> Context:
        """The context a definition is to be read in: that of its user, unless nothing in it could be substituted."""
        module = symbol.module
        return self.root if module is not None and module.is_closed else env.context

    def expansion(self, symbol: Operator | Instanced, env: Env) -> nodes.Expression:
        """The body of a definition, its parameters bound in `env`."""
        if isinstance(symbol, Instanced):
            return self.look_through(symbol, env)
        definition = symbol.definition
        if isinstance(definition, tree.FunctionDefinition):
            return self.function_definition(symbol, definition, env)
        assert definition is not None, "a RECURSIVE declaration without its definition"
        return self.lower(definition.body, env)

    def look_through(self, symbol: Instanced, env: Env) -> nodes.Expression:
        """The definition behind an INSTANCE, in the context of that INSTANCE."""
        instance = symbol.instance
        count = len(instance.params)
        context = self.instance_context(instance, env)
        own: dict[object, Binding] = {param: env.bindings[param] for param in symbol.params[count:]}
        inner = symbol.operator
        args = [(_parameter_name(param), env.bind(bindings=own)) for param in symbol.params[count:]]
        for (name, _), param in zip(args, symbol.params[count:], strict=True):
            self.specification.symbols[id(name)] = param
            self.specification.synthetic.append(name)
        there = env.bind(bindings={}, context=context)
        if isinstance(inner, Fact):
            return self.fact(inner, there, symbol.span)
        # `I!Op` means the Op of the module, also where the configuration puts something else for the name Op in the
        # root module; what it says of the module itself (`Op <- [M] Other`) holds through instances, too.
        if inner in self.bindings.qualified:
            return self.apply_symbol(inner, args, there, symbol.span)
        return self.defined(inner, args, there, symbol.span)

    def instance_context(self, instance: Instance, env: Env) -> Context:
        """The context inside an INSTANCE whose parameters, if any, are bound in `env`."""
        binding = env.bindings.get(instance)
        local = isinstance(binding, InstanceHere)
        if not instance.params and not local:
            if instance not in env.context.inner:
                outer = env.bind(bindings={}, primed=False)
                env.context.inner[instance] = Context(instance, outer, env.context.frame)
            return env.context.inner[instance]
        outer = env.bind(primed=False)
        if isinstance(binding, InstanceHere):
            params: dict[object, Binding] = {param: env.bindings[param] for param in instance.params}
            outer = outer.bind(bindings={**binding.env.bindings, **params}, context=binding.env.context)
        return Context(instance, outer, env.frame)

    def definition(self, symbol: Operator | Instanced, env: Env) -> tuple[nodes.Definition, Frame | None]:
        """The definition of a symbol of a module in the context of `env`, lowered once, and its parent frame."""
        context = self.home_context(symbol, env)
        local = self.local_instance(symbol, env)
        if local is not None:
            return self.new_definition(symbol, Context(None, None, local.env.frame), env, local), local.env.frame
        key = (symbol, env.primed, env.enabling)
        if key not in context.definitions:
            self.new_definition(symbol, context, env, None)
        return context.definitions[key], context.frame

    def local_instance(self, symbol: Operator | Instanced, env: Env) -> InstanceHere | None:
        """The INSTANCE inside a LET that a symbol is reached through."""
        if isinstance(symbol, Instanced):
            binding = env.bindings.get(symbol.instance)
            if isinstance(binding, InstanceHere):
                return binding
        return None

    def new_definition(
        self, symbol: Operator | Instanced, context: Context, env: Env, local: InstanceHere | None
    ) -> nodes.Definition:
        """Primed, and inside ENABLED, as it is used in `env`."""
        parent = context.frame
        bindings: dict[object, Binding] = {}
        if local is not None and isinstance(symbol, Instanced):
            bindings = {**local.env.bindings, symbol.instance: local}
        home = local.env.context if local is not None else context
        base = Env(bindings, Frame(parent), home, env.primed, enabling=env.enabling)
        definition = self.empty_definition(symbol, nested=parent is not None)
        definition.identity = context.identities.setdefault(symbol, object())
        context.definitions[symbol, env.primed, env.enabling] = definition
        self.fill(definition, symbol, base)
        return definition

    def empty_definition(self, symbol: Operator | Instanced, nested: bool) -> nodes.Definition:
        origin = symbol.origin if isinstance(symbol, Instanced) else symbol
        recursive = isinstance(origin, Operator) and origin.recursive
        return nodes.Definition(
            symbol.name,
            tuple(param.arity for param in symbol.params),
            tuple(param.name for param in symbol.params),
            nested,
            recursive,
            origin.span,
        )

    def fill(self, definition: nodes.Definition, symbol: Operator | Instanced, env: Env) -> None:
        frame = env.frame
        slots: dict[object, Binding] = {param: InSlot(frame, frame.slot()) for param in symbol.params}
        definition.body = self.expansion(symbol, env.with_bindings(slots))
        definition.frame_size = frame.size

    def let_definition(self, binding: LetOperator, user: Env) -> nodes.Definition:
        key = (user.primed, user.enabling)
        definition = binding.definitions.get(key)
        if definition is None:
            definition = self.empty_definition(binding.operator, nested=True)
            binding.definitions[key] = definition
            env = binding.env.bind(frame=Frame(binding.env.frame), primed=user.primed, enabling=user.enabling)
            self.fill(definition, binding.operator, env)
        return definition

    def function_definition(self, symbol: Operator, definition: tree.FunctionDefinition, env: Env) -> nodes.Expression:
        """`f[x \\in S] == e`: a function; inside `e`, `f` is the function itself."""
        inside, slot = env.in_slot(symbol) if symbol.recursive else (env, None)
        bounds, inner = self.bounds(definition.bounds, env, inside)
        body = self.lower(definition.body, inner)
        return nodes.FunctionLiteral(bounds, body, slot, definition.name, definition.span)

    # ------------------------------------------------------------------------------------------------ arguments

    def with_arguments(
        self,
        params: Sequence[Parameter],
        args: Sequence[Arg],
        by_name: frozenset[Parameter],
        env: Env,
        base: Env,
        span: Span,
        body: Callable[[Env], nodes.Expression],
    ) -> nodes.Expression:
        """`body` with parameters bound to arguments, as `bind_arguments` binds them."""
        inner, let = self.bind_arguments(params, args, by_name, env, base, span)
        return let(body(inner))

    def bind_arguments(
        self,
        params: Sequence[Parameter],
        args: Sequence[Arg],
        by_name: frozenset[Parameter],
        env: Env,
        base: Env,
        span: Span,
    ) -> tuple[Env, Wrap]:
        """`base` with parameters bound: by name, or as LET values in the current frame; and the LET to put around."""
        bindings: dict[object, Binding] = {}
        slots, names, values = [], [], []
        for param, (node, there) in zip(params, args, strict=True):
            if param.arity or param in by_name:
                bindings[param] = ByName(node, there)
            else:
                slot = env.frame.slot()
                bindings[param] = InSlot(env.frame, slot)
                slots.append(slot)
                names.append(param.name)
                values.append(self.lower(node, env.at(there)))

        def let(body: nodes.Expression) -> nodes.Expression:
            return nodes.Let(tuple(slots), tuple(names), tuple(values), body, span) if slots else body

        return base.with_bindings(bindings), let

    def arguments(self, params: Sequence[Parameter], args: Sequence[Arg], env: Env) -> tuple[nodes.Argument, ...]:
        arities = [param.arity for param in params] or [0] * len(args)
        return tuple(self.argument(arg, arity, env) for arg, arity in zip(args, arities, strict=True))

    def argument(self, arg: Arg, arity: int, env: Env) -> nodes.Argument:
        node, there = arg
        here = env.at(there)
        if arity == 0:
            return self.lower(node, here)
        return self.operator_argument(node, arity, here)

    def operator_argument(self, node: tree.Expression, arity: int, env: Env) -> nodes.Argument:
        match node:
            case tree.Parens(body):
                return self.operator_argument(body, arity, env)
            case tree.Name():
                symbol = self.specification.symbol_of(node)
                if isinstance(symbol, Parameter):
                    binding = env.bindings[symbol]
                    if isinstance(binding, ByName):
                        return self.operator_argument(binding.node, arity, env.at(binding.env))
                    assert isinstance(binding, InSlot)
                    return nodes.LocalOperator(env.frame.hops_to(binding.frame), binding.slot, node.name, node.span)
                if isinstance(symbol, Operator | Instanced):
                    primitive = None if symbol in self.bindings.replacements else self.primitive(symbol, env)
                    if primitive is not None:
                        return nodes.PrimitiveOperator(primitive, arity, node.span)
        return self.wrapped_operator(node, arity, env)

    def wrapped_operator(self, node: tree.Expression, arity: int, env: Env) -> nodes.Argument:
        """Any operator as a value: a definition of its own that applies it to its parameters."""
        frame = Frame(env.frame)
        params = [Parameter(f"argument{i + 1}", 0, self.specification.root, node.span) for i in range(arity)]
        bindings: dict[object, Binding] = {param: InSlot(frame, frame.slot()) for param in params}
        inner = env.bind(frame=frame).with_bindings(bindings)
        args: list[Arg] = []
        for param in params:
            name = tree.Name(param.name, node.span)
            self.specification.symbols[id(name)] = param
            self.specification.synthetic.append(name)
            args.append((name, inner))
        shown = node.name if isinstance(node, tree.Name) else "LAMBDA"
        names = tuple(param.name for param in params)
        definition = nodes.Definition(shown, (0,) * arity, names, True, False, node.span)
        definition.body = self.apply_operand(node, args, inner, node.span)
        definition.frame_size = frame.size
        return nodes.OperatorArgument(definition, 0, node.span)

    # ------------------------------------------------------------------------------------------------ references

    def path(self, node: tree.Path, env: Env, args: Sequence[Arg] = ()) -> nodes.Expression:
        """`I(x)!Op(y)` or a piece of a definition."""
        reference = self.specification.reference_of(node)
        own: list[Arg] = [(arg, env) for arg in reference.args] + list(args)
        if isinstance(reference, OperatorReference):
            return self.apply_symbol(reference.symbol, own, env, node.span)
        return self.selection(reference, own, env, node.span)

    def selection(self, selection: Selection, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        target = selection.node
        if not isinstance(target, tree.Expression):
            raise unsupported("this part of a definition is not an expression", span)
        bindings: dict[object, Binding] = {
            param: ByName(node, there) for param, (node, there) in zip(selection.params, args, strict=True)
        }
        inner = env.with_bindings(bindings)
        for instance in selection.instances:
            inner = inner.bind(context=self.instance_context(instance, inner))
        return self.lower(target, inner)

    def built_in(self, name: str, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        return BUILT_INS[name](self, args, env, span)

    def bounds(self, bounds: Sequence[tree.Bound], outer: Env, inner: Env) -> tuple[tuple[nodes.Bound, ...], Env]:
        """Bounds, whose domains are read in `outer`, and `inner` with their names bound."""
        lowered = []
        for bound in bounds:
            domain = None if bound.domain is None else self.lower(bound.domain, outer)
            slots = []
            for name in bound.names:
                inner, slot = inner.in_slot(self.specification.symbol_of(name))
                slots.append(slot)
            names = tuple(name.name for name in bound.names)
            lowered.append(nodes.Bound(tuple(slots), names, bound.is_tuple, domain, bound.span))
        return tuple(lowered), inner


def _substituting(symbol: Symbol, context: Context) -> Context | None:
    """The INSTANCE that puts something for a declared name."""
    while context.instance is not None:
        if symbol in context.instance.substitutes:
            return context
        assert context.outer is not None
        context = context.outer.context
    return None


def _encloses(context: Context, inner: Context | None) -> bool:
    while inner is not None and inner is not context:
        inner = inner.outer.context if inner.outer is not None else None
    return inner is context


def unsupported(message: str, span: Span) -> SourceError:
    return SourceError(Diagnostic("not-evaluable", message, span))


def primed_params(symbol: Operator | Instanced) -> frozenset[Parameter]:
    """The parameters that occur primed, so that an action cannot be put for them: `p' = …`, `UNCHANGED p`."""
    levels = symbol.levels
    if not isinstance(levels, OperatorLevels):
        return frozenset()
    return frozenset(p for p, limit in zip(symbol.params, levels.max_levels, strict=True) if limit < 2)


def _is_rigid(node: tree.Expression) -> bool:
    """Whether an argument is the same in every state, judged by its form alone."""
    match node:
        case tree.Number() | tree.String():
            return True
        case tree.Parens(body):
            return _is_rigid(body)
        case _:
            return False


def _parameter_name(param: Parameter) -> tree.Name:
    return tree.Name(param.name, param.span)
