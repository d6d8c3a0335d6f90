"""Expressions evaluated where something is unknown: the value, as far as it follows.

An expression that cannot be evaluated has an unknown value: on a way through an action that is only assumed to be
possible, anything may go wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.library.run import Run
from gristmill.values import FALSE, TRUE, EvaluationError, enumerate_set, is_enumerable, is_set
from gristmill.watch.unknown.frames import Chosen, Frame, Function, Later, Path
from gristmill.watch.unknown.rules import RULES
from gristmill.watch.unknown.values import ANY, ImpossibleError, Part, Unknown

_MOST_STEPS = 100_000  # nodes that are evaluated for one action: what is beyond is unknown
_DEEPEST = 400  # evaluations inside of one another: something recursive is not followed further


class Evaluation:
    """Evaluates expressions on a path. For one thread."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.depth = 0
        self.supposing = 0  # conditions that are taken to hold for what is evaluated inside of them
        self.steps = 0

    def value(self, node: Expression, frame: Frame, path: Path) -> Part:
        self.steps += 1
        if self.depth > _DEEPEST or self.steps > _MOST_STEPS:
            return ANY
        self.depth += 1
        try:
            return RULES[type(node)](self, node, frame, path)
        except (EvaluationError, ImpossibleError, KeyError, AssertionError):
            return ANY
        finally:
            self.depth -= 1

    def test(self, node: Expression, frame: Frame, path: Path) -> bool | None:
        """Whether a formula holds; None if that is not known."""
        found = self.value(node, frame, path)
        return True if found is TRUE else False if found is FALSE else None

    def held(self, held: Any, path: Path) -> Part:
        """What a slot stands for."""
        if type(held) is Chosen:
            return path.chosen.get(held, ANY)
        if type(held) is not Later:
            return held
        if held.stamp != path.stamp:
            held.value, held.stamp = self.value(held.expression, held.frame, path), path.stamp
        return held.value

    def bindings(self, bounds: tuple[nodes.Bound, ...], frame: Frame, path: Path) -> Iterator[Frame] | None:
        """A frame for each way to choose bound names; None if it is not known what they are chosen from."""
        choices: list[list[dict[int, Part]]] = []
        for bound in bounds:
            domain: Part = ANY if bound.domain is None else self.value(bound.domain, frame, path)
            if type(domain) is Unknown or not is_set(domain) or not is_enumerable(domain):
                return None
            elements = tuple(enumerate_set(domain))
            if bound.is_tuple:
                choices.append([dict(zip(bound.slots, each, strict=True)) for each in elements])  # type: ignore[arg-type]
            else:
                choices += [[{slot: each} for each in elements] for slot in bound.slots]
        return (
            frame.bound({key: value for one in chosen for key, value in one.items()}) for chosen in product(*choices)
        )

    def called(self, node: nodes.Call | nodes.CallLocal, frame: Frame) -> tuple[Expression | None, Frame]:
        """The body of what is called, and its frame."""
        if isinstance(node, nodes.Call):
            meant: Any = node.definition
            around = frame.up(node.depth) if node.definition.nested else None
        else:
            function = frame.up(node.depth).slots[node.slot]
            assert isinstance(function, Function)
            meant, around = function.meant, function.around
        assert not isinstance(meant, nodes.PrimitiveOperator)
        slots = {slot: self.argument(each, frame) for slot, each in enumerate(node.args)}
        return meant.body, Frame(slots, around)

    def argument(self, node: nodes.Argument, frame: Frame) -> Any:
        match node:
            case nodes.OperatorArgument(definition, depth):
                return Function(definition, frame.up(depth) if definition.nested else None)
            case nodes.LocalOperator(depth, slot):
                return frame.up(depth).slots[slot]
            case nodes.PrimitiveOperator():
                return Function(node, None)
            case nodes.Literal(value):
                return value
            case _:
                return Later(node, frame)

    def let(self, node: nodes.Let, frame: Frame) -> Frame:
        slots = dict(frame.slots)
        inner = Frame(slots, frame.parent)
        for slot, value in zip(node.slots, node.values, strict=True):
            slots[slot] = Later(value, inner)
        return inner
