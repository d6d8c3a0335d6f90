"""What the evaluator asks of values, one operation at a time."""

import contextvars
import pickle
from collections.abc import Callable

import pytest

from gristmill.values import (
    ANY,
    BOOLEAN,
    FALSE,
    INT,
    NAT,
    REAL,
    TRUE,
    BigUnion,
    EvaluationError,
    Filter,
    Fn,
    FunctionSet,
    Interval,
    ModelValue,
    NoWorldError,
    PowerSet,
    SequenceSet,
    Value,
    World,
    add,
    append,
    apply,
    big_union,
    boolean,
    cardinality,
    check_storable,
    contains,
    current,
    difference,
    elements,
    enumerate_set,
    equal,
    except_path,
    filter_set,
    from_python,
    intersect,
    interval,
    is_enumerable,
    make_function,
    make_record,
    make_set,
    make_tuple,
    merge,
    normalize,
    ordered,
    power,
    pretty,
    select_seq,
    show,
    single,
    subset_of,
    tabulate,
    to_python,
    union,
)
from gristmill.values.json import from_itf, from_json, to_itf, to_json


def message(compute: Callable[[], object]) -> str:
    with pytest.raises(EvaluationError) as caught:
        compute()
    return f"{caught.value.id}: {caught.value}"


# --- representation --------------------------------------------------------------------------------------------------


def test_true_is_not_one() -> None:
    assert len({TRUE, 1}) == 2
    assert boolean(1 < 2) is TRUE
    assert not FALSE
    assert pickle.loads(pickle.dumps(FALSE)) is FALSE
    assert ordered(BOOLEAN) == (FALSE, TRUE)


def test_there_is_one_model_value_of_a_name() -> None:
    assert ModelValue("n1") is ModelValue("n1")
    assert pickle.loads(pickle.dumps(ModelValue("n1"))) is ModelValue("n1")
    assert [ModelValue(name).type for name in ("p_1", "p_", "pq", "null_1")] == ["p", None, None, None]


def test_functions_on_one_to_n_are_tuples() -> None:
    assert make_function([(2, "b"), (1, "a")]) == ("a", "b")
    assert make_function([]) == make_record({}) == ()
    assert tabulate(Interval(1, 3), lambda x: x * x) == (1, 4, 9)
    assert tabulate(make_set([2, 1]), lambda x: x) == (1, 2)
    assert type(tabulate(Interval(0, 1), lambda x: x)) is Fn
    assert tabulate(Interval(1, 0), lambda x: x) == ()


def test_a_record_is_a_function_on_strings() -> None:
    record = make_record({"b": 1, "a": 2})
    assert record == make_function([("a", 2), ("b", 1)]) == tabulate(make_set(["a", "b"]), lambda x: record[x])
    assert list(record) == ["b", "a"]


def test_functions_do_not_change() -> None:
    function = make_record({"a": 1})
    with pytest.raises(TypeError):
        function["a"] = 2
    with pytest.raises(TypeError):
        function.update(a=2)
    changed = function.replace("a", 2)
    assert (function, changed) == ({"a": 1}, {"a": 2})
    assert hash(changed) == hash(make_record({"a": 2}))


def test_parts_are_in_normal_form() -> None:
    assert make_tuple([Interval(1, 2)]) == (frozenset((1, 2)),)
    assert make_set([Interval(1, 2), make_set([1, 2])]) == {frozenset((1, 2))}
    assert make_record({"a": PowerSet(make_set([1]))}) == {"a": frozenset((frozenset(), frozenset((1,))))}
    assert append((), Interval(1, 0)) == (frozenset(),)


def test_the_arguments_of_a_function_can_be_compared() -> None:
    assert message(lambda: make_function([(1, 1), ("a", 2)])).startswith("incomparable-values")


# --- order -----------------------------------------------------------------------------------------------------------


def test_names_stand_in_the_order_of_registration() -> None:
    names = World()
    names.register_all(["b", "a"])
    assert (names.register("a"), names.register("c"), names.register("b")) == (1, 2, 0)


def test_each_world_has_its_own_order() -> None:
    letters = frozenset(("a", "b"))
    one, other = World(["b", "a"]), World(["a", "b"])
    for _ in range(2):
        with one.active():
            assert ordered(letters) == ("b", "a")
            with other.active():
                assert ordered(letters) == ("a", "b")
            assert ordered(letters) == ("b", "a")


def test_without_a_world_there_is_no_order() -> None:
    letters = frozenset(("a", "b"))
    with pytest.raises(NoWorldError, match="no run is active"):
        contextvars.Context().run(ordered, letters)


def test_strings_that_nobody_registered_stand_alphabetically() -> None:
    assert ordered(frozenset("hgfedcba")) == tuple("abcdefgh")


# --- sets ------------------------------------------------------------------------------------------------------------


def test_infinite_sets_answer_membership_only() -> None:
    assert [contains(each, -1) for each in (NAT, INT, REAL, ANY)] == [False, True, True, True]
    assert contains(SequenceSet(NAT), (1, 2))
    assert contains(FunctionSet(Interval(1, 2), NAT), (1, 2))
    assert contains(PowerSet(NAT), make_set([1, 2]))
    assert not contains(PowerSet(NAT), make_set([1, -2]))
    assert not is_enumerable(FunctionSet(Interval(1, 2), NAT))
    assert message(lambda: list(enumerate_set(NAT))) == (
        "not-enumerable: the set Nat is infinite: it cannot be enumerated"
    )
    assert message(lambda: cardinality(SequenceSet(make_set([1])))).startswith("not-enumerable")


def test_sizes_need_no_enumeration() -> None:
    assert cardinality(PowerSet(Interval(1, 100))) == 2**100
    assert cardinality(FunctionSet(Interval(1, 50), Interval(1, 10))) == 10**50
    assert cardinality(FunctionSet(make_set([]), make_set([]))) == 1
    assert not equal(PowerSet(Interval(1, 100)), make_set([]))
    assert message(lambda: normalize(PowerSet(Interval(1, 100)))).startswith("set-too-large")


def test_choosing_from_a_huge_set_is_quick() -> None:
    assert next(s for s in enumerate_set(PowerSet(Interval(1, 100))) if len(s) == 2) == {1, 2}


def test_combining_lazy_sets_stays_lazy() -> None:
    assert contains(union(NAT, make_set([-5])), -5)
    assert show(difference(NAT, make_set([1]))) == "Nat \\ {1}"
    assert intersect(NAT, make_set([-1, 1])) == {1}
    assert difference(make_set([-1, 1]), NAT) == {-1}
    assert union(make_set([]), NAT) is NAT
    assert list(enumerate_set(intersect(PowerSet(Interval(1, 2)), PowerSet(NAT)))) == [
        frozenset(),
        {1},
        {2},
        {1, 2},
    ]


def test_union_of_a_set_of_sets() -> None:
    assert big_union(make_set([make_set([1]), make_set([1, 2])])) == {1, 2}
    assert contains(big_union(make_set([NAT])), 3)
    assert message(lambda: big_union(make_set([1]))).startswith("not-a-set")


def test_the_parts_of_a_lazy_union_come_one_behind_the_other() -> None:
    """As TLC does it in `x' \\in (SUBSET S) \\cup T`, where T is enumerated first."""
    both = union(PowerSet(make_set([1, 2])), make_set([make_set([2]), make_set([7])]))
    assert [sorted(each) for each in elements(both)] == [[2], [7], [], [1], [2], [1, 2]]
    assert [sorted(each) for each in enumerate_set(both)] == [[], [1], [2], [7], [1, 2]]


def test_filters() -> None:
    def even(value: Value) -> bool:
        return bool(value % 2 == 0)

    assert filter_set(Interval(1, 4), even) == {2, 4}
    lazy = filter_set(NAT, even, "x % 2 = 0")
    assert type(lazy) is Filter
    assert contains(lazy, 2)
    assert not contains(lazy, 3)
    assert show(lazy) == "{x \\in Nat : x % 2 = 0}"
    assert message(lambda: list(enumerate_set(lazy))).startswith("not-enumerable")
    assert "needs a set" in message(lambda: filter_set(5, even))


def test_inclusion() -> None:
    assert subset_of(Interval(1, 10**12), NAT)
    assert not subset_of(Interval(-1, 10**12), NAT)
    assert subset_of(PowerSet(Interval(1, 50)), PowerSet(Interval(0, 50)))
    assert subset_of(make_set([1, 2]), INT)
    assert message(lambda: subset_of(NAT, make_set([1]))).startswith("not-enumerable")
    assert message(lambda: subset_of(make_set([1]), 1)).startswith("not-a-set")


# --- functions -------------------------------------------------------------------------------------------------------


def test_except_changes_what_a_path_leads_to() -> None:
    state = make_record({"log": (1, (2, 3)), "term": 0})
    assert except_path(state, ["log", 2, 1], lambda old: old + 40) == {"log": (1, (42, 3)), "term": 0}
    assert except_path(state, ["term"], lambda _: Interval(1, 2)) == {"log": (1, (2, 3)), "term": {1, 2}}


def test_except_outside_the_domain_warns_and_changes_nothing() -> None:
    warnings: list[tuple[Value, Value]] = []
    state = make_record({"log": (1, 2)})
    assert except_path(state, ["log", 7], lambda old: old, lambda *found: warnings.append(found)) is state
    assert warnings == [((1, 2), 7)]


def test_functions_of_the_module_tlc() -> None:
    assert single("a", 1) == {"a": 1}
    assert single(1, "x") == ("x",)
    assert merge((7, 8), single(3, 9)) == (7, 8, 9)
    assert merge(make_record({"a": 1}), make_record({"a": 2, "b": 3})) == {"a": 1, "b": 3}


def test_application_finds_normal_forms() -> None:
    function = make_function([(make_set([1, 2]), "yes")])
    assert apply(function, Interval(1, 2)) == "yes"


def test_messages_show_the_operation_and_the_value() -> None:
    current().register_all(["a"])
    assert message(lambda: apply((1, 2), 3)) == "not-in-domain: the index 3 is not in the domain of <<1, 2>>"
    assert message(lambda: apply(make_record({"a": 1}), "b")) == (
        'no-such-field: the record [a |-> 1] has no field "b"'
    )
    assert message(lambda: apply(5, 1)) == "not-a-function: an integer is applied like a function: 5[1]"
    assert message(lambda: add(1, "a")) == 'not-an-integer: the second operand of + is a string, not an integer: "a"'
    assert message(lambda: contains(5, 1)) == "not-a-set: \\in needs a set, not an integer: 5"
    assert message(lambda: equal("a", TRUE)) == (
        'incomparable-values: a string and a Boolean cannot be compared: "a" and TRUE'
    )
    assert "has type p" in message(lambda: equal(1, ModelValue("p_1")))
    assert len(message(lambda: equal(make_set(range(1000)), 1))) < 600


def test_errors_can_be_pickled() -> None:
    error = EvaluationError("not-a-set", "no set: {value}", value=5)
    assert str(pickle.loads(pickle.dumps(error))) == "no set: 5"


def test_powers() -> None:
    assert power(2, 100) == 2**100
    assert power(-1, 10**12) == 1
    assert message(lambda: power(2, 10**9)).startswith("integer-too-large")
    assert message(lambda: power(2, -1)).startswith("negative-exponent")


def test_sequences_can_be_filtered() -> None:
    assert select_seq((1, 2, 3), lambda x: bool(x > 1)) == (2, 3)
    assert interval(1, 3) == Interval(1, 3)


# --- states ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        lambda: NAT,
        lambda: make_tuple([1, NAT]),
        lambda: make_record({"a": make_set([SequenceSet(NAT)])}),
        lambda: make_tuple([make_set([1, "a"])]),
        lambda: make_function([(make_set([TRUE, 1]), 1), (make_set([]), 2)]),
    ],
)
def test_what_no_state_can_hold(value: Callable[[], Value]) -> None:
    with pytest.raises(EvaluationError):
        check_storable(value())


def test_what_states_hold() -> None:
    check_storable(make_tuple([1, Interval(1, 3), make_record({"a": make_set([1, ModelValue("m")])})]))


# --- outside ---------------------------------------------------------------------------------------------------------


def test_from_python_and_back() -> None:
    thing = {"a": [1, True], "b": {("x", 1)}, "c": {1: "one", 5: "five"}}
    value = from_python(thing)
    assert show(value) == '[a |-> <<1, TRUE>>, b |-> {<<"x", 1>>}, c |-> (1 :> "one" @@ 5 :> "five")]'
    assert to_python(value) == {"a": (1, True), "b": {("x", 1)}, "c": {1: "one", 5: "five"}}
    assert to_python(from_python([{"r": 1}])) == ({"r": 1},)
    assert type(to_python(from_python([{"r": 1}]))[0]) is dict
    records = from_python(frozenset([from_python({"ok": True})]))
    assert to_python(records) == {Fn({"ok": True})}
    assert message(lambda: from_python(1.5)).startswith("no-tla-value")


def test_plain_json() -> None:
    value = from_python({"a": {3, 1}, "b": {ModelValue("m"): 1}, "c": False})
    assert to_json(value) == {"a": [1, 3], "b": {"m": 1}, "c": False}
    assert from_json({"a": [1, {"b": True}]}) == make_record({"a": (1, make_record({"b": TRUE}))})
    assert message(lambda: from_json(None)).startswith("no-tla-value")
    assert message(lambda: to_json(make_tuple([NAT]))).startswith("not-enumerable")


def test_itf() -> None:
    value = make_record({"s": make_set([2, 1]), "t": (1, TRUE), "f": make_function([(0, "z"), (5, "y")]), "n": 2**70})
    assert to_itf(value) == {
        "s": {"#set": [1, 2]},
        "t": {"#tup": [1, True]},
        "f": {"#map": [[0, "z"], [5, "y"]]},
        "n": {"#bigint": str(2**70)},
    }
    assert from_itf(to_itf(value)) == value
    assert from_itf([{"#bigint": "3"}, "m"], ["m"]) == (3, ModelValue("m"))


def test_wide_values_are_broken_as_tlc_breaks_them() -> None:
    current().register_all(["log", "votes"])
    value = make_record({"log": tuple(range(10)), "votes": make_function([(5, make_set(["abc"])), (9, ())])})
    assert pretty(value, 100) == show(value)
    assert pretty(value, 30) == "\n".join(
        [
            "[ log |->",
            "      << 0,",
            *(f"         {n}," for n in range(1, 9)),
            "         9 >>,",
            "  votes |->",
            '      ( 5 :> {"abc"} @@',
            "        9 :> <<>> ) ]",
        ]
    )


def test_lazy_sets_are_listed_if_they_are_small() -> None:
    assert show(Interval(1, 5)) == "1..5"
    assert show(Interval(5, 1)) == "{}"
    assert show(PowerSet(Interval(1, 9))) == "SUBSET (1..9)"
    assert show(FunctionSet(Interval(1, 9), Interval(1, 9))) == "[1..9 -> 1..9]"
    assert show(SequenceSet(NAT)) == "Seq(Nat)"
    assert show(BigUnion(make_set([Interval(1, 2), Interval(2, 3)]))) == "{1, 2, 3}"


def test_a_large_set_in_a_message_is_named_by_its_elements() -> None:
    told = message(lambda: contains(FunctionSet(make_set(range(6)), make_set(range(6))), make_set([])))
    assert told == "incomparable-values: whether {}, a set, is an element of a set of functions cannot be told"
