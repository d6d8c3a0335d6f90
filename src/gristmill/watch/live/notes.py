"""Records that are about the recording itself: what is missing in it."""

from __future__ import annotations

import json
import time

from gristmill.watch.recording import HEAD, NOTE, records_in


class Gap:
    """Counts records that are left out, and tells of them."""

    def __init__(self, why: str) -> None:
        self.why = why
        self.records = self.bytes = 0  # since the last note

    def skip(self, records: bytes) -> None:
        self.records += sum(1 for _ in records_in(records))
        self.bytes += len(records)

    def note(self) -> bytes:
        """A record for the place where others are missing; empty if none are."""
        if not self.records:
            return b""
        told = {"note": "missed", "records": self.records, "bytes": self.bytes, "why": self.why}
        self.records = self.bytes = 0
        text = json.dumps(told).encode()
        return HEAD.pack(0, time.time_ns(), 0, NOTE, len(text)) + text
