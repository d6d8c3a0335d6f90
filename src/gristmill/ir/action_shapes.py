"""What parts of a specification's text do as actions, judged by their form: whether they speak of steps at all, and
which variables they give a next value.

This decides about names of actions, and about nothing else that a user could see: it need not be exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gristmill.ir.action_calls import Calls
from gristmill.ir.environment import ByName, Env
from gristmill.ir.levels import ACTION
from gristmill.modules.specification import OperatorReference, Specification
from gristmill.modules.symbols import Instanced, Operator, Variable
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax import tree

_ASSIGNING = ("=", "\\in", "\\subseteq")


def places_of_actions(node: tree.Expression) -> Iterator[tree.Expression]:
    """The parts of a formula in which an action may stand, if it is one."""
    match node:
        case tree.Parens(body) | tree.Labelled(_, _, body) | tree.Let(_, body) | tree.Quantified(_, _, body):
            yield body
        case tree.Junction(_, items) | tree.Apply(tree.Name("/\\" | "\\/"), items):
            yield from items
        case tree.Apply(tree.Name("=>"), (_, right)):
            yield right
        case tree.If(_, then, otherwise):
            yield from (then, otherwise)
        case tree.Case(arms):
            yield from (arm.value for arm in arms)


def speaks_of_steps(specification: Specification, node: Any, env: Env | None = None) -> bool:
    """`env` knows what parameters stand for."""
    if isinstance(node, tree.Name):
        symbol = specification.symbol_of(node)
        given = None if env is None else env.bindings.get(symbol)
        if isinstance(given, ByName):
            return speaks_of_steps(specification, given.node, given.env)
        return node.name in ("'", "UNCHANGED") or (isinstance(symbol, Operator | Instanced) and symbol.level == ACTION)
    if isinstance(node, tree.Path):
        reference = specification.reference_of(node)
        if isinstance(reference, OperatorReference):
            symbol, args = reference.symbol, reference.args
            own = isinstance(symbol, Operator | Instanced) and symbol.level == ACTION
            return own or any(speaks_of_steps(specification, arg, env) for arg in args)
    return any(speaks_of_steps(specification, part, env) for part in _parts(node))


def _parts(node: Any) -> Iterator[Any]:
    if isinstance(node, tuple):
        yield from node
    elif type(node).__module__ == tree.__name__:
        yield from (getattr(node, name) for name in node.__match_args__ if not name.endswith("span"))


@dataclass(frozen=True, slots=True)
class Changes:
    """Variables that a formula gives a next value, and those of which it says that they stay as they are."""

    written: frozenset[Variable] = frozenset()
    kept: frozenset[Variable] = frozenset()

    def __or__(self, other: Changes) -> Changes:
        return Changes(self.written | other.written, self.kept | other.kept)

    @property
    def all(self) -> frozenset[Variable]:
        return self.written | self.kept


NONE = Changes()


class ChangesOf:
    """Finds `Changes`, also in the definitions that a formula applies."""

    def __init__(self, calls: Calls) -> None:
        self._calls, self._specification = calls, calls.specification
        self._seen: set[int] = set()  # applications, by identity: there may be many ways to one

    def formula(self, node: tree.Expression, env: Env) -> Changes:
        match node:
            case tree.Apply(tree.Name("UNCHANGED"), (operand,)):
                return Changes(kept=frozenset(self._variables(operand, env)))
            case tree.Apply(tree.Name(name), (left, right)) if name in _ASSIGNING:
                return self._assignment(left, right, env)
            case tree.Name() | tree.Apply() | tree.Path() if (called := self._calls.find(node, env)) is not None:
                if id(node) in self._seen:
                    return NONE
                self._seen.add(id(node))
                return self.formula(called.body, called.by_name())
        found = NONE
        for part in places_of_actions(node):
            found |= self.formula(part, env)
        return found

    def _assignment(self, left: tree.Expression, right: tree.Expression, env: Env) -> Changes:
        match left:
            case tree.Apply(tree.Name("'"), (operand,)):
                targets = frozenset(self._variables(operand, env))
                stays = targets == frozenset(self._variables(right, env))
                return Changes(kept=targets) if stays else Changes(targets)
        return NONE

    def _variables(self, node: tree.Expression, env: Env) -> Iterator[Variable]:
        """Variables that stand for themselves, or in a tuple, also by the name of a definition or a parameter."""
        match node:
            case tree.Parens(body):
                yield from self._variables(body, env)
            case tree.Tuple(items):
                for item in items:
                    yield from self._variables(item, env)
            case tree.Name():
                symbol = self._specification.symbol_of(node)
                given = env.bindings.get(symbol)
                if isinstance(given, ByName):
                    yield from self._variables(given.node, given.env)
                elif isinstance(symbol, Variable):
                    yield symbol
                elif isinstance(symbol, Operator) and not symbol.params and symbol.definition and not symbol.recursive:
                    yield from self._variables(symbol.body, env)
