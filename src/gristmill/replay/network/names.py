"""Who is who: how members of a cluster are called in their protocol, and which nodes they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gristmill.replay.driver import Node
from gristmill.systems.decoders import Introduction


class Names:
    """`addresses`: those that nodes give as their own, which are ours."""

    def __init__(self) -> None:
        self.addresses: dict[str, Node] = {}
        self._nodes: dict[str, Node] = {}  # by the name in the protocol
        self._introductions: dict[Node, Introduction] = {}

    def forget(self) -> None:
        self._nodes.clear()
        self._introductions.clear()

    def learn(self, introduction: Introduction | None, node: Node | None = None) -> None:
        if introduction is None:
            return
        for address in introduction.addresses:
            node = node or self.addresses.get(address)
        if node is not None and introduction.name not in self._nodes:
            self._nodes[introduction.name] = node
            self._introductions[node] = introduction

    def node_of(self, introduction: Introduction | None) -> Node | None:
        return None if introduction is None else self._nodes.get(introduction.name)

    def introduction(self, node: Node) -> Introduction | None:
        return self._introductions.get(node)

    def of_nodes(self, value: Any) -> Any:
        """A value in which members are called by the names of nodes, wherever a text or a key is exactly a name."""
        if isinstance(value, str):
            return self._nodes.get(value, value)
        if isinstance(value, Mapping):
            return {self._nodes.get(key, key): self.of_nodes(each) for key, each in value.items()}
        return tuple(self.of_nodes(each) for each in value) if isinstance(value, tuple) else value

    def of_protocol(self, value: Any) -> Any:
        """The other way round, for a text that is the name of a node."""
        found = self._introductions.get(value) if isinstance(value, str) else None
        return value if found is None else found.name
