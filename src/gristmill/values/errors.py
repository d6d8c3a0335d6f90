"""What goes wrong when an expression is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_LONGEST = 400  # characters of one value in a message; the whole value stays in `values`


class EvaluationError(Exception):
    """The specification asks for something that has no value.

    `id` is stable and kebab-case. The message is a template and the values that stand in it, rendered when it
    reads it: an error that the specification itself catches costs no printing.
    """

    def __init__(self, id: str, template: str, **values: object) -> None:
        super().__init__(id, template)
        self.id = id
        self.template = template
        self.values = values

    @property
    def message(self) -> str:
        return self.template.format(**{name: _shorten(_render(value)) for name, value in self.values.items()})

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.id, self.template, self.values)


def _rebuild(id: str, template: str, values: dict[str, object]) -> EvaluationError:
    return EvaluationError(id, template, **values)


def _shorten(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} … {text[-half:]}"


_render: Callable[[Any], str] = repr


def render_values_with(render: Callable[[Any], str]) -> None:
    """Printing needs the order of values, whose errors print values: `show` enters the circle here."""
    global _render
    _render = render
