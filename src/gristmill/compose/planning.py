"""`plan`: the finest grains for the modules around a target that can be explored in a given time.

Mixes are tried from the coarsest on. One that is too large rules out all that are finer, because a finer grain has at
least the steps of its coarse counterpart, as a rule. Among those that fit, the finest one that `verify` does not reject
is taken.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gristmill.compose.build.composer import composition
from gristmill.compose.cost import Cost
from gristmill.compose.manifest.reading import conflicts
from gristmill.compose.system import Composition, Mix, System
from gristmill.compose.verify.result import Verification
from gristmill.source import ConfigurationError, Diagnostic, SourceError

Measure = Callable[[Composition, float], Cost]
Verify = Callable[[Mix], Verification | None]  # of a mix; None if there is nothing coarse in it

MOST = 64  # mixes
SHORTEST = 1.0  # seconds for one


@dataclass(slots=True)
class Candidate:
    """A mix, with what is known of it: `why` it is not taken, or why it is."""

    mix: dict[str, str]
    rank: tuple[int, ...]  # how coarse each module is: 0 is the finest grain
    cost: Cost | None = None
    verification: Verification | None = None
    why: str = ""

    @property
    def coarseness(self) -> int:
        return sum(self.rank)

    def is_as_fine_as(self, other: Candidate) -> bool:
        return all(own <= its for own, its in zip(self.rank, other.rank, strict=True))


@dataclass(frozen=True, slots=True)
class Plan:
    target: str
    budget: float
    candidates: tuple[Candidate, ...]
    chosen: Candidate | None = field(default=None)


def plan(system: System, target: str, budget: float, measure: Measure, verify: Verify) -> Plan:
    """Raises `SourceError` if the target is no module, or nothing can be composed."""
    candidates = sorted(candidates_of(system, target), key=lambda each: -each.coarseness)
    _measure_all(system, candidates, budget, measure)
    fitting = [each for each in candidates if each.cost is not None and each.cost.fits(budget)]
    for each in sorted(fitting, key=lambda each: each.coarseness):
        each.verification = verify(each.mix)
        outcome = None if each.verification is None else each.verification.outcome
        if outcome == "rejected":
            each.why = "rejected: a coarse grain cannot stand in for its module"
            continue
        each.why = {
            None: "all modules are fine",
            "proven": "verified",
            "incomplete": "not verified: undecided in this time",
        }[outcome]
        return Plan(target, budget, tuple(candidates), each)
    return Plan(target, budget, tuple(candidates), None)


def candidates_of(system: System, target: str) -> Iterator[Candidate]:
    if target not in system.modules:
        names = ", ".join(f"`{name}`" for name in system.modules)
        raise ConfigurationError(
            Diagnostic("unknown-module", f"there is no module `{target}`", help=f"there are {names}")
        )
    chains = {name: [grain.name for grain in module.chain()] for name, module in system.modules.items()}
    chains[target] = chains[target][:1]
    combinations = itertools.product(*(range(len(chain)) for chain in chains.values()))
    for rank in itertools.islice(combinations, MOST):
        mix = {name: chain[number] for (name, chain), number in zip(chains.items(), rank, strict=True)}
        if not list(conflicts(system.modules, mix, None)):
            yield Candidate(mix, rank)


def _measure_all(system: System, candidates: list[Candidate], budget: float, measure: Measure) -> None:
    too_large: list[Candidate] = []
    left = budget
    for number, each in enumerate(candidates):
        if any(each.is_as_fine_as(other) for other in too_large):
            each.why = "finer than one that is too large"
            continue
        slice_ = max(SHORTEST, left / (len(candidates) - number))
        started = time.monotonic()
        try:
            each.cost = measure(composition(system, each.mix), slice_)
        except SourceError as error:
            each.why = f"cannot be composed: {error.diagnostics[0].message}"
            continue
        finally:
            left -= time.monotonic() - started
        if each.cost.result.verdict not in ("ok", "incomplete"):
            each.why = f"finds something: {each.cost.result.message}"
        elif not each.cost.fits(budget):
            each.why = "too large"
            too_large.append(each)
