"""What a step changes, in words: `log[s1]: Append <<2, "x">>`, `msgs: + [type |-> "Vote"]`, `votes[s2]: {} → {s1}`.

The data is `trace.difference`; these words are the same in every report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from gristmill.report.page.elide import elided, shortened
from gristmill.trace.difference import At, Change, Field, Kind, Path, path_text, state_changes
from gristmill.values import Fn, ModelValue, Value, show
from gristmill.values.show import shows_as_record

SHORT = 40  # characters of two values that are shown as they are, rather than by their parts
_NARROWEST = 16  # columns of a value
_LEAST_SHARE = 26  # columns in which some of a message can be seen
_WIDEST_PLACE = 0.5  # of the columns


class Words(NamedTuple):
    """Where something changed, and what: `log[s1]` and `Append 3`."""

    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


def step_words(before: Mapping[str, Any], after: Mapping[str, Any], width: int) -> list[Words]:
    """Of all variables that differ between two states of the world that is active; none is wider than `width`."""
    found = state_changes(before, after, whole=SHORT)
    return [words for name, changes in found.items() for words in variable_words(name, changes, width)]


def variable_words(name: str, changes: Sequence[Change], width: int) -> Iterator[Words]:
    """What changed inside of a variable: one for each part, what happened to the same part together."""
    for container, together in groupby(changes, key=_container):
        part = list(together)
        place = _place(name, container, width)
        room = max(_NARROWEST, width - len(place) - 2)
        yield Words(place, shortened(_what(part, room), room))


# Changes that are told of the set, sequence or function that they happen in, by how they are introduced there.
_IN_A_WHOLE: dict[Kind, str] = {
    "added": "+ ",
    "removed": "- ",
    "appended": "Append ",
    "dropped": "Tail drops ",
    "gained": "+ ",
    "lost": "- ",
}
_AT_A_PLACE: dict[Kind, str] = {"inserted": "insert ", "deleted": "delete "}


def _container(change: Change) -> tuple[Path, Kind | None, int]:
    """Equal for changes that are told together."""
    if change.kind in ("added", "removed"):
        return change.path, None, 0
    if change.kind in _IN_A_WHOLE and change.path:
        return change.path[:-1], None, 0
    return change.path, change.kind, id(change)


def _place(name: str, container: tuple[Path, Kind | None, int], width: int) -> str:
    """Long arguments, such as the messages of a bag, are cut."""
    path, room = container[0], int(width * _WIDEST_PLACE)
    whole = name + path_text(path)
    if len(whole) <= room:
        return whole
    least = max(_NARROWEST, (room - len(name)) // max(1, len(path)) - 2)
    return name + "".join(f"[{fitted(at.argument, least)}]" if isinstance(at, At) else str(at) for at in path)


def _what(together: Sequence[Change], room: int) -> str:
    first = together[0]
    if first.kind == "changed":
        return _became(first.before, first.after, room)
    if not first.path and first.kind == "gained":
        return elided(show(first.after), room)
    if first.kind in _AT_A_PLACE:
        return _AT_A_PLACE[first.kind] + _value(first, room - 7)
    return _listed(together, room)


def _became(before: Value, after: Value, room: int) -> str:
    """Both as far as there is room; each gets what the other does not need."""
    old, new = show(before), show(after)
    if len(old) + len(new) + 3 > room:
        half = max(_NARROWEST, (room - 3) // 2)
        old = fitted(before, max(half, room - 3 - len(new)))
        new = fitted(after, max(half, room - 3 - len(old)))
    return f"{old} → {new}"


def _listed(together: Sequence[Change], room: int) -> str:
    """As many as there is room for, the others counted: `+ 1, + 2, … 7 more`.

    Of a few that are long, such as the message that goes and the one that comes, each gets its share of the room.
    """
    share = room // len(together) - 2
    if share >= _LEAST_SHARE:
        marked = [_IN_A_WHOLE[each.kind] for each in together]
        cut = [mark + _value(each, share - len(mark)) for mark, each in zip(marked, together, strict=True)]
        if sum(len(mark) + len(_value(each)) + 2 for mark, each in zip(marked, together, strict=True)) > room + 2:
            return ", ".join(cut)
    said: list[str] = []
    kind: Kind | None = None
    for number, change in enumerate(together):
        left = len(together) - number - 1
        more = f", … {left:,} more" if left else ""
        used = sum(map(len, said)) + 2 * len(said)
        repeated = change.kind == kind and change.kind in ("appended", "dropped")
        mark = "" if repeated else _IN_A_WHOLE[change.kind]
        text = mark + _value(change)
        if used + len(text) + len(more) > room:
            if said:
                return f"{', '.join(said)}, … {left + 1:,} more"
            text = mark + _value(change, max(_NARROWEST, room - len(mark) - len(more)))
        said.append(text)
        kind = change.kind
    return ", ".join(said)


def _value(change: Change, room: int | None = None) -> str:
    """Of an argument of a function with what it is mapped to; in so many columns, if there is not room for all."""
    value = change.before if change.after is None else change.after
    if change.kind not in ("gained", "lost"):
        return show(value) if room is None else fitted(value, room)
    at, text = change.path[-1], show(value)
    arrow = " |-> " if isinstance(at, Field) else " :> "
    if room is None:
        return (at.name if isinstance(at, Field) else show(at.argument)) + arrow + text
    left = max(_NARROWEST, room - len(arrow) - min(len(text), room // 2))
    name = elided(at.name, left) if isinstance(at, Field) else fitted(at.argument, left)
    return name + arrow + fitted(value, max(_NARROWEST, room - len(arrow) - len(name)))


_TELLING: dict[type, int] = {str: 0, ModelValue: 1}


def fitted(value: Value, room: int) -> str:
    """A value in so many columns.

    Of a record that has to be cut, texts are kept first, as mostly they say what it is; then model values, which tell
    between whom a message goes.
    """
    text = show(value)
    if len(text) <= room or not isinstance(value, Fn) or not shows_as_record(value):
        return elided(text, room)
    fields = sorted(value.items(), key=lambda each: _TELLING.get(type(each[1]), len(_TELLING)))
    text = elided("[" + ", ".join(f"{name} |-> {show(each)}" for name, each in fields) + "]", room)
    first = fields[0][1]
    short = f"[{show(first)}, … {len(fields) - 1:,} more]"  # without the name of the field, rather than without all
    return short if text.startswith("[…") and type(first) is str and len(short) <= room else text


def packed(words: Sequence[Words], width: int, most: int) -> list[str]:
    """In at most so many lines: one a change if there are few, else several on a line, and the rest counted."""
    texts = [shortened(str(each), width) for each in words]
    if len(texts) <= most:
        return texts
    lines: list[str] = []
    for number, text in enumerate(texts):
        left = len(texts) - number - 1
        more = _rest(left) if left and len(lines) >= most else ""
        if lines and len(lines[-1]) + 2 + len(text) + len(more) <= width:
            lines[-1] += f"; {text}"
        elif len(lines) < most:
            lines.append(text)
        else:
            rest = _rest(left + 1)
            return [*lines[:-1], shortened(lines[-1], width - len(rest)) + rest]
    return lines


def _rest(left: int) -> str:
    return f"; … {left:,} more {'change' if left == 1 else 'changes'}"
