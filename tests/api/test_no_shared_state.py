"""A run leaves nothing behind in the modules of the package: whatever it has learnt is in objects of its own."""

import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import gristmill

# What may change, each with the reason why it cannot make one run depend on another.
ALLOWED = {
    "gristmill.cc.building._LOCKS": "locks by the hash of what is compiled",
    "gristmill.source.stack._ended": "when a thread last gave its stack back: how long to wait for room",
}

SPECIFICATION = """---- MODULE Words ----
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANT Proc
Order == <<{words}>>
VARIABLES x, n, seen
Init == x = (CHOOSE w \\in {{{words}}} : TRUE) /\\ n = [p \\in Proc |-> 0] /\\ seen = {{}}
Next == \\E w \\in {{{words}}}, p \\in Proc : /\\ x' = w /\\ n' = [n EXCEPT ![p] = (@ + 1) % 3]
                                           /\\ seen' = seen \\cup {{<<w, ToString(n[p])>>}}
                                           /\\ TLCSet(1, w)
Live == <>(x = "{first}")
Small == Cardinality(seen) < 4 /\\ Len(<<Nat, 1>>) = 2
====
"""


def run(words: list[str], **options: Any) -> gristmill.Result:
    text = SPECIFICATION.format(words=", ".join(f'"{word}"' for word in words), first=words[0])
    return gristmill.check(
        text,
        config="INIT Init\nNEXT Next\nCONSTANT Proc = {p1, p2}\nINVARIANT Small\nPROPERTY Live",
        output=lambda line: None,
        **options,
    )


def snapshot() -> dict[str, object]:
    return {
        f"{name}.{attribute}": _content(value, 0)
        for name, module in sorted(sys.modules.items())
        if name.split(".")[0] == "gristmill" and isinstance(module, ModuleType)
        for attribute, value in list(vars(module).items())
        if not attribute.startswith("__")
    }


def _content(value: Any, depth: int) -> object:
    """What can change about an object: its parts, by identity below a few levels."""
    if hasattr(value, "cache_info"):
        return value.cache_info().currsize
    if isinstance(value, FunctionType | ModuleType):
        return id(value)
    if isinstance(value, type):
        if value.__module__.split(".")[0] != "gristmill" or depth > 2:
            return id(value)
        return {name: _content(each, depth + 1) for name, each in vars(value).items()}
    if depth > 4:
        return id(value)
    if isinstance(value, dict):
        return {id(key): _content(each, depth + 1) for key, each in list(value.items())}
    if isinstance(value, list | tuple | set | frozenset):
        return [_content(each, depth + 1) for each in list(value)]
    if type(value).__module__.split(".")[0] == "gristmill":
        return {name: _content(each, depth + 1) for name, each in _attributes(value)}
    return id(value) if not isinstance(value, int | str | float | bytes | None) else value


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    yield from getattr(value, "__dict__", {}).items()
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name):
                yield name, getattr(value, name)


def test_no_module_is_changed_by_a_run() -> None:
    engines = ("python", "native", "auto")
    for engine in engines:  # loads what is loaded when it is needed
        run(["beta", "alpha", "gamma"], engine=engine)
        gristmill.simulate("---- MODULE S ----\nVARIABLE x\nInit == x = 1\nNext == x' = x\n====", num=2, seed=1)
    before = snapshot()
    for engine in engines:
        assert run(["delta", "gamma", "alpha"], engine=engine).verdict == "invariant"
        str(run(["delta", "omega"], engine=engine, symmetry=None))
    after = snapshot()
    changed = [name for name in after if name in before and after[name] != before[name]]
    assert [name for name in changed if not any(name.startswith(allowed) for allowed in ALLOWED)] == []


def test_a_change_would_be_seen() -> None:
    """The look itself: a table of a module that grows."""
    import gristmill.values.order as order

    before = snapshot()
    order.KEYS[object] = lambda value: (9,)
    try:
        after = snapshot()
        assert before["gristmill.values.order.KEYS"] != after["gristmill.values.order.KEYS"]
    finally:
        del order.KEYS[object]
