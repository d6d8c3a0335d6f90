"""The language of places, and where they are in class files."""

import zipfile
from pathlib import Path

import pytest

from gristmill.replay.driver import DriverError
from gristmill.replay.jvm.bytecode import calls
from gristmill.replay.jvm.classpath import ClassPath
from gristmill.replay.jvm.locate import Spot
from gristmill.replay.jvm.points import Place, parse_place

ALIASES = {"Q": "org.example.quorum", "M": "Mill"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Q.Learner.read entry", Place("org.example.quorum.Learner", "read", None, "entry")),
        ("Q.Leader$Proposal.<init> exit", Place("org.example.quorum.Leader$Proposal", "<init>", None, "exit")),
        ("a.B.c(String, long[]) exit#2", Place("a.B", "c", ("String", "long[]"), "exit", None, 2)),
        ("a.B.c() call wait", Place("a.B", "c", (), "call", "wait")),
        ("a.B.lambda$run$0 after Socket.close#3", Place("a.B", "lambda$run$0", None, "after", "Socket.close", 3)),
        ("M.grind line 40", Place("Mill", "grind", None, "line", None, 40)),
        ("  M.grind   call   <init> # 2 ", Place("Mill", "grind", None, "call", "<init>", 2)),
    ],
)
def test_places(text: str, place: Place) -> None:
    assert parse_place(text, ALIASES) == place


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("grind", "no place in a Java program", "write CLASS.METHOD entry"),
        ("grind entry", "has no class", "write CLASS.METHOD entry"),
        ("M.grind enter", "'enter' is no place in a method", "did you mean entry"),
        ("M.grind call", "'call' is no place in a method", "write CLASS.METHOD"),
        ("M.grind entry#2", "no place in a method", "write CLASS.METHOD"),
        ("M.grind exit#0", "no place in a method", "write CLASS.METHOD"),
        ("M.grind line", "no place in a method", "write CLASS.METHOD"),
        ("M.grind line x", "no place in a method", "write CLASS.METHOD"),
    ],
)
def test_mistakes_in_places(text: str, message: str, help: str) -> None:
    with pytest.raises(DriverError, match=message) as raised:
        parse_place(text, ALIASES)
    assert help in (raised.value.help or "")


def located(classes: Path, text: str) -> list[Spot]:
    return ClassPath([classes]).locate(parse_place(text, ALIASES))


def line(classes: Path, spot: Spot, program: str = "Mill") -> str:
    assert spot.line is not None
    return (classes / f"{program}.java").read_text(encoding="utf-8").splitlines()[spot.line - 1].strip()


def names(spot: Spot) -> set[str]:
    return {each.name for each in spot.variables if not each.name.startswith("arg")}


def test_entry_and_exits(classes: Path) -> None:
    (entry,) = located(classes, "Mill.grind entry")
    assert (entry.index, names(entry)) == (0, {"this", "grain", "weight"})
    first, second = located(classes, "Mill.grind exit")
    assert [line(classes, each) for each in (first, second)] == ["return length;", "return -1;"]
    assert names(first) == {"this", "grain", "weight", "length"}
    assert located(classes, "Mill.grind exit#2") == [second]


def test_calls(classes: Path) -> None:
    first, second = located(classes, "Mill.grind call store")
    assert [line(classes, each) for each in (first, second)] == ["store(grain, length);", "store(grain, 0);"]
    assert located(classes, "Mill.grind call Mill.store#2") == [second]
    (before,), (after,) = located(classes, "Mill.grind call weigh"), located(classes, "Mill.grind after weigh")
    assert "length" not in names(before)
    assert "length" in names(after)  # behind the call, its result is in the variable


def test_after_a_call_whose_result_is_tested_in_a_loop(classes: Path) -> None:
    spots = located(classes, "Words.calls after speak")
    assert ["found" in names(each) for each in spots] == [False, True, True, True]
    assert ["cast" in names(each) for each in spots] == [False, False, False, True]
    found = ClassPath([classes]).find("Words")
    assert found is not None
    method = next(each for each in found.methods if each.header.name == "calls")
    assert method.body is not None
    of_speak = [each for each in calls(method.body.code, found.pool) if each.name == "speak"]
    assert [each.index for each in spots] == [each.after for each in of_speak]


def test_methods_of_one_name(classes: Path) -> None:
    assert len(located(classes, "Mill.weigh entry")) == 2
    (one,) = located(classes, "Mill.weigh(String) entry")
    (other,) = located(classes, "Mill.weigh(java.lang.String, int) entry")
    assert one.method.descriptor == "(Ljava/lang/String;)I"
    assert str(other).startswith("Mill.weigh(String, int), instruction 0, line ")


def test_lines(classes: Path) -> None:
    text = (classes / "Mill.java").read_text(encoding="utf-8").splitlines()
    number = next(n for n, each in enumerate(text, 1) if "store(grain, 0)" in each)
    (spot,) = located(classes, f"Mill.grind line {number}")
    assert spot.line == number


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("Mil.grind entry", "there is no class Mil$", "did you mean Mill"),
        ("org.Words.spoken entry", r"there is no class org\.Words", "did you mean Words"),
        ("Mill.grnd entry", "class Mill has no method grnd", "did you mean grind"),
        ("Mill.weigh(long) entry", r"Mill has no method weigh\(long\)", "there is weigh(String), weigh(String, int)"),
        ("Mill.grind call stre", "Mill.grind does not call stre", "did you mean store"),
        ("Mill.grind call store#3", "has no 3 calls of store", "there are 2"),
        ("Mill.grind exit#9", "has no 9 returns", "there are 2"),
        ("Mill.grind line 1", "has no code on line 1", "its lines are"),
        ("Words$Inner.spoken entry", "has no method spoken", "name the class that has it, Words"),
        ("Words.unknown entry", "is abstract or native", "it has no code"),
    ],
)
def test_places_that_are_not_there(classes: Path, text: str, message: str, help: str) -> None:
    with pytest.raises(DriverError, match=message) as raised:
        located(classes, text)
    assert help in (raised.value.help or "")


def test_classes_in_jars(classes: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "mill.jar", "w") as jar:
        jar.write(classes / "Mill.class", "Mill.class")
    (spot,) = ClassPath([tmp_path / "mill.jar"]).locate(parse_place("Mill.grind entry", {}))
    assert spot.index == 0


def test_what_is_no_jar(tmp_path: Path) -> None:
    (tmp_path / "no.jar").write_text("nothing")
    with pytest.raises(DriverError, match="on the class path cannot be read"):
        ClassPath([tmp_path / "no.jar"]).find("Mill")
