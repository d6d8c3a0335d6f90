"""Texts as they are while somebody types: cut off, with characters missing or doubled. Every question has an answer."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from gristmill.language.completion import completions
from gristmill.language.describe import describe
from gristmill.language.folding import folds
from gristmill.language.formatting import formatted
from gristmill.language.highlighting import semantic_tokens
from gristmill.language.navigation import definition, highlights, references, target_at
from gristmill.language.outline import flat, symbols
from gristmill.language.rename import NotRenamed, renameable
from gristmill.language.workspace import Workspace
from gristmill.source import SourceError

EXAMPLES = Path(__file__).parents[2] / "examples"
ALGORITHM = """---- MODULE Broken ----
EXTENDS Naturals, Sequences
CONSTANT N
(* --algorithm A
variables count = 0, queue = << >>;
define Small == count < 10 end define;
macro raise(by) begin count := count + by; end macro;
procedure Twice(n) begin Two: count := count + n; return; end procedure;
process worker \\in 1..N variables mine = 0;
begin
  Start: with y \\in {1, 2} do mine := y; end with; raise(mine);
  Go: call Twice(mine);
  Again: if Small then goto Start; else queue := Append(queue, [a |-> 1]); end if;
end process;
end algorithm; *)
Inv == \\A q \\in 1..Len(queue) : queue[q].a = 1
THEOREM Inv
<1>1. TRUE OBVIOUS
<1>2. QED BY <1>1 DEF Inv
====
"""
TEXTS = [ALGORITHM, *((EXAMPLES / name).read_text(encoding="utf-8") for name in ("TwoPhase.tla", "Clock.tla"))]


def ask_everything(workspace: Workspace, path: str, chance: random.Random) -> None:
    analysis = workspace.analysis(path)
    length = len(analysis.text)
    for entry, _ in flat(symbols(analysis, workspace.last_whole(path))):
        assert 0 <= entry.start <= entry.end <= length
    assert all(fold.first < fold.last for fold in folds(analysis))
    behind = 0
    for token in semantic_tokens(analysis):
        assert behind <= token.start < token.end <= length
        behind = token.end
    for offset in [chance.randrange(length + 1) for _ in range(6)]:
        found = target_at(workspace, analysis, offset)
        if found is not None:
            assert describe(workspace, found.target).facts
        definition(workspace, analysis, offset)
        references(workspace, analysis, offset)
        highlights(workspace, analysis, offset)
        assert all(each.text for each in completions(workspace, analysis, offset))
        with suppress(NotRenamed):
            renameable(workspace, analysis, offset)
    with suppress(SourceError):
        formatted(workspace, analysis, "unicode")


@pytest.mark.parametrize("which", range(len(TEXTS)))
def test_whatever_is_typed(which: int, tmp_path: Path) -> None:
    chance, text = random.Random(which), TEXTS[which]
    workspace, path = Workspace([str(tmp_path)]), str(tmp_path / "Broken.tla")
    workspace.files.open(path, text)
    ask_everything(workspace, path, chance)
    for _ in range(60):
        at = chance.randrange(len(text))
        changed = chance.choice(
            [text[:at], text[:at] + text[at + 1 :], text[:at] + text[at] * 2 + text[at:], text[at:], text[:at] + "(*"]
        )
        workspace.files.open(path, changed)
        ask_everything(workspace, path, chance)
