"""Values of a running program: through every kind of collection, by every step of a path."""

from typing import Any

import pytest
from java_driving import Made, arrival, started

from gristmill.replay.driver import Arrival, DriverError, Point, Reading
from gristmill.replay.jvm.driver import JvmDriver

SEQUENCES = """arrayList linkedList vector special arrayDeque array blockingQueue blockingDeque concurrentQueue
concurrentDeque priorityQueue copying synchronizedList unmodifiable asList listOf""".split()
TURNED = ["turned", "arrayQueue"]  # rings that do not begin where their arrays do
MAPS = """hashMap linkedHashMap treeMap concurrentMap skipListMap hashtable synchronizedMap unmodifiableMap
mapOf""".split()
SETS = """hashSet linkedHashSet treeSet skipListSet newKeySet synchronizedSet unmodifiableSet setOf keys""".split()

VALUES: dict[str, Any] = {
    # numbers, texts and their like
    "this.atomicInteger": 5,
    "this.atomicLong": -6,
    "this.atomicBoolean": True,
    "this.atomicReference.number": 2,
    "this.atomicReference.inner.number": 20,
    "this.boxed": 12,
    "this.yes": True,
    "this.letter": "x",
    "this.bare": "é",
    "this.small": -3,
    "this.real": "1.5",
    "this.text": "naïve",
    "this.text.length": 5,
    "this.colour": "GREEN",
    "this.type": "java.lang.String",
    "this.some": "there",
    "this.none": None,
    "this.bytes": (1, -1),
    "this.matrix": ((1, 2), (3,)),
    "this.nested": {"a": (1, 2), "b": ()},
    "this.withNull": (1, None, 3),
    # steps
    "this.nothing": None,
    "this.nothing.number": None,
    "this.nothing.inner.next()": None,
    "this.arrayList[0].number": 1,
    "this.linkedList[-1].number": 3,
    "this.arrayList[3].number": None,
    "this.arrayList[*].inner.number": (None, 20, None),
    "this.arrayList[*].next()": (2, 3, 4),
    "this.hashMap{2}.number": 2,
    "this.hashMap{4}.number": None,
    "this.nested{a}": (1, 2),
    'this.nested{"b"}': (),
    "this.nested{*}.size": {"a": 2, "b": 0},
    "this.hashMap.keys": frozenset({1, 2, 3}),
    "this.treeMap.values[*].number": (1, 2, 3),
    "this.treeMap[*].number": (1, 2, 3),
    "this.large.size": 500,
    "this.array.length": 3,
    "this.atomicReference.next()": 3,
    # where the thread is
    "given.number": 2,
    "given.inner.next()": 21,
    "number": 42,
    "numbers": (7, 8),
    "numbers[1]": 8,
    "caller": "main",
    "callers": ("main",),
    "callers[0]": "main",
    "thread": "main",
    # classes
    "Shelves.counted": 3,
    "S.counted": 3,
    "Shelves.boxes[*].number": (1, 2, 3),
    "Shelves.size()": 3,
    "Shelves.text": "naïve",
    "Shelves[*].text": ("naïve",),
    "Shelves$Colour.BLUE": "BLUE",
    # alternatives
    "this.nothing.number | this.boxed": 12,
    "this.renamed | this.boxed": 12,
    "this.boxed | this.renamed": 12,
}
ORDERED = {f"this.{name}[*].number": (1, 2, 3) for name in SEQUENCES}
ORDERED |= {"this.turned[*].number": (1, 2, 3), "this.arrayQueue[*].number": (1, 2, 3)}
BY_KEY = {f"this.{name}{{*}}.number": {1: 1, 2: 2, 3: 3} for name in MAPS}
AS_SETS = {f"this.{name}": frozenset({1, 2, 3}) for name in SETS}
COUNTS = {f"this.{name}.size": 3 for name in [*SEQUENCES, *TURNED, *MAPS, *SETS]}
NUMBERS = {n: -n for n in range(500)}
LARGE = {f"this.{name}": NUMBERS for name in ("large", "largeConcurrent", "largeTree")}
EVERYTHING = {**VALUES, **ORDERED, **BY_KEY, **AS_SETS, **COUNTS, **LARGE}

POINT = "Shelves.look entry"
ALIAS = "[alias]\nS = 'Shelves'\n"


def held(driver: Made, bind: dict[str, str]) -> tuple[JvmDriver, Arrival]:
    made = driver(Point("look", POINT, bind), main="Shelves", more=ALIAS)
    started(made, "look")
    return made, arrival(made)


def test_everything_that_can_be_read(driver: Made) -> None:
    _, found = held(driver, {path: path for path in EVERYTHING})
    assert dict(found.bindings) == EVERYTHING


def test_order_of_insertion_and_of_rings(driver: Made) -> None:
    paths = ["this.linkedHashMap[*].number", "this.linkedHashMap.values[*].number", "this.skipListMap[*].number"]
    _, found = held(driver, {path: path for path in paths})
    assert set(found.bindings.values()) == {(1, 2, 3)}


def test_keys_that_clash_are_in_trees(driver: Made) -> None:
    """A bin of a map with many entries is a tree; its entries are read like others."""
    _, found = held(driver, {"values": "this.clashing[*]", "keys": "this.clashing{*}"})
    assert sorted(found.bindings["values"]) == list(range(30))
    assert sorted(found.bindings["keys"].values()) == list(range(30))
    assert all(key.startswith("Shelves$Clash@") for key in found.bindings["keys"])


def test_other_objects_tell_their_class_and_which_one_they_are(driver: Made) -> None:
    _, found = held(driver, {"box": "given", "same": "this.arrayList[1]", "other": "this.arrayList[0]"})
    assert found.bindings["box"].startswith("Shelves$Box@")
    assert found.bindings["box"] == found.bindings["same"] != found.bindings["other"]


def test_readings_from_classes_roots_and_held_threads(driver: Made) -> None:
    readings = {
        "static": {"path": "Shelves.counted"},
        "instance": {"path": "Shelves.boxed"},
        "root": {"root": "S", "path": "arrayList[*].number"},
        "roots": {"root": "S[*]", "path": "colour"},
        "called": {"root": "Shelves", "path": "atomicReference.next()"},
        "other": {"root": "Shelves", "path": ["nothing", "boxed"]},
        "held": {"point": "look", "path": "number"},
        "nobody": {"point": "elsewhere", "path": "number"},
        "thread": {"root": "java.lang.Thread", "path": "name"},
    }
    expected = {
        "static": 3,
        "instance": 12,
        "root": (1, 2, 3),
        "roots": ("GREEN",),
        "called": 3,
        "other": 12,
        "held": (42,),
        "nobody": (),
        "thread": "main",
    }
    made = driver(Point("look", POINT), readings=readings, main="Shelves", more=ALIAS)
    started(made, "look")
    arrival(made)
    assert made.observe("1", made.setup.readings) == expected
    made.open(["look"])  # methods are called by a thread of ours, too
    del expected["held"], readings["held"]
    assert made.observe("1", [each for each in made.setup.readings if each.name != "held"]) == expected


@pytest.mark.parametrize(
    ("how", "message", "help"),
    [
        ({"root": "Shelves", "path": "arayList"}, "Shelves has no field arayList", "did you mean arrayList"),
        ({"root": "Shelves", "path": "boxed.x"}, "12 has no .x", ""),
        ({"root": "Shelves", "path": "text[*]"}, "is no collection that can be read", ""),
        ({"root": "Shelves", "path": "arrayList{1}"}, "is of maps", ""),
        ({"root": "Shelves", "path": "loook()"}, "has no method loook without arguments", ""),
        ({"root": "Shelfs", "path": "text"}, "no class Shelfs is loaded", ""),
        ({"path": "Shelfs.text"}, "'Shelfs' is neither a variable here nor a class", ""),
        ({"root": "Shelves", "path": "arrayList[0].boom()"}, "has no method boom", ""),
    ],
)
def test_readings_that_cannot_be(driver: Made, how: dict[str, Any], message: str, help: str) -> None:
    made = driver(Point("look", POINT), main="Shelves")
    started(made, "look")
    arrival(made)
    with pytest.raises(DriverError, match=message.replace("(", r"\(")) as raised:
        made.observe("1", [Reading("wrong", how)])
    assert raised.value.message.startswith("reading wrong: ")
    assert help in (raised.value.help or "")


def test_local_variables_of_a_thread_wherever_it_is(driver: Made) -> None:
    """It is suspended for a moment, and goes on, also if another reading fails."""
    made = started(driver(Point("look", POINT), main="Shelves"))
    arrival(made)
    mine = Reading("mine", {"thread": "ma", "method": "main", "path": "shelves.boxed"})
    elsewhere = Reading("elsewhere", {"thread": "ma", "method": "run", "path": "shelves.boxed"})
    nobody = Reading("nobody", {"thread": "none", "method": "main", "path": "shelves.boxed"})
    assert made.observe("1", [mine, elsewhere, nobody]) == {"mine": 12, "elsewhere": None, "nobody": None}
    with pytest.raises(DriverError, match="has no field wrong"):
        made.observe("1", [Reading("wrong", {"root": "Shelves", "path": "wrong"}), mine])
    made.hold(["look"])
    while not arrival(made).held:
        pass
    assert made.observe("1", [mine]) == {"mine": 12}


def test_a_class_that_is_not_loaded_yet_has_no_values(driver: Made) -> None:
    made = driver(Point("look", POINT), main="Shelves")
    started(made, "look")
    arrival(made)
    readings = [Reading("static", {"path": "Mill.rounds"}), Reading("root", {"root": "Mill", "path": "name"})]
    assert made.observe("1", readings) == {"static": None, "root": None}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"root": "Shelves"}, "needs a path"),
        ({"path": "a..b"}, "cannot be understood"),
        ({"path": "a", "rot": "Shelves"}, "has no key `rot`"),
    ],
)
def test_readings_that_cannot_be_understood(driver: Made, how: dict[str, Any], message: str) -> None:
    with pytest.raises(DriverError, match=message):
        driver(readings={"wrong": how})
