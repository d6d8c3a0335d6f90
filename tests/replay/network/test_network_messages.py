"""Messages between real processes, held on their way: what happens to them is what we do with them."""

import pytest

from cluster import BY_LINKS, BY_TAPS, STATE, deliver, heard, held, message, running, tell
from gristmill.replay.driver import Arrival, DriverError, Point, Reading

ANY = Point("any", "message")
TOLD = Point("told", "message Tell")


@pytest.mark.parametrize("text", [BY_LINKS, BY_TAPS], ids=["links", "taps"])
def test_what_no_point_names_goes_on_by_itself(text):
    with running(text) as driver:
        tell(driver, "a", 1)
        assert heard(driver, "b") == [("a", 1)]
        assert heard(driver, "c") == [("a", 1)]
        assert sorted(driver.observe("a", [STATE])["state"]["answers"]) == [("b", 1), ("c", 1)]


@pytest.mark.parametrize("text", [BY_LINKS, BY_TAPS], ids=["links", "taps"])
def test_a_message_is_held_until_it_is_released(text):
    with running(text, [TOLD]) as driver:
        driver.hold(["told"])
        tell(driver, "a", 1)
        assert held(driver) == [("a", "b", "Tell", 1), ("a", "c", "Tell", 1)]
        assert heard(driver, "b") == []
        deliver(driver, "a", "b")
        assert held(driver) == [("a", "c", "Tell", 1)]
        assert (heard(driver, "b"), heard(driver, "c")) == ([("a", 1)], [])


def test_answers_are_messages_of_the_other_direction():
    with running(BY_TAPS, [ANY]) as driver:
        driver.hold(["any"])
        tell(driver, "a", 1)
        deliver(driver, "a", "b")
        assert held(driver) == [("a", "c", "Tell", 1), ("b", "a", "Heard", 1)]
        deliver(driver, "b", "a")
        assert driver.observe("a", [STATE])["state"]["answers"] == (("b", 1),)


def test_what_is_behind_a_held_message_waits_too():
    """Each direction of a connection is a queue."""
    odd = Point("odd", "message Tell", accepts=lambda node, told: told["message"]["number"] % 2 == 1)
    with running(BY_LINKS, [odd]) as driver:
        driver.hold(["odd"], "b")
        for number in (1, 2, 3):
            tell(driver, "a", number)
        assert held(driver) == [("a", "b", "Tell", 1)]
        assert heard(driver, "c") == [("a", 1), ("a", 2), ("a", 3)]
        deliver(driver, "a", "b")
        assert heard(driver, "b") == [("a", 1), ("a", 2)]
        assert held(driver) == [("a", "b", "Tell", 3)]


def test_messages_overtake_each_other_if_the_protocol_allows_it():
    with running(BY_LINKS.replace("[network]", '[network]\norder = "free"'), [TOLD]) as driver:
        driver.hold(["told"], "b")
        for number in (1, 2, 3):
            tell(driver, "a", number)
        assert [each[3] for each in held(driver)] == [1, 2, 3]
        second = next(each for each in driver.held() if each.bindings["message"]["number"] == 2)
        driver.release(second)
        driver.settle(10)
        driver.open(["told"])
        driver.settle(10)
        assert heard(driver, "b") == [("a", 2), ("a", 1), ("a", 3)]


def test_what_is_told_of_messages():
    points = [
        Point("sent", "message Tell", {"n": "number"}, tells=True, options={"node": "from"}),
        Point("arriving", "message Tell", {"n": "number"}),
        Point("answer", "message Heard"),
    ]
    with running(BY_LINKS, points) as driver:
        driver.hold(["arriving"], "c")
        tell(driver, "a", 7)
        told = []
        while (each := driver.next(0)) is not None:
            assert isinstance(each, Arrival)
            told.append(each)
        assert sorted((each.point, each.node, each.held) for each in told) == [
            ("answer", "a", False),
            ("arriving", "b", False),
            ("arriving", "c", True),
            ("sent", "a", False),
            ("sent", "a", False),
        ]
        assert [each.number for each in told] == sorted(each.number for each in told)
        sent = next(each for each in told if each.point == "sent")
        assert (sent.bindings["n"], sent.bindings["from"], sent.bindings["kind"]) == (7, "a", "Tell")
        assert sent.actor.startswith("a -> ")


def test_a_condition_says_which_messages_are_meant():
    late = Point("late", "message", accepts=lambda node, told: node == "b" and told["kind"] == "Tell")
    with running(BY_LINKS, [late]) as driver:
        driver.hold(["late"])
        tell(driver, "a", 1)
        assert held(driver) == [("a", "b", "Tell", 1)]
        assert heard(driver, "c") == [("a", 1)]


def test_messages_get_lost_and_come_twice():
    with running(BY_LINKS, [TOLD]) as driver:
        driver.hold(["told"])
        tell(driver, "a", 1)
        driver.fault("drop", details={"from": "a", "to": "b"})
        driver.fault("duplicate", details={"arrival": message(driver, "a", "c")})
        tell(driver, "a", 2)
        assert held(driver) == [("a", "b", "Tell", 2), ("a", "c", "Tell", 1)]
        driver.open(["told"])
        driver.settle(10)
        assert heard(driver, "b") == [("a", 2)]
        assert heard(driver, "c") == [("a", 1), ("a", 1), ("a", 2)]
        with pytest.raises(DriverError, match="no message to drop"):
            driver.fault("drop", details={"from": "a", "to": "b"})


def test_a_message_can_be_changed_when_it_is_released():
    with running(BY_LINKS, [TOLD]) as driver:
        driver.hold(["told"])
        tell(driver, "a", 1)
        driver.release(message(driver, "a", "b"), {"number": 99})
        driver.settle(10)
        assert heard(driver, "b") == [("a", 99)]


def test_a_message_cannot_be_released_twice():
    with running(BY_LINKS, [TOLD]) as driver:
        driver.hold(["told"])
        tell(driver, "a", 1)
        arrival = message(driver, "a", "b")
        driver.release(arrival)
        with pytest.raises(DriverError, match="not held any more"):
            driver.release(arrival)


def test_kinds_that_are_dropped_or_passed():
    text = BY_LINKS.replace("[network]", '[network]\ndrop = ["Tell"]\npass = ["Heard"]')
    with running(text, [ANY]) as driver:
        driver.hold(["any"])
        tell(driver, "a", 1)
        assert held(driver) == []
        assert heard(driver, "b") == []


def test_the_last_messages_of_a_node_can_be_read():
    with running(BY_LINKS) as driver:
        number = Reading("number", {"message": "number"})
        told = Reading("told", {"message": "number", "kind": ["Tell"]})
        nothing = Reading("nothing", {"message": "number", "kind": "Nothing"})
        assert driver.observe("a", [number]) == {"number": None}
        tell(driver, "a", 1)
        tell(driver, "b", 2)
        assert driver.observe("a", [number, told, nothing]) == {"number": 2, "told": 1, "nothing": None}


def test_what_is_not_understood_is_told():
    text = BY_LINKS.replace('decoder = "json-lines"', 'decoder = "length-prefixed"')
    with running(text) as driver:
        tell(driver, "a", 1)
        failure = driver.next(5)
        assert "was not understood: a -> b" in failure.message or "was not understood: a -> c" in failure.message
