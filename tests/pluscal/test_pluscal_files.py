"""Finding algorithms and translations in files, keeping what is the user's, and pointing back."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from gristmill.cli.translate import translate as translate_command
from gristmill.pluscal import (
    TranslatedFile,
    find_algorithm,
    original_span,
    prepare,
    translate,
    translation_state,
)
from gristmill.source import SourceError, SourceFile

SOURCE = """---- MODULE m ----
EXTENDS Naturals
(* --algorithm m
variables x = 0;
process p \\in 1 .. 2
begin
  one: await x < 5;
       x := x + 1;
end process;
end algorithm *)
Below == x + 1
====
"""


def translated(text: str = SOURCE) -> str:
    new = translate(SourceFile("m.tla", text)).text
    assert new is not None
    return new


def test_markers_are_added_behind_the_comment() -> None:
    text = translated()
    before, behind = SOURCE.split("Below")
    assert text.startswith(before + "\\* BEGIN TRANSLATION (chksum(pcal) = ")
    assert text.endswith("\\* END TRANSLATION\nBelow" + behind)


def test_what_follows_the_comment_on_its_line_stays() -> None:
    text = translated(SOURCE.replace("end algorithm *)\n", "end algorithm *) Beside == 1\n"))
    assert text.index("end algorithm *)") < text.index("END TRANSLATION") < text.index("Beside == 1")


def test_an_old_translation_is_replaced() -> None:
    text = translated()
    changed = text.replace("x := x + 1", "x := x + 2")
    again = translated(changed)
    assert again.count("BEGIN TRANSLATION") == 1
    assert "x' = x + 2" in again
    assert "x' = x + 1" not in again


def test_line_ends_stay() -> None:
    text = translated(SOURCE.replace("\n", "\r\n"))
    assert "\n" not in text.replace("\r\n", "")
    assert translation_state(SourceFile("m.tla", text)) == "fresh"


@pytest.mark.parametrize(
    ("marker", "kept"),
    [
        ("\\* BEGIN TRANSLATION", False),
        ("\\* BEGIN TRANSLATION (chksum(pcal) \\in STRING /\\ chksum(tla) \\in STRING)", True),
        ("\\* BEGIN TRANSLATION - made by somebody else", True),
        ('\\* BEGIN TRANSLATION (checksum(PlusCal) = "1" /\\ checksum(TLA+) = "2")', False),
    ],
)
def test_marker_lines(marker: str, kept: bool) -> None:
    """Checksums are brought up to date, or added to a bare marker; what people wrote there stays."""
    text = translated(SOURCE.replace("Below", f"{marker}\n\\* END TRANSLATION\nBelow"))
    assert (marker + "\n" in text) is kept
    assert translation_state(SourceFile("m.tla", text)) == ("unknown" if kept else "fresh")


def test_states() -> None:
    text = translated()
    assert translation_state(SourceFile("m.tla", "---- MODULE m ----\n====")) == "none"
    assert translation_state(SourceFile("m.tla", SOURCE)) == "missing"
    assert translation_state(SourceFile("m.tla", text)) == "fresh"
    assert translation_state(SourceFile("m.tla", text.replace("x < 5", "x < 6", 1))) == "stale"
    assert translation_state(SourceFile("m.tla", text.replace("/\\ x < 5", "/\\ x < 6"))) == "edited"
    assert translation_state(SourceFile("m.tla", text.replace("  one:", "      one:"))) == "fresh"


def test_states_of_a_fair_algorithm() -> None:
    """Its checksum is always the same, so we write one of our own; it counts only for our own translation."""
    text = translated(SOURCE.replace("--algorithm", "--fair algorithm"))
    assert 'chksum(pcal) = "7c28162a"' in text
    assert translation_state(SourceFile("m.tla", text)) == "fresh"
    changed = text.replace("x < 5", "x < 6", 1)
    assert translation_state(SourceFile("m.tla", changed)) == "stale"
    old = re.search(r'tla\) = "([0-9a-f]+)"', changed)
    assert old is not None
    by_another_tool = changed.replace(f'tla) = "{old[1]}"', 'tla) = "1234567"')
    assert translation_state(SourceFile("m.tla", by_another_tool)) == "edited"
    assert translated(changed).count("(algorithm ") == 1


def test_markers_with_nothing_between_them_are_no_translation() -> None:
    text = SOURCE.replace("Below", "\\* BEGIN TRANSLATION\n\\* END TRANSLATION\nBelow")
    assert translation_state(SourceFile("m.tla", text)) == "missing"
    assert prepare(SourceFile("m.tla", text))[1][0].id == "pluscal-untranslated"


def test_a_marker_without_its_end_is_an_error() -> None:
    file = SourceFile("m.tla", SOURCE.replace("Below", "\\* BEGIN TRANSLATION\nBelow"))
    with pytest.raises(SourceError) as caught:
        find_algorithm(file)
    assert caught.value.diagnostics[0].id == "pluscal-unclosed-translation"
    assert prepare(file)[1][0].id == "pluscal-unclosed-translation"


def test_prepare() -> None:
    text = translated()
    fresh, nothing = prepare(SourceFile("m.tla", text))
    assert (fresh.text, nothing) == (text, [])
    new, (note,) = prepare(SourceFile("m.tla", SOURCE))
    assert (new.text, note.id, note.severity) == (text, "pluscal-untranslated", "note")
    new, (warning,) = prepare(SourceFile("m.tla", text.replace("x < 5", "x < 6", 1)))
    assert (warning.id, warning.severity) == ("pluscal-stale", "warning")
    assert "/\\ x < 6" in new.text
    edited = SourceFile("m.tla", text.replace("/\\ x < 5", "/\\ x < 6"))
    assert prepare(edited) == (edited, [])


def test_everything_in_the_translation_points_back() -> None:
    file = SourceFile("m.tla", SOURCE)
    new, _ = prepare(file)
    assert isinstance(new, TranslatedFile)

    def origin(text: str) -> str:
        start = new.text.index(text, new.text.index("BEGIN TRANSLATION"))
        return original_span(new.span(start, start + len(text))).text

    assert origin("x = 0") == "x = 0"
    assert origin("x < 5") == "x < 5"
    assert origin("x' = x + 1") == "x := x + 1"
    assert origin('pc[self] = "one"') == "one: await x < 5;\n       x := x + 1"
    assert origin("p(self) == one(self)").startswith("process p")
    assert origin("Below == x") == "Below == x"
    assert original_span(new.span(0, 4)) == (file, 0, 4)
    assert set(new.translation.actions) == {"one", "p"}


def test_macros_point_into_the_macro() -> None:
    text = SOURCE.replace("process p", "macro inc(v) begin v := v + 1; end macro;\nprocess p").replace(
        "x := x + 1;", "inc(x);"
    )
    translation = translate(SourceFile("m.tla", text))
    new = translation.text or ""
    start = new.index("x' = x + 1")
    assert translation.original(SourceFile("m.tla", new).span(start, start + 10)).text == "v := v + 1"


# --------------------------------------------------------------------------------------------------- the command


def run(*args: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(translate_command, [str(arg) for arg in args])
    return result.exit_code, result.output


def test_command_writes_and_checks(tmp_path: Path) -> None:
    path = tmp_path / "m.tla"
    path.write_bytes(b"\xef\xbb\xbf" + SOURCE.encode())
    assert run("--check", path)[0] == 1
    assert path.read_bytes() == b"\xef\xbb\xbf" + SOURCE.encode()
    assert run(path)[0] == 0
    assert path.read_bytes() == b"\xef\xbb\xbf" + translated().encode()
    assert run("--check", path)[0] == 0
    assert [p.name for p in tmp_path.iterdir()] == ["m.tla"]


def test_command_prints_or_writes_elsewhere(tmp_path: Path) -> None:
    path, other = tmp_path / "m.tla", tmp_path / "n.tla"
    path.write_text(SOURCE)
    assert run("--stdout", path) == (0, translated())
    assert run("-o", other, path)[0] == 0
    assert (path.read_text(), other.read_text()) == (SOURCE, translated())


def test_command_leaves_a_file_with_mistakes_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.tla"
    path.write_text(SOURCE.replace("x + 1;", "x + ;"))
    code, output = run(path)
    assert code == 1
    assert "m.tla:8:17" in output
    assert path.read_text() == SOURCE.replace("x + 1;", "x + ;")
