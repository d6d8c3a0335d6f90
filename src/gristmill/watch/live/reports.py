"""What the processes that judge tell the one that watches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gristmill.values import Value
from gristmill.watch.events import NodeProgress
from gristmill.watch.judging import Alarm, Counts, Lost
from gristmill.watch.verdicts import NodeVerdict


@dataclass(frozen=True, slots=True)
class Read:
    """Of who decodes: all counts so far. `handed`: messages for each node."""

    names: Mapping[str, Value]
    trouble: Mapping[str, str]
    messages: int
    ignored: int
    handed: Mapping[Value, int]
    seconds: float  # of processor time
    done: bool = False  # nothing is left to be read


@dataclass(frozen=True, slots=True)
class Judged:
    """Of a node's monitor.

    - `news`: alarms, and where track was lost, since the last report.
    - `verdict`: what is known of the node so far, if there is news, and at the end.
    - `lag`: seconds between the last message and its judgement.
    """

    node: Value
    messages: int
    progress: NodeProgress
    counts: Counts
    news: tuple[Alarm | Lost, ...]
    verdict: NodeVerdict | None
    lag: float
    seconds: float  # of processor time
    trouble: Mapping[str, str]
    done: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """A process could not go on."""

    why: str
    help: str | None = None


Report: TypeAlias = Read | Judged | Failed
