"""Configuration files, as TLC reads them."""

import os
from pathlib import Path

import pytest

from gristmill.modules.config import Config, find_embedded_config, parse_config, read_config
from gristmill.source import Diagnostic, SourceError, SourceFile
from gristmill.values import TRUE, ModelValue, World, current, show


@pytest.fixture(autouse=True)
def in_a_world(world: World) -> None:
    """Reading a configuration is the beginning of a run."""


def parse(text: str) -> tuple[Config, list[Diagnostic]]:
    return parse_config(SourceFile("Model.cfg", text))


def accepted(text: str) -> Config:
    config, diagnostics = parse(text)
    assert not diagnostics
    return config


def said(text: str) -> list[str]:
    return [f"{d.span.line}:{d.span.column} {d.id}" for d in parse(text)[1] if d.span]


def test_every_section() -> None:
    config = accepted(
        r"""
        \* a comment (* not opened here
        SPECIFICATION Spec
        INVARIANT TypeOK INVARIANTS Safe Safer
        PROPERTY Live (* a comment (* in a comment *) *) PROPERTIES Fair
        CONSTRAINT Small CONSTRAINTS Smaller
        ACTION_CONSTRAINT Step ACTION_CONSTRAINTS Leap
        SYMMETRY Perms VIEW view ALIAS Alias
        POSTCONDITION Post POSTCONDITIONS Posts
        _PERIODIC Tick _RL_REWARD Reward _POSSIBLE Reach
        CHECK_DEADLOCK FALSE
        """
    )
    lists = [config.named[name] for name in ("invariants", "properties", "constraints", "action_constraints")]
    assert [" ".join(map(str, names)) for names in lists] == [
        "TypeOK Safe Safer",
        "Live Fair",
        "Small Smaller",
        "Step Leap",
    ]
    more = [" ".join(map(str, config.named[name])) for name in ("postconditions", "possible")]
    assert more == ["Post Posts", "Reach"]
    single = [config.named[name][0] for name in "specification symmetry view alias periodic rl_reward".split()]
    assert list(map(str, single)) == ["Spec", "Perms", "view", "Alias", "Tick", "Reward"]
    assert not config.checks_deadlock
    assert accepted("INIT Init NEXT Next").checks_deadlock


def test_values_of_constants() -> None:
    config = accepted(
        """
        CONSTANTS
          N = 3  Low = -4  Hex = \\hFF
          Name = "some text"  On = TRUE
          a = a
          Empty = {}
          Mixed = {n2, n1, {1, 2}, "x"}
          f(1, n1) = 2
          M!Deep!Constant = 7
          Other = [Module] 5
        """
    )
    shown = [(c.name, show(c.value)) for c in config.assignments]
    assert shown[:6] == [
        ("N", "3"),
        ("Low", "-4"),
        ("Hex", "255"),
        ("Name", '"some text"'),
        ("On", "TRUE"),
        ("a", "a"),
    ]
    values = {c.name: c.value for c in config.assignments}
    assert values["On"] is TRUE
    assert values["a"] is ModelValue("a")
    assert values["Mixed"] == {ModelValue("n1"), ModelValue("n2"), frozenset((1, 2)), "x"}
    assert values["M!Deep!Constant"] == 7
    assert config.assignments[-3].arguments == (1, ModelValue("n1"))
    assert (config.assignments[-1].value, config.assignments[-1].module) == (5, "Module")


def test_names_appear_in_the_order_of_the_file() -> None:
    config = accepted('CONSTANT S = {b, a, "z"} T = {c, a}')
    assert config.names == ["b", "a", "z", "c", "a"]
    assert sorted(current().positions, key=current().register) == ["b", "a", "z", "c"]
    assert show(config.assignments[1].value) == "{a, c}"


def test_replacements() -> None:
    config = accepted("CONSTANTS Op <- Other\n + <- Plus  F <- [Mod] G  A!B <- C")
    assert [(r.name, r.definition, r.module) for r in config.replacements] == [
        ("Op", "Other", None),
        ("+", "Plus", None),
        ("F", "G", "Mod"),
        ("A!B", "C", None),
    ]
    assert config.replacements[2].span.text == "F <- [Mod] G"
    assert config.replacements[2].name_span.line == 2


def test_names_with_instances() -> None:
    assert [str(name) for name in accepted("PROPERTY Impl!Spec A ! B").named["properties"]] == ["Impl!Spec", "A!B"]


def test_the_later_of_two_values_holds() -> None:
    config, diagnostics = parse("CONSTANT N = 1\nCONSTANT N = 2  f(1) = 1 f(2) = 2")
    assert [d.severity for d in diagnostics] == ["warning"]
    assert diagnostics[0].id == "constant-twice"
    assert diagnostics[0].labels[0].span.line == 1
    assert {c.name: c.value for c in config.assignments}["N"] == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INIT A INIT B", ["1:8 section-twice"]),
        ("CHECK_DEADLOCK TRUE CHECK_DEADLOCK TRUE", ["1:21 section-twice"]),
        ("CHECK_DEADLOCK maybe", ["1:16 expected"]),
        ("SPECIFICATION", ["1:1 missing-name"]),
        ("INIT NEXT Next", ["1:1 missing-name"]),
        ("SPECIFICATION Spec\nINIT Init NEXT Next", ["2:6 specification-and-init"]),
        ("INVARIANTS A, B", ["1:13 expected-name"]),
        ("CONSTANT N 3", ["1:12 expected"]),
        ("CONSTANT N = ", ["1:14 expected"]),
        ("CONSTANT N =\nINIT Init", ["2:1 expected"]),
        ("CONSTANT S = {a, b\nT = {c}", ["2:1 expected"]),
        ("CONSTANT S = <<1, 2>> N = 3 M", ["1:14 expected", "1:30 expected"]),
        ("CONSTANT F <- 5", ["1:15 expected"]),
        ("CONSTANT F <- [M G", ["1:18 expected"]),
        ('CONSTANT "x" = 5', ["1:10 expected"]),
        ("CONSTANT N = `", ["1:14 unexpected-character", "1:14 expected"]),
        ("CONSTANT f(1 = 5", ["1:14 expected"]),
    ],
)
def test_what_is_wrong_is_said_where_it_is(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_an_error_does_not_hide_the_rest() -> None:
    config, diagnostics = parse("CONSTANTS\n A = <<1>>\n B = 2\n C <- \nINVARIANT Inv")
    assert [d.span.line for d in diagnostics if d.span] == [2, 5]
    assert [c.name for c in config.assignments] == ["B"]
    assert [str(name) for name in config.named["invariants"]] == ["Inv"]
    assert "name <- operator" in (diagnostics[0].help or "")


def test_misspelt_sections() -> None:
    _, (first, second, third) = parse("SPECIFICATON Spec\nINVARIANTS A PROPERTYS B\nINIT I\nTYPE T")
    assert (first.id, first.help) == ("unknown-section", "did you mean `SPECIFICATION`?")
    assert (second.id, second.severity) == ("looks-like-section", "warning")
    assert "PROPERTIES" in (second.help or "") or "PROPERTY" in (second.help or "")
    assert "any more" in (third.help or "")


def test_reading_a_file(tmp_path: Path) -> None:
    path = tmp_path / "M.cfg"
    path.write_text("INIT Init\nNEXT Next\n")
    assert str(read_config(str(path)).named["next"][0]) == "Next"
    path.write_text("INITIAL Init\n")
    with pytest.raises(SourceError, match="begins no section"):
        read_config(str(path))


def test_a_configuration_inside_a_module_file() -> None:
    text = "---- MODULE M ----\n====\n---- CONFIG M ----\nINIT Init\nNEXT Nxt\n====\n---- CONFIG N ----\n"
    file = SourceFile("M.tla", text)
    found = find_embedded_config(file, "M")
    assert found is not None
    config, diagnostics = parse_config(file, *found)
    assert not diagnostics
    assert (config.named["next"][0].text, config.named["next"][0].span.line) == ("Nxt", 5)
    assert find_embedded_config(file, "Other") is None


# COLLECTION=DIR, separated by blanks: see CONTRIBUTING.md.
COLLECTIONS = [Path(each.partition("=")[2]) for each in os.environ.get("GRISTMILL_COLLECTIONS", "").split()]


@pytest.mark.corpus
@pytest.mark.skipif(not COLLECTIONS, reason="GRISTMILL_COLLECTIONS is not set")
def test_configurations_of_the_public_collections() -> None:
    """All that TLC reads, and none of the four it does not: LaTeX's, and a template with % in it."""
    refused = set()
    for path in (path for folder in COLLECTIONS for path in folder.rglob("*.cfg")):
        try:
            read_config(str(path))
        except SourceError:
            refused.add(path.name)
    assert refused <= {"color.cfg", "graphics.cfg", "listings.cfg", "Github432.cfg"}
