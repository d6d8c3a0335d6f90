"""Files of a run: the module and its configuration, and what is written at the end."""

from __future__ import annotations

from pathlib import Path

from gristmill.cli.tlc import codes
from gristmill.cli.tlc.dumps import write_dot, write_states
from gristmill.cli.tlc.lasso import closing_step
from gristmill.cli.tlc.messages import Messages
from gristmill.cli.tlc.options import Asked
from gristmill.cli.tlc.places import Definitions
from gristmill.cli.tlc.trace_files import NOT_WRITTEN, Counterexample, simulated, written
from gristmill.cli.tlc.trace_specification import trace_specification
from gristmill.ir.model import Model
from gristmill.modules.choices import Choices
from gristmill.modules.config import find_embedded_config
from gristmill.search.result import Graph, Result
from gristmill.source import SourceError, read_source
from gristmill.trace import Trace


def module_path(spec: str) -> Path:
    return Path(spec if spec.endswith(".tla") else f"{spec}.tla")


def configuration_of(module: Path, asked: str | None) -> Path | None:
    """The configuration, looked for in the working folder and in that of the module; None if there is none."""
    if asked is None:
        beside = module.with_suffix(".cfg")
        return beside if beside.is_file() else module if _has_embedded(module) else None
    names = [asked] if asked.endswith((".cfg", ".tla")) else [f"{asked}.cfg", asked]
    folders = (module.parent, Path()) if module.is_absolute() else (Path(), module.parent)
    return next((folder / name for name in names for folder in folders if (folder / name).is_file()), None)


def _has_embedded(module: Path) -> bool:
    try:
        return find_embedded_config(read_source(module), module.stem) is not None
    except SourceError:
        return False


class Files:
    """What a run writes: all states, the counterexample, its specification, behaviours of a simulation."""

    def __init__(
        self,
        messages: Messages,
        asked: Asked,
        root: Path,
        definitions: Definitions,
        model: Model | None,
        choices: Choices,
        started: float,
    ) -> None:
        self._messages, self._asked, self._root = messages, asked, root
        self._definitions, self._model, self._choices = definitions, model, choices
        self._started = started

    def write(self, result: Result) -> None:
        try:
            if self._asked.dump is not None and result.graph is not None:
                self._write_graph(result.graph)
            if result.trace is not None:
                self._write_traces(result.trace)
                self._write_specification(result, result.trace)
        except OSError as error:
            self._messages.error(codes.GENERAL, f"{error.filename} cannot be written: {error.strerror or error}")

    def _write_graph(self, graph: Graph) -> None:
        assert self._asked.dump is not None
        form, file = self._asked.dump
        with open(self._in_metadir(file), "w", encoding="utf-8") as stream:
            if form:
                write_dot(graph, stream, form)
            else:
                write_states(graph, stream)

    def _in_metadir(self, file: str) -> str:
        return file.replace("${metadir}", self._asked.metadir or str(self._root.parent))

    def _write_traces(self, trace: Trace) -> None:
        if not self._asked.dump_traces:
            return
        found = Counterexample(trace, self._root.stem, self._definitions, closing_step(trace, self._model))
        for form, file in self._asked.dump_traces:
            if form in NOT_WRITTEN:
                self._messages.note(f"-dumpTrace {form} {file} is not written: {NOT_WRITTEN[form]}")
                continue
            Path(file).write_text(written(form, found, Path(file).name), encoding="utf-8")
            self._messages.line(f'"CounterExample written: {file}"')

    def _write_specification(self, result: Result, trace: Trace) -> None:
        if not self._asked.writes_trace_specification:
            return
        file = self._specification_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        text = trace_specification(file.stem, self._root.stem, trace, result.verdict, self._choices)
        file.write_text(text, encoding="utf-8")

    def _specification_file(self) -> Path:
        folder = Path(self._asked.trace_folder) if self._asked.trace_folder else self._root.parent
        if folder.suffix == ".tla":
            return folder
        return folder / f"{self._root.stem}_TTrace_{int(self._started)}.tla"

    def tell_trace_specification(self) -> None:
        if self._asked.writes_trace_specification and self._specification_file().is_file():
            path = self._specification_file()
            shown = path if path.is_absolute() or len(path.parts) > 1 else f"./{path}"
            self._messages.say(codes.TRACE_SPECIFICATION, f"Trace exploration spec path: {shown}")

    def behaviour(self, number: int, trace: Trace) -> None:
        """One of a simulation, to a file of its own."""
        assert self._asked.trace_file is not None
        file = Path(f"{self._asked.trace_file}_0_{number}")
        file.write_text(simulated(trace, file.name, self._definitions), encoding="utf-8")
