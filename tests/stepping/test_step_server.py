"""The explorer's server: its interface over HTTP, and who is refused."""

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from gristmill.stepping.server import StepServer
from gristmill.stepping.session import Session


@pytest.fixture
def server(session: Session) -> Iterator[StepServer]:
    with StepServer(session) as found:
        yield found


def asked(server: StepServer, path: str, body: Any = None, **headers: str) -> tuple[int, Any, dict[str, str]]:
    """`path` behind the token, unless it begins with a slash."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        whole = path if path.startswith("/") else f"/{server.token}/{path}"
        content = None if body is None else body if isinstance(body, str) else json.dumps(body)
        given = {"Content-Type": "application/json", **headers} if content is not None else headers
        connection.request("GET" if content is None else "POST", whole, content, given)
        answer = connection.getresponse()
        text = answer.read().decode()
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, json.loads(text) if is_json else text, dict(answer.headers)
    finally:
        connection.close()


def test_states_and_steps(server: StepServer) -> None:
    status, root, _ = asked(server, "api/node?number=0")
    assert status == 200
    assert [each["title"] for each in root["options"]] == ["Initial state", "Initial state"]
    _, first, _ = asked(server, "api/take", {"number": 0, "option": 0})
    assert first["state"] == {"owner": '"none"', "waiting": "{}", "count": "0"}
    _, second, _ = asked(server, "api/take", {"number": first["number"], "option": 0})
    assert [each["title"] for each in second["path"]] == ["Initial state", 'Ask(p = "a")']
    assert second["changes"] == [["waiting", "", "changed", "{}", '{"a"}']]
    assert asked(server, f"api/path?link={second['link']}")[1] == second


def test_expressions(server: StepServer) -> None:
    number = asked(server, "api/path?link=1.1")[1]["number"]
    _, found, _ = asked(server, "api/evaluate", {"number": number, "text": "waiting"})
    assert found["values"] == ["{}", '{"a"}']
    status, found, _ = asked(server, "api/evaluate", {"number": number, "text": "waiting ++"})
    assert status == 400
    assert "-->" in found["error"]


def test_a_trace_goes_out_and_comes_in(server: StepServer) -> None:
    place = asked(server, "api/path?link=1.1.2")[1]
    trace = asked(server, f"api/trace?number={place['number']}")[1]
    assert len(trace["states"]) == 3
    loaded = asked(server, "api/load", trace)[1]
    assert (loaded["link"], loaded["note"]) == ("1.1.2", "")
    trace["states"][2]["count"] = 9
    assert "state 3" in asked(server, "api/load", trace)[1]["note"]
    status, found, _ = asked(server, "api/load", {"states": "no"})
    assert (status, "ITF" in found["error"]) == (400, True)


def test_the_page_needs_nothing_from_elsewhere(server: StepServer) -> None:
    status, page, headers = asked(server, "")
    assert status == 200
    assert page.startswith("<!DOCTYPE html>")
    assert "https://" not in page
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/", "/wrong/", "/wrong/api/node?number=0", "//", "/api/node?number=0", "/favicon.ico"]
)
def test_without_the_token_there_is_nothing(server: StepServer, path: str) -> None:
    status, found, _ = asked(server, path)
    assert status == 403
    assert set(found) == {"error"}


def test_every_server_has_a_token_of_its_own(server: StepServer, session: Session) -> None:
    with StepServer(session) as other:
        assert other.token != server.token
        assert len(other.token) >= 32
        assert asked(other, f"/{server.token}/")[0] == 403


def test_another_host_name_is_refused(server: StepServer) -> None:
    assert asked(server, "api/node?number=0", Host="evil.example")[0] == 403
    assert asked(server, "api/node?number=0", Host=f"localhost:{server.port}")[0] == 200


def test_it_listens_on_the_loopback_interface_alone(server: StepServer) -> None:
    assert urlsplit(server.address).hostname == "127.0.0.1"
    assert server._http.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("api/take", {"number": 0, "option": 99}, 404),
        ("api/take", {"number": 77, "option": 0}, 404),
        ("api/take", {"number": "x", "option": 0}, 400),
        ("api/take", {}, 400),
        ("api/take", "[1]", 400),
        ("api/take", "{", 400),
        ("api/evaluate", {"number": 0, "text": 3}, 400),
        ("api/node?number=-1", None, 400),
        ("api/node", None, 400),
        ("api/nothing", None, 404),
        ("api/take", None, 404),
        ("elsewhere", None, 404),
        ("api/path?link=a.b", None, 404),
    ],
)
def test_mistakes_are_answered_with_a_sentence(server: StepServer, path: str, body: Any, status: int) -> None:
    found = asked(server, path, body)
    assert found[0] == status
    assert found[1]["error"]


def test_what_another_site_could_send_is_refused(server: StepServer) -> None:
    """A form of another page can post text, but not JSON, without asking first."""
    found = asked(server, "api/take", '{"number": 0, "option": 0}', **{"Content-Type": "text/plain"})
    assert found[0] == 415


def test_closing_frees_the_port(session: Session) -> None:
    with StepServer(session) as server:
        port = server.port
    with socket.socket() as free, pytest.raises(ConnectionRefusedError):
        free.connect(("127.0.0.1", port))
