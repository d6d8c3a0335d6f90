"""Random expressions and specifications, native code against the reference evaluator, as many as there is time for.

    python tests/native/differential.py expressions SEED BATCHES
    python tests/native/differential.py library SEED BATCHES
    python tests/native/differential.py specifications SEED COUNT
    python tests/native/differential.py effects SEED COUNT
    python tests/native/differential.py models SEED COUNT [--tlc CLASSPATH]

The tests run the first few of these. With `--tlc`, TLC is asked as well. What differs is told with its seed, and kept
as `differing/SEED.tla` and `.cfg`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))

from library_calls import ARGUMENTS, HEAD, calls
from native_expressions import Expressions
from random_effects import random_effects, random_printing
from random_expressions import CONFIG, FOOT, MODULE, VARIABLES
from random_expressions import Expressions as RandomExpressions
from random_models import random_model
from random_specifications import RandomSpecification, random_specification
from tlc import Answer, by_tlc, compared

import gristmill
from gristmill.evaluate.journal import Journal, Point
from gristmill.native.plan.layout import LEAF, Layout, layouts
from gristmill.search import State
from gristmill.source.stack import with_deep_stack
from gristmill.values import FALSE, TRUE, Fn, ModelValue, World, make_function, make_record


@dataclass(frozen=True)
class Difference:
    expression: str
    state: str
    reference: str
    native: str

    def __str__(self) -> str:
        return f"{self.expression}\n  in {self.state}\n  reference: {self.reference}\n  native:    {self.native}"


def states() -> list[State]:
    """Some states of the variables of random expressions, all of one layout."""
    a, b, c = (ModelValue(name) for name in ("p1", "p2", "p3"))

    def on_processes(*values: object) -> Fn:
        return make_function(zip((a, b, c), values, strict=True))  # type: ignore[return-value]

    def record(number: int, word: str) -> object:
        return make_record({"a": number, "s": word})

    def state(x: int, word: str, *some: int) -> State:
        numbers = frozenset(some)
        return (
            x,
            TRUE if x > 1 else FALSE,
            on_processes(x, 0, x + 1),
            on_processes(numbers, frozenset(), frozenset((x,))),
            record(x, word),
            numbers,
            tuple(some),
            on_processes(record(0, word), record(x, "v"), record(2, word)),
            (x, frozenset((word, "v"))),
            (frozenset((a,)), frozenset((a, c)), frozenset()),
            b if x > 1 else a,
        )

    return [state(0, "u"), state(1, "v", 1, 0), state(2, "w", 3, 1, 2), state(3, "u", 2, 2)]


def _layouts(cut: bool) -> tuple[Layout, ...]:
    return layouts(states(), len(VARIABLES)) if cut else (LEAF,) * len(VARIABLES)


def batch(seed: int, size: int, fallbacks: Counter[str]) -> Iterator[Difference]:
    """Compare `size` random expressions in all states; counts what only the reference evaluator could answer."""
    rng = Random(seed)
    texts = []
    for _ in range(size):
        random = RandomExpressions(rng, rng.choice((0.0, 0.01, 0.04)))
        texts.append(random.expression(random.type(2), rng.randint(2, 5)))
    yield from compare(texts, seed % 2 == 0, fallbacks)


def library_calls(seed: int, parts: int, fallbacks: Counter[str]) -> Iterator[Difference]:
    """The same for random calls of library operators: of one part of them, which the seed chooses."""
    texts = calls(seed, sorted(ARGUMENTS)[seed % parts :: parts])
    yield from compare(texts, seed // parts % 2 == 0, fallbacks, HEAD)


def compare(texts: list[str], cut: bool, fallbacks: Counter[str], head: str = MODULE) -> Iterator[Difference]:
    definitions = "\n".join(f"E{number} == {text}" for number, text in enumerate(texts))
    names = [f"E{number}" for number in range(len(texts))]
    both = Expressions(head + definitions + FOOT, CONFIG, names, lambda: _layouts(cut))
    try:
        for number, text in enumerate(texts):
            fallbacks["expressions"] += 1
            for state in states():
                yield from _compared(both, number, text, state, fallbacks)
    finally:
        both.close()


def _compared(both: Expressions, number: int, text: str, state: State, fallbacks: Counter[str]) -> Iterator[Difference]:
    expected = both.reference(number, state)
    fallbacks["an error" if expected.value is None else "a value"] += 1
    if not both.native[number]:
        fallbacks[f"no native form: {both.why_not(number)}"] += 1
        return
    found = both.natively(number, state)
    if found.value is None and expected.value is not None:
        fallbacks["failed natively"] += 1
        fallbacks[f"failed natively: {text}"] += 1
    elif found.value != expected.value or type(found.value) is not type(expected.value):
        shown = expected.reason if expected.value is None else repr(expected.value)
        yield Difference(text, repr(state), shown, repr(found.value))


# --- specifications --------------------------------------------------------------------------------------------------


def outcome(made: RandomSpecification, **how: Any) -> tuple[tuple[Any, ...], gristmill.Result]:
    """What must be the same with every engine."""
    result = gristmill.check(made.text, config=made.config, output=lambda _: None, **made.options, **how)
    counts = (result.distinct, result.generated, result.depth) if made.options["continue_"] or result.ok else ()
    shortest = result.trace is not None and result.verdict != "liveness"  # any lasso will do
    trace = len(result.trace) if shortest else None  # type: ignore[arg-type]
    return (result.verdict, result.property, trace, *counts), result


def differing(seed: int, workers: tuple[int, ...], seen: Counter[str]) -> Iterator[str]:
    yield from between_engines(random_specification(seed), seed, workers, seen)


def between_engines(
    made: RandomSpecification, seed: int, workers: tuple[int, ...], seen: Counter[str]
) -> Iterator[str]:
    expected, reference = outcome(made, engine="python")
    seen[expected[0]] += 1
    seen["distinct states"] += reference.distinct
    for count in workers:
        found, result = outcome(made, engine="native", workers=count)
        seen[f"by {result.engine}"] += 1
        for note in result.diagnostics:
            if note.id == "native-engine":
                seen[note.message] += 1
        if found != expected:
            yield f"seed {seed}, {count} workers: {found}, expected {expected}\n{result.message}\n{reference.message}"


# --- models, and TLC -------------------------------------------------------------------------------------------------


def differing_models(
    seed: int, workers: tuple[int, ...], seen: Counter[str], class_path: str | None = None
) -> Iterator[str]:
    made = random_model(seed)
    for difference in between_engines(made, seed, workers, seen):
        yield f"{difference}\nkept as {kept(made, seed)}"
    if class_path is None:
        return
    own, tlc = by_us(made), asked_of_tlc(made, class_path)
    found = "same" if meant(own, tlc) else compared(tlc, own)
    seen[f"TLC: {found}"] += 1
    if found != "same":
        yield f"seed {seed}: {found}\n  TLC {tlc}\n  own {own}\nkept as {kept(made, seed)}"


def by_us(made: RandomSpecification) -> Answer:
    result = gristmill.check(made.text, config=made.config, output=lambda _: None, engine="python", **made.options)
    counts = (result.distinct, result.generated, result.depth)
    return Answer(result.verdict, result.property, *counts, result.seconds, result.message)


def meant(own: Answer, tlc: Answer) -> bool:
    """Differences of docs/conformance.md: a symmetry that is none, more than 32 bits, `2 * -3`; an older library.

    And TLC evaluates constants before it searches, also in what we find no need to evaluate after a violation.
    """
    known = ("Unknown operator", "Overflow", "this big", "Precedence conflict", "Cannot cast")
    ahead = tlc.verdict == "error" and tlc.generated == 0 and own.verdict != "ok"
    return ahead or any(text in tlc.note for text in known) or "symmetr" in own.note.lower()


def asked_of_tlc(made: RandomSpecification, class_path: str) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        module, config = Path(folder, "Random.tla"), Path(folder, "Random.cfg")
        module.write_text(made.text)
        config.write_text(made.config)
        return by_tlc(module, config, 120, class_path, *(() if made.options["deadlock"] else ("-deadlock",)))


def kept(made: RandomSpecification, seed: int, folder: Path = Path("differing")) -> Path:
    folder.mkdir(exist_ok=True)
    module = folder / f"{seed}.tla"
    module.write_text(made.text)
    module.with_suffix(".cfg").write_text(made.config + f"\\* {made.options}\n")
    return module


# --- effects ---------------------------------------------------------------------------------------------------------


class Recording(Journal):
    """Remembers what each run of the search has printed, also if it had been printed before.

    The states may be searched once more, without their symmetry: what that prints, nobody sees.
    """

    of_search: ClassVar[Recording | None] = None
    runs: ClassVar[list[list[str]]] = []
    first: list[str]  # what was printed once for all

    @classmethod
    def anew(cls) -> None:
        cls.runs, cls.of_search = [[]], None

    def __init__(self, *args: Any) -> None:
        if Recording.of_search is None:
            Recording.of_search = self
        super().__init__(*args)

    def begin(self) -> None:
        super().begin()
        self.first = self.runs[-1][:]

    def restart(self) -> None:
        if Recording.of_search is self:
            self.runs.append(getattr(self, "first", [])[:])
        super().restart()

    def undo(self, point: Point) -> None:
        super().undo(point)
        if self.runs and Recording.of_search is self:
            del self.runs[-1][self._lines :]

    def print(self, text: str) -> None:
        if Recording.of_search is self:
            self.runs[-1].append(text)
        super().print(text)


def told(made: RandomSpecification, **how: Any) -> tuple[tuple[Any, ...], list[str], gristmill.Result]:
    """The outcome, and what was printed."""
    lines: list[str] = []
    result = gristmill.check(made.text, config=made.config, output=lines.append, **made.options, **how)
    trace = None if result.trace is None else [str(step.state) for step in result.trace]
    counts = (result.distinct, result.generated, result.depth, result.queue)
    return (result.verdict, result.property, result.message, trace, *counts), lines, result


def differing_effects(seed: int, seen: Counter[str]) -> Iterator[str]:
    """Of a search in order everything must be the same, also with an error in it."""
    yield from _differing_effects(random_effects(seed), seed, (1, 2), seen)


def differing_output(seed: int, seen: Counter[str]) -> Iterator[str]:
    """And of one where actions print, in any order, but for the counts of a search that ends at an initial state."""
    yield from _differing_effects(random_printing(seed), seed, (1, 2, 3), seen, initially=False)


def _differing_effects(
    made: RandomSpecification, seed: int, numbers: Sequence[int], seen: Counter[str], initially: bool = True
) -> Iterator[str]:
    expected, printed, _ = told(made, engine="python")
    seen[expected[0]] += 1
    seen["lines"] += len(printed)
    for workers in numbers:
        Recording.anew()
        with patch("gristmill.checking.native.Journal", Recording):
            found, lines, result = told(made, engine="native", workers=workers)
        seen[f"by {result.engine}"] += 1
        seen["in order"] += any("in order" in each.message for each in result.diagnostics)
        compared = None if initially or len(expected[3] or ()) != 1 or expected[0] == "deadlock" else 4
        if found[:compared] != expected[:compared]:
            yield f"seed {seed}, {workers} workers: {found}, expected {expected}"
        last = Recording.runs[-1]  # what the search itself has printed; the postcondition speaks afterwards
        if lines != printed or (len(Recording.runs) > 1 and last != printed[: len(last)]):
            yield f"seed {seed}, {workers} workers: printed {last}, expected {printed}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["expressions", "library", "specifications", "effects", "printing", "models"])
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--tlc", metavar="CLASSPATH", help="tla2tools.jar and the community modules; of models")
    asked = parser.parse_args()
    seen: Counter[str] = Counter()
    compare_one: dict[str, Callable[[int], Iterator[object]]] = {
        "expressions": lambda seed: batch(seed, 100, seen),
        "library": lambda seed: library_calls(seed, 4, seen),
        "specifications": lambda seed: differing(seed, (1, 2), seen),
        "effects": lambda seed: differing_effects(seed, seen),
        "printing": lambda seed: differing_output(seed, seen),
        "models": lambda seed: differing_models(seed, (1, 2), seen, asked.tlc),
    }
    differences = 0
    for seed in range(asked.seed, asked.seed + asked.count):
        with World().active():  # for values that are no part of a run
            found = list(compare_one[asked.what](seed))
        differences += len(found)
        for difference in found:
            print(f"seed {seed}: {difference}", flush=True)
        if seed % 10 == 0:
            print(f"seed {seed}, {differences} differences", flush=True)
    for reason, number in seen.most_common(60):
        print(number, reason)
    print(f"{asked.count} {asked.what} from seed {asked.seed} on, {differences} differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    with_deep_stack(main)
