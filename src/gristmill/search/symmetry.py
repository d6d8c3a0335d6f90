"""Symmetry: states that differ only in which of several interchangeable things plays which part.

The things are atoms (model values, say). A *permutation* maps some of them to each other, and thereby every value to
another. The states that the permutations of a group make of one state are its orbit; the search explores one of them.
As in TLC, the state that is explored is the one that was found first; the representative only decides whether two
states are in the same orbit. So the number of distinct states is that of orbits, whatever the order is by which
representatives are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from typing import Any, TypeVar

from gristmill.search.memo import Remembered
from gristmill.search.model import Model, State, StatePredicate
from gristmill.source.quick_dataclass import dataclass

_REMEMBERED = 2_000_000  # parts of values, of all permutations together
_A_FEW = 3  # permutations that a state of a sample is compared with


_Atom = TypeVar("_Atom", bound=Hashable)
_Group = dict[frozenset[tuple[_Atom, _Atom]], dict[_Atom, _Atom]]  # by the pairs of each permutation


def generated_group(generators: Iterable[Mapping[_Atom, _Atom]]) -> list[dict[_Atom, _Atom]]:
    """All compositions of some permutations, without the one that changes nothing.

    Two symmetric sets come as the permutations of one and of the other; what has to be applied are all combinations.
    """
    found: _Group[_Atom] = {frozenset(): {}}
    steps: list[dict[_Atom, _Atom]] = []
    for generator in generators:
        step = {a: b for a, b in generator.items() if a != b}
        if frozenset(step.items()) not in found:  # most of them are compositions of others
            steps.append(step)
            _close(found, steps)
    return [permutation for permutation in found.values() if permutation]


def _close(found: _Group[_Atom], steps: list[dict[_Atom, _Atom]]) -> None:
    """Add what is missing for all compositions with `steps`."""
    unfinished = list(found.values())
    while unfinished:
        permutation = unfinished.pop()
        for step in steps:
            atoms = dict.fromkeys((*permutation, *step))
            composed = {atom: step.get(permutation.get(atom, atom), permutation.get(atom, atom)) for atom in atoms}
            composed = {a: b for a, b in composed.items() if a != b}
            key = frozenset(composed.items())
            if key not in found:
                found[key] = composed
                unfinished.append(composed)


class Symmetry:
    """The representative of a state: the least of its orbit, variable by variable. To be used as `Model.symmetry`.

    `permutations` are functions from a value to a value, one for each element of a group but the identity. `sort_key`
    orders values; equal keys only for equal values. What happens to a value is remembered: states share most of theirs.
    `order`: the variables, by number, in the order in which they decide; that of the state if it is empty.
    """

    def __init__(
        self,
        permutations: Sequence[Callable[[Any], Any]],
        sort_key: Callable[[Any], Any],
        moved: frozenset[Any] = frozenset(),
        order: Sequence[int] = (),
    ) -> None:
        self.order = order
        self.moved = moved  # the atoms that some permutation changes
        self._sort_key = sort_key
        most = _REMEMBERED // (1 + len(permutations))
        self._permutations = [_Memory(permute, sort_key, most) for permute in permutations]
        self._itself = _Memory(lambda value: value, sort_key, most)

    def __call__(self, state: State) -> State:
        recall = self._itself.recall
        best = [recall(value) for value in state]
        for permutation in self._permutations:
            better = _better(state, permutation.recall, best, self.order or range(len(state)))
            if better is not None:
                best = better
        return tuple(value for _, value in best)

    def orbit(self, state: State) -> Iterator[State]:
        """The state, and what the permutations make of it; with repetitions."""
        yield state
        for number in range(len(self)):
            yield self.permuted(state, number)

    def permuted(self, state: State, number: int) -> State:
        """What one of the permutations makes of a state."""
        return tuple(self._permutations[number].recall(value)[1] for value in state)

    def __len__(self) -> int:
        return len(self._permutations)

    def __bool__(self) -> bool:
        return True


_Keyed = tuple[Any, Any]  # a sort key and its value


class _Memory:
    """What a permutation makes of the values it has met, with their sort keys."""

    def __init__(self, permute: Callable[[Any], Any], sort_key: Callable[[Any], Any], most: int) -> None:
        self._permute = permute
        self._sort_key = sort_key
        self._known = Remembered(most)

    def recall(self, value: Any) -> _Keyed:
        known: _Keyed | None = self._known.get(value)
        if known is None:
            permuted = self._permute(value)
            known = self._known.keep(value, (self._sort_key(permuted), permuted))
        return known


def _better(
    state: State, recall: Callable[[Any], _Keyed], best: Sequence[_Keyed], order: Iterable[int]
) -> list[_Keyed] | None:
    """The permuted state, if it comes before the best so far; most are given up at the first variable that differs."""
    for number in order:
        key, least = recall(state[number])[0], best[number][0]
        if key != least:
            return [recall(each) for each in state] if key < least else None
    return None


@dataclass(frozen=True, slots=True)
class Asymmetry:
    """Two states of one orbit that the model tells apart, and how."""

    state: State
    permuted: State
    difference: str


def find_asymmetry(model: Model, symmetry: Symmetry, *, states: int = 200) -> Asymmetry | None:
    """Look for a reason why the declared symmetry is none, in the first states of a breadth-first search.

    Finding nothing proves nothing; but a model that names one of the things it declares interchangeable hardly passes.
    """
    try:
        initial = list(islice(dict.fromkeys(map(symmetry, model.initial_states())), states))
        compared = _Compared(symmetry)
        return _first_difference(model, compared, initial, model.implied_inits) or _first_difference(
            model, compared, _first_states(model, symmetry, initial, states), (*model.constraints, *model.invariants)
        )
    except model.errors:
        return None  # the search itself will come across it, and tell where


@dataclass(frozen=True, slots=True)
class Comparison:
    """`found`: a difference. `complete`: every state was compared with all of its orbit."""

    found: Asymmetry | None
    complete: bool = False


def compare_orbits(model: Model, symmetry: Symmetry, states: Sequence[State], *, sample: int, most: int) -> Comparison:
    """Compare the states of a search with their orbits, if that takes at most `most` comparisons of two states.

    A sample of them comes first, each with a few of its permutations: that finds most of what there is to find. If all
    are compared with all, nothing was overlooked: every reachable step is, up to symmetry, one of the search.
    """
    some = states[:: -(-len(states) // sample) or 1]
    complete = len(states) * len(symmetry) <= most
    rounds = [(_Compared(symmetry, _A_FEW), some), *([(_Compared(symmetry), states)] if complete else [])]
    predicates = (*model.constraints, *model.invariants)
    try:
        for compared, chosen in rounds:
            found = _first_difference(model, compared, chosen, predicates)
            if found is not None:
                return Comparison(found)
    except model.errors:
        return Comparison(Asymmetry((), (), "a permutation of a reachable state cannot be evaluated"))
    return Comparison(None, complete)


class _Compared:
    """Chooses the permutations to compare a state with: others than for the state before."""

    def __init__(self, symmetry: Symmetry, each: int | None = None) -> None:
        self.symmetry = symmetry
        self._each = len(symmetry) if each is None else min(each, len(symmetry))
        self._turns = cycle(range(len(symmetry)))

    def with_(self, state: State) -> Iterator[State]:
        return (self.symmetry.permuted(state, number) for number in islice(self._turns, self._each))


def _first_states(model: Model, symmetry: Symmetry, initial: Sequence[State], count: int) -> list[State]:
    queue, found = list(initial), set(initial)
    for state in queue:
        for _, successors in model.successors(state):
            for successor in map(symmetry, successors):
                if len(queue) >= count:
                    return queue
                if successor not in found and all(each.holds(successor) for each in model.constraints):
                    found.add(successor)
                    queue.append(successor)
    return queue


def _first_difference(
    model: Model, compared: _Compared, states: Iterable[State], predicates: Sequence[StatePredicate]
) -> Asymmetry | None:
    symmetry = compared.symmetry
    for state in states:
        steps = _steps(model, symmetry, state)
        for permuted in compared.with_(state):
            for predicate in predicates:
                if bool(predicate.holds(permuted)) != bool(predicate.holds(state)):
                    return Asymmetry(state, permuted, f"{predicate.name} is true in only one of them")
            if steps != _steps(model, symmetry, permuted):
                return Asymmetry(state, permuted, "their successors are not the same up to symmetry")
    return None


def _steps(model: Model, symmetry: Symmetry, state: State) -> set[tuple[Any, ...]]:
    """Where steps lead, and what predicates say of them; of a state that is cut off, all of them."""
    of_steps = (*model.action_constraints, *model.implied_actions)
    found = set()
    obliged = {each.action: each for each in model.obligations}
    for action, states in model.successors(state):
        for each in states:
            says = [bool(predicate.holds(state, each)) for predicate in of_steps]
            says += [action not in obliged or obliged[action].met_by(state, each) is not None]
            says += [bool(predicate.holds(each)) for predicate in model.constraints]
            if not all(says):
                says += [bool(predicate.holds(each)) for predicate in model.invariants]
            found.add((symmetry(each), *says))
    return found
