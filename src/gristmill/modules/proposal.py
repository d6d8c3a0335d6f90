"""A configuration for a specification that has none: what could stand in it, for a person to look over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gristmill.modules.choices import Choices
from gristmill.modules.specification import Specification
from gristmill.modules.symbols import Constant
from gristmill.modules.unasked import nodes_of, unasked
from gristmill.syntax import tree

_COMMENT = "\\*"


def proposed_configuration(specification: Specification, choices: Choices) -> str:
    """The behaviour that `choices` name, constants with a small value each, and every property there seems to be."""
    return "\n".join(_lines(specification, choices)) + "\n"


def _lines(specification: Specification, choices: Choices) -> Iterator[str]:
    yield f"{_COMMENT} What to check of {specification.root.name}. Read it over: values and properties are guesses."
    if choices.specification is not None:
        yield f"SPECIFICATION {choices.specification}"
    elif choices.init is not None and choices.next is not None:
        yield from (f"INIT {choices.init}", f"NEXT {choices.next}")
    else:
        yield f"{_COMMENT} SPECIFICATION Spec    {_COMMENT} the formula Init /\\ [][Next]_vars, by its name"
    constants = specification.root.constants
    if constants:
        yield from ("", "CONSTANTS", *(f"  {_constant(each, specification)}" for each in constants))
    found = unasked(specification, choices)
    for kind, heading in (("invariant", "INVARIANTS"), ("property", "PROPERTIES")):
        names = [each.name for each in found if each.kind == kind]
        if names:
            yield from ("", heading, *(f"  {name}" for name in names))
    yield from ("", f"CHECK_DEADLOCK TRUE    {_COMMENT} FALSE if behaviours are meant to end")


def _constant(constant: Constant, specification: Specification) -> str:
    name = constant.name
    if constant.arity:
        return f"{name} <- {name}Value    {_COMMENT} a definition with {constant.arity} parameters, of any name"
    used = _uses(constant, specification)
    if "number" in used:
        return f"{name} = 2"
    if "set" in used:
        letter = name[0].lower()
        return f"{name} = {{{letter}1, {letter}2}}"
    return f"{name} = {name}    {_COMMENT} a model value, equal to nothing else"


_NUMBERS = frozenset(r".. + - * < > <= >= =< \leq \geq % \div ^".split())
_NUMBER_SETS = frozenset(("Nat", "Int"))
_SETS = frozenset(r"\cup \cap \union \intersect \subseteq \ SUBSET Cardinality".split())


def _uses(constant: Constant, specification: Specification) -> set[str]:
    """As what the text takes it: a number, a set."""
    found: set[str] = set()
    for node in _all_nodes(specification):
        match node:
            case tree.Apply(tree.Name("\\in"), (left, right)):
                if _is(left, constant, specification) and isinstance(right, tree.Name) and right.name in _NUMBER_SETS:
                    found.add("number")
                if _is(right, constant, specification):
                    found.add("set")
            case tree.Apply(tree.Name(operator), args) if _among(args, constant, specification):
                found |= {"number"} if operator in _NUMBERS else {"set"} if operator in _SETS else set()
            case tree.Bound(domain=domain) if domain is not None and _is(domain, constant, specification):
                found.add("set")
            case tree.FunctionSet(domain, range) if _among((domain, range), constant, specification):
                found.add("set")
    return found


def _all_nodes(specification: Specification) -> Iterator[object]:
    for module in specification.root.with_extended():
        if not module.is_library:
            yield from nodes_of(module.node.units)


def _among(nodes: Iterable[object], constant: Constant, specification: Specification) -> bool:
    return any(_is(node, constant, specification) for node in nodes)


def _is(node: object, constant: Constant, specification: Specification) -> bool:
    return isinstance(node, tree.Name) and specification.symbols.get(id(node)) is constant
