"""O3: every step of a fine action, explored in the composition of its unit, is one of its coarse grain, or invisible.

The composition is explored once. Each fine action has an obligation with the coarse actions that it may be, in an order
that finds the right one soon; which of them were needed is the action map that was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.compose.system import Grain
from gristmill.compose.verify.footprints import Footprint
from gristmill.compose.verify.generic import NoUnknownError, putting, unknown, with_unknowns
from gristmill.compose.verify.initial import initial_states
from gristmill.compose.verify.result import Mapped
from gristmill.compose.verify.step_text import StepText, with_steps
from gristmill.compose.verify.visible import View, Views
from gristmill.ir import nodes
from gristmill.ir.model import Model, Named, Obligation
from gristmill.ir.nodes import Code
from gristmill.ir.passes.dependencies import dependencies
from gristmill.ir.rewrite import Rewriter
from gristmill.ir.walk import reachable
from gristmill.search import Result
from gristmill.values import TRUE, EvaluationError, Value, show


@dataclass(slots=True)
class Duties:
    """The model of a composition with obligations. `coarse`: coarse actions as actions of the composition, by name."""

    model: Model
    text: StepText
    names: tuple[str, ...]  # of the coarse actions
    coarse: Mapping[str, Code]
    fine: tuple[Footprint, ...]  # those with an obligation
    given: frozenset[str] = frozenset()  # whose counterparts the manifest names
    unknowns: Mapping[str, Value] = field(default_factory=dict)  # old values that nobody knows
    undecided: tuple[str, ...] = ()  # those for which there is no unknown


def duties_of(views: Views, view: View) -> Duties:
    """The composition of a unit, with what each step of it must be."""
    assert view.composed is not None
    text = with_steps(view.composed, (*view.observed, *view.foreign), slice_texts(views, view))
    built = build(text.text, config=text.config, search_path=view.composed.search_path).model
    formulas = {each.name: each for each in built.action_constraints}
    model = replace(built, action_constraints=(), check_deadlock=False)
    names = tuple(_different([action.origin or action.name for action in view.composed.also]))
    seen = {built.variables.index(name) for name in (*view.observed, *view.foreign)}
    alternatives = _alternatives(text, names, formulas, seen)
    fine = tuple(_fine_actions(views, view, model))
    model = replace(model, obligations=tuple(_obligations(model, views, view, fine, names, alternatives)))
    unknowns, undecided = _unknowns(model, views, view)
    given = _given(view.unit.coarse, [each.action.origin or each.action.name for each in fine])
    rewriter = putting(unknowns)
    return Duties(
        with_unknowns(model, unknowns),
        text,
        names,
        {name: rewriter.code(formulas[formula].code) for name, formula in zip(names, text.coarse, strict=True)},
        fine,
        frozenset(given),
        {model.variables[index]: value for index, value in unknowns.items()},
        undecided,
    )


def _fine_actions(views: Views, view: View, model: Model) -> Iterator[Footprint]:
    """The actions of the unit in its composition, under the names that they have there."""
    assert view.composed is not None
    known = {(each.action.module, each.action.origin): each for each in views.fine_actions(view.unit)}
    of_model = {action.name for action in model.actions}
    for action in view.composed.actions:
        if action.module in view.unit.modules and action.name in of_model:
            nothing = Footprint(action, frozenset(), frozenset(), frozenset())
            yield replace(known.get((action.module, action.origin), nothing), action=action)


def homeless_actions(view: View, model: Model) -> list[str]:
    """Actions of a composition of which it is not known whose they are: they would have no obligation.

    Those of which only a guard is left, because nobody reads what they write, need none: they change nothing.
    """
    assert view.composed is not None
    known = {action.name for action in view.composed.actions}
    with model.world.active():
        return [a.name for a in model.actions if a.name not in known and dependencies(model, a).writes]


def _different(names: Sequence[str]) -> Iterator[str]:
    """Several calls of one definition are told apart by numbers."""
    for number, name in enumerate(names):
        yield f"{name} ({names[:number].count(name) + 1})" if names.count(name) > 1 else name


def slice_texts(views: Views, view: View) -> dict[str, str]:
    """What others see of variables that are cut into slices, as expressions."""
    found = {}
    with views.all_fine.model.world.active():
        for name, tags in view.slices.items():
            listed = ", ".join(sorted(show(tag) for tag in tags))
            found[name] = f"{{m_ \\in {name} : m_.{views.all_fine.slicings[name].field} \\in {{{listed}}}}}"
    return found


INVISIBLE = "nothing that others see changes"


def _alternatives(
    text: StepText, names: Sequence[str], formulas: Mapping[str, Named], seen: set[int]
) -> dict[str, Named]:
    """By the name of the coarse action; what it writes that nobody sees is left out."""
    found = {INVISIBLE: replace(formulas[text.invisible], name=INVISIBLE)}
    for name, formula in zip(names, text.seen, strict=True):
        code = without_writes(formulas[formula].code, seen)
        found[name] = Named(name, code)
    return found


def without_writes(code: Code, seen: set[int]) -> Code:
    """Without what a formula says of the next values of variables that are not seen.

    Where such a value is used to compute another one, or to decide something, it stays.
    """
    seen = seen | _deciding(code)
    cut = Rewriter(lambda node: _without(node, seen)).code(code)
    left = {each.index for each in reachable(cut.body) if isinstance(each, nodes.Variable) and each.primed} - seen
    return without_writes(code, seen | left) if left else cut


def _deciding(code: Code) -> set[int]:
    """Variables whose next values are in a place where "any value will do" would not mean TRUE."""
    parts: list[Any] = []
    for node in reachable(code.body):
        match node:
            case nodes.Not(operand):
                parts.append(operand)
            case nodes.Implies(left) | nodes.If(left):
                parts.append(left)
            case nodes.Equivalent(left, right):
                parts += [left, right]
            case nodes.Case(arms):
                parts += [guard for guard, _ in arms]
    found: set[int] = set()
    for node in reachable(*parts):
        match node:
            case nodes.Variable(index, True):
                found.add(index)
            case nodes.Unchanged(variables):
                found.update(variables)
    return found


def _without(node: Any, seen: set[int]) -> Any:
    match node:
        case nodes.Equal(nodes.Variable(index, True), _, span) if index not in seen:
            return nodes.Literal(TRUE, span)
        case nodes.Member(nodes.Variable(index, True), domain, span) if index not in seen:
            return nodes.Not(nodes.Equal(domain, nodes.Literal(frozenset(), span), span), span)
        case nodes.Unchanged(variables, span) if not seen.issuperset(variables):
            left = tuple(each for each in variables if each in seen)
            return nodes.Unchanged(left, span) if left else nodes.Literal(TRUE, span)
    return node


# ------------------------------------------------------------------------------------------------------- the action map


def _obligations(
    model: Model,
    views: Views,
    view: View,
    fine: Sequence[Footprint],
    names: Sequence[str],
    alternatives: Mapping[str, Named],
) -> list[Obligation]:
    coarse = {each.action.origin or each.action.name: each for each in views.coarse_actions(view.unit)}
    given = _given(view.unit.coarse, [each.action.origin or each.action.name for each in fine])
    found = []
    for number, action in enumerate(model.actions):
        footprint = next((each for each in fine if each.action.name == action.name), None)
        if footprint is None:
            continue
        origin = footprint.action.origin or footprint.action.name
        chosen = given.get(origin, _nearest(footprint, names, coarse))
        wanted = [name for name in names if name.partition(" (")[0] in chosen or name in chosen]
        wanted.sort(key=lambda name: _place(name, chosen))
        duty = (alternatives[INVISIBLE], *(alternatives[name] for name in wanted))
        found.append(Obligation(f"{action.name} ({number})", number, duty))
    return found


def _place(name: str, chosen: Sequence[str]) -> int:
    return chosen.index(name) if name in chosen else chosen.index(name.partition(" (")[0])


def _nearest(fine: Footprint, names: Sequence[str], coarse: Mapping[str, Footprint]) -> tuple[str, ...]:
    """All coarse actions, the likeliest first."""
    return tuple(sorted(names, key=lambda name: _distance(fine, coarse.get(name), name)))


def _distance(fine: Footprint, coarse: Footprint | None, name: str) -> tuple[int, int]:
    """How unlikely it is that a coarse action is what a fine one is: by name, then by what they write."""
    if coarse is None:
        return 2, 0
    same = name == (fine.action.origin or fine.action.name)
    return 0 if same else 1, len(fine.writes ^ coarse.writes)


def _given(grain: Grain, fine: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The action map of the manifest, for each fine action that it speaks of."""
    found: dict[str, tuple[str, ...]] = {}
    for pattern, targets in (grain.action_map or {}).items():
        named = tuple(_called(target) for target in targets)
        for name in fine:
            if fnmatchcase(name, pattern) or name == _called(pattern):
                found[name] = (*found.get(name, ()), *named)
    return found


def _called(text: str) -> str:
    """`Elect` of `Elect(s)` and of `\\E s \\in Server : Elect(s)`."""
    return text.rsplit(":", 1)[-1].strip().partition("(")[0].strip()


def mapped(duties: Duties, result: Result) -> tuple[Mapped, ...]:
    """What steps of each action were found to be."""
    generated = {row.name: row.generated for row in result.coverage}
    used: dict[str, set[str]] = {}
    for row in result.obligations:
        used.setdefault(row.action, set()).update(row.used)
    return tuple(
        Mapped(
            each.action.name,
            tuple(name for name in duties.names if name in used.get(each.action.name, ())),
            INVISIBLE in used.get(each.action.name, ()),
            (each.action.origin or each.action.name) in duties.given,
            generated.get(each.action.name, 0),
        )
        for each in duties.fine
    )


# ------------------------------------------------------------------------------------------------------------- unknowns


def _unknowns(model: Model, views: Views, view: View) -> tuple[dict[int, Value], tuple[str, ...]]:
    found: dict[int, Value] = {}
    undecided = []
    for name in view.foreign:
        value = _unknown_of(model, views, view, name)
        if value is None:
            undecided.append(name)
        else:
            found[model.variables.index(name)] = value
    return found, tuple(undecided)


def _unknown_of(model: Model, views: Views, view: View, name: str) -> Value | None:
    """None if what is written to it depends on what was there, or its shape may change."""
    own = [*views.fine_actions(view.unit), *views.coarse_actions(view.unit)]
    writers = [each for each in own if name in each.writes]
    if any(name in each.itself for each in writers):
        return None
    depths = frozenset(depth for each in writers for depth in each.depths[name])
    depth = max(depths, default=0)
    everywhere = [d for each in views.all_fine.actions if name in each.writes for d in each.depths[name]]
    if depth and min(everywhere, default=depth) < depth:
        return None
    with model.world.active():
        try:
            found = {unknown(name, value, depth) for value in _initial_values(model, name)}
        except (NoUnknownError, EvaluationError):
            return None
    return found.pop() if len(found) == 1 else None  # one shape, whatever the initial state


def _initial_values(model: Model, name: str) -> set[Value]:
    place = model.variables.index(name)
    return {state[place] for state in initial_states(model)}


# ---------------------------------------------------------------------------------------------------------- exploration


def explore(duties: Duties, options: Options) -> tuple[Result, dict[str, Result]]:
    """The composition with its obligations; and for each invariant that is violated, the search that found it.

    A violated invariant ends a search: then it is explored again without that one, to see all of the steps.
    """
    model = duties.model
    violated: dict[str, Result] = {}
    options = replace(options, each_obligation=True)
    while True:
        result = check(model, options)
        if result.verdict != "invariant" or result.property is None:
            return result, violated
        violated[result.property] = result
        model = replace(model, invariants=tuple(each for each in model.invariants if each.name != result.property))
