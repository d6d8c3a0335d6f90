"""How long the language server needs for the diagnostics of one more character.

    python benchmarks/language_server.py MODULE.tla...

Each module is opened in a workspace, then a definition is typed at its end, character by character. The first column is
opening it with all modules it depends on; the others are processor time for each character, diagnostics included:
the median and the largest; then all names of the text with what they denote, as colours need them.
"""

import gc
import sys
import time
from pathlib import Path
from statistics import median

from gristmill.language.highlighting import semantic_tokens
from gristmill.language.workspace import Workspace

TYPED = "\nTyped == 1 + 2\n"


def milliseconds(action) -> float:
    begun = time.process_time()
    action()
    return (time.process_time() - begun) * 1000


def measure(path: Path) -> str:
    workspace, name = Workspace(), str(path)
    opened = milliseconds(lambda: workspace.analysis(name))
    text = workspace.analysis(name).text
    end = text.rfind("\n====")
    edits = []
    for length in range(1, len(TYPED) + 1):
        workspace.files.open(name, text[:end] + TYPED[:length] + text[end:])
        edits.append(milliseconds(lambda: workspace.analysis(name)))
    colours = milliseconds(lambda: semantic_tokens(workspace.analysis(name)))
    gc.collect()
    lines = text.count("\n") + 1
    return f"{path.name:<28}{lines:>7}{opened:>10.0f}{median(edits):>10.0f}{max(edits):>10.0f}{colours:>10.0f}"


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    gc.disable()  # as the server does, which collects when nobody waits
    print(f"{'module':<28}{'lines':>7}{'open':>10}{'edit':>10}{'largest':>10}{'colours':>10}   (ms)")
    for name in sys.argv[1:]:
        print(measure(Path(name).resolve()))


main()
