"""Reductions by themselves: what is inferred, what is refused, and that it is worth having."""

from __future__ import annotations

from dataclasses import replace

import pytest
from explore_protocols import clocks, two_messages

from gristmill.bench.dbss.paxos import Acceptor, Learner, Proposer, paxos
from gristmill.bench.dbss.register import register
from gristmill.explore import Message, Options, Process, System, aux, explore, invariant, on
from gristmill.explore.properties import View
from gristmill.explore.reductions.decomposition import infer
from gristmill.explore.reductions.stubborn import StaticReduction
from gristmill.explore.transitions import Rules
from gristmill.source import SourceError


class Note(Message):
    n: int


class Noting(Process):
    """Each field is auxiliary or not for a reason of its own."""

    def __init__(self) -> None:
        self.count = 0  # only counted
        self.log: list[int] = []  # only appended to
        self.table: dict[int, int] = {}  # only filled
        self.chained = 0  # flows into another auxiliary one
        self.deep = 0
        self.sent = 0  # flows into a message
        self.compared = 0  # decides whether something is sent
        self.hidden = 0  # by way of a local variable
        self.indexed: list[int] = []  # may raise
        self.looped = 0  # decides how a loop ends
        self.helped = 0  # by way of a method
        self.early = 0  # decides whether the rest happens

    @on(Note)
    def note(self, note: Note, sender: str) -> None:
        self.count += 1
        self.log.append(note.n)
        self.table[note.n] = self.count
        self.chained = self.chained + note.n
        if self.chained == 3:
            self.deep = 1
        if self.early == 1:
            return
        self.early = note.n
        self.send("b", Note(self.sent))
        if self.compared == 2:
            self.send("b", Note(0))
        seen = self.hidden
        if seen:
            self.sent += 1
        self.indexed[0] = 1
        while self.looped > 0:
            self.looped = 0
        if self.help():
            self.sent = 2

    def help(self) -> bool:
        return self.helped == 1


def test_auxiliary_fields_are_inferred() -> None:
    rules = Rules(System({"a": Noting(), "b": Noting()}))
    assert infer(rules).auxiliary[Noting] == {"count", "log", "table", "chained", "deep"}


def test_what_is_known_by_two_names_is_not_auxiliary_by_one() -> None:
    class Aliased(Process):
        def __init__(self) -> None:
            self.queue: list[int] = []
            self.view: list[int] = []
            self.secret = 0

        @on(Note)
        def note(self, note: Note, sender: str) -> None:
            self.view = self.queue
            self.view.append(self.secret)
            self.send("a", Note(len(self.queue)))

    assert infer(Rules(System({"a": Aliased()}))).auxiliary[Aliased] == frozenset()


def test_what_a_property_reads_is_relevant() -> None:
    @invariant
    def counted(state: View) -> bool:
        return bool(state["a"].count < 3)

    rules = Rules(System({"a": Noting(), "b": Noting()}, (counted,)))
    assert "count" not in infer(rules).auxiliary[Noting]


def test_the_paper_s_decomposition_is_found() -> None:
    found = infer(Rules(paxos())).auxiliary
    assert found == {kind: {"last"} for kind in (Proposer, Acceptor, Learner)}


class Claiming(Process):
    """Claims a field to be auxiliary that decides what is sent."""

    seen = aux(0)

    def start(self) -> None:
        if self.name == "a":
            self.send("b", Note(1))
            self.send("b", Note(2))

    @on(Note)
    def note(self, note: Note, sender: str) -> None:
        if self.seen == 2 and note.n == 3:
            self.send(sender, Note(4))
        self.seen = note.n
        if note.n == 1:
            self.send("b", Note(3))


@pytest.mark.parametrize("engine", ["python", "native"])
def test_an_unsound_claim_is_rejected_with_a_pair(engine: str) -> None:
    system = System({"a": Claiming(), "b": Claiming()})
    claimed = explore(system, Options(engine=engine))  # type: ignore[arg-type]
    assert any("because aux() says so" in caveat for caveat in claimed.caveats)
    with pytest.raises(SourceError, match=r"not sound.*seen: [012] and [012]"):
        explore(system, Options(verify_decomposition=True, engine=engine))  # type: ignore[arg-type]


def test_a_property_must_not_read_what_is_declared_auxiliary() -> None:
    @invariant
    def small(state: View) -> bool:
        return bool(state["a"].seen < 9)

    with pytest.raises(SourceError, match="declared auxiliary, and a property reads it"):
        explore(System({"a": Claiming(), "b": Claiming()}, (small,)))


def test_a_sound_decomposition_passes() -> None:
    for engine in ("python", "native"):
        result = explore(two_messages(), Options(verify_decomposition=True, engine=engine))  # type: ignore[arg-type]
        assert result.ok
        assert any("was tested on" in caveat for caveat in result.caveats)


def test_handlers_of_different_processes_commute_and_those_that_share_a_field_do_not() -> None:
    reduction = StaticReduction(Rules(paxos()))
    number = {f"{reduction.rules.names[a.process]}.{a.method}<{a.sender}": n for n, a in enumerate(reduction.actions)}
    dependent = reduction.dependent[number["a1.prepare<p1"]]
    assert dependent >> number["a1.accept<p2"] & 1
    assert not dependent >> number["a2.accept<p2"] & 1
    # A promise to p1 comes only from preparing for p1.
    assert reduction.producers[number["p1.promise<a1"]] == 1 << number["a1.prepare<p1"]


def test_reductions_reduce() -> None:
    """The figures of the table that do not depend on the machine."""
    counts = {
        name: explore(paxos(), options).counts.distinct
        for name, options in {
            "stateful": Options("dfs"),
            "dbss": Options("dbss"),
            "por": Options("dfs", por="static"),
            "dbss+por": Options("dbss", por="static"),
            "symmetry": Options("dbss", por="static", symmetry=True),
        }.items()
    }
    assert counts == {"stateful": 1069616, "dbss": 239783, "por": 46698, "dbss+por": 9564, "symmetry": 1810}


@pytest.mark.parametrize("search", ["dfs", "dbss"])
@pytest.mark.parametrize("por", ["none", "static"])
def test_symmetry_stores_orbits(search: str, por: str) -> None:
    for system in (paxos(1, 3), replace(register(3), properties=())) if por == "static" else (paxos(1, 3),):
        naive, native = (
            explore(system, Options(search, por, symmetry=True, engine=engine))  # type: ignore[arg-type]
            for engine in ("python", "native")
        )
        plain = explore(system, Options(search, por, engine="native"))  # type: ignore[arg-type]
        assert (naive.counts.distinct, naive.verdict) == (native.counts.distinct, native.verdict)
        assert native.counts.distinct < plain.counts.distinct


def test_processes_that_can_be_told_apart_are_not_symmetric() -> None:
    class Proud(Process):
        def __init__(self) -> None:
            self.first = False

        def start(self) -> None:
            self.send("c1", Note(0))

        @on(Note)
        def note(self, note: Note, sender: str) -> None:
            self.first = sender < "c2"

    system = System({"c1": Proud(), "c2": Proud(), "c3": Proud()}, symmetric=[("c2", "c3")])
    assert explore(system, Options(symmetry=True)).ok
    with pytest.raises(SourceError, match="can be told apart"):
        explore(replace(system, symmetric=[("c1", "c2")]), Options(symmetry=True))


def test_a_cycle_is_no_reason_to_put_something_off() -> None:
    for options in (Options("dfs"), Options("dfs", por="static"), Options("dbss", por="static")):
        assert explore(clocks(), options).ok
        assert explore(replace(clocks(), properties=(_not_noon,)), options).failure is not None


@invariant(name="not noon")
def _not_noon(state: View) -> bool:
    return bool(state["c0"].hour + state["c1"].hour != 4)


class Ticking(Process):
    """Goes round for ever, all by itself."""

    def __init__(self) -> None:
        self.tick = 0

    def start(self) -> None:
        self.send(self.name, Note(0))

    @on(Note)
    def note(self, note: Note, sender: str) -> None:
        self.tick = (self.tick + 1) % 2
        self.send(self.name, Note(0))


class Counting(Process):
    """Sends itself messages that commute with everybody's, and in the end has had enough."""

    def __init__(self) -> None:
        self.had = 0

    def start(self) -> None:
        self.send(self.name, Note(1))

    @on(Note)
    def note(self, note: Note, sender: str) -> None:
        self.had = note.n
        if note.n < 3:
            self.send(self.name, Note(note.n + 1))


@invariant
def never_enough(state: View) -> bool:
    return bool(state["z"].had < 3)


@pytest.mark.parametrize("search", ["dfs", "dbss"])
def test_nobody_is_put_off_for_ever_by_somebody_who_goes_round(search: str) -> None:
    """The cycle proviso: without it, only the one that ticks is ever scheduled."""
    system = System({"a": Ticking(), "z": Counting()}, (never_enough,))
    result = explore(system, Options(search, "dynamic"))  # type: ignore[arg-type]
    assert result.failure is not None


@invariant
def ticks(state: View) -> bool:
    return state["z"].tick in (0, 1)


def test_dynamic_reduction_reduces_what_is_before_a_cycle() -> None:
    processes = {name: Counting() for name in ("c", "d", "e")}
    system = System({**processes, "z": Ticking()}, (ticks,))
    whole, reduced = (explore(system, Options("dfs", por)) for por in ("none", "dynamic"))  # type: ignore[arg-type]
    assert whole.ok
    assert reduced.ok
    assert reduced.counts.distinct < whole.counts.distinct / 2
    assert not reduced.caveats
