"""A pytest plugin: every pair of `X.cfg` and `X.tla` is a test, which fails with the counterexample as its message.

It collects nothing unless asked to, by `pytest --gristmill` or by `gristmill = true` among the ini options.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gristmill.api import Result


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gristmill", "TLA+ specifications")
    group.addoption("--gristmill", action="store_true", help="check every X.tla that has an X.cfg beside it")
    parser.addini("gristmill", "check every X.tla that has an X.cfg beside it", type="bool", default=False)
    parser.addini("gristmill_seconds", "how long one specification may take", default="")
    parser.addini("gristmill_allow_read", "folders that specifications may read files in", type="paths", default=[])
    parser.addini("gristmill_allow_write", "folders that specifications may write files in", type="paths", default=[])
    parser.addini("gristmill_env", "environment variables that specifications may see", type="args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    wanted = parent.config.getoption("--gristmill") or parent.config.getini("gristmill")
    if not wanted or file_path.suffix != ".cfg" or not file_path.with_suffix(".tla").is_file():
        return None
    return SpecificationFile.from_parent(parent, path=file_path)


class SpecificationFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        yield SpecificationItem.from_parent(self, name="check")


class NotOk(Exception):
    """A specification that is not in order; the result tells why."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.message)
        self.result = result


class SpecificationItem(pytest.Item):
    def runtest(self) -> None:
        from gristmill.api import check  # not before there is something to check

        ini = self.config.getini
        seconds = ini("gristmill_seconds")
        result = check(
            self.path.with_suffix(".tla"),
            config=self.path,
            seconds=float(seconds) if seconds else None,
            allow_read=ini("gristmill_allow_read"),
            allow_write=ini("gristmill_allow_write"),
            env=ini("gristmill_env"),
        )
        if not result.ok:
            raise NotOk(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotOk):
            return str(excinfo.value.result)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"specification {self.path.stem}"
