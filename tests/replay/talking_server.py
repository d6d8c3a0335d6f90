"""A node that is up in no time: it tells the other one a number, one JSON message a line, when a client says so.

    python talking_server.py NAME PEER_PORT CLIENT_PORT OTHER_PORT

POST /tell {"number": n}: tell the other one. GET /state: what was heard, which is kept in state.json.
"""

import json
import socket
import sys
import threading
from pathlib import Path

name, peer_port, client_port, other_port = sys.argv[1:]
heard: list[int] = []


def listening(port: str) -> socket.socket:
    return socket.create_server(("127.0.0.1", int(port)))


def hear(connection: socket.socket) -> None:
    for line in connection.makefile():
        heard.append(json.loads(line)["number"])
        Path("state.json").write_text(json.dumps(heard))


def listen_to_peers(server: socket.socket) -> None:
    while True:
        threading.Thread(target=hear, args=(server.accept()[0],), daemon=True).start()


clients = listening(client_port)
threading.Thread(target=listen_to_peers, args=(listening(peer_port),), daemon=True).start()
other = None
while True:
    client = clients.accept()[0]
    request = client.makefile("rb")
    first, length = request.readline(), 0
    while (line := request.readline()) != b"\r\n":
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    body = request.read(length)
    if first.startswith(b"POST /tell"):
        other = other or socket.create_connection(("127.0.0.1", int(other_port)))
        other.sendall(json.dumps({"kind": "Tell", "number": json.loads(body)["number"]}).encode() + b"\n")
    answer = json.dumps({"heard": heard}).encode()
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer)
    request.close()
    client.close()
