"""Dependency variables against their definition: two states that agree on D are alike to a module.

For states that agree on the dependency variables of a module and on nothing else, each action of the module must be
possible in both or in neither, and what it leads to must agree on the dependency variables again. The states are found
by random walks, and mixed: the dependency variables of one, all else of another.

    python tests/compose/brute_force.py SPEC.tla [--slice net=type] [--ghost v] [--seconds 20] [--by split|action]

looks at any specification, with each action as a module of its own, or those that `compose split` proposes.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.building import build
from gristmill.compose.split.partition import proposed
from gristmill.compose.variables.modules import ModuleVariables, Variables, analyse
from gristmill.compose.variables.slots import ordered
from gristmill.evaluate import Context, Evaluator
from gristmill.ir.model import Model
from gristmill.ir.places import ANYTHING, Constant, Key, Slice
from gristmill.reference.model import SpecificationModel
from gristmill.values import EvaluationError, Fn, make_function

State = tuple[Any, ...]
Path = tuple[Key, ...]


@dataclass
class Count:
    """What was compared: pairs of states that differ, with one action; how often it was possible; what was wrong."""

    pairs: int = 0
    possible: int = 0
    failed: int = 0  # an expression had no value in the mixed state
    wrong: list[str] = field(default_factory=list)


# ------------------------------------------------------------------------------------------------------ parts of states


class Parts:
    """The parts of a state that slots are, with the slices of messages."""

    def __init__(self, variables: Variables, module: ModuleVariables) -> None:
        self.fields = {each.variable: each.field for each in variables.slicings}
        self.paths: dict[int, list[Path]] = {}
        for slot in module.dependencies.slots:
            self.paths.setdefault(slot.variable, []).append(slot.path)

    def mixed(self, one: State, other: State) -> State:
        """The slots of one state, and all else of another, where that can be told apart."""
        return tuple(
            _mixed(mine, yours, self.paths.get(index, []), self.fields.get(index))
            for index, (mine, yours) in enumerate(zip(one, other, strict=True))
        )

    def seen(self, state: State) -> tuple[Any, ...]:
        return tuple(
            _seen(value, self.paths.get(index, []), self.fields.get(index)) for index, value in enumerate(state)
        )


def _mixed(mine: Any, yours: Any, paths: Sequence[Path], tag: str | None) -> Any:
    if not paths:
        return yours
    if any(not path for path in paths) or mine == yours:
        return mine
    if any(isinstance(path[0], Slice) for path in paths):
        return _mixed_messages(mine, yours, {path[0].tag for path in paths if isinstance(path[0], Slice)}, tag)
    items, others = _items(mine), _items(yours)
    if items is None or others is None or items.keys() != others.keys():
        return mine
    return make_function([(key, _mixed(items[key], others[key], _below(paths, key), tag)) for key in items])


def _mixed_messages(mine: Any, yours: Any, tags: set[Any], tag: str | None) -> Any:
    def counts(message: Any) -> bool:
        return message[tag] in tags

    if isinstance(mine, frozenset):
        return frozenset(filter(counts, mine)) | frozenset(each for each in yours if not counts(each))
    bag = [pair for pair in _items(mine).items() if counts(pair[0])]
    return make_function([*bag, *(pair for pair in _items(yours).items() if not counts(pair[0]))])


def _seen(value: Any, paths: Sequence[Path], tag: str | None) -> Any:
    if not paths or any(not path for path in paths):
        return value if paths else None
    if any(isinstance(path[0], Slice) for path in paths):
        tags = {path[0].tag for path in paths if isinstance(path[0], Slice)}
        if isinstance(value, frozenset):
            return frozenset(message for message in value if message[tag] in tags)
        return frozenset(pair for pair in _items(value).items() if pair[0][tag] in tags)
    items = _items(value)
    if items is None:
        return value
    return frozenset((key, _seen(items[key], _below(paths, key), tag)) for key in items)


def _below(paths: Sequence[Path], key: Any) -> list[Path]:
    return [path[1:] for path in paths if path[0] == ANYTHING or _is(path[0], key)]


def _is(part: Key, key: Any) -> bool:
    return isinstance(part, Constant) and part.value == key


def _items(value: Any) -> dict[Any, Any] | None:
    if isinstance(value, Fn):
        return dict(value)
    return dict(enumerate(value, 1)) if isinstance(value, tuple) else None


# ------------------------------------------------------------------------------------------------------------- sampling


def sampled(searchable: SpecificationModel, rng: random.Random, count: int, seconds: float) -> list[State]:
    """States of random walks from the first initial states."""
    first: list[State] = [state for state, _ in zip(searchable.initial_states(), range(20), strict=False)]
    states, end = list(first), time.monotonic() + seconds
    while len(states) < count and time.monotonic() < end:
        state = rng.choice(first)
        for _ in range(40):
            try:
                steps = [each for _, found in searchable.successors(state) for each in found]
            except EvaluationError:
                break
            if not steps or time.monotonic() > end:
                break
            state = rng.choice(steps)
            states.append(state)
    return list(dict.fromkeys(states))


def compare(
    model: Model, variables: Variables, *, seed: str = "", count: int = 200, seconds: float = 20.0, pairs: int = 40
) -> Count:
    """Compare the dependency variables of all modules with brute force. The world of the model must be active."""
    rng = random.Random(f"brute force {seed}")
    searchable = SpecificationModel(model, Evaluator(model.variables, Context(model.variables)))
    result = Count()
    with contextlib.redirect_stdout(io.StringIO()):
        states = sampled(searchable, rng, count, seconds / 2)
        end = time.monotonic() + seconds / 2
        for module in variables.modules.values():
            parts = Parts(variables, module)
            names = {each.name for each in module.actions}
            numbers = [number for number, action in enumerate(model.actions) if action.name in names]
            for _ in range(pairs):
                if time.monotonic() > end:
                    break
                one, other = rng.choice(states), rng.choice(states)
                mixed = parts.mixed(one, other)
                if mixed != one:
                    for number in numbers:
                        _compare_one(searchable, model, parts, number, one, mixed, result)
    return result


def _compare_one(
    searchable: SpecificationModel, model: Model, parts: Parts, number: int, one: State, mixed: State, result: Count
) -> None:
    result.pairs += 1
    try:
        before, after = searchable.taking(one, number), searchable.taking(mixed, number)
    except EvaluationError:
        result.failed += 1
        return
    result.possible += bool(before)
    if bool(before) != bool(after):
        result.wrong.append(f"{model.actions[number].name} is possible in one of two states that agree on D")
    elif {parts.seen(state) for state in before} != {parts.seen(state) for state in after}:
        result.wrong.append(f"{model.actions[number].name} leads to other values of D")


# ----------------------------------------------------------------------------------------------------- the command line


def of_each_action(model: Model, **options: Any) -> Variables:
    return analyse(model, {action.name: [action.name] for action in model.actions}, suggest=False, **options)


def _pairs(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, _, value = text.partition("=")
        yield name, value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specification", nargs="+")
    parser.add_argument("--slice", action="append", default=[], metavar="VARIABLE=FIELD")
    parser.add_argument("--ghost", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--states", type=int, default=400)
    parser.add_argument("--pairs", type=int, default=100, help="of states, for each module")
    parser.add_argument("--by", choices=("split", "action"), default="action")
    options = parser.parse_args()
    for name in options.specification:
        model = build(name).model
        if options.by == "split":
            variables = proposed(model, ghosts=options.ghost).variables
        else:
            variables = of_each_action(model, slices=dict(_pairs(options.slice)), ghosts=options.ghost)
        with model.world.active():
            found = compare(model, variables, count=options.states, seconds=options.seconds, pairs=options.pairs)
            shared = ", ".join(variables.text(slot) for slot in ordered(variables.interaction.slots))
        print(
            f"{name}: {len(variables.modules)} modules, {found.pairs:,} comparisons, {found.possible:,} of them of "
            f"possible steps, {found.failed:,} without a value, {len(found.wrong)} wrong"
        )
        if options.by == "split":
            print(f"  interaction variables: {shared}")
        for text in dict.fromkeys(found.wrong):
            print(f"  {text}")


if __name__ == "__main__":
    main()
