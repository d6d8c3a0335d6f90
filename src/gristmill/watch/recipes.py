"""What native code is to find in messages, so that it can make their records (`making.py` does it in Python)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from gristmill.native.run.hearing import Differs, Element
from gristmill.systems.decoders.listening import Source
from gristmill.values import Value, from_python, make_record
from gristmill.watch.records import Field, NodeCalled, RecordMap


class Recipe(NamedTuple):
    """`words`: what is to be found, one after the other. `differ`: where in the record it goes. All other parts of a
    record are the same in every message of a route."""

    words: tuple[int, ...]
    differ: tuple[Differs, ...]


class _NotNativeError(Exception):
    """Native code does not find it."""


def recipe_for(
    described: RecordMap,
    others: Iterable[str],
    sources: Mapping[str, Source],
    fixed: Mapping[str, Any],
    node: NodeCalled,
) -> Recipe | None:
    """`others`: the fields of a record for its kind, sender and receiver. `fixed`: parts of messages that are the same
    for all of them. None if native code cannot make these records."""
    sources = {**sources, **{name: Source("fixed", value=value) for name, value in fixed.items()}}
    words: list[int] = []
    differ: list[Differs] = []
    try:
        for place, name in enumerate(_in_order([*others, *described.fields])):
            field = described.fields.get(name)
            if field is None:
                continue
            found = _source(field, sources)
            if found is None:
                continue
            if field.form == "each":
                inside, element = _element(field, found, node)
                words += [found.number, len(inside), *inside]
                differ.append(Differs(place, element=element))
            else:
                words.append(found.opposite if field.form == "not" else found.number)
                differ.append(Differs(place, found.form == "truth"))
    except _NotNativeError:
        return None
    return Recipe(tuple(words), tuple(differ))


def fixed_nodes(described: RecordMap, fixed: Mapping[str, str]) -> list[str]:
    """The names of nodes in what is fixed, as records ask for them."""
    fields = (described.fields.get(name) for name in _in_order(described.fields))
    paths = [each.path for each in fields if each is not None and each.form == "node"]
    return [fixed[path] for path in paths if fixed.get(path)]


def _source(field: Field, sources: Mapping[str, Source]) -> Source | None:
    """Where it is found; None if it is always the same."""
    if field.form == "constant":
        return None
    found = sources.get(field.path)
    forms = {"path": ("number", "truth"), "not": ("truth",), "digest": ("text",), "each": ("each",)}
    if found is None or (found.form != "fixed" and found.form not in forms.get(field.form, ())):
        raise _NotNativeError
    if found.form == "fixed":
        if field.form not in ("path", "digest", "node"):
            raise _NotNativeError
        return None
    return found


def _element(field: Field, source: Source, node: NodeCalled) -> tuple[list[int], Element]:
    """Of a sequence of records: what is to be found of each, and what they are."""
    fixed = {name: each.value for name, each in source.parts.items() if each.form == "fixed"}
    words: list[int] = []
    values: list[Value] = []
    differ: list[tuple[int, bool]] = []
    fields = tuple(_in_order(field.parts))
    for place, name in enumerate(fields):
        part = field.parts[name]
        found = _source(part, source.parts)
        if found is None:
            values.append(from_python(part.read(fixed, node)))
            continue
        if found.form == "each":
            raise _NotNativeError
        words.append(found.opposite if part.form == "not" else found.number)
        values.append(0)
        differ.append((place, found.form == "truth"))
    if not fields:
        raise _NotNativeError
    return words, Element(fields, tuple(values), tuple(differ))


def _in_order(names: Iterable[str]) -> Iterable[str]:
    """As the fields of a record stand in a value."""
    ordered: Iterable[str] = make_record(dict.fromkeys(names, 0))  # type: ignore[assignment]
    return ordered
