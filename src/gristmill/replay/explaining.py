"""`--explain`: what a mapping says, with every point resolved, and nothing run."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.replay.driver import Driver, Resolved
from gristmill.replay.mapping.parts import ActionMap, Mapping, Move
from gristmill.source import Diagnostic


def explain(mapping: Mapping, driver: Driver) -> tuple[str, list[Diagnostic]]:
    """The text, and what is wrong with points."""
    resolved = {each.point: each for each in driver.points()}
    lines = [*_system(mapping), *_points(mapping, resolved), *_actions(mapping), *_moves(mapping), *_variables(mapping)]
    spans = {point.name: point.span for point in mapping.points}
    problems = [
        Diagnostic("unresolved-point", f"point `{each.point}`: {each.problem}", spans.get(each.point), help=each.help)
        for each in resolved.values()
        if each.problem is not None
    ]
    return "\n".join(lines) + "\n", problems


def _system(mapping: Mapping) -> Iterator[str]:
    yield f"{mapping.name}, driven through {mapping.driver}; nodes {', '.join(mapping.nodes)}"
    yield f"specification {mapping.specification.name}"


def _points(mapping: Mapping, resolved: dict[str, Resolved]) -> Iterator[str]:
    yield ""
    yield "Points"
    for point in mapping.points:
        found = resolved.get(point.name)
        tells = " (only tells)" if point.tells else ""
        yield f"  {point.name}{tells}: {point.at}"
        if found is not None:
            yield from (f"      {place}" for place in found.places)
            if found.problem is not None:
                yield f"      not found: {found.problem}"


def _actions(mapping: Mapping) -> Iterator[str]:
    yield ""
    yield "Actions"
    names = dict.fromkeys(each.name for each in mapping.specification.actions)
    for name in names:
        action = mapping.actions.get(name)
        if action is None:
            yield f"  {name}: not mapped; a trace with it cannot be replayed"
            continue
        yield f"  {_head(action)}"
        yield from (f"      {move_text(move)}" for move in action.moves)


def _moves(mapping: Mapping) -> Iterator[str]:
    for name, moves in mapping.moves.items():
        yield ""
        yield f"Moves: {name}"
        yield from (f"      {move_text(move)}" for move in moves)


def _head(action: ActionMap) -> str:
    return f"{action.name}({', '.join(action.parameters)})" if action.parameters else action.name


def move_text(move: Move) -> str:
    end = f"until {' or '.join(move.to)}" if move.to else "until all is quiet"
    end = f"whoever comes there, until somebody is at {move.until}" if move.until else "all" if move.all else end
    text = {
        "release": f"release at {move.name}, {end}",
        "await": f"wait for {move.name}",
        "fault": f"fault: {move.name}",
        "call": f"call {move.name}",
        "open": f"let pass {', '.join(move.points)}",
        "hold": f"hold {', '.join(move.points)}",
        "settle": "wait until all is quiet",
        "do": f"do {move.name}, with {', '.join(f'{name} = {each.text}' for name, each in move.details.items())}",
    }[move.kind]
    text = f"on {move.on.text}: {text}" if move.on is not None else text
    text += f", where {move.where.text}" if move.where is not None else ""
    text += "".join(f", set {path} to {each.text}" for path, each in move.changes.items())
    text += f"; for every {move.each[0]} of {move.each[1].text}" if move.each is not None else ""
    text += f"; {move.repeat.text} times" if move.repeat is not None else ""
    return text + (f"; if {move.condition.text}" if move.condition is not None else "")


def _variables(mapping: Mapping) -> Iterator[str]:
    yield ""
    yield "Variables"
    for variable in mapping.variables.values():
        if variable.value is None:
            yield f"  {variable.name}: not observed ({variable.unobserved})"
            continue
        each = f" of each node {variable.per}" if variable.per else ""
        yield f"  {variable.name}{each}: {variable.value.text}"
        for name in variable.readings:
            how = mapping.readings[name].how
            yield f"      {name}: {', '.join(f'{key} {value}' for key, value in how.items())}"
