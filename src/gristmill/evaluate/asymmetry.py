"""Is a declared symmetry one? A search that relies on one that is none overlooks states, and says "ok".

It is tested, not proved: after the search, states from all over it are compared with permutations of them, in their
steps and in what constraints and properties say. A violation that was found before that is real in any case. Where the
specification mentions one of the permuted values apart from the others, a caveat says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from gristmill.evaluate.checkable import SpecificationModel
from gristmill.evaluate.evaluator import Evaluator
from gristmill.evaluate.explain import undisturbed
from gristmill.evaluate.primitives import effects
from gristmill.ir import nodes
from gristmill.ir.levels import CONSTANT, level, parts
from gristmill.ir.model import Model, Named
from gristmill.search import Result, State
from gristmill.search.result import CONFIGURATION_ERROR
from gristmill.search.symmetry import Asymmetry, Symmetry, asymmetry_among
from gristmill.source import Diagnostic
from gristmill.values import EvaluationError, Value, normalize, show

STATES, PERMUTATIONS = 500, 3  # how much is compared, if that takes a tenth of the time of the search


def with_symmetry_tested(result: Result, model: Model, searchable: SpecificationModel) -> Result:
    """The result, with caveats; or the error that a declared symmetry is none, if that can be seen."""
    if result.violations or model.symmetry is None or searchable.symmetry is None:
        return result
    states = searchable.explored
    if not states or not _can_be_tested(model):
        caveat = f"Whether {model.symmetry.name} is a symmetry was not tested."
        return replace(result, caveats=(*result.caveats, caveat))
    chosen = [states[number] for number in range(0, len(states), -(-len(states) // STATES))]
    with undisturbed(searchable.evaluator.context):
        found = asymmetry_among(
            searchable,
            searchable.symmetry,
            chosen,
            permutations=PERMUTATIONS,
            seconds=0.5 + 0.1 * result.seconds,
        )
    if found is not None:
        return broken(result, model, model.symmetry, found)
    return replace(result, caveats=(*result.caveats, *_caveats(model, model.symmetry, searchable)))


def broken(result: Result, model: Model, symmetry: Named, found: Asymmetry) -> Result:
    name = symmetry.name
    message = f"the specification breaks the symmetry {name}: {found.difference}"
    help = "look for a permuted value that is mentioned by name, or taken by CHOOSE"
    if found.state:
        help += f"; the states are {_state(model, found.state)} and {_state(model, found.permuted)}"
    diagnostic = Diagnostic("symmetry-broken", message, symmetry.code.span, help=help)
    return replace(
        result,
        verdict="error",
        property=name,
        message=message,
        caveats=(),
        diagnostics=(*result.diagnostics, diagnostic),
        status=CONFIGURATION_ERROR,
    )


def _state(model: Model, state: State) -> str:
    values = (f"{name} = {show(value)}" for name, value in zip(model.variables, state, strict=True))
    return f"[{', '.join(values)}]"


def _caveats(model: Model, declared: Named, searchable: SpecificationModel) -> Iterator[str]:
    name = declared.name
    yield f"That {name} is a symmetry was tested with some of the states; it was not proved."
    mentions = Mentions(searchable.symmetry, searchable.evaluator)
    found = sorted({show(value) for code in _codes(model) for value in mentions.of(code.body)})
    if found:
        yield f"The specification mentions {', '.join(found)} apart from other values that {name} permutes."


def _codes(model: Model) -> Iterator[nodes.Code]:
    if model.init is not None:
        yield model.init
    yield from (action.code for action in model.actions)
    formulas = (
        model.invariants,
        model.implied_inits,
        model.implied_actions,
        model.constraints,
        model.action_constraints,
        model.temporal,
    )
    yield from (formula.code for group in formulas for formula in group)


def _can_be_tested(model: Model) -> bool:
    """Whether evaluating a formula a second time gives the same and changes nothing."""
    seen: set[nodes.Definition] = set()
    return all(_is_pure(code.body, seen) for code in _codes(model))


def _is_pure(body: Any, seen: set[nodes.Definition]) -> bool:
    waiting = [body]
    while waiting:
        node = waiting.pop()
        match node:
            case nodes.Primitive(operator) | nodes.PrimitiveOperator(operator):
                if effects(operator) != "none" and operator not in _OUTPUT:
                    return False
            case nodes.Call(definition) | nodes.OperatorArgument(definition) if definition not in seen:
                seen.add(definition)
                waiting.append(definition.body)
        waiting.extend(parts(node))
    return True


_OUTPUT = ("TLC!Print", "TLC!PrintT")


class Mentions:
    """Values in a formula that a permutation changes.

    `{a1, a2}` names two values, and neither of them apart: of what depends on nothing, the value is what counts.
    """

    def __init__(self, symmetry: Symmetry, evaluator: Evaluator) -> None:
        self._symmetry, self._evaluator = symmetry, evaluator
        self._definitions: dict[nodes.Definition, frozenset[Value]] = {}

    def of(self, node: Any) -> frozenset[Value]:
        if isinstance(node, nodes.Literal):
            return frozenset() if self._is_fixed(node.value) else frozenset([node.value])
        found = self._of_all(parts(node))
        if isinstance(node, nodes.Call | nodes.OperatorArgument):
            found |= self._of_definition(node.definition)
        return frozenset() if found and self._has_fixed_value(node) else found

    def _of_all(self, nodes_: Iterable[Any]) -> frozenset[Value]:
        return frozenset().union(*map(self.of, nodes_))

    def _of_definition(self, definition: nodes.Definition) -> frozenset[Value]:
        if definition not in self._definitions:
            self._definitions[definition] = frozenset()  # for a recursive one
            self._definitions[definition] = self.of(definition.body)
        return self._definitions[definition]

    def _is_fixed(self, value: Value) -> bool:
        return all(permuted == (value,) for permuted in self._symmetry.orbit((value,)))

    def _has_fixed_value(self, node: Any) -> bool:
        if level(node) > CONSTANT or not _is_closed(node):
            return False
        try:
            return self._is_fixed(normalize(self._evaluator.value(nodes.Code(node, 64, "", node.span))()))
        except (EvaluationError, RecursionError):
            return False


def _is_closed(node: Any) -> bool:
    """Whether there is nothing in it that its surroundings give a value. Who binds something is not looked into."""
    if isinstance(node, nodes.SetEnumeration | nodes.TupleLiteral | nodes.RecordLiteral):
        return all(map(_is_closed, parts(node)))
    return isinstance(node, nodes.Literal) or (
        isinstance(node, nodes.Call) and not node.args and not node.definition.nested
    )
