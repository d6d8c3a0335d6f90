"""Formulas one after another, as far as they are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gristmill.native.emit.emitter import Emitter


def sequence(emitter: Emitter, items: Sequence[Callable[[], str]], stop_at: bool) -> str:
    """A conjunction (stops at false) or disjunction (stops at true), evaluated from left to right as far as needed."""
    joint, going_on = ("||", "!") if stop_at else ("&&", "")
    passing, stopping = ("false", "true") if stop_at else ("true", "false")
    is_over = False
    parts: list[str] = []
    result: str | None = None
    for item in items:
        if is_over:
            break
        with emitter.aside() as lines:
            emitter.depth += 1
            text = item()
            emitter.depth -= 1
        is_over = text == stopping
        if not lines:
            if text != passing:
                parts.append(text)
            continue
        if result is None:
            if not parts:  # nothing to be skipped yet
                emitter.lines += lines
                parts.append(text)
                continue
            result = emitter.keep(f"{f' {joint} '.join(parts)}", "bool")
        elif parts:
            emitter.put(f"if ({going_on}{result}) {result} = {f' {joint} '.join(parts)};")
        parts = []
        with emitter.block(f"if ({going_on}{result})"):
            emitter.lines += lines
            emitter.put(f"{result} = {text};")
    if result is None:
        if len(parts) < 2:
            return parts[0] if parts else passing
        return f"({f' {joint} '.join(parts)})"
    if parts:
        emitter.put(f"if ({going_on}{result}) {result} = {f' {joint} '.join(parts)};")
    return result
