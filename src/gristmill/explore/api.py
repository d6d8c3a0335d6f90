"""`explore`: a system, a search, a result."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress

from gristmill.cc import CompilerError
from gristmill.explore.model import Model, State, Transition
from gristmill.explore.native.library import library
from gristmill.explore.native.search import NativeSearch
from gristmill.explore.options import Options, reject
from gristmill.explore.process import Declared
from gristmill.explore.program import Local
from gristmill.explore.reductions import decomposition as decompositions
from gristmill.explore.reductions.decomposition import Decomposition, Verifier, verify_cells
from gristmill.explore.reductions.dynamic import stateful_dynamic, stateless_dynamic
from gristmill.explore.reductions.interference import NotReducible
from gristmill.explore.reductions.stubborn import StaticReduction
from gristmill.explore.reductions.symmetry import ProcessSymmetry
from gristmill.explore.result import Found, Meter, Result, failure_of, verdict_of
from gristmill.explore.schedules import complete, shrunk
from gristmill.explore.searches.breadth_first import breadth_first, check_eventually
from gristmill.explore.searches.depth_first import depth_first
from gristmill.explore.searches.parallel import parallel_breadth_first, parallel_samples
from gristmill.explore.searches.sampling import sample
from gristmill.explore.searches.stateless import deepening, stateless
from gristmill.explore.system import System
from gristmill.explore.text import render
from gristmill.explore.views import Checker
from gristmill.search.budget.deadline import Deadline
from gristmill.search.budget.limits import LimitReached
from gristmill.source import Diagnostic, SourceError
from gristmill.trace.schedule import Failure


def explore(system: System, options: Options | None = None) -> Result:
    """Search for a violation. Mistakes in the system raise `SourceError`."""
    options = options or Options()
    reject(options)
    result, _ = Exploration(system, options).run()
    return result


class Violated(AssertionError):
    """What `check` raises; the text is that of the command line, with the run as a chart."""


def check(system: System, options: Options | None = None) -> Result:
    """For tests: explore, and raise `Violated` if something is wrong, or not all was explored."""
    result = explore(system, options)
    if not result.ok:
        raise Violated(render(system, result))
    return result


class _Verifying(Model):
    """A model that shows every state of which it is asked the transitions."""

    def __init__(self, model: Model, verifier: Verifier) -> None:
        super().__init__(model.system, model.rules)
        self.verifier = verifier

    def transitions(self, state: State) -> list[Transition]:
        self.verifier.check(state)
        return super().transitions(state)


class Exploration:
    """One search of one system. `reached` is what was stored, for comparison between searches."""

    def __init__(self, system: System, options: Options) -> None:
        self.system, self.options = system, options
        self.model = Model(system)
        self.rules = self.model.rules
        self.checker = Checker(self.rules)
        self.deadline = Deadline(options.bounds.seconds)
        self.meter = Meter(options.bounds, self.deadline, options.on_progress)
        self.stopped: list[str] = []  # why not all was explored
        self.caveats: list[str] = []
        self.engine = "python"
        self.collect = False  # whether to give what was stored; it is large
        self.decomposition: Decomposition | None = None

    def run(self) -> tuple[Result, set[Hashable]]:
        found: Found | None = None
        reached: set[Hashable] = set()
        with self.deadline.watching():
            try:
                reached = self.decomposed()
                self.finish()
            except Found as stop:
                found = stop
            except LimitReached as reason:
                self.stopped.append(str(reason))
            except KeyboardInterrupt:  # where Ctrl-C does more than to leave a note
                self.stopped.append("interrupted")
            return self.result(found), reached

    def finish(self) -> None:
        """What can be said only after the search."""
        if not self.meter.cut:
            for one in self.checker.eventualities:
                check_eventually(self.model, self.meter, self.checker, one)
        self.rules.repeat_sample()
        self.deadline.check()

    def decomposed(self) -> set[Hashable]:
        """Search; and again, with fewer auxiliary fields, as long as one turns out not to be."""
        relevant: list[tuple[type, str]] = []
        while True:
            try:
                if self.options.search == "dbss":
                    self.decompose(relevant)
                if self.options.verify_decomposition and self.decomposition:
                    self.verify()
                return self.search()
            except decompositions.NotAuxiliary as reason:
                relevant.append((reason.kind, reason.field))
                self.caveats = [f"{reason}, so states are told apart by it"]
                self.meter = self.meter.again()

    def result(self, found: Found | None) -> Result:
        counts = self.meter.counts
        counts.handler_runs = self.rules.runs
        stopped = list(dict.fromkeys((*self.meter.cut, *self.stopped)))
        failure = self.shown(failure_of(found)) if found else None
        verdict = verdict_of(failure, stopped)
        caveats = [*self.unchecked(failure), *self.caveats, *self.sampled_runs(), *stopped]
        names = self.decomposition.names if self.decomposition else []
        return Result(verdict, self.options.search, counts, failure, self.deadline.elapsed, self.engine, caveats, names)

    def unchecked(self, failure: Failure | None) -> list[str]:
        return [] if self.system.properties or failure else ["the system has no properties to be checked"]

    def sampled_runs(self) -> list[str]:
        if self.options.search not in ("random", "pct"):
            return []
        return [f"{self.meter.counts.runs} runs were sampled; that is no proof"]

    def shown(self, failure: Failure) -> Failure:
        """With the steps of its run, and as short as it can be made. That it can be run again checks the search."""
        with self.deadline.suspended():  # it is found: that it is told takes no time to speak of
            failure = complete(self.model, failure)
        return shrunk(self.model, failure) if self.options.shrink else failure

    # Which search

    def search(self) -> set[Hashable]:
        match self.options.search:
            case "dbss" | "dfs":
                return self.reduced()
            case "bfs":
                return self.breadth_first()
            case "stateless":
                return self.stateless()
            case "deepening":
                return deepening(self.model, self.checker, self.meter)
            case "random" | "pct":
                return self.sampled()

    def reduced(self) -> set[Hashable]:
        """Depth-first, with the reductions asked for; without partial-order reduction where that is not possible."""
        if self.options.workers > 1 and self.wants_native():
            self.caveats.append(f"{self.options.workers} workers go level by level: of errors, a shortest run is found")
            return self.depth_first(None)
        if self.options.workers > 1:
            self.caveats.append("workers are for the search in C: there is one in Python")
        if self.options.por == "dynamic":
            return self.dynamic()
        try:
            reduction = StaticReduction(self.rules, self.decomposition) if self.options.por == "static" else None
            reached = self.depth_first(reduction)
            if reduction is not None and not reduction.left_out:
                self.caveats.append(f"partial-order reduction has left out nothing: {reduction.obstacle()}")
            return reached
        except NotReducible as reason:
            self.caveats.append(f"no partial-order reduction: {reason}")
            self.meter = self.meter.again()
            return self.depth_first(None)

    def dynamic(self) -> set[Hashable]:
        try:
            return stateful_dynamic(self.model, self.checker, self.meter, self.key())
        except NotReducible as reason:
            self.caveats.append(f"no partial-order reduction: {reason}")
            self.meter = self.meter.again()
            return self.depth_first(None)

    def depth_first(self, reduction: StaticReduction | None) -> set[Hashable]:
        symmetry = ProcessSymmetry(self.rules) if self.options.symmetry else None
        reached = self.native(reduction, symmetry) if self.wants_native() else self.naive(reduction, symmetry)
        if symmetry is not None:
            untested = symmetry.check(self.model, [_representative(one) for one in list(reached)[:50]])
            self.caveats += [untested] if untested else []
        return reached

    def wants_native(self) -> bool:
        if self.options.engine == "python" or self.model.keeps_history:
            return False
        try:
            library()
        except CompilerError as error:
            if self.options.engine == "native":
                raise SourceError(Diagnostic("explore-no-compiler", str(error))) from None
            self.caveats.append("there is no C compiler: explored in Python, about a hundred times slower")
            return False
        return True

    def native(self, reduction: StaticReduction | None, symmetry: ProcessSymmetry | None) -> set[Hashable]:
        self.engine = "native"
        relevant = self.relevant if self.decomposition else None
        search = NativeSearch(
            self.model,
            self.checker,
            relevant,
            self.selective_push(),
            reduction,
            symmetry,
            stateless=self.options.search == "stateless",
            breadth_first=self.options.search == "bfs" or self.options.workers > 1,
            workers=self.options.workers,
        )
        try:
            search.run(self.meter)
            return search.stored(None if self.collect else 50)
        finally:
            search.close()

    def naive(self, reduction: StaticReduction | None, symmetry: ProcessSymmetry | None) -> set[Hashable]:
        reduce = reduction.reduce if reduction else None
        key = self.key(symmetry)
        return depth_first(self.model, self.checker, self.meter, key, self.selective_push(), reduce)

    def selective_push(self) -> bool:
        return self.options.search == "dbss" and self.options.selective_push

    def key(self, symmetry: ProcessSymmetry | None = None) -> Callable[[State], Hashable]:
        decomposition = self.decomposition

        def stored(state: State) -> Hashable:
            part = decompositions.key(self.rules, decomposition, state) if decomposition else state
            return symmetry.orbit(part) if symmetry else part

        return stored

    # Decomposition

    def decompose(self, relevant: list[tuple[type, str]]) -> None:
        self.decomposition = decompositions.infer(self.rules, relevant)
        self.checker.on_read = self.check_aux_read
        for name in sorted(self.decomposition.claimed):
            self.caveats.append(f"{name} is auxiliary because aux() says so; the source does not show it")

    def relevant(self, process: int, local: Local) -> Local:
        assert self.decomposition is not None
        return self.decomposition.relevant(self.rules.programs[process].kind, local)

    def check_aux_read(self, process: int, field: str) -> None:
        """A property reads a field: it must not be an auxiliary one."""
        kind = self.rules.programs[process].kind
        if self.decomposition and field in self.decomposition.auxiliary.get(kind, ()):
            if not kind.declared.get(field, Declared(None)).auxiliary:
                raise decompositions.NotAuxiliary(kind, field, "is read by a property")
            text = f"{kind.__name__}.{field} is declared auxiliary, and a property reads it"
            help_ = "a property must depend on relevant fields alone: remove aux() from this one"
            raise SourceError(Diagnostic("explore-auxiliary-read", text, help=help_))

    def verify(self) -> None:
        """Test Definition 1 on what a search on whole states meets, up to its bounds or its first violation."""
        assert self.decomposition is not None
        compared = self.verify_native() if self.wants_native() else self.verify_naive()
        self.caveats.append(f"the decomposition was tested on {compared} pairs of states that it takes for one")

    def verify_naive(self) -> int:
        assert self.decomposition is not None
        verifier = Verifier(self.model, self.decomposition)
        self.until_it_ends(lambda meter: depth_first(_Verifying(self.model, verifier), self.checker, meter))
        return verifier.compared

    def verify_native(self) -> int:
        assert self.decomposition is not None
        search = NativeSearch(self.model, self.checker)
        try:
            self.until_it_ends(search.run)
            return verify_cells(self.rules, self.decomposition, search.cells.values, search.spares.values)
        finally:
            search.close()

    def until_it_ends(self, search: Callable[[Meter], object]) -> None:
        """With whatever result: what it has met counts. If that is not all, the test is not complete."""
        meter = self.meter.again()
        try:
            with suppress(Found):
                search(meter)
        except LimitReached as reason:
            self.deadline.check()
            self.stopped.append(f"the test of the decomposition {reason}")
        self.stopped += [f"in the test of the decomposition, {text}" for text in meter.cut]

    # Other searches

    def stateless(self) -> set[Hashable]:
        if self.options.por == "dynamic":
            return stateless_dynamic(self.model, self.checker, self.meter)
        if self.wants_native() and not self.collect:
            return self.native(None, None)
        return stateless(self.model, self.checker, self.meter)

    def breadth_first(self) -> set[Hashable]:
        if self.wants_native():
            return self.native(None, None)
        if self.options.workers == 1:
            return breadth_first(self.model, self.checker, self.meter)
        return parallel_breadth_first(self.model, self.checker, self.meter, self.options.workers)

    def sampled(self) -> set[Hashable]:
        options = self.options
        depth = options.pct_depth if options.search == "pct" else 0
        if options.workers == 1 and options.cluster is None:
            return sample(self.model, self.checker, self.meter, options.seed, 1, options.runs, depth)
        return parallel_samples(self.model, self.meter, options, depth)


def _representative(stored: Hashable) -> State:
    """A state of what is stored: a state, or all those that permutations make of one."""
    if isinstance(stored, State):
        return stored
    assert isinstance(stored, frozenset)
    found = next(iter(stored))
    assert isinstance(found, State)
    return found
