"""Between the offsets of `gristmill.language` and the types of the protocol."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from gristmill.language.outline import Entry, Kind
from gristmill.language.places import Place
from gristmill.language.positions import Encoding, Positions
from gristmill.language.workspace import Workspace
from gristmill.source import Diagnostic, SourceFile, Span

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}

SYMBOL_KINDS: dict[Kind, types.SymbolKind] = {
    "module": types.SymbolKind.Module,
    "constant": types.SymbolKind.Constant,
    "variable": types.SymbolKind.Variable,
    "operator": types.SymbolKind.Function,
    "function": types.SymbolKind.Function,
    "instance": types.SymbolKind.Namespace,
    "theorem": types.SymbolKind.Boolean,
    "assumption": types.SymbolKind.Boolean,
    "algorithm": types.SymbolKind.Class,
    "macro": types.SymbolKind.Method,
    "procedure": types.SymbolKind.Method,
    "process": types.SymbolKind.Class,
    "label": types.SymbolKind.Event,
    "translation": types.SymbolKind.Namespace,
}


class Converter:
    """Knows how the client counts characters, and by which URI it knows each file."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.encoding: Encoding = "utf-16"
        self._uris: dict[str, str] = {}
        self._positions: dict[str, tuple[SourceFile, Positions]] = {}

    def path(self, uri: str) -> str:
        """The path of a file; of what is no file, such as a document without a name yet, the URI itself."""
        found = to_fs_path(uri)
        path = uri if found is None else str(Path(found))
        self._uris.setdefault(path, uri)
        return path

    def uri(self, path: str) -> str:
        known = self._uris.get(path)
        return known or from_fs_path(str(Path(path).absolute())) or path

    def positions(self, file: SourceFile) -> Positions:
        known = self._positions.get(file.path)
        if known is None or known[0] is not file:
            known = self._positions[file.path] = file, Positions(file.text, self.encoding)
        return known[1]

    def offset(self, file: SourceFile, position: types.Position) -> int:
        return self.positions(file).offset(position.line, position.character)

    def range(self, file: SourceFile, start: int, end: int) -> types.Range:
        positions = self.positions(file)
        return types.Range(types.Position(*positions.position(start)), types.Position(*positions.position(end)))

    def location(self, place: Place) -> types.Location | None:
        file = self.workspace.files.find(place.path)
        if file is None:
            return None
        return types.Location(self.uri(place.path), self.range(file, place.start, place.end))

    def locations(self, places: Iterable[Place]) -> list[types.Location]:
        return [found for place in places if (found := self.location(place)) is not None]

    def span(self, span: Span) -> types.Location:
        return types.Location(self.uri(span.file.path), self.range(span.file, span.start, span.end))

    def diagnostic(self, diagnostic: Diagnostic) -> types.Diagnostic:
        """The message and what to do about it; other places that belong to it are related information."""
        nowhere = types.Range(types.Position(0, 0), types.Position(0, 0))
        message = diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\n{diagnostic.help}"
        related = [types.DiagnosticRelatedInformation(self.span(label.span), label.text) for label in diagnostic.labels]
        return types.Diagnostic(
            range=nowhere if diagnostic.span is None else self.span(diagnostic.span).range,
            message=message,
            severity=_SEVERITIES[diagnostic.severity],
            code=diagnostic.id,
            source="gristmill",
            related_information=related or None,
        )

    def symbol(self, file: SourceFile, entry: Entry) -> types.DocumentSymbol:
        return types.DocumentSymbol(
            name=entry.name,
            kind=SYMBOL_KINDS[entry.kind],
            range=self.range(file, min(entry.start, entry.name_start), max(entry.end, entry.name_end)),
            selection_range=self.range(file, entry.name_start, entry.name_end),
            detail=entry.detail or None,
            children=[self.symbol(file, child) for child in entry.children] or None,
        )
