"""Putting a translation into the file, between the marker lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.pluscal.checksum import text_checksum
from gristmill.pluscal.locate import CHECKSUMS, OWN_CHECKSUM, AlgorithmRegion, TranslationRegion
from gristmill.pluscal.writer import Origin
from gristmill.source import Diagnostic, SourceError
from gristmill.syntax.lexer import MODULE_START

_BARE_MARKER = re.compile(r"\s*\\\*\s*BEGIN *TRANSLATION\s*")
_REST_OF_LINE = re.compile(r"[ \t]*(?:\\\*[^\r\n]*)?(?:\r?\n|\Z)")


@dataclass(frozen=True, slots=True)
class Inserted:
    """The new text of a file; from `start` to `end` stands what was put in, markers included."""

    text: str
    module_text: str
    origins: tuple[Origin, ...]
    start: int
    end: int


def insert_translation(
    region: AlgorithmRegion, translation: str, origins: Sequence[Origin], checksum: str, own: str
) -> Inserted:
    """The text of the file with its translation replaced, or put behind the algorithm's comment.

    `checksum` is that of pcal.trans, `own` is ours, written only where the other one says nothing.
    """
    old_text = region.keyword.file.text
    newline = "\r\n" if "\r\n" in old_text else "\n"
    tla_checksum = text_checksum(translation)
    translation, origins = _with_newlines(translation, origins, newline)
    if region.translation is not None:
        old = region.translation
        head = old_text[: old.marker.start]
        marker = _update_marker(old, checksum, tla_checksum)
        marker = _update_own(marker, region, own, tla_checksum) + old_text[old.marker.end : old.start]
        behind, tail = "", old_text[old.end :]
    else:
        at = _place_behind_comment(region)
        head, tail = old_text[:at], old_text[at:]
        line = f'\\* BEGIN TRANSLATION (chksum(pcal) = "{checksum}" /\\ chksum(tla) = "{tla_checksum}")'
        marker = ("" if head.endswith("\n") else newline) + _update_own(line, region, own, tla_checksum) + newline
        behind = f"\\* END TRANSLATION{newline}"
    start = len(head) + len(marker)
    moved = tuple(Origin(o.start + start, o.end + start, o.span) for o in origins)
    end = start + len(translation) + len(behind)
    return Inserted(head + marker + translation + behind + tail, translation, moved, len(head), end)


def _update_marker(old: TranslationRegion, checksum: str, tla_checksum: str) -> str:
    """The marker line with the checksums it has brought up to date; it gets new ones only if it says nothing else."""
    marker = old.marker.text
    if _BARE_MARKER.fullmatch(marker):
        return f'{marker.rstrip()} (chksum(pcal) = "{checksum}" /\\ chksum(tla) = "{tla_checksum}")'
    sums = CHECKSUMS.search(marker)
    if sums is None:
        return marker
    for group, value in (("tla", tla_checksum), ("pcal", checksum)):  # from right to left
        if sums[group] is not None:
            marker = marker[: sums.start(group)] + value + marker[sums.end(group) :]
    return marker


def _update_own(marker: str, region: AlgorithmRegion, own: str, tla_checksum: str) -> str:
    marker = OWN_CHECKSUM.sub("", marker)
    sums = CHECKSUMS.search(marker)
    if not region.fair or sums is None or sums["tla"] is None:
        return marker
    return f"{marker[: sums.end()]} (algorithm {own} at {tla_checksum}){marker[sums.end() :]}"


def _place_behind_comment(region: AlgorithmRegion) -> int:
    """The line behind the comment, or right behind it if something else follows there."""
    text = region.keyword.file.text
    if region.comment_end is None:
        raise SourceError(
            Diagnostic(
                "pluscal-unclosed-comment",
                "the algorithm does not stand in a comment that is closed",
                region.keyword,
                help="put the algorithm between `(*` and `*)` inside the module",
            )
        )
    if MODULE_START.search(text, 0, region.keyword.start) is None:
        raise SourceError(
            Diagnostic(
                "pluscal-outside-module",
                "the algorithm stands before the module, where its translation cannot go",
                region.keyword,
                help="move it into the module, or write the lines BEGIN TRANSLATION and END TRANSLATION there",
            )
        )
    rest = _REST_OF_LINE.match(text, region.comment_end)
    return rest.end() if rest else region.comment_end


def _with_newlines(text: str, origins: Sequence[Origin], newline: str) -> tuple[str, Sequence[Origin]]:
    """Lines ended the way the file ends them, and the offsets moved along."""
    if newline == "\n":
        return text, origins
    ends = [i for i, character in enumerate(text) if character == "\n"]

    def moved(offset: int) -> int:
        return offset + bisect_right(ends, offset - 1) * (len(newline) - 1)

    return text.replace("\n", newline), [Origin(moved(o.start), moved(o.end), o.span) for o in origins]
