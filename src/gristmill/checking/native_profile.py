"""What was compiled, what was left to the reference evaluator, and what that cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.checking.run import parts_of
from gristmill.ir.model import Model
from gristmill.native.emit.generate import Generated
from gristmill.native.plan.printing import ByPython
from gristmill.native.run.engine import Engine
from gristmill.search.profile import Costs, Kind, Part

_SORTS: dict[Kind, str] = {"initial": "initial", "action": "action"}  # as `Generated.left` has them; else "predicate"


def native_parts(model: Model, engines: Sequence[Engine]) -> Iterator[Part]:
    """`engines`: the last one, and those before it whose layout did not fit for long."""
    generated = engines[-1].generated
    asked = Costs()
    for engine in engines:
        asked.include(engine.asked)
    for kind, names in parts_of(model):
        for name in names:
            reason = _reason(generated, kind, name)
            if kind == "initial" and reason is None and not engines[-1].has_initial:
                reason = "native code gave up"
            yield asked.part((kind, name), reason is None, reason)
    for name, operator in {str(each): each for each in generated.primitives}.items():
        yield asked.part(("operator", name), False, _why_in_python(operator))
    if ("state", "") in asked.calls:
        yield asked.part(("state", ""), False, "native code gave up, or failed")


def _why_in_python(operator: ByPython) -> str:
    has_effects = operator.repetition != "none"
    return "it has effects, or depends on the search" if has_effects else "it is implemented in Python"


def _reason(generated: Generated, kind: Kind, name: str) -> str | None:
    sort = _SORTS.get(kind, "predicate")
    return next(
        (why for left, other, why in generated.left if left == sort and (other == name or kind == "initial")), None
    )
