"""Only what has changed is analysed again; what the editor has open counts, and not the disk."""

from gristmill.language.positions import Positions
from gristmill.language.workspace import Workspace
from gristmill.loading import load


def messages(analysis) -> list[str]:
    return [each.message for each in analysis.diagnostics]


def test_nothing_is_done_twice(written) -> None:
    asked = written(M="EXTENDS Base\nF == A", Base="A == 1")
    assert asked.analysis is asked.analysis


def test_modules_it_depends_on_stay_resolved(written) -> None:
    asked = written(M="EXTENDS Base\nF == A", Base="A == 1")
    before = asked.analysis
    asked.workspace.files.open(str(asked.path), before.text.replace("F == A", "F == <<A, A>>"))
    after = asked.analysis
    assert after is not before
    assert after.root.extends[0] is before.root.extends[0]


def test_a_module_that_changes_is_resolved_again(written, tmp_path) -> None:
    asked = written(M="EXTENDS Base\nF == A", Base="A == 1")
    assert messages(asked.analysis) == []
    asked.workspace.files.open(str(tmp_path / "Base.tla"), "---- MODULE Base ----\nB == 1\n====")
    assert messages(asked.analysis) == ["the name `A` is not declared or defined"]
    asked.workspace.files.close(str(tmp_path / "Base.tla"))
    assert messages(asked.analysis) == []


def test_a_module_that_is_written_to_the_disk_is_found(written, tmp_path) -> None:
    asked = written(M="EXTENDS Later\nF == A")
    assert "there is no module `Later`" in messages(asked.analysis)[0]
    (tmp_path / "Later.tla").write_text("---- MODULE Later ----\nA == 1\n====")
    assert messages(asked.analysis) == []


def test_a_module_that_only_the_editor_has_is_found(written, tmp_path) -> None:
    asked = written(M="EXTENDS Unsaved\nF == A")
    asked.workspace.files.open(str(tmp_path / "Unsaved.tla"), "---- MODULE Unsaved ----\nA == 1\n====")
    assert messages(asked.analysis) == []


def test_a_module_of_the_user_hides_one_of_the_library(written, tmp_path) -> None:
    asked = written(M="EXTENDS FiniteSets\nF == Cardinality({})")
    assert messages(asked.analysis) == []
    (tmp_path / "FiniteSets.tla").write_text("---- MODULE FiniteSets ----\n====")
    assert "Cardinality" in messages(asked.analysis)[0]


def test_messages_move_with_the_text(written) -> None:
    """Also those about modules that are missing, which are found again each time."""
    asked = written(M="EXTENDS Missing\nF == 1")
    first = asked.analysis.diagnostics[0].span
    asked.workspace.files.open(str(asked.path), "\n\n" + asked.analysis.text)
    assert asked.analysis.diagnostics[0].span.line == first.line + 2


def test_edits_one_by_one_say_what_parse_says(written, tmp_path) -> None:
    """Typing a module letter by letter, after each of them: the same messages as from a file."""
    asked = written(M="F == 1", Base="CONSTANT N\nVARIABLE x\nA == x' = x")
    typed = "EXTENDS Naturals, Base\nI == INSTANCE Base WITH N <- 2\nF == \\E y \\in 1..N : y' = A /\\ I!A\nG == []F"
    path = tmp_path / "M.tla"
    for length in range(0, len(typed) + 1, 3):
        text = f"---- MODULE M ----\n{typed[:length]}\n====\n"
        path.write_text(text)
        asked.workspace.files.open(str(path), text)
        expected = [str(each) for each in load(path, ())[1]]
        assert [str(each) for each in asked.analysis.diagnostics] == expected


def test_modules_that_depend_on_each_other(written) -> None:
    asked = written(M="EXTENDS Base", Base="EXTENDS M")
    assert any("depend on each other" in each for each in messages(asked.analysis))


def test_a_second_module_in_the_file(tmp_path) -> None:
    path = tmp_path / "M.tla"
    path.write_text("---- MODULE M ----\nEXTENDS Second\nF == A\n====\n---- MODULE Second ----\nA == 1\n====\n")
    workspace = Workspace()
    assert messages(workspace.analysis(str(path))) == []
    workspace.files.open(str(path), path.read_text().replace("A == 1", "B == 1"))
    assert messages(workspace.analysis(str(path))) == ["the name `A` is not declared or defined"]


def test_positions_count_as_editors_do() -> None:
    text = "a𝒳b\r\nü∈\rlast\x0c\u2028line"
    for encoding, columns in (("utf-16", [0, 1, 3, 4]), ("utf-8", [0, 1, 5, 6]), ("utf-32", [0, 1, 2, 3])):
        positions = Positions(text, encoding)
        assert [positions.position(offset) for offset in range(4)] == [(0, each) for each in columns]
        for offset in [*range(4), 5, 6, 7, 8, 12, len(text)]:
            assert positions.offset(*positions.position(offset)) == offset
    assert Positions(text).position(len(text)) == (2, 10)
    assert Positions(text).offset(0, 99) == 3
    assert Positions(text).offset(99, 0) == len(text)


def test_the_modules_of_a_workspace(tmp_path) -> None:
    home = tmp_path / ".hidden" / "work"
    for folder in ("deep/down", ".git", "node_modules/x"):
        (home / folder).mkdir(parents=True)
        (home / folder / "M.tla").write_text("---- MODULE M ----\n====")
    workspace = Workspace([str(home)])
    workspace.files.open(str(tmp_path / "Open.tla"), "---- MODULE Open ----\n====")
    assert list(workspace.modules()) == [str(home / "deep/down/M.tla"), str(tmp_path / "Open.tla")]


def test_files_that_are_not_open_are_not_kept_for_ever(written, tmp_path) -> None:
    names = [f"M{number}" for number in range(30)]
    asked = written(**dict.fromkeys(names, "F == 1"))
    first = asked.workspace.analysis(str(tmp_path / "M0.tla"))
    asked.workspace.files.open(str(tmp_path / "M1.tla"), "---- MODULE M1 ----\n====\n")
    opened = asked.workspace.analysis(str(tmp_path / "M1.tla"))
    for name in names[2:]:
        asked.workspace.analysis(str(tmp_path / f"{name}.tla"))
    assert asked.workspace.analysis(str(tmp_path / "M0.tla")) is not first
    assert asked.workspace.analysis(str(tmp_path / "M1.tla")) is opened
