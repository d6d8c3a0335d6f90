"""`--sweep` with `--cluster`: models are built here, each is checked as a whole by an actor, as it would be here."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from gristmill.api import Result, presentable, refused, run
from gristmill.building import Built
from gristmill.checking.options import Options
from gristmill.cluster.errors import ClusterError
from gristmill.cluster.explorer import refused as refused_by_cluster
from gristmill.cluster.hands import hands
from gristmill.source import SourceError
from gristmill.source.stack import with_deep_stack

Job = tuple[bytes, Options] | Result  # a model, pickled; or what is wrong with it


@contextmanager
def checked_away(
    address: str, workers: int, builds: Iterable[Callable[[], Built]], options: Options
) -> Iterator[Iterator[Result]]:
    """The results, in the order of the models. What a specification prints is told with them."""
    asked = replace(options, on_progress=None, output=print, workers=1)  # a core each
    with ExitStack() as stack:
        try:
            team = stack.enter_context(hands(address, workers, partial(checking, os.getcwd())))
            results = _results(team.perform(_jobs(builds, asked)), options.output)
        except ClusterError as error:
            results = iter((presentable(refused_by_cluster(error)),))
        yield results


def _results(answers: Iterator[tuple[Result, list[str]]], output: Callable[[str], None]) -> Iterator[Result]:
    try:
        for result, lines in answers:
            for line in lines:
                output(line)
            yield result
    except KeyboardInterrupt:
        yield Result("incomplete", message="Interrupted")
    except ClusterError as error:
        yield presentable(refused_by_cluster(error))


def _jobs(builds: Iterable[Callable[[], Built]], options: Options) -> Iterator[Job]:
    for build in builds:
        try:
            built = build()
        except SourceError as error:
            yield refused(error)
            return
        yield with_deep_stack(lambda built=built: pickle.dumps(built)), options  # type: ignore[misc]


@contextmanager
def checking(folder: str) -> Iterator[Callable[[Job], tuple[Result, list[str]]]]:
    """In the process of an actor. `folder`: where files that a specification names are, if it is there, too."""
    if Path(folder).is_dir():
        os.chdir(folder)
    yield _checked


def _checked(job: Job) -> tuple[Result, list[str]]:
    if isinstance(job, Result):
        return job, []
    data, options = job
    built: Built = with_deep_stack(lambda: pickle.loads(data))
    lines: list[str] = []
    return run(lambda: built, replace(options, output=lines.append)), lines
