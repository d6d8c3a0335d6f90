"""What a mistake looks like to the one who made it: id, place, underline, help; and that none hides another."""

import json

import pytest

from gristmill.source import SourceError, SourceFile
from gristmill.source.diagnostic import MAX_DIAGNOSTICS, Diagnostic
from gristmill.source.render import MAX_WIDTH, diagnostic_json, render_json, render_text
from gristmill.syntax.parser import parse_expression, parse_module


def mistakes(*lines: str) -> list[Diagnostic]:
    text = "\n".join(["---- MODULE Test ----", *lines, "====", ""])
    return parse_module(SourceFile("Test.tla", text)).diagnostics


def test_a_mistake_with_place_underline_and_help() -> None:
    assert render_text(mistakes("Init == x = 0 /\\ y = 0 \\/ z = 0")) == "\n".join(
        [
            "error[precedence-conflict]: `/\\` and `\\/` have overlapping precedences and need parentheses",
            " --> Test.tla:2:24",
            "  |",
            "2 | Init == x = 0 /\\ y = 0 \\/ z = 0",
            "  |                        ^^",
            " ::: Test.tla:2:15",
            "  |",
            "2 | Init == x = 0 /\\ y = 0 \\/ z = 0",
            "  |               -- the other operator",
            "  = help: write `(x = 0 /\\ y = 0) \\/ …` or `x = 0 /\\ (y = 0 \\/ …)`",
        ]
    )


def test_a_missing_bracket_names_the_line_of_its_partner() -> None:
    (mistake,) = mistakes("a == F(1,", "       2", "b == 3")
    assert mistake.message == "expected `)` to close the `(` of line 2, found `b`"
    assert mistake.span is not None
    assert (mistake.span.line, mistake.span.column, mistake.span.text) == (4, 1, "b")


def test_all_mistakes_of_a_file_in_the_order_of_its_text() -> None:
    found = mistakes("a == (1", "b == [x \\in S |->]", 'c == "open', "d == 1", "e == 2 +", "f == \x01", "g = 3")
    assert [(d.id, d.span and d.span.line) for d in found] == [
        ("syntax-error", 3),
        ("syntax-error", 3),
        ("unclosed-string", 4),
        ("syntax-error", 7),
        ("unexpected-character", 7),
        ("syntax-error", 8),
    ]


def test_a_bad_token_is_reported_once() -> None:
    assert [d.id for d in mistakes("a == x ? y ? z", "b == `c`")] == ["unexpected-character"] * 4
    assert [d.id for d in mistakes("größe == 1")] == ["unexpected-character"]


def test_no_more_messages_than_anybody_reads() -> None:
    assert len(mistakes(*["a == ("] * 1000)) == MAX_DIAGNOSTICS
    assert len(mistakes(*["a == \x01"] * 1000)) == MAX_DIAGNOSTICS


def test_long_lines_are_cut_around_the_mistake() -> None:
    (mistake,) = mistakes("a == " + "x + " * 1000 + ") + " + "y + " * 1000 + "z")
    lines = render_text([mistake]).splitlines()
    assert all(len(line) < MAX_WIDTH + 20 for line in lines)
    shown, underline = lines[3], lines[4]
    assert shown[underline.index("^")] == ")"
    assert shown.count("…") == 2


def test_the_underline_follows_tabs() -> None:
    (mistake,) = mistakes("a ==\t\t)")
    lines = render_text([mistake]).splitlines()
    assert lines[3].expandtabs(8).index(")") == lines[4].expandtabs(8).index("^")


def test_columns_count_characters() -> None:
    (mistake,) = mistakes('a ≜ "∀∃" ∧ )')
    assert mistake.span is not None
    assert (mistake.span.line, mistake.span.column) == (2, 12)


def test_control_characters_do_not_reach_the_terminal() -> None:
    found = mistakes("a == \x1b[31m \x07 1")
    assert "\x1b" not in render_text(found)
    assert "\x07" not in render_text(found)


def test_color_only_when_asked() -> None:
    found = mistakes("a == )")
    assert "\x1b[" not in render_text(found)
    assert "\x1b[" in render_text(found, color=True)


def test_json_for_editors() -> None:
    found = mistakes("a == x = y = z")
    (entry,) = json.loads(render_json(found))
    assert entry == diagnostic_json(found[0])
    assert (entry["id"], entry["severity"], entry["file"]) == ("precedence-conflict", "error", "Test.tla")
    assert (entry["line"], entry["column"], entry["end_line"], entry["end_column"]) == (2, 12, 2, 13)
    assert entry["help"] == "write `(x = y) = …` or `x = (y = …)`"
    assert entry["labels"][0]["column"] == 8


def test_ids_are_kebab_case() -> None:
    found = mistakes("a == (", "b == x = y = z", "c == \x01", 'd == "', "e == + 1", "f == 1 :: 2")
    assert all(d.id == d.id.lower() and d.id.replace("-", "").isalpha() for d in found)
    assert all(d.message[-1] not in ".!" and "\n" not in d.message for d in found)


@pytest.mark.parametrize(
    ("text", "id", "column"),
    [
        ("", "syntax-error", 1),
        ("1 +", "syntax-error", 4),
        ("1 2", "syntax-error", 3),
        ("x == 1", "syntax-error", 3),
        ("(1", "syntax-error", 3),
        ("\x01", "unexpected-character", 1),
    ],
)
def test_an_expression_by_itself(text: str, id: str, column: int) -> None:
    with pytest.raises(SourceError) as raised:
        parse_expression(SourceFile("<expression>", text))
    (mistake,) = raised.value.diagnostics
    assert mistake.span is not None
    assert (mistake.id, mistake.span.column) == (id, column)


def test_a_number_with_too_many_digits() -> None:
    assert [d.id for d in mistakes("a == " + "9" * 10_000, "b == )")] == ["number-too-long", "syntax-error"]


def test_a_broken_module_still_has_its_good_definitions() -> None:
    text = "---- MODULE Test ----\na == 1\nb == (\nc == 3\n====\n"
    module = parse_module(SourceFile("Test.tla", text)).module
    assert module is not None
    assert [getattr(unit, "name", None) for unit in module.units] == ["a", "c"]
