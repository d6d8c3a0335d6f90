"""A session in the browser: a server on the loopback interface alone, whose address has a random token in it.

Whoever does not know the token gets nothing: other users of the machine, and pages of other sites, which the browser
would let send requests here. Requests for another host name are refused as well (DNS rebinding). Sessions are used by
one request at a time.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gristmill.source import SourceError
from gristmill.source.render import render_text
from gristmill.stepping.document import node_document
from gristmill.stepping.page import render_page
from gristmill.stepping.session import NoSuchStepError, Session
from gristmill.trace.itf import itf_document, read_itf

_MOST_BYTES = 64 << 20  # of a request: a trace
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class RequestError(Exception):
    """What is wrong with a request, in a sentence."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class StepServer:
    """`with StepServer(session) as server`: requests are answered in threads, until it is closed.

    `start`: the state that the page opens with, `note`: what it says then.
    """

    def __init__(self, session: Session, port: int = 0, start: int = 0, note: str = "") -> None:
        """Raises `OSError` if the port is taken."""
        self.session, self.start, self.note = session, start, note
        self.token = secrets.token_urlsafe(24)
        self.lock = threading.Lock()
        server = self

        class Handler(_Handler):
            of = server

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def address(self) -> str:
        link = self.session.link(self.start)
        return f"http://127.0.0.1:{self.port}/{self.token}/" + (f"#{link}" if link else "")

    def wait(self) -> None:
        """Until the server is closed, or Ctrl-C."""
        self._thread.join()

    def close(self) -> None:
        """Once is enough, and twice does no harm."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> StepServer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # --------------------------------------------------------------------------------------------------------- answers

    def answer(self, name: str, query: dict[str, str], body: Any) -> Any:
        """To `api/NAME`: by GET without a body, by POST with one. Raises `RequestError`."""
        functions: dict[tuple[str, bool], Callable[[dict[str, str], Any], Any]] = {
            ("node", False): lambda query, body: node_document(self.session, _number(query, "number")),
            ("path", False): lambda query, body: self._at(self.session.follow_link(query.get("link", "")).number),
            ("trace", False): self._trace,
            ("take", True): self._take,
            ("evaluate", True): self._evaluate,
            ("load", True): self._load,
        }
        function = functions.get((name, body is not None))
        if function is None:
            raise RequestError(HTTPStatus.NOT_FOUND, "there is nothing here")
        try:
            with self.lock:
                return function(query, body)
        except NoSuchStepError as error:
            raise RequestError(HTTPStatus.NOT_FOUND, str(error)) from None
        except SourceError as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, render_text(error.diagnostics).strip()) from None

    def _at(self, number: int) -> dict[str, Any]:
        return node_document(self.session, number)

    def _take(self, query: dict[str, str], body: Any) -> dict[str, Any]:
        return self._at(self.session.take(_number(body, "number"), _number(body, "option")).number)

    def _evaluate(self, query: dict[str, str], body: Any) -> dict[str, Any]:
        text = body.get("text")
        if not isinstance(text, str):
            raise RequestError(HTTPStatus.BAD_REQUEST, "`text` is no expression")
        return {"text": text, "values": self.session.values(_number(body, "number"), text)}

    def _trace(self, query: dict[str, str], body: Any) -> Any:
        """The path as a file that `--trace`, `replay` and other tools read."""
        return itf_document(self.session.trace(_number(query, "number")), source=self.session.specification.name)

    def _load(self, query: dict[str, str], body: Any) -> dict[str, Any]:
        trace = self.session.read(lambda: read_itf(body, self.session.specification.model_values))
        node, note = self.session.follow_trace(trace)
        return {**self._at(node.number), "note": note}


def _number(given: Any, name: str) -> int:
    value = given.get(name)
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value)
    if type(value) is not int:
        raise RequestError(HTTPStatus.BAD_REQUEST, f"`{name}` is no number")
    return value


class _Handler(BaseHTTPRequestHandler):
    of: StepServer
    server_version = "gristmill"
    sys_version = ""
    timeout = 30  # seconds for a request to arrive: nobody else waits for it

    def do_GET(self) -> None:
        self._respond(lambda: None)

    def do_POST(self) -> None:
        self._respond(self._body)

    def _respond(self, body: Callable[[], Any]) -> None:
        try:
            path, query = self._asked()
            if path == "":
                self._send(HTTPStatus.OK, "text/html", render_page(self.of.session, self.of.note))
                return
            if not path.startswith("api/"):
                raise RequestError(HTTPStatus.NOT_FOUND, "there is nothing here")
            found = self.of.answer(path.removeprefix("api/"), query, body())
            self._send(HTTPStatus.OK, "application/json", json.dumps(found, ensure_ascii=False))
        except RequestError as error:
            self._send(error.status, "application/json", json.dumps({"error": str(error)}, ensure_ascii=False))

    def _asked(self) -> tuple[str, dict[str, str]]:
        """What is asked for, behind the token. Raises `RequestError`."""
        if self.headers.get("Host") not in (f"127.0.0.1:{self.of.port}", f"localhost:{self.of.port}"):
            raise RequestError(HTTPStatus.FORBIDDEN, "this server has another name")
        asked = urlsplit(self.path)
        token, _, path = asked.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.of.token.encode()):
            raise RequestError(HTTPStatus.FORBIDDEN, "use the address that gristmill has printed: it has a token in it")
        return path, {name: values[0] for name, values in parse_qs(asked.query).items()}

    def _body(self) -> Any:
        if self.headers.get_content_type() != "application/json":
            raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "JSON was expected")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request has no length, or is too long")
        try:
            found = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise RequestError(HTTPStatus.BAD_REQUEST, "this is not JSON") from None
        if not isinstance(found, dict):
            raise RequestError(HTTPStatus.BAD_REQUEST, "an object was expected")
        return found

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the address, with the token, would be in it."""
