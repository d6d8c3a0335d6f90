"""Gristmill from Python: `gristmill.check` and `gristmill.simulate`.

    result = gristmill.check("Raft.tla", constants={"Server": {"s1", "s2", "s3"}}, invariants=["OneLeader"])
    assert result.ok, result

A Python `str` is a TLA+ string. For a model value, write `gristmill.ModelValue("s1")`; the string "s1" and the model
value s1 are not equal. Sets, tuples and lists, dicts, numbers and Booleans are what one expects (a dict with strings
as keys is a record).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from random import SystemRandom
from typing import Any, Literal

from gristmill.building import Built, Source, build
from gristmill.checking.options import Options
from gristmill.checking.walks import Walks
from gristmill.library.permissions import permissions
from gristmill.modules.choices import Choices, named, with_added
from gristmill.search import Limits, OnProgress
from gristmill.search import Result as SearchResult
from gristmill.search.profile import Phase
from gristmill.search.result import Lengths, Simulation
from gristmill.search.verdict import CONFIGURATION_ERROR, PARSE_ERROR
from gristmill.source import ConfigurationError, SourceError
from gristmill.values import EvaluationError, ModelValue, Value, from_python

__all__ = ["ModelValue", "Result", "check", "run", "run_simulation", "simulate"]


@dataclass(frozen=True, slots=True, repr=False)
class Result(SearchResult):
    """What a run found. Printed, it reads as on the command line; a notebook shows it as a table.

    Iterating gives the states of the counterexample, each a dict from variables to Python values; `trace` has the
    actions as well, and TLA+ values.
    """

    def __repr__(self) -> str:
        states = f", {self.distinct:,} distinct states" if self.distinct else ""
        return f"<Result {self.verdict}: {self.message}{states}>"

    def __str__(self) -> str:
        from gristmill.report.terminal import render_result
        from gristmill.source.render import render_text

        messages = f"{render_text(self.diagnostics)}\n" if self.diagnostics else ""
        return messages + render_result(self)

    def _repr_html_(self) -> str:
        from gristmill.report.html import render_html

        return render_html(self)


def check(
    source: Source,
    *,
    config: Source | None = None,
    constants: Mapping[str, Any] | None = None,
    replacements: Mapping[str, str] | None = None,
    specification: str | None = None,
    init: str | None = None,
    next: str | None = None,
    invariants: Iterable[str] = (),
    properties: Iterable[str] = (),
    refines: Iterable[str] = (),
    constraints: Iterable[str] = (),
    action_constraints: Iterable[str] = (),
    postconditions: Iterable[str] = (),
    symmetry: str | None = None,
    view: str | None = None,
    alias: str | None = None,
    deadlock: bool = True,
    depth: int | None = None,
    seconds: float | None = None,
    memory: int | None = None,
    continue_: bool = False,
    path: Iterable[str | Path] = (),
    seed: int | None = None,
    graph: bool = False,
    coverage: bool = False,
    allow_exec: bool = False,
    allow_read: Iterable[str | Path] = (),
    allow_write: Iterable[str | Path] = (),
    env: Iterable[str] = (),
    engine: Literal["auto", "python", "native"] = "auto",
    workers: int = 1,
    fingerprint: bool = False,
    profile: bool = False,
    output: Callable[[str], None] = print,
    on_progress: OnProgress | None = None,
) -> Result:
    """Check every behaviour of a specification. Mistakes in it are a `Result` too, with the verdict "error".

    - `source`: a file, or the text of a module itself; `config` likewise, and by default what stands beside the file.
    - `constants`: values by name, as Python objects; `replacements`: operators by the names of others (`Op <- Other`).
    - `invariants` … `alias`: names of operators, as in a configuration, in addition to it or in its place. `refines`:
      instances (`A == INSTANCE Abstract WITH …`) whose `Spec` is to be satisfied, or formulas of them (`"A!Spec"`).
    - `deadlock=False` lets behaviours end, as CHECK_DEADLOCK FALSE does.
    - `depth` (in states), `seconds` and `memory` (in bytes) bound the search. One that is cut off is "incomplete".
    - `continue_`: go on after a violation; `Result.violations` has them all. `graph`: keep all states and steps.
    - `coverage`: count how often each part of the formulas is evaluated: `Result.expressions`. It takes longer.
    - `engine`: compiled C ("native"), the reference evaluator ("python"), or whichever is sooner done; `workers`:
      threads of the former. The answer is the same.
    - `fingerprint`: of states that the native engine explores, keep a hash only; `Result.collision_odds` says how
      likely it is that one was overlooked. `profile`: say what took how long, in `Result.profile`.
    - `output` is given what Print and PrintT print.
    - `allow_read`, `allow_write`: folders to read and write files in, besides the working folder and that of the
      specification; `env`: environment variables that IOEnv shows; `allow_exec`: IOExec runs programs.
    """
    given = {**locals(), "properties": (*properties, *refines)}
    asked = Choices(**named(given), check_deadlock=deadlock)
    options = Options(
        Limits(depth, seconds, memory),
        continue_,
        graph,
        on_progress,
        output,
        permissions=permissions(allow_read, allow_write, env, allow_exec),
        seed=seed,
        expression_coverage=coverage,
        engine=engine,
        workers=workers,
        fingerprint=fingerprint,
        profile=profile,
    )
    change = adding(asked, constants or {}, replacements or {})
    return run(lambda: build(source, config=config, search_path=tuple(path), change=change), options)


def simulate(
    source: Source,
    *,
    config: Source | None = None,
    constants: Mapping[str, Any] | None = None,
    replacements: Mapping[str, str] | None = None,
    specification: str | None = None,
    init: str | None = None,
    next: str | None = None,
    invariants: Iterable[str] = (),
    properties: Iterable[str] = (),
    constraints: Iterable[str] = (),
    action_constraints: Iterable[str] = (),
    postconditions: Iterable[str] = (),
    alias: str | None = None,
    deadlock: bool = True,
    num: int | None = 1000,
    depth: int = 100,
    seed: int | None = None,
    generate: bool = False,
    workers: int = 1,
    seconds: float | None = None,
    memory: int | None = None,
    continue_: bool = False,
    path: Iterable[str | Path] = (),
    allow_exec: bool = False,
    allow_read: Iterable[str | Path] = (),
    allow_write: Iterable[str | Path] = (),
    env: Iterable[str] = (),
    output: Callable[[str], None] = print,
    on_progress: OnProgress | None = None,
) -> Simulation:
    """Check `num` random behaviours of up to `depth` states each; see `check` for everything they share.

    Behaviours follow from the `seed`, which the `Simulation` tells if none is given. All successors of their states are
    checked, or with `generate` only those taken. `Simulation.result` is a `Result`.
    """
    asked = Choices(**named(locals()), check_deadlock=deadlock)
    allowed = permissions(allow_read, allow_write, env, allow_exec)
    options = Options(Limits(None, seconds, memory), continue_, False, on_progress, output, permissions=allowed)
    change = adding(asked, constants or {}, replacements or {})
    walks = Walks(new_seed() if seed is None else seed, num, depth, workers=workers, only_taken=generate)
    return run_simulation(lambda: build(source, config=config, search_path=tuple(path), change=change), options, walks)


def new_seed() -> int:
    return SystemRandom().randrange(1 << 31)


def adding(
    asked: Choices, constants: Mapping[str, Any], replacements: Mapping[str, str]
) -> Callable[[Choices], Choices]:
    """A change of a configuration: what a program asks for, in addition to it or in its place."""

    def change(choices: Choices) -> Choices:
        """Values are made here, when the run has begun, because the order of strings belongs to the run."""
        added = replace(
            asked,
            constants={(None, name): _value(name, value) for name, value in constants.items()},
            replacements={(None, name): other for name, other in replacements.items()},
        )
        return with_added(choices, added)

    return change


def _value(name: str, thing: Any) -> Value:
    try:
        return from_python(thing)
    except EvaluationError as error:
        raise TypeError(f"the constant {name}: {error}") from None


def run(build: Callable[[], Built], options: Options) -> Result:
    """Build a model and check it."""
    if options.cluster is None:
        from gristmill.checking.engines import check as check_model  # simulation needs no compiler
    else:
        from gristmill.cluster.run import check as check_model

    started = time.monotonic()
    try:
        built = build()
        parsed = time.monotonic() - started
        result = check_model(built.model, in_its_folder(options, built))
    except SourceError as error:
        return refused(error)
    except KeyboardInterrupt:  # before the search; during it, there is more to tell
        return Result("incomplete", message="Interrupted")
    result = replace(result, diagnostics=(*built.warnings, *result.diagnostics), module=built.name)
    return presentable(with_parsing(result, parsed))


def in_its_folder(options: Options, built: Built) -> Options:
    return replace(options, permissions=options.permissions.in_folder(built.folder))


def with_parsing(result: SearchResult, seconds: float) -> SearchResult:
    """The profile, with what happened before there was anything to check; `seconds` of the result are without that."""
    if result.profile is None:
        return result
    phases = (Phase("parse", seconds), *result.profile.phases)
    return replace(result, profile=replace(result.profile, phases=phases))


def run_simulation(build: Callable[[], Built], options: Options, walks: Walks) -> Simulation:
    """Build a model and simulate it."""
    from gristmill.checking.simulate import simulate as simulate_model  # most programs check

    try:
        built = build()
        found = simulate_model(built.model, in_its_folder(options, built), walks)
    except SourceError as error:
        return Simulation(refused(error), Lengths(), walks.seed)
    except KeyboardInterrupt:
        return Simulation(Result("incomplete", message="Interrupted"), Lengths(), walks.seed)
    result = replace(found.result, diagnostics=(*built.warnings, *found.result.diagnostics), module=built.name)
    return replace(found, result=presentable(result))


def presentable(result: SearchResult) -> Result:
    return Result(**{field.name: getattr(result, field.name) for field in fields(result)})


def refused(error: SourceError) -> Result:
    """A run that ended before it began."""
    of_configuration = isinstance(error, ConfigurationError) or all(d.span is None for d in error.diagnostics)
    status = CONFIGURATION_ERROR if of_configuration else PARSE_ERROR
    first = next((d for d in error.diagnostics if d.severity == "error"), error.diagnostics[0])
    return Result("error", message=first.message, diagnostics=error.diagnostics, status=status)
