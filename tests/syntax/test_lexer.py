"""Tokens: kinds, places, columns, comments; where a module begins and ends."""

import pytest

from gristmill.source import SourceFile
from gristmill.syntax.columns import Columns, column_behind
from gristmill.syntax.lexer import lex, lex_module
from gristmill.syntax.literals import number_value, string_text, string_value


def tokens_of(text: str) -> list[tuple[str, str]]:
    tokens, diagnostics = lex(SourceFile("x", text))
    assert not diagnostics
    return [(tokens.kinds[index], tokens.text(index)) for index in range(len(tokens) - 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", [("identifier", "x")]),
        ("WF_vars", [("WF_", "WF_"), ("identifier", "vars")]),
        ("WF_SF_x", [("WF_", "WF_"), ("SF_", "SF_"), ("identifier", "x")]),
        ("WF_IF", [("WF_", "WF_"), ("IF", "IF")]),
        ("WF_1", [("WF_", "WF_"), ("number", "1")]),
        ("_", [("_", "_")]),
        ("__", [("_", "_"), ("_", "_")]),
        ("_x", [("identifier", "_x")]),
        ("1_000", [("number", "1"), ("_", "_"), ("number", "000")]),
        ("1_0.5", [("number", "1"), ("_", "_"), ("decimal", "0.5")]),
        ("1a", [("identifier", "1a")]),
        ("3.14", [("decimal", "3.14")]),
        ("3.x", [("number", "3"), (".", "."), ("identifier", "x")]),
        ("3.14x", [("number", "3"), (".", "."), ("identifier", "14x")]),
        ("3..4", [("number", "3"), ("..", ".."), ("number", "4")]),
        ("\\b101", [("number", "\\b101")]),
        ("\\oct", [("\\o", "\\o"), ("identifier", "ct")]),
        ("\\inx", [("\\in", "\\in"), ("identifier", "x")]),
        ("\\A\\AA", [("\\A", "\\A"), ("\\AA", "\\AA")]),
        ("<1>2.", [("step", "<1>2.")]),
        ("<*>a <+>", [("step", "<*>a"), ("step", "<+>")]),
        ("<<<1>2>>", [("<<", "<<"), ("step", "<1>2"), (">>", ">>")]),
        ("a!!!b", [("identifier", "a"), ("!", "!"), ("!!", "!!"), ("identifier", "b")]),
        ("[]ASSUME", [("[]ASSUME", "[]ASSUME")]),
        ("[]ASSUMEx", [("[]", "[]"), ("identifier", "ASSUMEx")]),
        ("□PROVE", [("[]PROVE", "□PROVE")]),
        ("ℕ∪ℤ", [("identifier", "ℕ"), ("\\cup", "∪"), ("identifier", "ℤ")]),
        ("]_x", [("]_", "]_"), ("identifier", "x")]),
        (">>_x", [(">>_", ">>_"), ("identifier", "x")]),
        ("-+->->", [("-+->", "-+->"), ("->", "->")]),
        ("---", [("--", "--"), ("-", "-")]),
        ("----", [("separator", "----")]),
        ("=====", [("end-module", "=====")]),
        ("===", [("==", "=="), ("=", "=")]),
        ('"a\\"b"', [("string", '"a\\"b"')]),
        ("(+)(*c*)(\\X)", [("\\oplus", "(+)"), ("\\otimes", "(\\X)")]),
        ("\f\r\n\t", []),
    ],
)
def test_tokens(text: str, expected: list[tuple[str, str]]) -> None:
    assert tokens_of(text) == expected


def test_places() -> None:
    tokens, _ = lex(SourceFile("x", "ab ∈\n  cd"))
    assert (tokens.starts, tokens.ends, tokens.columns) == ([0, 3, 7, 9], [2, 4, 9, 9], [0, 3, 2, 4])


def test_comments_are_kept_with_their_places() -> None:
    text = "a \\* one\nb (* two (* inner *) *) c (*\n*) d"
    tokens, diagnostics = lex(SourceFile("x", text))
    assert not diagnostics
    assert [text[start:end] for start, end in tokens.comments] == ["\\* one", "(* two (* inner *) *)", "(*\n*)"]
    assert [tokens.text(index) for index in range(4)] == list("abcd")
    assert tokens.columns[3] == 3


def test_a_line_comment_ends_before_the_line_break() -> None:
    text = "\\* one\r\n\\* two\nx"
    tokens, _ = lex(SourceFile("x", text))
    assert [text[start:end] for start, end in tokens.comments] == ["\\* one\r", "\\* two"]


def test_a_module_ends_with_its_last_closing_line() -> None:
    text = "text ---- MODULE A ---- ---- MODULE B ---- ==== x ==== y ===="
    tokens, _ = lex_module(SourceFile("x", text))
    assert tokens.kinds[-2:] == ["end-module", "end"]
    assert tokens.ends[-1] == text.index(" y")


@pytest.mark.parametrize("text", ["", "MODULE M", "--- MODULE M", "----MODULEM", "-" * 1000])
def test_no_module(text: str) -> None:
    tokens, diagnostics = lex_module(SourceFile("x", text))
    assert (tokens.kinds, diagnostics) == (["end"], [])


@pytest.mark.parametrize("text", ["----MODULE M ----", "x---- MODULE M ----", "-" * 77 + "    MODULE M ----"])
def test_a_module_begins(text: str) -> None:
    tokens, _ = lex_module(SourceFile("x", text))
    assert tokens.kinds == ["module", "identifier", "separator", "end"]


def test_columns_with_tabs() -> None:
    text = "\tx\n \t y\tz\n\t\t(*\t\n\t*)w"
    tokens, _ = lex(SourceFile("x", text))
    assert dict(zip("xyzw", tokens.columns, strict=False)) == {"x": 8, "y": 9, "z": 16, "w": 10}


def test_columns_are_what_expanding_tabs_gives() -> None:
    text = "a\tbc\t\td\nlonger than eight\te\n\n\tf"
    columns = Columns(text)
    for offset in range(len(text)):
        line = text[text.rfind("\n", 0, offset) + 1 : offset]
        assert columns.column_of(offset) == len(line.expandtabs(8)) == column_behind(line, 0)


@pytest.mark.parametrize("text", ["", "a", 'q"\\', "\n\t\r\f", "∈"])
def test_strings_there_and_back(text: str) -> None:
    assert string_value(string_text(text)) == text


def test_numbers() -> None:
    assert [number_value(text) for text in ("0", "042", "\\b101", "\\O17", "\\hfF")] == [0, 42, 5, 15, 255]
    assert number_value("9" * 3000) == 10**3000 - 1
    assert number_value("9" * 5000) is None
    huge = number_value("\\h" + "f" * 3400)
    assert huge is not None
    assert str(huge)  # Python converts it to decimal digits without complaint
