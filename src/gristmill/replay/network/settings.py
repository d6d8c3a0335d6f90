"""The table `[network]` of a mapping.

decoder = "etcd"              # or "json-lines", "length-prefixed", "resp", "FILE.py:Class"
options = { … }               # of the decoder
taps = { tap = "peer" }       # the port `tap` of each node is ours, in front of its port `peer`
links = ["peer"]              # or: a port of ours for every node's way to every other one, {link.peer.NODE}
                              # (which is for a node itself the port where it really listens)
source = "header.sender"      # the field of a message that says from whom it is, if the connection does not tell
order = "kept"                # "free": messages of a connection may overtake each other
drop = ["MsgHeartbeat"]       # kinds of messages that get lost
pass = ["MsgSnap"]            # kinds of messages that go on at once
pause-idle = true             # a node runs only while it has something to do
ready = "peer"                # the port at which a node listens once it has started; by default the first tapped
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gristmill.replay.driver import DriverError, Setup
from gristmill.source.toml_reader import listed, suggestion
from gristmill.systems.decoders import NAMES, Decoder, DecodingError, decoder_called
from gristmill.systems.decoders.fields import steps

_KEYS = ("decoder", "options", "taps", "links", "source", "order", "drop", "pass", "pause-idle", "ready")


@dataclass(frozen=True, slots=True)
class Settings:
    decoder: Decoder
    taps: Mapping[str, str]
    links: tuple[str, ...]
    source: str | None
    kept_order: bool
    dropped: frozenset[str]
    passed: frozenset[str]
    pause_idle: bool
    ready: str


def settings_of(setup: Setup) -> Settings:
    """Raises `DriverError` with the place of what is wrong."""
    return _Reader(setup).settings()


class _Reader:
    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.table: Mapping[str, Any] = setup.document.get("network", {})

    def settings(self) -> Settings:
        for key in self.table:
            if key not in _KEYS:
                raise self.error(f"[network] has no key `{key}`", suggestion(key, _KEYS), key, of_key=True)
        decoder = self.decoder()
        taps, links = self.taps(), self.names("links")
        if not taps and not links:
            help = 'write taps = { tap = "peer" }: the port `tap` of a node is then in front of its port `peer`'
            raise self.error("[network] does not say which ports are tapped", help)
        order = self.table.get("order", "free" if decoder.lossy else "kept")
        if order not in ("kept", "free"):
            raise self.error('`order` is "kept" or "free"', None, "order")
        return Settings(
            decoder,
            taps,
            links,
            self.source(),
            order == "kept",
            frozenset(self.kinds("drop", decoder)),
            frozenset(self.kinds("pass", decoder)),
            self.table.get("pause-idle", False) is True,
            self.text("ready", [*taps.values(), *links][0]),
        )

    def decoder(self) -> Decoder:
        name = self.text("decoder", "")
        if not name:
            raise self.error("[network] names no decoder", f"decoder is {listed(NAMES)} or `FILE.py:Class`")
        try:
            return decoder_called(name, self.table.get("options", {}), self.setup.folder)
        except DecodingError as error:
            raise self.error(str(error), None, "decoder") from None

    def taps(self) -> dict[str, str]:
        taps = self.table.get("taps", {})
        if not isinstance(taps, dict) or not all(isinstance(each, str) for each in taps.values()):
            raise self.error("`taps` must be a table of ports", 'taps = { tap = "peer" }', "taps")
        for name in (*taps, *taps.values()):
            self.known_port(name, "taps")
        return taps

    def known_port(self, name: str, key: str) -> None:
        ports = self.setup.document.get("node", {}).get("ports", ())
        if name not in ports:
            help = suggestion(name, ports) or f'write ports = ["{name}"] in [node]'
            raise self.error(f"a node has no port called `{name}`", help, key)

    def names(self, key: str) -> tuple[str, ...]:
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.error(f"`{key}` must be a list of texts", f'{key} = ["…"]', key)
        if key == "links":
            for name in value:
                self.known_port(name, key)
        return tuple(value)

    def kinds(self, key: str, decoder: Decoder) -> tuple[str, ...]:
        names = self.names(key)
        for name in names:
            if decoder.kinds and name not in decoder.kinds:
                raise self.error(f"there are no messages of kind `{name}`", suggestion(name, decoder.kinds), key)
        return names

    def source(self) -> str | None:
        path = self.table.get("source")
        if path is not None:
            try:
                steps(path)
            except (ValueError, TypeError) as error:
                raise self.error(str(error), None, "source") from None
        return path

    def text(self, key: str, default: str) -> str:
        value = self.table.get(key, default)
        if not isinstance(value, str):
            raise self.error(f"`{key}` must be a text", f'{key} = "…"', key)
        return value

    def error(self, message: str, help: str | None, key: str | None = None, of_key: bool = False) -> DriverError:
        path = ("network",) if key is None else ("network", key)
        places = self.setup.places
        return DriverError(message, help, places.key(*path) if of_key else places.value(*path))
