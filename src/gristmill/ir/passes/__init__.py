"""Passes over the intermediate representation, one a file, with one function of its name.

`PASSES` is what is done to every model, in order. What comes of it is what the reference evaluator evaluates, explains
and counts, so it still has all that a user wrote, where it was written. (`dependencies` changes nothing; it is asked.)

`NATIVE_PASSES` is the optimiser, for the model that native code is generated from. It is not for the reference
evaluator: that says why a formula is false, how often its parts were evaluated and where an evaluation failed, in terms
of the text. Native code says none of this. What fails there is evaluated again, by the reference evaluator and as it
was lowered; so a pass may change which error is met first, but never whether there is one where a formula is decided,
nor how many steps there are, their order and what they are called. Formulas stay in number and order: branches,
invariants and so on are the same for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from gristmill.ir.model import Model
from gristmill.ir.passes.facts import Facts, NativeFacts
from gristmill.ir.passes.fold_constants import fold_constants
from gristmill.ir.passes.hoist_guards import hoist_guards
from gristmill.ir.passes.inline_calls import inline_calls
from gristmill.ir.passes.merge_records import merge_records
from gristmill.ir.passes.share_subexpressions import share_subexpressions
from gristmill.ir.passes.sink_lets import sink_lets
from gristmill.ir.passes.specialise_calls import specialise_calls
from gristmill.ir.passes.split_next import split_next
from gristmill.ir.passes.unroll_quantifiers import unroll_quantifiers

Pass = Callable[[Model, Facts], Model]
NativePass = Callable[[Model, NativeFacts], Model]
Observe = Callable[[str, Model], None]  # is given the name of the pass
F = TypeVar("F", bound=Facts)

PASSES: Final[tuple[Pass, ...]] = (split_next,)

NATIVE_PASSES: Final[tuple[NativePass, ...]] = (
    fold_constants,
    inline_calls,
    merge_records,
    sink_lets,
    hoist_guards,
    specialise_calls,
    unroll_quantifiers,
    share_subexpressions,
)


def _nobody(name: str, model: Model) -> None:
    pass


def optimised(model: Model, facts: Facts, after: Observe = _nobody) -> Model:
    """A model after `PASSES`. `after` is shown what was lowered, and what each pass makes of it, by name."""
    after("lowered", model)
    return _through(PASSES, model, facts, after)


def optimised_for_native(model: Model, facts: NativeFacts, after: Observe = _nobody) -> Model:
    """A model after `NATIVE_PASSES`, for those who generate native code."""
    return _through(NATIVE_PASSES, model, facts, after)


def _through(passes: Sequence[Callable[[Model, F], Model]], model: Model, facts: F, after: Observe) -> Model:
    for each in passes:
        model = each(model, facts)
        after(each.__name__, model)
    return model


__all__ = [
    "NATIVE_PASSES",
    "PASSES",
    "Facts",
    "NativeFacts",
    "NativePass",
    "Pass",
    "optimised",
    "optimised_for_native",
]
