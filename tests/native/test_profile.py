"""What a profile says of native runs: what was compiled, what was not and why, and what asking Python cost."""

from __future__ import annotations

from dataclasses import replace

from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.report import terminal
from gristmill.search import Result
from gristmill.search.profile import Part, Profile

# `Up` has assignments in an \A over a set that is not a constant, `Odd` a quantifier without a bound where it is never
# evaluated: neither has a native form.
LEFT = r"""---- MODULE Left ----
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\ y = 0
Up == x < 50 /\ x' = x + 1 /\ \A i \in {y} : y' = i
Over == y < 20 /\ y' = y + 1 /\ x' = x
Small == x <= 50 /\ y <= 20
Odd == x <= 50 \/ (\E z : z = x)
Next == Up \/ Over
===="""
CONFIG = "INIT Init NEXT Next INVARIANT Small INVARIANT Odd CHECK_DEADLOCK FALSE"


def profiled(engine: str) -> tuple[Result, Profile]:
    options = Options(engine=engine, profile=True)  # type: ignore[arg-type]
    result = check(build(LEFT, config=CONFIG).model, options)
    assert (result.verdict, result.distinct) == ("ok", 51 * 21)
    assert result.profile is not None
    return result, result.profile


def part(profile: Profile, kind: str, name: str) -> Part:
    (found,) = [each for each in profile.parts if (each.kind, each.name) == (kind, name)]
    return found


def test_what_is_left_to_the_reference_evaluator_is_named_with_its_cost() -> None:
    result, profile = profiled("native")
    assert result.engine == "native"
    up, over = part(profile, "action", "Up"), part(profile, "action", "Over")
    assert (up.native, up.calls, up.generated, up.distinct) == (False, 51 * 21, 50 * 21, 50)
    assert up.reason == r"\A with assignments in it, over a set that is not known beforehand"
    assert up.seconds > 0
    assert (over.native, over.calls, over.seconds, over.reason) == (True, 0, 0.0, None)
    odd, small = part(profile, "invariant", "Odd"), part(profile, "invariant", "Small")
    assert (odd.native, odd.reason, odd.calls) == (False, "an unbounded quantifier", 51 * 21)
    assert (small.native, small.calls) == (True, 0)


def test_phases_of_a_native_run() -> None:
    result, profile = profiled("native")
    names = [phase.name for phase in profile.phases]
    assert {"sample", "generate", "wait", "search", "compile"} <= set(names)
    assert sum(phase.seconds for phase in profile.phases if not phase.beside) <= result.seconds
    assert profile.layouts == 1
    assert profile.first_native_state is None or profile.first_native_state > 0
    assert profile.memory is not None
    assert profile.memory.state > 0
    assert profile.memory.table >= profile.memory.state * result.distinct


def test_a_run_of_the_reference_evaluator() -> None:
    _, profile = profiled("python")
    assert profile.reason == "--engine python was asked for"
    assert profile.memory is None
    assert not any(each.native for each in profile.parts)
    assert part(profile, "action", "Up").calls == 51 * 21
    assert part(profile, "invariant", "Odd").calls == 51 * 21
    assert part(profile, "action", "Over").generated == 51 * 20


def test_nothing_is_measured_unless_asked() -> None:
    assert check(build(LEFT, config=CONFIG).model, Options(engine="python")).profile is None


def test_the_most_expensive_comes_first_in_the_table() -> None:
    result, profile = profiled("python")
    dear = [replace(each, seconds=9.0 if each.name == "Small" else 1.0) for each in profile.parts]
    text = terminal.render_result(replace(result, profile=replace(profile, parts=tuple(dear))))
    table = text[text.index("evaluated") :]
    assert table.splitlines()[1].startswith("invariant Small")
    assert "explored by the reference evaluator (--engine python was asked for)" in text


def test_initial_states_that_native_code_gives_up_on() -> None:
    """An integer that does not fit, on the way."""
    text = r"""---- MODULE Large ----
EXTENDS Integers
VARIABLES x, y
Init == x \in {40, 42} /\ y = (2^x * 2^x) \div 2^55
Next == UNCHANGED <<x, y>>
===="""
    result = check(build(text, config="INIT Init NEXT Next").model, Options(engine="native", profile=True))
    assert (result.engine, result.verdict, result.distinct) == ("native", "ok", 2)
    assert result.profile is not None
    initial = part(result.profile, "initial", "Init")
    assert (initial.native, initial.reason, initial.calls) == (False, "native code gave up", 1)
