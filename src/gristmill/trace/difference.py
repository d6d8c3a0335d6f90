"""What differs between two values, part by part: the same data for the terminal, for pages, and for `replay`.

`log[s1]` has got an entry, a message has come into the set `msgs`, `state[s2].term` is another number: each is one
`Change`, with the path to the part. What is the same in both values is not mentioned. `report.changes` has the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from gristmill.source.quick_dataclass import dataclass
from gristmill.values import Fn, Value, show
from gristmill.values.show import elements_to_show, shows_as_record

# - changed: `before` became `after`
# - added, removed: an element of the set at `path`
# - appended: at the end of a sequence; dropped: what was first in it, as by Tail; inserted, deleted: in the middle.
#   The last of `path` is the number of the element
# - gained, lost: an argument of a function, or a field of a record, the last of `path`, with its value
Kind = Literal["changed", "added", "removed", "appended", "dropped", "inserted", "deleted", "gained", "lost"]


@dataclass(frozen=True, slots=True)
class Field:
    """A part of a record: `.name`."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


@dataclass(frozen=True, slots=True)
class At:
    """A value of a function, or an element of a sequence: `[argument]`."""

    argument: Value

    def __str__(self) -> str:
        return f"[{show(self.argument)}]"


Path = tuple[Field | At, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One part that differs. What is not there before, or not after, is None, which is no TLA+ value."""

    path: Path
    kind: Kind
    before: Any = None
    after: Any = None


def path_text(path: Path) -> str:
    """As one would write it behind the name of a variable: `[s1].log[2]`."""
    return "".join(map(str, path))


def changes(before: Value, after: Value, whole: int = 0, shifts: bool = True) -> tuple[Change, ...]:
    """From left to right; none if the values are equal. Values of the world that is active.

    `whole`: values that take together no more characters than this are one change, not one for each part, because
    `{s1} → {s1, s2}` is quicker to read than what the two have not in common. `shifts`: whether a sequence may have
    lost elements at its front and got others at its end, as a queue does; else they are compared place by place.
    """
    return tuple(_Differ(whole, shifts).within((), before, after))


def state_changes(before: Mapping[str, Any], after: Mapping[str, Any], whole: int = 0) -> dict[str, tuple[Change, ...]]:
    """Of each variable that differs between two states; one that only the later state shows is `gained`."""
    found = {}
    for name, value in after.items():
        there = changes(before[name], value, whole) if name in before else (Change((), "gained", None, value),)
        if there:
            found[name] = there
    return found


class _Differ:
    def __init__(self, whole: int, shifts: bool) -> None:
        self.whole, self.shifts = whole, shifts

    def within(self, path: Path, before: Value, after: Value) -> Iterator[Change]:
        if type(before) is type(after) and before == after:
            return
        found = list(self._parts(path, before, after))
        if self._is_one_change(found, before, after):
            yield Change(path, "changed", before, after)
        else:
            yield from found

    def _is_one_change(self, found: list[Change], before: Value, after: Value) -> bool:
        """Whether the values themselves say it better than their parts do."""
        if not self.whole or found[0].kind in ("appended", "dropped"):
            return False
        if after == () and isinstance(before, tuple):
            return True
        is_deep = len(found) == 1 and type(before) is not frozenset
        return not is_deep and _fits(before, after, self.whole)

    def _parts(self, path: Path, before: Value, after: Value) -> Iterator[Change]:
        if isinstance(before, frozenset) and isinstance(after, frozenset):
            yield from (Change(path, "removed", before=each) for each in elements_to_show(before - after))
            yield from (Change(path, "added", after=each) for each in elements_to_show(after - before))
        elif isinstance(before, tuple) and isinstance(after, tuple):
            yield from self._sequences(path, before, after)
        elif _is_function(before) and _is_function(after):
            yield from self._functions(path, _items(before), _items(after))
        else:
            yield Change(path, "changed", before, after)

    def _sequences(self, path: Path, before: tuple[Value, ...], after: tuple[Value, ...]) -> Iterator[Change]:
        kept = _overlap(before, after) if self.shifts else 0
        if kept:
            yield from _gone(path, "dropped", 0, before[: len(before) - kept])
            yield from _new(path, "appended", kept, after[kept:])
            return
        first, last = _common(before, after)
        old, new = before[first : len(before) - last], after[first : len(after) - last]
        both = min(len(old), len(new))
        for number in range(both):
            yield from self.within((*path, At(first + number + 1)), old[number], new[number])
        yield from _gone(path, "deleted", first + both, old[both:])
        yield from _new(path, "inserted" if last else "appended", first + both, new[both:])

    def _functions(self, path: Path, before: Mapping[Value, Value], after: Mapping[Value, Value]) -> Iterator[Change]:
        if self.whole and _are_other_records(before, after):
            yield Change(path, "changed", before, after)
            return
        for key, value in before.items():
            here = (*path, _step(before, key))
            if key in after:
                yield from self.within(here, value, after[key])
            else:
                yield Change(here, "lost", before=value)
        yield from (
            Change((*path, _step(after, key)), "gained", after=value)
            for key, value in after.items()
            if key not in before
        )


def _gone(path: Path, kind: Kind, behind: int, elements: tuple[Value, ...]) -> Iterator[Change]:
    """Elements of a sequence that is at `path`, where so many stand before them."""
    return (Change((*path, At(number)), kind, before=each) for number, each in enumerate(elements, behind + 1))


def _new(path: Path, kind: Kind, behind: int, elements: tuple[Value, ...]) -> Iterator[Change]:
    return (Change((*path, At(number)), kind, after=each) for number, each in enumerate(elements, behind + 1))


def _is_function(value: Value) -> bool:
    """The empty function is the empty tuple: `<<>>` may grow into a bag."""
    return isinstance(value, Fn | tuple)


def _items(value: Any) -> Mapping[Value, Value]:
    return value if isinstance(value, Fn) else dict(enumerate(value, 1))


def _step(function: Mapping[Value, Value], key: Value) -> Field | At:
    if isinstance(key, str) and isinstance(function, Fn) and shows_as_record(function):
        return Field(key)
    return At(key)


def _are_other_records(before: Mapping[Value, Value], after: Mapping[Value, Value]) -> bool:
    """Records with other fields and hardly anything in common, such as two kinds of messages."""
    if not before or not after or before.keys() == after.keys():
        return False
    if not all(isinstance(key, str) for each in (before, after) for key in each):
        return False
    same = sum(key in after and after[key] == value for key, value in before.items())
    return 2 * same < max(len(before), len(after))


def _overlap(before: tuple[Value, ...], after: tuple[Value, ...]) -> int:
    """How many elements at the end of `before` are those at the beginning of `after`: a queue has moved on, or grown.

    0 unless that is at least half of one of them, as a single element may be equal by chance.
    """
    for kept in range(min(len(before), len(after)), 0, -1):
        if before[len(before) - kept :] == after[:kept]:
            return kept if 2 * kept >= min(len(before), len(after)) else 0
    return 0


def _common(before: tuple[Value, ...], after: tuple[Value, ...]) -> tuple[int, int]:
    """How many elements are the same at the beginning, and behind these at the end."""
    least = min(len(before), len(after))
    first = next((number for number in range(least) if before[number] != after[number]), least)
    left = least - first
    last = next((number for number in range(left) if before[-1 - number] != after[-1 - number]), left)
    return first, last


_LARGEST = 64  # elements: what has more is not short


def _fits(before: Value, after: Value, room: int) -> bool:
    if not (_is_small(before) and _is_small(after)):
        return False
    return len(show(before)) + len(show(after)) <= room


def _is_small(value: Value) -> bool:
    """Without writing it down, which takes long for what is large."""
    waiting, seen = [value], 0
    while waiting and seen <= _LARGEST:
        each = waiting.pop()
        if isinstance(each, frozenset | tuple | Fn):
            seen += len(each)
            waiting.extend(each.values() if isinstance(each, Fn) else each)
    return seen <= _LARGEST
