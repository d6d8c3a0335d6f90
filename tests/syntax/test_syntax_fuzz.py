"""Damaged specifications end in a module or in diagnostics, never in an exception, and never take long.

Programs of the suites and our own specifications are cut, doubled, swapped and sprinkled with foreign tokens.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from case_files import cases
from generate import Trees
from hypothesis import given, settings
from hypothesis import strategies as st
from round_trips import assert_printed_parses, assert_respells

from gristmill.modules import load_specification
from gristmill.source import SourceFile, read_source
from gristmill.source.diagnostic import MAX_DIAGNOSTICS
from gristmill.source.render import render_json, render_text
from gristmill.source.stack import with_deep_stack
from gristmill.syntax.lexer import lex
from gristmill.syntax.parser import parse_module
from gristmill.syntax.print_module import print_module
from gristmill.syntax.token import KEYWORDS, SYMBOL_KINDS

LIBRARY = Path(__file__).parents[2] / "src" / "gristmill" / "modules" / "standard"
SEEDS = [case.file.text for case in cases()]
SPECIFICATIONS = [text for path in sorted(LIBRARY.glob("*.tla")) if len(text := read_source(path).text) < 6_000]
TOKENS = [
    *KEYWORDS,
    *SYMBOL_KINDS,
    *("x", "1", "3.5", "\\b1", '"s"', "<1>", "<1>2.", "<*>", "WF_x", "\t", "\n", "\n  ", "(*", "*)", "\\*", '"'),
    *("====", "---- MODULE M ----", "----", "\x00", "\ufeff", "é", "\u2028", "\r", "ℕ", "x ==", "\U0001f600"),
]

Choose = Callable[[int], int]


def damage(text: str, choose: Choose) -> str:
    """One random change."""
    at = choose(len(text) + 1)
    end = min(len(text), at + 1 + choose(40))
    kind = choose(7)
    if kind == 0:
        return text[:at] + text[end:]
    if kind == 1:
        return text[:at] + text[at:end] * 2 + text[end:]
    if kind == 2:
        return text[:at] + f" {TOKENS[choose(len(TOKENS))]} " + text[at:]
    if kind == 3:
        return text[:at] + TOKENS[choose(len(TOKENS))] + text[end:]
    if kind == 4:
        other = SEEDS[choose(len(SEEDS))]
        start = choose(len(other))
        return text[:at] + other[start : start + 60] + text[at:]
    if kind == 5:
        return text[:at]
    return swap_tokens(text, choose)


def swap_tokens(text: str, choose: Choose) -> str:
    tokens, _ = lex(SourceFile("x", text))
    if len(tokens) < 3:
        return text
    one, two = sorted([choose(len(tokens) - 1), choose(len(tokens) - 1)])
    if one == two:
        return text
    before, between = text[: tokens.starts[one]], text[tokens.ends[one] : tokens.starts[two]]
    return before + tokens.text(two) + between + tokens.text(one) + text[tokens.ends[two] :]


def check_parses(text: str) -> None:
    file = SourceFile("Fuzz.tla", text)
    begin = time.process_time()
    parsed = parse_module(file)
    assert time.process_time() - begin < 5
    assert parsed.module is not None or parsed.diagnostics
    assert len(parsed.diagnostics) <= MAX_DIAGNOSTICS
    for diagnostic in parsed.diagnostics:
        span = diagnostic.span
        assert span is not None
        assert 0 <= span.start <= span.end <= len(text)
    render_text(parsed.diagnostics, color=True)
    render_json(parsed.diagnostics)
    if parsed.module is not None and not parsed.diagnostics:
        assert_printed_parses(parsed.module)
        assert_respells(file)


def check_loads(text: str) -> None:
    loaded = load_specification(SourceFile("<fuzz>", text))
    assert loaded.ok or any(d.severity == "error" for d in loaded.diagnostics)
    render_text(loaded.diagnostics)


@settings(max_examples=60)
@given(st.data())
def test_damaged_programs_parse_or_are_diagnosed(data: st.DataObject) -> None:
    def choose(n: int) -> int:
        return data.draw(st.integers(0, n - 1)) if n else 0

    text = SEEDS[choose(len(SEEDS))]
    for _ in range(1 + choose(4)):
        text = damage(text, choose)
    check_parses(text)


@settings(max_examples=60)
@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    check_parses(text)
    check_parses(f"---- MODULE Fuzz ----\n{text}\n====\n")


@settings(max_examples=60)
@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_any_tokens(tokens: list[str]) -> None:
    check_parses("---- MODULE Fuzz ----\nx == " + " ".join(tokens) + "\n====\n")


def many(seeds: range, check: Callable[[random.Random], None]) -> None:
    """Like hypothesis with a fixed seed, but so fast that there can be many."""

    def run() -> None:
        for seed in seeds:
            try:
                check(random.Random(seed))
            except Exception as error:
                raise AssertionError(f"seed {seed}: {error!r}") from error

    with_deep_stack(run)


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice([1, 1, 2, 3, 8])):
        text = damage(text, lambda n: chance.randrange(n) if n else 0)
    return text


def test_many_damaged_programs() -> None:
    many(range(1500), lambda chance: check_parses(damaged(chance.choice(SEEDS), chance)))


def test_many_damaged_specifications() -> None:
    many(range(1000, 1100), lambda chance: check_parses(damaged(chance.choice(SPECIFICATIONS), chance)))


def test_damaged_specifications_load_or_are_diagnosed() -> None:
    many(range(2000, 2150), lambda chance: check_loads(damaged(chance.choice(SPECIFICATIONS), chance)))


def test_damaged_trees_load_or_are_diagnosed() -> None:
    def check(chance: random.Random) -> None:
        module = Trees(chance.randrange, fuel=40).module()
        check_loads(damaged(print_module(module), chance))

    many(range(3000, 3200), check)


@pytest.mark.parametrize("text", SEEDS[::6])
def test_every_beginning(text: str) -> None:
    def check() -> None:
        for end in range(0, len(text), 3):
            parse_module(SourceFile("x", text[:end]))

    with_deep_stack(check)
