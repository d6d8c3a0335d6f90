"""Every line of the chapter on data structures, entered one after the other, and each by itself.

What the book writes beside a line is the value expected. Its names are kept; where it defines `a` and then says `A`,
the line is entered as it is meant.
"""

from functools import cache

import pytest

from gristmill.repl.session import Session
from gristmill.source import SourceError
from gristmill.values import to_python

SETS = [
    ("a", "{0, 1, 2}", "{0, 1, 2}"),
    ("b", "{2, 3, 4}", "{2, 3, 4}"),
    ("c", "a \\union b", "{0, 1, 2, 3, 4}"),
    ("d", "a \\intersect b", "{2}"),
    ("e", "\\E x \\in c : x > 3", "TRUE"),
    ("f", "\\E x \\in c : x > 5", "FALSE"),
    ("g", "\\A x \\in c : x < 3", "FALSE"),
    ("h", "\\A x \\in c : x < 5", "TRUE"),
    ("i", "{x \\in c : x < 3}", "{0, 1, 2}"),
    ("j", "Cardinality(c)", "5"),
    ("k", "c \\ d", "{0, 1, 3, 4}"),
]
TUPLES = [
    ("a", "<<0, 1, 2>>", "<<0, 1, 2>>"),
    ("b", "<<2, 3, 4>>", "<<2, 3, 4>>"),
    ("c", "a \\o b", "<<0, 1, 2, 2, 3, 4>>"),
    ("c2", "Append(a, 3)", "<<0, 1, 2, 3>>"),
    ("c3", "Head(a)", "0"),
    ("c4", "Tail(a)", "<<1, 2>>"),
    ("d", "Len(c)", "6"),
    ("e", "\\A x \\in 1..Len(c) : c[x] # 10", "TRUE"),
    ("f", "\\E x \\in 1..Len(c) : c[x] = 2", "TRUE"),
    ("g", "{x \\in 1..Len(c) : c[x] = 2}", "{3, 4}"),
]
FUNCTIONS = [
    ("SetA", '{"a", "b", "c"}', '{"a", "b", "c"}'),
    ("SetB", '{"c", "d", "e"}', '{"c", "d", "e"}'),
    ("a", "[k \\in SetA |-> 0]", "[a |-> 0, b |-> 0, c |-> 0]"),
    ("b", "[k \\in SetB |-> 1]", "[c |-> 1, d |-> 1, e |-> 1]"),
    ("c", "a @@ b", "[a |-> 0, b |-> 0, c |-> 0, d |-> 1, e |-> 1]"),
    ("d", "[x \\in (DOMAIN c \\ DOMAIN b) |-> c[x]]", "[a |-> 0, b |-> 0]"),
    ("e", "[k \\in SetA |-> {}]", "[a |-> {}, b |-> {}, c |-> {}]"),
    ("f", '[e EXCEPT !["a"] = {"a", "b", "c"}]', '[a |-> {"a", "b", "c"}, b |-> {}, c |-> {}]'),
]
SECTIONS = [SETS, TUPLES, FUNCTIONS]
LINES = [(section, at) for section in SECTIONS for at in range(len(section))]


@cache
def literal(text: str) -> object:
    return to_python(Session().evaluate(text))


@pytest.mark.parametrize("section", SECTIONS, ids=["sets", "tuples", "functions"])
def test_one_after_the_other(section: list[tuple[str, str, str]]) -> None:
    session = Session()
    for name, text, value in section:
        assert session.enter(f"{name} == {text}") is None
        found = session.enter(name)
        assert found is not None
        assert to_python(found) == literal(value)


@pytest.mark.parametrize(("section", "at"), LINES, ids=[section[at][1] for section, at in LINES])
def test_by_itself(section: list[tuple[str, str, str]], at: int) -> None:
    """As `gristmill eval` has it: with what the line needs in a LET."""
    needed = "\n".join(f"{name} == {text}" for name, text, _ in section[:at])
    _, text, value = section[at]
    found = Session().evaluate(f"LET {needed}\nIN {text}" if needed else text)
    assert to_python(found) == literal(value)


def test_names_are_told_apart_by_case() -> None:
    """The listing defines `a` and then writes `A`."""
    session = Session()
    session.enter("a == <<0, 1, 2>>")
    with pytest.raises(SourceError, match="`A` is not declared or defined"):
        session.enter("Append(A, 3)")
