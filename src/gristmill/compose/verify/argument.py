"""What follows from the conditions, and why, in sentences; and if one fails, what does not follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gristmill.compose.verify.result import Finding, InvariantResult, Outcome, UnitResult
from gristmill.trace import Shown


def outcome_of(units: Sequence[UnitResult], findings: Sequence[Finding]) -> Outcome:
    """One rejection rejects; all must have been decided, and explored to the end, to prove something."""
    if any(each.failures for each in units) or any(each.severity == "rejects" for each in findings):
        return "rejected"
    complete = all(_is_explored(each) for each in units)
    return "proven" if complete and not any(each.severity == "undecided" for each in findings) else "incomplete"


def _is_explored(unit: UnitResult) -> bool:
    """To the end: a specification may end its search itself, and then says "ok"."""
    return unit.explored is not None and unit.explored.verdict == "ok" and not unit.explored.queue


def invariants_of(outcome: Outcome, units: Sequence[UnitResult], names: Sequence[str]) -> Iterator[InvariantResult]:
    """Which hold of the whole."""
    for name in names:
        having = [each for each in units if each.composition is not None and _has(each, name)]
        holding = tuple(each.name for each in having if name not in each.violated and _is_explored(each))
        violated = [each.name for each in having if name in each.violated]
        if not having:
            yield InvariantResult(name, None, (), _unavailable(units, name))
        elif outcome != "proven":
            yield InvariantResult(name, None, holding, "it may hold of compositions, but nothing follows for the whole")
        elif holding:
            yield InvariantResult(name, True, holding)
        elif violated:
            reason = f"it is violated in {_compositions(violated)}, which may do more than the whole"
            yield InvariantResult(name, None, (), reason)
        else:
            yield InvariantResult(name, None, (), "no composition that has it was explored to its end")


def _has(unit: UnitResult, name: str) -> bool:
    return unit.composition is not None and any(each.name == name for each in unit.composition.invariants)


def _unavailable(units: Sequence[UnitResult], name: str) -> str:
    for unit in units:
        for each in unit.composition.unavailable if unit.composition is not None else ():
            if each.invariant.name == name:
                return f"no composition can speak of it; in C({unit.name}): {each.reason}"
    return "no composition can speak of it"


# --------------------------------------------------------------------------------------------------------- in sentences


def argument(
    system: str,
    constants: Shown,
    outcome: Outcome,
    units: Sequence[UnitResult],
    findings: Sequence[Finding],
    invariants: Sequence[InvariantResult],
    grains: str = "every module fine",
    premises: Sequence[str] = (),
) -> tuple[str, ...]:
    """`grains`: those of the whole; `premises`: what else it rests on, in sentences."""
    bounds = f"{grains} and {', '.join(f'{name} = {value}' for name, value in constants)}" if constants else grains
    if outcome == "rejected":
        return tuple(_rejected(system, units, findings))
    if outcome == "incomplete":
        return tuple(_incomplete(system, units, findings))
    return (*_proven(system, bounds, units), *_conclusions(invariants), *premises, _NOTHING_ELSE)


_NOTHING_ELSE = (
    "Nothing follows for liveness, for deadlock, for formulas with ENABLED, or for other constants than these."
)


def _proven(system: str, bounds: str, units: Sequence[UnitResult]) -> Iterator[str]:
    yield (
        f"Let S be {system} with {bounds}, and C(M) the same with M fine and the other modules coarse:"
        f" {_compositions([each.name for each in units])}."
    )
    yield "O0  Every initial state of S is one of each composition, on the variables that the composition keeps."
    yield "O1  The actions of each composition read only variables that it keeps."
    yield (
        "O2  What a module writes to variables that only other modules read, its coarse grain writes, too: the same"
        " values to the same parts, whatever was there before."
    )
    for unit in units:
        explored = unit.explored
        assert explored is not None
        seen = f"({', '.join((*unit.observed, *unit.foreign))})" if unit.observed or unit.foreign else "(nothing)"
        steps = sum(each.taken for each in unit.action_map)
        yield (
            f"O3  Each of the {steps:,} steps of {unit.name} in C({unit.name}), which has {explored.distinct:,} states,"
            f" is one of its coarse grain, or changes nothing that other modules see {seen}."
        )
    yield (
        "By induction on its length, every finite behaviour of S is one of each composition, on the variables of that:"
        " a step of M from a state of S is a step of C(M), since its actions read nothing else (O1); so it is one of"
        " the coarse grain of M, or invisible (O3), and every other composition, which has that grain, can take it"
        " (O1, O2)."
    )


def _conclusions(invariants: Sequence[InvariantResult]) -> Iterator[str]:
    for each in invariants:
        if each.holds:
            yield f"Hence {each.name}, which holds in {_compositions(each.in_)}, holds of S."
        else:
            yield f"Whether {each.name} holds of S does not follow: {each.reason}."
    if not invariants:
        yield "Hence every invariant over the variables of a composition that holds there holds of S."


def _rejected(system: str, units: Sequence[UnitResult], findings: Sequence[Finding]) -> Iterator[str]:
    rejecting = [each for each in findings if each.severity == "rejects"]
    bad = list(dict.fromkeys([each.name for each in units if each.failures] + [f.unit for f in rejecting if f.unit]))
    for unit in units:
        for step in unit.failures:
            yield (
                f"{step.action}, of {unit.name}, can take a step that others see and that the coarse grain cannot take:"
                f" compositions where {unit.name} is coarse overlook what comes after it."
            )
    for name in bad:
        others = [each.name for each in units if each.name != name]
        if others:
            yield f"So {_compositions(others)} {'does' if len(others) == 1 else 'do'} not cover {system}."
    yield (
        "What holds in a composition holds of that composition only. No invariant of the whole follows from any of"
        " them, as the argument for each needs all coarse grains."
    )


def _incomplete(system: str, units: Sequence[UnitResult], findings: Sequence[Finding]) -> Iterator[str]:
    for unit in units:
        if unit.explored is None:
            yield f"C({unit.name}) was not explored."
        elif unit.explored.verdict != "ok":
            yield (
                f"C({unit.name}) was not explored to its end ({unit.explored.message}): {unit.explored.distinct:,}"
                " states, and no step among them that the coarse grain cannot take."
            )
    for each in findings:
        if each.severity == "undecided":
            yield f"Undecided for {each.unit or system}: {each.diagnostic.message}."
    yield f"Nothing was found that speaks against the grains, and nothing follows for {system} yet."


def _compositions(names: Iterable[str]) -> str:
    each = [f"C({name})" for name in names]
    return each[0] if len(each) == 1 else f"{', '.join(each[:-1])} and {each[-1]}"
