"""The order in which TLC meets the words of a specification; see `values.vocabulary` for why that matters."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.modules.specification import ResolvedModule, Specification
from gristmill.syntax import tree
from gristmill.syntax.lexer import lex_module
from gristmill.syntax.literals import string_value
from gristmill.syntax.token import IDENTIFIER, STRING
from gristmill.values import current
from gristmill.values.vocabulary import BUILTIN, words_of


def register_words(specification: Specification) -> None:
    """Register everything behind the configuration's words: built-in words, identifiers, then strings."""
    modules = list(_breadth_first(specification))
    strings: dict[str, list[str]] = {}
    current().register_all(BUILTIN)
    for module in modules:
        known = words_of(module.name) if module.is_library else None
        words, strings[module.name] = ([], []) if known is not None else _words(module)
        current().register_all(known if known is not None else words)
        if module is specification.root:
            current().register_all(words_of("_TLCTrace") or ())
    for name in specification.modules:  # dependencies first
        current().register_all(strings.get(name, ()))


def _breadth_first(specification: Specification) -> Iterator[ResolvedModule]:
    queue, seen = [specification.root.name], {specification.root.name}
    while queue:
        module = specification.modules.get(queue.pop(0))
        if module is None:
            continue
        yield module
        for name in _needed(module.node):
            if name not in seen:
                seen.add(name)
                queue.append(name)


def _needed(module: tree.Module) -> Iterator[str]:
    yield from (name.name for name in module.extends)
    for unit in module.units:
        match unit:
            case tree.InstanceUnit(instance) | tree.InstanceDefinition(_, _, instance):
                yield instance.module
            case tree.Module():
                yield from _needed(unit)


def _words(module: ResolvedModule) -> tuple[list[str], list[str]]:
    """Identifiers and strings of a module's text, in order."""
    if module.words is None:
        tokens = module.tokens or lex_module(module.file)[0]
        words = [tokens.text(i) for i, kind in enumerate(tokens.kinds) if kind == IDENTIFIER]
        strings = [string_value(tokens.text(i)) for i, kind in enumerate(tokens.kinds) if kind == STRING]
        module.words, module.tokens = (words, strings), None
    return module.words
