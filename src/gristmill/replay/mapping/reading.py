"""Reads a mapping, a TOML file. All mistakes are reported at once, each with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gristmill.replay.driver import Bindings, Node, Point, Reading
from gristmill.replay.mapping.amounts import limits_of, pattern
from gristmill.replay.mapping.moves import MOVE_KEYS, MoveReader
from gristmill.replay.mapping.node_table import check_node_table
from gristmill.replay.mapping.parts import ActionMap, Known, Mapping, VariableMap, ViolationMap
from gristmill.source import Diagnostic, SourceError, SourceFile, read_source
from gristmill.source.toml_places import Places
from gristmill.source.toml_reader import Reader, listed, parsed_document, suggestion
from gristmill.specification import Specification
from gristmill.systems.formulas import Definitions, Formula, Formulas
from gristmill.systems.specification import Engine, Output, opened
from gristmill.values import show

# What drivers read is theirs to check, and what `watch` reads is for it alone: one file may serve both.
_TABLES = (
    *("system", "values", "node", "client", "alias", "jvm", "network", "program", "watch"),
    *("point", "start", "reset", "action", "moves", "stray", "read", "variable", "known", "violation", "grain", "log"),
)
_MODEL = ("specification", "mix", "config", "constants", "definitions")
_SYSTEM = ("name", "driver", *_MODEL, "nodes", "seconds", "patience")
_ACTION = ("early", "do", *MOVE_KEYS)
_VARIABLE = ("value", "model", "per", "when", "unobserved")
_START = ("do", "seconds", "tries", *MOVE_KEYS)
_VIOLATION = ("do", "failure", "shows", "says", *MOVE_KEYS)


class _MappingReader(Reader):
    kind = "a mapping"


def read_mapping(
    source: str | Path | SourceFile,
    *,
    specification: str | None = None,
    mix: str | None = None,
    constants: MappingOf[str, str] | None = None,
    values: MappingOf[str, str] | None = None,
    output: Output = print,
) -> Mapping:
    """Raises `SourceError` with everything that is wrong. What is given goes over what the mapping says.

    `output` is given what the specification prints.
    """
    reader = _reader(source)
    reader.document["values"] = {**reader.document.get("values", {}), **(values or {})}
    model, grains = opened(reader, specification, mix, constants or {}, output=output)
    overlays = [("grain", module, grain) for module, grain in grains.items()]
    for path in overlays:
        _lay_over(reader, path, model)
    try:
        return _Assembly(reader, model, [("system",), *overlays]).mapping()
    except BaseException:
        model.close()
        raise


def specification_of(
    source: str | Path | SourceFile,
    *,
    specification: str | None = None,
    mix: str | None = None,
    constants: MappingOf[str, str] | None = None,
    only: Sequence[str] = (),
    engine: Engine = "auto",
    output: Output = print,
) -> Specification:
    """The specification of a mapping, with only these of its invariants, and what these speak of. For checks."""
    return opened(_reader(source), specification, mix, constants or {}, only, engine, output)[0]


def document_of(source: str | Path) -> tuple[dict[str, Any], Places]:
    """A mapping as it is written, with the places of its keys and values. Raises `SourceError` if it is no TOML."""
    reader = _reader(source)
    return reader.document, reader.places


def _reader(source: str | Path | SourceFile) -> Reader:
    file = source if isinstance(source, SourceFile) else read_source(source)
    return _MappingReader(file, parsed_document(file), Path(file.path).parent)


def _lay_over(reader: Reader, path: tuple[str, ...], model: Specification) -> None:
    """What `[grain.MODULE.GRAIN]` says goes over the rest, in mixes with that grain.

    Grains of one name may have more actions in one system than in another: those that are not there are left out.
    """
    over = {key: each for key, each in reader.table(*path).items() if key != "definitions"}
    known = {each.name for each in model.actions}
    over["action"] = {name: each for name, each in over.get("action", {}).items() if name in known}
    reader.document.update(_merged(reader.document, over))
    for places in (reader.places.keys, reader.places.values):
        for key, span in list(places.items()):
            if key[: len(path)] == path:
                places[key[len(path) :]] = span


def _merged(under: MappingOf[str, Any], over: MappingOf[str, Any]) -> dict[str, Any]:
    """Tables are merged down to the third level (`action.NAME`), which is replaced as a whole."""
    merged = dict(under)
    for key, value in over.items():
        merged[key] = {**under.get(key, {}), **value} if isinstance(value, dict) else value
    return merged


class _Assembly:
    def __init__(self, reader: Reader, specification: Specification, defining: Sequence[tuple[str, ...]]) -> None:
        """`defining`: the tables that may have `definitions`."""
        self.reader, self.specification, self.formulas = reader, specification, Formulas()
        self.defining = defining
        self.driver = reader.text("system", "driver")
        self.bound = {name: tuple(reader.table("point", name, "bind")) for name in reader.table("point")}
        self.moves = MoveReader(reader, self.formulas, {name: self._binds(name) for name in self.bound})

    def _binds(self, point: str) -> tuple[str, ...]:
        """What conditions may speak of: what the mapping binds, and what drivers bind of messages."""
        return self.bound[point] if self.driver == "jvm" else (*self.bound[point], *_OF_MESSAGES)

    def mapping(self) -> Mapping:
        reader = self.reader
        reader.known((), _TABLES)
        reader.known(("system",), _SYSTEM)
        driver = self.driver
        if driver not in DRIVERS:
            span, help = reader.places.value("system", "driver"), f"there are {listed(DRIVERS)}"
            reader.error("unknown-driver", f"there is no driver `{driver}`", span, suggestion(driver, DRIVERS) or help)
        nodes_text = reader.text("system", "nodes", default="Server")
        nodes = self.formulas.add(nodes_text, reader.places.value("system", "nodes"))
        points, conditions = self._points()
        readings = self._readings()
        actions = {name: self._action(name) for name in reader.table("action")}
        variables = {name: self._variable(name, readings) for name in reader.table("variable")}
        known = tuple(self._known(name) for name in reader.table("known"))
        violations = {name: self._violation(name, readings) for name in reader.table("violation")}
        reader.known(("start",), _START)
        start = self.moves.moves(("start",), ["after"])
        reader.known(("reset",), ("do", "seconds", *MOVE_KEYS))
        reset = self.moves.moves(("reset",), ["after"])
        for name in reader.table("moves"):
            reader.known(("moves", name), ("names", "do"))
        shared, strays = self.moves.shared(), self.moves.strays()
        self._check_names(variables)
        limits = limits_of(reader)
        check_node_table(reader)
        problems = [*reader.diagnostics]
        definitions = self._definitions()
        problems += self.formulas.compile(self.specification, definitions) if not problems else []
        if problems:
            raise SourceError(sorted(problems, key=lambda each: each.span.start if each.span else 0))
        for condition in conditions:
            condition.ready = True
        node_values = self._nodes(nodes)
        return Mapping(
            reader.text("system", "name", default=Path(reader.file.path).name.partition(".")[0]),
            driver,
            self.specification,
            tuple(node_values),
            node_values,
            points,
            readings,
            actions,
            variables,
            known,
            violations,
            start,
            strays,
            reset,
            shared,
            limits,
            reader.file,
            reader.document,
            reader.places,
            reader.folder,
        )

    def _definitions(self) -> Definitions | None:
        paths = [(*table, "definitions") for table in self.defining]
        parts = [Formula(self.reader.text(*path), self.reader.places.value(*path), ()) for path in paths]
        return Definitions([each for each in parts if each.text]) if any(each.text for each in parts) else None

    def _nodes(self, formula: Formula) -> dict[Node, Any]:
        found = formula.value(raw=True)
        if not isinstance(found, frozenset):
            raise SourceError(Diagnostic("no-nodes", "`nodes` must be a set", formula.span, help='nodes = "Server"'))
        with self.specification.world.active():
            named = {node_name(value): value for value in found}
        return dict(sorted(named.items()))

    # ---------------------------------------------------------------------------------------------------------- points

    def _points(self) -> tuple[tuple[Point, ...], list[_Condition]]:
        points, conditions = [], []
        for name, table in self.reader.table("point").items():
            if not isinstance(table, dict):
                self.reader.wrong(("point", name), "a table", f"[point.{name}]")
                continue
            condition = self._condition(name)
            if condition is not None:
                conditions.append(condition)
            points.append(
                Point(
                    name,
                    self.reader.text("point", name, "at"),
                    self.reader.texts_by_name("point", name, "bind"),
                    condition or _always,
                    table.get("tells") is True,
                    {key: each for key, each in table.items() if key not in ("at", "bind", "where", "tells")},
                    self.reader.places.key("point", name),
                )
            )
        return tuple(points), conditions

    def _condition(self, name: str) -> _Condition | None:
        formula = self._formula(("point", name, "where"), [*self._binds(name), "node"])
        return None if formula is None else _Condition(formula)

    def _readings(self) -> dict[str, Reading]:
        found = {}
        for name, table in self.reader.table("read").items():
            how = table if isinstance(table, dict) else {"path": table}
            found[name] = Reading(name, how, self.reader.places.key("read", name))
        return found

    # --------------------------------------------------------------------------------------------- actions, variables

    def _action(self, name: str) -> ActionMap:
        self.reader.known(("action", name), _ACTION)
        own = [each for each in self.specification.actions if each.name == name]
        parameters = tuple(dict.fromkeys(parameter for each in own for parameter in each.names))
        if not own:
            known = [each.name for each in self.specification.actions]
            message = f"{self.specification.name} has no action `{name}`"
            self.reader.unknown("unknown-action", message, self.reader.places.key("action", name), name, known)
        names = [*parameters, "after", *_KEPT]
        moves = self.moves.moves(("action", name), names)
        early = self._early(name, names)
        return ActionMap(name, parameters, moves, early, self.reader.places.key("action", name))

    def _early(self, name: str, names: Sequence[str]) -> Formula | None:
        value = self.reader.get("action", name, "early")
        if value is True:
            return self.formulas.add("TRUE", self.reader.places.value("action", name, "early"))
        return self._formula(("action", name, "early"), names) if value is not None else None

    def _variable(self, name: str, readings: MappingOf[str, Reading]) -> VariableMap:
        reader, path = self.reader, ("variable", name)
        reader.known(path, _VARIABLE)
        span = reader.places.key(*path)
        if reader.get(*path, "unobserved") is not None:
            return VariableMap(name, unobserved=reader.text(*path, "unobserved"), span=span)
        per = reader.text(*path, "per") or None
        own = [per] if per else []
        value = self._formula((*path, "value"), [*own, "node", *readings, *_KEPT])
        if value is None:
            help = "write value = '…', or unobserved = \"why\""
            reader.error("no-value", f"nothing says how `{name}` is observed", span, help)
            return VariableMap(name, span=span)
        model = self._formula((*path, "model"), own) or self.formulas.add(f"{name}[{per}]" if per else name, span, own)
        when = self._formula((*path, "when"), own)
        used = tuple(each for each in readings if each in _words(value.text))
        return VariableMap(name, value, model, per, when, used, None, span)

    def _check_names(self, variables: MappingOf[str, VariableMap]) -> None:
        """Every variable and action of the specification is mapped, or said not to be."""
        known = self.specification.variables
        for name in variables:
            if name not in known:
                span = self.reader.places.key("variable", name)
                message = f"{self.specification.name} has no variable `{name}`"
                self.reader.unknown("unknown-variable", message, span, name, known)
        missing = [name for name in known if name not in variables]
        if missing:
            span = self.reader.places.key("variable" if variables else "system")
            message = f"the mapping does not speak of {listed(missing)}"
            help = 'unobserved = "why" in [variable.NAME] says that it cannot be seen'
            self.reader.error("unmapped-variable", message, span, help)

    # ---------------------------------------------------------------------------------------- known issues, violations

    def _known(self, name: str) -> Known:
        self.reader.known(("known", name), ("when", "because"))
        when = self._formula(("known", name, "when"), ["action", "parameters", "before", "trace"])
        if when is None:
            span = self.reader.places.key("known", name)
            self.reader.error("no-condition", f"nothing says when `{name}` happens", span, "write when = '…'")
            when = self.formulas.add("FALSE", span)
        return Known(name, when, self.reader.text("known", name, "because"))

    def _violation(self, name: str, readings: MappingOf[str, Reading]) -> ViolationMap:
        self.reader.known(("violation", name), _VIOLATION)
        return ViolationMap(
            name,
            self.moves.moves(("violation", name), ["after"]),
            pattern(self.reader, "violation", name, "failure"),
            self._formula(("violation", name, "shows"), [*readings]),
            self.reader.text("violation", name, "says"),
        )

    def _formula(self, path: tuple[str, ...], names: Sequence[str]) -> Formula | None:
        text = self.reader.get(*path)
        if text is None:
            return None
        span = self.reader.places.value(*path)
        if not isinstance(text, str):
            self.reader.wrong(path, "a TLA+ expression", f"{path[-1]} = '…'")
            return None
        return self.formulas.add(text, span, names)


DRIVERS = ("jvm", "network", "program")
_OF_MESSAGES = ("from", "to", "kind", "message")  # what drivers bind of a message, besides
_KEPT = ("kept",)  # a record of what readings with `keep` were when the trace began


class _Condition:
    """`where` of a point. A driver asks it of every arrival; what has no value is not meant."""

    def __init__(self, formula: Formula) -> None:
        self.formula, self.ready = formula, False

    def __call__(self, node: Node, bindings: Bindings) -> bool:
        assert self.ready
        try:
            return self.formula.value(None, {**bindings, "node": node}) is True
        except SourceError:
            return False


def _always(node: Node, bindings: Bindings) -> bool:
    return True


def node_name(value: Any) -> str:
    """The name of a node: the value that stands for it, as text, without quotes."""
    return value if isinstance(value, str) else show(value)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
