"""What a resolved specification tells the stages behind it: symbols, substitutions, selected pieces."""

from gristmill.modules import Specification, load_specification
from gristmill.modules.specification import ExceptTarget, OperatorReference, Selection
from gristmill.modules.symbols import (
    BuiltIn,
    Constant,
    Instance,
    Instanced,
    NamedInstance,
    Operator,
    Parameter,
    Symbol,
    Variable,
)
from gristmill.source import SourceFile
from gristmill.syntax import tree


def load(body: str, **others: str) -> Specification:
    sources = {
        name: SourceFile(f"{name}.tla", f"---- MODULE {name} ----\n{text}\n====\n") for name, text in others.items()
    }
    loaded = load_specification(SourceFile("Test.tla", f"---- MODULE Test ----\n{body}\n====\n"), sources=sources)
    assert loaded.specification is not None, loaded.diagnostics
    return loaded.specification


def operator(spec: Specification, name: str) -> Operator:
    symbol = spec.find(name)
    assert isinstance(symbol, Operator)
    return symbol


def test_names_and_operators_of_expressions() -> None:
    spec = load("CONSTANT c\nVARIABLE v\nOp(p, F(_)) == F(p) = {c, v}")
    op = operator(spec, "Op")
    p, f = op.params
    assert (p.arity, f.arity) == (0, 1)
    body = op.body
    assert isinstance(body, tree.Apply)
    equals = spec.symbol_of(body.operator)
    assert isinstance(equals, BuiltIn)
    assert equals.name == "="
    left, right = body.args
    assert isinstance(left, tree.Apply)
    assert isinstance(right, tree.SetEnumeration)
    assert spec.symbol_of(left.operator) is f
    assert spec.symbol_of(left.args[0]) is p
    assert [type(spec.symbol_of(item)) for item in right.items] == [Constant, Variable]


def test_bound_names_are_parameters() -> None:
    spec = load("Op == \\A x, y \\in {1} : x = y")
    body = operator(spec, "Op").body
    assert isinstance(body, tree.Quantified)
    x, y = (spec.symbol_of(name) for name in body.bounds[0].names)
    assert isinstance(x, Parameter)
    assert isinstance(body.body, tree.Apply)
    assert [spec.symbol_of(arg) for arg in body.body.args] == [x, y]


def test_a_function_knows_itself() -> None:
    spec = load("f[n \\in {1}] == f[n]\ng[n \\in {1}] == n")
    f = operator(spec, "f")
    assert f.is_function
    assert f.recursive
    assert not operator(spec, "g").recursive
    assert isinstance(f.body, tree.FunctionApply)
    assert spec.symbol_of(f.body.function) is f


def test_definitions_of_let_and_lambda() -> None:
    spec = load("Ap(F(_)) == F(1)\nOp == LET In(a) == a IN Ap(LAMBDA z : In(z))")
    body = operator(spec, "Op").body
    assert isinstance(body, tree.Let)
    inner = spec.symbol_of(body.definitions[0])
    assert isinstance(inner, Operator)
    assert isinstance(body.body, tree.Apply)
    lambda_ = spec.symbol_of(body.body.args[0])
    assert isinstance(lambda_, Operator)
    assert isinstance(lambda_.body, tree.Apply)
    assert spec.symbol_of(lambda_.body.operator) is inner
    assert spec.symbol_of(lambda_.body.args[0]) is lambda_.params[0]


def test_substitutions_explicit_and_implicit() -> None:
    spec = load(
        "EXTENDS Naturals\nVARIABLE v\nI(p) == INSTANCE M WITH c <- p + 1\nR == I(5)!Get(7)",
        M="CONSTANT c\nVARIABLE v\nGet(q) == <<c, v, q>>",
    )
    named = spec.find("I")
    assert isinstance(named, NamedInstance)
    by_name = {target.name: made for target, made in named.instance.substitutes.items()}
    assert isinstance(by_name["c"].value, tree.Apply)
    assert by_name["v"].value is None
    assert by_name["v"].symbol is spec.find("v")
    body = operator(spec, "R").body
    assert isinstance(body, tree.Path)
    reference = spec.reference_of(body)
    assert isinstance(reference, OperatorReference)
    get = reference.symbol
    assert isinstance(get, Instanced)
    assert get.instance is named.instance
    assert [p.name for p in get.params] == ["p", "q"]
    assert [arg.span.text for arg in reference.args] == ["5", "7"]


def test_instances_in_instances() -> None:
    spec = load(
        "K(p) == INSTANCE N WITH d <- p\nR == K(1)!J(2)!Op(3)",
        M="CONSTANT c\nOp(a) == a = c",
        N="CONSTANT d\nJ(q) == INSTANCE M WITH c <- <<d, q>>",
    )
    body = operator(spec, "R").body
    assert isinstance(body, tree.Path)
    reference = spec.reference_of(body)
    assert isinstance(reference, OperatorReference)
    outer = reference.symbol
    assert isinstance(outer, Instanced)
    assert isinstance(outer.operator, Instanced)
    assert outer.instance.module.name == "N"
    assert outer.operator.instance.module.name == "M"
    assert [p.name for p in outer.params] == ["p", "q", "a"]
    assert outer.origin.name == "Op"


def test_definitions_without_parameters_pass_through_an_instance() -> None:
    spec = load("I == INSTANCE Naturals\nR == I!Nat\nLOCAL INSTANCE Naturals")
    assert spec.find("I!Nat") is spec.find("Nat")
    assert "Nat" in spec.root.local_names


def test_a_piece_of_a_definition() -> None:
    spec = load(
        "I == INSTANCE M WITH c <- 5\nR == I!Op(2)!(3)!1", M="CONSTANT c\nOp(a) == \\A x \\in {c} : <<x, a>> = c"
    )
    body = operator(spec, "R").body
    assert isinstance(body, tree.Path)
    selection = spec.reference_of(body)
    assert isinstance(selection, Selection)
    assert selection.node.span.text == "<<x, a>>"
    assert [p.name for p in selection.params] == ["a", "x"]
    assert [arg.span.text for arg in selection.args] == ["2", "3"]
    assert [instance.module.name for instance in selection.instances] == ["M"]


def test_at_means_the_update_around_it() -> None:
    spec = load("Op == [[a |-> 1] EXCEPT !.a = <<@>>]")
    body = operator(spec, "Op").body
    assert isinstance(body, tree.Except)
    value = body.updates[0].value
    assert isinstance(value, tree.Tuple)
    at = value.items[0]
    assert isinstance(at, tree.At)
    target = spec.at_target(at)
    assert isinstance(target, ExceptTarget)
    assert target.node is body
    assert target.update is body.updates[0]


def test_constants_variables_and_assumptions_come_with_extends() -> None:
    spec = load("EXTENDS M\nCONSTANT d\nASSUME d = 1", M="CONSTANT c\nVARIABLE v\nASSUME c = 1")
    assert [s.name for s in spec.root.constants] == ["c", "d"]
    assert [s.name for s in spec.root.variables] == ["v"]
    assert [unit.body.span.text for unit in spec.root.assumptions] == ["c = 1", "d = 1"]
    assert list(spec.modules) == ["M", "Test"]


def test_an_unnamed_instance_is_kept() -> None:
    spec = load("INSTANCE M WITH c <- 3", M="CONSTANT c\nOp == c")
    (instance,) = spec.root.instances
    assert isinstance(instance, Instance)
    op = spec.find("Op")
    assert isinstance(op, Instanced)
    assert op.instance is instance


def levels(spec: Specification, *names: str) -> list[int]:
    def level(symbol: Symbol | None) -> int:
        assert isinstance(symbol, Operator | Instanced)
        return symbol.level

    return [level(spec.find(name)) for name in names]


def test_levels_of_definitions() -> None:
    spec = load("VARIABLE v\nC == 1\nS == v\nA == v' = 1\nT == []S\nE == ENABLED A\nF(x) == x'\nU == F(v)")
    assert levels(spec, "C", "S", "A", "T", "E", "F", "U") == [0, 1, 2, 3, 1, 2, 2]
    f = operator(spec, "F").levels
    assert f is not None
    assert (f.max_levels, f.weights) == ((1,), (0,))


def test_levels_through_an_instance() -> None:
    spec = load("VARIABLE v\nI == INSTANCE M WITH c <- v\nR == I!Op", M="CONSTANT c\nOp == c = 1")
    assert levels(spec, "R") == [1]


def test_names_that_library_modules_pass_on_give_way() -> None:
    """Released versions of these modules differ in whether they pass on `Range` and `Max`: their users are right."""
    others = {"Util": "LOCAL INSTANCE SequencesExt\nRange(f) == DOMAIN f\nLongest(s) == Max({s})"}
    spec = load(
        "EXTENDS SequencesExt, Util\nMax(a, b) == a\nOp(s) == Max(Range(s), LET Sum(x) == x IN Sum(s))", **others
    )
    maximum, values = operator(spec, "Max"), operator(spec, "Range")
    assert (maximum.arity, maximum.module.name) == (2, "Test")
    assert values.module.name == "Util"


def test_names_that_are_asked_for_do_not_give_way() -> None:
    body = "EXTENDS Functions, SequencesExt\nRange(f) == DOMAIN f"
    loaded = load_specification(SourceFile("Test.tla", f"---- MODULE Test ----\n{body}\n====\n"))
    assert [each.id for each in loaded.diagnostics] == ["duplicate-definition"]
