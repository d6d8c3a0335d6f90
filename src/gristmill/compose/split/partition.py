"""A proposal how to divide a specification into modules: actions that share what nobody else needs belong together.

Two actions are the closer the more variables both of them use, where a variable counts the more the fewer use it. A
partition is good if actions of a module are closer to each other than chance would have it (modularity), and if many
variables are internal to a module. Actions are merged, the closest first; of the partitions met on the way the best
ones are improved by moving single actions. All of it is deterministic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from gristmill.compose.split.module_names import names_of
from gristmill.compose.split.sharing import Bits, Sharing
from gristmill.compose.system import ENVIRONMENT
from gristmill.compose.variables import slices as cutting
from gristmill.compose.variables.accesses import Accesses, accesses_of, without
from gristmill.compose.variables.dependency import dependencies_of
from gristmill.compose.variables.modules import Variables, analyse
from gristmill.compose.variables.slots import touches
from gristmill.ir.model import Model
from gristmill.ir.places import Place

MOST_MODULES = 8  # that are proposed unless somebody asks for more
_IMPROVED = 4  # so many of the partitions met are improved
_HIDDEN = 0.5  # what hiding all variables is worth, beside a modularity of 1
_USELESS = 0.1  # what a module costs that has one action, or nothing to itself
_FOREIGN = 0.25  # what it costs to write a variable that is internal to another module, in variables

Group = frozenset[int]
Partition = tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """Why an action is where it is: what it shares with the rest of its module and with nobody else.

    `beside`: actions of the module that depend on that, too. In the environment: `disturbs`, modules whose internal
    variables it writes.
    """

    action: str
    shares: tuple[Place, ...]
    beside: tuple[str, ...]
    disturbs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """`variables`: of the modules that are proposed. `ghosts` and `slices` as the manifest should say."""

    modules: Mapping[str, tuple[str, ...]]
    placed: Mapping[str, tuple[Placed, ...]]
    variables: Variables
    ghosts: tuple[str, ...]
    slices: Mapping[str, str]
    cut: float  # interaction variables, those that have parts as parts
    internal: float


def proposed(model: Model, modules: int | None = None, ghosts: Sequence[str] = ()) -> Proposal:
    """Divide the actions of a model, into a number of modules or as many as seem right.

    `ghosts`: variables that shall count as such, besides those that are recognised.
    """
    with model.world.active():
        return _proposed(model, modules, [model.variables.index(name) for name in ghosts])


def _proposed(model: Model, wanted: int | None, declared: Sequence[int]) -> Proposal:
    slicings = [each for each in cutting.suggested(model) if each.variable not in declared]
    slices = {model.variables[each.variable]: each.field for each in slicings}
    accesses = accesses_of(model, slicings)
    seen = [without(each, frozenset(declared)) for each in accesses]
    needed = {slot.variable for slot in dependencies_of(seen).slots}
    ghosts = {slot.variable for each in seen for slot in each.writes} - needed | set(declared)
    sharing = Sharing([without(each, frozenset(ghosts)) for each in accesses])
    talking = [] if slices else [_numbers(accesses, names) for names in cutting.messages_of(model).values()]
    partition, disturbing = _divided(sharing, talking, wanted)
    named = names_of([[accesses[member].name for member in sorted(group)] for group in partition])
    modules = {
        name: tuple(accesses[member].name for member in sorted(group))
        for name, group in zip(named, partition, strict=True)
    }
    placed = {
        name: tuple(_placed(sharing, member, group, partition) for member in sorted(group))
        for name, group in zip(named, partition, strict=True)
    }
    if disturbing:
        modules[ENVIRONMENT] = tuple(accesses[member].name for member in sorted(disturbing))
        placed[ENVIRONMENT] = tuple(
            Placed(accesses[member].name, (), (), tuple(named[at] for at in _disturbed(sharing, member, partition)))
            for member in sorted(disturbing)
        )
    names = tuple(model.variables[index] for index in sorted(ghosts))
    variables = analyse(model, modules, ghosts=names, slices=slices, suggest=False)
    return Proposal(
        modules,
        {name: tuple(_without_shared(each, variables) for each in found) for name, found in placed.items()},
        variables,
        names,
        slices,
        sharing.weight(_shared(sharing, partition)),
        sum(map(sharing.weight, _internal(sharing, partition))),
    )


def _without_shared(placed: Placed, variables: Variables) -> Placed:
    """Without what turned out to be an interaction variable: by the closure, or as the environment depends on it."""
    return replace(
        placed, shares=tuple(slot for slot in placed.shares if not touches(slot, variables.interaction.slots))
    )


def _numbers(actions: Sequence[Accesses], names: frozenset[str]) -> Group:
    return frozenset(number for number, each in enumerate(actions) if each.name in names)


# ---------------------------------------------------------------------------------------------------------- partitions


def _divided(sharing: Sharing, talking: Sequence[Group], wanted: int | None) -> tuple[Partition, Group]:
    """The best partition that was met, and the actions that belong to no module: they disturb several."""
    everyone = frozenset(range(len(sharing.actions)))
    disturbing: Group = frozenset()
    while True:
        best = _best(sharing, Closeness(sharing, talking, everyone - disturbing), everyone - disturbing, wanted)
        more = frozenset(member for member in everyone - disturbing if _belongs_to_nobody(sharing, member, best))
        if not more or len(everyone - disturbing - more) < 2:
            return best, disturbing
        disturbing |= more


def _belongs_to_nobody(sharing: Sharing, member: int, partition: Partition) -> bool:
    """Whether an action depends on no internal variable of any module, and writes many, of several: a fault."""
    others = tuple(group - {member} for group in partition)
    internal = _union(_internal(sharing, others))
    elsewhere = [at for at in _disturbed(sharing, member, others) if member not in partition[at]]
    if internal & sharing.depends(frozenset((member,))) or len(elsewhere) < 2:
        return False
    return sharing.weight(internal & sharing.writes[member]) >= sharing.weight(internal) / 2


def _disturbed(sharing: Sharing, member: int, partition: Partition) -> list[int]:
    """Modules whose internal variables an action writes."""
    return [at for at, bits in enumerate(_internal(sharing, partition)) if bits & sharing.writes[member]]


def _best(sharing: Sharing, close: Closeness, members: Group, wanted: int | None) -> Partition:
    met = list(_merging(close, members))
    fitting = [each for each in met if (len(each) == wanted if wanted else 2 <= len(each) <= MOST_MODULES)]

    def quality(partition: Partition) -> tuple[float, int]:
        return _quality(sharing, close, partition), -len(partition)

    good = sorted(fitting or met[:1], key=quality, reverse=True)[:_IMPROVED]
    return max((_improved(sharing, close, each) for each in good), key=quality)


class Closeness:
    """How close actions are: a graph whose edges have a weight, and the modularity of partitions of it.

    `talking`: actions that speak of the same messages, where the network is not cut into slices.
    """

    def __init__(self, sharing: Sharing, talking: Sequence[Group], members: Group) -> None:
        self._weight: dict[tuple[int, int], float] = {}
        for at, weight in enumerate(sharing.weights):
            self._link([member for member in sorted(members) if sharing.uses[member] >> at & 1], weight)
        for group in talking:
            self._link(sorted(group & members), 1.0)
        self._degree = dict.fromkeys(members, 0.0)
        for (one, other), weight in sorted(self._weight.items()):
            self._degree[one] += weight
            self._degree[other] += weight
        self._total = sum(self._degree.values()) or 1.0

    def _link(self, users: Sequence[int], weight: float) -> None:
        for pair in combinations(users, 2):
            self._weight[pair] = self._weight.get(pair, 0.0) + weight / (len(users) - 1)

    def between(self, one: Group, other: Group) -> float:
        """What merging two groups adds to the modularity."""
        edges = sum(self._weight.get((min(a, b), max(a, b)), 0.0) for a in sorted(one) for b in sorted(other))
        return 2 * (edges / self._total - self._of(one) * self._of(other) / self._total**2)

    def modularity(self, partition: Partition) -> float:
        inside = sum(weight for (a, b), weight in self._weight.items() if any(a in g and b in g for g in partition))
        return 2 * inside / self._total - sum((self._of(group) / self._total) ** 2 for group in partition)

    def _of(self, group: Group) -> float:
        return sum(self._degree[member] for member in sorted(group))


def _merging(close: Closeness, members: Group) -> Iterator[Partition]:
    """From single actions to one module, always merging the two that are closest, measured by their sizes."""
    groups: list[Group] = [frozenset((member,)) for member in sorted(members)]
    yield tuple(groups)
    while len(groups) > 1:
        pairs = [(a, b) for a in range(len(groups)) for b in range(a + 1, len(groups))]
        one, other = max(pairs, key=lambda pair: (close.between(groups[pair[0]], groups[pair[1]]), -pair[0], -pair[1]))
        merged = groups[one] | groups[other]
        groups = [group for at, group in enumerate(groups) if at not in (one, other)]
        groups.insert(one, merged)
        yield tuple(groups)


def _internal(sharing: Sharing, partition: Partition) -> list[Bits]:
    depends = [sharing.depends(group) for group in partition]
    return [bits & ~_union(depends[:at] + depends[at + 1 :]) for at, bits in enumerate(depends)]


def _shared(sharing: Sharing, partition: Partition) -> Bits:
    depends = [sharing.depends(group) for group in partition]
    return _union(depends) & ~_union(_internal(sharing, partition))


def _union(bits: Sequence[Bits]) -> Bits:
    found = 0
    for each in bits:
        found |= each
    return found


def _score(sharing: Sharing, close: Closeness, partition: Partition) -> float:
    """Whether actions are where they belong: the modularity, and the share of variables that are internal."""
    hidden = _hidden(sharing, partition)
    return close.modularity(partition) + _HIDDEN * sum(hidden)


def _quality(sharing: Sharing, close: Closeness, partition: Partition) -> float:
    """Whether there are as many modules as there should be: an internal variable counts for the share of actions from
    which it is hidden, and modules of one action, or without internal variables, are to be avoided. It is not asked
    when actions are moved: one belongs where it is close, also if that is large.
    """
    size = sum(map(len, partition))
    hidden = _hidden(sharing, partition)
    from_others = sum(weight * (1 - len(group) / size) for weight, group in zip(hidden, partition, strict=True))
    useless = sum(not weight or len(group) < 2 for weight, group in zip(hidden, partition, strict=True))
    return close.modularity(partition) + _HIDDEN * from_others - _USELESS * useless


def _hidden(sharing: Sharing, partition: Partition) -> list[float]:
    """For each module, the share of variables that are internal to it, less what others write of those."""
    internal = _internal(sharing, partition)
    total = sharing.weight(_union([sharing.depends(group) for group in partition])) or 1.0
    written = [sharing.written(group) for group in partition]
    foreign = [bits & _union(written[:at] + written[at + 1 :]) for at, bits in enumerate(internal)]
    return [
        (sharing.weight(bits) - _FOREIGN * sharing.weight(others)) / total
        for bits, others in zip(internal, foreign, strict=True)
    ]


def _improved(sharing: Sharing, close: Closeness, partition: Partition) -> Partition:
    """Moves single actions to another module as long as that makes the partition better.

    A module keeps half of its actions: else the largest one would take them all, as nothing is shared with nobody.
    """
    least = [(len(group) + 1) // 2 for group in partition]
    score = _score(sharing, close, partition)
    while True:
        options = [
            (_score(sharing, close, each), -number, each) for number, each in enumerate(_moves(partition, least))
        ]
        best = max(options, default=None)
        if best is None or best[0] <= score + 1e-9:
            return partition
        score, partition = best[0], best[2]


def _moves(partition: Partition, least: Sequence[int]) -> Iterator[Partition]:
    for source, group in enumerate(partition):
        for member in sorted(group) if len(group) > least[source] else ():
            for target in range(len(partition)):
                if target != source:
                    yield tuple(
                        each - {member} if at == source else each | {member} if at == target else each
                        for at, each in enumerate(partition)
                    )


# --------------------------------------------------------------------------------------------------------- explanations


def _placed(sharing: Sharing, member: int, group: Group, partition: Partition) -> Placed:
    at = partition.index(group)
    own = sharing.depends(frozenset((member,))) | sharing.writes[member]
    bits = own & _internal(sharing, partition)[at]
    beside = [
        sharing.actions[other].name
        for other in sorted(group - {member})
        if (sharing.depends(frozenset((other,))) | sharing.writes[other]) & bits
    ]
    return Placed(sharing.actions[member].name, tuple(sharing.slots(bits)), tuple(beside))
