"""Looking at a system: readings of all nodes, made into values of the specification's variables and compared."""

from __future__ import annotations

import importlib.util
import marshal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gristmill.controlled.errors import describe_error
from gristmill.replay.difference import differences
from gristmill.replay.driver import Driver, DriverError, Node, Reading
from gristmill.replay.mapping.parts import Mapping as SystemMapping
from gristmill.replay.mapping.parts import VariableMap
from gristmill.replay.result import Comparison
from gristmill.source import SourceError
from gristmill.specification import State
from gristmill.values import EvaluationError, from_python, show

Snapshot = dict[Node, dict[str, Any]]  # of each node, what could be read
OURS = {"function", "held"}  # readings that need no driver
NULL = "null"  # what a reading is that has no value, unless the mapping says otherwise


class Observer:
    def __init__(self, mapping: SystemMapping, driver: Driver) -> None:
        self.mapping, self.driver = mapping, driver
        self.kept: dict[str, Any] = {}
        self._functions: dict[str, Callable[[Path, Node], Any]] = {}
        self._last: dict[tuple[str, Node | None], tuple[bytes, Any, Comparison]] = {}
        observed = [each for each in mapping.variables.values() if each.value is not None]
        self.used = {name for each in observed for name in each.readings}

    def keep(self) -> None:
        """What readings with `keep` are when a trace begins, for formulas that count from there."""
        self._last.clear()  # what is kept is part of what is compared
        names = {name for name, each in self.mapping.readings.items() if each.how.get("keep") is True}
        snapshot = self.snapshot(names) if names else {}
        self.kept = {name: _by_node(snapshot, name, self.mapping.node_values) for name in names}

    def snapshot(self, names: set[str] | None = None) -> Snapshot:
        """Every node's readings; of one that is down, those that can be had all the same."""
        wanted = self.used if names is None else names
        readings = [each for name, each in self.mapping.readings.items() if name in wanted]
        return {node: self._of_node(node, readings) for node in self.mapping.nodes}

    def _of_node(self, node: Node, readings: list[Reading]) -> dict[str, Any]:
        up = self.driver.running(node)
        possible = [each for each in readings if up or each.how.get("down") is True]
        drivers = [each for each in possible if not OURS & each.how.keys()]
        found = self.driver.observe(node, drivers) if up and drivers else {}
        for each in possible:
            if "function" in each.how:
                found[each.name] = self._called(each, node)
            elif "held" in each.how:
                found[each.name] = self._held(node, each)
        return {name: self._or_null(name, value) for name, value in found.items()}

    def _or_null(self, name: str, value: Any) -> Any:
        return self.mapping.readings[name].how.get("null", NULL) if value is None else value

    def _held(self, node: Node, reading: Reading) -> tuple[Any, ...]:
        """What is bound where actors are held, such as what a thread has taken out of a queue."""
        point, name = reading.how["held"], reading.how.get("bind")
        held = [each for each in self.driver.held() if each.node == node and each.point == point]
        return tuple(each.actor if name is None else each.bindings.get(name) for each in held)

    def _folder(self, node: Node) -> Path:
        folder = self.driver.folder(node)
        if folder is None:
            raise DriverError("nodes of this driver have no folder to read files in")
        return folder

    def _called(self, reading: Reading, node: Node) -> Any:
        function, folder = self._function(reading), self._folder(node)
        try:
            return function(folder, node)
        except Exception as error:
            message = f"the reading {reading.name} of {node} failed: {describe_error(error)}"
            raise DriverError(message, None, reading.span) from None

    def _function(self, reading: Reading) -> Callable[[Path, Node], Any]:
        text = reading.how["function"]
        if text not in self._functions:
            self._functions[text] = load_function(self.mapping.folder, text, reading)
        return self._functions[text]

    # ------------------------------------------------------------------------------------------------------- comparing

    def compare(self, state: State, snapshot: Snapshot) -> list[Comparison]:
        """Every observed variable, of every node where that can be done."""
        found: list[Comparison] = []
        for variable in self.mapping.variables.values():
            if variable.value is None:
                continue
            if variable.per is None:
                everything = {name: _by_node(snapshot, name, self.mapping.node_values) for name in variable.readings}
                found.append(self._one(variable, None, state, everything))
                continue
            for node in self.mapping.nodes:
                own = {variable.per: self.mapping.node_values[node]}
                if variable.when is not None and not variable.when.truth(state, own, "`when`"):
                    continue
                if all(name in snapshot[node] for name in variable.readings):
                    found.append(self._one(variable, node, state, snapshot[node]))
        return found

    def _one(self, variable: VariableMap, node: Node | None, state: State, read: Mapping[str, Any]) -> Comparison:
        """Most of the time neither side has changed since the step before: then the answer is the same."""
        assert variable.model is not None
        own = {} if variable.per is None or node is None else {variable.per: self.mapping.node_values[node]}
        model = variable.model.value(state, own, raw=True)
        seen = _exactly([read[name] for name in variable.readings])
        last = self._last.get((variable.name, node))
        if last is not None and seen is not None and last[0] == seen and _same(last[1], model):
            return last[2]
        found = self._compared(variable, node, model, own, read)
        if seen is not None:
            self._last[variable.name, node] = seen, model, found
        return found

    def _compared(
        self, variable: VariableMap, node: Node | None, model: Any, own: Mapping[str, Any], read: Mapping[str, Any]
    ) -> Comparison:
        assert variable.value is not None
        names = {**read, **own, "node": own.get(variable.per or "", node or ""), "kept": self.kept}
        with self.mapping.specification.world.active():
            reading = ", ".join(f"{name} = {_shown(read[name])}" for name in variable.readings)
            try:
                real = variable.value.value(None, names, raw=True)
            except SourceError as error:
                why = error.diagnostics[0].message
                return Comparison(variable.name, node, show(model), f"no value: {why}", False, reading)
            equal = _same(model, real)
            inside = () if equal else differences(model, real)
            return Comparison(variable.name, node, show(model), show(real), equal, reading, inside)


def _exactly(values: list[Any]) -> bytes | None:
    """Values as bytes, which are the same only for the same values of the same types; None if they have none."""
    try:
        return marshal.dumps(values, 2)  # a version in which equal objects are not told from the same object
    except ValueError:
        return None


def _by_node(snapshot: Snapshot, name: str, values: Mapping[Node, Any]) -> dict[Any, Any]:
    return {values[node]: read[name] for node, read in snapshot.items() if name in read}


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def _shown(value: Any) -> str:
    try:
        return show(from_python(value))
    except (EvaluationError, TypeError):
        return repr(value)


def load_function(folder: Path, text: str, reading: Reading | None = None) -> Callable[..., Any]:
    """A function of a Python file beside the mapping: "FILE.py:name". Raises `DriverError`."""
    file, _, name = text.partition(":")
    path = folder / file
    span = None if reading is None else reading.span
    if not path.is_file():
        raise DriverError(f"there is no file {file}", f"it is looked for in {folder}", span)
    spec = importlib.util.spec_from_file_location(f"gristmill_mapping_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise DriverError(f"{file} is no Python file", "its name must end in .py", span)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise DriverError(f"{file} cannot be loaded: {describe_error(error)}", None, span) from None
    function = getattr(module, name, None)
    if not callable(function):
        raise DriverError(f"{file} has no function {name!r}", 'write "FILE.py:function"', span)
    found: Callable[..., Any] = function
    return found
