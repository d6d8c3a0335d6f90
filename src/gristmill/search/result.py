"""What a search found, and what that rests on."""

from __future__ import annotations

import builtins
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, Protocol

from gristmill.search.liveness.graph import GrowingGraph
from gristmill.search.model import Action, Parameters, State
from gristmill.search.profile import Profile
from gristmill.search.verdict import EXIT_CODES, Verdict
from gristmill.source import Diagnostic, Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.trace import Alternative, Blocked, Explanation, Fairness, Mapped, Remedy, Trace
from gristmill.values import World, current_or_new, to_python

NO_ERROR = "No error found"  # of everything that was asked for


@dataclass(frozen=True, slots=True)
class ActionCoverage:
    """How often an action was taken (`generated`), and how many states it was the first to reach (`distinct`)."""

    name: str
    distinct: int
    generated: int
    location: Span | None = None
    initial: bool = False


@dataclass(frozen=True, slots=True)
class ObligationCoverage:
    """Of a search that met no failure: the alternatives of an obligation that were the first to hold of some step."""

    name: str
    action: str
    used: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExpressionCoverage:
    """How often a part of a formula was evaluated. `after`: a part that must be evaluated before it."""

    text: str
    count: int
    location: Span
    after: Span | None = None


@dataclass(frozen=True, slots=True)
class OutDegree:
    """How many states were first reached from one state: what TLC calls the out-degree of the state graph."""

    minimum: int
    average: float
    maximum: int
    percentile_95: int


@dataclass(frozen=True, slots=True)
class Violation:
    """A property that does not hold, with the shortest behaviour that shows it.

    `count`: in how many states or steps it was found false; more than 1 only if the search went on. `explanation`: why
    the property is false there. `blocked`, of a deadlock: what keeps each action from being taken. Of a behaviour that
    repeats itself, `fairness`: how it meets each condition, `alternatives`: what could happen, and does not, and
    `remedies`: fairness that would exclude it. If the property is one of another module, `mapped`: the variables of
    that, where it is false. `help`: what can be done if nothing is wrong.
    """

    verdict: Verdict
    property: str | None
    message: str
    trace: Trace | None = None
    count: int = 1
    location: Span | None = None
    explanation: Explanation | None = None
    blocked: tuple[Blocked, ...] = ()
    fairness: tuple[Fairness, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    mapped: tuple[Mapped, ...] = ()
    help: str | None = None


class Rows(Protocol):
    """Steps from state s are number `first[s]` … `first[s + 1] - 1`, each with a target and an action.

    None leads from a state to itself. `run`: the same object as long as states and steps are only added.
    """

    states: int
    run: object

    @builtins.property
    def first(self) -> Sequence[int]: ...
    @builtins.property
    def targets(self) -> Sequence[int]: ...
    @builtins.property
    def actions(self) -> Sequence[int]: ...

    def prepare(self, codes: Sequence[tuple[Any, bool]]) -> None:
        """These will be asked for, with whether they are of steps."""

    # What follows is told in `bits`, from number `at` on: bit n is bit n % 8 of byte n / 8. It is only ever set.

    def by_actions(self, actions: Collection[int], start: int, end: int, bits: bytearray, at: int, /) -> None:
        """Whether the steps from the states from `start` to `end` were found by some actions."""

    def sources_by_actions(self, actions: Collection[int], start: int, end: int, bits: bytearray, at: int, /) -> None:
        """Whether steps from these states were."""

    # The truth of a formula of this specification; what is set already is known to be true. False if the engine cannot
    # tell, whatever it has set.

    def of_states(self, code: Any, start: int, end: int, bits: bytearray, at: int, /) -> bool:
        """In the states from `start` to `end`."""

    def of_steps(
        self, code: Any, start: int, end: int, bits: bytearray, at: int, among: bytearray | None = None, /
    ) -> bool:
        """Of the steps from these. `among`, a bit for each state there is: 0 if it is false of the steps from there."""

    def of_stuttering(self, code: Any, start: int, end: int, bits: bytearray, at: int, /) -> bool:
        """Of the steps from these to themselves."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The states and steps explored, for those who want them all.

    Edge i goes from `sources[i]` to `targets[i]`, indices into `states`, by `actions[edge_actions[i]]`. The first
    `initial` states are the initial ones. `rows`: the same steps in compressed rows, with what an engine knows of them,
    if that is how it found them; `steps`: each of them once, if no more is needed. `sources` is then empty.

    `taken`: the steps from a state once more, each an action, what it is taken with, and a target; to be called while
    `world` is active. None if that cannot be told.
    """

    variables: Sequence[str]
    actions: Sequence[Action]
    states: Sequence[State]
    initial: int
    sources: array[int]
    edge_actions: array[int]
    targets: array[int]
    rows: Rows | None = None
    steps: GrowingGraph | None = None
    taken: Callable[[int], Sequence[tuple[int, Parameters, int]]] | None = field(
        default=None, repr=False, compare=False
    )
    world: World = field(default_factory=current_or_new, repr=False, compare=False)  # of the values of states


@dataclass(frozen=True, slots=True)
class Unasked:
    """A definition that looks like something to check, and was not asked for."""

    name: str
    kind: Literal["invariant", "property"]
    location: Span | None = None


@dataclass(frozen=True, slots=True)
class CollisionOdds:
    """That two states had the same fingerprint: from the counts, and from how close two fingerprints came."""

    calculated: float
    observed: float


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of a run: also of one that stopped before it had begun to search.

    - `generated` counts every state as often as it was generated, `distinct` once; `depth` is the number of states on
      the longest of the shortest paths from an initial state, and `queue` how many states were left unexplored.
    - `expressions`: coverage by expression, if it was asked for. `obligations`: how those of actions were met.
    - `checked`: names of what was checked; `undecided`: what was asked for as well, and takes a search of all states;
      `unasked`: what could have been asked. `caveats`: what the verdict rests on, in sentences.
    - `violations`: everything found wrong. The first is the one that `verdict`, `property`, `message` and `trace` tell
      about; there are more only if the search was told to go on.
    - `collision_odds`: where only fingerprints of states were kept, how likely it is that one was overlooked because of
      that, estimated in two ways; see `CollisionOdds`.
    - `status`: an exit code more telling than that of the verdict. `engine`: what explored the states, which took it
      `search_seconds` of all `seconds`; `profile`: what took how long, if that was asked for.
    - `module`: the name of the specification.
    """

    verdict: Verdict
    property: str | None = None
    message: str = ""
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    queue: int = 0
    seconds: float = 0.0
    trace: Trace | None = None
    coverage: tuple[ActionCoverage, ...] = ()
    expressions: tuple[ExpressionCoverage, ...] = ()
    out_degree: OutDegree | None = None
    obligations: tuple[ObligationCoverage, ...] = ()
    checked: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    unasked: tuple[Unasked, ...] = ()
    caveats: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    status: int | None = None
    engine: Literal["python", "native"] = "python"
    search_seconds: float = 0.0
    profile: Profile | None = None
    module: str = ""
    collision_odds: CollisionOdds | None = None
    graph: Graph | None = field(default=None, repr=False, compare=False)

    @builtins.property
    def ok(self) -> bool:
        return self.verdict == "ok"

    @builtins.property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict] if self.status is None else self.status

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        """The states of the counterexample, as plain Python values."""
        for step in self.trace or ():
            yield {name: to_python(value) for name, value in step.shown.items()}


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many states behaviours had."""

    behaviours: int = 0
    mean: float = 0.0
    variance: float = 0.0
    minimum: int = 0
    maximum: int = 0


@dataclass(frozen=True, slots=True)
class Simulation:
    """In `result`, `distinct` is 0 (not counted), `depth` is the length of the longest behaviour, and in the
    coverage `distinct` says how often an action was taken.
    """

    result: Result
    lengths: Lengths
    seed: int
