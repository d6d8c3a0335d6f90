"""Moves as a mapping writes them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gristmill.replay.mapping.parts import Move, MoveKind
from gristmill.source import Span
from gristmill.source.toml_reader import Reader, suggestion
from gristmill.systems.formulas import Formula, Formulas

MOVE_KEYS = (
    "on",
    "from",
    "where",
    "to",
    "to-where",
    "set",
    "await",
    "fault",
    "call",
    "with",
    "open",
    "hold",
    "settle",
    "for",
    "repeat",
    "if",
    "all",
    "until",
    "do",
)
STRAY_KEYS = ("from", "on", "where", "set")
_KINDS: dict[str, MoveKind] = {
    "from": "release",
    "await": "await",
    "fault": "fault",
    "call": "call",
    "open": "open",
    "hold": "hold",
    "settle": "settle",
    "do": "do",
}
_BINDING = re.compile(r"\s*(\w+)\s*(?:\\in|∈)\s*(.+)", re.DOTALL)


class MoveReader:
    """Reads moves; mistakes are noted by the reader. `bound`: what each point binds."""

    def __init__(self, reader: Reader, formulas: Formulas, bound: Mapping[str, Collection[str]]) -> None:
        self.reader, self.formulas, self.bound = reader, formulas, bound
        self.named = {name: tuple(reader.texts("moves", name, "names")) for name in reader.table("moves")}

    def shared(self) -> dict[str, tuple[Move, ...]]:
        """`[moves.NAME]`: moves that several actions have in common."""
        found = {name: self.moves(("moves", name), [*names, "after"]) for name, names in self.named.items()}
        for name in found:
            if name in self._reached(name, found):
                message = f"the moves `{name}` are among those that they do themselves"
                self.reader.error("endless-moves", message, self.reader.places.key("moves", name))
        return found

    def _reached(self, name: str, moves: Mapping[str, Sequence[Move]]) -> set[str]:
        """The shared moves that these do, directly or not."""
        reached: set[str] = set()
        waiting = [name]
        while waiting:
            inner = {each.name for each in moves.get(waiting.pop(), ()) if each.kind == "do"}
            waiting += inner - reached
            reached |= inner
        return reached

    def strays(self) -> tuple[Move, ...]:
        """`[stray.NAME]`: actors that the model does not speak of, and that go on by themselves."""
        for name in self.reader.table("stray"):
            self.reader.known(("stray", name), STRAY_KEYS)
        tables = [(("stray", name), self.reader.table("stray", name)) for name in self.reader.table("stray")]
        moves = [self.move({**table, "all": True}, path, ("after", "again")) for path, table in tables]
        return tuple(each for each in moves if each.kind == "release")

    def moves(self, path: tuple[str, ...], names: Sequence[str]) -> tuple[Move, ...]:
        """The moves of a table: those of its list `do`, or the one that its own keys describe."""
        table = self.reader.table(*path)
        listed = table.get("do")
        if listed is None or isinstance(listed, str):
            own = {key: value for key, value in table.items() if key in MOVE_KEYS}
            return (self.move(own, path, names),) if own else ()
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            self.reader.wrong((*path, "do"), "a list of moves", 'do = [{ on = "s", from = "point" }]')
            return ()
        return tuple(self.move(each, (*path, "do", number), names) for number, each in enumerate(listed))

    def move(self, table: Mapping[str, Any], path: tuple[str | int, ...], names: Sequence[str]) -> Move:
        reader, place = self.reader, self.reader.places.value(*path)
        for key in table:
            if key not in MOVE_KEYS:
                span = reader.places.key(*path, key)
                reader.unknown("unknown-key", f"a move has no key `{key}`", span, key, MOVE_KEYS)
        kinds = [key for key in _KINDS if key in table]
        if len(kinds) != 1:
            said = f"says both `{kinds[0]}` and `{kinds[1]}`" if kinds else "does not say what is done"
            reader.error("no-move", f"this move {said}", place, f"one of {', '.join(_KINDS)} says what is done")
            return Move("settle", span=place)
        kind = _KINDS[kinds[0]]
        each = self._each(table, path, names)
        names = [*names, each[0]] if each else names
        name, points = self._subject(kind, kinds[0], table, path)
        to = self._points(table, "to", path)
        return Move(
            kind,
            name,
            points,
            on=self._formula(table, "on", path, names),
            where=self._formula(table, "where", path, [*names, "node", *self._bound_at(kind, name)]),
            to=to,
            to_where=self._formula(
                table, "to-where", path, [*names, "node", *(each for point in to for each in self.bound.get(point, ()))]
            ),
            changes=self._formulas(table, "set", path, [*names, "node", *self.bound.get(name, ())]),
            details=self._formulas(table, "with", path, names),
            each=each,
            repeat=self._formula(table, "repeat", path, names),
            condition=self._formula(table, "if", path, names),
            all=table.get("all") is True,
            until=next(iter(self._points(table, "until", path)), ""),
            span=place,
        )

    def _bound_at(self, kind: MoveKind, name: str) -> list[str]:
        """What `where` may speak of: what the point binds; what any point binds, if it is of a fault."""
        points = list(self.bound) if kind == "fault" else [name]
        return list(dict.fromkeys(each for point in points for each in self.bound.get(point, ())))

    def _subject(
        self, kind: MoveKind, key: str, table: Mapping[str, Any], path: tuple[str | int, ...]
    ) -> tuple[str, tuple[str, ...]]:
        if kind in ("release", "await"):
            found = self._points(table, key, path)
            return (found[0] if found else ""), ()
        if kind in ("open", "hold"):
            return "", self._points(table, key, path)
        value, span = table[key], self.reader.places.value(*path, key)
        if kind == "settle":
            return "", ()
        if not isinstance(value, str):
            self.reader.error("wrong-type", f"`{key}` must be a text", span)
            return "", ()
        if kind == "do" and value not in self.named:
            self.reader.unknown("unknown-moves", f"there are no moves `{value}`", span, value, self.named)
        if kind == "call":
            self._check_call(value, table, span)
        return value, ()

    def _check_call(self, name: str, table: Mapping[str, Any], span: Span) -> None:
        known = self.reader.table("client")
        if name not in known:
            help = suggestion(name, known) or f"write [client.{name}]"
            self.reader.error("unknown-operation", f"there is no operation `{name}` of clients", span, help)
        if "on" not in table:
            self.reader.error("no-node", f"on which node is `{name}` called?", span, 'write on = "…"')

    def _points(self, table: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> tuple[str, ...]:
        value = table.get(key, [])
        names = [value] if isinstance(value, str) else value
        if names == ["*"]:
            return tuple(self.bound)
        span = self.reader.places.value(*path, key)
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            self.reader.error("wrong-type", f"`{key}` must be the name of a point, or several", span)
            return ()
        for name in names:
            if name not in self.bound:
                self.reader.unknown("unknown-point", f"there is no point `{name}`", span, name, self.bound)
        return tuple(names)

    def _each(
        self, table: Mapping[str, Any], path: tuple[str | int, ...], names: Sequence[str]
    ) -> tuple[str, Formula] | None:
        text = table.get("for")
        if text is None:
            return None
        span = self.reader.places.value(*path, "for")
        found = _BINDING.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            self.reader.error("wrong-type", "`for` must bind a name", span, "write for = 's \\in Server'")
            return None
        return found[1], self.formulas.add(found[2], span, names)

    def _formula(
        self, table: Mapping[str, Any], key: str, path: tuple[str | int, ...], names: Sequence[str]
    ) -> Formula | None:
        text = table.get(key)
        if text is None:
            return None
        span = self.reader.places.value(*path, key)
        if not isinstance(text, str):
            self.reader.error("wrong-type", f"`{key}` must be a TLA+ expression in quotes", span, f'{key} = "…"')
            return None
        return self.formulas.add(text, span, names)

    def _formulas(
        self, table: Mapping[str, Any], key: str, path: tuple[str | int, ...], names: Sequence[str]
    ) -> dict[str, Formula]:
        inner = table.get(key, {})
        if not isinstance(inner, dict):
            span = self.reader.places.value(*path, key)
            self.reader.error("wrong-type", f"`{key}` must be a table of TLA+ expressions", span)
            return {}
        found = {name: self._formula(inner, name, (*path, key), names) for name in inner}
        return {name: formula for name, formula in found.items() if formula is not None}
