"""The code lens `check` on a module with a configuration: runs `gristmill check`, and shows what it finds."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from lsprotocol import types

from gristmill.language.configurations import configurations
from gristmill.language.navigation import lookup
from gristmill.language.places import place_of
from gristmill.lsp.server import Server
from gristmill.source import Diagnostic

COMMAND = "gristmill.check"
_PATIENCE = 5.0  # seconds for a check that was told to end
_MOST_STEPS = 40


def register(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
        analysis = ls.analysis(params.text_document.uri)
        if analysis is None or analysis.root is None:
            return []
        header = analysis.root.node.name_span
        place = ls.convert.range(analysis.file, header.start, header.end)
        uri = params.text_document.uri
        return [
            types.CodeLens(place, types.Command(f"check {each.name}", COMMAND, None, [uri, each.path]))
            for each in configurations(analysis.file)
        ]

    @server.command(COMMAND)
    async def check(ls: Server, *arguments: Any) -> dict[str, Any] | None:
        if not arguments or not isinstance(arguments[0], str):
            message = f"{COMMAND} needs the URI of a module"
            ls.window_show_message(types.ShowMessageParams(types.MessageType.Error, message))
            return None
        path = ls.convert.path(arguments[0])
        config = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], str) else None
        return await Check(ls, path, config).run()


class Check:
    """One run of `gristmill check` on the files as they are on the disk."""

    def __init__(self, ls: Server, path: str, config: str | None) -> None:
        self.ls, self.path = ls, path
        self.config = config if config != path else None

    async def run(self) -> dict[str, Any] | None:
        name = Path(self.path).name
        if self._unsaved():
            self._show(types.MessageType.Warning, f"{name} has changes that are not saved: the saved text is checked")
        token = f"gristmill-check-{id(self)}"
        progress = await self._begin(token, f"check {name}")
        try:
            code, out, errors = await self._process(progress)
        finally:
            if progress is not None:
                self.ls.work_done_progress.end(token, types.WorkDoneProgressEnd())
        if code is None:
            self._show(types.MessageType.Info, f"check {name}: stopped")
            return None
        return self._tell(name, out, errors)

    def _unsaved(self) -> bool:
        file = self.ls.language.files.find(self.path)
        try:
            on_disk = Path(self.path).read_bytes()
        except OSError:
            return True
        return file is not None and file.text.encode("utf-8", "surrogateescape") != on_disk

    async def _begin(self, token: str, title: str) -> Future[Any] | None:
        """Progress with a button to stop, where the client has that. Gives what is cancelled then."""
        window = self.ls.client_capabilities.window
        if window is None or not window.work_done_progress:
            return None
        await self.ls.work_done_progress.create_async(token)
        self.ls.work_done_progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True))
        return self.ls.work_done_progress.tokens[token]

    async def _process(self, stopped: Future[Any] | None) -> tuple[int | None, bytes, bytes]:
        command = [sys.executable, "-m", "gristmill", "check", self.path, "--format", "json"]
        command += ["--config", self.config] if self.config is not None else []
        with self.ls.starting():
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            self.ls.running.add(process)
        ended = asyncio.ensure_future(process.communicate())
        try:
            if stopped is None:
                out, errors = await ended
                return process.returncode, out, errors
            await asyncio.wait([ended, asyncio.wrap_future(stopped)], return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                return None, b"", b""
            out, errors = ended.result()
            return process.returncode, out, errors
        finally:
            await end(process)
            self.ls.running.discard(process)
            if not ended.done():
                ended.cancel()

    def _tell(self, name: str, out: bytes, errors: bytes) -> dict[str, Any] | None:
        try:
            found = json.loads(out)
        except ValueError:
            self._show(types.MessageType.Error, f"check {name}: {errors.decode(errors='replace').strip()[-500:]}")
            return None
        self._show(_kind(found), f"check {name}: {summary(found)}")
        for line in trace_lines(found):
            self.ls.window_log_message(types.LogMessageParams(types.MessageType.Log, line))
        self.ls.checked(self.path, list(self._diagnostics(found)))
        return {key: found[key] for key in ("verdict", "property", "message", "exit_code", "distinct", "generated")}

    def _diagnostics(self, found: dict[str, Any]) -> Iterable[Diagnostic]:
        """At the definition of what is violated; what the checker says about texts is said by the analysis already."""
        analysis = self.ls.language.find(self.path)
        if analysis is None or found["exit_code"] == 0 or not found["property"]:
            return
        target = lookup(analysis, found["property"])
        place = place_of(self.ls.language, target) if target is not None else None
        file = self.ls.language.files.find(place.path) if place is not None else None
        if place is not None and file is not None:
            yield Diagnostic("check", summary(found), file.span(place.start, place.end))

    def _show(self, kind: types.MessageType, message: str) -> None:
        self.ls.window_show_message(types.ShowMessageParams(kind, message))


def summary(found: dict[str, Any]) -> str:
    """A line about a result."""
    counts = f"{found['distinct']:,} distinct states, {found['generated']:,} generated, depth {found['depth']}"
    told = found["message"] or ("no error" if found["verdict"] == "ok" else found["verdict"])
    steps = len(found["trace"] or ())
    behaviour = f"; the behaviour has {steps} state{'s' if steps != 1 else ''}" if steps else ""
    return f"{told}; {counts}{behaviour}"


def trace_lines(found: dict[str, Any]) -> list[str]:
    """The behaviour, a line a step, with what changed in it."""
    steps = found["trace"] or []
    lines = []
    for step in steps[:_MOST_STEPS]:
        shown = step["changed"] or list(step["text"])
        values = ", ".join(f"{name} = {step['text'][name]}" for name in shown if name in step["text"])
        lines.append(f"{step['number']}. {step['action'] or 'Initial state'}: {values}")
    if len(steps) > _MOST_STEPS:
        lines.append(f"… {len(steps) - _MOST_STEPS} more steps: `gristmill check` shows all of them")
    return lines


def _kind(found: dict[str, Any]) -> types.MessageType:
    if found["exit_code"] == 0:
        return types.MessageType.Info
    return types.MessageType.Warning if found["verdict"] == "incomplete" else types.MessageType.Error


async def end(process: asyncio.subprocess.Process) -> None:
    """Stop a check that still runs."""
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _PATIENCE)
    except TimeoutError:
        process.kill()
        await process.wait()
