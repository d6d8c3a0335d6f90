"""What a checkpoint must say besides what the search core and the runtime save: the layout of states, and names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from gristmill.native.codec import decode_several, encode_several
from gristmill.native.emit.generate import Generated
from gristmill.native.plan.layout import LEAF, Bits, Layout, Leaf, Parts
from gristmill.search.core.errors import CheckpointError
from gristmill.search.core.search import damaged
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import current

_FILE = "layout.json"


@dataclass(frozen=True, slots=True)
class Saved:
    layouts: tuple[Layout, ...]
    widths: tuple[int, ...]
    digest: str  # of the file it is from


def identity(generated: Generated, representatives: str, layout_digest: str) -> int:
    """A number that another model, layout, or choice of representatives does not have, nor another layout file."""
    constants = encode_several(generated.constants)
    own = (representatives.encode(), generated.text.encode(), bytes(generated.widths), constants)
    data = b"\0".join((*own, layout_digest.encode()))
    return int.from_bytes(sha256(data).digest()[:8], "little")


def save_layout(directory: Path, generated: Generated, fingerprint: bool = False) -> str:
    """Names are saved in their order: values in states refer to them by number. The digest of what was written."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    document = {
        "names": list(current().positions),
        "layouts": [layout_document(layout) for layout in generated.layouts],
        "widths": generated.widths,
        "fingerprint": fingerprint,
    }
    text = json.dumps(document)
    digest = _digest(text)
    unfinished = directory / f"{_FILE}.new"
    unfinished.touch(mode=0o600)
    unfinished.write_text(f"{digest}\n{text}")
    unfinished.replace(directory / _FILE)
    return digest


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _document(directory: Path) -> tuple[dict[str, Any], str]:
    """What the file says, and its digest, which is its first line: nothing that is damaged is looked into."""
    try:
        digest, _, text = (directory / _FILE).read_bytes().decode().partition("\n")
    except OSError as error:
        raise CheckpointError(f"there is no checkpoint in {directory} that can be read") from error
    except UnicodeDecodeError:
        digest, text = "", ""
    if digest != _digest(text):
        raise CheckpointError(damaged(directory))
    return json.loads(text), digest


def load_layout(directory: Path, variables: Sequence[str], fingerprint: bool = False) -> Saved:
    document, digest = _document(directory)
    names = document["names"]
    known = list(current().positions)
    if names[: len(known)] != known[: len(names)]:
        raise CheckpointError(f"the checkpoint in {directory} is of another specification or configuration")
    if document["fingerprint"] != fingerprint:
        how = "without" if fingerprint else "with"
        raise CheckpointError(f"the checkpoint in {directory} was made {how} --fingerprint: resume it {how} that")
    current().register_all(names)
    layouts = tuple(layout_of(each) for each in document["layouts"])
    widths = tuple(document["widths"])
    if len(layouts) != len(variables) or sum(layout.size for layout in layouts) != len(widths):
        raise CheckpointError(f"the checkpoint in {directory} is of another specification")
    return Saved(layouts, widths, digest)


def layout_document(layout: Layout) -> Any:
    """A layout for a file; `layout_of` reads it."""
    if isinstance(layout, Leaf):
        return None
    if isinstance(layout, Bits):
        return {"universe": layout.universe, "words": layout.words}
    return [
        encode_several(layout.keys).hex(),
        [layout_document(child) for child in layout.children],
        layout.is_sequence,
    ]


def layout_of(document: Any) -> Layout:
    if document is None:
        return LEAF
    if isinstance(document, dict):
        return Bits(int(document["universe"]), int(document["words"]))
    keys, children, is_sequence = document
    found = tuple(layout_of(child) for child in children)
    return Parts(tuple(decode_several(bytes.fromhex(keys), len(found))), found, bool(is_sequence))
