"""Actions taken one at a time on a part of the variables, and values as numbers of native code."""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gristmill.building import build
from gristmill.checking.steps import without_properties
from gristmill.evaluate import Context, Evaluator
from gristmill.native.codec import Encoder, decode, encode
from gristmill.native.emit.generate import generate
from gristmill.native.errors import NoNativeFormError
from gristmill.native.plan.layout import LEAF
from gristmill.native.run.compiled import compile_text
from gristmill.native.run.engine import Engine
from gristmill.native.run.numbers import Numbers
from gristmill.native.run.taking import Taker
from gristmill.reference.model import SpecificationModel
from gristmill.values import FALSE, TRUE, Fn, ModelValue, Value, World, from_python, make_record

# `given` is what the parameter k of actions is put into.
BOX = r"""---- MODULE Box ----
EXTENDS Integers, Sequences
VARIABLES inbox, ghost, count, log, given
Init == inbox = {} /\ ghost = 5 /\ count = 0 /\ log = <<>> /\ given = 0
Take == \E m \in inbox : /\ count' = count + m.by /\ log' = Append(log, m)
                         /\ inbox' = (inbox \ {m}) \cup {[kind |-> "done", by |-> count']}
                         /\ ghost' = ghost + 1 /\ UNCHANGED given
Look == \E m \in inbox : count' = m.by /\ UNCHANGED <<inbox, ghost, log, given>>
Send == /\ inbox' = inbox \cup {[kind |-> "note", by |-> given], [kind |-> "copy", log |-> log]}
        /\ UNCHANGED <<ghost, count, log, given>>
Either == (count' = given \/ count' = -given) /\ UNCHANGED <<inbox, ghost, log, given>>
Fail == count' = log[given] /\ UNCHANGED <<inbox, ghost, log, given>>
Next == Take \/ Look \/ Send \/ Either \/ Fail
====
"""
TAKE, LOOK, SEND, EITHER, FAIL = range(5)
COUNT, LOG = 2, 3  # the variables that are handed over


class Program:
    def __init__(self) -> None:
        model = without_properties(build(BOX).model)
        evaluator = Evaluator(model.variables, Context(model.variables))
        layouts = (LEAF,) * len(model.variables)
        self.world = model.world
        with self.world.active():
            self.generated = generate(model, layouts, (4,) * len(layouts), lambda code: evaluator.value(code)(), True)
            self.library = compile_text(self.generated.text, self.generated.cost)
            self.searchable = SpecificationModel(model, evaluator)

    def taker(self) -> Taker:
        engine = Engine(self.generated, self.library, self.searchable)
        return Taker(engine, (frozenset(), 5, 0, (), 0), (COUNT, LOG), sent=0, given=4)


@pytest.fixture(scope="module")
def program() -> Program:
    return Program()


@pytest.fixture
def taker(program: Program) -> Iterator[Taker]:
    with program.world.active():
        found = program.taker()
        yield found
        found.close()


def given_number(taker: Taker, value: Value) -> bytes:
    return taker.number(value).to_bytes(4, "little")


def message(by: int) -> Value:
    return make_record({"kind": "add", "by": by})


def test_a_message_is_consumed_and_answered(taker: Taker) -> None:
    arrived, state = message(3), taker.pack((4, ()))
    ((after, gone, sent),) = taker.take(TAKE, state, taker.number(arrived), b"") or []
    assert taker.values(after) == (7, (arrived,))
    assert gone
    assert [taker.value(each) for each in sent] == [make_record({"kind": "done", "by": 7})]


def test_a_message_that_stays(taker: Taker) -> None:
    ((after, gone, sent),) = taker.take(LOOK, taker.pack((4, ())), taker.number(message(9)), b"") or []
    assert (taker.values(after), gone, sent) == ((9, ()), False, ())


def test_no_message(taker: Taker) -> None:
    assert taker.take(TAKE, taker.pack((4, ())), 0, b"") == []


def test_several_messages_are_sent(taker: Taker) -> None:
    state = taker.pack((4, (message(1),)))
    ((after, gone, sent),) = taker.take(SEND, state, 0, given_number(taker, 1 << 40)) or []
    assert (after, gone) == (state, False)
    note, copy = make_record({"kind": "note", "by": 1 << 40}), make_record({"kind": "copy", "log": (message(1),)})
    assert {taker.value(each) for each in sent} == {note, copy}


def test_several_steps(taker: Taker) -> None:
    found = taker.take(EITHER, taker.pack((4, ())), 0, given_number(taker, 6)) or []
    assert [taker.values(after) for after, _, _ in found] == [(6, ()), (-6, ())]


def test_what_cannot_be_evaluated_is_left(taker: Taker) -> None:
    assert taker.take(FAIL, taker.pack((4, ())), 0, given_number(taker, 1)) is None
    assert taker.take(FAIL, taker.pack((4, (8,))), 0, given_number(taker, 1)) is not None


def test_more_than_there_is_room_for(taker: Taker) -> None:
    """Room is made, and the action taken again."""
    taker._make_room(4)
    found = taker.take(EITHER, taker.pack((4, ())), 0, given_number(taker, 6)) or []
    assert len(found) == 2


def followed(
    taker: Taker, plan: int, values: tuple[Value, ...], record: Value
) -> list[tuple[object, bool, set[Value]]]:
    assert isinstance(record, Fn)
    number, steps = taker.follow(plan, taker.pack(values), taker.parts(record)) or (0, [])
    assert taker.value(number) == record
    return [(taker.values(after), gone, {taker.value(each) for each in sent}) for after, gone, sent in steps]


def test_a_plan_for_messages_that_arrive(taker: Taker) -> None:
    """All actions of the plan are taken, the record is made of its parts, and parameters come from where it says."""
    arrived = message(3)
    plan = taker.plan([(TAKE, [0]), (LOOK, [])], taker.number(5), tuple(arrived), arrives=True)
    done = make_record({"kind": "done", "by": 7})
    assert followed(taker, plan, (4, ()), arrived) == [((7, (arrived,)), True, {done}), ((3, ()), False, set())]


def test_a_plan_for_messages_that_are_sent(taker: Taker) -> None:
    """Only steps by which this very record is sent; `by` of it is the parameter."""
    note, copy = make_record({"kind": "note", "by": 8}), make_record({"kind": "copy", "log": ()})
    by = 2 + list(note).index("by")
    plan = taker.plan([(SEND, [by]), (EITHER, [by])], taker.number(5), tuple(note), arrives=False)
    assert followed(taker, plan, (4, ()), note) == [((4, ()), False, {note, copy})]
    assert followed(taker, plan, (4, ()), make_record({"kind": "other", "by": 8})) == []


def test_a_plan_that_cannot_be_followed(taker: Taker) -> None:
    record = make_record({"kind": "note", "by": 1})
    assert isinstance(record, Fn)
    by = 2 + list(record).index("by")
    plan = taker.plan([(SEND, [by]), (FAIL, [by])], taker.number(5), tuple(record), arrives=False)
    assert taker.follow(plan, taker.pack((4, ())), taker.parts(record)) is None
    taker._make_room(4)
    assert taker.follow(plan, taker.pack((4, (8,))), taker.parts(record)) is not None


def test_states_move_to_another_engine(taker: Taker, program: Program) -> None:
    values = (1 << 40, (message(1), message(2)))
    packed = taker.pack(values)
    other = program.taker()
    for number in range(100):
        other.number(message(number))
    moved = other.pack_from(taker, packed)
    assert other.values(moved) == values
    assert moved == other.pack(values)
    other.close()
    other.close()  # as often as one likes


NAMES = st.sampled_from(["kind", "by", "log", "a name"])
INTEGERS = st.integers(-(1 << 60), (1 << 60) - 1) | st.integers(-5, 300) | st.sampled_from([1 << 29, -(1 << 29)])
ON_ONE_ENGINE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
PLAIN = st.recursive(
    INTEGERS | NAMES | st.booleans() | st.just(ModelValue("m")),
    lambda parts: (
        st.lists(parts, max_size=3).map(tuple)
        | st.dictionaries(NAMES, parts, max_size=3)
        | st.frozensets(INTEGERS, max_size=3)
    ),
    max_leaves=8,
)


@ON_ONE_ENGINE
@given(PLAIN)
def test_values_as_numbers_and_back(taker: Taker, plain: object) -> None:
    value = from_python(plain)
    number = taker.number(value)
    assert number == taker.number(from_python(plain))
    assert taker.value(number) == value
    forgetful = Numbers(taker.engine)
    assert forgetful.value(number) == value
    assert forgetful.number(value) == number


@ON_ONE_ENGINE
@given(st.dictionaries(NAMES, PLAIN, min_size=1, max_size=4))
def test_the_parts_of_a_record(taker: Taker, plain: dict[str, object]) -> None:
    value = from_python(plain)
    assert isinstance(value, Fn)
    number, parts = taker.record(value)
    assert number == taker.number(value)
    assert parts == tuple(taker.number(each) for each in value.values())


@pytest.mark.parametrize("large", [1 << 60, -(1 << 60) - 1, 1 << 70])
def test_an_integer_that_is_too_large(taker: Taker, large: int) -> None:
    with pytest.raises(NoNativeFormError):
        taker.number((large,))


@given(PLAIN)
def test_the_quick_encoder(plain: object) -> None:
    """What it writes means the same; integers are written otherwise."""
    with World().active():
        value = from_python(plain)
        quick = Encoder()
        for _ in range(2):
            assert decode(quick.encode(value)) == value == decode(encode(value))


def test_booleans_are_no_numbers(taker: Taker) -> None:
    assert len({taker.number(each) for each in (0, 1, TRUE, FALSE)}) == 4
    assert unpack("<I", given_number(taker, -1))[0] >> 31 == 1
