"""Simulating a model with the reference evaluator."""

from __future__ import annotations

from dataclasses import replace

from gristmill.checking.options import Options
from gristmill.checking.reference import ReferenceExplorer
from gristmill.checking.run import Check, watched
from gristmill.checking.walks import Walks
from gristmill.ir.model import Model
from gristmill.reference.model import SpecificationModel
from gristmill.reference.statistics import Statistics
from gristmill.search import Result
from gristmill.search.result import Lengths, Simulation
from gristmill.search.simulate import simulate as simulate_model


def simulate(model: Model, options: Options, walks: Walks) -> Simulation:
    """Random behaviours of a model, checked along the way."""
    with model.world.active():
        run = _Simulate(model, options, walks)
        return Simulation(watched(run.run, options.limits), run.lengths, walks.seed)


class _Simulate(Check):
    says_what_grows = False

    def __init__(self, model: Model, options: Options, walks: Walks) -> None:
        super().__init__(model, replace(options, seed=walks.seed), ReferenceExplorer)
        self.walks = walks
        self.lengths = Lengths()
        mode = "generate" if walks.only_taken else "simulate"
        traces = -1 if walks.behaviours is None else walks.behaviours
        self.statistics = Statistics(model, mode, walks.seed, walks.depth, traces)
        self.statistics.attach(self.context)

    def explore(self, searchable: SpecificationModel) -> Result:
        walks, options = self.walks, self.options
        found = simulate_model(
            searchable,
            seed=walks.seed,
            behaviours=walks.behaviours,
            depth=walks.depth,
            first=walks.first,
            workers=walks.workers,
            only_taken=walks.only_taken,
            keep_going=options.keep_going,
            limits=options.limits,
            on_progress=options.on_progress,
            on_trace=walks.on_trace,
        )
        self.lengths = found.lengths
        return found.result
