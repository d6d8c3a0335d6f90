"""Requests that ask where something is: definition, references, symbols, folding."""

from __future__ import annotations

from lsprotocol import types

from gristmill.language import navigation, outline
from gristmill.language.folding import folds
from gristmill.language.places import place_of
from gristmill.lsp.convert import SYMBOL_KINDS
from gristmill.lsp.server import Server

_MOST_SYMBOLS = 500


def register(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: Server, params: types.DefinitionParams) -> types.Location | None:
        found = ls.target(params.text_document.uri, params.position)
        place = None if found is None else place_of(ls.language, found[1].target)
        return None if place is None else ls.convert.location(place)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(ls: Server, params: types.ReferenceParams) -> list[types.Location]:
        analysis = ls.analysis(params.text_document.uri)
        if analysis is None:
            return []
        offset = ls.convert.offset(analysis.file, params.position)
        declaration = params.context.include_declaration
        return ls.convert.locations(navigation.references(ls.language, analysis, offset, declaration))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(ls: Server, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        analysis = ls.analysis(params.text_document.uri)
        if analysis is None:
            return []
        offset = ls.convert.offset(analysis.file, params.position)
        places = navigation.highlights(ls.language, analysis, offset)
        return [types.DocumentHighlight(ls.convert.range(analysis.file, each.start, each.end)) for each in places]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(ls: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        analysis = ls.analysis(params.text_document.uri)
        if analysis is None:
            return []
        entries = outline.symbols(analysis, ls.language.last_whole(analysis.path))
        return [ls.convert.symbol(analysis.file, entry) for entry in entries]

    @server.feature(types.WORKSPACE_SYMBOL)
    def workspace_symbols(ls: Server, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return _workspace_symbols(ls, params.query.lower())

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(ls: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        analysis = ls.analysis(params.text_document.uri)
        if analysis is None:
            return []
        return [types.FoldingRange(fold.first, fold.last, kind=fold.kind) for fold in folds(analysis)]


def _workspace_symbols(ls: Server, query: str) -> list[types.WorkspaceSymbol]:
    """Names with the letters of the query in its order, in any module of the workspace; not too many."""
    found: list[types.WorkspaceSymbol] = []
    for path in ls.language.modules():
        for entry, container in ls.language.outline(path):
            if _matches(query, entry.name.lower()):
                file = ls.language.files.find(path)
                if file is None:
                    break
                place = ls.convert.range(file, entry.name_start, entry.name_end)
                location = types.Location(ls.convert.uri(path), place)
                kind = SYMBOL_KINDS[entry.kind]
                found.append(types.WorkspaceSymbol(location, entry.name, kind, container_name=container or None))
                if len(found) >= _MOST_SYMBOLS:
                    return found
    return found


def _matches(query: str, name: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in query)
