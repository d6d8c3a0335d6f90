"""A node of the lock, as a program: the server, or a client that asks it again and again. No part of the package."""

from __future__ import annotations

import json
import socket
import sys
import time


def serve(port: int) -> None:
    listener = socket.create_server(("127.0.0.1", port))
    connection, _ = listener.accept()
    for ticket, line in enumerate(connection.makefile("rb"), 1):
        answer = {"kind": "Assigned", "from": "lock", "to": json.loads(line)["from"], "ticket": ticket}
        connection.sendall(json.dumps(answer).encode() + b"\n")


def dialed(port: int) -> socket.socket:
    """The tap takes connections before the server does, and lets go of them."""
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(json.dumps(question(1)).encode() + b"\n")
            if connection.recv(1, socket.MSG_PEEK):
                return connection
        except OSError:
            time.sleep(0.05)


def question(number: int) -> dict[str, object]:
    return {"kind": "Assign", "from": "client", "to": "lock", "ticket": 0, "number": number}


def ask(port: int) -> None:
    connection = dialed(port)
    answers = connection.makefile("rb")
    for number in range(2, 1_000_000):
        answers.readline()
        time.sleep(0.01)
        connection.sendall(json.dumps(question(number)).encode() + b"\n")


if __name__ == "__main__":
    name, own, lock = sys.argv[1:]
    serve(int(own)) if name == "lock" else ask(int(lock))
