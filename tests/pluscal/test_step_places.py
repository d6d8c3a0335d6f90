"""From an action of a translation to the label it stands for."""

from gristmill.pluscal import TranslatedFile, prepare, step_place, translate
from gristmill.source import SourceFile, Span

ALGORITHM = """---- MODULE Door ----
(* --algorithm Door
variable open = FALSE;
begin
  knock: open := TRUE;
  leave: open := FALSE;
end algorithm; *)
Other == 1
====
"""


def definition(file: SourceFile, name: str) -> Span:
    start = file.text.index(f"{name} ==")
    return file.span(start, start + len(name))


def test_translation_in_memory() -> None:
    file, _ = prepare(SourceFile("Door.tla", ALGORITHM))
    assert isinstance(file, TranslatedFile)
    place = step_place("leave", definition(file, "leave"))
    assert place is not None
    assert (place.line, place.file.text) == (6, ALGORITHM)


def test_translation_in_the_file() -> None:
    text = translate(SourceFile("Door.tla", ALGORITHM)).text
    assert text is not None
    file = SourceFile("Door.tla", text)
    place = step_place("knock", definition(file, "knock"))
    assert place is not None
    assert place.line == 5


def test_what_is_no_step() -> None:
    text = translate(SourceFile("Door.tla", ALGORITHM)).text
    assert text is not None
    file = SourceFile("Door.tla", text)
    assert step_place("Other", definition(file, "Other")) is None
    assert step_place("Init", definition(file, "Init")) is None
    assert step_place("Other", definition(SourceFile("Plain.tla", "Other == 1"), "Other")) is None


def test_an_algorithm_that_has_changed() -> None:
    """The label is no longer there: better nothing than something wrong."""
    text = translate(SourceFile("Door.tla", ALGORITHM)).text
    assert text is not None
    file = SourceFile("Door.tla", text.replace("leave: open", "quit: open"))
    assert step_place("leave", definition(file, "leave")) is None
