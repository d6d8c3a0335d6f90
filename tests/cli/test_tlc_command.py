"""`gristmill tlc`: messages by the grammar of TLC's `-tool` mode, and exit codes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gristmill.cli.main import gristmill

MODULE = """---- MODULE Count ----
EXTENDS Naturals, TLC
CONSTANT Proc
VARIABLES n, who
vars == <<n, who>>
Init == n = 0 /\\ who = {}
Tick == n < 4 /\\ n' = n + 1 /\\ UNCHANGED who
Join(p) == p \\notin who /\\ who' = who \\cup {p} /\\ UNCHANGED n
Back == n = 4 /\\ n' = 1 /\\ UNCHANGED who
Next == Tick \\/ Back \\/ \\E q \\in Proc : Join(q)
NoBack == Tick \\/ \\E q \\in Proc : Join(q)
Spec == Init /\\ [][Next]_vars
Fair == Spec /\\ WF_vars(Next) /\\ WF_vars(Tick)
Small == n < 3
Never == n > 0
Broken == n < 2 \\/ who[1] = 1
Asserted == n < 2 \\/ Assert(FALSE, "too large")
Up == [][n' >= n]_n
Stays == <>[](n = 4)
Alone == \\A p \\in who : \\A q \\in who : p = q
Printed == PrintT(<<"n", n>>)
====
"""
START, END = re.compile(r"@!@!@STARTMSG (-?\d+):(\d) @!@!@"), re.compile(r"@!@!@ENDMSG (-?\d+) @!@!@")


@dataclass
class Message:
    code: int
    severity: int
    text: str


def messages(out: str) -> list[Message]:
    """Every message, by the grammar: a mark, lines, a mark of the same number; messages may stand in messages."""
    found: list[Message] = []
    open_: list[Message] = []
    for line in out.splitlines():
        if (start := START.search(line)) is not None:
            open_.append(Message(int(start[1]), int(start[2]), ""))
            found.append(open_[-1])
        elif (end := END.fullmatch(line)) is not None:
            assert open_.pop().code == int(end[1])
        elif open_:
            open_[-1].text += line + "\n"
    assert open_ == []
    return found


Call = Callable[..., Result]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Writes a configuration, and runs TLC's command line with it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Count.tla").write_text(MODULE)

    def run(config: str, *options: str) -> Result:
        text = config if "SPECIFICATION" in config or "INIT" in config else f"SPECIFICATION Spec\n{config}"
        (tmp_path / "Count.cfg").write_text(f"CONSTANT Proc = {{p, q}}\n{text}\n")
        return CliRunner().invoke(gristmill, ["tlc", *options, "Count"])

    return run


@pytest.mark.parametrize(
    ("config", "status", "codes"),
    [
        ("", 0, [2193]),
        ("INVARIANT Small", 12, [2110, 2121]),
        ("INVARIANT Never", 12, [2107]),
        ("INVARIANT Broken", 76, [2111, 2121]),
        ("INVARIANT Asserted", 76, [2111, 2121]),
        ("PROPERTY Up", 13, [2112, 2121]),
        ("SPECIFICATION Fair\nPROPERTY Stays", 13, [2116, 2264]),
        ("INIT Init\nNEXT NoBack", 11, [2114, 2121]),
        ("INVARIANT Smal", 151, [2229]),
        ("INVARIANTS == Small", 255, [1000, 5006]),
    ],
)
def test_codes_and_exit_status(call: Call, config: str, status: int, codes: list[int]) -> None:
    result = call(config, "-tool")
    assert result.exit_code == status, result.output
    told = [each.code for each in messages(result.stdout) if each.severity == 1 or each.code in (2193, 5006)]
    assert told == codes


def test_messages_come_in_tlcs_order(call: Call) -> None:
    found = messages(call("INVARIANT Small", "-tool", "-coverage", "1").stdout)
    numbers = [each.code for each in found]
    assert numbers[:7] == [2262, 2187, 2220, 2219, 2185, 2189, 2190]
    assert numbers[-3:] == [2199, 2194, 2186]
    assert [each.text.splitlines()[0] for each in found if each.code in (2772, 2773)] == [
        "<Init line 6, col 1 to line 6, col 4 of module Count>: 1:1",
        "<Tick line 7, col 1 to line 7, col 4 of module Count>: 3:5",
        "<Back line 9, col 1 to line 9, col 4 of module Count>: 0:0",
        "<Join line 8, col 1 to line 8, col 7 of module Count>: 5:6",
    ]


def test_states_are_printed_as_tlc_prints_them(call: Call) -> None:
    found = [each for each in messages(call("INVARIANT Alone", "-tool").stdout) if each.code == 2217]
    assert {each.severity for each in found} == {4}
    assert [each.text for each in found] == [
        "1: <Initial predicate>\n/\\ n = 0\n/\\ who = {}\n\n",
        "2: <Join(p) line 8, col 12 to line 8, col 61 of module Count>\n/\\ n = 0\n/\\ who = {p}\n\n",
        "3: <Join(q) line 8, col 12 to line 8, col 61 of module Count>\n/\\ n = 0\n/\\ who = {p, q}\n\n",
    ]


def test_only_what_changes(call: Call) -> None:
    out = call("INVARIANT Small", "-difftrace", "-noTE").stdout
    assert "State 2: <Tick line 7, col 9 to line 7, col 44 of module Count>\n/\\ n = 1\n\nState 3" in out


def test_a_lasso_tells_the_step_that_closes_it(call: Call) -> None:
    out = call("SPECIFICATION Fair\nPROPERTY Stays", "-noTE").stdout
    assert re.search(r"^Back to state 2: <Back line 9, col 9 to line 9, col 40 of module Count>$", out, re.MULTILINE)


def test_stuttering(call: Call) -> None:
    found = messages(call("SPECIFICATION Spec\nPROPERTY Stays", "-tool").stdout)
    assert [each.text for each in found if each.code == 2218] == ["2: Stuttering\n"]


def test_going_on_is_no_success(call: Call) -> None:
    """TLC says so here, and exits with 0."""
    result = call("INVARIANT Small", "-continue")
    assert result.exit_code == 12
    assert "No error has been found" not in result.stdout
    assert "20 distinct states found, 0 states left on queue" in result.stdout


def test_output_of_the_specification(call: Call, tmp_path: Path) -> None:
    assert '<<"n", 4>>' in call("INVARIANT Printed").stdout.splitlines()
    result = call("INVARIANT Printed", "-userFile", "printed.txt")
    assert '<<"n", 4>>' not in result.stdout
    assert '<<"n", 4>>' in (tmp_path / "printed.txt").read_text().splitlines()


def test_without_a_configuration(call: Call, tmp_path: Path) -> None:
    call("")
    (tmp_path / "Count.cfg").unlink()
    result = CliRunner().invoke(gristmill, ["tlc", "-tool", "Count"])
    assert result.exit_code == 255
    assert [each.code for each in messages(result.stdout)][2:4] == [1000, 5001]


def test_mistakes_in_a_module_have_their_places(call: Call, tmp_path: Path) -> None:
    call("")
    (tmp_path / "Count.tla").write_text(MODULE.replace("Small == n", "Small == m"))
    result = CliRunner().invoke(gristmill, ["tlc", "-tool", "Count"])
    assert result.exit_code == 150
    assert "*** Errors: 1\n\nline 14, col 10 to line 14, col 10 of module Count\n\n" in result.stdout


def test_simulation(call: Call) -> None:
    options = ("-simulate", "num=20", "-depth", "9", "-seed", "3", "-tool")
    assert call("", *options).exit_code == 0
    result = call("INVARIANT Small", *options)
    assert result.exit_code == 12
    (told,) = [each for each in messages(result.stdout) if each.code == 2210]
    skip = re.search(r"seed 3 and aril (\d+)", told.text)
    assert skip is not None
    again = call("INVARIANT Small", "-simulate", "num=1", "-depth", "9", "-seed", "3", "-aril", skip[1])
    assert again.exit_code == 12


def test_temporal_properties_can_be_left_out(call: Call) -> None:
    result = call("SPECIFICATION Fair\nPROPERTY Stays", "-lncheck", "off")
    assert result.exit_code == 0
    assert "temporal properties are not checked" in result.stderr


def test_a_warning_can_be_an_error(call: Call) -> None:
    assert call("INVARIANT Small\nPROPERTY Never", "-tool", "-messagesAsErrors", "2255").exit_code == 255
    result = call("INVARIANT Small", "-tool", "-suppressMessages", "2185,2189")
    assert not {2185, 2189} & {each.code for each in messages(result.stdout)}


def test_coverage_by_expression_stands_below_its_action(call: Call) -> None:
    found = messages(call("INVARIANT Alone", "-tool", "-coverage", "1", "-continue").stdout)
    told = [each for each in found if each.code in (2221, 2772, 2773, 2774)]
    at = next(number for number, each in enumerate(told) if each.text.startswith("<Tick "))
    assert [each.text.strip() for each in told[at + 1 : at + 4]] == [
        "line 7, col 9 to line 7, col 13 of module Count: 20",
        "line 7, col 18 to line 7, col 27 of module Count: 16",
        "line 7, col 32 to line 7, col 44 of module Count: 16",
    ]
    assert [each.code for each in told[-3:]] == [2774, 2221, 2221]
    assert told[-3].text.rstrip() == "<Alone line 20, col 1 to line 20, col 5 of module Count>"
    assert told[-2].text.startswith("  line 20, col 25 to line 20, col 44 of module Count: ")
    assert told[-1].text.startswith("  |line 20, col 40 to line 20, col 44 of module Count: ")


CONSTANT = """---- MODULE Constant ----
EXTENDS Naturals, TLC
CONSTANT C
Odd == <<1>>[2]
Searched == TLCGet("diameter")
ASSUME C > 0
====
"""


@pytest.mark.parametrize(("definition", "status", "code"), [("Odd", 10, 2105), ("Searched", 151, 2229)])
def test_a_definition_for_a_constant_that_cannot_be_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, definition: str, status: int, code: int
) -> None:
    """As for TLC, the assumption has failed that needs it, or the configuration asks for what only a search knows."""
    monkeypatch.chdir(tmp_path)
    Path("Constant.tla").write_text(CONSTANT)
    Path("Constant.cfg").write_text(f"CONSTANT C <- {definition}\n")
    result = CliRunner().invoke(gristmill, ["tlc", "-tool", "Constant"])
    assert result.exit_code == status, result.output
    assert code in [each.code for each in messages(result.stdout) if each.severity == 1]
