"""States of a specification in a session: `:states`, `:step`, `:back`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.repl.session import Session
from gristmill.specification import Specification, State, Transition
from gristmill.values import show

Write = Callable[[str], None]
_MOST = 40  # states or steps that are listed
NO_SPECIFICATION = "there is no specification to take states of; :load FILE.tla reads one"


@dataclass(slots=True)
class Steps:
    """Where a session is in the behaviours of its specification. Expressions are evaluated in the state it is in."""

    session: Session
    open: Callable[[], Specification]
    write: Write
    _opened: tuple[Any, Specification] | None = None
    _path: list[State] = field(default_factory=list)

    def commands(self) -> dict[str, Callable[[str], None]]:
        return {":states": self.states, ":step": self.step, ":back": self.back}

    def states(self, argument: str) -> None:
        """The initial states, or the one of a number, which is where the session is then."""
        specification = self._specification()
        if specification is None:
            return
        found = specification.initial()
        if not argument:
            self._list([_shown(state) for state in found], "initial state")
        elif (chosen := _chosen(argument, found)) is None:
            self.write(f"there is no initial state number {argument}; :states lists them")
        else:
            self._go([chosen])

    def step(self, argument: str) -> None:
        """The steps that are possible here, or the one of a number or an action."""
        specification = self._specification()
        if specification is None or not self._begin(specification):
            return
        here = self._path[-1]
        found = specification.steps(here)
        if not argument:
            self._list([_told(each, here) for each in found], "step")
            return
        named = [each for each in found if each.action == argument]
        chosen = named[0] if len(named) == 1 else _chosen(argument, found)
        if chosen is not None:
            self._go([*self._path, chosen.state])
        elif named:
            self.write(f"{len(named)} steps are by {argument}; choose one by its number")
        else:
            self.write(f"there is no step {argument} from here; :step lists what is possible")

    def back(self, argument: str) -> None:
        if len(self._path) < 2:
            self.write("there is no state before this one")
        else:
            self._go(self._path[:-1])

    # ---------------------------------------------------------------------------------------------------- where it is

    def _specification(self) -> Specification | None:
        """Opened once, and again when another file is loaded."""
        session = self.session
        if session.specification is None:
            self.write(NO_SPECIFICATION)
            return None
        now = session.specification, session.config
        if self._opened is None or self._opened[0] != now:
            self.close()
            self._opened = now, self.open()
        return self._opened[1]

    def _begin(self, specification: Specification) -> bool:
        if not self._path and (initial := specification.initial()):
            self._path = [initial[0]]
            self.session.state = initial[0].raw
        if not self._path:
            self.write("the specification has no initial state")
        return bool(self._path)

    def _go(self, path: list[State]) -> None:
        self._path = path
        self.session.state = path[-1].raw
        self.write(_shown(path[-1]))

    def _list(self, lines: Sequence[str], what: str) -> None:
        if not lines:
            self.write(f"no {what}")
        for number, line in enumerate(lines[:_MOST], 1):
            self.write(f"{number}  {line}")
        if len(lines) > _MOST:
            self.write(f"… {len(lines) - _MOST:,} more; a number chooses any of them")

    def close(self) -> None:
        if self._opened is not None:
            self._opened[1].close()
        self._opened = None
        self._path = []
        self.session.state = None


def _chosen(argument: str, found: Sequence[Any]) -> Any:
    number = int(argument) if argument.isdecimal() else 0
    return found[number - 1] if 1 <= number <= len(found) else None


def _shown(state: State) -> str:
    return str(state)[len("<State ") : -1]


def _told(step: Transition, before: State) -> str:
    """The action with its parameters, and what changes."""
    with step.state.world.active():
        given = ", ".join(show(value) for _, value in step.raw_parameters)
        raw, old = step.state.raw, before.raw
        changed = [f"{name} = {show(raw[name])}" for name in raw if raw[name] != old[name]]
    action = f"{step.action}({given})" if given else step.action
    return f"{action}  {', '.join(changed) or 'nothing changes'}"
