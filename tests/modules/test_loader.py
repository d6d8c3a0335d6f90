"""Where modules are found, and what is said when they are not."""

from pathlib import Path

import pytest

from gristmill.modules import Loaded, load_specification
from gristmill.source import Diagnostic, SourceFile


def module(name: str, body: str) -> str:
    return f"---- MODULE {name} ----\n{body}\n====\n"


def write(folder: Path, name: str, body: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.tla"
    path.write_text(module(name, body), encoding="utf-8")
    return path


def ids(loaded: Loaded) -> list[str]:
    return [d.id for d in loaded.diagnostics]


def test_beside_the_specification_and_on_the_path(tmp_path: Path) -> None:
    root = write(tmp_path, "Root", "EXTENDS Beside, Elsewhere\nR == A + B")
    write(tmp_path, "Beside", "EXTENDS Naturals\nA == 1")
    write(tmp_path / "lib", "Elsewhere", "B == 2")
    assert ids(load_specification(root)) == ["module-not-found"]
    loaded = load_specification(root, search_path=[tmp_path / "lib"])
    assert loaded.specification is not None
    assert list(loaded.specification.modules) == ["Naturals", "Beside", "Elsewhere", "Root"]


def test_a_missing_module_and_what_may_be_meant(tmp_path: Path) -> None:
    loaded = load_specification(write(tmp_path, "Root", "EXTENDS Sequenzes\nR == Len(<<>>)"))
    (diagnostic,) = loaded.diagnostics
    assert diagnostic.id == "module-not-found"
    assert str(tmp_path) in diagnostic.message
    assert diagnostic.help == "did you mean `Sequences`?"


def test_the_name_of_the_file_is_that_of_the_module(tmp_path: Path) -> None:
    path = tmp_path / "Root.tla"
    path.write_text(module("Other", ""), encoding="utf-8")
    assert ids(load_specification(path)) == ["module-name-mismatch"]


def test_several_modules_in_one_file(tmp_path: Path) -> None:
    root = tmp_path / "Root.tla"
    root.write_text(module("Root", "EXTENDS Second\nR == A") + "\n" + module("Second", "A == B"), encoding="utf-8")
    (diagnostic,) = load_specification(root).diagnostics
    assert diagnostic.id == "unknown-name"
    assert diagnostic.span is not None
    assert diagnostic.span.line == 7


@pytest.mark.parametrize(
    ("sources", "cycle"),
    [
        ({"Root": "EXTENDS Root"}, "the module Root depends on itself"),
        ({"Root": "EXTENDS A", "A": "INSTANCE Root"}, "these modules depend on each other: Root -> A -> Root"),
        (
            {"Root": "EXTENDS A", "A": "EXTENDS B", "B": "I == INSTANCE A"},
            "these modules depend on each other: A -> B -> A",
        ),
        ({"Root": "R == LET I == INSTANCE Root IN I!R"}, "the module Root depends on itself"),
    ],
)
def test_cycles(sources: dict[str, str], cycle: str) -> None:
    files = {name: SourceFile(f"{name}.tla", module(name, body)) for name, body in sources.items()}
    loaded = load_specification(files["Root"], sources=files)
    assert [(d.id, d.message) for d in loaded.diagnostics] == [("module-cycle", cycle)]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert ids(load_specification(tmp_path / "Nowhere.tla")) == ["file-not-found"]


def test_a_file_may_be_prepared(tmp_path: Path) -> None:
    said = Diagnostic("prepared", "this was prepared", severity="note")

    def prepare(file: SourceFile) -> tuple[SourceFile, list[Diagnostic]]:
        return SourceFile(file.path, file.text.replace("TODO", "1")), [said]

    loaded = load_specification(write(tmp_path, "Root", "R == TODO"), prepare=prepare)
    assert loaded.ok
    assert loaded.diagnostics == (said,)


def test_the_library_does_not_take_a_users_module_for_its_own(tmp_path: Path) -> None:
    write(tmp_path, "Sequences", "Mine == 1")
    loaded = load_specification(write(tmp_path, "Root", "EXTENDS Sequences, SequencesExt\nR == <<Mine, ToSet(<<>>)>>"))
    assert loaded.ok, loaded.diagnostics


def test_a_diamond_is_one_module() -> None:
    bodies = {
        "Root": "EXTENDS A, B\nR == X",
        "A": "EXTENDS Base",
        "B": "EXTENDS Base",
        "Base": "CONSTANT c\nX == c",
    }
    files = {name: SourceFile(f"{name}.tla", module(name, body)) for name, body in bodies.items()}
    loaded = load_specification(files["Root"], sources=files)
    assert loaded.ok
    assert not loaded.diagnostics


def test_names_in_common_of_extended_modules() -> None:
    def said(a: str, b: str) -> list[str]:
        bodies = {"Root": "EXTENDS A, B", "A": a, "B": b}
        files = {name: SourceFile(f"{name}.tla", module(name, body)) for name, body in bodies.items()}
        return [f"{d.severity} {d.id}" for d in load_specification(files["Root"], sources=files).diagnostics]

    assert said("X == 1", "X == 1") == ["warning extends-ambiguity"]
    assert said("X == 1", "CONSTANT X") == ["error extends-conflict"]
    assert said("LOCAL X == 1", "X == 1") == []
    assert said("INSTANCE Naturals", "EXTENDS Naturals") == []


def test_a_broken_module_is_not_blamed_on_its_users() -> None:
    files = {
        "Root": SourceFile("Root.tla", module("Root", "EXTENDS A\nR == X + Y")),
        "A": SourceFile("A.tla", module("A", "X == == 1\nY == 2")),
    }
    loaded = load_specification(files["Root"], sources=files)
    assert {d.span.file.path for d in loaded.diagnostics if d.span} == {"A.tla"}
