"""An expression of a specification that is evaluated again and again, with names of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gristmill.repl.compiled import Compiled
from gristmill.values import Value, from_python, to_python

_WORD = re.compile(r"\w+")


def names_in(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that occur in a text: more than it speaks of, if they are also bound there or in strings."""
    words = set(_WORD.findall(text))
    return tuple(name for name in names if name in words)


class Expression:
    """Made by `Specification.expression`. `names`: those of its own names that it needs values of."""

    def __init__(
        self,
        text: str,
        names: tuple[str, ...],
        compiled: Compiled,
        run: Callable[[Callable[[], Any]], Any],
        given: Callable[[Mapping[str, Any] | None], dict[str, Value]],
    ) -> None:
        self.text, self.names = text, names
        self._compiled, self._run, self._given = compiled, run, given
        self._blank: dict[str, Value] = dict.fromkeys(compiled.variables, _NO_VALUE)
        self._templates: dict[tuple[str, ...], tuple[list[int | None], list[tuple[int, str]]]] = {}

    def __repr__(self) -> str:
        return f"<Expression {self.text}>"

    @property
    def is_constant(self) -> bool:
        """Whether it speaks neither of variables nor of its names."""
        return self._compiled.is_constant

    @property
    def reads(self) -> frozenset[str]:
        """The variables that it speaks of, and those of its names."""
        return self._compiled.reads

    def value(
        self, state: Mapping[str, Any] | None = None, names: Mapping[str, Any] | None = None, *, raw: bool = False
    ) -> Any:
        """Its value in a state, with these values of its names: a Python object, or with `raw` the TLA+ value.

        Without a state, or the value of a name, it must not depend on that. Raises `SourceError` where it has no value.
        """

        def evaluated() -> Any:
            values = self._given(state)
            for name in self.names:
                if names is not None and name in names:
                    values[name] = from_python(names[name])
            found = self._compiled.value({**self._blank, **values})
            return found if raw else to_python(found)

        return self._run(evaluated)

    def in_states(self, variables: Sequence[str], names: Mapping[str, Value]) -> Callable[[tuple[Value, ...]], Value]:
        """A function of the values of these variables, for searches: it does nothing that could be done before.

        Values are TLA+ values. To be called where the world of the specification is active, by one thread at a time.
        Raises `EvaluationError`.
        """
        template = self._templates.get(tuple(variables))
        if template is None:
            places = [variables.index(each) if each in variables else None for each in self._compiled.variables]
            own = [(at, name) for at, name in enumerate(self._compiled.variables) if name in self.names]
            template = self._templates[tuple(variables)] = places, own
        places, own = template
        constants = [_NO_VALUE] * len(places)
        for at, name in own:
            constants[at] = names.get(name, _NO_VALUE)
        in_state = self._compiled.in_state

        def value(state: tuple[Value, ...]) -> Value:
            return in_state(
                tuple([value if at is None else state[at] for at, value in zip(places, constants, strict=True)])
            )

        return value


class _NoValue:
    """In place of a value that was not given, as that of a variable without a state: what is done with it fails."""

    def __repr__(self) -> str:
        return "<no value>"


_NO_VALUE: Any = _NoValue()
