"""Tests of native code need a C compiler."""

import pytest

from gristmill.cc import NoCompilerError, find_compiler


def pytest_runtest_setup(item: pytest.Item) -> None:
    try:
        find_compiler()
    except NoCompilerError as error:
        pytest.skip(str(error))
