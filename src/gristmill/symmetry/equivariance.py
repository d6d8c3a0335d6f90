"""Does a specification treat permuted values alike? Shown by looking at it, where that can be done.

Every form of TLA+ is *equivariant*: permute the values that go in, and what comes out is permuted. So is what is built
of them, except where

- a permuted value is mentioned by name (`{a, b}` with both of them permuted mentions neither: of what depends on
  nothing, the value counts);
- CHOOSE takes one of several: which one depends on an order that the permutation changes. Whether there are several is
  seen when it is evaluated; `ambiguous_choice` looks;
- an operator of the library depends on that order, too, on the spelling of values, or on the world: its declaration
  tells.

If there is none of that in what is evaluated at the states of a search, then at their permutations the same happens,
permuted: nothing is overlooked. The initial predicate may name whom it likes: it is evaluated as a whole. (An error
that the order of evaluation has spared one state may still be met in its permutation.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gristmill.evaluate.evaluator import Evaluator
from gristmill.explain.formulas import is_repeatable
from gristmill.ir import nodes
from gristmill.ir.levels import CONSTANT, level
from gristmill.ir.model import Model
from gristmill.ir.walk import SEARCHED, Node, Role, bodies, children, operators_in, reachable
from gristmill.library.effects import ONCE_IS_ENOUGH
from gristmill.search.symmetry import Symmetry
from gristmill.source import Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.symmetry.equivariant_primitives import is_equivariant
from gristmill.symmetry.permuted_values import is_fixed
from gristmill.values import EvaluationError, Value, normalize, show


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that may tell permuted values apart. `value`: it is mentioned by name."""

    reason: str
    span: Span
    value: Value | None = None


def relevant_bodies(model: Model) -> list[nodes.Expression]:
    """What must be equivariant. Temporal properties are decided without symmetry.

    Actions as they were written: a branch of the next-state relation may be for one of the elements of a set.
    """
    return [*(action.code.body for action in model.actions), *bodies(model, _ROLES)]


_ROLES: frozenset[Role] = frozenset((*SEARCHED, "possible")) - {"init", "action", "implied_init", "view"}


def doubts(model: Model, symmetry: Symmetry, evaluator: Evaluator, *, monitored: bool) -> list[Doubt]:
    """None: the specification is equivariant, if every CHOOSE that is `monitored` has found nothing to choose from."""
    looking = _Looking(symmetry, evaluator, monitored)
    found = looking.at(*relevant_bodies(model))
    return sorted(found, key=lambda doubt: (doubt.span.file.path, doubt.span.start))


class _Looking:
    def __init__(self, symmetry: Symmetry, evaluator: Evaluator, monitored: bool) -> None:
        self._symmetry, self._evaluator, self._monitored = symmetry, evaluator, monitored
        self._harmless: dict[nodes.Definition, bool] = {}

    def at(self, *roots: nodes.Expression | None, literally: bool = False) -> set[Doubt]:
        """What is doubtful in these expressions and in what they call. `literally`: whatever its value may be."""

        def counts(node: Node) -> bool:
            return literally or not self._is_harmless(node)

        def below(node: Node) -> Iterable[Node]:
            return _what_counts(node) if counts(node) else ()

        found: set[Doubt] = set()
        for node in reachable(*roots, below=below, into=counts):
            found.update(self._own(node))
        return found

    def _own(self, node: Any) -> Iterator[Doubt]:
        match node:
            case nodes.Literal(value) if not is_fixed(value, self._symmetry):
                yield Doubt(f"{show(value)} is mentioned apart from the others", node.span, value)
            case nodes.Choose() if not self._monitored:
                yield Doubt("CHOOSE may have several to choose from", node.span)
            case nodes.Primitive(operator, args) if not is_equivariant(operator, args):
                yield Doubt(f"{operator.name} may depend on the order of values, or on more", node.span)
            case nodes.PrimitiveOperator(operator) if not is_equivariant(operator, ()):
                yield Doubt(f"{operator.name} may depend on the order of values, or on more", node.span)

    def _is_harmless(self, node: Any) -> bool:
        """A constant that has the same value however it comes about."""
        if isinstance(node, nodes.SetEnumeration | nodes.TupleLiteral | nodes.RecordLiteral):
            return _is_closed(node) and self._has_fixed_value(node)
        if not isinstance(node, nodes.Call) or not _is_closed(node):
            return False
        known = self._harmless.get(node.definition)
        if known is None:
            suspicious = self.at(node.definition.body, literally=True)
            known = self._harmless[node.definition] = not suspicious or self._has_fixed_value(node)
        return known

    def _has_fixed_value(self, node: Any) -> bool:
        if level(node) > CONSTANT or not is_repeatable(node) or not _is_found_once(node):
            return False
        try:
            value = self._evaluator.value(nodes.Code(node, 64, "", node.span))()
            return is_fixed(normalize(value), self._symmetry)
        except (EvaluationError, RecursionError):
            return False


def _is_found_once(node: Any) -> bool:
    """Whether the value that it has now is the one that it had during the search."""
    return all(operator.does_only(ONCE_IS_ENOUGH) for operator in operators_in(node))


def _is_closed(node: Any) -> bool:
    """Whether there is nothing in it that its surroundings give a value. Who binds something is not looked into."""
    if isinstance(node, nodes.SetEnumeration | nodes.TupleLiteral | nodes.RecordLiteral):
        return all(map(_is_closed, children(node)))
    if isinstance(node, nodes.Call):
        return not node.args and not node.definition.nested
    return isinstance(node, nodes.Literal)


def _what_counts(node: Any) -> Iterable[Any]:
    """The parts of a node that have something to do with its value: not what is only printed."""
    if isinstance(node, nodes.Primitive):
        return (arg for number, arg in enumerate(node.args) if number not in node.operator.only_shown)
    return children(node)
