"""A state predicate, conjunct by conjunct, also through definitions without parameters."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.ir.nodes import And, Call, Code


def conjuncts(code: Code) -> Iterator[Code]:
    match code.body:
        case And(items):
            for item in items:
                yield from conjuncts(Code(item, code.frame_size, code.name, item.span))
        case Call(definition, ()) if not definition.nested and not definition.recursive and definition.body is not None:
            yield from conjuncts(Code(definition.body, definition.frame_size, code.name, definition.span))
        case _:
            yield code
