"""The declaration of a library operator: all that the stages of the pipeline must know of it, in one place.

An operator of a module is declared where its Python implementation stands, once:

    @Operator("Sequences", "Append", effects=NONE, equivariance=ALIKE, c="gm_append")
    def append(items: Value, item: Value) -> Value: ...

The evaluators, the analyses and the symmetry check all ask the declaration for the facts about an operator; no other
file spells its name. What a wrong answer could turn into a false "no error" has no default:
`effects`, `equivariance`, `c`. The others' defaults are the careful ones, or a mistake in them shows at once.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, Final, Literal, TypeVar

from gristmill.library.effects import ONCE_IS_ENOUGH, OUTSIDE, UNNOTICED, Effect
from gristmill.library.run import Run
from gristmill.source.node import node
from gristmill.values import FALSE, TRUE, Value


class Form(Enum):
    """Operators that a stage treats in a way of its own. Each stage has a table of the forms that it knows."""

    ADD = "+"
    SUBTRACT = "-"
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    INTERVAL = ".."
    UNION = "a union of two"
    BIG_UNION = "a union of many"
    DIFFERENCE = "a difference"
    DOMAIN = "the domain of a function"
    SINGLE = "a function on one argument"
    MERGE = "two functions, the first of them where both have an argument"
    INCLUDED = "set inclusion, which assigns like membership"
    SELECT = "the elements that pass a test"
    ASSERT = "an assertion"
    PRINT = "output, beside a value"
    PRINT_TRUE = "output, which is true"
    SHOW = "any value as text"
    CONCATENATE = "one sequence or text after the other"
    EVALUATE = "an expression whose value is kept if it is constant"
    CACHE = "an expression whose value is kept for each value of another"
    STATISTIC = "what the search says of itself"
    NEXT_STATISTIC = "what it will say of itself in the next state"
    TRAP = "what is not expected to be evaluated: the search then begins anew, in order"


class Equivariance(Enum):
    """Whether permuting the arguments permutes the result, and does nothing else."""

    ALIKE = "it does: permuted values are treated alike"
    DOUBTFUL = "it may depend on the order of values, on how they are spelt, on the search or on the world"


@node
class Folds:
    """Goes through a set in some order, and puts the elements together by its first argument, an operator.

    Permuted values are treated alike if the order does not matter to that operator, of an element and of what there is
    so far. `accumulator`: which of the two is what there is so far.
    """

    accumulator: int


@node
class Swapped:
    """A C function that takes the two arguments the other way round: `a > b` is `b < a`."""

    function: str


@node
class WithNames:
    """A C function that takes some names before the arguments: names of fields, which C has no other way to know."""

    function: str
    names: tuple[str, ...]


class Native(Enum):
    """How native code evaluates an operator for which the runtime has no function."""

    CALLBACK = "by the Python implementation; with lazy arguments or operators among them, not at all"
    EMITTED = "the emitter writes it out: it has a form for it"


ALIKE: Final = Equivariance.ALIKE
DOUBTFUL: Final = Equivariance.DOUBTFUL
CALLBACK: Final = Native.CALLBACK
EMITTED: Final = Native.EMITTED

LANGUAGE: Final = ""  # the module of the operators that need none
UNNAMED: Final = "Gristmill"  # of operators that only lowering introduces

Function = TypeVar("Function", bound=Callable[..., Any])


class Operator:
    """An operator with a hand-written implementation: of the language (LANGUAGE) or of a module.

    A decorator of that implementation, `python`: a function from values to a value. Operators among its arguments
    arrive as Python functions on values.

    What must be said:

    - `effects`: what evaluating it does to the world or asks of it.
    - `equivariance`: whether it treats permuted values alike.
    - `c`: the function of the runtime (`native/runtime`) that takes a worker and the arguments, evaluated from left to
      right, operators as closures; it returns a bool if `boolean`. Or how native code does without.

    What need not be, as long as it is not so:

    - `boolean`: `python` returns a Python bool.
    - `context`: `python` takes the run first.
    - `lazy`: these arguments arrive as functions without parameters, to be called when they are needed.
    - `applied`: these arguments may be functions that are not listed (`UnlistedFunction`).
    - `strict`: the arguments that are certainly evaluated whenever the whole is; None for all of them, as arguments are
      evaluated before a call. Must be said where it is not that simple: `lazy`, `keeps`, EMITTED.
    - `form`: some stage treats it in a way of its own.
    - `cheap`: it may as well be evaluated while compiling.
    - `commutative`: it puts elements together so that their order does not matter.
    - `only_shown`: these arguments have nothing to do with its value; they are for people.
    - `keeps`: a value, once found, is given again (memoisation beyond definitions).

    `repetition` follows from the effects: whether evaluating it again may give another value or be noticed. TLC
    evaluates constant definitions once, before it starts: so do we, unless it is "always".
    """

    __slots__ = (
        "applied",
        "boolean",
        "c",
        "cheap",
        "commutative",
        "context",
        "effects",
        "equivariance",
        "form",
        "keeps",
        "lazy",
        "module",
        "name",
        "only_shown",
        "python",
        "repetition",
        "strict",
    )
    python: Callable[..., Any]

    def __init__(
        self,
        module: str,
        name: str,
        *,
        effects: Effect,
        equivariance: Equivariance | Folds,
        c: str | Swapped | WithNames | Native,
        boolean: bool = False,
        context: bool = False,
        lazy: tuple[int, ...] = (),
        applied: tuple[int, ...] = (),
        strict: tuple[int, ...] | Literal["all"] | None = None,
        form: Form | None = None,
        cheap: bool = False,
        commutative: bool = False,
        only_shown: tuple[int, ...] = (),
        keeps: bool = False,
    ) -> None:
        if strict is None and (lazy or keeps or c is EMITTED):
            raise TypeError(f"{name} of {module}: which arguments are certainly evaluated?")
        self.module, self.name = module, name
        self.effects, self.repetition = effects, _repetition(effects)
        self.equivariance = equivariance
        self.c = c
        self.boolean, self.context = boolean, context
        self.lazy, self.applied = lazy, applied
        self.strict = None if strict == "all" else strict
        self.form = form
        self.cheap = cheap
        self.commutative = commutative
        self.only_shown = only_shown
        self.keeps = keeps

    def __call__(self, python: Function) -> Function:
        if (self.module, self.name) in OPERATORS:
            raise TypeError(f"{self.name} of {self.module} is declared twice")
        self.python = python
        OPERATORS[self.module, self.name] = self
        return python

    def __str__(self) -> str:
        return f"{self.module}!{self.name}" if self.module else self.name

    def __repr__(self) -> str:
        return str(self)

    def does_only(self, effects: Effect) -> bool:
        """Whether it has no effects besides these and unobservable ones."""
        return not self.effects & ~(effects | UNNOTICED)

    def is_strict_in(self, argument: int) -> bool:
        return self.strict is None or argument in self.strict

    def function(self, run: Run) -> Callable[..., Any]:
        """`python`, for one run."""
        function = partial(self.python, run) if self.context else self.python
        return partial(run.outside, function) if self.effects & OUTSIDE else function

    def function_to_value(self, run: Run) -> Callable[..., Value]:
        """The same, but what is true or false is a TLA+ value."""
        function = self.function(run)
        return (lambda *args: TRUE if function(*args) else FALSE) if self.boolean else function


OPERATORS: Final[dict[tuple[str, str], Operator]] = {}  # by module and name


def _repetition(effects: Effect) -> Literal["none", "once", "always"]:
    if not effects & ~UNNOTICED:
        return "none"
    return "always" if effects & ~ONCE_IS_ENOUGH else "once"


def find(module: str, name: str) -> Operator | None:
    return OPERATORS.get((module, name))
