"""A client of the language server, by hand: a real process, JSON over its standard input and output."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PATIENCE = 120.0  # seconds for an answer; a server that does not answer at all must not stop everything


class ServerError(Exception):
    """The server has answered a request with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    """`with Client() as client:` starts a server, shakes hands, and ends it."""

    def __init__(self, folders: Sequence[Path] = (), capabilities: Any = None, **options: Any) -> None:
        command = [sys.executable, "-m", "gristmill", "lsp"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)
        )
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.errors = b""
        self.published: dict[str, list[dict[str, Any]]] = {}  # diagnostics by URI, as they were said last
        self.shown: list[dict[str, Any]] = []
        self.logged: list[str] = []
        self._identity = 0
        self._version = 0
        self._readers = [threading.Thread(target=each, daemon=True) for each in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()
        self.capabilities = self.request(
            "initialize",
            processId=os.getpid(),
            rootUri=None,
            capabilities=capabilities or {},
            workspaceFolders=[{"uri": each.as_uri(), "name": each.name} for each in folders],
            initializationOptions=options,
        )["capabilities"]
        self.notify("initialized")

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            if self.process.poll() is None:
                self.request("shutdown")
                self.notify("exit")
                self.process.wait(30)
        finally:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            for reader in self._readers:
                reader.join(10)
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                if stream is not None:
                    stream.close()

    # -------------------------------------------------------------------------------------------- messages

    def notify(self, method: str, **params: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, **params: Any) -> Any:
        """The result; what the server says meanwhile is kept."""
        own = self.send_request(method, **params)
        while True:
            message = self._next()
            if message.get("id") == own and "method" not in message:
                if "error" in message:
                    raise ServerError(message["error"])
                return message.get("result")
            self._heed(message)

    def send_request(self, method: str, **params: Any) -> int:
        """Ask without waiting for the answer."""
        self._identity += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": self._identity, "method": method}
        if params:
            message["params"] = params
        self._send(message)
        return self._identity

    def _next(self) -> dict[str, Any]:
        message = self.messages.get(timeout=_PATIENCE)
        if message is None:
            self._readers[1].join(10)
            raise EOFError(f"the server has ended: {self.errors.decode(errors='replace')}")
        return message

    def _heed(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "textDocument/publishDiagnostics":
                self.published[params["uri"]] = params["diagnostics"]
            case "window/showMessage":
                self.shown.append(params)
            case "window/logMessage":
                self.logged.append(params["message"])
            case str() if "id" in message:  # a request of the server: granted
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})
            case _:
                pass

    def until_published(self, uri: str) -> list[dict[str, Any]]:
        """Wait for the next diagnostics of a document."""
        self.published.pop(uri, None)
        while uri not in self.published:
            self._heed(self._next())
        return self.published[uri]

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline().strip()) != b"":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                self.messages.put(None)
                return
            self.messages.put(json.loads(stream.read(length)))

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    # ------------------------------------------------------------------------------------------- documents

    def open(self, path: Path, text: str | None = None) -> list[dict[str, Any]]:
        """Open a document; gives its diagnostics."""
        text = path.read_text(encoding="utf-8") if text is None else text
        document = {"uri": path.as_uri(), "languageId": "tla", "version": self.version(), "text": text}
        self.notify("textDocument/didOpen", textDocument=document)
        return self.until_published(path.as_uri())

    def close(self, path: Path) -> None:
        self.notify("textDocument/didClose", textDocument={"uri": path.as_uri()})

    def change(self, path: Path, *changes: dict[str, Any]) -> list[dict[str, Any]]:
        """`{"text": …}` for the whole text, or with a `range`; gives the diagnostics behind it."""
        document = {"uri": path.as_uri(), "version": self.version()}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=list(changes))
        return self.until_published(path.as_uri())

    def version(self) -> int:
        self._version += 1
        return self._version

    def at(self, method: str, path: Path, line: int, character: int, **params: Any) -> Any:
        """A request about a place; lines and characters from 0."""
        return self.request(
            f"textDocument/{method}",
            textDocument={"uri": path.as_uri()},
            position={"line": line, "character": character},
            **params,
        )

    def about(self, method: str, path: Path, **params: Any) -> Any:
        """A request about a whole document."""
        return self.request(f"textDocument/{method}", textDocument={"uri": path.as_uri()}, **params)
