"""What `gristmill replay` does in each of its modes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gristmill.api import Result, new_seed
from gristmill.cli.output import print_diagnostics
from gristmill.cli.replay_output import finished, printed, shown_run, shown_step
from gristmill.replay import parallel
from gristmill.replay.confirming import confirm as confirm_violations
from gristmill.replay.conformance import finish, new_outcome, replay_random, replay_trace
from gristmill.replay.coordinator import Coordinator
from gristmill.replay.driver import DriverError
from gristmill.replay.drivers import driver_of
from gristmill.replay.explaining import explain as explained
from gristmill.replay.mapping import Mapping, read_mapping, specification_of
from gristmill.replay.outcome import Outcome
from gristmill.replay.record import Request, read_record, same_run
from gristmill.replay.steps import of_trace
from gristmill.search.verdict import PARSE_ERROR
from gristmill.source import Diagnostic, SourceError
from gristmill.source.toml_reader import suggestion

Options = dict[str, Any]


def _opened(request: Request, options: Options) -> Mapping:
    return read_mapping(
        request.mapping,
        specification=request.specification,
        mix=request.mix,
        constants=request.constants,
        values=request.values,
        output=printed(options),
    )


def _replayed(mapping: Mapping, outcome: Outcome, request: Request, options: Options, work: Callable[[], None]) -> int:
    """The exit status. What was found before an interruption, or before the system could not be driven, is told."""
    began = time.monotonic()
    try:
        work()
    except KeyboardInterrupt:
        outcome.interrupted = True
    except DriverError as error:
        if not outcome.distinct and not any(each.confirmed for each in outcome.confirmations):
            raise
        outcome.caveats.append(f"it ended before its time, as the system could not be driven: {error.message}")
    return finished(request, mapping, finish(mapping, outcome, began), options)


def _trace(request: Request, options: Options) -> int:
    mapping = _opened(request, options)
    trace = of_trace(mapping.specification, options["trace"])
    outcome = new_outcome(mapping, "trace")

    def work() -> None:
        with Coordinator(mapping, driver_of(mapping)) as coordinator:
            shown, shrink = shown_step(options), options["shrink"]
            replay_trace(coordinator, outcome, options["trace"], trace, shrink_seconds=shrink, on_step=shown)

    return _replayed(mapping, outcome, request, options, work)


def _random(request: Request, options: Options) -> int:
    mapping = _opened(request, options)
    seed = new_seed() if options["seed"] is None else options["seed"]
    outcome, shown = new_outcome(mapping, "random", seed), shown_run(options)
    how = {
        "seconds": options["random"],
        "depth": options["depth"],
        "traces": options["num"],
        "first_only": options["first"],
        "shrink_seconds": options["shrink"],
    }

    def work() -> None:
        if options["workers"] > 1:
            parallel.replay_random(request, mapping, outcome, options["workers"], seed, how, shown)
            return
        with Coordinator(mapping, driver_of(mapping)) as coordinator:
            replay_random(coordinator, outcome, seed=seed, on_run=shown, **how)

    return _replayed(mapping, outcome, request, options, work)


def _again(request: Request, options: Options) -> int:
    record = read_record(Path(options["from_file"]))
    mapping = _opened(request, options)
    trace = of_trace(mapping.specification, record.trace)
    outcome, name = new_outcome(mapping, "from"), f"again: {options['from_file']}"

    def work() -> None:
        with Coordinator(mapping, driver_of(mapping)) as coordinator:
            replayed = replay_trace(coordinator, outcome, name, trace, on_step=shown_step(options))
        outcome.not_as_recorded = same_run(record.run, replayed.run)

    return _replayed(mapping, outcome, request, options, work)


def _logs(request: Request, options: Options) -> int:
    from gristmill.cli.replay_logs import run_logs

    return run_logs(request, options)


def _explain(request: Request, options: Options) -> int:
    mapping = _opened(request, options)
    driver = driver_of(mapping)
    try:
        text, problems = explained(mapping, driver)
    finally:
        driver.stop()
    click.echo(text, nl=False)
    print_diagnostics(problems)
    return PARSE_ERROR if problems else 0


# ---------------------------------------------------------------------------------------------------------- violations


def _confirm(request: Request, options: Options) -> int:
    mapping = _opened(request, options)
    outcome = new_outcome(mapping, "confirm")
    _check_names(mapping, options["only"])

    def work() -> None:
        with Coordinator(mapping, driver_of(mapping)) as coordinator:
            for only in [[name] for name in options["only"]] or [[]]:
                result = _checked(request, only, options)
                if result.verdict == "incomplete":
                    outcome.caveats.append(f"the check of the model is incomplete: {result.message}")
                confirm_violations(coordinator, outcome, result)

    return _replayed(mapping, outcome, request, options, work)


def _check_names(mapping: Mapping, names: Sequence[str]) -> None:
    known = [each.name for each in mapping.specification.invariants]
    unknown = [name for name in names if name not in known]
    if unknown:
        message = f"{mapping.specification.name} has no invariant `{unknown[0]}`"
        raise SourceError(Diagnostic("unknown-invariant", message, help=suggestion(unknown[0], known)))


def _checked(request: Request, only: Sequence[str], options: Options) -> Result:
    """The model, with all its invariants or only some: the first violation of each."""
    with specification_of(
        request.mapping,
        specification=request.specification,
        mix=request.mix,
        constants=request.constants,
        only=only,
        output=printed(options),
    ) as specification:
        alone = len(specification.invariants) == 1
        result = specification.check(continue_=not alone, seconds=options["seconds"], deadlock=False)
    if result.verdict in ("error", "assert"):
        raise SourceError(result.diagnostics or [Diagnostic("not-evaluated", result.message)])
    if result.message == "Interrupted":
        raise KeyboardInterrupt
    wanted = tuple(each for each in result.violations if not only or each.property in only)
    return replace(result, violations=wanted)


# Option -> what does it; gives the exit status. Raises `SourceError`, `DriverError`.
MODES: dict[str, Callable[[Request, Options], int]] = {
    "trace": _trace,
    "random": _random,
    "confirm": _confirm,
    "from_file": _again,
    "logs": _logs,
    "explain": _explain,
}
