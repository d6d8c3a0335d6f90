"""Expressions of a module, each evaluated on its own by native code and by the reference evaluator."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gristmill.building import build
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.nodes import Code
from gristmill.modules.choices import Choices
from gristmill.native.codec import decode, encode_several
from gristmill.native.emit.emitter import Mode
from gristmill.native.emit.generate import Generated, Generator
from gristmill.native.errors import NoNativeFormError, Unsupported
from gristmill.native.plan.layout import Layout
from gristmill.native.run.compiled import compile_text
from gristmill.native.run.engine import Engine
from gristmill.reference.model import SpecificationModel
from gristmill.search import State
from gristmill.values import EvaluationError, Value, is_enumerable, is_set, normalize

_ENTRY = """
#include <setjmp.h>

/* The size of the encoded value in `out`, or a gm_failure, negative. */
long long evaluate_one(gm_engine *e, unsigned number, const uint8_t *state, size_t size, uint8_t *out, size_t room) {
  gm_worker *w = gm_engine_worker(e);
  jmp_buf here;
  char *volatile top = w->scratch_top;
  w->recover = &here;
  w->stack_limit = gm_stack_limit();
  V *current = w->current, *next = w->next;
  long long answer;
  int why = setjmp(here);
  if (why == 0) {
    size_t at = 0;
    for (uint32_t i = 0; i < gm_generated.variables; i++) {
      size_t used = 0;
      V v = gm_decode(w, state + at, size - at, &used);
      at += used;
      gm_generated.explode[i](w, v, w->current + gm_generated.first_slot[i]);
    }
    uint32_t made_once = gm_generated.variables + gm_generated.remembered;
    for (uint32_t i = 0; i < made_once; i++) w->current[gm_generated.next_slots + i] = GM_UNSET;
    answer = (long long)gm_encode(w, gm_listed(w, expressions[number](w)), out, room);
  } else {
    answer = -why;
    if (why == GM_FULL) gm_grow(gm_engine_heap(e));
  }
  w->current = current;
  w->next = next;
  w->scratch_top = top;
  return answer;
}
"""
_FULL = 5
_LAZY = "lazy"


class ExpressionGenerator(Generator):
    """C for the invariants of a model as expressions of any type."""

    def expressions(self) -> tuple[Generated, list[bool]]:
        names = [
            self._attempt("expression", each.name, lambda code=each.code: self._expression(code))
            for each in self.model.invariants
        ]  # type: ignore[misc]
        self.model.invariants = ()
        generated = self.generate()
        table = f"static V (*const expressions[])(gm_worker *) = {{{', '.join(names)}}};\n"
        text = generated.text + table + _ENTRY
        return replace(generated, text=text), [name != "NULL" for name in names]

    def _expression(self, code: Code) -> str:
        emitter = self._emitter(code, Mode(False, frozenset()))
        result = emitter.value(code.body)
        name = self.program.name("expression")
        self._finish(emitter, f"static V {name}(gm_worker *w)", result)
        return name


@dataclass(frozen=True)
class Answer:
    """`value`: None if there is an error."""

    value: Value | None
    reason: str = ""


class Expressions:
    """`names` are operators of the module without parameters. Close it when done."""

    def __init__(self, text: str, config: str, names: Sequence[str], layouts: Any) -> None:
        built = build(text, config=config, change=lambda choices: _asking(choices, names))
        model = built.model
        self.codes = [each.code for each in model.invariants]
        self.evaluator = Evaluator(model.variables)
        found: tuple[Layout, ...] = layouts() if callable(layouts) else layouts
        widths = (4,) * sum(each.size for each in found)
        generator = ExpressionGenerator(model, found, widths, lambda code: self.evaluator.value(code)())
        self.generated, self.native = generator.expressions()
        searchable = SpecificationModel(model, self.evaluator)
        self.engine = Engine(self.generated, compile_text(self.generated.text, self.generated.cost), searchable)
        self._evaluate = self.engine.library.evaluate_one
        self._evaluate.restype = ctypes.c_longlong
        sizes, pointer = ctypes.c_size_t, ctypes.c_void_p
        self._evaluate.argtypes = (pointer, ctypes.c_uint32, ctypes.c_char_p, sizes, pointer, sizes)
        self._out = ctypes.create_string_buffer(1 << 20)
        self._references = [self.evaluator.state_function(code) for code in self.codes]

    def close(self) -> None:
        self.engine.close()

    def why_not(self, number: int) -> str:
        name = self.generated_names[number]
        return next((why for _, each, why in self.generated.left if each == name), "")

    @property
    def generated_names(self) -> list[str]:
        return [code.name for code in self.codes]

    def reference(self, number: int, state: State) -> Answer:
        try:
            return Answer(_listed(self._references[number](state)))
        except (EvaluationError, RecursionError) as error:
            return Answer(None, str(error))

    def natively(self, number: int, state: State) -> Answer:
        data = encode_several(state)
        size = -_FULL
        while size == -_FULL:
            size = self._evaluate(self.engine._engine, number, data, len(data), self._out, len(self._out))
        if size < 0:
            return Answer(None, f"failure {-size}")
        assert size <= len(self._out)
        try:
            return Answer(_listed(decode(self._out.raw[:size])))
        except EvaluationError as error:  # of a set that was not listed so far
            return Answer(None, str(error))


def _listed(value: Value) -> Value:
    """So that sets that are described can be compared with listed ones."""
    if is_set(value) and not is_enumerable(value):
        return _LAZY
    return normalize(value)


def _asking(choices: Choices, names: Sequence[str]) -> Choices:
    return replace(choices, invariants=tuple(names))


__all__ = ["Answer", "Expressions", "NoNativeFormError", "Unsupported"]
