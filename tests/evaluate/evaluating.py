"""Specifications and expressions from text, evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gristmill.evaluate import Context, Evaluator, State
from gristmill.ir.assemble import assemble
from gristmill.ir.model import Model
from gristmill.modules.api import load_specification
from gristmill.modules.choices import Choices
from gristmill.source import SourceFile
from gristmill.source.stack import with_deep_stack
from gristmill.values import Value

MODULES = "Integers, Sequences, FiniteSets, TLC"


def model(text: str, **choices: Any) -> Model:
    """The model of a module, of which only the body is given."""
    source = SourceFile("Test.tla", f"---- MODULE Test ----\n{text}\n====\n")
    loaded = load_specification(source)
    assert loaded.specification is not None, [str(d) for d in loaded.diagnostics]
    return assemble(loaded.specification, Choices(**choices))


def value(expression: str, definitions: str = "", modules: str = MODULES, context: Context | None = None) -> Value:
    """The value of a constant expression."""
    found = model(f"EXTENDS {modules}\n{definitions}\nASSUME {expression}")
    evaluator = Evaluator((), context or Context(()))
    return with_deep_stack(evaluator.value(found.assumptions[-1].code))


class Run:
    """A specification explored breadth first."""

    def __init__(self, body: str, variables: str = "x, y", modules: str = MODULES, **context: Any) -> None:
        self.model = model(f"EXTENDS {modules}\nVARIABLES {variables}\n{body}", init="Init", next="Next")
        names = self.model.variables
        self.evaluator = Evaluator(names, Context(names, **context))
        assert self.model.init is not None
        self.initial_states: Callable[[], list[State]] = self.evaluator.initial_states(self.model.init)
        self.actions = [self.evaluator.successors(action.code) for action in self.model.actions]

    def successors(self, state: State) -> list[State]:
        return [successor for action in self.actions for successor in action(state)]

    def explore(self, most: int = 1000) -> tuple[int, int]:
        """The numbers of states generated and of distinct ones."""
        waiting = self.initial_states()
        generated = len(waiting)
        seen = dict.fromkeys(waiting)
        waiting = list(seen)
        while waiting and len(seen) <= most:
            found = self.successors(waiting.pop(0))
            generated += len(found)
            for state in found:
                if state not in seen:
                    seen[state] = None
                    waiting.append(state)
        return generated, len(seen)


def counts(body: str, **options: Any) -> tuple[int, int]:
    return with_deep_stack(lambda: Run(body, **options).explore())
