"""The modules Sequences and FiniteSets."""

from __future__ import annotations

from collections.abc import Callable

from gristmill.library.arguments import truth
from gristmill.library.registry import primitive
from gristmill.values import (
    EvaluationError,
    SequenceSet,
    Value,
    append,
    cardinality,
    concat,
    head,
    is_finite,
    is_set,
    kind,
    length,
    select_seq,
    subseq,
    tail,
)

primitive("Sequences!Len", cheap=True)(length)
primitive("Sequences!\\o", cheap=True)(concat)
primitive("Sequences!Append", cheap=True)(append)
primitive("Sequences!Head", cheap=True)(head)
primitive("Sequences!Tail", cheap=True)(tail)
primitive("Sequences!SubSeq", cheap=True)(subseq)
primitive("FiniteSets!Cardinality")(cardinality)
primitive("FiniteSets!IsFiniteSet", boolean=True)(is_finite)


@primitive("Sequences!Seq", cheap=True)
def seq(base: Value) -> Value:
    if not is_set(base):
        raise EvaluationError("not-a-set", f"Seq needs a set, not {kind(base)}: {{value}}", value=base)
    return SequenceSet(base)


@primitive("Sequences!SelectSeq")
def select(sequence: Value, test: Callable[[Value], Value]) -> Value:
    return select_seq(sequence, lambda value: truth(test(value)))
