"""The command line of TLC: every option of it is accepted, with what follows it."""

import os

import pytest
from click.testing import CliRunner

from gristmill.cli.main import gristmill
from gristmill.cli.tlc.options import UsageError, every_option, read

# The options of tlc2.TLC, with a value for those that have one.
OPTIONS = """
-aril 3; -checkpoint 5; -cleanup; -config M.cfg; -continue; -coverage 1; -deadlock; -debug; -debugger; -depth 10;
-debugger nosuspend,port=4712; -dfid 7; -difftrace; -dump states; -dump dot,actionlabels,colorize,snapshot graph;
-dumpTrace json t.json; -dumpTrace tla t.tla; -dumpTrace tlc t.tlc; -dumpTrace tlcplain t; -dumpTrace tlcaction t;
-dumpTrace dot t.dot; -dumpTrace tlcTESpec t; -fp 3; -fpbits 1; -fpmem 0.5; -generate; -generate num=3;
-generateSpecTE; -generateSpecTE nomonolith; -gzip; -h; -help; -inv x>0; -invlevel 4; -lncheck final;
-loadTrace json t.json; -maxSetSize 100; -messagesAsErrors 2255; -metadir d; -modelcheck; -noGenerateSpecTE; -noTE;
-noGenerateSpecTEBin; -noTEBin; -nowarning; -postCondition M!Op; -recover d; -seed 5; -simulate;
-simulate file=f,num=3; -suppressMessages 2185,2186; -teSpecOutDir d; -terse; -tool; -userFile f; -view; -workers 2;
-workers auto
"""


@pytest.mark.parametrize("option", [each.strip() for each in OPTIONS.split(";")])
def test_every_option_is_accepted(option: str) -> None:
    words = option.split(" ")
    assert words[0] in every_option()
    before, after = read([*words, "M"]), read(["M.tla", *words])
    assert before == after
    assert before.spec == "M"


def test_no_option_is_left_out() -> None:
    tried = {each.strip().split(" ")[0] for each in OPTIONS.split(";")}
    assert {each for each in every_option() if not each.startswith("--")} == tried


def test_what_they_mean() -> None:
    asked = read("-simulate num=7,file=f -workers auto -dump dot,colorize g -dumpTrace JSON t -deadlock M".split())
    assert (asked.simulate, asked.behaviours, asked.trace_file) == (True, 7, "f")
    assert asked.workers == os.cpu_count()
    assert asked.dump == (("dot", "colorize"), "g.dot")
    assert asked.dump_traces == (("json", "t"),)
    assert not asked.deadlock


@pytest.mark.parametrize("option", ["-fp 3", "-fpmem 0.5", "-gzip", "-view", "-debugger", "-lncheck final"])
def test_what_has_no_effect_says_why(option: str) -> None:
    (note,) = read([*option.split(), "M"]).notes
    assert note.startswith(option.split()[0])
    assert "no effect: " in note


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-foo M", "unrecognized option: -foo"),
        ("-workers many M", "An integer for -workers required. But encountered many"),
        ("-workers 0 M", "at least one worker required."),
        ("M N", "more than one input files: M and N"),
        ("-deadlock", "Missing input TLA+ module."),
        ("M -config", "expect a value for -config option."),
        ("-dumpTrace xml f M", "Unknown format xml given to -dumpTrace."),
        ("-simulate file=f M", "You need to specify a 'num' argument"),
        ("-nowarning -suppressMessages 1 M", "-nowarning already suppresses"),
    ],
)
def test_mistakes(words: str, said: str) -> None:
    with pytest.raises(UsageError, match="^" + said.replace("+", r"\+")):
        read(words.split())


def test_a_wrong_command_line_ends_as_with_tlc() -> None:
    result = CliRunner().invoke(gristmill, ["tlc", "-foo", "M"])
    assert result.exit_code == 1
    assert "Error: Error: unrecognized option: -foo\nUsage: " in result.stdout


@pytest.mark.parametrize("option", ["-h", "-help", "--help"])
def test_help_names_every_option(option: str) -> None:
    out = CliRunner().invoke(gristmill, ["tlc", option]).stdout
    synonyms = ("-h", "-help", "-noTE", "-noTEBin", "-noGenerateSpecTEBin", "-modelcheck")
    assert [each for each in every_option() if each not in out and each not in synonyms] == []
