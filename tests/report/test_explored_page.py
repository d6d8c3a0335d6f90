"""What `explore --html` writes: the run of a failure with its chart, of processes and of asyncio programs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gristmill.cli.explore import explore

COUNTING = """
from gristmill.explore import Message, Network, Process, System, invariant, on



class Add(Message):
    amount: int

class Adder(Process):
    def __init__(self, other):
        self.other, self.total = other, 0

    def start(self):
        if self.other:
            self.send(self.other, Add(1))
            self.send(self.other, Add(2))

    @on(Add)
    def add(self, message: Add, sender: str):
        self.total += message.amount

@invariant
def small(state):
    return state["b"].total < 3

system = System({"a": Adder("b"), "b": Adder("")}, [small], Network(LOSS))
"""

BANK = Path(__file__).parents[2] / "examples" / "explore" / "bank.py"


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def explored(tmp_path: Path, file: Path, *words: str) -> tuple[int, str]:
    page = tmp_path / "page.html"
    ended = CliRunner().invoke(explore, [str(file), "--html", str(page), *words], catch_exceptions=False)
    return ended.exit_code, page.read_text(encoding="utf-8")


@pytest.fixture
def counting(tmp_path: Path) -> Path:
    file = tmp_path / "counting.py"
    file.write_text(COUNTING.replace("LOSS", ""))
    return file


def test_a_failure_of_processes_is_stepped_through(tmp_path: Path, counting: Path) -> None:
    code, page = explored(tmp_path, counting)
    assert code == 12
    data = data_of(page)
    (run,) = data["runs"]
    texts = data["texts"]
    assert [texts[each["action"]].split()[0] for each in run["steps"]] == ["start", "deliver", "deliver"]
    last = run["steps"][-1]
    assert [[texts[each[0]], texts[each[3]], texts[each[4]]] for each in last["changes"]] in (
        [["b.total", "1", "3"]],
        [["b.total", "2", "3"]],
    )
    assert page.count('<g class="message">') == 2
    assert 'class="verdict bad"' in page


def test_no_error_says_what_was_explored(tmp_path: Path, counting: Path) -> None:
    counting.write_text(counting.read_text().replace("< 3", "< 4"))
    code, page = explored(tmp_path, counting)
    assert code == 0
    assert 'class="verdict good"' in page
    assert "states, " in page
    assert data_of(page)["runs"] == []


def test_nothing_checked_is_no_good_verdict(tmp_path: Path, counting: Path) -> None:
    counting.write_text(counting.read_text().replace("[small]", "[]"))
    code, page = explored(tmp_path, counting)
    assert code == 0
    assert 'class="verdict warning"' in page
    assert "nothing was checked" in page


def test_a_failure_of_an_asyncio_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "0")  # else the program would be started anew for it
    saved = tmp_path / "saved.json"
    code, page = explored(tmp_path, BANK, "--save", str(saved))
    assert code == 12
    assert "the balance is 10" in page
    assert "task alice" in data_of(page)["texts"]
    code, page = explored(tmp_path, BANK, "--replay", str(saved))
    assert code == 12
    assert "task alice" in data_of(page)["texts"]
