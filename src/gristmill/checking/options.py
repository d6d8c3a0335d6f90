"""How to check a model: what a person may choose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from gristmill.ir.passes.observers import Observer
from gristmill.library.permissions import NOTHING_ALLOWED, Permissions
from gristmill.search import NO_LIMITS, Limits, OnProgress
from gristmill.source.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    limits: Limits = NO_LIMITS
    keep_going: bool = False
    keep_graph: bool = False
    on_progress: OnProgress | None = None
    output: Callable[[str], None] = print
    permissions: Permissions = NOTHING_ALLOWED  # files, variables, programs
    seed: int | None = None
    expression_coverage: bool = False  # makes everything slower
    engine: Literal["auto", "python", "native"] = "auto"
    workers: int = 1  # of the native engine
    emit_c: Path | None = None  # a folder for the C that is generated
    observers: tuple[Observer, ...] = ()  # are shown the model after each pass for native code
    checkpoint: Path | None = None  # a folder for periodic checkpoints of the native engine's search
    checkpoint_seconds: float = 600.0
    resume: bool = False  # go on from what is saved there
    profile: bool = False  # say what everything cost
    fingerprint: bool = False  # the native engine keeps a hash of each state in place of it
    keep_labels: bool = False  # of a graph kept for whole behaviours: steps by different actions are different
    each_obligation: bool = False  # tell the first step of each action that fails its obligation, and go on
    cluster: str | None = None  # where actors explore the states: `local:4`, or the address of a cluster
