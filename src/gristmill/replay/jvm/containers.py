"""Collections of the JDK, read by their fields, as a method can only be called where a thread is held.

Those that programs use most are here, from Java 8 on. Whatever is derived from one of them is read like it.
"""

from __future__ import annotations

from gristmill.replay.jvm import maps
from gristmill.replay.jvm.classes import ARRAY, Loaded
from gristmill.replay.jvm.contents import Contents, Walker, array, fields_of, of_map, of_set, sequence
from gristmill.replay.jvm.objects import Objects
from gristmill.replay.jvm.tasks import Task, together
from gristmill.replay.jvm.wire import Ref, Value


def walker_of(of: Loaded) -> Walker | None:
    """How to read objects of a class as collections, if they are any."""
    if of.kind == ARRAY:
        return _array
    return next((WALKERS[name] for name in of.ancestry if name in WALKERS), None)


def contents_of(objects: Objects, ref: Ref) -> Task[Contents | None]:
    walker = walker_of((yield from objects.type_of(ref)))
    return None if walker is None else (yield from walker(objects, ref))


def _array(objects: Objects, ref: Ref) -> Task[Contents]:
    return sequence((yield from objects.elements(ref)))


# ------------------------------------------------------------------------------------------------------------ sequences


def _in_array(elements: str, size: str | None = None) -> Walker:
    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        if size is None:
            (values,) = yield from objects.named(ref, elements)
            return sequence((yield from array(objects, values)))
        values, length = yield from objects.named(ref, elements, size)
        assert isinstance(length, int)
        return sequence((yield from array(objects, values))[:length])

    return walk


def _chained(first: str, node: str) -> Walker:
    """Nodes with `item` and `next`; those without an item are no elements."""

    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        (at,) = yield from objects.named(ref, first)
        return sequence((yield from _items(objects, at, node)))

    return walk


def _items(objects: Objects, at: Value, node: str) -> Task[list[Value]]:
    values: list[Value] = []
    seen: set[Ref] = set()
    fields = (yield from fields_of(objects, node, "item", "next")) if at is not None else []
    while isinstance(at, Ref) and at not in seen:
        seen.add(at)
        item, at = yield from objects.fields(at, fields)
        values.append(item)
    return values


def _without_null(walker: Walker) -> Walker:
    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        found = yield from walker(objects, ref)
        return Contents(found.kind, [each for each in found.values if each is not None])

    return walk


def _concurrent_deque(objects: Objects, ref: Ref) -> Task[Contents]:
    """Its head may lag behind: the first node is found by going back."""
    node = "java.util.concurrent.ConcurrentLinkedDeque$Node"
    (at,) = yield from objects.named(ref, "head")
    fields = (yield from fields_of(objects, node, "prev")) if at is not None else []
    seen: set[Ref] = set()
    while isinstance(at, Ref) and at not in seen:
        seen.add(at)
        (before,) = yield from objects.fields(at, fields)
        if before is None or before == at:
            break
        at = before
    return sequence([each for each in (yield from _items(objects, at, node)) if each is not None])


def _array_deque(objects: Objects, ref: Ref) -> Task[Contents]:
    elements, head, tail = yield from objects.named(ref, "elements", "head", "tail")
    assert isinstance(head, int)
    assert isinstance(tail, int)
    ring = yield from array(objects, elements)
    return sequence(ring[head:tail] if head <= tail else ring[head:] + ring[:tail])


def _array_blocking_queue(objects: Objects, ref: Ref) -> Task[Contents]:
    items, take, count = yield from objects.named(ref, "items", "takeIndex", "count")
    assert isinstance(take, int)
    assert isinstance(count, int)
    ring = yield from array(objects, items)
    return sequence((ring[take:] + ring[:take])[:count])


def _listed(*names: str) -> Walker:
    """Elements in fields. In collections of up to two, a bare `Object` stands for the second that is not there."""

    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        values = [each for each in (yield from objects.named(ref, *names)) if each is not None]
        types = yield from together(objects.type_of(each) for each in values if isinstance(each, Ref))
        return sequence([value for value, of in zip(values, types, strict=True) if of.name != "java.lang.Object"])

    return walk


# ------------------------------------------------------------------------------------------ made from other collections


def _wrapping(field: str) -> Walker:
    """One that hands everything on to another."""

    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        (inner,) = yield from objects.named(ref, field)
        found = (yield from contents_of(objects, inner)) if isinstance(inner, Ref) else None
        return found if found is not None else sequence([])

    return walk


def _as_set(walker: Walker) -> Walker:
    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        return of_set((yield from walker(objects, ref)).values)

    return walk


def _keys(field: str) -> Walker:
    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        return of_set((yield from _wrapping(field)(objects, ref)).keys or [])

    return walk


def _values(field: str) -> Walker:
    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        return sequence((yield from _wrapping(field)(objects, ref)).values)

    return walk


def _empty(contents: Contents) -> Walker:
    def walk(objects: Objects, ref: Ref) -> Task[Contents]:
        return contents
        yield []

    return walk


def _properties(objects: Objects, ref: Ref) -> Task[Contents]:
    """Since Java 9 in a map of their own."""
    of = yield from objects.type_of(ref)
    walk = _wrapping("map") if "map" in of.fields else maps.bins("java.util.Hashtable$Entry")
    return (yield from walk(objects, ref))


_UTIL = {
    "ArrayList": _in_array("elementData", "size"),
    "Vector": _in_array("elementData", "elementCount"),
    "LinkedList": _chained("first", "java.util.LinkedList$Node"),
    "ArrayDeque": _array_deque,
    "PriorityQueue": _in_array("queue", "size"),
    "Arrays$ArrayList": _in_array("a"),
    "HashMap": maps.bins("java.util.HashMap$Node"),
    "LinkedHashMap": maps.linked_hash_map,
    "TreeMap": maps.tree_map,
    "Hashtable": maps.bins("java.util.Hashtable$Entry"),
    "Properties": _properties,
    "IdentityHashMap": maps.alternating("table"),
    "EnumMap": maps.enum_map,
    "HashSet": _keys("map"),
    "TreeSet": _keys("m"),
    "HashMap$KeySet": _keys("this$0"),
    "HashMap$Values": _values("this$0"),
    "LinkedHashMap$LinkedKeySet": _keys("this$0"),
    "LinkedHashMap$LinkedValues": _values("this$0"),
    "TreeMap$KeySet": _keys("m"),
    "TreeMap$Values": _values("this$0"),
    "Collections$SynchronizedCollection": _wrapping("c"),
    "Collections$SynchronizedMap": _wrapping("m"),
    "Collections$UnmodifiableCollection": _wrapping("c"),
    "Collections$UnmodifiableMap": _wrapping("m"),
    "Collections$CheckedCollection": _wrapping("c"),
    "Collections$CheckedMap": _wrapping("m"),
    "Collections$SetFromMap": _keys("m"),
    "Collections$EmptyList": _empty(sequence([])),
    "Collections$EmptySet": _empty(of_set([])),
    "Collections$EmptyMap": _empty(of_map([])),
    "Collections$SingletonList": _listed("element"),
    "Collections$SingletonSet": _as_set(_listed("element")),
    "Collections$SingletonMap": maps.single_entry("k", "v"),
    "ImmutableCollections$ListN": _in_array("elements"),
    "ImmutableCollections$List12": _listed("e0", "e1"),
    "ImmutableCollections$SetN": _as_set(_without_null(_in_array("elements"))),
    "ImmutableCollections$Set12": _as_set(_listed("e0", "e1")),
    "ImmutableCollections$MapN": maps.alternating("table"),
    "ImmutableCollections$Map1": maps.single_entry("k0", "v0"),
}
_CONCURRENT = {
    "ArrayBlockingQueue": _array_blocking_queue,
    "LinkedBlockingQueue": _without_null(_chained("head", "java.util.concurrent.LinkedBlockingQueue$Node")),
    "LinkedBlockingDeque": _without_null(_chained("first", "java.util.concurrent.LinkedBlockingDeque$Node")),
    "ConcurrentLinkedQueue": _without_null(_chained("head", "java.util.concurrent.ConcurrentLinkedQueue$Node")),
    "ConcurrentLinkedDeque": _concurrent_deque,
    "PriorityBlockingQueue": _in_array("queue", "size"),
    "DelayQueue": _wrapping("q"),
    "CopyOnWriteArrayList": _in_array("array"),
    "CopyOnWriteArraySet": _as_set(_wrapping("al")),
    "ConcurrentHashMap": maps.concurrent_hash_map,
    "ConcurrentSkipListMap": maps.concurrent_skip_list_map,
    "ConcurrentSkipListSet": _keys("m"),
    "ConcurrentHashMap$KeySetView": _keys("map"),
    "ConcurrentHashMap$ValuesView": _values("map"),
}
WALKERS: dict[str, Walker] = {f"java.util.{name}": walker for name, walker in _UTIL.items()}
WALKERS |= {f"java.util.concurrent.{name}": walker for name, walker in _CONCURRENT.items()}
