"""What can be done to a system of processes and links.

start kill restart pause continue    a node (kill: `lose` = "to", "from", "both" or "none": what is on its way)
run                                  let a node run until it has sent a message (`seconds`, `kind`)
send                                 hand a made-up message over to a node (`message`)
cut heal                             links: to a node (`to`), of a node to all others; `oneway`, `keep`, `reset`
drop duplicate                       a message that is held (`arrival`, or the first one `from`, `to`, `kind`)
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gristmill.replay.driver import Arrival, DriverError, Node
from gristmill.source.toml_reader import suggestion
from gristmill.systems.decoders import DecodingError

if TYPE_CHECKING:
    from gristmill.replay.network.driver import NetworkDriver

_READY_SECONDS = 30.0
_RUN_SECONDS = 10.0
Details = Mapping[str, Any]


class Faults:
    def __init__(self, driver: NetworkDriver) -> None:
        self.driver = driver
        self.kinds = {
            "start": self.start,
            "kill": self.kill,
            "restart": self.restart,
            "pause": self.pause,
            "continue": self.continue_,
            "run": self.run,
            "send": self.send,
            "cut": self.cut,
            "heal": self.heal,
            "drop": self.drop,
            "duplicate": self.duplicate,
        }

    def do(self, kind: str, node: Node | None, details: Details) -> None:
        if kind not in self.kinds:
            raise DriverError(f"a network has no fault {kind!r}", suggestion(kind, self.kinds))
        if kind in ("drop", "duplicate"):
            node = node or ""
        if node is None:
            raise DriverError(f"the fault {kind!r} needs a node", 'write on = "…"')
        self.kinds[kind](node, details)

    # ---------------------------------------------------------------------------------------------------------- nodes

    def start(self, node: Node, details: Details) -> None:
        driver = self.driver
        driver.processes.start(node)
        driver.tap.down.discard(node)
        port = driver.settings.ready
        what = f"listening at its port `{port}`"
        driver.processes.wait_until(node, lambda: driver.listens(node, port), _READY_SECONDS, what)

    def kill(self, node: Node, details: Details) -> None:
        driver = self.driver
        driver.rest.paused.discard(node)
        driver.processes.kill(node)
        driver.background.do(lambda: driver.tap.gone(node))
        lose = details.get("lose", "to")
        if lose in ("to", "both"):
            self._lose(None, node)
        if lose in ("from", "both"):
            self._lose(node, None)

    def restart(self, node: Node, details: Details) -> None:
        self.kill(node, details)
        self.start(node, details)

    def pause(self, node: Node, details: Details) -> None:
        self.driver.processes.pause(node)
        self.driver.rest.wait_until_stopped(node)
        self.driver.rest.paused.add(node)

    def continue_(self, node: Node, details: Details) -> None:
        self.driver.rest.paused.discard(node)
        self.driver.processes.resume(node)

    def run(self, node: Node, details: Details) -> None:
        """Its clocks run, too: this is how it can be had to run out of patience."""
        driver, kind = self.driver, details.get("kind")
        driver.attend()
        seconds = float(details.get("seconds", _RUN_SECONDS))
        deadline = time.monotonic() + seconds
        sent = driver.sent(node, kind)
        if not driver.rest.wake(node):
            raise DriverError(f"node {node} is down or paused, and cannot run")
        while driver.sent(node, kind) == sent:
            if time.monotonic() > deadline:
                raise DriverError(f"node {node} has sent no {kind or 'message'} within {seconds:g} s")
            driver.tap.inbox.wait(0.01)
            driver.attend()

    def send(self, node: Node, details: Details) -> None:
        driver, names = self.driver, self.driver.tap.names
        message = details.get("message")
        if not isinstance(message, Mapping) or "kind" not in message or "from" not in message:
            help = "with = { message = '[kind |-> \"…\", from |-> …]' }"
            raise DriverError("`send` needs a message with its kind, and from whom it pretends to be", help)
        record = {"to": node, **message}
        record |= {key: names.of_protocol(str(record[key])) for key in ("from", "to")}
        try:
            wire = driver.tap.decoder.parcel(record, names.introduction(str(message["from"])))
        except (DecodingError, KeyError, ValueError, TypeError) as error:
            raise DriverError(f"this message cannot be sent to {node}: {error}") from None
        driver.rest.wake(node)
        delivery = driver.tap.hand_over(node, driver.settings.ready, wire)
        problem = driver.background.run(delivery, what=f"the delivery of {message['kind']} to {node}")
        if problem is not None:
            raise DriverError(f"{node} has not taken the message {message['kind']}: {problem}")

    # ------------------------------------------------------------------------------------------------------- messages

    def cut(self, node: Node, details: Details) -> None:
        driver = self.driver
        reset = bool(details.get("reset", not driver.settings.decoder.lossy))
        for source, destination in self._links(node, details):
            driver.background.do(lambda: driver.tap.cut_link(source, destination, reset))  # noqa: B023
            if not details.get("keep", False):
                self._lose(source, destination)

    def heal(self, node: Node, details: Details) -> None:
        links = set(self._links(node, details))
        self.driver.background.do(lambda: self.driver.tap.cut.difference_update(links))

    def _links(self, node: Node, details: Details) -> list[tuple[Node, Node]]:
        others = [details["to"]] if "to" in details else [each for each in self.driver.setup.nodes if each != node]
        for other in others:
            if other not in self.driver.setup.nodes:
                raise DriverError(f"there is no node {other}", suggestion(str(other), self.driver.setup.nodes))
        one_way = details.get("oneway", False)
        return [(node, each) for each in others] + ([] if one_way else [(each, node) for each in others])

    def drop(self, node: Node, details: Details) -> None:
        self.driver.lose(self._meant("drop", details))

    def duplicate(self, node: Node, details: Details) -> None:
        driver = self.driver
        letter = driver.holding.letter(self._meant("duplicate", details))
        driver.background.do(lambda: driver.tap.copy(letter))
        driver.attend()

    def _meant(self, kind: str, details: Details) -> Arrival:
        arrival = details.get("arrival")
        if isinstance(arrival, Arrival):
            return arrival
        self.driver.attend()
        found = self.driver.holding.on_the_way(details.get("from"), details.get("to"), details.get("kind"))
        if not found:
            said = ", ".join(f"{key} {details[key]}" for key in ("kind", "from", "to") if key in details)
            raise DriverError(f"there is no message to {kind} ({said or 'of any kind'}) that is held")
        return found[0]

    def _lose(self, source: Node | None, destination: Node | None) -> None:
        self.driver.attend()
        for arrival in self.driver.holding.on_the_way(source, destination):
            self.driver.lose(arrival)
