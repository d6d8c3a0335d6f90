"""The comparisons with SANY as tests, for those who have the collections: see CONTRIBUTING.md."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TRUTH = os.environ.get("GRISTMILL_SANY_TRUTH", "")  # a file of recorded verdicts
COLLECTIONS = os.environ.get("GRISTMILL_COLLECTIONS", "")  # COLLECTION=DIR, separated by blanks
SYNTAX_CORPUS = os.environ.get("GRISTMILL_SYNTAX_CORPUS", "")  # a folder of .txt cases

pytestmark = pytest.mark.corpus


def succeeds(script: str, *arguments: str) -> None:
    ended = subprocess.run(
        [sys.executable, str(HERE / script), *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.skipif(not (TRUTH and COLLECTIONS), reason="GRISTMILL_SANY_TRUTH and GRISTMILL_COLLECTIONS are not set")
def test_verdicts_and_round_trips() -> None:
    roots = [argument for collection in COLLECTIONS.split() for argument in ("--root", collection)]
    succeeds("sany.py", "--truth", TRUTH, *roots, "--round-trip")


@pytest.mark.skipif(not SYNTAX_CORPUS, reason="GRISTMILL_SYNTAX_CORPUS is not set")
def test_syntax_corpus() -> None:
    succeeds("syntax_corpus.py", SYNTAX_CORPUS)
