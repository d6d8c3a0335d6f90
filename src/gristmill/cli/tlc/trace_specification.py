"""A counterexample as a specification: a module whose only behaviour is the trace, with a configuration inside.

Checking it finds the same again, which is soon done; formulas can be added to its ALIAS and evaluated at every state.
"""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.modules.choices import Choices
from gristmill.repl.model_values import model_values_in
from gristmill.search.verdict import Verdict
from gristmill.trace import Trace
from gristmill.values import show

_LAST = "Len(_TETrace)"
_END = "=" * 77


def trace_specification(name: str, root: str, trace: Trace, verdict: Verdict, choices: Choices) -> str:
    """`name`: of the module; `root`: of the specification; `choices`: its configuration."""
    with trace.world.active():
        return "\n".join(_Writer(name, root, trace, verdict, choices).lines()) + "\n"


class _Writer:
    def __init__(self, name: str, root: str, trace: Trace, verdict: Verdict, choices: Choices) -> None:
        self.name, self.root, self.trace, self.verdict, self.choices = name, root, trace, verdict, choices
        self.is_infinite = trace.stuttering or trace.loop_start is not None

    def lines(self) -> Iterator[str]:
        yield f"---- MODULE {self.name} ----"
        yield f"EXTENDS {self.root}, Sequences, Naturals, TLC"
        if names := self._model_values():
            yield f"CONSTANTS {', '.join(names)}"
        yield ""
        yield from self._states()
        yield from self._behaviour()
        yield from self._claim()
        yield "\\* Add fields to see more than the variables, at each state of the trace."
        yield "_expression == [" + ", ".join(f"{name} |-> {name}" for name in self.trace.variables) + "]"
        yield _END
        yield ""
        yield f"---- CONFIG {self.name} ----"
        yield from self._configuration()
        yield _END

    def _states(self) -> Iterator[str]:
        states = [", ".join(f"{n} |-> {show(v)}" for n, v in step.state.items()) for step in self.trace]
        yield "_TETrace == <<\n    " + ",\n    ".join(f"[{each}]" for each in states) + "\n>>\n"

    def _behaviour(self) -> Iterator[str]:
        names = self.trace.variables
        yield "_init ==\n" + "\n".join(f"    /\\ {name} = _TETrace[1].{name}" for name in names) + "\n"
        level = "" if self.is_infinite else '\n    /\\ i = TLCGet("level")'
        edge = "j = i + 1"
        if self.trace.loop_start is not None:
            edge = f"(j = i + 1 \\/ (i = {_LAST} /\\ j = {self.trace.loop_start + 1}))"
        yield f"_next == \\E i, j \\in DOMAIN _TETrace :\n    /\\ {edge}{level}"
        yield "\n".join(f"    /\\ {n} = _TETrace[i].{n} /\\ {n}' = _TETrace[j].{n}" for n in names) + "\n"
        yield "_spec == _init /\\ [][_next]_<<" + ", ".join(names) + ">>" + self._fairness() + "\n"
        yield "_view == <<" + ", ".join(names) + ', TLCGet("level")>>\n'

    def _fairness(self) -> str:
        if not self.is_infinite or self.trace.stuttering:
            return ""
        names = ", ".join(self.trace.variables)
        return f" /\\ WF_<<{names}>>(_next)"

    def _claim(self) -> Iterator[str]:
        last = self._is(_LAST)
        if self.trace.stuttering:
            yield f"_prop == ~<>[]({last})\n"
        elif self.trace.loop_start is not None:
            yield f"_prop == ~([]<>({last}) /\\ []<>({self._is(str(self.trace.loop_start + 1))}))\n"
        else:
            yield f'_inv == ~(TLCGet("level") = {_LAST} /\\ {last})\n'

    def _is(self, number: str) -> str:
        return " /\\ ".join(f"{name} = _TETrace[{number}].{name}" for name in self.trace.variables)

    def _configuration(self) -> Iterator[str]:
        yield from self._constants()
        yield "SPECIFICATION _spec"
        if self.is_infinite:
            yield "PROPERTY _prop"
        elif self.verdict != "deadlock":
            yield "INVARIANT _inv"
        yield f"CHECK_DEADLOCK {'TRUE' if self.verdict == 'deadlock' else 'FALSE'}"
        if not self.is_infinite and self._repeats():
            yield "VIEW _view"
        yield "ALIAS _expression"

    def _repeats(self) -> bool:
        states = [tuple(step.state.values()) for step in self.trace]
        return any(each in states[:number] for number, each in enumerate(states))

    def _constants(self) -> Iterator[str]:
        lines = [
            f"{name} = {show(value)}" if module is None else f"{name} = [{module}]{show(value)}"
            for (module, name), value in self.choices.constants.items()
        ]
        lines += [
            f"{name} <- {other}" if module is None else f"{name} <- [{module}]{other}"
            for (module, name), other in self.choices.replacements.items()
        ]
        lines += [f"{name} = {name}" for name in self._model_values()]
        if lines:
            yield "CONSTANTS\n" + "\n".join(f"    {line}" for line in lines)

    def _model_values(self) -> list[str]:
        """Names of model values that are not constants of the specification themselves."""
        own = {name for _, name in self.choices.constants}
        found: dict[str, None] = {}
        for value in self.choices.constants.values():
            found.update(dict.fromkeys(model_values_in(value)))
        for step in self.trace:
            for value in step.state.values():
                found.update(dict.fromkeys(model_values_in(value)))
        return [name for name in found if name not in own]
