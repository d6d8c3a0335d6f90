"""Long values in a few columns: what is left out is counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.report.page.elide import elided, elided_action, split

RECORD = '[type |-> "Vote, [x", from |-> s1, votes |-> {s1, s2, s3}]'


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [
        ("<<1, 2, 3>>", 11, "<<1, 2, 3>>"),
        ("<<1, 2, 3, 4, 5, 6, 7, 8>>", 20, "<<1, 2, … 6 more>>"),
        ("{1, 2, 3, 4, 5, 6, 7, 8}", 20, "{1, 2, 3, … 5 more}"),
        (RECORD, 40, '[type |-> "Vote, [x", … 2 more]'),
        (RECORD, 50, '[type |-> "Vote, [x", from |-> s1, … 1 more]'),
        ("(s1 :> 1 @@ s2 :> 2 @@ s3 :> 3)", 25, "(s1 :> 1 @@ … 2 more)"),
        (f"[all |-> {RECORD}, rest |-> 1]", 55, '[all |-> [type |-> "Vote, [x", … 2 more], … 1 more]'),
        ("a sentence that is no value and far too long", 30, "a sentence tha… +30 characters"),
        ("((1) is no end)", 40, "((1) is no end)"),
    ],
)
def test_elements_are_kept_and_counted(text: str, width: int, short: str) -> None:
    assert elided(text, width) == short
    assert len(short) <= width


def test_brackets_in_strings_are_no_brackets() -> None:
    assert split('"a, <<b", {"}, "}, 3', ", ") == ['"a, <<b"', '{"}, "}', "3"]
    assert split('"an \\" escaped, quote", 3', ", ") == ['"an \\" escaped, quote"', "3"]


def test_what_does_not_match_is_not_split() -> None:
    assert split("<<1, 2", ", ") is None
    assert split("1), 2", ", ") is None


def test_actions_keep_their_short_arguments() -> None:
    assert elided_action(f"Receive(s2, {RECORD}, <<1, 2, 3, 4, 5>>)", 36) == "Receive(s2, […], <<…>>)"
    assert elided_action("Receive(s2)", 36) == "Receive(s2)"
    assert len(elided_action("ANameThatIsVeryLongIndeed(s1)", 20)) == 20


@given(st.text(alphabet='<>{}[]()", |-@:ab1\\', max_size=120), st.integers(30, 90))
def test_it_always_fits(text: str, width: int) -> None:
    assert len(elided(text, width)) <= width
    assert len(elided_action(text, width)) <= width
