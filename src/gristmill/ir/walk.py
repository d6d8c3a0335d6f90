"""Walking over the IR: the children of a node, the definitions it reaches, the formulas of a model.

Everything that looks at the IR as a whole stands on these, so that a new node or a new role of a formula is met by all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import is_not
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

from gristmill.ir import nodes
from gristmill.ir.model import Model, Named, TemporalProperty
from gristmill.ir.nodes import Argument, Bound, Code, Definition, Update
from gristmill.library import Operator

Node: TypeAlias = Argument | Bound | Update
Reference: TypeAlias = nodes.Call | nodes.OperatorArgument  # what speaks of a definition
REFERENCES: Final = (nodes.Call, nodes.OperatorArgument)  # to be one of a tuple of types is sooner found out

NODE_TYPES: Final = frozenset((*get_args(Argument), Bound, Update))

_PARTS = ("Expression", "Argument", "Bound", "Update")  # how the annotation of a field says that it holds nodes


def _fields_with_nodes(kind: type) -> tuple[str, ...]:
    return tuple(name for name, of in kind.__annotations__.items() if any(part in of for part in _PARTS))


CHILD_FIELDS: Final = {kind: _fields_with_nodes(kind) for kind in NODE_TYPES}


def children(node: Node) -> Sequence[Node]:
    """The nodes a node is built from, in the order in which they are written. A call's definition is none of them.

    What goes over whole models asks this of each node again and again, so it is short rather than plain.
    """
    fields = CHILD_FIELDS[type(node)]
    if not fields:
        return ()
    found: list[Node] = []
    for name in fields:
        value = getattr(node, name)
        if type(value) is tuple:
            _put_flat(value, found)
        elif value is not None:
            found.append(value)
    return found


def _put_flat(values: tuple[Any, ...], found: list[Node]) -> None:
    for value in values:
        if type(value) is tuple:
            _put_flat(value, found)
        else:
            found.append(value)


N = TypeVar("N", bound=Node)


def rebuilt(node: N, change: Callable[[Any], Any]) -> N:
    """A node with another in the place of each child; the node itself if all of them stay."""
    kind = type(node)
    changes: dict[str, Any] | None = None
    for name in CHILD_FIELDS[kind]:
        old = getattr(node, name)
        if old is None:
            continue
        new = _changed(old, change) if type(old) is tuple else change(old)
        if new is not old:
            changes = {} if changes is None else changes
            changes[name] = new
    if changes is None:
        return node
    # `dataclasses.replace` takes longer
    return kind(*[changes[name] if name in changes else getattr(node, name) for name in kind.__match_args__])


def _changed(values: tuple[Any, ...], change: Callable[[Any], Any]) -> tuple[Any, ...]:
    items = tuple([_changed(each, change) if type(each) is tuple else change(each) for each in values])
    return items if any(map(is_not, items, values)) else values


def _always(reference: Reference) -> bool:
    return True


def reachable(
    *roots: Node | None,
    below: Callable[[Node], Iterable[Node]] = children,
    into: Callable[[Reference], bool] = _always,
) -> Iterator[Node]:
    """The nodes of expressions and of the definitions they speak of, each definition once.

    `below` says where to go from a node; `into`, asked once for each definition, whether to go into its body.
    """
    seen: set[Definition] = set()
    waiting = [root for root in roots if root is not None]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, REFERENCES) and node.definition not in seen:
            seen.add(node.definition)
            if node.definition.body is not None and into(node):
                waiting.append(node.definition.body)
        waiting.extend(below(node))


def nodes_of(root: Node) -> Iterator[Node]:
    """The nodes of an expression, not those of the definitions it speaks of."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += children(node)


def definitions(*roots: Node | None) -> list[Definition]:
    """The definitions that expressions speak of, also by way of others, in the order in which they are met."""
    return list(dict.fromkeys(node.definition for node in reachable(*roots) if isinstance(node, Reference)))


def operators_in(*roots: Node | None) -> Iterator[Operator]:
    """The library operators that expressions apply or hand over, also in the definitions they speak of."""
    return (node.operator for node in reachable(*roots) if isinstance(node, nodes.Primitive | nodes.PrimitiveOperator))


def calls_itself(definition: Definition) -> bool:
    """Also by way of others and without RECURSIVE: a configuration may replace one definition by another."""
    return definition in definitions(definition.body)


def bound_slots(node: Node) -> tuple[int, ...]:
    """The slots of its frame that a node gives a meaning."""
    match node:
        case nodes.Let(slots) | Bound(slots):
            return slots
        case nodes.Quantified(_, bounds) | nodes.SetMap(bounds):
            return _slots_of(bounds)
        case nodes.Choose(bound) | nodes.SetFilter(bound):
            return bound.slots
        case nodes.FunctionLiteral(bounds, _, self_slot):
            return _slots_of(bounds) if self_slot is None else (self_slot, *_slots_of(bounds))
        case Update(_, _, at_slot):
            return () if at_slot is None else (at_slot,)
        case _:
            return ()


def _slots_of(bounds: Iterable[Bound]) -> tuple[int, ...]:
    return tuple(slot for bound in bounds for slot in bound.slots)


# --------------------------------------------------------------------------------------------- the formulas of a model

Role = Literal[
    "init",
    "action",
    "invariant",
    "constraint",
    "action_constraint",
    "implied_init",
    "implied_action",
    "obligation",
    "possible",
    "view",
    "temporal",
    "fairness",
    "assumption",
    "constant",
    "claim",
    "symmetry",
    "alias",
    "postcondition",
]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

# Evaluated in every state, or at every step, of a search.
SEARCHED: Final[frozenset[Role]] = frozenset(
    (
        "init",
        "action",
        "invariant",
        "constraint",
        "action_constraint",
        "implied_init",
        "implied_action",
        "obligation",
        "view",
    )
)


def formulas(model: Model, roles: Collection[Role] = ROLES) -> Iterator[tuple[Role, Code]]:
    """Everything of a model that is evaluated, with what it is for, in a fixed order."""
    for role in ROLES:
        if role in roles:
            yield from ((role, code) for code in _codes(model, role))


def bodies(model: Model, roles: Collection[Role] = ROLES) -> list[nodes.Expression]:
    return [code.body for _, code in formulas(model, roles)]


def _codes(model: Model, role: Role) -> Iterator[Code]:
    match role:
        case "init":
            yield from () if model.init is None else (model.init,)
        case "action":
            yield from (branch.code for branch in model.branches)
        case "fairness":
            yield from model.fairness
        case "obligation":
            yield from (formula.code for each in model.obligations for formula in each.alternatives)
        case _:
            yield from (formula.code for formula in _named(model, role))


_SINGULAR = ("possible", "view", "temporal", "symmetry", "alias")  # named so in the model; else with an s


def _named(model: Model, role: Role) -> Iterable[Named | TemporalProperty]:
    held: Any = getattr(model, role if role in _SINGULAR else f"{role}s")
    return held if isinstance(held, tuple) else () if held is None else (held,)
