"""Finding the debug port of a process that has just been started."""

from __future__ import annotations

import time

from gristmill.replay.driver import DriverError, Node
from gristmill.replay.jvm.machine import Machine
from gristmill.systems.running.ports import HOST, is_free
from gristmill.systems.running.processes import Processes

_SECONDS = 20.0
AGENT = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:{port.debug}"


def check_port(processes: Processes, node: Node, name: str) -> int:
    """Before the start: another machine that listens there must not be taken for this one."""
    port = processes.port(node, name)
    if not is_free(port):
        help = "another replay, or a debugger, may run: end it"
        raise DriverError(f"the debug port {port} of node {node} is taken", help)
    return port


def attach(processes: Processes, node: Node, port: int) -> Machine:
    """Raises `DriverError` if the process ends, or does not listen."""
    deadline = time.monotonic() + _SECONDS
    while True:
        if not processes.running(node):
            message = f"node {node} has ended before it listened on its debug port {port}"
            raise DriverError(message, "its log says why", log=processes.log_tail(node))
        try:
            return Machine(HOST, port)
        except ConnectionRefusedError:
            pass
        except OSError as error:
            raise DriverError(f"node {node}: {error}", log=processes.log_tail(node)) from None
        if time.monotonic() > deadline:
            message = f"node {node} does not listen on its debug port {port}"
            raise DriverError(message, f"its command must have {AGENT}", log=processes.log_tail(node))
        time.sleep(0.005)
