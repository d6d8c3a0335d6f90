"""Whatever the text, there is a translation or a message, and never an exception."""

from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.pluscal import prepare, translate
from gristmill.source import SourceFile, read_source
from gristmill.syntax.lexer import lex
from gristmill.syntax.parser import parse_module

TEXTS = [read_source(path).text for path in sorted((Path(__file__).parent / "algorithms").glob("*.tla"))]
WORDS = """begin end if then else elsif while do with either or await when assert print skip goto call return macro
    procedure process fair variables define := || : ; , { } ( ) [ ] <<  >> + - = \\in self x 1 TRUE "s" /\\ \\/ (* *)
    \\* --algorithm""".split()


def pieces(text: str) -> list[str]:
    """The text cut behind every token, so that the pieces joined are the text."""
    tokens, _ = lex(SourceFile("m.tla", text.replace("(*", "  ").replace("*)", "  ")))
    cuts = [0, *tokens.ends[:-1], len(text)]
    return [text[a:b] for a, b in pairwise(cuts)]


PIECES = [pieces(text) for text in TEXTS]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    parts = list(draw(st.sampled_from(PIECES)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(parts) - 1))
        match draw(st.sampled_from(["remove", "insert", "repeat", "swap", "cut"])):
            case "remove":
                del parts[at]
            case "insert":
                parts.insert(at, " " + draw(st.sampled_from(WORDS)) + " ")
            case "repeat":
                parts.insert(at, parts[at])
            case "swap":
                other = draw(st.integers(0, len(parts) - 1))
                parts[at], parts[other] = parts[other], parts[at]
            case "cut":
                del parts[at : at + draw(st.integers(1, 30))]
        parts = parts or [""]
    return "".join(parts)


def check(text: str) -> None:
    file = SourceFile("m.tla", text)
    translation = translate(file)
    if translation.text is None:
        assert any(d.severity == "error" for d in translation.diagnostics)
    else:
        assert translation.module_text is not None
        module = SourceFile("m.tla", f"---- MODULE m ----\n{translation.module_text}\n====")
        assert parse_module(module).diagnostics == []
    prepare(file)


@settings(max_examples=300, deadline=None)
@given(mutated())
def test_mutated_algorithms(text: str) -> None:
    check(text)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_words_in_any_order(words: list[str]) -> None:
    check("---- MODULE m ----\n(* --algorithm a variables x = 0; " + " ".join(words) + " end algorithm *)\n====")


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    check("--algorithm a {" + text)
