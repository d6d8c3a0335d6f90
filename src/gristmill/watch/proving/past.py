"""Messages of the past: where a message has no effect, and never will have any again. In any state, by Z3.

The condition is of the form `m.term < term[node]`, for a variable that was proved to grow only. Then the conditions of
appendix A hold with equality for the order of states: whoever has looked at the message is in the same state as before
(A.3), the condition still holds after any other step, as the variable has not become smaller (A.2), so that it makes no
difference when the message is looked at (A.4); and equal states stay equal (A.1).

That it has no effect is proved as growth is (`growth.py`): no step that consumes such a message changes any variable at
any node, nor sends anything. What is not translated is any value at all, so that nothing is claimed of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.model import Action
from gristmill.specification import Specification
from gristmill.watch.derive import Event, Monitor
from gristmill.watch.proving.growth import NODE, Frame, Term, TooLargeError, Translation, is_available


def without_effect(
    specification: Specification,
    monitor: Monitor,
    kind_field: str,
    fields: Mapping[str, Iterable[str]],
    grow: Iterable[str],
) -> dict[str, tuple[str, ...]]:
    """For kinds of messages, which have these `fields`: conditions under which none of them has an effect. `grow`: the
    variables that were proved to grow. None without Z3."""
    if not is_available():
        return {}
    found = {}
    for kind, names in fields.items():
        events = monitor.consuming(kind)
        conditions = [
            f"m.{name} < {variable}"
            for name in names
            for variable in grow
            if events
            and all(_has_none(specification, monitor, each, (kind_field, kind), name, variable) for each in events)
        ]
        if conditions:
            found[kind] = tuple(conditions)
    return found


def _has_none(
    specification: Specification, monitor: Monitor, event: Event, kind: tuple[str, str], name: str, variable: str
) -> bool:
    places = specification.variables
    past = (name, places.index(variable))
    network = places.index(monitor.network)
    try:
        return all(
            _Steps(place, place == network, event, kind, past).excludes_change(event.action)
            for place in range(len(places))
        )
    except (TooLargeError, RecursionError):
        return False


class _Steps(Translation):
    """The steps by which a message is consumed that is of the past. `past`: its field, and the variable."""

    def __init__(self, variable: int, whole: bool, event: Event, kind: tuple[str, str], past: tuple[str, int]) -> None:
        super().__init__(variable)
        self.whole, self.event, self.kind, self.past = whole, event, kind, past
        self.parameters = {
            expression.slot: ("parameter", name)
            for name, expression in event.action.parameters
            if isinstance(expression, nodes.Local) and expression.depth == 0
        }

    def excludes_change(self, action: Action) -> bool:
        """Whether no such step changes the variable: at any node, or as a whole."""
        z3, solver = self.z3, self.solver()
        node, message = ("parameter", self.event.node), ("parameter", self.event.consumes)
        if {node, message} - {*self.parameters.values()}:
            return False
        field, place = self.past
        own = self.applied(("variable", place, False), node)
        solver.add(self.action(action.code.body, Frame(), 0))
        solver.add(self.integer(("field", message, field)) < self.integer(own))
        solver.add(self.truth(("equal", ("field", message, self.kind[0]), ("value", "str", self.kind[1]))))
        before, after = self.sides()
        solver.add(self.integer(after) != self.integer(before))
        self.at_places(solver)
        return bool(solver.check() == z3.unsat)

    def sides(self) -> tuple[Term, Term]:
        before, after = ("variable", self.variable, False), ("variable", self.variable, True)
        return (before, after) if self.whole else (self.applied(before, NODE), self.applied(after, NODE))

    def equal_there(self, function: Term) -> Any:
        if self.whole:
            return self.integer(("variable", self.variable, True)) == self.integer(function)
        return super().equal_there(function)

    def chosen(self, bounds: Iterable[nodes.Bound], frame: Frame, depth: int) -> dict[int, Term]:
        found = super().chosen(bounds, frame, depth)
        if depth == 0 and frame.parent is None:
            found |= {slot: term for slot, term in self.parameters.items() if slot in found}
        return found
