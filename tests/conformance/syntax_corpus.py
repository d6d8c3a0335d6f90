"""Compare what our parser accepts with SANY's syntax corpus, the `.txt` cases beside its tests.

    python tests/conformance/syntax_corpus.py FOLDER

A case is a title between two lines of `====|||`, with `:error` behind it if the text must be rejected, then the text,
a line of `----|||`, and a tree, which we do not look at.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from gristmill.source import SourceFile
from gristmill.syntax.parser import parse_module


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    agreed = total = 0
    for file in sorted(Path(sys.argv[1]).rglob("*.txt")):
        for title, text, rejected in cases(file.read_text(encoding="utf-8")):
            total += 1
            parsed = parse_module(SourceFile(title, text))
            if bool(parsed.diagnostics) == rejected:
                agreed += 1
            else:
                why = parsed.diagnostics[0] if parsed.diagnostics else "accepted"
                print(f"{file.name}: {title}: expected {'an error' if rejected else 'no error'}: {why}")
    print(f"{agreed} of {total} agree ({100 * agreed / max(total, 1):.1f} %)")
    sys.exit(0 if total and agreed >= 0.99 * total else 1)


def cases(text: str) -> Iterator[tuple[str, str, bool]]:
    parts = re.split(r"^=+\|\|\|\n(.*?)\n=+\|\|\|\n", text, flags=re.MULTILINE | re.DOTALL)
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        title, *attributes = heading.strip().splitlines()
        source = re.split(r"^-+\|\|\|$", body, maxsplit=1, flags=re.MULTILINE)[0]
        yield title, source, ":error" in attributes


if __name__ == "__main__":
    main()
