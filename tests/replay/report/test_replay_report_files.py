"""Reports that the command line writes."""

import subprocess
import sys
from pathlib import Path

import pytest
from test_replay_page import Page, data_of

HERE = Path(__file__).parent
LEASE = HERE.parents[2] / "examples" / "replay" / "lease.map.toml"


def replay(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    main = "from gristmill.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", main, "replay", *map(str, arguments)], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("option", ["--html", "--record"])
def test_a_file_that_cannot_be_written_is_told_before_anything_is_run(tmp_path: Path, option: str) -> None:
    for path, why in [(tmp_path, "it is a folder"), (tmp_path / "none" / "file", "there is no folder")]:
        done = replay(HERE / "raft.map.toml", "--random", "1s", option, path)
        assert done.returncode == 2
        assert why in done.stderr
        assert done.stdout == ""


@pytest.mark.skipif(not LEASE.exists(), reason="needs the driver of Python programs and its example")
def test_a_real_run_has_its_page(tmp_path: Path) -> None:
    """A server that forgets which lease it is given back: the page shows both sides where that was found out."""
    path = tmp_path / "lease.html"
    how = ("--random", "60s", "--num", "12", "--seed", "1", "--shrink", "20s", "--set", "system=forgetful")
    done = replay(LEASE, *how, "--html", path)
    assert (done.returncode, "1 discrepancy" in done.stdout.rstrip().split("\n\n")[-1]) == (13, True)
    page = Page(path.read_text(encoding="utf-8"))
    data = data_of(page)
    run, texts = data["runs"][0], data["texts"]
    last = run["steps"][run["discrepancy"]["step"]]
    differing = {texts[run["pairs"][pair][0]] for pair, _, _, equal, *_ in last["values"] if not equal}
    assert "holder" in differing
    assert texts[last["action"]].startswith("ReceiveRelease(")
    assert {"message", "call"} <= {own.get("class") for tag, own in page.elements if tag == "g"}
