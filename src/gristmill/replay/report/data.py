"""The runs of a page as data for its script.

Texts are numbered, as most of them occur often; of values, a step has only those that were others before. Names of keys
are those that `static/run.js` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gristmill.replay.mapping.parts import Mapping
from gristmill.replay.report.entries import Entry
from gristmill.replay.report.words import gist
from gristmill.replay.result import KINDS, Comparison, Discrepancy, StepRun
from gristmill.replay.steps import ModelStep
from gristmill.report.page.texts import Texts
from gristmill.report.page.whole import script_json
from gristmill.report.style import printable
from gristmill.values.show import brief

_Pair = tuple[str, str | None]  # a variable, and the node if it is one's own


def page_json(mapping: Mapping, entries: Sequence[Entry]) -> str:
    """For a `script` element."""
    texts = Texts()
    with mapping.specification.world.active():
        runs = [_run(mapping, entry, texts) for entry in entries]
    unobserved = {name: printable(each.unobserved or "") for name, each in mapping.variables.items()}
    own = {"unobserved": unobserved, "noun": "step", "base": 0}
    return script_json({"runs": runs, "texts": list(texts.numbers), **own})


def _run(mapping: Mapping, entry: Entry, texts: Texts) -> dict[str, Any]:
    run = entry.run
    compared = [run.initial, *(step.comparisons for step in run.steps)]
    pairs = {pair: number for number, pair in enumerate(_pairs(mapping, compared))}
    steps, before = [], dict[_Pair, Comparison]()
    for number, comparisons in enumerate(compared):
        step = run.steps[number - 1] if number else None
        now = {(each.variable, each.node): each for each in comparisons}
        only_model = _rest(entry.trace, number, now, texts)
        steps.append({**_step(step, texts), **_values(pairs, before, now, texts), "model": only_model})
        before = now
    return {
        "pairs": [[texts(name), None if node is None else texts(node)] for name, node in pairs],
        "steps": steps,
        "opens": len(steps) - 1 if run.discrepancy is None else run.discrepancy.step,
        "discrepancy": None if run.discrepancy is None else _discrepancy(run.discrepancy, texts),
        "failures": [[texts(each.node or ""), texts(each.message), texts(each.log)] for each in run.failures],
        "end": None if entry.confirmation is None else texts(_end(entry)),
    }


def _end(entry: Entry) -> str:
    """What the last step has shown; where there is a discrepancy, that is told besides."""
    return entry.title if entry.run.discrepancy is not None else f"{entry.title}. {entry.told}"


def _pairs(mapping: Mapping, compared: Sequence[Sequence[Comparison]]) -> list[_Pair]:
    """All that was ever compared in a run, in the order of the specification's variables, then of nodes."""
    found = dict.fromkeys((each.variable, each.node) for step in compared for each in step)
    names = {name: place for place, name in enumerate(mapping.specification.variables)}
    nodes = {name: place for place, name in enumerate([None, *mapping.nodes])}
    return sorted(found, key=lambda pair: (names.get(pair[0], len(names)), nodes.get(pair[1], len(nodes))))


def _step(step: StepRun | None, texts: Texts) -> dict[str, Any]:
    if step is None:
        return {"action": texts("initial state"), "seconds": None, "moves": [], "unexpected": []}
    return {
        "action": texts(step.action),
        "seconds": [round(each, 5) for each in (step.run_seconds, step.observe_seconds, step.own_seconds)],
        "moves": [[each.what, texts(each.node or ""), texts(each.text)] for each in step.moves],
        "unexpected": [texts(each) for each in step.unexpected],
    }


def _values(
    pairs: dict[_Pair, int], before: dict[_Pair, Comparison], now: dict[_Pair, Comparison], texts: Texts
) -> dict[str, Any]:
    changed = [[pairs[pair], *_value(each, texts)] for pair, each in now.items() if before.get(pair) != each]
    return {"values": changed, "gone": [pairs[pair] for pair in before if pair not in now]}


def _value(each: Comparison, texts: Texts) -> Iterator[Any]:
    yield texts(each.model)
    yield texts(each.real)
    yield int(each.equal)
    yield texts(each.reading)
    yield [[texts(inside.path), texts(inside.model), texts(inside.real)] for inside in each.differences]


def _rest(
    trace: Sequence[ModelStep], number: int, compared: dict[_Pair, Comparison], texts: Texts
) -> list[list[int | None]]:
    """Variables that only the model has here: those that are not observed, or that it has not come to. Each with its
    value, and with the one before if that was another."""
    own = {name for name, _ in compared}
    now = trace[number].state.raw
    before = trace[number - 1].state.raw if number else now
    return [
        [texts(name), texts(brief(value)), None if before[name] == value else texts(brief(before[name]))]
        for name, value in now.items()
        if name not in own
    ]


def _discrepancy(found: Discrepancy, texts: Texts) -> dict[str, Any]:
    failure = found.failure
    return {
        "step": found.step,
        "title": texts(KINDS[found.kind]),
        "message": texts(gist(found)),
        "waiting": [texts(each) for each in found.waiting],
        "doing": [texts(each) for each in found.doing],
        "log": None if failure is None or not failure.log else texts(failure.log),
    }
