"""The modules Sequences and FiniteSets."""

from __future__ import annotations

from collections.abc import Callable

from gristmill.library.arguments import truth
from gristmill.library.declaration import ALIKE, EMITTED, Form, operator
from gristmill.library.effects import NONE
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

operator("Sequences", "Len", effects=NONE, equivariance=ALIKE, c="gm_length", cheap=True)(length)
operator("Sequences", "\\o", effects=NONE, equivariance=ALIKE, c="gm_concat", cheap=True)(concat)
operator("Sequences", "Append", effects=NONE, equivariance=ALIKE, c="gm_append", cheap=True)(append)
operator("Sequences", "Head", effects=NONE, equivariance=ALIKE, c="gm_head", cheap=True)(head)
operator("Sequences", "Tail", effects=NONE, equivariance=ALIKE, c="gm_tail", cheap=True)(tail)
operator("Sequences", "SubSeq", effects=NONE, equivariance=ALIKE, c="gm_subseq", cheap=True)(subseq)
operator("FiniteSets", "Cardinality", effects=NONE, equivariance=ALIKE, c="gm_cardinality")(cardinality)
operator("FiniteSets", "IsFiniteSet", effects=NONE, equivariance=ALIKE, c="gm_is_finite", boolean=True)(is_finite)


@operator("Sequences", "Seq", effects=NONE, equivariance=ALIKE, c="gm_sequences", cheap=True)
def seq(base: Value) -> Value:
    if not is_set(base):
        raise EvaluationError("not-a-set", f"Seq needs a set, not {kind(base)}: {{value}}", value=base)
    return SequenceSet(base)


@operator("Sequences", "SelectSeq", effects=NONE, equivariance=ALIKE, c=EMITTED, form=Form.SELECT, strict="all")
def select(sequence: Value, test: Callable[[Value], Value]) -> Value:
    return select_seq(sequence, lambda value: truth(test(value)))
