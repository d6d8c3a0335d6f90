"""A small server for tests: nodes that tell each other numbers, one JSON message a line, and clients that ask by HTTP.

    python talking_node.py NAME PEER_PORT CLIENT_PORT NAME=PORT…     (the others, and where they are to be reached)

POST /tell {"number": n}: tell all others (Tell), who note it and answer (Heard). GET /state: what was heard.
POST /crash: an exception that ends it. What was heard is kept in state.json. With the variable TICK set to a number of
seconds, it tells all others of every tick of its clock.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

name, peer_port, client_port, *others = sys.argv[1:]
STATE = Path("state.json")
state = json.loads(STATE.read_text()) if STATE.exists() else {"heard": [], "answers": [], "ticks": 0}
background: list[asyncio.Future] = []
writers: dict[str, asyncio.StreamWriter] = {}


def keep() -> None:
    STATE.write_text(json.dumps(state))


async def send(other: str, port: str, message: dict) -> None:
    if other not in writers or writers[other].is_closing():
        reader, writers[other] = await asyncio.open_connection("127.0.0.1", int(port))
        background.append(asyncio.ensure_future(listen_to_answers(other, reader)))
    writers[other].write(json.dumps({"from": name, **message}).encode() + b"\n")


async def listen_to_answers(other: str, reader: asyncio.StreamReader) -> None:
    while line := await reader.readline():
        message = json.loads(line)
        state["answers"].append([other, message["number"]])
        keep()
    writers.pop(other, None)


async def tell(message: dict) -> None:
    for other, port in (each.split("=") for each in others):
        if other == name:
            continue
        try:
            await send(other, port, message)
        except OSError:
            writers.pop(other, None)


async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        message = json.loads(line)
        state["heard"].append([message["from"], message["number"]])
        keep()
        writer.write(json.dumps({"kind": "Heard", "number": message["number"]}).encode() + b"\n")
    writer.close()


async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    lengths = [int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length")]
    body = await reader.readexactly(sum(lengths))
    status = 200
    if head.startswith("POST /tell"):
        await tell({"kind": "Tell", "number": json.loads(body)["number"]})
    elif head.startswith("POST /crash"):
        print("PANIC: told to crash", flush=True)
        os._exit(3)
    elif not head.startswith("GET /state"):
        status = 404
    answer = json.dumps({"name": name, **state}).encode()
    writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(answer)}\r\n\r\n".encode() + answer)
    writer.close()


async def tick(seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        state["ticks"] += 1
        await tell({"kind": "Tick", "number": state["ticks"]})


async def main() -> None:
    await asyncio.start_server(client, "127.0.0.1", int(client_port))
    await asyncio.start_server(peer, "127.0.0.1", int(peer_port))
    if "TICK" in os.environ:
        background.append(asyncio.ensure_future(tick(float(os.environ["TICK"]))))
    await asyncio.Event().wait()


asyncio.run(main())
