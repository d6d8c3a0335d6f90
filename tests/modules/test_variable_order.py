"""The order of variables in TLC, as it prints them."""

from gristmill.modules import load_specification
from gristmill.modules.variable_order import variable_order
from gristmill.source import SourceFile


def in_order(text: str, **others: str) -> list[str]:
    sources = {
        name: SourceFile(f"{name}.tla", f"---- MODULE {name} ----\n{body}\n====") for name, body in others.items()
    }
    loaded = load_specification(SourceFile("Test.tla", f"---- MODULE Test ----\n{text}\n===="), sources=sources)
    assert loaded.specification is not None
    root = loaded.specification.root
    return [root.variables[number].name for number in variable_order(root)]


def test_it_is_that_of_a_hash_table() -> None:
    assert in_order("VARIABLES knows, inbox, rounds") == ["rounds", "inbox", "knows"]


def test_more_names_make_a_larger_table() -> None:
    many = "\n".join(f"D{number} == {number}" for number in range(70))
    assert in_order(f"VARIABLES knows, inbox, rounds\n{many}") == ["knows", "inbox", "rounds"]
    instance = "VARIABLES knows, inbox, rounds\nI == INSTANCE M"
    assert in_order(instance, M=many) == ["knows", "inbox", "rounds"]
    fewer = "\n".join(f"D{number} == {number}" for number in range(35))
    assert in_order(f"{instance}\nK == INSTANCE M", M="J == INSTANCE N", N=fewer) == ["knows", "inbox", "rounds"]
