"""Where something stands, in few words."""

from __future__ import annotations

import os

from gristmill.source import Span


def place_text(span: Span) -> str:
    span = span.file.original(span)
    return f"{os.path.basename(span.file.path)}:{span.line}"
