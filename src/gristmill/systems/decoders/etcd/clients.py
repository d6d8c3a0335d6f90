"""What clients ask a member of etcd, and what they are told: the same for gRPC and for JSON.

    {"kind": "ClientWrite", "from": "client", "to": …, "id": "7.3", "asks": "put x 1"}
    {"kind": "ClientWriteResp", "from": …, "to": "client", "id": "7.3"}

`ClientRead` is a linearizable read, of a range or by a transaction that only reads; `ClientJoin` and `ClientLeave` are
members to be added (or promoted) and removed, answered by `ClientJoined` (`learns`: it has no vote) and `ClientLeft`,
which tell of the `member`. Errors are `ClientRefused`. All else, serializable reads, leases and watches among it, is
`ClientOther`, answered by `ClientOtherResp`. What has no answer when the client gives up, or the connection ends, is
`ClientGone`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gristmill.systems.decoders.conversation import ACCEPTOR, CLIENT, Introduction, Record
from gristmill.systems.decoders.etcd.raft import asks

CALLS = ("Range", "Put", "DeleteRange", "Txn", "MemberAdd", "MemberRemove", "MemberPromote")  # that are looked into


@dataclass(frozen=True, slots=True)
class Asked:
    """A call, as far as it matters: its kind, and what its record says."""

    kind: str
    about: Mapping[str, Any]


def range_asked(serializable: bool) -> Asked:
    return Asked("ClientOther" if serializable else "ClientRead", {})


def write_asked(request: Record) -> Asked:
    return Asked("ClientWrite", {"asks": asks(request)})


def transaction_asked(writes: bool, serializable: bool) -> Asked:
    return write_asked({"kind": "txn"}) if writes else range_asked(serializable)


def change_asked(call: str, member: int | None, learns: bool) -> Asked:
    """Who is added has a name only when that is answered."""
    named = {} if member is None else {"member": f"{member:x}"}
    if call == "MemberRemove":
        return Asked("ClientLeave", named)
    return Asked("ClientJoin", {**named, "learns": learns})


OTHER = Asked("ClientOther", {})


class Clients:
    """The calls on one connection, which has this number. `acceptor`: who answers, once that was told."""

    def __init__(self, number: int) -> None:
        self.number, self.count = number, 0
        self.open: dict[str, Asked] = {}
        self.acceptor: Introduction | None = None
        self._answerer = 0  # the number of it

    def ask(self, asked: Asked) -> tuple[str, Record]:
        """The id of the call, and its record."""
        self.count += 1
        id = f"{self.number}.{self.count}"
        self.open[id] = asked
        return id, self._record(asked.kind, id, True, asked.about)

    def answer(self, id: str, error: bool, answerer: int = 0, member: int | None = None) -> Record | None:
        """`answerer`: the id of the member that has answered, if it says so; `member`: who was added."""
        asked = self.open.pop(id, None)
        if asked is None:
            return None
        if answerer and answerer != self._answerer:
            self._answerer, self.acceptor = answerer, Introduction(f"{answerer:x}")
        if asked.kind == "ClientOther":
            return self._record("ClientOtherResp", id, False, {})
        if error:
            return self._record("ClientRefused", id, False, {})
        if asked.kind == "ClientJoin":
            named = {"member": f"{member:x}"} if member is not None else {}
            return self._record("ClientJoined", id, False, {**asked.about, **named})
        if asked.kind == "ClientLeave":
            return self._record("ClientLeft", id, False, asked.about)
        return self._record(f"{asked.kind}Resp", id, False, {})

    def gone(self, id: str | None = None) -> list[Record]:
        """One that nobody waits for any more, or all of them."""
        ids = list(self.open) if id is None else [id] if id in self.open else []
        kinds = {each: self.open.pop(each).kind for each in ids}
        return [self._record("ClientGone", each, True, {}) for each, kind in kinds.items() if kind != "ClientOther"]

    def _record(self, kind: str, id: str, asks: bool, about: Mapping[str, Any]) -> Record:
        source, target = (CLIENT, ACCEPTOR) if asks else (ACCEPTOR, CLIENT)
        return {"kind": kind, "from": source, "to": target, "id": id, **about}
