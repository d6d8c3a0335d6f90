"""What SANY resolves names to, by its XML exporter."""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gristmill.source.file import decode_source
from gristmill.syntax.operators import SPELLING_TO_NAME

_DRIVER = """
import java.io.*;
import java.nio.file.*;
import java.util.*;
public class Driver {
  public static void main(String[] args) throws Exception {
    PrintStream out = System.out;
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      String[] words = line.split("\\t");
      try (PrintStream file = new PrintStream(new FileOutputStream(words[0]))) {
        System.setOut(file);
        util.ToolIO.out = file;
        tla2sany.xml.XMLExporter.run(Arrays.copyOfRange(words, 1, words.length));
      } catch (Throwable error) {
        System.err.println(words[0] + ": " + error);
      }
      System.setOut(out);
    }
    System.exit(0);
  }
}
"""


class Expected(NamedTuple):
    """A name in a file (lines and columns from 1) and what SANY takes it for."""

    path: Path
    line: int
    column: int
    name: str
    module: str  # whose file has the definition
    first: tuple[int, int] | None  # where it begins and ends; None where only name and module are known
    last: tuple[int, int] | None


def export(files: Sequence[Path], class_path: str, include: Sequence[Path], folder: Path) -> list[tuple[Path, Path]]:
    """SANY's XML of each file, in one virtual machine; those that exist already are not made again."""
    pairs = [(file, folder / f"{number:05}-{file.stem}.xml") for number, file in enumerate(files)]
    lines = []
    for file, xml in pairs:
        places = [word for each in (file.parent, *include) for word in ("-I", str(each))]
        if not xml.exists():
            lines.append("\t".join([str(xml), "-o", "-t", *places, str(file)]))
    (folder / "list").write_text("\n".join(lines) + "\n")
    (folder / "Driver.java").write_text(_DRIVER)
    if lines:
        command = ["java", "-Xss16m", "-cp", class_path, str(folder / "Driver.java"), str(folder / "list")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return pairs


def resolutions(file: Path, xml: Path, texts: dict[Path, list[str]]) -> Iterator[Expected]:
    """Every name that SANY has resolved in a file and those beside it."""
    try:
        root = ET.parse(xml).getroot()
    except ET.ParseError:
        return  # SANY has refused the module
    context = root.find("context")
    assert context is not None
    definitions = {entry[0].text: entry[1] for entry in context}
    for tag, inner in (("OpApplNode", "operator"), ("OpArgNode", "argument")):
        for node in root.iter(tag):
            reference = node.find(inner)
            location = node.find("location")
            if reference is None or not len(reference) or location is None:
                continue
            target = definitions.get(reference[0].findtext("UID"))
            if target is None or target.tag == "BuiltInKind":
                continue
            found = _expected(file, node, location, target, texts)
            if found is not None:
                yield found


def _expected(
    file: Path, node: ET.Element, location: ET.Element, target: ET.Element, texts: dict[Path, list[str]]
) -> Expected | None:
    path = file.parent / f"{location.findtext('filename')}.tla"
    name = (target.findtext("uniquename") or "").split("!")[-1]
    if not path.is_file() or not name or name == "LAMBDA":  # which is no name
        return None
    if path not in texts:
        texts[path] = decode_source(str(path), path.read_bytes()).text.split("\n")
    place = _place(texts[path], location, node, name)
    home = target.find("location")
    if place is None or home is None:
        return None
    seen_through = target.find("body/SubstInNode")
    if seen_through is not None:  # an instance: the definition itself is where its body stands
        body = seen_through
        while body.tag == "SubstInNode":
            inner = body.find("body")
            if inner is None or not len(inner):
                return None
            body = inner[0]
        home = body.find("location")
        if home is None:
            return None
        return Expected(path, *place, name, home.findtext("filename") or "", None, None)
    return Expected(path, *place, name, home.findtext("filename") or "", *_extent(home))


def _extent(location: ET.Element) -> tuple[tuple[int, int], tuple[int, int]]:
    line, column = location.find("line"), location.find("column")
    assert line is not None
    assert column is not None
    first = int(line.findtext("begin") or 0), int(column.findtext("begin") or 0)
    return first, (int(line.findtext("end") or 0), int(column.findtext("end") or 0))


def _place(lines: list[str], location: ET.Element, node: ET.Element, name: str) -> tuple[int, int] | None:
    """Where the name itself stands: at the beginning, behind instances, or between two operands."""
    (line, column), _ = _extent(location)
    text = lines[line - 1] if line <= len(lines) else ""
    if "\t" in text:
        return None  # SANY counts columns of tabs in its own way
    found = re.compile(rf"(?:\w+!)*(?={re.escape(name)}(?!\w))").match(text, column - 1)
    if found is not None and (name[0].isalnum() or name[0] == "_"):
        return line, found.end() + 1
    operands = node.find("operands")
    if operands is None or len(operands) != 2:
        return None
    left, right = (operand.find("location") for operand in operands)
    if left is None or right is None:
        return None
    (_, end), (start, stop) = _extent(left), _extent(right)
    if end[0] != start[0] != line and end[0] != start[0]:
        return None
    between = lines[end[0] - 1][end[1] : stop - 1 if end[0] == start else None]
    symbol = between.strip()
    if SPELLING_TO_NAME.get(symbol, symbol) != SPELLING_TO_NAME.get(name, name):
        return None
    return end[0], end[1] + between.index(symbol) + 1
