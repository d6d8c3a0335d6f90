"""Whole translations of our own algorithms, in both syntaxes.

`GRISTMILL_UPDATE_GOLDEN=1 pytest tests/pluscal/test_pluscal_golden.py` writes the expected files anew; read the
difference.
"""

import os
from pathlib import Path

import pytest

from gristmill.pluscal import translate
from gristmill.source import SourceFile, read_source
from gristmill.syntax.parser import parse_expression, parse_module

HERE = Path(__file__).parent
ALGORITHMS = sorted((HERE / "algorithms").glob("*.tla"))

# What pcal.trans 1.12 writes for these files.
PCAL_CHECKSUMS = {
    "Gate": "7c28162a",  # of the word "fair", as for every --fair algorithm
    "Kettle": "d48a7fb3",
    "Lamps": "f6aca4d6",
    "Library": "746c4f06",
    "Sum": "9d9e5b06",
}


@pytest.mark.parametrize("path", ALGORITHMS, ids=lambda path: path.stem)
def test_translation(path: Path) -> None:
    translation = translate(read_source(path))
    assert {d.id for d in translation.diagnostics} <= {"pluscal-renamed"}
    golden = HERE / "golden" / f"{path.stem}.txt"
    if os.environ.get("GRISTMILL_UPDATE_GOLDEN"):
        golden.write_text(translation.module_text or "", encoding="utf-8")
    assert translation.module_text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ALGORITHMS, ids=lambda path: path.stem)
def test_the_result_is_a_module_and_translates_to_itself(path: Path) -> None:
    file = read_source(path)
    text = translate(file).text
    assert text is not None
    again = type(file)(file.path, text)
    assert parse_module(again).diagnostics == []
    assert translate(again).text == text


@pytest.mark.parametrize(("name", "checksum"), PCAL_CHECKSUMS.items())
def test_checksum_is_that_of_pcal(name: str, checksum: str) -> None:
    text = translate(read_source(HERE / "algorithms" / f"{name}.tla")).text
    assert text is not None
    assert f'chksum(pcal) = "{checksum}"' in text


def test_lists_by_column_keep_their_columns() -> None:
    """The set of a process turns up in ProcSet, Init, Next and Spec, each time in another column."""
    identity = "{i \\in 1 .. 9 :\n  /\\ i > 3\n  /\\ \\/ i = 4\n     \\/ i = 5}"
    text = f"""---- MODULE m ----
    (* --algorithm m variables x = 0;
       fair process p \\in
{identity} variable y = 0; begin l: y := x; end process;
    end algorithm *)
    ===="""
    module = SourceFile("m.tla", f"---- MODULE m ----\n{translate(SourceFile('m.tla', text)).module_text}====")
    parsed = parse_module(module)
    assert parsed.diagnostics == []
    expected = parse_expression(SourceFile("e", identity))
    assert repr(parsed.module).count(repr(expected)) == 4
