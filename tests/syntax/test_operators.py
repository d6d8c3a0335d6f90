"""Every operator of the table: read in every spelling and every place, printed, respelled; and all pairs of them."""

import pytest
from round_trips import assert_prints_and_parses, assert_respells, parse

from gristmill.source import SourceError, SourceFile
from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree
from gristmill.syntax.operators import (
    ALL_OPERATORS,
    INFIX_OPERATORS,
    NEGATION,
    OPERATORS,
    POSTFIX_OPERATORS,
    PREFIX_OPERATORS,
    SPELLING_TO_NAME,
    Operator,
)
from gristmill.syntax.parser import parse_expression
from gristmill.syntax.printer import print_expression
from gristmill.syntax.respell import respell
from gristmill.syntax.token import DELIMITERS

SPELLINGS = sorted(SPELLING_TO_NAME)
each_spelling = pytest.mark.parametrize("spelling", SPELLINGS)


def applied(operator: Operator, spelling: str) -> str:
    if operator.name == NEGATION:
        return "- x"
    forms = {"prefix": f"{spelling} x", "infix": f"x {spelling} y", "postfix": f"x {spelling}"}
    return forms[operator.fixity]


def declared(operator: Operator, spelling: str, operands: str) -> str:
    one, two = operands
    forms = {"prefix": f"{spelling} {one}", "infix": f"{one} {spelling} {two}", "postfix": f"{one} {spelling}"}
    return forms[operator.fixity]


def module(*units: str) -> SourceFile:
    return SourceFile("Test.tla", "\n".join(["---- MODULE Test ----", *units, "====", ""]))


def everywhere(operator: Operator, spelling: str) -> SourceFile:
    """A module with the operator in every place in which it may stand."""
    return module(
        f"CONSTANT {declared(operator, spelling, '__')}",
        f"RECURSIVE {declared(operator, spelling, '__')}",
        f"{declared(operator, spelling, 'ab')} == a",
        f"LOCAL {declared(operator, spelling, 'ab')} == a",
        f"F({declared(operator, spelling, '__')}) == 1",
        f"x == {applied(operator, spelling)}",
        f"y == F( {spelling} , {spelling} )",
        f"z == I! {spelling}",
        f"I == INSTANCE M WITH {spelling} <- {spelling}, w <- {spelling}",
        f"THEOREM x BY DEF {spelling}, {spelling}",
        f"USE DEF {spelling}",
    )


def test_the_table_is_complete() -> None:
    assert len(PREFIX_OPERATORS) == 9
    assert len(INFIX_OPERATORS) == 86
    assert len(POSTFIX_OPERATORS) == 4
    assert len(SPELLING_TO_NAME) == sum(
        len(op.spellings) + bool(op.unicode) + len(op.more_unicode) for op in ALL_OPERATORS
    )


@each_spelling
def test_applied(spelling: str) -> None:
    operator = OPERATORS[SPELLING_TO_NAME[spelling]]
    expression = parse_expression(SourceFile("x", applied(operator, spelling)))
    if operator.name == "\\X":
        assert isinstance(expression, tree.CrossProduct)
    else:
        assert isinstance(expression, tree.Apply)
        assert expression.operator.name == operator.name
        assert len(expression.args) == operator.arity


@each_spelling
def test_everywhere(spelling: str) -> None:
    operator = OPERATORS[SPELLING_TO_NAME[spelling]]
    file = everywhere(operator, spelling)
    assert parse(file)[0] == parse(everywhere(operator, operator.name))[0]
    assert_prints_and_parses(file)
    assert_respells(file)


@pytest.mark.parametrize("spelling", [s for s in SPELLINGS if OPERATORS[SPELLING_TO_NAME[s]].fixity == "infix"])
def test_applied_like_a_name(spelling: str) -> None:
    text = f"{spelling} (x, y)"
    if spelling in ("-", "/\\", "\\/", "∧", "∨"):  # a minus sign, or bullets
        with pytest.raises(SourceError):
            parse_expression(SourceFile("x", text))
        return
    expression = parse_expression(SourceFile("x", text))
    assert isinstance(expression, tree.Apply)
    assert expression.operator.name == SPELLING_TO_NAME[spelling]
    assert_prints_and_parses(module(f"a == {text}'", f"b == ~ {text}", f"c == {text} * {text}", f"d == {text}[1].x"))


@pytest.mark.parametrize("operator", ALL_OPERATORS, ids=lambda operator: operator.name)
def test_all_spellings_are_one_operator(operator: Operator) -> None:
    texts = [applied(operator, s) for s, name in SPELLING_TO_NAME.items() if name == operator.name]
    trees = [parse_expression(SourceFile("x", text)) for text in texts]
    assert all(expression == trees[0] for expression in trees)


@pytest.mark.parametrize("operator", ALL_OPERATORS, ids=lambda operator: operator.name)
def test_printed_in_its_own_spelling(operator: Operator) -> None:
    expression = parse_expression(SourceFile("x", applied(operator, operator.name)))
    shown = "-" if operator.name == NEGATION else operator.name
    assert shown in print_expression(expression, unicode=False)
    assert (operator.unicode or shown) in print_expression(expression, unicode=True)


@pytest.mark.parametrize("operator", [op for op in ALL_OPERATORS if op.unicode], ids=lambda operator: operator.name)
def test_respelled_both_ways(operator: Operator) -> None:
    ascii_file = module(f"x == {applied(operator, operator.name)}")
    tree_, parsed = parse(ascii_file)
    unicode_text = respell(tree_, parsed.tokens, unicode=True)
    assert operator.unicode is not None
    assert operator.unicode in unicode_text
    again, parsed_again = parse(SourceFile("Test.tla", unicode_text))
    assert again == tree_
    assert respell(again, parsed_again.tokens, unicode=False) == ascii_file.text


@pytest.mark.parametrize("symbol", [s for s in DELIMITERS if not s.isascii()])
def test_delimiters_in_unicode(symbol: str) -> None:
    programs = {
        "<<": ("x == ⟨1, 2⟩", "x == <<1, 2>>"),
        ">>": ("x == ⟨1, 2⟩", "x == <<1, 2>>"),
        ">>_": ("x == ⟨A⟩_v", "x == <<A>>_v"),
        "::": ("x == a ∷ b", "x == a :: b"),
        "==": ("x ≜ 1", "x == 1"),
        "->": ("x == [S → T]", "x == [S -> T]"),
        "<-": ("INSTANCE M WITH x ← 1", "INSTANCE M WITH x <- 1"),
        "|->": ("x == [y ↦ 1]", "x == [y |-> 1]"),
        "\\A": ("x == ∀ y : z", "x == \\A y : z"),
        "\\E": ("x == ∃ y : z", "x == \\E y : z"),
        "[]ASSUME": ("THEOREM □ASSUME A □PROVE B", "THEOREM []ASSUME A []PROVE B"),
        "[]PROVE": ("THEOREM □ASSUME A □PROVE B", "THEOREM []ASSUME A []PROVE B"),
    }
    unicode, plain = programs[DELIMITERS[symbol]]
    assert symbol in unicode
    assert parse(module(unicode))[0] == parse(module(plain))[0]
    assert_respells(module(unicode))
    assert_respells(module(plain))


def expected_grouping(left: Operator, right: Operator) -> str:
    """How `a left b right c` is read, by the rule of the book alone."""
    if left.low > right.high or (left is right and left.left):
        return "left"
    return "right" if left.high < right.low else "conflict"


def actual_grouping(left: Operator, right: Operator) -> str:
    try:
        expression = parse_expression(SourceFile("x", f"a {left.name} b {right.name} c"))
    except SourceError as error:
        return "conflict" if error.diagnostics[0].id == "precedence-conflict" else str(error)
    if isinstance(expression, tree.CrossProduct):
        if len(expression.factors) == 3:
            return "left"
        return "right" if isinstance(expression.factors[0], tree.Name) else "left"
    assert isinstance(expression, tree.Apply)
    return "right" if isinstance(expression.args[0], tree.Name) else "left"


def test_all_pairs_of_infix_operators() -> None:
    def check() -> None:
        for left in INFIX_OPERATORS:
            for right in INFIX_OPERATORS:
                assert actual_grouping(left, right) == expected_grouping(left, right), (left.name, right.name)

    with_deep_stack(check)


def test_all_pairs_of_a_prefix_and_another_operator() -> None:
    def check() -> None:
        for prefix in PREFIX_OPERATORS:
            sign = "-" if prefix.name == NEGATION else prefix.name
            for other in [*INFIX_OPERATORS, *POSTFIX_OPERATORS]:
                text = f"{sign} a {other.name}" + (" c" if other.fixity == "infix" else "")
                expected = expected_grouping(prefix, other)
                if expected == "conflict":
                    with pytest.raises(SourceError, match="precedence-conflict"):
                        parse_expression(SourceFile("x", text))
                    continue
                expression = parse_expression(SourceFile("x", text))
                outermost_is_prefix = isinstance(expression, tree.Apply) and expression.operator.name == prefix.name
                assert outermost_is_prefix == (expected == "right"), text

    with_deep_stack(check)


def test_a_left_associative_operator_chains_to_the_left() -> None:
    for operator in INFIX_OPERATORS:
        if operator.left and operator.name != "\\X":
            chain = parse_expression(SourceFile("x", f"a {operator.name} b {operator.name} c {operator.name} d"))
            nested = parse_expression(SourceFile("x", "a"))
            for name in "bcd":
                right = parse_expression(SourceFile("x", name))
                nested = tree.Apply(tree.Name(operator.name, right.span), (nested, right), right.span)
            assert chain == nested
