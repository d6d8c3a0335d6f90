"""Random traces on several systems side by side: a process each, with a system, a seed and ports of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from gristmill.controlled.errors import describe_error
from gristmill.replay.conformance import new_outcome
from gristmill.replay.conformance import replay_random as replay_one
from gristmill.replay.coordinator import Coordinator
from gristmill.replay.driver import DriverError
from gristmill.replay.drivers import driver_of
from gristmill.replay.mapping import Mapping, read_mapping
from gristmill.replay.outcome import Outcome, Replayed
from gristmill.replay.record import Request
from gristmill.replay.result import Run
from gristmill.replay.steps import of_trace, to_trace
from gristmill.source import SourceError
from gristmill.systems.running.undisturbed import undisturbed
from gristmill.trace import Trace
from gristmill.trace.itf import itf_document, read_itf

_END_SECONDS = 30.0  # for a worker to clean up


@dataclass(slots=True)
class Sent:
    """What a worker tells of one trace. The trace as ITF, as values belong to the worker's own world."""

    run: Run
    trace: dict[str, Any]
    smallest: tuple[dict[str, Any], Run] | None
    tries: int
    actions: list[str] = field(default_factory=list)


def replay_random(
    request: Request,
    mapping: Mapping,
    outcome: Outcome,
    workers: int,
    seed: int,
    how: dict[str, Any],
    on_run: Callable[[Replayed], None] | None,
) -> None:
    """Raises `DriverError` if a worker could not drive its system, `SourceError` if its mapping is wrong."""
    context = multiprocessing.get_context("spawn")
    resource_tracker.ensure_running()  # who starts it later lets Ctrl-C through again, before the first worker starts
    heard: list[Connection] = []
    processes: list[Any] = []
    try:
        with undisturbed(), _deaf_to_ctrl_c():
            for number in range(workers):
                ear, mouth = context.Pipe(duplex=False)
                processes.append(context.Process(target=_work, args=(mouth, request, seed + number, how)))
                processes[-1].start()
                mouth.close()  # so that a worker that ends, however it does, ends its pipe
                heard.append(ear)
        _collect(heard, mapping, outcome, how, on_run)
    finally:
        with undisturbed():
            _end(processes)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """It reaches the whole group, but it is the first process that ends the others: what starts here does not hear."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(processes: Sequence[Any]) -> None:
    started = [process for process in processes if process.pid is not None]
    for process in started:
        if process.is_alive():
            process.terminate()
    for process in started:
        process.join(_END_SECONDS)
        if process.is_alive():  # its reaper ends what it has started
            process.kill()
            process.join()


def _collect(
    heard: Sequence[Connection],
    mapping: Mapping,
    outcome: Outcome,
    how: dict[str, Any],
    on_run: Callable[[Replayed], None] | None,
) -> None:
    """What workers tell, until each has said its last word."""
    working = list(heard)
    while working:
        for ear in wait(working):
            assert isinstance(ear, Connection)
            told = _heard(ear)
            if isinstance(told, Counter):  # the last word of a worker
                outcome.avoided.update(told)
                working.remove(ear)
                continue
            replayed = _received(mapping, told)
            outcome.add(replayed)
            outcome.actions.update(told.actions)
            outcome.pairs.update(zip(["", *told.actions], told.actions, strict=False))
            if on_run is not None:
                on_run(replayed)
            if how["first_only"] and not replayed.run.conforms:
                return


def _heard(ear: Connection) -> Sent | Counter[str]:
    try:
        told = ear.recv()
    except (EOFError, OSError):
        raise DriverError("a worker has ended without a word") from None
    if isinstance(told, Exception):
        raise told
    assert isinstance(told, Sent | Counter)
    return told


def _received(mapping: Mapping, told: Sent) -> Replayed:
    def steps(document: dict[str, Any]) -> Any:
        return tuple(of_trace(mapping.specification, read_itf(document)))

    smallest = None if told.smallest is None else (steps(told.smallest[0]), told.smallest[1])
    return Replayed(steps(told.trace), told.run, smallest, told.tries)


def _work(mouth: Connection, request: Request, seed: int, how: dict[str, Any]) -> None:
    """In a process of its own, which ends with the first one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _terminated)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    last = _last_word(mouth, request, seed, how)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # nothing of the system runs: an exception now would only be noise
    mouth.send(last)


def _last_word(mouth: Connection, request: Request, seed: int, how: dict[str, Any]) -> Counter[str] | Exception:
    """Said when nothing of the system runs any more."""
    try:
        return _replayed(mouth, request, seed, how)
    except (DriverError, SourceError, MemoryError) as error:
        return error
    except Exception as error:
        if os.environ.get("GRISTMILL_DEBUG"):
            traceback.print_exc()
        return RuntimeError(f"in a worker, {describe_error(error)}")


def _replayed(mouth: Connection, request: Request, seed: int, how: dict[str, Any]) -> Counter[str]:
    mapping = read_mapping(
        request.mapping,
        specification=request.specification,
        mix=request.mix,
        constants=request.constants,
        values=request.values,
        output=_to_stderr,
    )
    outcome = new_outcome(mapping, "random", seed)
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        replay_one(coordinator, outcome, seed=seed, on_run=lambda each: mouth.send(_sent(mapping, each)), **how)
    return outcome.avoided


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def _to_stderr(text: str) -> None:
    """Standard output is the first process's."""
    print(text, file=sys.stderr, flush=True)


def _sent(mapping: Mapping, replayed: Replayed) -> Sent:
    def document(trace: Trace) -> dict[str, Any]:
        return itf_document(trace, source=mapping.specification.name, result="replayed")

    own = mapping.specification
    smallest = None
    if replayed.smallest is not None:
        smallest = document(to_trace(own, replayed.smallest[0])), replayed.smallest[1]
    actions = [step.action or "" for step in replayed.trace[1 : len(replayed.run.steps) + 1]]
    return Sent(replayed.run, document(to_trace(own, replayed.trace)), smallest, replayed.tries, actions)


def _terminated(number: int, frame: object) -> None:
    raise SystemExit(128 + number)
