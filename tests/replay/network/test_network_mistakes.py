"""Mistakes in a mapping: one message each, with a place and what helps."""

import pytest

from cluster import BY_LINKS, BY_TAPS, running, setup
from gristmill.replay.driver import DriverError, Point, Reading
from gristmill.replay.network import NetworkDriver
from gristmill.systems.running.ports import Ports


@pytest.mark.parametrize(
    ("old", "new", "says", "helps", "place"),
    [
        ('decoder = "json-lines"', "", "names no decoder", "`json-lines`", "network"),
        ('"json-lines"', '"json-line"', "there is no decoder 'json-line'", None, '"json-line"'),
        ('"json-lines"', '"json-lines"\noptions = { x = 1 }', "these options", None, '"json-lines"'),
        ('links = ["peer"]', "", "does not say which ports", "taps =", "network"),
        ('links = ["peer"]', 'links = ["peers"]', "no port called `peers`", "`peer`", '["peers"]'),
        ('links = ["peer"]', 'links = "peer"', "list of texts", "links = [", '"peer"'),
        ('links = ["peer"]', 'taps = { peer = "pear" }', "no port called `pear`", "`peer`", '{ peer = "pear" }'),
        ("links", "link", "has no key `link`", "`links`", "link"),
        ('"json-lines"', '"json-lines"\norder = "some"', '"kept" or "free"', None, '"some"'),
        ('"json-lines"', '"json-lines"\nsource = ".x"', "no path of fields", None, '".x"'),
        ('"json-lines"', '"etcd"\ndrop = ["MsgHearbeat"]', "kind `MsgHearbeat`", "`MsgHeartbeat`", '["MsgHearbeat"]'),
        ('"json-lines"', "3", "`decoder` must be a text", "decoder = ", "3"),
    ],
)
def test_settings(old, new, says, helps, place):
    text = BY_LINKS.replace(old, new)
    with pytest.raises(DriverError) as raised:
        NetworkDriver(setup(text))
    error = raised.value
    assert says in error.message
    assert (error.help is None) if helps is None else (helps in (error.help or ""))
    assert error.span is not None
    assert error.span.file.text[error.span.start : error.span.end] == place


@pytest.mark.parametrize(
    ("point", "says"),
    [
        (Point("p", "line 3"), "there is no 'line 3' in a network"),
        (Point("p", "message", options={"node": "both"}), 'no node called "both"'),
        (Point("p", "message", options={"side": "to"}), "has no key `side`"),
        (Point("p", "message", {"x": ".x"}), "no path of fields"),
    ],
)
def test_points(point, says):
    driver = NetworkDriver(setup(BY_LINKS, [point]))
    try:
        (resolved,) = driver.points()
        assert says in (resolved.problem or "")
        with pytest.raises(DriverError, match="point p: "):
            driver.start()
    finally:
        driver.stop()


def test_kinds_of_messages_that_a_decoder_does_not_have():
    driver = NetworkDriver(setup(BY_TAPS.replace("json-lines", "etcd"), [Point("p", "message MsgVotes")]))
    try:
        (resolved,) = driver.points()
        assert resolved.problem == "there are no messages of kind MsgVotes"
        assert resolved.help == "did you mean `MsgVote`?"
    finally:
        driver.stop()


def test_points_are_resolved_to_links():
    driver = NetworkDriver(setup(BY_LINKS, [Point("p", "message Tell")], nodes=["a", "b"]))
    try:
        (resolved,) = driver.points()
        assert resolved.places == ("Tell on a -> b, at the receiver", "Tell on b -> a, at the receiver")
    finally:
        driver.stop()


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({}, "does not say what is read"),
        ({"http": "/x", "message": "x"}, "does not say what is read"),
        ({"http": "/x", "kind": "x"}, "no `kind` beside `http`"),
        ({"file": "x", "decoder": "etcd-wall"}, "no decoder 'etcd-wall' of files"),
        ({"message": ".x"}, "no path of fields"),
    ],
)
def test_readings(how, says):
    with pytest.raises(DriverError, match=says):
        NetworkDriver(setup(BY_LINKS, readings=[Reading("r", how)]))


def test_faults_and_operations():
    with running(BY_LINKS) as driver:
        with pytest.raises(DriverError, match="no fault 'kil'") as raised:
            driver.fault("kil", "a")
        assert raised.value.help == "did you mean `kill`?"
        with pytest.raises(DriverError, match="needs a node"):
            driver.fault("kill")
        with pytest.raises(DriverError, match="there is no node x"):
            driver.fault("cut", "a", {"to": "x"})
        with pytest.raises(DriverError, match="no operation 'tel' of clients") as raised:
            driver.call("tel", "a", {})
        assert raised.value.help == "did you mean `tell`?"
        with pytest.raises(DriverError, match=r"nothing called \{told\}"):
            driver.call("tell", "a", {})
        with pytest.raises(DriverError, match="cannot be made up"):
            driver.fault("send", "a", {"message": {"kind": "Tell", "from": "b"}})
        with pytest.raises(DriverError, match="needs a message"):
            driver.fault("send", "a", {"message": {"kind": "Tell"}})
        assert set(driver.kinds()) >= {"start", "kill", "cut", "heal", "drop", "duplicate", "run", "send"}


def test_a_node_that_does_not_start():
    text = BY_LINKS.replace('"{node}", "{port.peer}"', '"{node}", "no port"')
    driver = NetworkDriver(setup(text))
    try:
        driver.start()
        with pytest.raises(DriverError, match="has ended before listening at its port `peer`") as raised:
            driver.fault("start", "a")
        assert "ValueError" in raised.value.log
    finally:
        driver.stop()


def test_two_replays_on_one_port():
    with running(BY_TAPS) as first:
        taken = first.processes.port("a", "tap")
        others = Ports()
        free = others.free()
        others.end()
        ports = f"ports = {{ peer = {free}, tap = {taken}, client = {taken} }}"
        second = NetworkDriver(setup(BY_TAPS.replace('ports = ["peer", "tap", "client"]', ports), nodes=["a"]))
        try:
            with pytest.raises(DriverError, match=f"port {taken} on 127.0.0.1 is taken"):
                second.start()
        finally:
            second.stop()
