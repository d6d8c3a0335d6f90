"""Class files and bytecode, beside what the JDK's own disassembler says of them."""

import re
import subprocess
from pathlib import Path

import pytest

from gristmill.replay.jvm.bytecode import calls, instructions, returns
from gristmill.replay.jvm.classfile import ClassFile, parse
from gristmill.replay.jvm.pool import BadClassFile

Disassembled = dict[str, list[list[tuple[int, str, str]]]]
PROGRAMS = ("Mill", "Shelves", "Words", "Words$Inner", "Mill$Link")


def read(classes: Path, name: str) -> ClassFile:
    return parse((classes / f"{name}.class").read_bytes())


@pytest.fixture(scope="module")
def disassembled(classes: Path) -> Disassembled:
    """Of each class, of each of its methods with code, the instructions: offset, mnemonic, comment."""
    files = [classes / f"{name}.class" for name in PROGRAMS]
    shown = subprocess.run(["javap", "-c", "-p", *files], check=True, capture_output=True, text=True).stdout
    found: Disassembled = {}
    for name, text in zip(PROGRAMS, shown.split("Compiled from ")[1:], strict=True):
        found[name] = []
        for line in text.splitlines():
            if line.strip() == "Code:":
                found[name].append([])
            instruction = re.match(r"\s+(\d+): ([a-z]\w*)(?:.*?// (.*))?", line)
            if instruction and found[name]:
                found[name][-1].append((int(instruction[1]), instruction[2], instruction[3] or ""))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_instructions_begin_where_the_disassembler_says(classes: Path, disassembled: Disassembled, name: str) -> None:
    bodies = [method.body for method in read(classes, name).methods if method.body is not None]
    expected = disassembled[name]
    assert len(bodies) == len(expected)
    for body, lines in zip(bodies, expected, strict=True):
        assert [index for index, _, _ in instructions(body.code)] == [offset for offset, _, _ in lines]


@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_and_returns_are_those_of_the_disassembler(classes: Path, disassembled: Disassembled, name: str) -> None:
    found = read(classes, name)
    bodies = [method.body for method in found.methods if method.body is not None]
    for body, lines in zip(bodies, disassembled[name], strict=True):
        assert returns(body.code) == [offset for offset, mnemonic, _ in lines if mnemonic.endswith("return")]
        told = [(offset, comment) for offset, mnemonic, comment in lines if mnemonic.startswith("invoke")]
        assert [(each.offset, each.name) for each in calls(body.code, found.pool)] == [
            (offset, _called(comment)) for offset, comment in told
        ]


def _called(comment: str) -> str:
    """`Method java/lang/String.length:()I`, `InvokeDynamic #0:speak:(…)…`"""
    if comment.startswith("InvokeDynamic"):
        return comment.split(":")[1]
    return comment.split(":")[0].rpartition(".")[2].split()[-1].strip('"')


def test_the_programs_have_instructions_of_every_length(disassembled: Disassembled) -> None:
    """Otherwise the comparison above says little."""
    used = {mnemonic for method in disassembled["Words"] for _, mnemonic, _ in method}
    assert used >= {"tableswitch", "lookupswitch", "multianewarray", "invokedynamic", "lstore_w", "iinc_w", "ldc2_w"}


def test_lines_variables_and_superclasses(classes: Path) -> None:
    mill = read(classes, "Mill")
    assert (mill.name, mill.superclass) == ("Mill", "java.lang.Object")
    assert read(classes, "Words$Inner").superclass == "Words"
    grind = next(method.body for method in mill.methods if method.header.name == "grind")
    assert grind is not None
    assert grind.variables is not None
    assert {each.name for each in grind.variables} == {"this", "grain", "weight", "length"}
    assert {each.name for each in grind.variables if each.lives_at(0)} == {"this", "grain", "weight"}
    source = (classes / "Mill.java").read_text(encoding="utf-8").splitlines()
    assert "int length = weigh(grain);" in source[grind.lines[0][1] - 1]


@pytest.mark.parametrize("length", [0, 3, 4, 9, 40, 700])
def test_what_is_no_class_file_is_refused(classes: Path, length: int) -> None:
    with pytest.raises(BadClassFile):
        parse((classes / "Mill.class").read_bytes()[:length])
    with pytest.raises(BadClassFile):
        parse(b"\0" * max(length, 4))
