"""The modules Sequences and FiniteSets."""

from __future__ import annotations

from collections.abc import Callable

from gristmill.library.arguments import truth
from gristmill.library.declaration import ALIKE, EMITTED, Form, Operator
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

Operator("Sequences", "Len", effects=NONE, equivariance=ALIKE, c="gm_length", cheap=True)(length)
Operator("Sequences", "\\o", effects=NONE, equivariance=ALIKE, c="gm_concat", form=Form.CONCATENATE, cheap=True)(concat)
Operator("Sequences", "Append", effects=NONE, equivariance=ALIKE, c="gm_append", cheap=True)(append)
Operator("Sequences", "Head", effects=NONE, equivariance=ALIKE, c="gm_head", cheap=True)(head)
Operator("Sequences", "Tail", effects=NONE, equivariance=ALIKE, c="gm_tail", cheap=True)(tail)
Operator("Sequences", "SubSeq", effects=NONE, equivariance=ALIKE, c="gm_subseq", cheap=True)(subseq)
Operator("FiniteSets", "Cardinality", effects=NONE, equivariance=ALIKE, c="gm_cardinality")(cardinality)
Operator("FiniteSets", "IsFiniteSet", effects=NONE, equivariance=ALIKE, c="gm_is_finite", boolean=True)(is_finite)


@Operator("Sequences", "Seq", effects=NONE, equivariance=ALIKE, c="gm_sequences", cheap=True)
def seq(base: Value) -> Value:
    if not is_set(base):
        raise EvaluationError("not-a-set", f"Seq needs a set, not {kind(base)}: {{value}}", value=base)
    return SequenceSet(base)


@Operator("Sequences", "SelectSeq", effects=NONE, equivariance=ALIKE, c=EMITTED, form=Form.SELECT, strict="all")
def select(sequence: Value, test: Callable[[Value], Value]) -> Value:
    return select_seq(sequence, lambda value: truth(test(value)))
