"""Whether what has come is something that the model enables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from gristmill.replay.driver import Arrival
from gristmill.replay.mapping.parts import ActionMap, Move
from gristmill.replay.mapping.parts import Mapping as SystemMapping
from gristmill.replay.mapping.reading import node_name
from gristmill.replay.steps import action_text
from gristmill.source import SourceError
from gristmill.specification import State, Transition
from gristmill.systems.formulas import WRONG_VALUE

Chain: TypeAlias = tuple[Move, ...]  # moves that have the next one among theirs, and at the end one that lets go


class Lawful:
    """Judges actors that are held: some action that begins where they are must be possible in the model.

    Each is judged once, in the state in which it is first seen: it stays there, and what it is to do comes later.
    """

    def __init__(self, mapping: SystemMapping) -> None:
        self.mapping = mapping
        self._seen: set[int] = set()
        self._begins: dict[str, list[tuple[ActionMap, Chain]]] = {}
        for action in mapping.actions.values():
            for chain in self._releases(action.moves):
                self._begins.setdefault(chain[-1].name, []).append((action, chain))
        self._waiting = {point.name for point in mapping.points if point.options.get("waits") is True}
        self._enabled: tuple[State, list[Transition]] | None = None

    def _releases(self, moves: Sequence[Move]) -> Iterator[Chain]:
        """Where actors are let go, also by moves that several actions share."""
        for move in moves:
            if move.kind == "release" and not move.all and not move.until:
                yield (move,)
            elif move.kind == "do":
                yield from ((move, *chain) for chain in self._releases(self.mapping.moves[move.name]))

    def forget(self) -> None:
        self._seen.clear()
        self._enabled = None

    def begin(self, held: Iterable[Arrival], state: State) -> None:
        """Of those that are held in the initial state, some may be too early: they are judged after the first step."""
        self.forget()
        for arrival in held:
            if self.problem(arrival, state) is not None:
                self._seen.discard(arrival.number)

    def problem(self, arrival: Arrival, state: State) -> str | None:
        """Why this should not have come; None if it may."""
        if arrival.number in self._seen or arrival.point in self._waiting:
            return None
        self._seen.add(arrival.number)
        begins = self._begins.get(arrival.point, [])
        meant: list[str] = []
        for action, chain in begins:
            for parameters in self._parameters(action, chain, arrival, state):
                if self._possible(action, parameters, state) or self._may_wait(action, parameters, state):
                    return None
                with self.mapping.specification.world.active():
                    meant.append(action_text(action.name, parameters))
        if not begins:
            return "no action of the mapping begins there"
        if not meant:
            return "no action of the mapping is meant for it"
        return f"the model does not enable {' or '.join(dict.fromkeys(meant))}"

    def _parameters(self, action: ActionMap, chain: Chain, arrival: Arrival, state: State) -> Iterator[dict[str, Any]]:
        """Parameters of the action for which the move is about this actor."""
        domains = [self._values(action, name, arrival, chain) for name in action.parameters]
        for values in product(*domains):
            parameters = dict(zip(action.parameters, values, strict=True))
            if any(self._is_about(chain[-1], arrival, state, names) for names in self._names(chain, state, parameters)):
                yield parameters

    def _values(self, action: ActionMap, name: str, arrival: Arrival, chain: Chain) -> list[Any]:
        on = chain[0].on if len(chain) == 1 else None
        if on is not None and on.text == name:
            return [self.mapping.node_values[arrival.node]]
        for each in self.mapping.specification.actions:
            if each.name == action.name:
                for parameter in each.parameters:
                    if parameter.name == name and parameter.values is not None:
                        return list(parameter.values)
        return list(self.mapping.node_values.values())

    def _names(self, chain: Chain, state: State, names: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """What the last move of a chain may speak of: elements of `for`, and what shared moves are given."""
        move, *rest = chain
        for element in [{}] if move.each is None else self._elements(move, state, names):
            own = {**names, **element}
            if not rest:
                yield own
                continue
            try:
                given = {name: each.value(state, own, raw=True) for name, each in move.details.items()}
            except SourceError:
                continue
            yield from self._names(tuple(rest), state, given)

    def _elements(self, move: Move, state: State, names: Mapping[str, Any]) -> list[dict[str, Any]]:
        assert move.each is not None
        try:
            found = move.each[1].elements(state, names, "`for`")
        except SourceError as error:
            if any(each.id == WRONG_VALUE for each in error.diagnostics):  # whatever the state is
                raise
            return []
        return [{move.each[0]: each} for each in found]

    def _is_about(self, move: Move, arrival: Arrival, state: State, names: Mapping[str, Any]) -> bool:
        bound = {**names, **arrival.bindings, "node": self.mapping.node_values[arrival.node]}
        try:
            if move.on is not None:
                value = move.on.value(state, names, raw=True)
                with self.mapping.specification.world.active():
                    if node_name(value) != arrival.node:
                        return False
            return move.where is None or move.where.value(state, bound) is True
        except SourceError:
            return False

    def _possible(self, action: ActionMap, parameters: Mapping[str, Any], state: State) -> bool:
        if self._enabled is None or self._enabled[0] != state:
            self._enabled = state, self.mapping.specification.steps(state)
        return any(
            step.action == action.name and dict(step.raw_parameters) == dict(parameters) for step in self._enabled[1]
        )

    def _may_wait(self, action: ActionMap, parameters: Mapping[str, Any], state: State) -> bool:
        if action.early is None:
            return False
        try:
            return action.early.value(state, parameters) is True
        except SourceError:
            return False
