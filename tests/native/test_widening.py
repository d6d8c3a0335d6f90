"""Too many values for slots of one byte: those that have many get two, and the search goes on, or begins anew."""

from __future__ import annotations

import pytest

import gristmill
from gristmill.native.plan.layout import LEAF, different, widened, widths
from gristmill.native.run.engine import Engine

COUNTER = r"""---- MODULE Counter ----
EXTENDS Naturals
VARIABLES flags, n
Init == flags = [i \in 1..8 |-> FALSE] /\ n = 0
Next == /\ n < 700 /\ n' = n + 1
        /\ \E i \in 1..8 : flags' = [j \in 1..8 |-> j = i]
===="""


def test_only_what_has_many_values_gets_wider(monkeypatch: pytest.MonkeyPatch) -> None:
    first = "gristmill.checking.head_start.first_level"
    monkeypatch.setattr(first, lambda searchable, seconds: list(searchable.initial_states()))
    result = gristmill.check(COUNTER, config="INIT Init NEXT Next", deadlock=False, engine="native", profile=True)
    assert (result.engine, result.verdict, result.distinct) == ("native", "ok", 1 + 8 * 700)
    assert result.profile is not None
    assert result.profile.memory is not None
    assert (result.profile.layouts, result.profile.memory.state) == (2, 12)  # eight bytes, and two; in words of four


LEAVES = (LEAF, LEAF, LEAF)


def test_what_was_seen_says_how_wide_slots_are() -> None:
    """Numbers and names in one byte, other values in two; in four, if many of them were new until the end."""
    few = [(n % 3, (n % 3,), (n,)) for n in range(100)]
    assert widths(few, LEAVES) == (1, 2, 4)
    assert widths([(n, (n,), n % 2) for n in range(30)], LEAVES) == (2, 2, 1)


def test_one_slot_gets_wider_at_least() -> None:
    assert widened([1, 3, 2], [1, 1, 2], 1, LEAVES) == [2, 2, 2]  # of a few states, nobody can tell
    assert widened([1, 100, 100], [1, 1, 2], 1, LEAVES) == [1, 2, 2]
    assert widened([1, 1, 100], [1, 1, 2], 2, LEAVES) == [1, 1, 4]


def test_values_of_packed_states_are_counted_by_slot() -> None:
    states = [bytes([n, n // 2, 0, n % 3]) for n in range(12)]
    assert different(states, [1, 2, 1]) == [1, 12, 3]


# --- the search goes on where it was ---------------------------------------------------------------------------------

# Values of n and of the set come later than those that the sample has; `last` has more than two bytes are enough for.
GROWING = r"""---- MODULE Growing ----
EXTENDS Naturals, FiniteSets, Sequences, TLC
VARIABLES n, some, last, flags
Init == n \in 0..2 /\ some = {} /\ last = <<>> /\ flags = [i \in 1..3 |-> FALSE]
Add == /\ n < Most /\ n' = n + 1
       /\ some' = {(n * 7) % 400} \cup {e \in some : e > n} /\ last' = <<n, some>> /\ UNCHANGED flags
Flip == \E i \in 1..3 : flags' = [flags EXCEPT ![i] = ~@] /\ UNCHANGED <<n, some, last>>
Clear == some # {} /\ some' = {} /\ n % 5 = 0 /\ UNCHANGED <<n, last, flags>>
Say == n = SaidAt /\ PrintT(<<"here", flags>>) /\ last' = <<>> /\ UNCHANGED <<n, some, flags>>
Next == Add \/ Flip \/ Clear SAY
Small == n < Bad
Cut == flags # [i \in 1..3 |-> TRUE] \/ n % 3 # 0
Perhaps == n # 290 \/ Cardinality(some) < 100
===="""


def growing(engine: str, workers: int = 1, say: str = "", **options: object) -> tuple[gristmill.Result, list[str]]:
    lines: list[str] = []
    constants = {"Most": 700, "SaidAt": -1, "Bad": 10_000} | dict(options.pop("constants", {}))  # type: ignore[call-overload]
    text = GROWING.replace("VARIABLES", "CONSTANTS Most, SaidAt, Bad\nVARIABLES", 1).replace("SAY", say)
    result = gristmill.check(
        text, config="INIT Init NEXT Next", deadlock=False, engine=engine, workers=workers, constants=constants,
        constraints=["Cut"], invariants=["Small", "Perhaps"], output=lines.append, profile=True, **options,
    )  # type: ignore[arg-type]  # fmt: skip
    return result, lines


def agree(python: tuple[gristmill.Result, list[str]], native: tuple[gristmill.Result, list[str]]) -> None:
    for name in ("verdict", "property", "message", "distinct", "generated", "depth", "queue"):
        assert getattr(python[0], name) == getattr(native[0], name), name
    assert [step.state for step in python[0].trace or ()] == [step.state for step in native[0].trace or ()]
    assert {row.name: (row.distinct, row.generated) for row in python[0].coverage} == {
        row.name: (row.distinct, row.generated) for row in native[0].coverage
    }
    assert python[1] == native[1]


@pytest.fixture
def little_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts are made from the initial states alone, and slots have one byte each."""
    first = "gristmill.checking.head_start.first_level"
    monkeypatch.setattr(first, lambda searchable, seconds: list(searchable.initial_states()))
    monkeypatch.setattr("gristmill.native.plan.layout._least_width", lambda column, early: 1)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The engines that were opened: another one for each search that begins anew."""
    opened: list[object] = []
    make = Engine.__init__

    def noted(self: Engine, *arguments: object, **named: object) -> None:
        opened.append(self)
        make(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "__init__", noted)
    return opened


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("more", [{}, {"constants": {"Bad": 600}}, {"depth": 400}])
def test_it_goes_on(workers: int, more: dict[str, object], little_seen: None, begun: list[object]) -> None:
    native = growing("native", workers, **more)
    agree(growing("python", **more), native)
    assert native[0].profile is not None
    assert native[0].profile.layouts > 1
    assert len(begun) == 1


ALIKE = r"""---- MODULE Alike ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS P, None
VARIABLES at, seen, turn
Init == at = [p \in P |-> 0] /\ seen = {} /\ turn = None
Move(p) == /\ at[p] < 13 /\ turn' = p /\ at' = [at EXCEPT ![p] = @ + 1]
           /\ seen' = {<<p, at[p], turn>>} \cup {e \in seen : e[2] >= at[p]}
Next == \E p \in P : Move(p)
Symmetry == Permutations(P)
View == <<at, seen>>
===="""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("how", ["SYMMETRY Symmetry", "VIEW View", "SYMMETRY Symmetry VIEW View"])
def test_with_keys(how: str, workers: int, little_seen: None, begun: list[object]) -> None:
    found = [
        gristmill.check(
            ALIKE, config=f"INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANTS P = {{a, b, c}} None = None {how}",
            engine=engine, workers=workers if engine == "native" else 1, profile=True,
        )
        for engine in ("python", "native")
    ]  # type: ignore[call-overload]  # fmt: skip
    agree((found[0], []), (found[1], []))
    assert found[1].profile is not None
    assert (found[1].engine, found[1].profile.layouts > 1, len(begun)) == ("native", True, 1)


@pytest.mark.parametrize("at", [-1, 5, 650])
def test_in_a_search_in_order(at: int, little_seen: None, begun: list[object]) -> None:
    """What was printed is not printed again."""
    native = growing("native", say=r"\/ Say", constants={"SaidAt": at})
    agree(growing("python", say=r"\/ Say", constants={"SaidAt": at}), native)
    assert len(begun) == 1


@pytest.mark.parametrize("before", [True, False])
def test_a_state_that_has_had_effects_is_not_expanded_twice(
    before: bool, little_seen: None, begun: list[object]
) -> None:
    """Where it prints in every state, before what does not fit or after it, and counts in a register."""
    say = r"\/ (TLCSet(1, n) /\ PrintT(<<n, TLCGet(1)>>) /\ x' = 2 /\ UNCHANGED <<n, some, last, flags>>)"
    text = GROWING.replace("VARIABLES", "VARIABLES x,").replace("Init ==", "Init == x = 0 /\\")
    text = text.replace("UNCHANGED", "x' = x /\\ UNCHANGED", 3)
    text = text.replace("SAY", say) if not before else text.replace("Next == Add", f"Next == FALSE {say} \\/ Add")
    found = []
    for engine in ("python", "native"):
        lines: list[str] = []
        result = gristmill.check(
            text.replace("SAY", "").replace("Most", "300").replace("SaidAt", "0").replace("Bad", "1000"),
            config="INIT Init NEXT Next", deadlock=False, engine=engine, output=lines.append,
        )  # type: ignore[call-overload]  # fmt: skip
        found.append((result, lines))
    agree(found[0], found[1])
    assert found[1][0].engine == "native"
    assert len(begun) > 1 or not before


@pytest.mark.parametrize("most", [300, 700])
def test_states_between_actions_are_counted_once(most: int, little_seen: None, begun: list[object]) -> None:
    text = GROWING.replace("SAY", r"\/ Flip \cdot Add").replace("SaidAt", "0").replace("Bad", "1000")
    text = text.replace("Most", str(most))
    found = [
        gristmill.check(text, config="INIT Init NEXT Next", deadlock=False, engine=engine)  # type: ignore[call-overload]
        for engine in ("python", "native")
    ]
    agree((found[0], []), (found[1], []))
    assert (found[1].engine, len(begun)) == ("native", 1)


@pytest.mark.parametrize("options", [{"fingerprint": True}, {"memory": 2 << 30}])
def test_where_more_than_states_belongs_to_it_it_begins_anew(
    options: dict[str, object], little_seen: None, begun: list[object]
) -> None:
    agree(growing("python"), growing("native", **options))
    assert len(begun) > 1


def test_more_values_than_two_bytes_can_number(little_seen: None, begun: list[object]) -> None:
    text = r"""---- MODULE Long ----
EXTENDS Naturals
VARIABLES n, m
Init == n = 0 /\ m = 0
Next == n < 70000 /\ n' = n + 1 /\ m' = n \div 300
===="""
    result = gristmill.check(text, config="INIT Init NEXT Next", deadlock=False, engine="native", profile=True)
    assert (result.distinct, result.generated, result.depth) == (70001, 70001, 70001)
    assert result.profile is not None
    assert result.profile.layouts == 3
    assert len(begun) == 1


# What the model sees of the search: the level decides what is explored, and counts are part of states.
LEVEL = r"""---- MODULE Level ----
EXTENDS Naturals, Sequences, TLC
VARIABLES n, last
Init == n = 0 /\ last = <<>>
Add == n' = n + 1 /\ last' = <<n, NOTED>>
Back == n > 1 /\ n' = n - 2 /\ last' = <<n, n % 7>>
Next == Add \/ Back
Bound == TLCGet("level") < 290
Seen == <<n, last, TLCGet("level") % 2>>
===="""


@pytest.mark.parametrize(
    ("noted", "workers", "view"),
    [
        ("0", 1, ""),
        ("0", 3, ""),
        ('TLCGet("level") % 4', 1, ""),
        ('TLCGet("level") % 4', 3, ""),
        ('TLCGet("distinct")', 1, ""),
        ('TLCGet("generated")', 1, ""),
        ("0", 1, "VIEW Seen"),
        ("0", 2, "VIEW Seen"),
    ],
)
def test_where_it_is_can_be_seen(noted: str, workers: int, view: str, little_seen: None, begun: list[object]) -> None:
    """A VIEW may have the level in it, and what counts states cannot be asked twice: such a search begins anew."""
    found = [
        gristmill.check(
            LEVEL.replace("NOTED", noted), config=f"INIT Init NEXT Next CONSTRAINT Bound {view}", deadlock=False,
            engine=engine, workers=workers if engine == "native" else 1, profile=True,
        )
        for engine in ("python", "native")
    ]  # type: ignore[call-overload]  # fmt: skip
    agree((found[0], []), (found[1], []))
    assert found[1].profile is not None
    assert (found[1].engine, found[1].profile.layouts > 1) == ("native", True)
    assert (len(begun) == 1) == (view == "" and noted in ("0", 'TLCGet("level") % 4'))
