"""Facts about TLC, each observed by evaluating the expression in the name of the case with it."""

from collections.abc import Callable

import pytest

from gristmill.values import (
    FALSE,
    INT,
    NAT,
    STRING,
    TRUE,
    BigUnion,
    CrossProduct,
    EvaluationError,
    Filter,
    FunctionSet,
    Interval,
    ModelValue,
    PowerSet,
    SequenceSet,
    Value,
    World,
    apply,
    boolean,
    cardinality,
    concat,
    contains,
    current,
    difference,
    divide,
    domain,
    enumerate_set,
    equal,
    except_at,
    head,
    intersect,
    is_finite,
    length,
    make_function,
    make_record,
    make_set,
    make_tuple,
    modulo,
    normalize,
    power,
    record_set,
    show,
    subseq,
    subset_of,
    tabulate,
    tail,
    union,
)
from gristmill.values.vocabulary import BUILTIN, words_of

u, v = ModelValue("u"), ModelValue("v")
X_a, X_b, Y_c = ModelValue("X_a"), ModelValue("X_b"), ModelValue("Y_c")
ERROR = "an error"


def record(**fields: Value) -> Value:
    return make_record(fields)


def s(*items: Value) -> Value:
    return make_set(items)


def t(*items: Value) -> Value:
    return make_tuple(items)


def constant(arguments: Value, value: Value) -> Value:
    return tabulate(arguments, lambda _: value)


@pytest.fixture(autouse=True)
def names_in_order_of_appearance(in_a_world: None) -> None:
    current().register_all(NAMES)


def result(compute: Callable[[], object]) -> str:
    try:
        found = compute()
    except EvaluationError as error:
        return ERROR if str(error) else "an error without a message"
    return show(boolean(found) if isinstance(found, bool) else found)


NAMES = "u v X_a X_b Y_c a b f g q r x".split()
with World(NAMES).active():  # the order in which tests have the names, too
    EQUALITY = [
        ("<<1, 2>> = [a |-> 1]", t(1, 2), record(a=1), "FALSE"),
        ("[a |-> 1] = <<1, 2>>", record(a=1), t(1, 2), ERROR),
        ("<<1>> = [a |-> 1]", t(1), record(a=1), ERROR),
        ("1 = u", 1, u, "FALSE"),
        ("u = 1", u, 1, "FALSE"),
        ("X_a = 1", X_a, 1, ERROR),
        ("1 = X_a", 1, X_a, ERROR),
        ("X_a = u", X_a, u, "FALSE"),
        ("u = X_a", u, X_a, "FALSE"),
        ("X_a = Y_c", X_a, Y_c, ERROR),
        ("X_a = X_b", X_a, X_b, "FALSE"),
        ("{1, u, 3} = {u, 1, 4}", s(1, u, 3), s(u, 1, 4), "FALSE"),
        ('<<1, "a">> = <<2, 3>>', t(1, "a"), t(2, 3), "FALSE"),
        ('<<1, "a">> = <<1, 3>>', t(1, "a"), t(1, 3), ERROR),
        ('{1, 2} = {"a"}', s(1, 2), s("a"), "FALSE"),
        ('{1, 2} = {"a", "b"}', s(1, 2), s("a", "b"), ERROR),
        ("{1} = 1", s(1), 1, ERROR),
        ("{} = 1", s(), 1, ERROR),
        ('{} = {"a"}', s(), s("a"), "FALSE"),
        ("<<>> = [a |-> 1]", t(), record(a=1), "FALSE"),
        ("[a |-> 1] = <<>>", record(a=1), t(), "FALSE"),
        ("<<>> = [x \\in {} |-> 1]", t(), constant(s(), 1), "TRUE"),
        ("Nat = Int", NAT, INT, "FALSE"),
        ("Nat = {1}", NAT, s(1), ERROR),
        ("{1} = Nat", s(1), NAT, ERROR),
        ("STRING = Nat", STRING, NAT, ERROR),
        ("Seq({1}) = Seq({2})", SequenceSet(s(1)), SequenceSet(s(2)), "FALSE"),
        ("[x \\in {u, v} |-> 1] = <<1, 1>>", constant(s(u, v), 1), t(1, 1), ERROR),
        ("<<1, 1>> = [x \\in {u, v} |-> 1]", t(1, 1), constant(s(u, v), 1), ERROR),
        ("[x \\in {5} |-> 1] = [a |-> 1]", constant(s(5), 1), record(a=1), ERROR),
        ("[x \\in {5, 6} |-> 1] = [a |-> 1]", constant(s(5, 6), 1), record(a=1), "FALSE"),
        ("[a |-> 1] = [x \\in {5, 6} |-> 1]", record(a=1), constant(s(5, 6), 1), ERROR),
        ('[x \\in {"a", "b"} |-> 1] = [a |-> 1]', constant(s("a", "b"), 1), record(a=1), "FALSE"),
        ("[x \\in 0..1 |-> 1] = <<1, 1>>", constant(Interval(0, 1), 1), t(1, 1), "FALSE"),
        ("TRUE = 1", TRUE, 1, ERROR),
        ('"a" = 1', "a", 1, ERROR),
        ('[a |-> 1] = "a"', record(a=1), "a", ERROR),
        ('[f |-> 1, g |-> "a"] = [f |-> 1, g |-> 2]', record(f=1, g="a"), record(f=1, g=2), ERROR),
        ('[f |-> 1, g |-> "a"] = [f |-> 2, g |-> 2]', record(f=1, g="a"), record(f=2, g=2), "FALSE"),
        ("<<Nat>> = <<Nat>>", t(NAT), t(NAT), "TRUE"),
        ("1..3 = {1, 2, 3}", Interval(1, 3), s(1, 2, 3), "TRUE"),
        ("{1..3} = {{1, 2, 3}}", s(Interval(1, 3)), s(s(1, 2, 3)), "TRUE"),
        ("SUBSET {1} = {{}, {1}}", PowerSet(s(1)), s(s(), s(1)), "TRUE"),
        ("SUBSET Nat = SUBSET Nat", PowerSet(NAT), PowerSet(NAT), "TRUE"),
        ("[Nat -> {1}] = [Nat -> {1}]", FunctionSet(NAT, s(1)), FunctionSet(NAT, s(1)), "TRUE"),
        ("{u} = {1}", s(u), s(1), "FALSE"),
        ("{X_a} = {1}", s(X_a), s(1), ERROR),
        ('{<<1, 2>>, <<"a", 2>>} = {<<1, 2>>}', s(t(1, 2), t("a", 2)), s(t(1, 2)), ERROR),
    ]


@pytest.mark.parametrize(("text", "left", "right", "expected"), EQUALITY, ids=[case[0] for case in EQUALITY])
def test_equality(text: str, left: Value, right: Value, expected: str) -> None:
    for side in (left, right):
        if isinstance(side, frozenset):
            make_set(side)  # made before the reset, which forgets that it is not quite right
    assert result(lambda: equal(left, right)) == expected


with World(NAMES).active():  # the order in which tests have the names, too
    MEMBERSHIP = [
        ("u \\in 1..3", u, Interval(1, 3), "FALSE"),
        ("u \\in Nat", u, NAT, "FALSE"),
        ("u \\in SUBSET {1}", u, PowerSet(s(1)), ERROR),
        ("u \\in [{1} -> {2}]", u, FunctionSet(s(1), s(2)), "FALSE"),
        ("u \\in [a: {2}]", u, record_set({"a": s(2)}), "FALSE"),
        ("u \\in {1} \\X {2}", u, CrossProduct((s(1), s(2))), "FALSE"),
        ("u \\in Seq({1})", u, SequenceSet(s(1)), "FALSE"),
        ("u \\in STRING", u, STRING, "FALSE"),
        ('"a" \\in 1..0', "a", Interval(1, 0), "FALSE"),
        ('"a" \\in 1..1', "a", Interval(1, 1), ERROR),
        ('"a" \\in {}', "a", s(), "FALSE"),
        ('"a" \\in {1}', "a", s(1), ERROR),
        ('"a" \\in Nat', "a", NAT, ERROR),
        ("[a |-> 1] \\in {[b |-> 1]}", record(a=1), s(record(b=1)), "FALSE"),
        ('[a |-> 1] \\in {[a |-> "x"]}', record(a=1), s(record(a="x")), ERROR),
        ('[a |-> 1, b |-> 1] \\in {[a |-> "x"]}', record(a=1, b=1), s(record(a="x")), "FALSE"),
        ('<<1>> \\in {[a |-> "x"]}', t(1), s(record(a="x")), ERROR),
        ('[a |-> "x"] \\in {<<1>>}', record(a="x"), s(t(1)), ERROR),
        ('1 \\in {1, "a"}', 1, s(1, "a"), "TRUE"),
        ('<<1, 2>> \\in [{"a", "b"} -> {1, 2}]', t(1, 2), FunctionSet(s("a", "b"), s(1, 2)), ERROR),
        ('<<1, 2>> \\in [{"a"} -> {1, 2}]', t(1, 2), FunctionSet(s("a"), s(1, 2)), "FALSE"),
        ('{"a"} \\in SUBSET {1}', s("a"), PowerSet(s(1)), ERROR),
        ("3 \\in {x \\in Nat : x < 4}", 3, Filter(NAT, lambda x: bool(x < 4)), "TRUE"),
        ("-1 \\in Nat \\cup {-1}", -1, union(NAT, s(-1)), "TRUE"),
    ]


@pytest.mark.parametrize(("text", "value", "collection", "expected"), MEMBERSHIP, ids=[case[0] for case in MEMBERSHIP])
def test_membership(text: str, value: Value, collection: Value, expected: str) -> None:
    assert result(lambda: contains(collection, value)) == expected


PRINTED: list[tuple[str, Callable[[], object], str]] = [
    ("SUBSET {3, 1, 2}", lambda: PowerSet(s(3, 1, 2)), "{{}, {1}, {2}, {3}, {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}}"),
    (
        "[{2, 1} -> {TRUE, FALSE}]",
        lambda: FunctionSet(s(2, 1), s(TRUE, FALSE)),
        "{<<FALSE, FALSE>>, <<FALSE, TRUE>>, <<TRUE, FALSE>>, <<TRUE, TRUE>>}",
    ),
    (
        "[b: {1, 2}, a: {3, 4}]",
        lambda: record_set({"b": s(1, 2), "a": s(3, 4)}),
        "{[a |-> 3, b |-> 1], [a |-> 3, b |-> 2], [a |-> 4, b |-> 1], [a |-> 4, b |-> 2]}",
    ),
    ("{3, 1} \\X {2}", lambda: CrossProduct((s(3, 1), s(2))), "{<<1, 2>>, <<3, 2>>}"),
    ("{u, 3, 1, v}", lambda: s(u, 3, 1, v), "{u, v, 1, 3}"),
    ("{{1, 2, 3}, {4}, {}, {2, 1}}", lambda: s(s(1, 2, 3), s(4), s(), s(2, 1)), "{{}, {4}, {1, 2}, {1, 2, 3}}"),
    ("{<<2>>, <<1, 1>>, <<>>, <<1>>}", lambda: s(t(2), t(1, 1), t(), t(1)), "{<<>>, <<1>>, <<2>>, <<1, 1>>}"),
    (
        "{[x \\in {7, 8} |-> 1], [x \\in {3, 9} |-> 5], <<3, 4>>}",
        lambda: s(constant(s(7, 8), 1), constant(s(3, 9), 5), t(3, 4)),
        "{<<3, 4>>, (3 :> 5 @@ 9 :> 5), (7 :> 1 @@ 8 :> 1)}",
    ),
    ("{X_b, X_a, u}", lambda: s(X_b, X_a, u), "{u, X_a, X_b}"),
    ("UNION {1..2, {3}}", lambda: normalize(BigUnion(s(Interval(1, 2), s(3)))), "{1, 2, 3}"),
    ("Nat \\cup {-1}", lambda: union(NAT, s(-1)), "{-1} \\cup Nat"),
    ("DOMAIN <<1, 2>>", lambda: domain(t(1, 2)), "1..2"),
    ("DOMAIN [b |-> 1, a |-> 2]", lambda: domain(record(b=1, a=2)), '{"a", "b"}'),
    ("{Nat, Int}", lambda: s(NAT, INT), "{Nat, Int}"),
    ("{1, u} \\cup {u, 2}", lambda: union(s(1, u), s(u, 2)), "{u, 1, 2}"),
    ('{1} \\cup {"a"}', lambda: union(s(1), s("a")), ERROR),
    ('{1} \\cap {"a"}', lambda: intersect(s(1), s("a")), ERROR),
    ('{1} \\ {"a"}', lambda: difference(s(1), s("a")), ERROR),
    ('{1} \\subseteq {"a"}', lambda: subset_of(s(1), s("a")), ERROR),
    ('Cardinality({1, "a"})', lambda: cardinality(s(1, "a")), ERROR),
    ("Cardinality(SUBSET (1..4) \\cup {{1}})", lambda: cardinality(union(PowerSet(Interval(1, 4)), s(s(1)))), "16"),
    ("IsFiniteSet({x \\in Nat : x < 3})", lambda: is_finite(Filter(NAT, lambda x: bool(x < 3))), ERROR),
    ("IsFiniteSet(Nat \\cap Int)", lambda: is_finite(intersect(NAT, INT)), ERROR),
    ("IsFiniteSet(Nat \\ Int)", lambda: is_finite(difference(NAT, INT)), ERROR),
    ("0 ^ 0", lambda: power(0, 0), ERROR),
    ("(-7) \\div 2", lambda: divide(-7, 2), "-4"),
    ("7 \\div (-2)", lambda: divide(7, -2), "-4"),
    ("(-7) % 2", lambda: modulo(-7, 2), "1"),
    ("7 % (-2)", lambda: modulo(7, -2), ERROR),
    ("[<<1, 2>> EXCEPT ![3] = 1]", lambda: except_at(t(1, 2), 3, 1), "<<1, 2>>"),
    ('[<<1, 2>> EXCEPT !["a"] = 1]', lambda: except_at(t(1, 2), "a", 1), ERROR),
    ("[[a |-> 1] EXCEPT !.b = 1]", lambda: except_at(record(a=1), "b", 1), "[a |-> 1]"),
    ("[[a |-> 1] EXCEPT ![1] = 1]", lambda: except_at(record(a=1), 1, 1), ERROR),
    ("[[x \\in {1, 5} |-> 1] EXCEPT ![6] = 1]", lambda: except_at(constant(s(1, 5), 1), 6, 1), "(1 :> 1 @@ 5 :> 1)"),
    ('[[x \\in {1, 5} |-> 1] EXCEPT !["a"] = 1]', lambda: except_at(constant(s(1, 5), 1), "a", 1), ERROR),
    ("[5 EXCEPT ![6] = 1]", lambda: except_at(5, 6, 1), ERROR),
    ("SubSeq(<<1, 2>>, 2, 1)", lambda: subseq(t(1, 2), 2, 1), "<<>>"),
    ("SubSeq(<<1, 2>>, 0, 1)", lambda: subseq(t(1, 2), 0, 1), ERROR),
    ("SubSeq(<<1, 2>>, 1, 3)", lambda: subseq(t(1, 2), 1, 3), ERROR),
    ("Head(<<>>)", lambda: head(t()), ERROR),
    ('Head("abc")', lambda: head("abc"), ERROR),
    ('Tail("abc")', lambda: tail("abc"), '"bc"'),
    ('"ab" \\o "c"', lambda: concat("ab", "c"), '"abc"'),
    ("Len([x \\in 1..3 |-> x])", lambda: length(tabulate(Interval(1, 3), lambda x: x)), "3"),
    ('[a |-> 1]["a"]', lambda: apply(record(a=1), "a"), "1"),
    ("[a |-> 1].b", lambda: apply(record(a=1), "b"), ERROR),
    ("<<1, 2>>[3]", lambda: apply(t(1, 2), 3), ERROR),
    ('<<1, 2>>["a"]', lambda: apply(t(1, 2), "a"), ERROR),
    ('[x \\in {1, 5} |-> 2]["a"]', lambda: apply(constant(s(1, 5), 2), "a"), ERROR),
    ("{X_a, 1}", lambda: cardinality(s(X_a, 1)), ERROR),
    ("{X_a, Y_c}", lambda: cardinality(s(X_a, Y_c)), ERROR),
    (
        "CHOOSE f \\in [{r, q} -> 1..3] : f.q + f.r = 4",
        lambda: next(f for f in enumerate_set(FunctionSet(s("r", "q"), Interval(1, 3))) if f["q"] + f["r"] == 4),
        "[q |-> 1, r |-> 3]",
    ),
]


@pytest.mark.parametrize(("text", "compute", "expected"), PRINTED, ids=[case[0] for case in PRINTED])
def test_value_as_printed(text: str, compute: Callable[[], object], expected: str) -> None:
    assert result(compute) == expected


def test_strings_stand_in_the_order_of_their_first_appearance() -> None:
    """A module with the record [zeta |-> …, beta |-> …] before the set: field names are read as identifiers."""
    with World(["zeta", "beta", "alpha", "omega", "delta", "name"]).active():
        letters = make_set(["omega", "delta", "alpha", "beta", "name"])
        assert show(letters) == '{"beta", "alpha", "omega", "delta", "name"}'
        new = concat("new", "er")
        assert show(make_set([new, "name"])) == '{"name", "newer"}'


def test_records_that_cannot_be_records() -> None:
    odd = make_function([("a b", 1), ("x", 2)])
    assert show(odd) == '("x" :> 2 @@ "a b" :> 1)'
    assert show(make_record({"b": FALSE, "a": 'q"'})) == '[a |-> "q\\"", b |-> FALSE]'


def test_words_of_the_standard_modules_come_before_strings() -> None:
    """A module W that extends Integers and TLC and holds nothing but this set, `Z == {…}`."""
    strings = ["zz", "w", "n", "b", "a", "out", "Z", "Append", "q"]
    with World().active():
        _show_after_words_of_modules(strings)


def _show_after_words_of_modules(strings: list[str]) -> None:
    current().register_all([*BUILTIN, "W", "Integers", "TLC", "Z", "PrintT"])
    for module in ("Integers", "TLC", "_TLCTrace", "Naturals", "Sequences", "FiniteSets", "TLCExt"):
        current().register_all(words_of(module) or ())
    current().register_all(strings)
    assert show(make_set(strings)) == '{"Z", "a", "out", "n", "w", "b", "Append", "zz", "q"}'
    assert words_of("W") is None
