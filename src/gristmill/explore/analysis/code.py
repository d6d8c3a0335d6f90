"""The syntax of a class's methods and guards, found through its source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from gristmill.explore.process import Byzantine, Process

Function = ast.FunctionDef | ast.Lambda

# Methods that `Process` itself defines; calls of these are effects.
EFFECTS = frozenset({"send", "broadcast", "choose", "set_timer", "cancel_timer", "invoke", "respond", "forge"})


class NoSource(Exception):
    """The source of something cannot be found or is of a kind that is not understood; it may do anything."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method as one class of the hierarchy defines it. `super().f()` in it means the next definition of f."""

    owner: type
    name: str
    tree: ast.FunctionDef

    @property
    def parameters(self) -> list[str]:
        """Without self."""
        return parameters_of(self.tree.args)[1:]

    @property
    def self_name(self) -> str:
        return parameters_of(self.tree.args)[0]


def parameters_of(arguments: ast.arguments) -> list[str]:
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    names += [one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return names


class Code:
    """The methods of a process class, as they would be found by name, and as `super()` would find them."""

    def __init__(self, kind: type[Process]) -> None:
        self.kind = kind
        self.lineage = [one for one in kind.__mro__ if one not in (Process, Byzantine, object)]
        self.bodies: dict[tuple[type, str], Method] = {}
        for one in self.lineage:
            for name, value in vars(one).items():
                function = _function_of(name, value)
                if function is not None:
                    self.bodies[one, name] = Method(one, name, parse_function(function))

    def find(self, name: str, after: type | None = None) -> Method | None:
        """The definition of a method that a call on the object means; or, with `after`, a call on `super()` there."""
        start = 0 if after is None else self.lineage.index(after) + 1
        for one in self.lineage[start:]:
            if (one, name) in self.bodies:
                return self.bodies[one, name]
        return None

    def is_property(self, name: str) -> bool:
        return isinstance(getattr(self.kind, name, None), property)

    def methods(self) -> list[Method]:
        return list(self.bodies.values())


# Special methods that nothing calls behind a handler's back.
_UNSPECIAL = frozenset({"__init__", "__repr__", "__str__", "__init_subclass__"})


def _function_of(name: str, value: object) -> Callable[..., Any] | None:
    """The function behind an attribute of a class, if it is a method or a property that only reads.

    What else can be called, or is called when an attribute is read or written, is not followed: `NoSource`.
    """
    function = value.fget if isinstance(value, property) else value
    if isinstance(value, property) and (value.fset or value.fdel):
        raise NoSource(f"{name} is a property that can be assigned to")
    if inspect.isfunction(function):
        special = name.startswith("__") and name.endswith("__") and name not in _UNSPECIAL
        if special or hasattr(function, "__wrapped__") or function.__name__ == "<lambda>":
            raise NoSource(f"{name} is a special, wrapped or anonymous function")
        return function
    if isinstance(value, staticmethod | classmethod | type) or name in ("__dict__", "__weakref__"):
        return None
    if callable(value) or hasattr(type(value), "__get__"):
        raise NoSource(f"{name} is a {type(value).__name__}, which may do anything")
    return None


_known: dict[type, Code] = {}


def code_of(kind: type[Process]) -> Code:
    """Parsed once."""
    if kind not in _known:
        _known[kind] = Code(kind)
    return _known[kind]


@cache
def parse_function(function: Callable[..., Any]) -> ast.FunctionDef:
    """The definition of a function; `NoSource` if it has none that can be read."""
    tree = _parse(function)
    if not isinstance(tree, ast.FunctionDef):
        raise NoSource(f"{function} is no plain function")
    return tree


@cache
def parse_test(function: Callable[..., Any]) -> Function:
    """The definition of a guard or a property: a function or a lambda."""
    function = inspect.unwrap(function)
    if getattr(function, "__name__", "") != "<lambda>":
        return parse_function(function)
    return _parse_lambda(function)


def _parse(function: Callable[..., Any]) -> ast.stmt:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndentationError) as error:
        raise NoSource(str(error)) from None


def _parse_lambda(function: Callable[..., Any]) -> ast.Lambda:
    """A lambda has no source of its own: it is one of those on its line, told apart by its compiled form."""
    try:
        path = inspect.getsourcefile(function)
        lines, _ = inspect.findsource(function)
        module = ast.parse("".join(lines))
    except (OSError, TypeError, SyntaxError) as error:
        raise NoSource(f"{path if 'path' in locals() else ''}: {error}") from None
    line = function.__code__.co_firstlineno
    found = [node for node in ast.walk(module) if isinstance(node, ast.Lambda) and node.lineno == line]
    alike = [node for node in found if _compiled(node) == function.__code__.co_code]
    if len(alike) != 1:
        raise NoSource(f"several lambdas on line {line}")
    return alike[0]


def _compiled(node: ast.Lambda) -> bytes:
    code = compile(ast.Expression(node), "<lambda>", "eval")
    inner = next(one for one in code.co_consts if hasattr(one, "co_code"))
    return bytes(inner.co_code)


def own_field(node: ast.AST, self_name: str) -> str | None:
    """The field, if the node is `self.field`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self_name:
        return node.attr
    return None


def super_call(node: ast.AST) -> str | None:
    """The method's name, if the node is `super().name`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call):
        called = node.value.func
        if isinstance(called, ast.Name) and called.id == "super" and not node.value.args:
            return node.attr
    return None
