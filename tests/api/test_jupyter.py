"""`%%tla` in IPython's own shell."""

import pytest

pytest.importorskip("IPython")
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

MODULE = """---- MODULE Count ----
EXTENDS Naturals
CONSTANT N
VARIABLE n
Init == n = 0
Next == n < N /\\ n' = n + 1
Small == n < 3
====
"""
CONFIG = "---- CONFIG Count ----\nCONSTANT N = 5\nINIT Init\nNEXT Next\nINVARIANT Small\n====\n"


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "gristmill.jupyter")
    yield shell
    InteractiveShell.clear_instance()


def test_a_module_is_checked(shell) -> None:
    result = shell.run_cell_magic("tla", "", MODULE + CONFIG)
    assert (result.verdict, result.property) == ("invariant", "Small")
    assert shell.user_ns["_tla"] is result
    assert "Small" in result._repr_html_()
    assert "Count: Invariant Small is violated" in result._repr_html_()
    assert [state["n"] for state in result] == [0, 1, 2, 3]


def test_options_are_those_of_check(shell) -> None:
    result = shell.run_cell_magic("tla", '--constant "N = 2" --invariant Small --no-deadlock', MODULE)
    assert result.ok
    assert result.distinct == 3


def test_a_cell_shows_its_result(shell) -> None:
    with capture_output() as captured:
        outcome = shell.run_cell("%%tla\n" + MODULE + CONFIG)
    assert outcome.success
    assert outcome.result.verdict == "invariant"
    assert "Traceback" not in captured.stdout


def test_definitions_are_remembered(shell, capsys) -> None:
    shell.run_cell_magic("tla", "", "Double(x) == 2 * x\n")
    shell.run_cell_magic("tla", "", "Double(21)\n")
    assert capsys.readouterr().out == "42\n"


def test_a_file(shell, tmp_path) -> None:
    (tmp_path / "Count.tla").write_text(MODULE)
    result = shell.run_line_magic("tla", f"{tmp_path / 'Count.tla'} --constant 'N = 2' --no-deadlock")
    assert result.ok


def test_mistakes_are_told_without_a_traceback(shell) -> None:
    with capture_output() as captured:
        shell.run_cell("%%tla --no-such-option\n" + MODULE)
        shell.run_cell("%%tla\n1 +\n")
    assert "No such option" in captured.stderr + captured.stdout
    assert "expected an expression" in captured.stderr + captured.stdout
    assert "Traceback" not in captured.stderr + captured.stdout


def test_progress_is_shown_in_the_cell(shell, monkeypatch) -> None:
    monkeypatch.setattr("gristmill.jupyter._EVERY", 0.0)
    endless = MODULE.replace("n < N /\\ ", "")
    with capture_output() as captured:
        result = shell.run_cell_magic("tla", '--constant "N = 2" --seconds 0.5', endless)
    assert result.verdict == "incomplete"
    assert any("distinct" in str(output.data) or "states" in str(output.data) for output in captured.outputs)
