"""Sets given by a filter, without listing them."""

from __future__ import annotations

from gristmill.evaluate.dependencies import unfinished_slots
from gristmill.ir.nodes import Call, Expression, SetFilter
from gristmill.native.emit.emitter import Emitter
from gristmill.native.emit.scope import Scope


def selection(emitter: Emitter, domain: Expression | None, once: bool = False) -> tuple[SetFilter, Scope] | None:
    """`{y \\in S : P(y)}`, also where a definition stands for that: the filter, and the frame it needs.

    `once`: it is needed once, and had better not be listed even if it is always the same.
    """
    if domain is None or emitter.fold(domain) is not None:
        return None
    if emitter.program.constants.is_lasting(domain) and not once:
        return None
    if isinstance(domain, SetFilter):
        return domain, emitter.scope
    if not isinstance(domain, Call) or domain.args or domain.definition.nested or domain.definition.recursive:
        return None
    body = domain.definition.body
    if not isinstance(body, SetFilter):
        return None
    emitter.watch(domain)
    frame, size = emitter.fresh("g"), domain.definition.frame_size
    emitter.put(f"V {frame}[{size + 1}];")
    emitter.put(f"{frame}[0] = 0;")
    return body, Scope(frame, size, unfinished_slots(body, 0))
