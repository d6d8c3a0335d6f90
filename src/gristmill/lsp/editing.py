"""Requests that change texts: rename, formatting."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gristmill.language.formatting import formatted
from gristmill.language.rename import NotRenamed, rename, renameable
from gristmill.lsp.server import Server
from gristmill.source import InternalError, SourceError

_REQUEST_FAILED = -32803


def register(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(ls: Server, params: types.PrepareRenameParams) -> types.Range | None:
        analysis = ls.analysis(params.text_document.uri)
        if analysis is None:
            return None
        try:
            found = renameable(ls.language, analysis, ls.convert.offset(analysis.file, params.position))
        except NotRenamed as reason:
            raise _failed(str(reason)) from None
        return ls.convert.range(analysis.file, found.start, found.end)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def renaming(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
        analysis = ls.analysis(params.text_document.uri)
        if analysis is None:
            return None
        offset = ls.convert.offset(analysis.file, params.position)
        try:
            edits = rename(ls.language, analysis, offset, params.new_name)
        except NotRenamed as reason:
            raise _failed(str(reason)) from None
        changes = {}
        for path, own in edits.items():
            file = ls.language.files.find(path)
            if file is not None:
                changes[ls.convert.uri(path)] = [
                    types.TextEdit(ls.convert.range(file, edit.start, edit.end), edit.text) for edit in own
                ]
        return types.WorkspaceEdit(changes=changes)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(ls: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        analysis = ls.analysis(params.text_document.uri)
        if analysis is None:
            return []
        try:
            text = formatted(ls.language, analysis, ls.symbols)
        except SourceError as error:
            raise _failed(f"a text that does not parse is not formatted: {error.diagnostics[0].message}") from None
        except InternalError as error:
            raise _failed(str(error)) from None
        if text == analysis.text:
            return []
        return [types.TextEdit(ls.convert.range(analysis.file, 0, len(analysis.text)), text)]


def _failed(message: str) -> JsonRpcException:
    return JsonRpcException(message, _REQUEST_FAILED)
