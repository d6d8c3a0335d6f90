"""A request to a node, and its answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from gristmill.systems.decoders import plain
from gristmill.systems.decoders.conversation import DecodingError
from gristmill.systems.decoders.fields import text
from gristmill.systems.decoders.http1 import Body, End, Head, HttpReader
from gristmill.systems.running.ports import HOST


async def request(port: int, method: str, path: str, body: Any = None) -> Mapping[str, Any]:
    """{"status": 200, "body": …}: JSON if it is JSON, else text. Raises OSError if there is no answer."""
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}:{port}", "Connection: close"]
    lines.append(f"Content-Length: {len(content)}")
    lines += ["Content-Type: application/json"] if content else []
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        return await _answer(reader)
    finally:
        writer.close()


async def _answer(reader: asyncio.StreamReader) -> Mapping[str, Any]:
    parser, status, content = HttpReader(responses=True), 0, bytearray()
    while True:
        data = await reader.read(1 << 16)
        try:
            events = parser.feed(data)
        except DecodingError as error:
            raise OSError(str(error)) from None
        for event in events:
            if isinstance(event, Head):
                status = int(event.first[1])
            elif isinstance(event, Body):
                content += event.data
        ended = any(isinstance(each, End) for each in events) or (not data and parser.state == "until close")
        if ended:
            return {"status": status, "body": _said(bytes(content))}
        if not data:
            raise OSError("the connection was closed before there was an answer")


def _said(content: bytes) -> Any:
    try:
        return plain(json.loads(content)) if content else None
    except ValueError:
        return text(content)
