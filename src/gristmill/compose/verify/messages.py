"""What is seen of a network: not the messages that are a matter of the module alone.

A variable that the manifest cuts by a tag (`slice`) is observed without the messages whose tag no action of the other
modules speaks of, nor of the coarse grain. For the observer they are not there, wherever they stand in a queue.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from gristmill.checking.graphs import View
from gristmill.compose.variables.slices import tags_in_text
from gristmill.compose.verify.sides import Side
from gristmill.values import Fn, Value


def hidden_tags(fine: Side, coarse: Side, modules: Collection[str], field: str) -> frozenset[Value]:
    """Values of the field that only fine actions of `modules` speak of."""
    with fine.model.world.active():
        own = tags_in_text(_actions(fine, modules, inside=True), field)
        others = tags_in_text(_actions(fine, modules, inside=False), field)
    with coarse.model.world.active():
        others |= tags_in_text(replace(coarse.model, init=None), field)
    return frozenset(own - others)


def _actions(side: Side, modules: Collection[str], inside: bool) -> Any:
    actions = zip(side.model.actions, side.modules, strict=True)
    return replace(side.model, init=None, actions=tuple(each for each, name in actions if (name in modules) == inside))


def message_views(
    fine: Side, coarse: Side, modules: Collection[str], slices: Mapping[str, str]
) -> dict[str, tuple[frozenset[Value], View]]:
    """For each variable that is cut, if something of it is hidden: the tags that are, and what is seen of a value."""
    found: dict[str, tuple[frozenset[Value], View]] = {}
    for variable, field in slices.items():
        hidden = hidden_tags(fine, coarse, modules, field)
        if hidden:
            found[variable] = hidden, partial(without_messages, field=field, hidden=hidden)
    return found


def without_messages(value: Value, *, field: str, hidden: Collection[Value]) -> Hashable:
    """A value without the messages of some tags, in sets, sequences, bags, and functions to them."""

    def is_message(each: Value) -> bool:
        return type(each) is Fn and field in each

    def is_hidden(each: Value) -> bool:
        return type(each) is Fn and each.get(field) in hidden

    def seen(each: Value) -> Hashable:
        if type(each) is frozenset:
            return frozenset(item for item in each if not is_hidden(item))
        if type(each) is tuple:
            return tuple(item if is_message(item) else seen(item) for item in each if not is_hidden(item))
        if type(each) is Fn and not is_message(each):
            return frozenset((key, seen(item)) for key, item in each.items() if not is_hidden(key))
        return each

    return seen(value)
