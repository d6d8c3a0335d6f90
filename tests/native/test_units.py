"""Generated C in several files: the same program, whatever stands where."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gristmill
from gristmill.native.run import compiled, units

EXAMPLE = Path(__file__).parents[2] / "examples" / "TwoPhase.tla"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("emitted")
    subprocess.run(
        [sys.executable, "-m", "gristmill.cli", "check", EXAMPLE, "--engine", "native", "--emit-c", folder], check=True
    )
    return (folder / "TwoPhase.c").read_text()


@pytest.fixture
def always_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "_LEAST", 1)


@pytest.mark.usefixtures("always_cut")
@pytest.mark.parametrize("count", [2, 3, 7])
def test_every_function_is_in_one_file(text: str, count: int) -> None:
    files = units.cut(text, count)
    assert len(files) == count
    heads = re.compile(r"^(?:static |__attribute__\(\(visibility\(\"hidden\"\)\)\) )[^\n;]*?(\w+)\([^\n;]*\) \{$", re.M)
    everywhere = [name for file in files.values() for name in heads.findall(file)]
    assert everywhere == heads.findall(text)
    assert sum(file.count("const gm_spec gm_generated") for file in files.values()) == 1
    owners = [name for name, file in files.items() if "\nconst V *K;" in file.replace(units._SHARED, "")]
    assert owners == ["generated0.c"]


@pytest.mark.usefixtures("always_cut")
def test_a_file_declares_what_it_mentions_and_nothing_else(text: str) -> None:
    for file in units.cut(text, 3).values():
        declared = re.findall(r"^(?:static|__attribute__)[^\n{]*?(\w+)\(gm_worker[^\n{]*\);$", file, re.MULTILINE)
        assert declared
        assert all(len(re.findall(rf"\b{name}\b", file)) > 1 for name in declared)


def test_what_is_short_or_unexpected_stays_as_it_is(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert units.cut("static const V *K;\n", 2) == {"generated.c": "static const V *K;\n"}
    monkeypatch.setattr(units, "_LEAST", 1)
    for other in (
        text.replace("static const V *K;", "static const V *k;"),
        text.replace("}\n\nstatic", "}\nint between;\nstatic", 1),
        text.replace("static const V *K;\n", "static const V *K;\nenum { THREE = 3 };\n"),
        "int f(void) { return 1; }\n",
    ):
        assert units.cut(other, 2) == {"generated.c": other}


@pytest.mark.usefixtures("always_cut")
@pytest.mark.parametrize("processors", [1, 2, 5])
@pytest.mark.parametrize("flags", [("-Og",), ("-O1", "-Wall", "-Wextra", "-Wno-unused", "-Werror")])
def test_the_search_is_the_same(processors: int, flags: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled.os, "cpu_count", lambda: processors)
    monkeypatch.setattr(compiled, "_SMALL", 0)
    monkeypatch.setattr(compiled, "SOON", flags)
    found = gristmill.check(EXAMPLE, engine="native")
    expected = gristmill.check(EXAMPLE, engine="python")
    assert found.engine == "native"
    assert (found.verdict, found.distinct, found.generated) == (expected.verdict, expected.distinct, expected.generated)


@pytest.mark.usefixtures("always_cut")
def test_predicates_of_temporal_properties_are_cut_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled.os, "cpu_count", lambda: 4)
    specification = r"""---- MODULE Turns ----
EXTENDS Naturals
VARIABLES at, done
Init == at = 0 /\ done = {}
Step(k) == at = k /\ at' = (at + 1) % 3 /\ done' = done \cup {k}
Next == \E k \in 0..2 : Step(k)
Spec == Init /\ [][Next]_<<at, done>> /\ \A k \in 0..2 : WF_<<at, done>>(Step(k))
All == <>[](done = 0..2)
Each == \A k \in 0..2 : []<>(at = k)
===="""
    config = "SPECIFICATION Spec\nPROPERTIES All Each"
    found = gristmill.check(specification, config=config, engine="native")
    assert found.engine == "native"
    assert found.verdict == "ok"
