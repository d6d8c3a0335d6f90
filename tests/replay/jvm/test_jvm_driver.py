"""Threads of a running program: held where the mapping says, released one at a time, changed on the way."""

import pytest
from java_driving import Made, arrival, started

from gristmill.replay.driver import Arrival, DriverError, Point, Reading

ROUNDS = Reading("rounds", {"path": "Mill.rounds"})


def test_points_of_every_kind_in_the_order_of_the_code(driver: Made) -> None:
    bind = {"weight": "weight", "length": "length", "caller": "caller"}
    made = driver(
        Point("in", "Mill.grind entry", {"weight": "weight"}),
        Point("before", "Mill.grind call weigh", {"weight": "weight"}),
        Point("after", "Mill.grind after weigh", bind),
        Point("stored", "Mill.grind after store", bind),
        Point("out", "Mill.grind exit", bind),
        Point("second", "Mill.grind exit#2", bind),
        Point("line", "Mill.weigh(String) entry", {"grain": "grain", "callers": "callers"}),
    )
    started(made, *(point.name for point in made.setup.points))
    seen = []
    for _ in range(6):
        found = arrival(made)
        assert found.held
        assert made.held() == [found]
        seen.append(found)
        made.release(found)
    assert [each.point for each in seen] == ["in", "before", "line", "after", "stored", "out"]
    assert seen[2].bindings["grain"] == "grain0"
    assert seen[2].bindings["callers"][:2] == ("grind", "worker")
    assert seen[3].bindings == {"weight": 0, "length": 6, "caller": "worker"}
    assert arrival(made).point == "second"  # at the same place as `out`, and after it
    assert {each.actor for each in seen} == {"worker"}
    assert [each.number for each in seen] == list(range(6))


def test_conditions_decide_what_is_held_and_noted(driver: Made) -> None:
    point = Point("in", "Mill.grind entry", {"weight": "weight"}, lambda node, bound: bound["weight"] == 3)
    made = started(driver(point), "in")
    first = arrival(made)
    assert first.bindings == {"weight": 3}
    made.release(first)
    second = arrival(made)
    assert (second.bindings, second.number) == ({"weight": 3}, 1)


def test_a_condition_that_fails_is_told_to_the_coordinator(driver: Made) -> None:
    made = started(driver(Point("in", "Mill.grind entry", {}, lambda node, bound: 1 // 0 == 1)))
    with pytest.raises(ZeroDivisionError):
        made.next(10.0)


def test_open_points_and_those_that_tell_hold_nobody(driver: Made) -> None:
    made = driver(Point("in", "Mill.grind entry"), Point("told", "Mill.grind exit", tells=True))
    started(made, "told")
    seen = [arrival(made) for _ in range(6)]
    assert [each.point for each in seen] == ["in", "told"] * 3
    assert not any(each.held for each in seen)
    made.hold(["in"])
    held = next(each for each in iter(lambda: arrival(made), None) if each.held)
    assert held.point == "in"
    made.open(["in"])
    assert made.held() == []
    assert arrival(made).point == "told"


def test_two_nodes_are_closed_by_themselves(driver: Made) -> None:
    made = driver(Point("in", "Mill.grind entry"), nodes=("a", "b"))
    made.start()
    made.hold(["in"], "b")
    for node in ("a", "b"):
        made.fault("start", node)
    seen: list[Arrival] = []
    while {(each.node, each.held) for each in seen} != {("a", False), ("b", True)}:
        seen.append(arrival(made))
    assert [each.node for each in made.held()] == ["b"]


def test_threads_of_one_name_are_told_apart(driver: Made) -> None:
    made = started(driver(Point("in", "Mill.grind entry"), mode="workers"), "in")
    first, second = arrival(made), arrival(made)
    assert {first.actor, second.actor} == {"worker", "worker #2"}
    made.release(second)
    assert arrival(made).actor == second.actor
    assert made.held()[0] is first


def test_several_points_at_one_place_are_come_to_one_after_the_other(driver: Made) -> None:
    always = [Point(name, "Mill.grind entry", {"fast": "this.fast"}) for name in ("one", "two", "three")]
    made = driver(always[0], Point("never", "Mill.grind entry", {}, lambda node, bound: False), *always[1:])
    started(made, "one", "three")
    one = arrival(made)
    assert (one.point, one.held) == ("one", True)
    made.release(one, {"this.fast": True})
    two, three = arrival(made), arrival(made)
    assert [(each.point, each.held) for each in (two, three)] == [("two", False), ("three", True)]
    assert three.bindings == {"fast": True}  # read again, as it has changed
    made.release(three)
    assert arrival(made).point == "one"


def test_what_is_set_is_there(driver: Made) -> None:
    bind = {name: f"this.{name}" for name in ("fast", "state", "name", "ground", "served", "half", "links")}
    made = driver(
        Point("in", "Mill.grind entry"),
        Point("out", "Mill.grind exit", {**bind, "grain": "grain", "weight": "weight", "length": "length"}),
        Point("static", "Mill.grind exit", {"doubled": "Mill.doubled"}),
    )
    started(made, "in", "out", "static")
    changes = {
        "this.fast": True,
        "this.state": "BUSY",
        "this.name": "né",
        "this.ground": 1000,
        "this.served": 9,
        "this.half": 3.0,
        "this.links": "null",
        "grain": "rye",
        "weight": 4,
        "Mill.doubled": 2**40,
    }
    made.release(arrival(made), changes)
    assert arrival(made, "out").bindings == {
        "fast": True,
        "state": "BUSY",
        "name": "né",
        "ground": 1003,
        "served": 9,
        "half": 3,
        "links": None,
        "grain": "rye",
        "weight": 4,
        "length": 3,
    }
    made.release(made.held()[0])
    assert arrival(made).bindings == {"doubled": 2**40}


@pytest.mark.parametrize(
    ("changes", "message", "help"),
    [
        ({"this.fats": True}, "Mill has no field fats", "did you mean fast"),
        ({"this.fast": 1}, "1 is no value of the type boolean", ""),
        ({"this.state": "LAZY"}, "'LAZY' is no value of the type Mill", ""),
        ({"grian": "x"}, "there is no local variable grian here", "did you mean grain"),
        ({"this.links[0]": None}, "cannot be set", ""),
        ({"this.links": 3}, "3 is no value of the type java.util.List", ""),
        ({"return": "void"}, "the method returns a value of the type int", ""),
        ({"return": True}, "True is no value of the type int", ""),
    ],
)
def test_what_cannot_be_set(driver: Made, changes: dict[str, object], message: str, help: str) -> None:
    made = started(driver(Point("in", "Mill.grind entry")), "in")
    held = arrival(made)
    with pytest.raises(DriverError, match=message) as raised:
        made.release(held, changes)
    assert help in (raised.value.help or "")
    assert made.held() == [held]


def test_a_method_that_returns_at_once(driver: Made) -> None:
    made = driver(
        Point("store", "Mill.store entry", {"ground": "this.ground", "length": "length"}),
        Point("weigh", "Mill.weigh(String) entry"),
    )
    started(made, "store", "weigh")
    lengths = []
    for number in range(4):  # the first three grains are too light to be kept
        made.release(arrival(made, "weigh"), {"return": 100 + number})
        held = arrival(made, "store")
        lengths.append(held.bindings["length"])
        with pytest.raises(DriverError, match="the method returns nothing") as raised:
            made.release(held, {"return": 0})
        assert raised.value.help == "write return = '\"void\"'"
        made.release(held, {"return": "void"})
    assert lengths == [0, 0, 0, 103]
    made.release(arrival(made, "weigh"))
    assert arrival(made, "store").bindings == {"ground": 0, "length": 6}  # what was dropped was not stored


def test_a_method_that_is_called_again(driver: Made) -> None:
    """With the arguments that it had; and points behind, at the same place, are not come to."""
    made = driver(
        Point("weighed", "Mill.weigh(String) exit", {"grain": "grain"}),
        Point("behind", "Mill.weigh(String) exit", {"grain": "grain"}),
        Point("stored", "Mill.store exit", {"ground": "this.ground", "grain": "grain"}),
    )
    started(made, "weighed", "stored")
    first = arrival(made)
    with pytest.raises(DriverError, match="a method cannot be called 'twice'") as raised:
        made.release(first, {"call": "twice"})
    assert raised.value.help == "write call = '\"again\"'"
    made.release(first, {"call": "again"})
    second = arrival(made)
    assert (second.point, second.bindings) == ("weighed", first.bindings)
    made.release(second)
    assert arrival(made).point == "behind"
    third = arrival(made)
    assert (third.point, third.bindings["grain"]) == ("stored", "grain0")
    made.release(third, {"call": "again"})
    assert arrival(made).point == "stored"


def test_a_variable_that_lives_at_some_places_only_is_null_elsewhere(driver: Made) -> None:
    made = started(driver(Point("p", "Mill.grind call weigh", {"w": "weight"}), Point("q", "Words.spoken exit")), "p")
    assert arrival(made).bindings == {"w": 0}


def test_what_is_wrong_with_points_is_said_before_anything_starts(driver: Made) -> None:
    made = driver(
        Point("good", "Mill.grind entry", {"w": "weight"}),
        Point("class", "Mil.grind entry"),
        Point("call", "Mill.grind call stroe"),
        Point("name", "Mill.grind entry", {"w": "wieght"}),
        Point("jdk", "java.net.Socket.close entry"),
    )
    found = {each.point: each for each in made.points()}
    assert found["good"].places[0].startswith("Mill.grind(String, long), instruction 0, line ")
    assert (found["class"].problem, found["class"].help) == ("there is no class Mil", "did you mean Mill?")
    assert found["call"].help == "did you mean store?"
    assert found["name"].problem == "nothing is called wieght at Mill.grind entry"
    assert found["name"].help == "did you mean weight?"
    assert found["jdk"].problem is None
    with pytest.raises(DriverError, match=r"there is no class Mil$"):
        made.start()


def test_an_optional_point_need_not_be_there(driver: Made) -> None:
    missing = Point("gone", "Mill.removed entry", options={"optional": True})
    made = started(driver(missing, Point("in", "Mill.grind entry")), "in")
    assert arrival(made).point == "in"
    assert {each.point: each.problem for each in made.points()}["gone"] == "class Mill has no method removed"


def test_without_a_class_path_mistakes_are_found_when_a_class_is_loaded(driver: Made) -> None:
    def change(text: str) -> str:
        return text.replace('classpath = ["{mapping}"]', "").replace("{classpath}", "{mapping}")

    made = driver(Point("in", "Mill.grnd entry"), change=change)
    assert made.points()[0].problem is None
    started(made)
    with pytest.raises(DriverError, match="class Mill has no method grnd"):
        made.next(10.0)


def test_classes_of_the_jdk_have_points_too(driver: Made) -> None:
    """They are loaded before the program, and need not have names of local variables."""
    at = "java.util.concurrent.atomic.AtomicInteger.addAndGet(int) entry"
    made = started(driver(Point("add", at, {"what": "arg0", "to": "this", "caller": "caller"})), "add")
    assert arrival(made).bindings == {"what": 0, "to": 7, "caller": "worker"}


def test_classes_without_names_of_variables(driver: Made) -> None:
    bind = {"first": "arg0", "second": "arg1", "this": "this"}
    made = started(driver(Point("in", "Bare.both entry", bind), main="Bare"), "in")
    found = arrival(made).bindings
    assert (found["first"], found["second"]) == (4, "four")
    assert found["this"].startswith("Bare@")
    (wrong,) = driver(Point("in", "Bare.both entry", {"first": "first"})).points()
    assert wrong.problem == "nothing is called first at Bare.both entry"
    assert wrong.help == "the class has no names of local variables: arguments are called arg0, arg1, …"


def test_native_methods_have_no_points(driver: Made) -> None:
    made = started(driver(Point("native", "java.lang.Object.hashCode entry")))
    with pytest.raises(DriverError, match="the method is native, and has no code"):
        made.next(10.0)


def test_other_threads_go_on_while_one_is_held(driver: Made) -> None:
    made = started(driver(Point("in", "Mill.grind entry"), mode="workers"), "in")
    first, _ = arrival(made), arrival(made)
    made.open(["in"])
    made.hold(["in"])
    rounds = made.observe("1", [ROUNDS])["rounds"]
    for _ in range(50):
        if made.observe("1", [ROUNDS])["rounds"] > rounds:
            break
        found = made.next(1.0)
        assert isinstance(found, Arrival)
        if found.held and found.actor != first.actor:
            made.release(found)
    else:
        raise AssertionError("nobody has gone on")


def test_settling(driver: Made) -> None:
    made = started(driver(IN := Point("in", "Mill.grind entry")))
    assert not made.settle(0.2)  # its thread goes on and on
    made.hold([IN.name])
    assert made.settle(10.0)
    assert len(made.held()) == 1
    made.fault("kill", "1")
    assert made.settle(10.0)


def test_what_threads_are_doing(driver: Made) -> None:
    made = started(driver(Point("in", "Mill.weigh(String) entry")), "in")
    arrival(made)
    lines = made.doing()
    assert any(line.startswith("1: worker: held at in in Mill.weigh:") for line in lines)
    assert any("< Mill.grind:" in line and "< Mill.worker:" in line for line in lines)
    assert not any("Reference Handler" in line or "gristmill" in line for line in lines)
    made.fault("kill", "1")
    assert made.doing() == ["1: not running"]
