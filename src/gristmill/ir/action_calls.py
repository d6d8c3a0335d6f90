"""Definitions that a next-state relation applies: found under any name, and entered to look for actions in them.

`A(x)`, `I!A(x)` through an INSTANCE, an operator that was given as an argument, one of a LET, and one that the
configuration puts in the place of another.
"""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.ir.environment import Binding, ByName, Env, InstanceHere, LetOperator
from gristmill.ir.lower import Arg, Lowering, Wrap, primed_params
from gristmill.modules.specification import OperatorReference
from gristmill.modules.symbols import Instanced, Operator, Parameter
from gristmill.source import Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax import tree


@dataclass(frozen=True, slots=True, eq=False)
class Called:
    """A definition and its arguments. `env`: where the definition is known by its name.

    `path`: the names before its own, `I!` of `I!A`. `given`: it came as an argument of an operator parameter.
    """

    symbol: Operator | Instanced
    args: tuple[Arg, ...]
    env: Env
    path: str = ""
    given: bool = False

    @property
    def origin(self) -> Operator:
        origin = self.symbol.origin if isinstance(self.symbol, Instanced) else self.symbol
        assert isinstance(origin, Operator)
        return origin

    @property
    def body(self) -> tree.Expression:
        return self.origin.body

    @property
    def is_lambda(self) -> bool:
        return isinstance(self.symbol, Operator) and isinstance(self.symbol.definition, tree.Lambda)

    @property
    def takes_operators(self) -> bool:
        return any(param.arity for param in self.symbol.params)

    def by_name(self) -> Env:
        """An environment for reading the body: every parameter stands for its argument."""
        own = self.origin.params
        args = self.args[len(self.args) - len(own) :]
        return self.env.bind(bindings={param: ByName(*arg) for param, arg in zip(own, args, strict=True)})


class Calls:
    """What can be looked into: definitions of the specification that do not call themselves."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering, self.specification = lowering, lowering.specification

    def find(self, node: tree.Expression, env: Env) -> Called | None:
        match node:
            case tree.Parens(body) | tree.Labelled(_, _, body):
                return self.find(body, env)
            case tree.Name():
                return self._of_symbol(self.specification.symbol_of(node), (), env)
            case tree.Apply(operator, args):
                return self._of_symbol(self.specification.symbol_of(operator), _read_in(args, env), env)
            case tree.Path():
                return self._of_path(node, (), env)
        return None

    def _of_path(self, node: tree.Path, args: tuple[Arg, ...], env: Env) -> Called | None:
        reference = self.specification.reference_of(node)
        if not isinstance(reference, OperatorReference):
            return None
        path = "".join(f"{segment.name}!" for segment in node.segments[:-1] if isinstance(segment, tree.NameSegment))
        return self._of_symbol(reference.symbol, (*_read_in(reference.args, env), *args), env, path)

    def _of_symbol(self, symbol: object, args: tuple[Arg, ...], env: Env, path: str = "") -> Called | None:
        if isinstance(symbol, Parameter):
            return self._of_parameter(symbol, args, env)
        if not isinstance(symbol, Operator | Instanced):
            return None
        replacement = self.lowering.bindings.replacements.get(symbol)
        if replacement is not None:
            symbol, env, path = replacement, env.bind(context=self.lowering.root, bindings={}), ""
        if not isinstance(symbol, Operator | Instanced) or len(symbol.params) != len(args):
            return None
        return Called(symbol, args, env, path) if self._can_be_entered(symbol, env) else None

    def _of_parameter(self, symbol: Parameter, args: tuple[Arg, ...], env: Env) -> Called | None:
        """An operator that was given as an argument."""
        binding = env.bindings.get(symbol)
        if not isinstance(binding, ByName) or not symbol.arity:
            return None
        found = self._operand(binding.node, args, env.at(binding.env))
        return None if found is None else Called(found.symbol, found.args, found.env, found.path, given=True)

    def _operand(self, node: tree.Expression, args: tuple[Arg, ...], env: Env) -> Called | None:
        match node:
            case tree.Parens(body):
                return self._operand(body, args, env)
            case tree.Name():
                return self._of_symbol(self.specification.symbol_of(node), args, env)
            case tree.Path():
                return self._of_path(node, args, env)
            case tree.Lambda():
                operator = self.specification.symbol_of(node)
                return Called(operator, args, env) if isinstance(operator, Operator) else None
        return None

    def _can_be_entered(self, symbol: Operator | Instanced, env: Env) -> bool:
        while isinstance(symbol, Instanced):
            if isinstance(env.bindings.get(symbol.instance), InstanceHere):
                return False
            if symbol.operator in self.lowering.bindings.qualified or not isinstance(
                symbol.operator, Operator | Instanced
            ):
                return False
            symbol = symbol.operator
        if symbol.recursive or symbol.module.is_library or symbol in self.lowering.bindings.constants:
            return False
        if symbol.let_depth and not isinstance(env.bindings.get(symbol), LetOperator | ByName):
            return False
        return isinstance(symbol.definition, tree.OperatorDefinition)

    def with_let(self, let: tree.Let, env: Env) -> Env:
        """An environment for reading the body of a LET."""
        for definition in let.definitions:
            symbol = self.specification.symbols.get(id(definition))
            if isinstance(symbol, Operator) and isinstance(definition, tree.OperatorDefinition):
                binding = LetOperator(symbol, env) if symbol.params else ByName(definition.body, env)
                env = env.with_bindings({symbol: binding})
        return env

    def enter(self, called: Called, env: Env, span: Span) -> tuple[Env, Wrap]:
        """The environment for the body of a definition, and the LET of its arguments to put around what is lowered."""
        symbol, here = called.symbol, env.at(called.env)
        base = here.at(self._base(called, here))
        inner, let = self.lowering.bind_arguments(symbol.params, called.args, primed_params(symbol), env, base, span)
        while isinstance(symbol, Instanced):
            inner, symbol = self._through(symbol, inner)
        return inner, let

    def _base(self, called: Called, here: Env) -> Env:
        if called.is_lambda:
            return here
        binding = here.bindings.get(called.symbol)
        if isinstance(binding, LetOperator | ByName):
            return binding.env
        return self.lowering.base_env(called.symbol, here)

    def _through(self, symbol: Instanced, env: Env) -> tuple[Env, Operator | Instanced]:
        """Past one INSTANCE: `env` with its parameters and those of the definition bound."""
        operator = symbol.operator
        assert isinstance(operator, Operator | Instanced)
        own = symbol.params[len(symbol.instance.params) :]
        bound: dict[object, Binding] = {new: env.bindings[old] for new, old in zip(operator.params, own, strict=True)}
        there = env.bind(bindings={}, context=self.lowering.instance_context(symbol.instance, env))
        return env.at(self.lowering.base_env(operator, there)).with_bindings(bound), operator


def _read_in(args: Sequence[tree.Expression], env: Env) -> tuple[Arg, ...]:
    return tuple((arg, env) for arg in args)
