"""Where names are defined, and what refers to them: across modules, through instances, in algorithms."""

import pytest

from gristmill.language.navigation import definition, highlights, references
from gristmill.source import Span

BASE = "EXTENDS Naturals\nCONSTANT N\nVARIABLE x\nInit == x = 0\nAdd(a) == x' = x + a"
NESTED = "---- MODULE M ----\n---- MODULE In ----\nA == 1\n====\nI == INSTANCE In\nB == I!‸A\n===="


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"M": "VARIABLE x\nInit == ‸x = 0"}, "M.tla:2: x"),
        ({"M": "VARIABLE x\nInit == x‸ = 0"}, "M.tla:2: x"),
        ({"M": "F(y) == LET z == ‸y IN z"}, "M.tla:2: y"),
        ({"M": "F == \\A y \\in {1} : ‸y = 1"}, "M.tla:2: y"),
        ({"M": "RECURSIVE F(_)\nF(n) == IF n = 0 THEN 0 ELSE ‸F(n)"}, "M.tla:3: F"),
        ({"M": "EXTENDS Base\nNext == ‸Add(1)", "Base": BASE}, "Base.tla:6: Add"),
        ({"M": "VARIABLE x\nB == INSTANCE Base WITH N <- 1\nNext == B!‸Add(1)", "Base": BASE}, "Base.tla:6: Add"),
        ({"M": "VARIABLE x\nB == INSTANCE Base WITH N <- 1\nNext == ‸B!Add(1)", "Base": BASE}, "M.tla:3: B"),
        ({"M": "VARIABLE x\nB == INSTANCE Base WITH ‸N <- 1", "Base": BASE}, "Base.tla:3: N"),
        ({"M": "VARIABLE x\nB == INSTANCE ‸Base WITH N <- 1", "Base": BASE}, "Base.tla:1: Base"),
        ({"M": "EXTENDS ‸Base", "Base": BASE}, "Base.tla:1: Base"),
        ({"M": "VARIABLE x\nN == 1\nINSTANCE Base\nNext == ‸Add(1)", "Base": BASE}, "Base.tla:6: Add"),
        ({"M": "EXTENDS Naturals\nF == 1 ‸+ 1"}, "Naturals.tla:+"),
        (
            {"M": "---- MODULE M ----\n---- MODULE In ----\nA == 1\n====\nI == INSTANCE In\nB == I!‸A\n===="},
            "M.tla:3: A",
        ),
        ({"M": "F == lab:: 1\nG == F!‸lab"}, "M.tla:2: lab"),
        ({"M": "THEOREM T == TRUE\n<1>1. TRUE OBVIOUS\n<1>2. QED BY ‸<1>1"}, "M.tla:3: <1>1."),
        ({"M": "ASSUME ‸A == TRUE"}, "M.tla:2: A"),
    ],
)
def test_definitions(written, texts, expected) -> None:
    asked = written(**texts)
    found = definition(asked.workspace, asked.analysis, asked.offset)
    assert found is not None
    told = asked.place(found)
    assert (told.split(":")[0], told.split(": ")[1]) == (expected.split(":")[0], expected.split(":")[-1].strip())
    if expected.count(":") > 1:
        assert told == expected


@pytest.mark.parametrize("text", ["F == ‸TRUE", "F == \\E y : y ‸= 1", "F == 1 \\* ‸x", "F == [a |-> 1].‸a"])
def test_what_has_no_definition(written, text) -> None:
    asked = written(M=text)
    assert definition(asked.workspace, asked.analysis, asked.offset) is None


def test_references_across_modules(written) -> None:
    asked = written(
        M="EXTENDS Base\nNext == Add(1) \\/ Add(2)",
        I="VARIABLE x\nB == INSTANCE Base WITH N <- 1\nNext == B!Add(1)",
        Base=BASE.replace("Add(a)", "‸Add(a)"),
        Other="Add(a) == a\nF == Add(1)",
    )
    found = references(asked.workspace, asked.analysis, asked.offset)
    assert [asked.place(each) for each in found] == [
        "Base.tla:6: Add", "I.tla:4: Add", "M.tla:3: Add", "M.tla:3: Add",
    ]  # fmt: skip
    without = references(asked.workspace, asked.analysis, asked.offset, declaration=False)
    assert len(without) == 3


ALGORITHM = """EXTENDS Naturals
(* --algorithm A
variables count = 0;
define
  Small == count < 10
end define;
macro raise(by) begin count := count + by; end macro;
procedure Twice(n) begin
  Two: count := count + n; return;
end procedure;
process worker \\in {1, 2}
variables mine = 0;
begin
  Start: with y \\in {1, 2} do mine := y; end with;
         raise(mine);
  Go:    call Twice(mine);
  Again: if Small then goto Start; end if;
end process;
end algorithm; *)
Inv == count >= 0
"""


def marked(what: str, which: int = 0, text: str = ALGORITHM) -> str:
    """The algorithm with a mark at an occurrence of a text."""
    at = -1
    for _ in range(which + 1):
        at = text.index(what, at + 1)
    return text[:at] + "‸" + text[at:]


@pytest.mark.parametrize(
    ("what", "which", "expected"),
    [
        ("count < 10", 0, "M.tla:4: count"),
        ("count + by", 0, "M.tla:4: count"),
        ("by; end", 0, "M.tla:8: by"),
        ("count + n", 0, "M.tla:4: count"),
        ("n; return", 0, "M.tla:9: n"),
        ("y; end with", 0, "M.tla:15: y"),
        ("mine := y", 0, "M.tla:13: mine"),
        ("raise(mine)", 0, "M.tla:8: raise"),
        ("Twice(mine)", 0, "M.tla:9: Twice"),
        ("Start; end", 0, "M.tla:15: Start"),
        ("Small then", 0, "M.tla:6: Small"),
        ("count >= 0", 0, "M.tla:4: count"),
    ],
)
def test_definitions_in_algorithms(written, what, which, expected) -> None:
    asked = written(M=marked(what, which))
    found = definition(asked.workspace, asked.analysis, asked.offset)
    assert found is not None
    assert asked.place(found) == expected


def test_references_of_a_variable_of_an_algorithm(written) -> None:
    asked = written(M=marked("count = 0"))
    found = references(asked.workspace, asked.analysis, asked.offset)
    assert [asked.place(each).split(":")[1] for each in found] == ["4", "6", "8", "8", "10", "10", "21"]
    assert found == highlights(asked.workspace, asked.analysis, asked.offset)


def test_a_text_that_does_not_parse_is_looked_up_by_name(written) -> None:
    asked = written(M="VARIABLE x\nInit == x = 0\nNext == (‸Init /\\ x' =\nLast == x")
    found = definition(asked.workspace, asked.analysis, asked.offset)
    assert found is not None
    assert asked.place(found) == "M.tla:3: Init"


def test_what_was_defined_before_a_text_was_broken_is_still_found(written) -> None:
    asked = written(M="VARIABLE x\nInit == x = 0\nNext == Init")
    asked.workspace.files.open(str(asked.path), asked.analysis.text + " ")
    assert asked.analysis.is_whole
    broken = asked.analysis.text.replace("Init == x = 0", "Init == x = ")
    asked.workspace.files.open(str(asked.path), broken)
    offset = broken.rindex("Init")
    assert not asked.analysis.is_whole
    assert definition(asked.workspace, asked.analysis, offset) is not None


def test_names_of_symbols_have_spans(written) -> None:
    asked = written(M="VARIABLE x\nInit == ‸x = 0")
    for each in asked.analysis.occurrences:
        assert asked.analysis.text[each.start : each.end] == each.target.name
        assert isinstance(each.target.span, Span | None) if hasattr(each.target, "span") else True
