"""Pages of documentation are run here as those of the book are. A depot: workers, a lock, and jobs."""

import sys
from pathlib import Path

import pytest
from suites import cases

sys.path.append(str(Path(__file__).parents[1] / "book"))

# As in the suite, with coarse grains for both modules. The coarse work takes a job and finishes it, and keeps no count.
WORK_COARSE = r"""---- MODULE WorkCoarse ----
CONSTANT Worker
VARIABLES owner, busy
Take(w) == owner = w /\ w \notin busy /\ busy' = busy \cup {w} /\ UNCHANGED owner
Finish(w) == w \in busy /\ busy' = busy \ {w} /\ UNCHANGED owner
====
"""


@pytest.fixture
def depot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    case = next(case for case in cases("builds") if "lock coarse" in case.title)
    case.write(tmp_path)
    (tmp_path / "WorkCoarse.tla").write_text(WORK_COARSE)
    manifest = tmp_path / "system.toml"
    coarse = 'grain.coarse = { file = "WorkCoarse.tla", actions = ["Take(w)", "Finish(w)"] }'
    text = manifest.read_text().replace('actions = ["Take", "Finish"]', f'actions = ["Take", "Finish"]\n{coarse}')
    manifest.write_text(text + '\n[mix.small]\nLock = "coarse"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path
