"""Requests about what stands at a place: hover, completion, colours."""

from __future__ import annotations

from lsprotocol import types

from gristmill.language.analysis import Analysis
from gristmill.language.completion import Completion, completions
from gristmill.language.describe import Description, describe
from gristmill.language.highlighting import MODIFIERS, TYPES, semantic_tokens
from gristmill.language.navigation import lookup
from gristmill.language.words import MEANINGS
from gristmill.lsp.server import Server

_COMPLETION_KINDS = {
    "name": types.CompletionItemKind.Function,
    "keyword": types.CompletionItemKind.Keyword,
    "module": types.CompletionItemKind.Module,
    "field": types.CompletionItemKind.Field,
    "operator": types.CompletionItemKind.Operator,
    "label": types.CompletionItemKind.Event,
}


def register(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
        found = ls.target(params.text_document.uri, params.position)
        if found is not None:
            file, name = found
            return types.Hover(
                _markdown(describe(ls.language, name.target)), ls.convert.range(file, name.start, name.end)
            )
        analysis = ls.analysis(params.text_document.uri)
        return None if analysis is None else _symbol(ls, analysis, ls.convert.offset(analysis.file, params.position))

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=["\\", "!", "."], resolve_provider=True),
    )
    def completion(ls: Server, params: types.CompletionParams) -> types.CompletionList:
        analysis = ls.analysis(params.text_document.uri)
        if analysis is None:
            return types.CompletionList(False, [])
        offset = ls.convert.offset(analysis.file, params.position)
        found = completions(ls.language, analysis, offset)
        uri = params.text_document.uri
        return types.CompletionList(False, [_item(ls, analysis, offset, uri, each) for each in found])

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def resolve(ls: Server, item: types.CompletionItem) -> types.CompletionItem:
        """What is said about a completion is found when somebody looks at it."""
        data = item.data if isinstance(item.data, dict) else {}
        analysis = ls.analysis(data["uri"]) if "uri" in data else None
        target = lookup(analysis, data["name"]) if analysis is not None else None
        if target is not None:
            item.documentation = _markdown(describe(ls.language, target))
        return item

    legend = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def tokens(ls: Server, params: types.SemanticTokensParams) -> types.SemanticTokens:
        analysis = ls.analysis(params.text_document.uri)
        return types.SemanticTokens([] if analysis is None else _encoded(ls, analysis))


def _symbol(ls: Server, analysis: Analysis, offset: int) -> types.Hover | None:
    """What a symbol or word of the language means."""
    tokens = analysis.tokens
    for index, (start, end) in enumerate(zip(tokens.starts, tokens.ends, strict=True)):
        if start <= offset < end:
            told = MEANINGS.get(tokens.kinds[index])
            if told is not None:
                content = types.MarkupContent(types.MarkupKind.Markdown, told)
                return types.Hover(content, ls.convert.range(analysis.file, start, end))
    return None


def _markdown(description: Description) -> types.MarkupContent:
    parts = [f"```tla\n{description.code}\n```", description.facts]
    if description.comment:
        parts.append(description.comment)
    return types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(parts))


def _item(ls: Server, analysis: Analysis, offset: int, uri: str, each: Completion) -> types.CompletionItem:
    item = types.CompletionItem(
        label=each.text,
        kind=_COMPLETION_KINDS[each.kind],
        detail=each.detail or None,
        sort_text=f"{each.rank}{each.text}",
        documentation=each.document,
    )
    if each.target is not None:
        item.data = {"uri": uri, "name": each.text}
    if each.kind == "operator":  # editors do not take the backslash for a part of the word
        start = analysis.text.rfind("\\", 0, offset)
        item.text_edit = types.TextEdit(ls.convert.range(analysis.file, start, offset), each.text)
        item.filter_text = each.text
    return item


def _encoded(ls: Server, analysis: Analysis) -> list[int]:
    """Five numbers a token: lines and characters since the one before, length, type, modifiers."""
    numbers: list[int] = []
    line = character = 0
    positions = ls.convert.positions(analysis.file)
    for token in semantic_tokens(analysis):
        start, end = positions.position(token.start), positions.position(token.end)
        modifiers = sum(1 << MODIFIERS.index(each) for each in token.modifiers)
        moved = start.character - (character if start.line == line else 0)
        numbers += [start.line - line, moved, end.character - start.character, TYPES.index(token.type), modifiers]
        line, character = start
    return numbers
