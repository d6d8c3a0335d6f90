"""Text to tree to text: what must come back unchanged."""

from gristmill.source import SourceFile
from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree
from gristmill.syntax.parser import Parsed, parse_module
from gristmill.syntax.print_module import print_module
from gristmill.syntax.respell import respell


def parse(file: SourceFile) -> tuple[tree.Module, Parsed]:
    """The tree of a file without mistakes."""
    parsed = parse_module(file)
    assert not parsed.diagnostics, "\n".join(map(str, parsed.diagnostics)) + "\n" + file.text
    assert parsed.module is not None
    return parsed.module, parsed


def assert_same(one: tree.Module, other: tree.Module, text: str) -> None:
    assert with_deep_stack(lambda: one == other), text


def assert_prints_and_parses(file: SourceFile) -> None:
    module, _ = parse(file)
    assert_printed_parses(module)


def assert_printed_parses(module: tree.Module) -> None:
    for unicode in (False, True):
        text = print_module(module, unicode)
        again, _ = parse(SourceFile("printed", text))
        assert_same(module, again, text)


def comments(parsed: Parsed) -> list[str]:
    return [parsed.tokens.file.text[start:end].rstrip("\r") for start, end in parsed.tokens.comments]


def assert_respells(file: SourceFile) -> None:
    """To Unicode, back to ASCII and to Unicode again: the same module and the same comments every time."""
    module, parsed = parse(file)
    previous = parsed
    for unicode in (True, False, True):
        assert previous.module is not None
        text = respell(previous.module, previous.tokens, unicode)
        again, previous = parse(SourceFile("respelled", text))
        assert_same(module, again, text)
        assert comments(previous) == comments(parsed)
        assert respell(again, previous.tokens, unicode) == text
