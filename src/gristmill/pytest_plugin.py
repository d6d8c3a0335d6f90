"""A pytest plugin: every `.cfg` beside its module is a test, which fails with the counterexample as its message.

It collects nothing unless asked to, by `pytest --gristmill` or by `gristmill = true` among the ini options. A
configuration may say in its first lines, in comments, which module it is for and what is to come of it:

    \\* Module: Raft.tla
    \\* Expected: invariant OneLeader
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gristmill.api import Result

DEFAULT_SECONDS = 300.0
_SAID = re.compile(r"^\s*\\\*\s*(Module|Expected):\s*(.+?)\s*$", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    about = "check every specification that has a configuration (.cfg) beside it"
    group = parser.getgroup("gristmill", "TLA+ specifications")
    group.addoption("--gristmill", action="store_true", help=about)
    parser.addini("gristmill", about, type="bool", default=False)
    limit = f"how many seconds one may take, by default {DEFAULT_SECONDS:.0f}; 0: any time"
    parser.addini("gristmill_seconds", limit, default="")
    parser.addini("gristmill_allow_read", "folders that specifications may read files in", type="paths", default=[])
    parser.addini("gristmill_allow_write", "folders that specifications may write files in", type="paths", default=[])
    parser.addini("gristmill_env", "environment variables that specifications may see", type="args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    wanted = parent.config.getoption("--gristmill") or parent.config.getini("gristmill")
    if not wanted or file_path.suffix != ".cfg":
        return None
    said = said_in(file_path)
    module = module_of(file_path, said)
    if module is None:
        how = "name the module in a comment: \\* Module: X.tla"
        warnings.warn(pytest.PytestCollectionWarning(f"{file_path} is checked by nobody; {how}"), stacklevel=1)
        return None
    collector: SpecificationFile = SpecificationFile.from_parent(parent, path=file_path)
    collector.module, collector.expected = module, said.get("Expected", "ok")
    return collector


def said_in(config: Path) -> dict[str, str]:
    """What comments of a configuration say of the test."""
    try:
        return dict(_SAID.findall(config.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        return {}


def module_of(config: Path, said: dict[str, str]) -> Path | None:
    """The module that a configuration names; or has the name of, perhaps with more behind it; or the only one there."""
    if "Module" in said:
        return config.with_name(said["Module"])
    modules = sorted(config.parent.glob("*.tla"))
    alike = [each for each in modules if config.stem.startswith(each.stem)]
    if alike:
        return max(alike, key=lambda each: len(each.stem))
    return modules[0] if len(modules) == 1 else None


class SpecificationFile(pytest.File):
    module: Path
    expected: str

    def collect(self) -> Iterator[pytest.Item]:
        item: SpecificationItem = SpecificationItem.from_parent(self, name="check")
        item.module, item.expected = self.module, self.expected
        yield item


class NotAsExpected(Exception):
    """A specification of which something else was expected; the result tells why."""

    def __init__(self, result: Result, reason: str) -> None:
        super().__init__(reason)
        self.result, self.reason = result, reason


class SpecificationItem(pytest.Item):
    module: Path
    expected: str

    def runtest(self) -> None:
        from gristmill.api import check  # not before there is something to check

        ini = self.config.getini
        seconds, limited_by = self._limit()
        result = check(
            self.module,
            config=self.path,
            seconds=seconds,
            allow_read=ini("gristmill_allow_read"),
            allow_write=ini("gristmill_allow_write"),
            env=ini("gristmill_env"),
        )
        reason = difference(result, self.expected)
        if reason is not None:
            late = result.verdict == "incomplete" and result.message.startswith("The time limit")
            raise NotAsExpected(result, f"{reason}\n{limited_by}" if late else reason)

    def _limit(self) -> tuple[float | None, str]:
        """Seconds, and a sentence on where they come from, for those who run out of them."""
        given = self.config.getini("gristmill_seconds")
        if not given:
            how = "gristmill_seconds among the ini options is another limit, 0 none"
            return DEFAULT_SECONDS, f"It may take {DEFAULT_SECONDS:.0f} seconds by default: {how}."
        seconds = float(given)
        return (seconds, f"gristmill_seconds gives it {seconds:g} seconds.") if seconds else (None, "")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotAsExpected):
            return f"{excinfo.value.reason}\n\n{excinfo.value.result}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"specification {self.path.stem}"


def difference(result: Result, expected: str) -> str | None:
    """In what a result is not as expected (`ok, 1,440 states`, `invariant Safe`, `deadlock`); None if it is."""
    from gristmill.examples.catalogue import read_expected

    wanted = read_expected(expected)
    same = result.verdict == wanted.verdict and wanted.property in (None, result.property)
    if same and wanted.states in (None, result.distinct):
        return None
    name = f" {result.property}" if result.property else ""
    states = f", {result.distinct:,} states" if wanted.states is not None else ""
    return f"expected: {expected}; found: {result.verdict}{name}{states}"
