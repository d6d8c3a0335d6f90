"""Whole behaviours of a system's compositions: traces, summaries and movers, for each unit with a coarse grain.

The composition in which the unit is fine and all others are coarse is compared with the one in which all are coarse, on
the variables that both have and others can see.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from gristmill.checking.graphs import GraphError, View, state_graph
from gristmill.checking.options import Options
from gristmill.compose.build.composer import composition
from gristmill.compose.manifest.reading import completed
from gristmill.compose.system import Composition, Mix, System
from gristmill.compose.verify.footprints import model_of
from gristmill.compose.verify.messages import message_views
from gristmill.compose.verify.movers import Movers, find_movers
from gristmill.compose.verify.sides import Side, common_variables
from gristmill.compose.verify.summaries import Summary, summarise
from gristmill.compose.verify.traces import TraceComparison, compare_traces
from gristmill.compose.verify.units import Plan, Unit, plan_of
from gristmill.search import Result
from gristmill.trace import Shown
from gristmill.values import show

OnUnit = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """`observe`: variables to compare instead of all; `hide`: some that are not compared."""

    traces: bool = True
    both: bool = True  # directions
    summaries: bool = True
    observe: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnitBehaviours:
    """Of one unit. `names`: of the two compositions. `hidden`: variables with tags of messages that are not observed.
    `own`: variables of the coarse grain that the fine composition lacks. `states`: of both compositions. `failed`:
    why one of them could not be explored.
    """

    unit: str
    names: tuple[str, str]
    fine: Composition
    coarse: Composition
    observed: tuple[str, ...] = ()
    hidden: Shown = ()
    own: tuple[str, ...] = ()
    states: tuple[int, int] = (0, 0)
    traces: TraceComparison | None = None
    summary: Summary | None = None
    movers: Movers | None = None
    failed: str | None = None
    whole: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class NamedMix:
    name: str
    mix: Mix


@dataclass(frozen=True, slots=True)
class Pair:
    """Two compositions with names, the modules that differ in them, and the variables that the others can see."""

    unit: str
    modules: tuple[str, ...]
    names: tuple[str, str]
    fine: Composition
    coarse: Composition
    seen: frozenset[str]
    whole: bool = False


def behaviours(
    system: System,
    options: Options,
    wanted: Wanted | None = None,
    *,
    fine: Mix | None = None,
    coarse: Mix | None = None,
    units: Collection[str] | None = None,
    on_unit: OnUnit = lambda name: None,
) -> Iterator[UnitBehaviours]:
    """Of each unit, or of `units`. Limits are for each exploration, and for each comparison. Raises `SourceError`."""
    plan = plan_of(system, fine, coarse)
    for unit in plan.units:
        if units is None or unit.name in units or set(unit.modules) & set(units):
            on_unit(unit.name)
            started = time.monotonic()
            found = _compared(system, pair_of(plan, unit), options, wanted or Wanted())
            yield replace(found, seconds=time.monotonic() - started)


def mixes_compared(
    system: System, options: Options, fine: NamedMix, coarse: NamedMix, wanted: Wanted | None = None
) -> UnitBehaviours:
    """Any two mixes, the first being the finer one. What is observed is what the second one has. Raises
    `SourceError`."""
    started = time.monotonic()
    first, second = completed(system.modules, fine.mix), completed(system.modules, coarse.mix)
    modules = tuple(name for name in first if first[name] != second[name])
    other = composition(system, second)
    seen = frozenset(other.variables) - set(system.ghosts)
    one = composition(system, first, keep=sorted(seen))
    is_whole = first == system.finest()
    pair = Pair("+".join(modules), modules, (fine.name, coarse.name), one, other, seen, is_whole)
    return replace(_compared(system, pair, options, wanted or Wanted()), seconds=time.monotonic() - started)


def pair_of(plan: Plan, unit: Unit) -> Pair:
    """Both compositions, with all variables that others can see, also if nobody reads them there."""
    system = plan.system
    abstract = composition(system, plan.coarse)
    others = [composition(system, plan.focused(each)) for each in plan.units if each is not unit]
    seen = frozenset(abstract.variables).union(*(each.variables for each in others)) - set(system.ghosts)
    keep = sorted(seen)
    fine, coarse = composition(system, plan.focused(unit), keep=keep), composition(system, plan.coarse, keep=keep)
    is_whole = plan.focused(unit) == plan.fine
    return Pair(unit.name, unit.modules, (f"C({unit.name})", "A"), fine, coarse, seen, is_whole)


def side_of(composed: Composition, name: str, options: Options) -> Side:
    """Explored. Raises `GraphError`."""
    model = model_of(composed)
    modules = {each.name: each.module for each in composed.actions}
    strange = [action.name for action in model.actions if action.name not in modules]
    if strange:  # to take it for one of the environment might make runs look uninterrupted that are none
        raise GraphError(Result("error", message=f"it is not known which module {strange[0]} belongs to"))
    names = [modules[action.name] for action in model.actions]
    return Side(name, model, state_graph(model, options), names)


def _compared(system: System, pair: Pair, options: Options, wanted: Wanted) -> UnitBehaviours:
    found = UnitBehaviours(pair.unit, pair.names, pair.fine, pair.coarse, whole=pair.whole)
    with ExitStack() as stack:
        sides = []
        for composed, name in zip((pair.fine, pair.coarse), pair.names, strict=True):
            try:
                sides.append(side_of(composed, name, options))
            except GraphError as error:
                return replace(found, failed=f"{name} cannot be explored: {error}")
            stack.callback(sides[-1].graph.close)
        return _with_comparisons(system, pair, found, sides, options, wanted)


def _with_comparisons(
    system: System, pair: Pair, found: UnitBehaviours, sides: Sequence[Side], options: Options, wanted: Wanted
) -> UnitBehaviours:
    fine, coarse = sides
    modules, limits, ghosts = pair.modules, options.limits, system.ghosts
    observed = observed_variables(pair, sides, wanted)
    slices = {name: tag for name, tag in system.slices.items() if name in observed}
    cut = message_views(fine, coarse, modules, slices)
    views: dict[str, View] = {name: view for name, (_, view) in cut.items()}
    found = replace(
        found,
        observed=observed,
        hidden=tuple((name, _tags(fine, tags)) for name, (tags, _) in cut.items()),
        own=tuple(name for name in coarse.graph.variables if name not in fine.graph.variables),
        states=(len(fine.graph.states), len(coarse.graph.states)),
    )
    if wanted.traces:
        traces = compare_traces(fine, coarse, observed, both=wanted.both, limits=limits, views=views)
        found = replace(found, traces=traces)
    if wanted.summaries:
        summary = summarise(fine, coarse, modules, observed, limits=limits, views=views)
        movers = find_movers(fine, coarse, modules, observed, ghosts=ghosts, limits=limits, views=views)
        found = replace(found, summary=summary, movers=movers)
    return found


def observed_variables(pair: Pair, sides: Sequence[Side], wanted: Wanted) -> tuple[str, ...]:
    names = common_variables(sides, without=wanted.hide)
    return tuple(name for name in names if name in (wanted.observe or pair.seen))


def _tags(side: Side, tags: Collection[object]) -> str:
    with side.model.world.active():
        return ", ".join(sorted(show(each) for each in tags))  # type: ignore[arg-type]
