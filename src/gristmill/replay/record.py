"""A run as a file: the trace, what the system did, and everything that it takes to do it again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gristmill.replay.result import Run
from gristmill.replay.steps import ModelStep, to_trace
from gristmill.source import Diagnostic, SourceError
from gristmill.specification import Specification
from gristmill.trace import Trace
from gristmill.trace.itf import itf_document, read_itf

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for: the mapping, and what goes over it."""

    mapping: str
    specification: str | None = None
    mix: str | None = None
    constants: Mapping[str, str] | None = None
    values: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Record:
    request: Request
    trace: Trace
    run: Mapping[str, Any]


def run_document(run: Run) -> dict[str, Any]:
    found = asdict(run)
    found["conforms"] = run.conforms
    return found


def record_document(
    request: Request, specification: Specification, trace: Sequence[ModelStep], run: Run
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "kind": "gristmill replay",
        "request": asdict(request),
        "trace": itf_document(to_trace(specification, trace), source=specification.name, result="replayed"),
        "run": run_document(run),
    }


def write_record(
    path: Path, request: Request, specification: Specification, trace: Sequence[ModelStep], run: Run
) -> None:
    document = record_document(request, specification, trace, run)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_record(path: Path) -> Record:
    """Raises `SourceError`."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        request = _request(**document["request"])
        trace = read_itf(document["trace"])
        run = document["run"]
        _done(run)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _unreadable(path, f"it is no record of a replay ({error})") from None
    return Record(request, trace, run)


def _request(
    mapping: str,
    specification: str | None = None,
    mix: str | None = None,
    constants: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
) -> Request:
    for text in (mapping, specification or "", mix or "", *(constants or {}).values(), *(values or {}).values()):
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is no text")
    return Request(mapping, specification, mix, constants, values)


def _unreadable(path: Path, why: str) -> SourceError:
    help = "--record FILE writes one"
    return SourceError(Diagnostic("no-record", f"{path} cannot be read: {why}", help=help))


def same_run(recorded: Mapping[str, Any], run: Run) -> list[str]:
    """In what a run differs from the recorded one, in sentences: nothing but times may."""
    old, new = _done(recorded), _done(json.loads(json.dumps(run_document(run))))
    found = []
    for number, (before, now) in enumerate(zip(old.steps, new.steps, strict=False)):
        where = f"step {number}" if number else "the initial state"
        if before.action != now.action:
            found.append(f"{where} was {before.action}, now it is {now.action}")
        for name in dict.fromkeys([*before.real, *now.real]):
            was, is_ = before.real.get(name, "not observed"), now.real.get(name, "not observed")
            if was != is_:
                found.append(f"{where}: {name} was {was}, now it is {is_}")
    if len(old.steps) != len(new.steps):
        found.append(f"there were {len(old.steps) - 1} steps, now there are {len(new.steps) - 1}")
    if old.end != new.end:
        found.append(f"it ended with: {_told(old.end)}; now with: {_told(new.end)}")
    return found


@dataclass(frozen=True, slots=True)
class _Step:
    action: str
    real: Mapping[str, str]  # what was observed, by variable and node


@dataclass(frozen=True, slots=True)
class _Done:
    """What is the same each time: the initial state, the steps, and how it ended."""

    steps: tuple[_Step, ...]
    end: tuple[Any, ...] | None


def _done(run: Mapping[str, Any]) -> _Done:
    """Raises KeyError, TypeError and the like if it is no run."""
    steps = [_Step(each["action"], _observed(each["comparisons"])) for each in run["steps"]]
    return _Done((_Step("", _observed(run["initial"])), *steps), _signature(run["discrepancy"]))


def _observed(comparisons: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {
        each["variable"] if each["node"] is None else f"{each['variable']} of {each['node']}": str(each["real"])
        for each in comparisons
    }


def _signature(discrepancy: Mapping[str, Any] | None) -> tuple[Any, ...] | None:
    if discrepancy is None:
        return None
    return tuple(discrepancy[key] for key in ("kind", "step", "action", "variable", "node"))


def _told(end: tuple[Any, ...] | None) -> str:
    return "no discrepancy" if end is None else f"{end[0]} at step {end[1]}"
