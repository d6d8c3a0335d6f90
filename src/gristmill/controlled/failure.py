"""A failure: the run that shows it, as a schedule that can be kept in a file."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from pathlib import Path

from gristmill.controlled.run import Program, Run, hash_seed
from gristmill.controlled.settings import Settings
from gristmill.controlled.story import Story
from gristmill.search.verdict import Verdict
from gristmill.trace.schedule import SavedSchedule


@dataclass(frozen=True, slots=True)
class Failure:
    name: str
    message: str
    kind: str
    events: tuple[str, ...]
    program: str
    seed: int
    settings: Settings
    story: Story | None = None  # of a failure from a file: not before it is replayed
    number: int = 0  # of the run that found it
    found_length: int = 0  # before shrinking
    hash_seed: str = ""
    verdict: Verdict = "invariant"

    @staticmethod
    def of(run: Run, program: str, seed: int, settings: Settings, number: int, length: int) -> Failure:
        assert run.violation is not None
        found = run.violation
        events, story = run.events, run.story
        about = found.name, found.message, found.kind
        return Failure(*about, events, program, seed, settings, story, number, length, hash_seed(), found.verdict)

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.message else self.name

    def to_json(self) -> str:
        options = {
            "settings": self.settings.as_json(),
            "failure": {"name": self.name, "message": self.message, "kind": self.kind, "verdict": self.verdict},
            "hash_seed": self.hash_seed,
            "found_length": self.found_length,
        }
        return SavedSchedule(self.program, self.events, self.seed, options).to_json()

    def save(self, path: str) -> str:
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")
        return path


def load(path: str) -> Failure:
    """From a file that `save` has written. Raises ValueError, with what is wrong, from any other."""
    try:
        saved = SavedSchedule.from_json(Path(path).read_text(encoding="utf-8"))
        failure = saved.options["failure"]
        settings = Settings.from_json(saved.options["settings"])
        return Failure(
            failure["name"],
            failure["message"],
            failure["kind"],
            saved.events,
            saved.system,
            saved.seed or 0,
            settings,
            found_length=saved.options.get("found_length", 0),
            hash_seed=saved.options.get("hash_seed", "random"),
            verdict=failure.get("verdict", "invariant"),
        )
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no schedule of a controlled program ({error})") from None


def reference(program: Program) -> str:
    """Where a program is found again: `path.py:name`."""
    try:
        file = inspect.getsourcefile(program)
    except TypeError:
        file = None
    name = getattr(program, "__qualname__", "?")
    return f"{os.path.relpath(file) if file else '?'}:{name}"
