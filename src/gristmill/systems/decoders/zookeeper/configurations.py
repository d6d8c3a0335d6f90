"""Configurations as servers tell them: who has a vote, and which of two is the newer one.

    server.1=10.0.0.1:2888:3888:participant;0.0.0.0:2181
    server.2=10.0.0.2:2888:3888:observer;0.0.0.0:2181
    version=100000003

The version is the zxid of the transaction that made it so, in hexadecimal digits; 0 is what a server was started with.
"""

from __future__ import annotations

from typing import Any

from gristmill.systems.decoders.conversation import DecodingError

RECONFIG = 16  # the operation
NO_CONFIGURATION: dict[str, Any] = {"version": 0, "voters": ()}


def configuration(text: bytes) -> dict[str, Any]:
    """{"version": …, "voters": (…)}; servers are called by their numbers."""
    voters, version = [], 0
    for line in text.decode("utf-8", "replace").splitlines():
        name, _, value = (part.strip() for part in line.partition("="))
        if name.startswith("server.") and not _observes(value):
            voters.append(name.removeprefix("server."))
        elif name == "version":
            try:
                version = int(value, 16)
            except ValueError:
                raise DecodingError(f"{value} is no version of a configuration") from None
    return {"version": version, "voters": tuple(voters)}


def _observes(server: str) -> bool:
    """Of several addresses, apart from those of clients, any has it at its end."""
    return any(one.endswith(":observer") for one in server.partition(";")[0].split("|"))
