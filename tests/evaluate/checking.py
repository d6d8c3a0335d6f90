"""Specifications from text, checked."""

from __future__ import annotations

from typing import Any

from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.ir.model import Model
from gristmill.search import Result
from gristmill.source import SourceFile


def model_of(program: str, config: str) -> Model:
    source = SourceFile("Test.tla", f"---- MODULE Test ----\n{program}\n====\n")
    return build(source, config=SourceFile("Test.cfg", config)).model


def run(program: str, config: str, **options: Any) -> Result:
    return check(model_of(program, config), Options(**options))
