"""`gristmill eval` and `gristmill repl` as they are called."""

import io
import sys
from pathlib import Path

import pytest

from gristmill.cli.main import main


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str, given: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["gristmill", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


def test_eval(call) -> None:
    assert call("eval", "2 ^ 10") == (0, "1024\n", "")
    assert call("eval", "BagCardinality(SetToBag({1, 2}))", "--extends", "Bags") == (0, "2\n", "")


def test_eval_of_a_mistake(call) -> None:
    code, out, err = call("eval", "1 + ")
    assert (code, out) == (75, "")
    assert "expected an expression" in err


def test_eval_in_a_specification(call, tmp_path: Path) -> None:
    file = tmp_path / "M.tla"
    file.write_text("---- MODULE M ----\nEXTENDS Naturals\nCONSTANT N\nDouble == 2 * N\n====\n")
    assert call("eval", "Double", "--spec", str(file), "--constant", "N = 21") == (0, "42\n", "")
    code, _, err = call("eval", "Double", "--spec", str(file))
    assert code == 75
    assert "`N` has no value" in err
    assert call("eval", "1", "--spec", str(tmp_path / "None.tla"))[0] == 75


def test_repl_without_a_terminal(call) -> None:
    assert call("repl", given="x == 2\nx * x\n") == (0, "4\n", "")
    assert call("repl", "--echo", given="x == 2\nx\n") == (0, "tla> x == 2\ntla> x\n2\n", "")
    code, out, err = call("repl", given="nowhere\n1\n")
    assert (code, out) == (1, "1\n")
    assert "nowhere" in err
