"""The state of the server: texts that are open, what is said about them, and when that is found anew."""

from __future__ import annotations

import asyncio
import gc
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from gristmill import __version__
from gristmill.language.analysis import Analysis
from gristmill.language.configured import (
    configuration_diagnostics,
    is_configuration,
    module_of,
    target_in_configuration,
)
from gristmill.language.formatting import Symbols
from gristmill.language.navigation import Found, target_at
from gristmill.language.positions import Encoding, Positions
from gristmill.language.workspace import Workspace
from gristmill.lsp.convert import Converter
from gristmill.source import Diagnostic, SourceError, SourceFile

# Seconds after the last change: the text itself, those that depend on it, cycles of memory that are no longer needed.
_SOON, _LATER, _IDLE = 0.02, 0.25, 3.0


class Protocol(LanguageServerProtocol):
    """Leaves the texts to us: lines end where the protocol says, and not at form feeds or U+2028, too."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(types.TEXT_DOCUMENT_DID_CHANGE)
        if handler is not None:
            yield handler, (params,), None


class Server(LanguageServer):
    def __init__(self) -> None:
        super().__init__("gristmill", __version__, types.TextDocumentSyncKind.Incremental, protocol_cls=Protocol)
        self.language = Workspace()
        self.convert = Converter(self.language)
        self.symbols: Symbols = "as written"
        self._versions: dict[str, int | None] = {}
        self._said: dict[str, dict[str, list[types.Diagnostic]]] = {}  # by root, then by file
        self._published: dict[str, list[types.Diagnostic]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._checked: dict[str, list[Diagnostic]] = {}  # what the last check of a module has found
        self.running: set[asyncio.subprocess.Process] = set()
        self._starting = 0  # checks whose process may be there, and that are not among `running` yet
        self._end: Callable[[], None] | None = None  # what is to be done once none is being started

    # ------------------------------------------------------------------------------------------- beginning

    def begin(self, params: types.InitializeParams) -> None:
        """What the client says about itself: its folders, its settings, how it counts characters."""
        folders = [folder.uri for folder in params.workspace_folders or ()]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        self.language.folders[:] = [self.convert.path(uri) for uri in folders]
        encoding = self.workspace.position_encoding
        self.convert.encoding = _ENCODINGS.get(types.PositionEncodingKind(encoding or "utf-16"), "utf-16")
        self.configure(params.initialization_options)

    def configure(self, settings: Any) -> None:
        """`{"symbols": "unicode"|"ascii", "path": [folders]}`; what is not understood has no effect."""
        if not isinstance(settings, dict):
            return
        settings = settings.get("gristmill", settings)
        if settings.get("symbols") in ("unicode", "ascii", "as written"):
            self.symbols = settings["symbols"]
        path = settings.get("path")
        if isinstance(path, list) and all(isinstance(each, str) for each in path):
            self.language.set_search_path(path)

    # ----------------------------------------------------------------------------------------------- texts

    def analysis(self, uri: str) -> Analysis | None:
        """What is known about a module as it is now; None for one that cannot be read, and for a configuration."""
        path = self.convert.path(uri)
        return None if is_configuration(path) else self.language.find(path)

    def target(self, uri: str, position: types.Position) -> tuple[SourceFile, Found] | None:
        """What the name at a place denotes, in a module or in a configuration, and the text that it stands in."""
        path = self.convert.path(uri)
        file = self.language.files.find(path)
        if file is None:
            return None
        offset = self.convert.offset(file, position)
        if is_configuration(path):
            found = target_in_configuration(self.language, path, offset)
        else:
            analysis = self.language.find(path)
            found = None if analysis is None else target_at(self.language, analysis, offset)
        return None if found is None else (file, found)

    def opened(self, document: types.TextDocumentItem) -> None:
        path = self.convert.path(document.uri)
        self._versions[path] = document.version
        self.language.files.open(path, document.text)
        self.examine(path)
        self.examine_later(self.dependents(path))

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        path = self.convert.path(params.text_document.uri)
        self._versions[path] = params.text_document.version
        file = self.language.files.find(path) or SourceFile(path, "")
        text = file.text
        for change in params.content_changes:
            text = _changed(text, change, self.convert.encoding)
        self.language.files.open(path, text)
        self._checked.pop(path, None)
        self._after(_SOON, path, lambda: self.examine(path))
        self._after(_LATER, f"{path} dependents", lambda: self.examine_later(self.dependents(path)))
        self._after(_IDLE, "idle", collect)

    def closed(self, uri: str) -> None:
        path = self.convert.path(uri)
        self._stop_timers(path, f"{path} dependents")
        self._versions.pop(path, None)
        self.language.files.close(path)
        self.language.forget(path)
        self.say(path, ())
        self.examine_later(self.dependents(path))

    def files_changed(self) -> None:
        """Something on the disk is not as it was."""
        self.examine_later(self._versions)

    def dependents(self, path: str) -> list[str]:
        """What is open and depends on a file."""
        return [other for other in self._versions if other != path and self._depends_on(other, path)]

    def _depends_on(self, path: str, other: str) -> bool:
        if not is_configuration(path):
            return self.language.depends_on(path, other)
        module = module_of(self.language, path)
        return module is not None and (module == other or self.language.depends_on(module, other))

    # ----------------------------------------------------------------------------------------- diagnostics

    def examine_later(self, paths: Iterable[str]) -> None:
        """One after the other, so that requests come in between."""
        for path in paths:
            self._after(0, path, partial(self.examine, path))

    def examine(self, path: str) -> None:
        """Find what is wrong with a document, and say it."""
        self._stop_timers(path)
        if path not in self._versions:
            return
        try:
            self.say(path, (*self._diagnostics(path), *self._checked.get(path, ())))
        except SourceError as error:
            self.say(path, error.diagnostics)

    def _diagnostics(self, path: str) -> Iterable[Diagnostic]:
        if is_configuration(path):
            return configuration_diagnostics(self.language, path)
        return self.language.analysis(path).diagnostics

    def checked(self, path: str, diagnostics: list[Diagnostic]) -> None:
        """What a check has found is said until the text changes or is checked again."""
        self._checked[path] = diagnostics
        self.examine(path)

    def say(self, root: str, diagnostics: Iterable[Diagnostic]) -> None:
        """What there is to say about one document and the modules it depends on, in place of what was said before."""
        by_file: dict[str, list[types.Diagnostic]] = {}
        for each in diagnostics:
            path = root if each.span is None else each.span.file.path
            by_file.setdefault(path, []).append(self.convert.diagnostic(each))
        before = self._said.pop(root, {})
        if by_file:
            self._said[root] = by_file
        for path in dict.fromkeys([*before, *by_file, root]):
            self._publish(path)

    def _publish(self, path: str) -> None:
        """All that the open documents have to say about a file, each thing once."""
        found: list[types.Diagnostic] = []
        for by_file in self._said.values():
            found += [each for each in by_file.get(path, ()) if each not in found]
        if path not in self._versions and self._published.get(path, []) == found:
            return
        self._published[path] = found
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(self.convert.uri(path), found, self._versions.get(path))
        )

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Around the start of a check, until it is among those that run: an end waits for that, or would miss it."""
        self._starting += 1
        try:
            yield
        finally:
            self._starting -= 1
            if self._end is not None:
                self.end_by(self._end)

    def end_by(self, end: Callable[[], None]) -> None:
        """Kills the checks and calls `end`, at once or as soon as no check is being started."""
        self._end = end
        if not self._starting:
            self.kill_checks()
            end()

    def kill_checks(self) -> None:
        """Checks do not outlive the server."""
        for process in self.running:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()

    # ---------------------------------------------------------------------------------------------- timers

    def _after(self, seconds: float, key: str, action: Callable[[], None]) -> None:
        self._stop_timers(key)
        self._timers[key] = asyncio.get_running_loop().call_later(seconds, self._guarded, action)

    def _guarded(self, action: Callable[[], None]) -> None:
        """A mistake of ours in what nobody waits for is told, and is not the end."""
        try:
            action()
        except Exception as error:
            told = f"This is a mistake in gristmill, not in your text: {error!r}\n{traceback.format_exc()}"
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, told))
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"internal error: {error!r}"))

    def _stop_timers(self, *keys: str) -> None:
        for key in keys:
            timer = self._timers.pop(key, None)
            if timer is not None:
                timer.cancel()


def collect() -> None:
    """What was analysed and is no longer needed refers to itself, and only the collector finds it."""
    gc.collect()


_ENCODINGS: dict[types.PositionEncodingKind, Encoding] = {
    types.PositionEncodingKind.Utf8: "utf-8",
    types.PositionEncodingKind.Utf16: "utf-16",
    types.PositionEncodingKind.Utf32: "utf-32",
}


def _changed(text: str, change: types.TextDocumentContentChangeEvent, encoding: Encoding) -> str:
    if isinstance(change, types.TextDocumentContentChangeWholeDocument):
        return change.text
    positions = Positions(text, encoding)
    start = positions.offset(change.range.start.line, change.range.start.character)
    end = positions.offset(change.range.end.line, change.range.end.character)
    return text[:start] + change.text + text[max(start, end) :]
