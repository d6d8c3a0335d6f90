"""How many steps a second native code takes, a batch of states at a time, without a search.

    python benchmarks/native_steps.py [--engine python] SPEC.tla …

Explores the states of each specification level by level through `steps_from`: with the parameters of every step, and
every state packed, as a Python object. Processor time, so that what else the machine does matters little.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from gristmill.building import build
from gristmill.checking.steps import native_steps, without_properties
from gristmill.evaluate import Context, Evaluator
from gristmill.native.run.steps import NativeSteps
from gristmill.reference.model import SpecificationModel
from gristmill.search import Model

DEFAULT = [
    "benchmarks/models/ThreeCounters.tla",
    "src/gristmill/examples/book/09-raft/Election.tla",
    "examples/TwoPhase.tla",
]


def measure(source: str, engine: str, most: int) -> str:
    model = build(Path(source)).model
    evaluator = Evaluator(model.variables, Context(model.variables, output=lambda line: None))
    with model.world.active():
        stepping: Model = (
            native_steps(model, evaluator)
            if engine == "native"
            else SpecificationModel(without_properties(model), evaluator)
        )
        states, steps, seconds = explore(stepping, most)
    left = f", {stepping.left:,} states left to the reference evaluator" if isinstance(stepping, NativeSteps) else ""
    return f"{Path(source).name:24} {states:>9,} states {steps:>10,} steps {steps / seconds:>11,.0f} steps/s{left}"


def explore(model: Model, most: int) -> tuple[int, int, float]:
    known = set(model.initial_states())
    level, steps, started = list(known), 0, time.process_time()
    while level and len(known) < most:
        following = []
        for taken in model.steps_from(level):
            steps += len(taken)
            for each in taken:
                if each.state not in known:
                    known.add(each.state)
                    following.append(each.state)
        level = following
    return len(known), steps, max(time.process_time() - started, 1e-6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specifications", nargs="*", default=DEFAULT)
    parser.add_argument("--engine", choices=("native", "python"), default="native")
    parser.add_argument("--states", type=int, default=300_000, help="stop when so many have been found")
    arguments = parser.parse_args()
    for source in arguments.specifications:
        print(measure(source, arguments.engine, arguments.states), flush=True)


if __name__ == "__main__":
    main()
