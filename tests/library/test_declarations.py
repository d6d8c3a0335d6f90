"""Every library operator is declared once, with all the facts that others ask for, and nobody else spells its name."""

from __future__ import annotations

import re
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest

import gristmill
from gristmill.library import OPERATORS, Effect, Form, Operator
from gristmill.library.declaration import ALIKE, CALLBACK, EMITTED, LANGUAGE, UNNAMED, Native, Swapped, WithNames
from gristmill.library.effects import NONE
from gristmill.loading import load
from gristmill.native.emit.primitives import FORMS, TESTS
from gristmill.source import SourceFile

SOURCE = Path(gristmill.__file__).parent
RUNTIME = SOURCE / "native" / "runtime"
operators = pytest.mark.parametrize("operator", OPERATORS.values(), ids=str)
of_modules = [operator for operator in OPERATORS.values() if operator.module not in (LANGUAGE, UNNAMED)]

MODULES = {operator.module for operator in of_modules}
SPELLING = re.compile(rf"\b(?:{'|'.join(sorted(MODULES))})![^\s\"]*")

# Files that may spell the full name of an operator, and why.
ALLOWED: dict[str, str] = {}


# --- one place -------------------------------------------------------------------------------------------------------


def test_nobody_else_spells_an_operators_name() -> None:
    files = {file.relative_to(SOURCE).as_posix(): file for file in (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.[ch]"))}
    found = {
        (name, spelt)
        for name, file in files.items()
        if name not in ALLOWED
        for spelt in SPELLING.findall(file.read_text())
    }
    assert not found, "ask the declaration (gristmill.library) instead"


def test_nodes_refer_to_declarations() -> None:
    """A pattern with a name in the place of the declaration would never match, and no type checker would tell."""
    named = re.compile(r"Primitive(?:Operator)?\(\s*[\"']")
    assert not [file for file in SOURCE.rglob("*.py") if named.search(file.read_text())]


def test_the_search_for_names_would_find_one() -> None:
    assert SPELLING.findall('_LOUD = ("TLC!Print", "Bags!\\\\oplus")') == ["TLC!Print", "Bags!\\\\oplus"]
    assert SPELLING.findall('startswith("TLCExt!")') == ["TLCExt!"]


def test_an_operator_is_declared_once() -> None:
    with pytest.raises(TypeError, match="Append of Sequences is declared twice"):
        Operator("Sequences", "Append", effects=NONE, equivariance=ALIKE, c=CALLBACK)(len)


# --- no fact is missing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["effects", "equivariance", "c"])
def test_what_could_be_silently_wrong_must_be_said(missing: str) -> None:
    facts: dict[str, Any] = {"effects": NONE, "equivariance": ALIKE, "c": CALLBACK}
    del facts[missing]
    with pytest.raises(TypeError, match=missing):
        Operator("New", "Op", **facts)


@pytest.mark.parametrize("fact", [{"lazy": (0,)}, {"keeps": True}, {"c": EMITTED}])
def test_strictness_must_be_said_where_it_is_not_obvious(fact: dict[str, Any]) -> None:
    facts: dict[str, Any] = {"effects": NONE, "equivariance": ALIKE, "c": CALLBACK, **fact}
    with pytest.raises(TypeError, match="which arguments are certainly evaluated"):
        Operator("New", "Op", **facts)


# --- the facts are those of the implementation -----------------------------------------------------------------------


def parameters(operator: Operator) -> list[Parameter]:
    """Those that stand for arguments."""
    found = list(signature(operator.python).parameters.values())
    return found[1:] if operator.context else found


@operators
def test_python(operator: Operator) -> None:
    found = signature(operator.python)
    assert operator.boolean == (found.return_annotation == "bool")
    assert operator.context == ("context" in found.parameters)
    thunks = tuple(n for n, each in enumerate(parameters(operator)) if each.annotation == "Callable[[], Value]")
    assert operator.lazy == thunks
    for places in (operator.applied, operator.only_shown, operator.strict or ()):
        assert all(place < len(parameters(operator)) for place in places)


@operators
def test_who_asks_the_run_has_effects(operator: Operator) -> None:
    if operator.context:
        assert operator.effects


@operators
def test_what_has_effects_is_not_cheap_nor_proved_alike(operator: Operator) -> None:
    if operator.effects:
        assert not operator.cheap
        assert not operator.commutative
        assert operator.equivariance is not ALIKE or operator.does_only(Effect.PRINTS)


_DECLARED = re.compile(r"\b(?P<type>V|bool)\s+(?P<rest>gm_[^;{]*)[;{]", re.DOTALL)
_FUNCTION = re.compile(r"(gm_\w+)\(([^()]*)\)")


def c_functions() -> dict[str, tuple[str, int]]:
    """Of the headers: what they return, and how many arguments they take besides the worker."""
    found = {}
    for header in RUNTIME.rglob("*.h"):
        for declaration in _DECLARED.finditer(header.read_text()):
            for name, arguments in _FUNCTION.findall(declaration["rest"]):
                found[name] = (declaration["type"], arguments.count(","))
    return found


C = c_functions()


@pytest.mark.parametrize("operator", [each for each in OPERATORS.values() if not isinstance(each.c, Native)], ids=str)
def test_c(operator: Operator) -> None:
    name = operator.c.function if isinstance(operator.c, Swapped | WithNames) else operator.c
    names = operator.c.names if isinstance(operator.c, WithNames) else ()
    assert isinstance(name, str)
    assert C[name] == ("bool" if operator.boolean else "V", len(names) + len(parameters(operator)))


@operators
def test_what_is_written_out_has_a_form_for_it(operator: Operator) -> None:
    if operator.c is EMITTED:
        assert operator.form in {**FORMS, **TESTS}


@pytest.mark.parametrize("form", Form, ids=str)
def test_a_form_is_that_of_one_operator(form: Form) -> None:
    assert len([operator for operator in OPERATORS.values() if operator.form is form]) == 1


# --- and those of the standard modules -------------------------------------------------------------------------------


@pytest.mark.parametrize("module", sorted({operator.module for operator in of_modules}))
def test_the_module_defines_them(module: str) -> None:
    loaded, diagnostics = load(SourceFile("User.tla", f"---- MODULE User ----\nEXTENDS {module}\n===="), ())
    assert loaded.specification is not None, diagnostics
    for operator in of_modules:
        if operator.module == module:
            symbol = loaded.specification.root.names[operator.name.removesuffix("'")]
            assert symbol.arity == len(parameters(operator)), operator
