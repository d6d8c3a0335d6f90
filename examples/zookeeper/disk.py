"""What a ZooKeeper server has on its disk: the transactions of its snapshot and its log, and its two epochs.

Functions for the mapping: each is given the folder of a node. All are of files only, so they also tell of a server that
is down. Every transaction of a replay creates a node, so those in a snapshot are the `czxid`s of the nodes there.
"""

from __future__ import annotations

import struct
from pathlib import Path

_LOG_HEADER = 16  # magic, version, database
_SNAPSHOT_MAGIC = b"ZKSN"


def log(folder: Path, node: str) -> tuple[int, ...]:
    """The zxids of all transactions that the server would have if it were started now, in their order."""
    data = folder / "data" / "version-2"
    last, known = _newest_snapshot(data)
    behind = [zxid for file in _by_zxid(data, "log") for zxid in _logged(file) if zxid > last]
    return (*sorted(known), *behind)


def accepted_epoch(folder: Path, node: str) -> int:
    return _epoch(folder / "data" / "version-2" / "acceptedEpoch")


def current_epoch(folder: Path, node: str) -> int:
    return _epoch(folder / "data" / "version-2" / "currentEpoch")


def _epoch(file: Path) -> int:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return 0


def _by_zxid(data: Path, kind: str) -> list[Path]:
    """Files are called after the zxid that they begin or end with."""
    return sorted(data.glob(f"{kind}.*"), key=lambda file: int(file.name.partition(".")[2].split(".")[0], 16))


def _logged(file: Path) -> list[int]:
    """The zxids in a log file. What was not written completely, or is only reserved, is zero."""
    text, at, found = file.read_bytes(), _LOG_HEADER, []
    while at + 12 <= len(text):
        checksum, length = struct.unpack_from(">qi", text, at)
        at += 12
        if length <= 0 or checksum == 0 or at + length >= len(text) or text[at + length] != 0x42:
            break
        _, _, zxid = struct.unpack_from(">qiq", text, at)
        found.append(zxid)
        at += length + 1
    return found


def _newest_snapshot(data: Path) -> tuple[int, list[int]]:
    """The zxid of the newest snapshot that is complete, and those of the nodes in it."""
    for file in reversed(_by_zxid(data, "snapshot")):
        try:
            return int(file.name.partition(".")[2], 16), _created(file.read_bytes())
        except (struct.error, ValueError):
            continue  # it is just being written
    return 0, []


def _created(text: bytes) -> list[int]:
    if text[:4] != _SNAPSHOT_MAGIC:
        raise ValueError("no snapshot")
    reader = _Reader(text, 16)
    for _ in range(reader.number()):  # sessions
        reader.skip(12)
    for _ in range(reader.number()):  # access lists
        reader.skip(8)
        for _ in range(reader.number()):
            reader.skip(4)
            reader.buffer()
            reader.buffer()
    found = []
    while (path := reader.buffer()) != b"/":
        reader.buffer()  # its data
        reader.skip(8)  # its access list
        created = reader.long()
        reader.skip(8 + 8 + 8 + 4 + 4 + 4 + 8 + 8)
        if created > 0 and not path.startswith(b"/zookeeper"):
            found.append(created)
    return found


class _Reader:
    def __init__(self, text: bytes, at: int) -> None:
        self.text, self.at = text, at

    def skip(self, count: int) -> None:
        self.at += count

    def number(self) -> int:
        self.at += 4
        return int(struct.unpack_from(">i", self.text, self.at - 4)[0])

    def long(self) -> int:
        self.at += 8
        return int(struct.unpack_from(">q", self.text, self.at - 8)[0])

    def buffer(self) -> bytes:
        length = max(0, self.number())
        if self.at + length > len(self.text):
            raise ValueError("cut off")
        self.at += length
        return self.text[self.at - length : self.at]
