"""One run: what TLC does with a command line, from its first message to its exit status."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gristmill import __version__
from gristmill.api import Result, new_seed, run, run_simulation
from gristmill.building import Built, build
from gristmill.checking.options import Options
from gristmill.checking.walks import Walks
from gristmill.cli.tlc import codes
from gristmill.cli.tlc.expressions import MOST_STATES, counted
from gristmill.cli.tlc.extras import Extras, extras
from gristmill.cli.tlc.files import Files, configuration_of, module_path
from gristmill.cli.tlc.messages import Elevated, Messages, duration, now
from gristmill.cli.tlc.options import Asked
from gristmill.cli.tlc.outcome import Outcome
from gristmill.cli.tlc.places import Definitions
from gristmill.cli.tlc.sany import print_loaded, sentence
from gristmill.cli.tlc.statistics import Search, print_coverage, print_simulated, print_statistics, print_success
from gristmill.ir.model import Model
from gristmill.library.permissions import Permissions, permissions
from gristmill.modules.api import Loaded
from gristmill.modules.choices import Choices
from gristmill.search import Limits
from gristmill.search.verdict import CONFIGURATION_ERROR, EXIT_CODES
from gristmill.source import Diagnostic

_DEPTH_REACHED = "The depth limit"


class Run:
    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.messages = Messages(
            asked.tool, warnings=asked.warnings, suppressed=asked.suppressed, elevated=asked.elevated
        )
        self.started = time.time()
        self.root = module_path(asked.spec or "")
        self.config = configuration_of(self.root, asked.config)
        self.extras: Extras = extras(self.root, asked)
        self.search = Search(self.messages)
        self.definitions = Definitions()
        self.loaded: Loaded | None = None
        self.model: Model | None = None
        self.choices = Choices()
        self.seed = new_seed() if asked.seed is None else asked.seed

    def status(self) -> int:
        """Runs it, and returns the exit status."""
        print_version(self.messages)
        for note in self.asked.notes:
            self.messages.note(note)
        self._print_mode()
        with self._output() as output:
            try:
                return self._simulated(output) if self.asked.simulate else self._checked(output)
            except Elevated as elevated:
                return codes.exit_status(elevated.code)
            finally:
                self._finished()

    # --------------------------------------------------------------------------------------------------- checking

    def _checked(self, output: Callable[[str], None]) -> int:
        if self.config is None:
            return self._no_configuration()
        asked = self.asked
        if asked.recover:
            self.messages.say(codes.RECOVERY, f"Starting recovery from checkpoint {asked.recover}")
        options = Options(
            Limits(asked.depth_first),
            asked.keep_going,
            keep_graph=asked.dump is not None,
            on_progress=self.search.progress,
            output=output,
            permissions=self._permissions(),
            seed=self.seed,
            workers=asked.workers,
            checkpoint=self._checkpoint(),
            checkpoint_seconds=60.0 * (asked.checkpoint or 30),
            resume=asked.recover is not None,
        )
        result = run(self._built, options)
        code = self._told(result)
        if code == 0 and self._is_temporal():
            self.search.temporal_end()
        if code == 0 and result.verdict == "ok":
            print_success(self.messages, result.collision_odds.calculated if result.collision_odds else 0.0)
        self._files().write(result)
        is_refused = codes.exit_status(code) == CONFIGURATION_ERROR  # TLC would not have begun
        if result.generated and self.asked.coverage and not is_refused:
            self._print_coverage(result, options)
        if result.generated and not is_refused and not _is_initial(result):
            print_statistics(self.messages, result, complete=result.verdict == "ok")
        return self._exit(code, result)

    def _print_coverage(self, result: Result, options: Options) -> None:
        assert self.model is not None
        parts = counted(self._built_quietly, self.model, result, options)
        if parts is None:
            self.messages.note(f"coverage is by action: by expression it is told of up to {MOST_STATES:,} states")
        properties = (*self.model.invariants, *self.model.implied_actions)
        print_coverage(self.messages, result.coverage, self.definitions, self.search.init, parts or (), properties)

    def _told(self, result: Result) -> int:
        """What there is to say of a run, violations at the end. Returns the code of what ended it."""
        first = next((row for row in result.coverage if row.initial), None)
        if first is not None and not _is_initial(result):
            distinct = first.generated if self.asked.simulate else first.distinct  # simulation counts behaviours
            self.search.initial_states(first.generated, distinct)
        if self._is_temporal() and result.verdict in ("ok", "liveness"):
            self.search.temporal(result.distinct)
        self._warn(result)
        if result.verdict == "incomplete" and result.message.startswith(_DEPTH_REACHED):
            self.messages.note(f"{result.message}: nothing is wrong up to there, and there are more states")
            return 0
        return self._outcome().tell(result)

    def _is_temporal(self) -> bool:
        return self.model is not None and bool(self.model.temporal)

    def _warn(self, result: Result) -> None:
        known: tuple[Diagnostic, ...] = () if self.loaded is None else self.loaded.diagnostics
        for diagnostic in result.diagnostics:
            if diagnostic.severity == "warning" and diagnostic not in known:
                self.messages.warn(codes.WARNINGS.get(diagnostic.id, codes.GENERAL), sentence(diagnostic))
        for caveat in result.caveats:
            self.messages.note(caveat)

    def _exit(self, code: int, result: Result) -> int:
        if result.verdict == "incomplete" and code:
            return EXIT_CODES["incomplete"]
        return codes.exit_status(code)

    def _no_configuration(self) -> int:
        file = self.asked.config or self.asked.spec or ""
        name = file if file.endswith((".cfg", ".tla")) else f"{file}.cfg"
        return codes.exit_status(self._outcome().missing_configuration(name))

    # ------------------------------------------------------------------------------------------------- simulation

    def _simulated(self, output: Callable[[str], None]) -> int:
        if self.config is None:
            return self._no_configuration()
        asked = self.asked
        options = Options(
            keep_going=asked.keep_going,
            on_progress=self.search.simulation_progress,
            output=output,
            permissions=self._permissions(),
        )
        on_trace = self._files().behaviour if asked.trace_file else None
        first = asked.aril + 1
        walks = Walks(self.seed, asked.behaviours, asked.depth, first, asked.workers, asked.generate, on_trace)
        found = run_simulation(self._built, options, walks)
        result = Result(**{name: getattr(found.result, name) for name in Result.__dataclass_fields__})
        code = self._told(result)
        self._files().write(result)
        if result.generated:
            skipped = max(0, found.lengths.behaviours - 1) if code else 0  # before the behaviour that is wrong
            print_simulated(self.messages, found, asked.aril + skipped)
        return self._exit(code, result)

    # --------------------------------------------------------------------------------------------------- the model

    def _built(self) -> Built:
        """As `building.build`, with messages about what is read."""
        built = build(
            self.extras.source,
            config=self.config,
            search_path=(self.root.parent, "."),
            change=self._change,
            on_loaded=self._on_loaded,
        )
        model = built.model
        if not self.asked.liveness and model.temporal:
            self.messages.note("temporal properties are not checked: -lncheck off")
            model = replace(model, temporal=())
        self.model = model
        if model.init is not None:
            self.messages.say(codes.COMPUTING_INIT, "Computing initial states...")
        return replace(built, model=model, folder=self.root.parent)

    def _built_quietly(self) -> Built:
        """The same, of what has been read before."""
        path = (self.root.parent, ".")
        return build(self.extras.source, config=self.config, search_path=path, change=self._change)

    def _change(self, choices: Choices) -> Choices:
        self.choices = replace(choices, check_deadlock=choices.check_deadlock and self.asked.deadlock)
        return self.extras.change(self.choices)

    def _on_loaded(self, loaded: Loaded) -> None:
        self.loaded = loaded
        if self.messages.tool:
            self.messages.say(codes.SANY_START, "Starting SANY...")
        print_loaded(self.messages, loaded, self.root)
        if self.messages.tool:
            self.messages.say(codes.SANY_END, "SANY finished.")
        self.messages.say(codes.STARTING, f"Starting... ({now()})")
        if loaded.specification is not None:
            self.definitions = Definitions(loaded.specification)
            self.search.init = self.definitions.find(self.choices.init or "Init")

    def _outcome(self) -> Outcome:
        is_loaded = self.loaded is not None
        return Outcome(self.messages, self.model, self.definitions, self.asked.differences, is_loaded)

    def _files(self) -> Files:
        return Files(self.messages, self.asked, self.root, self.definitions, self.model, self.choices, self.started)

    def _permissions(self) -> Permissions:
        asked = self.asked
        return permissions(asked.allow_read, asked.allow_write, asked.env, asked.allow_exec)

    # ------------------------------------------------------------------------------------------------ round about

    @contextmanager
    def _output(self) -> Iterator[Callable[[str], None]]:
        """Where what the specification prints goes."""
        if self.asked.user_file is None:
            yield self.messages.line
            return
        with open(self.asked.user_file, "w", encoding="utf-8") as stream:
            yield lambda text: print(text, file=stream, flush=True)

    def _checkpoint(self) -> Path | None:
        if self.asked.recover is not None:
            return Path(self.asked.recover)
        if not self.asked.checkpoint:
            return None
        folder = Path(self.asked.metadir or self.root.parent / "states")
        return folder / time.strftime("%y-%m-%d-%H-%M-%S", time.localtime(self.started))

    def _print_mode(self) -> None:
        cores, workers = os.cpu_count() or 1, self.asked.workers
        plural = "" if workers == 1 else "s"
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
        machine = f"{platform.system()} {platform.release()} {platform.machine()}, Gristmill {__version__} 64bit"
        room = f"{memory}MB heap and 0MB offheap memory [pid: {os.getpid()}]"
        end = f"{workers} worker{plural} on {cores} cores with {room}"
        if self.asked.simulate:
            text = f"Running Random Simulation with seed {self.seed} with {end} ({machine})."
            self.messages.say(codes.MODE_SIMULATION, text)
        elif self.asked.depth_first is not None:
            what = f"depth-first search Model-Checking with fp 0 and seed {self.seed}"
            self.messages.say(codes.MODE_DEPTH_FIRST, f"Running {what} with {end} ({machine}).")
        else:
            what = f"breadth-first search Model-Checking with fp 0 and seed {self.seed}"
            text = f"Running {what} with {end} ({machine}, ExactStateSet, StateQueue)."
            self.messages.say(codes.MODE_BREADTH_FIRST, text)

    def _finished(self) -> None:
        seconds = time.time() - self.started
        took = f"{int(seconds * 1000)}ms" if self.messages.tool else duration(seconds)
        self.messages.say(codes.FINISHED, f"Finished in {took} at ({now()})")
        self._files().tell_trace_specification()


def print_version(messages: Messages) -> None:
    messages.say(codes.VERSION, f"TLC2 Version {__version__} of Gristmill")


def _is_initial(result: Result) -> bool:
    """Whether an initial state is all that it takes: TLC then counts nothing."""
    return result.trace is not None and len(result.trace) == 1 and result.verdict in ("invariant", "property")
