"""Printing and parsing are inverse, respelling changes nothing but spelling: on our specifications, on any tree."""

import random
from pathlib import Path

import pytest
from generate import Trees, expressions, modules
from hypothesis import given, settings
from round_trips import assert_printed_parses, assert_prints_and_parses, assert_respells, parse

from gristmill.source import SourceFile, read_source
from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree
from gristmill.syntax.parser import parse_expression
from gristmill.syntax.print_module import print_module
from gristmill.syntax.printer import print_expression
from gristmill.syntax.respell import respell

ROOT = Path(__file__).parents[2]
OWN = sorted(
    path
    for folder in ("src", "examples", "tests", "docs")
    for path in (ROOT / folder).rglob("*.tla")
    if not {"rejected", "broken"} & set(path.parts)
)


@pytest.mark.parametrize("path", OWN, ids=lambda path: str(path.relative_to(ROOT)))
def test_our_own_specifications(path: Path) -> None:
    file = read_source(path)
    assert_prints_and_parses(file)
    assert_respells(file)


def test_we_have_specifications() -> None:
    assert len(OWN) > 50


@settings(max_examples=50)
@given(modules())
def test_generated_modules_print_and_parse(module: tree.Module) -> None:
    assert_printed_parses(module)


@settings(max_examples=50)
@given(expressions())
def test_generated_expressions_print_and_parse(expression: tree.Expression) -> None:
    for unicode in (False, True):
        text = print_expression(expression, unicode=unicode)
        again = parse_expression(SourceFile("printed", text))
        assert with_deep_stack(lambda again=again: again == expression), text


@settings(max_examples=25)
@given(modules())
def test_generated_modules_respell(module: tree.Module) -> None:
    assert_respells(SourceFile("generated", print_module(module)))
    assert_respells(SourceFile("generated", print_module(module, unicode=True)))


def test_many_trees() -> None:
    """Without hypothesis, which is slow at drawing, and so many more."""

    def check() -> None:
        for seed in range(800):
            chance = random.Random(seed)
            module = Trees(chance.randrange, fuel=chance.choice([5, 10, 20, 50, 100])).module()
            assert_printed_parses(module)

    with_deep_stack(check)


def test_large_trees() -> None:
    def check() -> None:
        for seed in range(4):
            module = Trees(random.Random(seed).randrange, fuel=1000).module()
            assert_printed_parses(module)

    with_deep_stack(check)


def test_respelling_keeps_everything_else() -> None:
    before = "\n".join(
        [
            "Text before \\in it stays.",
            "---- MODULE M ----   \\* \\in a comment",
            "EXTENDS Naturals  (* \\A \\E *)  ",
            "",
            "a ==   /\\ x \\in S   \\* aligned",
            "       /\\ \\/ y <= 1",
            '          \\/ y = "\\\\in a string"',
            "       /\\ z",
            "====",
            "Text after \\in it stays, too.",
            "",
        ]
    )
    after = "\n".join(
        [
            "Text before \\in it stays.",
            "---- MODULE M ----   \\* \\in a comment",
            "EXTENDS Naturals  (* \\A \\E *)  ",
            "",
            "a ≜   ∧ x ∈ S   \\* aligned",
            "      ∧ ∨ y ≤ 1",
            '        ∨ y = "\\\\in a string"',
            "      ∧ z",
            "====",
            "Text after \\in it stays, too.",
            "",
        ]
    )
    module, parsed = parse(SourceFile("M.tla", before))
    assert respell(module, parsed.tokens, unicode=True) == after
    module, parsed = parse(SourceFile("M.tla", after))
    assert respell(module, parsed.tokens, unicode=False) == before


def test_respelling_keeps_line_ends() -> None:
    text = "---- MODULE M ----\r\na == /\\ x\r\n     /\\ y\r\n====\r\n"
    module, parsed = parse(SourceFile("M.tla", text))
    assert respell(module, parsed.tokens, True) == "---- MODULE M ----\r\na ≜ ∧ x\r\n    ∧ y\r\n====\r\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x == F(×)", "x == F( \\X)"),  # not (\X)
        ("x == IF∀y:z THEN 1 ELSE 2", "x == IF\\A y:z THEN 1 ELSE 2"),
        ("x == a∈ℕ", "x == a\\in Nat"),
        ("x == IF ℕ=ℤ THENℕ ELSE 1", "x == IF Nat=Int THEN Nat ELSE 1"),
        ("x == S×{1}", "x == S\\X{1}"),
        ("x == a∈b", "x == a\\in b"),
    ],
)
def test_respelled_symbols_do_not_run_together(before: str, after: str) -> None:
    module, parsed = parse(SourceFile("M.tla", f"---- MODULE M ----\n{before}\n====\n"))
    text = respell(module, parsed.tokens, unicode=False)
    assert text.splitlines()[1] == after
    assert parse(SourceFile("M.tla", text))[0] == module
