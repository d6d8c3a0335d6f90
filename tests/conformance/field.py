"""Every configuration in a folder of checkouts, with `gristmill check` and with TLC, side by side.

    python tests/conformance/field.py --repos DIR --tlc CLASSPATH [--limit 20] [--most 20] [--only TEXT]
                                      [--report field.json] [--markdown field.md]

DIR holds one folder for each repository. A configuration belongs to the module of its name beside it, or to the module
whose name its own begins or ends with (`Model_small.cfg`, `MCModel.cfg`). Both checkers get it with one worker and
`--limit` seconds. What `--report` names is written after each model, and what stands there is not run again, so that a
run can be stopped and continued. Exit status: 1 if something differs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from tlc import REFUSED, Answer, by_tlc, compared, ended

_SECTIONS = re.compile(r"^\s*(SPECIFICATION|INIT|NEXT|CONSTANTS?|INVARIANTS?|PROPERTY|PROPERTIES)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Subject:
    repository: str
    module: Path
    config: Path

    @property
    def name(self) -> str:
        return f"{self.repository}: {self.module} [{self.config.name}]"


# ----------------------------------------------------------------------------------------------------- what is checked


def subjects(folder: Path, most: int | None) -> Iterator[Subject]:
    """The configurations of each repository; at most so many, evenly chosen."""
    for repository in sorted(each for each in folder.iterdir() if each.is_dir()):
        found = [each for each in map(paired, sorted(repository.rglob("*.cfg"))) if each is not None]
        step = max(1.0, len(found) / most) if most else 1.0
        for at in range(len(found)):
            if int((at + 1) / step) > int(at / step):
                module, config = found[at]
                yield Subject(repository.name, module.relative_to(repository), config)


def paired(config: Path) -> tuple[Path, Path] | None:
    """A configuration of TLC with its module."""
    if not _SECTIONS.search(config.read_text(encoding="utf-8", errors="replace")):
        return None
    modules = {each.stem: each for each in config.parent.glob("*.tla")}
    names = [name for name in modules if config.stem.startswith(name) or config.stem.endswith(name)]
    return (modules[max(names, key=len)], config) if names else None


# --------------------------------------------------------------------------------------------------------- two checkers


def by_gristmill(folder: Path, subject: Subject, limit: float) -> Answer:
    command = [sys.executable, "-m", "gristmill.cli", "check", str(folder / subject.repository / subject.module)]
    command += ["--config", str(subject.config), "--format", "json", "--seconds", str(limit), "--memory", "2G"]
    code, out, err, seconds = ended(command, subject.config.parent, 2 * limit + 10)
    if code is None:
        return Answer("hang", seconds=seconds, note=f"no end in {seconds:.0f} s, with --seconds {limit:g}")
    return ours(code, out, err, seconds)


def ours(code: int, out: str, err: str, seconds: float) -> Answer:
    try:
        found = json.loads(out)
    except ValueError:
        return Answer("crash", seconds=seconds, note=f"exit status {code}: {err.strip()[-300:]}")
    verdict = "refused" if found["exit_code"] in REFUSED else found["verdict"]
    verdict = "timeout" if verdict == "incomplete" and "limit" in found["message"] else verdict
    numbers = (found["distinct"], found["generated"], found["depth"])
    return Answer(verdict, found["property"], *numbers, seconds, found["message"])


# ----------------------------------------------------------------------------------------------------------- comparison


def row(folder: Path, subject: Subject, limit: float, class_path: str) -> dict[str, object]:
    tlc = by_tlc(folder / subject.repository / subject.module, subject.config, limit, class_path)
    own = by_gristmill(folder, subject, limit)
    return {"model": subject.name, "outcome": compared(tlc, own), "tlc": asdict(tlc), "gristmill": asdict(own)}


def markdown(rows: Sequence[dict[str, object]]) -> str:
    """A table of all models."""

    def cell(answer: dict[str, object]) -> str:
        told = [str(answer["verdict"]), str(answer["property"] or "")]
        if answer["verdict"] == "ok":
            told.append(f"{answer['distinct']:,} / {answer['generated']:,} / {answer['depth']}")
        return " ".join(filter(None, told)) + f", {answer['seconds']:.1f} s"

    lines = ["| model | outcome | TLC | gristmill |", "|---|---|---|---|"]
    for each in rows:
        both = (cell(each[side]) for side in ("tlc", "gristmill"))  # type: ignore[arg-type]
        lines.append(f"| {each['model']} | {each['outcome']} | {' | '.join(both)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, help="a folder with a folder for each repository")
    parser.add_argument("--tlc", required=True, metavar="CLASSPATH", help="tla2tools.jar, and what specifications need")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for one model, for each checker")
    parser.add_argument("--most", type=int, help="configurations of one repository")
    parser.add_argument("--only", default="", help="models with this text in their name")
    parser.add_argument("--again", metavar="OUTCOME", help="run what has this outcome in the report once more")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", type=Path, help="a JSON file; what stands there is not run again")
    parser.add_argument("--markdown", type=Path, help="a table")
    asked = parser.parse_args()
    folder = asked.repos.resolve()
    rows = json.loads(asked.report.read_text()) if asked.report and asked.report.exists() else []
    rows = [each for each in rows if each["outcome"] != asked.again]
    done = {each["model"] for each in rows}
    chosen = [each for each in subjects(folder, asked.most) if asked.only in each.name and each.name not in done]
    with ThreadPoolExecutor(asked.jobs) as pool:
        for found in pool.map(lambda each: row(folder, each, asked.limit, asked.tlc), chosen):
            rows.append(found)
            print(f"{found['outcome']:24} {found['model']}", flush=True)
            if asked.report:
                asked.report.write_text(json.dumps(rows, indent=1))
    if asked.markdown:
        asked.markdown.write_text(markdown(rows))
    tally = Counter(each["outcome"] for each in rows)
    print(f"{len(rows)} models of {len({each['model'].split(':')[0] for each in rows})} repositories")
    print("\n".join(f"{count:5} {outcome}" for outcome, count in tally.most_common()))
    sys.exit(any(tally[outcome] for outcome in ("FALSE OK", "verdict", "counts", "property", "crash", "hang")))


if __name__ == "__main__":
    main()
