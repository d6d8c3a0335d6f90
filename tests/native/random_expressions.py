"""Random TLA+ expressions as text, of all forms; mostly of the types their places ask for, sometimes not.

Types: "int", "bool", "str", "proc" (model values), ("set", T), ("seq", T), ("map", T) (a function on Proc), ("rec",)
(the fields a, an integer, and s, a string), ("pair", T, U).
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, ClassVar

Type = Any
REC: Type = ("rec",)
INTS: Type = ("set", "int")

VARIABLES: dict[str, Type] = {
    "x": "int",
    "b": "bool",
    "f": ("map", "int"),
    "g": ("map", INTS),
    "r": REC,
    "s": INTS,
    "q": ("seq", "int"),
    "w": ("map", REC),
    "t": ("pair", "int", ("set", "str")),
    "z": ("seq", ("set", "proc")),
    "p": "proc",
}

# What expressions may call: name, types of parameters, type of the result.
OPERATORS: list[tuple[str, tuple[Type, ...], Type]] = [
    ("Twice", ("int",), "int"),
    ("Pick", ("bool", "int", "int"), "int"),
    ("Second", ("int", "int"), "int"),
    ("SumTo", ("int",), "int"),
    ("SumOf", (INTS,), "int"),
    ("Even", ("int",), "bool"),
    ("Squares", (INTS,), INTS),
    ("Shift", (("map", "int"), "int"), ("map", "int")),
    ("Fact", ("int",), "int"),
    ("Marked", (REC, "int"), REC),
    ("Downto", ("int",), ("seq", "int")),
]

MODULE = """---- MODULE Expressions ----
EXTENDS Integers, Sequences, FiniteSets, TLC, FiniteSetsExt, SequencesExt, Functions, Folds, Bags, BagsExt,
        Bitwise
CONSTANTS Proc, p1, p2, p3
VARIABLES x, b, f, g, r, s, q, w, t, z, p

Twice(n) == n + n
Pick(c, one, other) == IF c THEN one ELSE other
Second(unused, n) == n
RECURSIVE SumTo(_)
SumTo(n) == IF n <= 0 THEN 0 ELSE n + SumTo(n - 1)
RECURSIVE SumOf(_)
SumOf(S) == IF S = {} THEN 0 ELSE LET e == CHOOSE e \\in S : TRUE IN e + SumOf(S \\ {e})
RECURSIVE Even(_), Odd(_)
Even(n) == IF n <= 0 THEN TRUE ELSE Odd(n - 1)
Odd(n) == IF n <= 0 THEN FALSE ELSE Even(n - 1)
Squares(S) == {n * n : n \\in S}
Shift(h, n) == [i \\in DOMAIN h |-> h[i] + n]
Fact(n) == LET fact[i \\in Nat] == IF i = 0 THEN 1 ELSE i * fact[i - 1] IN fact[IF n < 0 THEN 0 ELSE n % 6]
Marked(rec, n) == [rec EXCEPT !.a = @ + n]
RECURSIVE Downto(_)
Downto(n) == IF n <= 0 THEN <<>> ELSE <<n>> \\o Downto(n - 1)
Apply(Op(_), arg) == Op(arg)
Both(Op(_, _), one, other) == <<Op(one, other), Op(other, one)>>
Compose(Op(_), Other(_), arg) == Op(Other(arg))
"""

FOOT = """
Init == x = 0 /\\ b = TRUE /\\ f = [i \\in Proc |-> 0] /\\ g = [i \\in Proc |-> {}] /\\ r = [a |-> 1, s |-> "u"]
        /\\ s = {}
        /\\ q = <<>> /\\ w = [i \\in Proc |-> r] /\\ t = <<1, {}>> /\\ z = <<>> /\\ p = p1
Next == UNCHANGED <<x, b, f, g, r, s, q, w, t, z, p>>
====
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANTS Proc = {p1, p2, p3}\np1 = p1\np2 = p2\np3 = p3\n"


Form = Callable[["Expressions", Type, int], str]


class Expressions:
    """`mistakes`: how often an expression of another type stands somewhere. `total`: mostly such as have a value."""

    def __init__(self, rng: Random, mistakes: float = 0.01, *, total: bool = False) -> None:
        self.total = total
        self.rng = rng
        self.mistakes = mistakes
        self.scope: list[tuple[str, Type]] = list(VARIABLES.items())
        self._names = 0

    def expression(self, type_: Type, depth: int) -> str:
        rng = self.rng
        if rng.random() < self.mistakes:
            type_ = self.type(1)
        if depth <= 0 or rng.random() < 0.12:
            return self.leaf(type_)
        if rng.random() < 0.22:
            return self.form(self.general)(self, type_, depth - 1)
        kind = type_ if isinstance(type_, str) else type_[0]
        return self.form(_FORMS[kind])(self, type_, depth - 1)

    def form(self, forms: list[Form]) -> Form:
        found = self.rng.choice(forms)
        while self.total and found in _PARTIAL and self.rng.random() < 0.98:
            found = self.rng.choice(forms)
        return found

    def type(self, depth: int) -> Type:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.4:
            return rng.choice(("int", "bool", "str", "proc"))
        inner = self.type(depth - 1)
        return rng.choice((("set", inner), ("seq", inner), ("map", inner), REC, ("pair", inner, self.type(depth - 1))))

    def leaf(self, type_: Type) -> str:
        known = [name for name, each in self.scope if each == type_]
        if known and self.rng.random() < 0.8:
            return self.rng.choice(known)
        return self.literal(type_)

    def literal(self, type_: Type) -> str:
        rng = self.rng
        match type_:
            case "int":
                return str(rng.randint(-2, 4)) if rng.random() < 0.95 else "1000000000000"
            case "bool":
                return rng.choice(("TRUE", "FALSE"))
            case "str":
                return rng.choice(('"u"', '"v"', '"w"'))
            case "proc":
                return rng.choice(("p1", "p2", "p3"))
            case ("set", "proc") if rng.random() < 0.4:
                return "Proc"
            case ("set", inner):
                return f"{{{', '.join(self.literal(inner) for _ in range(rng.randint(0, 2)))}}}"
            case ("seq", inner):
                return f"<<{', '.join(self.literal(inner) for _ in range(rng.randint(0, 2)))}>>"
            case ("map", inner):
                return f"[{self.name()} \\in Proc |-> {self.literal(inner)}]"
            case ("pair", one, other):
                return f"<<{self.literal(one)}, {self.literal(other)}>>"
        return f"[a |-> {self.literal('int')}, s |-> {self.literal('str')}]"

    def name(self) -> str:
        self._names += 1
        return f"n{self._names}"

    def bound(self, type_: Type, depth: int) -> tuple[str, str]:
        """A new name and the set it is taken from. The name is in scope from now on."""
        domain = self.expression(("set", type_), depth)
        name = self.name()
        self.scope.append((name, type_))
        return name, domain

    def inside(self, type_: Type, depth: int, **names: Type) -> str:
        """An expression in which more names are known."""
        before = len(self.scope)
        self.scope += names.items()
        text = self.expression(type_, depth)
        del self.scope[before:]
        return text

    def leave(self, count: int = 1) -> None:
        del self.scope[-count:]

    # ------------------------------------------------------------------------------------------ forms of any type

    def _if(self, type_: Type, depth: int) -> str:
        e = self.expression
        return f"(IF {e('bool', depth)} THEN {e(type_, depth)} ELSE {e(type_, depth)})"

    def _case(self, type_: Type, depth: int) -> str:
        e = self.expression
        other = f" [] OTHER -> {e(type_, depth)}" if self.total or self.rng.random() < 0.8 else ""
        return f"(CASE {e('bool', depth)} -> {e(type_, depth)} [] {e('bool', depth)} -> {e(type_, depth)}{other})"

    def _let(self, type_: Type, depth: int) -> str:
        inner, name = self.type(1), self.name()
        value = self.expression(inner, depth)
        return f"(LET {name} == {value} IN {self.inside(type_, depth, **{name: inner})})"

    def _let_operator(self, type_: Type, depth: int) -> str:
        inner, name, parameter = self.type(1), self.name(), self.name()
        body = self.inside(type_, depth, **{parameter: inner})
        calls = [f"{name}({self.expression(inner, depth - 1)})" for _ in range(2)]
        choice = f"IF {self.expression('bool', depth - 1)} THEN {calls[0]} ELSE {calls[1]}"
        return f"(LET {name}({parameter}) == {body} IN {choice})"

    def _choose(self, type_: Type, depth: int) -> str:
        name, domain = self.bound(type_, depth)
        text = f"(CHOOSE {name} \\in {domain} : {self.expression('bool', depth)})"
        self.leave()
        return text

    def _apply_lambda(self, type_: Type, depth: int) -> str:
        inner, parameter = self.type(1), self.name()
        body = self.inside(type_, depth, **{parameter: inner})
        return f"Apply(LAMBDA {parameter} : {body}, {self.expression(inner, depth)})"

    def _compose(self, type_: Type, depth: int) -> str:
        inner, one, other = self.type(1), self.name(), self.name()
        first = self.inside(type_, depth, **{one: inner})
        second = self.inside(inner, depth, **{other: "int"})
        return f"Compose(LAMBDA {one} : {first}, LAMBDA {other} : {second}, {self.expression('int', depth)})"

    def _from_sequence(self, type_: Type, depth: int) -> str:
        items = self.expression(("seq", type_), depth)
        return self.rng.choice((f"Head({items})", f"Last({items})", f"({items})[{self.expression('int', depth - 1)}]"))

    def _from_map(self, type_: Type, depth: int) -> str:
        return f"({self.expression(('map', type_), depth)})[{self.expression('proc', depth - 1)}]"

    def _fold(self, type_: Type, depth: int) -> str:
        inner, one, other = self.type(0), self.name(), self.name()
        body = self.inside(type_, depth - 1, **{one: inner, other: type_})
        turned = self.inside(type_, depth - 1, **{one: type_, other: inner})
        base, rng = self.expression(type_, depth - 1), self.rng
        items, elements = self.expression(("seq", inner), depth), self.expression(("set", inner), depth)
        return rng.choice(
            (
                f"FoldSet(LAMBDA {one}, {other} : {body}, {base}, {elements})",
                f"ReduceSet(LAMBDA {one}, {other} : {body}, {elements}, {base})",
                f"FoldLeft(LAMBDA {one}, {other} : {turned}, {base}, {items})",
                f"FoldRight(LAMBDA {one}, {other} : {body}, {items}, {base})",
                f"FoldSeq(LAMBDA {one}, {other} : {body}, {base}, {items})",
                f"FoldFunction(LAMBDA {one}, {other} : {body}, {base}, {items})",
            )
        )

    general: ClassVar[list[Form]] = []

    # ------------------------------------------------------------------------------------------------------ calls

    def call(self, type_: Type, depth: int) -> str:
        found = [each for each in OPERATORS if each[2] == type_]
        if not found:
            return self.expression(type_, depth)
        name, parameters, _ = self.rng.choice(found)
        return f"{name}({', '.join(self.expression(each, depth) for each in parameters)})"


Expressions.general = [
    Expressions._if,
    Expressions._if,
    Expressions._case,
    Expressions._let,
    Expressions._let,
    Expressions._let_operator,
    Expressions._choose,
    Expressions._apply_lambda,
    Expressions._compose,
    Expressions._from_sequence,
    Expressions._from_map,
    Expressions._fold,
]


_PARTIAL: set[Form] = {Expressions._choose, Expressions._from_sequence}
_PARTIAL_OPERATORS = ("div", "%", "Tail", "SubSeq", "Max", "Min", "Front", "At(", "Assert", "![", "OnSet", "Restrict")


def template(text: str, *types: Type) -> Form:
    """A form whose parts are expressions of these types."""

    def write(e: Expressions, type_: Type, depth: int) -> str:
        return text.format(*(e.expression(each(type_) if callable(each) else each, depth) for each in types))

    if any(each in text for each in _PARTIAL_OPERATORS):
        _PARTIAL.add(write)
    return write


def element(type_: Type) -> Type:
    return type_[1]


def same(type_: Type) -> Type:
    return type_


# --- formulas --------------------------------------------------------------------------------------------------------


def _comparison(e: Expressions, _: Type, depth: int) -> str:
    type_ = e.type(2)
    symbol = e.rng.choice(("=", "#"))
    return f"({e.expression(type_, depth)} {symbol} {e.expression(type_, depth)})"


def _membership(e: Expressions, _: Type, depth: int) -> str:
    type_ = e.type(1)
    symbol = e.rng.choice(("\\in", "\\notin"))
    return f"({e.expression(type_, depth)} {symbol} {e.expression(('set', type_), depth)})"


def _lazy_membership(e: Expressions, _: Type, depth: int) -> str:
    type_, collection = e.rng.choice(
        (
            ("int", "Nat"),
            ("int", "Int"),
            ("str", "STRING"),
            (INTS, f"SUBSET {e.expression(INTS, depth)}"),
            (INTS, "SUBSET Nat"),
            (("map", "int"), f"[Proc -> {e.expression(INTS, depth)}]"),
            (("map", "int"), "[Proc -> Int]"),
            (("map", INTS), "[Proc -> SUBSET (0..3)]"),
            (("seq", "int"), f"Seq({e.expression(INTS, depth)})"),
            (REC, "[a : Nat, s : STRING]"),
            (REC, f'[a : {e.expression(INTS, depth)}, s : {{"u", "v"}}]'),
            (("pair", "int", "proc"), "Nat \\X Proc"),
            ("int", "Nat \\cup {-1}"),
            ("int", f"Nat \\ {e.expression(INTS, depth)}"),
            ("int", f"Int \\cap {e.expression(INTS, depth)}"),
            ("int", "(UNION {Nat, {-1}})"),
            ("int", f"{{n \\in Nat : n > {e.expression('int', depth)}}}"),
        )
    )
    return f"({e.expression(type_, depth)} \\in {collection})"


def another(e: Expressions, depth: int) -> tuple[str, str]:
    """A second name that is bound beside the last one, which its set cannot mention."""
    last = e.scope.pop()
    name, domain = e.bound(e.type(0), depth - 1)
    e.scope.insert(len(e.scope) - 1, last)
    return name, domain


def _quantifier(e: Expressions, _: Type, depth: int) -> str:
    symbol = e.rng.choice(("\\A", "\\E"))
    type_ = e.type(1)
    name, domain = e.bound(type_, depth)
    count, bounds = 1, f"{name} \\in {domain}"
    if e.rng.random() < 0.3:
        other, more = another(e, depth)
        count, bounds = 2, f"{bounds}, {other} \\in {more}"
    elif e.rng.random() < 0.3:
        other = e.name()
        e.scope.append((other, type_))
        count, bounds = 2, f"{name}, {other} \\in {domain}"
    text = f"({symbol} {bounds} : {e.expression('bool', depth)})"
    e.leave(count)
    return text


def _tuple_quantifier(e: Expressions, _: Type, depth: int) -> str:
    one, other = e.name(), e.name()
    domain = e.expression(("set", ("pair", "int", "proc")), depth)
    body = e.inside("bool", depth, **{one: "int", other: "proc"})
    return f"(\\E <<{one}, {other}>> \\in {domain} : {body})"


def _subset(e: Expressions, _: Type, depth: int) -> str:
    type_ = ("set", e.type(1))
    return f"({e.expression(type_, depth)} \\subseteq {e.expression(type_, depth)})"


def _contains(e: Expressions, _: Type, depth: int) -> str:
    type_ = e.type(1)
    return f"Contains({e.expression(('seq', type_), depth)}, {e.expression(type_, depth)})"


_BOOL: list[Form] = [
    template("({} /\\ {})", "bool", "bool"),
    template("({} /\\ {} /\\ {})", "bool", "bool", "bool"),
    template("({} \\/ {})", "bool", "bool"),
    template("({} \\/ {} \\/ {})", "bool", "bool", "bool"),
    template("~{}", "bool"),
    template("({} => {})", "bool", "bool"),
    template("({} <=> {})", "bool", "bool"),
    template("({} < {})", "int", "int"),
    template("({} <= {})", "int", "int"),
    template("({} > {})", "int", "int"),
    template("({} >= {})", "int", "int"),
    template("({} \\in {}..{})", "int", "int", "int"),
    template("IsFiniteSet({})", INTS),
    template("({})[{}]", ("map", "bool"), "proc"),
    template("IsPrefix({}, {})", ("seq", "int"), ("seq", "int")),
    template("IsInjective({})", ("map", "int")),
    template('Assert({}, "no")', "bool"),
    _comparison,
    _comparison,
    _membership,
    _membership,
    _lazy_membership,
    _quantifier,
    _quantifier,
    _tuple_quantifier,
    _subset,
    _contains,
    Expressions.call,
]

# --- numbers, strings, model values ----------------------------------------------------------------------------------


def _recursive_function(e: Expressions, _: Type, depth: int) -> str:
    name, index = e.name(), e.name()
    base, step = e.inside("int", depth, **{index: "int"}), e.inside("int", depth, **{index: "int"})
    domain = e.rng.choice(("0..4", "Nat", "{0, 1, 2, 3}"))
    use = f"{name}[{'3' if e.total else e.expression('int', 0)}]"
    body = f"IF {index} = 0 THEN {base} ELSE {name}[{index} - 1] + {step}"
    return f"(LET {name}[{index} \\in {domain}] == {body} IN {use} + {name}[2])"


def _map_then_sum(e: Expressions, _: Type, depth: int) -> str:
    type_, name = e.type(0), e.name()
    body = e.inside("int", depth, **{name: type_})
    return f"MapThenSumSet(LAMBDA {name} : {body}, {e.expression(('set', type_), depth)})"


def _quantify(e: Expressions, _: Type, depth: int) -> str:
    type_, name = e.type(0), e.name()
    body = e.inside("bool", depth, **{name: type_})
    return f"Quantify({e.expression(('set', type_), depth)}, LAMBDA {name} : {body})"


def _select_in(e: Expressions, _: Type, depth: int) -> str:
    type_, name = e.type(0), e.name()
    body = e.inside("bool", depth, **{name: type_})
    operator = e.rng.choice(("SelectInSeq", "SelectLastInSeq"))
    return f"{operator}({e.expression(('seq', type_), depth)}, LAMBDA {name} : {body})"


def _map_then_fold(e: Expressions, _: Type, depth: int) -> str:
    name = e.name()
    body = e.inside("int", depth, **{name: "int"})
    choose = e.rng.choice(("LAMBDA S : CHOOSE m \\in S : TRUE", "Max", "Min"))
    return f"MapThenFoldSet(LAMBDA a, c : a - c, 1, LAMBDA {name} : {body}, {choose}, {e.expression(INTS, depth)})"


_INT: list[Form] = [
    template("({} + {})", "int", "int"),
    template("({} - {})", "int", "int"),
    template("({} * {})", "int", "int"),
    template("({} \\div {})", "int", "int"),
    template("({} % {})", "int", "int"),
    template("({} ^ 2)", "int"),
    template("(-({}))", "int"),
    template("Cardinality({})", INTS),
    template("Cardinality({})", ("set", "proc")),
    template("Len({})", ("seq", "int")),
    template("{}.a", REC),
    template('({})["a"]', REC),
    template("({})[1]", ("pair", "int", "str")),
    template("Max({})", INTS),
    template("Min({})", INTS),
    template("SumSet({})", INTS),
    template("SumFunction({})", ("map", "int")),
    template("FoldSet(+, {}, {})", "int", INTS),
    template("FoldFunctionOnSet(+, {}, {}, {})", "int", ("map", "int"), ("set", "proc")),
    template("SumFunctionOnSet({}, {})", ("map", "int"), ("set", "proc")),
    template("FoldLeftDomain(LAMBDA a, i : a + i, {}, {})", "int", ("seq", "int")),
    template("FoldRightDomain(LAMBDA i, a : i - a, {}, {})", ("seq", "int"), "int"),
    template("BagCardinality(SetToBag({}))", INTS),
    template("CopiesIn({}, SetToBag({}) (+) SetToBag({}))", "int", INTS, INTS),
    template("FoldBag(+, {}, SetToBag({}))", "int", INTS),
    _recursive_function,
    _map_then_sum,
    _map_then_fold,
    _quantify,
    _select_in,
    Expressions.call,
    Expressions.call,
    Expressions.call,
]
_STR: list[Form] = [template("{}.s", REC), template("({})[2]", ("pair", "int", "str"))]
_PROC: list[Form] = [template("({})[2]", ("pair", "int", "proc"))]

# --- sets ------------------------------------------------------------------------------------------------------------


def _listed_set(e: Expressions, type_: Type, depth: int) -> str:
    return f"{{{', '.join(e.expression(type_[1], depth) for _ in range(e.rng.randint(0, 3)))}}}"


def _filter(e: Expressions, type_: Type, depth: int) -> str:
    name, domain = e.bound(type_[1], depth)
    text = f"{{{name} \\in {domain} : {e.expression('bool', depth)}}}"
    e.leave()
    return text


def _map(e: Expressions, type_: Type, depth: int) -> str:
    name, domain = e.bound(e.type(1), depth)
    count, bounds = 1, f"{name} \\in {domain}"
    if e.rng.random() < 0.25:
        other, more = another(e, depth)
        count, bounds = 2, f"{bounds}, {other} \\in {more}"
    text = f"{{{e.expression(type_[1], depth)} : {bounds}}}"
    e.leave(count)
    return text


def _special_set(e: Expressions, type_: Type, depth: int) -> str:
    match type_[1]:
        case "int":
            forms: list[Form] = [
                template("({}..{})", "int", "int"),
                template("(DOMAIN {})", ("seq", "str")),
                template("ToSet({})", ("seq", "int")),
                template("Range({})", ("map", "int")),
                Expressions.call,
            ]
        case "proc":
            forms = [template("(DOMAIN {})", ("map", "int")), template("BagToSet(SetToBag({}))", ("set", "proc"))]
        case ("set", inner):
            forms = [
                template("SUBSET {}", lambda _: ("set", inner)),
                template("kSubset(2, {})", lambda _: ("set", inner)),
            ]
        case ("map", inner):
            forms = [template("[Proc -> {}]", lambda _: ("set", inner))]
        case ("pair", one, other):
            forms = [template("({} \\X {})", lambda _: ("set", one), lambda _: ("set", other))]
        case ("rec",):
            forms = [template("[a : {}, s : {}]", INTS, ("set", "str"))]
        case _:
            forms = [template("ToSet({})", lambda each: ("seq", each[1]))]
    return e.rng.choice(forms)(e, type_, min(depth, 1))


_SET: list[Form] = [
    template("({} \\cup {})", same, same),
    template("({} \\cap {})", same, same),
    template("({} \\ {})", same, same),
    template("(UNION {})", lambda type_: ("set", type_)),
    template("(UNION {{{}, {}}})", same, same),
    template("ToSet({})", lambda type_: ("seq", type_[1])),
    template("Range({})", lambda type_: ("map", type_[1])),
    _listed_set,
    _listed_set,
    _filter,
    _filter,
    _map,
    _map,
    _special_set,
    _special_set,
]

# --- sequences, functions, records -----------------------------------------------------------------------------------


def _listed_sequence(e: Expressions, type_: Type, depth: int) -> str:
    return f"<<{', '.join(e.expression(type_[1], depth) for _ in range(e.rng.randint(0, 3)))}>>"


def _select_seq(e: Expressions, type_: Type, depth: int) -> str:
    name = e.name()
    body = e.inside("bool", depth, **{name: type_[1]})
    return f"SelectSeq({e.expression(type_, depth)}, LAMBDA {name} : {body})"


def _numbered(e: Expressions, type_: Type, depth: int) -> str:
    name = e.name()
    body = e.inside(type_[1], depth, **{name: "int"})
    return f"[{name} \\in 1..{e.rng.randint(0, 3)} |-> {body}]"


def _sorted(e: Expressions, type_: Type, depth: int) -> str:
    if type_[1] != "int":
        return template("SetToSeq({})", lambda each: ("set", each[1]))(e, type_, depth)
    order = e.rng.choice(("a < c", "a > c", "a % 2 < c % 2"))
    return e.rng.choice(
        (
            template("SortSeq({}, LAMBDA a, c : " + order + ")", same),
            template("SetToSortSeq({}, LAMBDA a, c : " + order + ")", INTS),
        )
    )(e, type_, depth)


_SEQ: list[Form] = [
    template("Append({}, {})", same, element),
    template("Tail({})", same),
    template("({} \\o {})", same, same),
    template("SubSeq({}, {}, {})", same, "int", "int"),
    template("Reverse({})", same),
    template("Front({})", same),
    template("[{} EXCEPT ![{}] = {}]", same, "int", element),
    template("Remove({}, {})", same, element),
    template("ReplaceAt({}, {}, {})", same, "int", element),
    template("RemoveAt({}, {})", same, "int"),
    template("SetToSeq({})", lambda type_: ("set", type_[1])),
    _listed_sequence,
    _listed_sequence,
    _select_seq,
    _numbered,
    _sorted,
]


def _function(e: Expressions, type_: Type, depth: int) -> str:
    name = e.name()
    return f"[{name} \\in Proc |-> {e.inside(type_[1], depth, **{name: 'proc'})}]"


def _update(e: Expressions, type_: Type, depth: int) -> str:
    updates = []
    for _ in range(e.rng.randint(1, 2)):
        argument = e.expression("proc", depth)
        updates.append(f"![{argument}] = {e.inside(type_[1], depth, **{'@': type_[1]})}")
    return f"[{e.expression(type_, depth)} EXCEPT {', '.join(updates)}]"


def _update_field(e: Expressions, type_: Type, depth: int) -> str:
    if type_[1] != REC:
        return _update(e, type_, depth)
    argument = e.expression("proc", depth)
    value = e.inside("int", depth, **{"@": "int"})
    return (
        f"[{e.expression(type_, depth)} EXCEPT ![{argument}].a = {value}, ![{argument}].s = {e.expression('str', 0)}]"
    )


_MAP: list[Form] = [
    template("({} @@ {})", same, same),
    template("(({} :> {}) @@ {})", "proc", element, same),
    template("Restrict({}, {})", same, ("set", "proc")),
    _function,
    _function,
    _update,
    _update,
    _update_field,
    Expressions.call,
]


def _record(e: Expressions, _: Type, depth: int) -> str:
    return f"[a |-> {e.expression('int', depth)}, s |-> {e.expression('str', depth)}]"


def _update_record(e: Expressions, type_: Type, depth: int) -> str:
    value = e.inside("int", depth, **{"@": "int"})
    return f"[{e.expression(type_, depth)} EXCEPT !.a = {value}, !.s = {e.expression('str', depth)}]"


_REC: list[Form] = [_record, _record, _update_record, Expressions.call]


def _pair(e: Expressions, type_: Type, depth: int) -> str:
    return f"<<{e.expression(type_[1], depth)}, {e.expression(type_[2], depth)}>>"


_PAIR: list[Form] = [_pair]

_FORMS: dict[str, list[Form]] = {
    "int": _INT,
    "bool": _BOOL,
    "str": [*_STR, *_STR],
    "proc": _PROC,
    "set": _SET,
    "seq": _SEQ,
    "map": _MAP,
    "rec": _REC,
    "pair": _PAIR,
}
