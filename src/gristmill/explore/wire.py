"""Messages as bytes: one JSON text a line. Only classes that a system names can come out of it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any

from gristmill.explore.data import Frozen, freeze, thaw


class Codec:
    """Encodes and decodes messages of these types, and what they hold."""

    def __init__(self, types: Iterable[type]) -> None:
        self.classes = {_name(kind): kind for kind in types}

    def encode(self, sender: str, receiver: str, message: object) -> bytes:
        return json.dumps([sender, receiver, self._to_json(freeze(message))]).encode() + b"\n"

    def decode(self, line: bytes) -> tuple[str, str, Any]:
        sender, receiver, message = json.loads(line)
        return sender, receiver, thaw(self._from_json(message))

    def _to_json(self, frozen: Frozen) -> Any:
        if isinstance(frozen, bytes):
            return {"bytes": base64.b64encode(frozen).decode()}
        if isinstance(frozen, frozenset):
            return {"elements": [self._to_json(element) for element in frozen]}
        if isinstance(frozen, type):
            self.classes.setdefault(_name(frozen), frozen)
            return {"class": _name(frozen)}
        if isinstance(frozen, tuple):
            if frozen and frozen[0] == "other":
                raise TypeError(f"a {frozen[1].__name__} cannot be sent over a network")
            return [self._to_json(element) for element in frozen]
        return frozen

    def _from_json(self, found: Any) -> Frozen:
        if isinstance(found, list):
            return tuple(self._from_json(element) for element in found)
        if isinstance(found, dict):
            if "bytes" in found:
                return base64.b64decode(found["bytes"])
            if "elements" in found:
                return frozenset(self._from_json(element) for element in found["elements"])
            return self.classes[found["class"]]
        return found


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
