"""Maps of the JDK, read by their fields. Bins and subtrees are read side by side."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.replay.jvm.contents import Contents, Walker, array, fields_of, of_map
from gristmill.replay.jvm.objects import Objects
from gristmill.replay.jvm.tasks import Task, together
from gristmill.replay.jvm.wire import Ref, Value

_MOVED, _TREE_BIN = -1, -2  # hashes of nodes of a ConcurrentHashMap that hold no entry


def bins(node: str, value: str = "value") -> Walker:
    """A table of chains."""

    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        (table,) = yield from objects.named(ref, "table")
        heads = yield from array(objects, table)
        nodes = yield from _chains(objects, heads, node, ("key", value, "next"))
        return of_map([(key, each) for key, each, _ in nodes.values()])

    return walk


def _chains(
    objects: Objects, heads: Sequence[Value], node: str, names: tuple[str, ...]
) -> Task[dict[Ref, list[Value]]]:
    """The fields of the nodes of all chains; the last name is that of the next node."""
    found: dict[Ref, list[Value]] = {}
    layer = [each for each in heads if isinstance(each, Ref)]
    if not layer:
        return found
    fields = yield from fields_of(objects, node, *names)
    while layer:
        read = yield from together(objects.fields(each, fields) for each in layer)
        found.update(zip(layer, read, strict=True))
        layer = [each[-1] for each in read if isinstance(each[-1], Ref) and each[-1] not in found]
    return found


def linked_hash_map(objects: Objects, ref: Ref) -> Task[Contents]:
    """In the order of insertion: all nodes are read by way of the table, and put in order here."""
    head, table = yield from objects.named(ref, "head", "table")
    heads = yield from array(objects, table)
    node = "java.util.LinkedHashMap$Entry"
    chains = yield from _chains(objects, heads, "java.util.HashMap$Node", ("key", "value", "next"))
    fields = (yield from fields_of(objects, node, "after")) if chains else []
    after = yield from together(objects.fields(each, fields) for each in chains)
    following = {node: next_one for node, (next_one,) in zip(chains, after, strict=True)}
    entries: list[tuple[Value, Value]] = []
    at = head
    while isinstance(at, Ref) and at in following:
        entries.append((chains[at][0], chains[at][1]))
        at = following.pop(at)
    return of_map(entries)


def tree_map(objects: Objects, ref: Ref) -> Task[Contents]:
    (root,) = yield from objects.named(ref, "root")
    nodes: dict[Ref, list[Value]] = {}
    layer = [root] if isinstance(root, Ref) else []
    names = ("left", "key", "value", "right")
    fields = (yield from fields_of(objects, "java.util.TreeMap$Entry", *names)) if layer else []
    while layer:
        read = yield from together(objects.fields(each, fields) for each in layer)
        nodes.update(zip(layer, read, strict=True))
        below = [child for each in read for child in (each[0], each[3])]
        layer = [child for child in below if isinstance(child, Ref) and child not in nodes]
    return of_map(_in_order(root, nodes))


def _in_order(root: Value, nodes: dict[Ref, list[Value]]) -> list[tuple[Value, Value]]:
    entries: list[tuple[Value, Value]] = []
    above: list[Ref] = []
    at, seen = root, 0
    while (isinstance(at, Ref) or above) and seen <= len(nodes):
        while isinstance(at, Ref):
            above.append(at)
            at = nodes[at][0]
        _, key, value, right = nodes[above.pop()]
        entries.append((key, value))
        at, seen = right, seen + 1
    return entries


def concurrent_hash_map(objects: Objects, ref: Ref) -> Task[Contents]:
    """While it grows, entries are in the old table or in the new one."""
    (table,) = yield from objects.named(ref, "table")
    names = ("hash", "key", "val", "next")
    entries: dict[Ref, list[Value]] = {}
    walked: set[Ref] = set()
    heads = yield from array(objects, table)
    while heads:
        nodes = yield from _chains(objects, heads, "java.util.concurrent.ConcurrentHashMap$Node", names)
        entries.update({node: each for node, each in nodes.items() if each[1] is not None})
        moved = [node for node, each in nodes.items() if each[0] == _MOVED]
        trees = [node for node, each in nodes.items() if each[0] == _TREE_BIN]
        heads = [first for (first,) in (yield from together(objects.named(each, "first") for each in trees))]
        tables = yield from together(objects.named(each, "nextTable") for each in moved)
        for new in {each for (each,) in tables if isinstance(each, Ref)} - walked:
            walked.add(new)
            heads += yield from objects.elements(new)
    return of_map([(key, value) for _, key, value, _ in entries.values()])


def concurrent_skip_list_map(objects: Objects, ref: Ref) -> Task[Contents]:
    """The list at its base; entries that are being removed have no value, and markers no key."""
    (head,) = yield from objects.named(ref, "head")
    if not isinstance(head, Ref):
        return of_map([])
    (node,) = yield from objects.named(head, "node")
    if not isinstance(node, Ref):
        return of_map([])
    fields = yield from fields_of(objects, "java.util.concurrent.ConcurrentSkipListMap$Node", "key", "val", "next")
    entries, seen = [], {node}
    (_, _, at) = yield from objects.fields(node, fields)
    while isinstance(at, Ref) and at not in seen:
        seen.add(at)
        key, value, at = yield from objects.fields(at, fields)
        if key is not None and value is not None:
            entries.append((key, value))
    return of_map(entries)


def alternating(field: str) -> Walker:
    """An array with keys at even places, and their values behind them."""

    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        (table,) = yield from objects.named(ref, field)
        both = yield from array(objects, table)
        return of_map([(key, value) for key, value in zip(both[::2], both[1::2], strict=False) if key is not None])

    return walk


def single_entry(key: str, value: str) -> Walker:
    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        found = yield from objects.named(ref, key, value)
        return of_map([(found[0], found[1])])

    return walk


def enum_map(objects: Objects, ref: Ref) -> Task[Contents]:
    universe, values = yield from objects.named(ref, "keyUniverse", "vals")
    keys = yield from array(objects, universe)
    entries = zip(keys, (yield from array(objects, values)), strict=False)
    return of_map([(key, value) for key, value in entries if value is not None])
