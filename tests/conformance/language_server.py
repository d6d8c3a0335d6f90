"""The language server on every module of a folder, beside `gristmill parse` and beside SANY.

    python tests/conformance/language_server.py diagnostics DIR
    python tests/conformance/language_server.py definitions DIR --sany CLASSPATH [--include DIR] [--sample 10000]

`diagnostics`: a scripted client opens every module; what the server publishes must be what `gristmill parse` says.
`definitions`: of a sample of all names in these modules, "go to definition" must lead to what SANY resolves them to, as
its XML exporter tells. Exit status: 1 if something differs.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "lsp"))

from sany_names import Expected, export, resolutions
from scripted_client import Client

from gristmill.modules.loader import LIBRARY
from gristmill.source.file import decode_source
from gristmill.syntax.operators import SPELLING_TO_NAME

# ---------------------------------------------------------------------------------------------------------- diagnostics

Said = tuple[str, int, int, str, str, str]  # file, line, column, severity, id, message

_SEVERITIES = {1: "error", 2: "warning", 3: "note"}


def parsed(files: Sequence[Path]) -> dict[Path, list[Said]]:
    """What `gristmill parse` says of each file."""
    command = [sys.executable, "-m", "gristmill", "parse", "--format", "json", *map(str, files)]
    out = subprocess.run(command, capture_output=True, check=False).stdout
    return {Path(each["file"]): sorted(_of_parse(each["file"], each["diagnostics"])) for each in json.loads(out)}


def _of_parse(root: str, diagnostics: Iterable[dict[str, Any]]) -> Iterator[Said]:
    for each in diagnostics:
        place = (each["file"] or root, each.get("line") or 1, each.get("column") or 1)
        help = f"\n{each['help']}" if each["help"] else ""
        yield *place, each["severity"], each["id"], each["message"] + help


def served(client: Client, file: Path) -> list[Said]:
    """What the server publishes when a file is opened, about it and the files it depends on."""
    client.published.clear()
    client.open(file, decode_source(str(file), file.read_bytes()).text.encode("utf-8", "replace").decode())
    client.request("textDocument/documentSymbol", textDocument={"uri": file.as_uri()})
    found = []
    for uri, diagnostics in client.published.items():
        path = next((each for each in [file, *file.parent.glob("*.tla")] if each.as_uri() == uri), Path(uri))
        for each in diagnostics:
            start = each["range"]["start"]
            place = (str(path), start["line"] + 1, start["character"] + 1)
            found.append((*place, _SEVERITIES[each["severity"]], each["code"], each["message"]))
    client.close(file)
    return sorted(found)


def compare_diagnostics(files: Sequence[Path]) -> Iterator[tuple[Path, list[Said], list[Said]]]:
    """The files of which the two say different things. Raises what the server fails with."""
    expected = parsed(files)
    with Client() as client:
        for file in files:
            told = served(client, file)
            if told != expected[file]:
                yield file, expected[file], told
            use_everything(client, file)
        if client.shown:
            raise AssertionError(f"the server has complained: {client.shown}")


def use_everything(client: Client, file: Path) -> None:
    """All requests about a whole document. One that fails raises an exception."""
    text = decode_source(str(file), file.read_bytes()).text.encode("utf-8", "replace").decode()
    client.open(file, text)
    for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens"):
        client.about(method, file)
    lines = text.split("\n")
    client.at("completion", file, len(lines) // 2, 0)
    client.at("hover", file, len(lines) // 2, 3)
    client.close(file)


# ---------------------------------------------------------------------------------------------------------- definitions


def judged(client: Client, each: Expected, texts: dict[Path, list[str]]) -> str:
    """`same`, or what is different."""
    answer = client.at("definition", each.path, each.line - 1, each.column - 1)
    if answer is None:
        return "nothing"
    start = answer["range"]["start"]
    line, column = start["line"] + 1, start["character"] + 1
    path = Path(answer["uri"].removeprefix("file://"))
    module = path.stem
    if path not in texts:
        texts[path] = decode_source(str(path), path.read_bytes()).text.split("\n")
    named = texts[path][line - 1][column - 1 : answer["range"]["end"]["character"]]
    if SPELLING_TO_NAME.get(named, named) != SPELLING_TO_NAME.get(each.name, each.name):
        return f"another name: {named} at {path.name}:{line}:{column}"
    home = each.path.parent / f"{each.module}.tla"
    if each.first is not None and home.is_file() and stands_for_another(home, each, texts, module):
        return "same"
    if module != each.module:
        inside = not home.is_file() and re.search(rf"MODULE +{each.module}\b", "\n".join(texts[path]))
        return "same" if inside else f"another module: {module}, and not {each.module}"
    if path.parent == LIBRARY or not home.is_file() or each.first is None or each.last is None:
        return "same"
    if each.first <= (line, column) <= each.last:
        return "same"
    if said_at(home, each, texts) == "CHOOSE" and line == each.last[0] and column == each.last[1] + 2:
        return "same"  # SANY has the word in place of a name that is bound without a set
    return f"another place: {path.name}:{line}:{column}"


def said_at(path: Path, each: Expected, texts: dict[Path, list[str]]) -> str:
    """The text at which SANY says a definition is, as far as its first line goes."""
    if path not in texts:
        texts[path] = decode_source(str(path), path.read_bytes()).text.split("\n")
    assert each.first is not None
    assert each.last is not None
    line = texts[path][each.first[0] - 1]
    return line[each.first[1] - 1 : each.last[1] if each.first[0] == each.last[0] else None]


def stands_for_another(path: Path, each: Expected, texts: dict[Path, list[str]], module: str) -> bool:
    """SANY says of what an INSTANCE without substitutions brings that it is defined there: the module counts."""
    said = re.search(r"\bINSTANCE\s+(\w+)", said_at(path, each, texts))
    return said is not None and said[1] == module


def compare_definitions(
    files: Sequence[Path], class_path: str, include: Sequence[Path], sample: int, folder: Path
) -> tuple[Counter[str], list[str]]:
    """How many names of the sample are the same, and what differs."""
    texts: dict[Path, list[str]] = {}
    found: set[Expected] = set()
    for file, xml in export(files, class_path, include, folder):
        found.update(resolutions(file, xml, texts))
    names = sorted(found, key=lambda each: each[:4])
    print(f"{len(names):,} names that SANY resolves, in {len({each.path for each in names})} files", flush=True)
    chosen = sorted(random.Random(0).sample(names, min(sample, len(names))), key=lambda each: each[:4])
    counts: Counter[str] = Counter()
    different = []
    with Client() as client:
        opened: Path | None = None
        for each in chosen:
            if opened != each.path:
                if opened is not None:
                    client.close(opened)
                opened = each.path
                client.open(opened, "\n".join(texts[opened]).encode("utf-8", "replace").decode())
            told = judged(client, each, texts)
            counts["same" if told == "same" else "different"] += 1
            if told != "same":
                different.append(f"{each.path}:{each.line}:{each.column}: {each.name}: {told}; SANY: {each[4:]}")
    return counts, different


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["diagnostics", "definitions"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sany", metavar="CLASSPATH", help="tla2tools.jar")
    parser.add_argument("--include", type=Path, action="append", default=[], help="modules that SANY does not have")
    parser.add_argument("--sample", type=int, default=10_000)
    parser.add_argument("--keep", type=Path, help="a folder for what SANY exports")
    parser.add_argument("--part", default="0/1", help="1/4: the second quarter of the files")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    files = sorted(options.folder.resolve().rglob("*.tla"))[part::parts]
    if options.what == "diagnostics":
        differences = 0
        for file, expected, told in compare_diagnostics(files):
            differences += 1
            print(f"{file}\n  parse:  {expected}\n  server: {told}")
        print(f"{len(files)} modules, {differences} with other diagnostics")
        sys.exit(1 if differences else 0)
    if options.sany is None:
        parser.error("definitions needs --sany CLASSPATH")
    with tempfile.TemporaryDirectory() as temporary:
        kept = options.keep or Path(temporary)
        kept.mkdir(exist_ok=True)
        counts, different = compare_definitions(files, options.sany, options.include, options.sample, kept)
    print("\n".join(different))
    print(dict(counts))
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
