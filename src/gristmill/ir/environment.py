"""What names stand for while trees are lowered: slots of frames, definitions, or other expressions."""

from __future__ import annotations

from dataclasses import field, replace

from gristmill.ir.nodes import Definition
from gristmill.modules.symbols import Instance, Operator, Symbol
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax import tree


class Frame:
    """The slots of a definition under construction. `parent` is the frame of the code around it."""

    __slots__ = ("parent", "size")

    def __init__(self, parent: Frame | None = None) -> None:
        self.parent = parent
        self.size = 0

    def slot(self) -> int:
        self.size += 1
        return self.size - 1

    def hops_to(self, other: Frame) -> int:
        """How many parents up `other` is."""
        hops, at = 0, self
        while at is not other:
            assert at.parent is not None, "a name is used outside the frame it lives in"
            hops, at = hops + 1, at.parent
        return hops


@dataclass(frozen=True, slots=True, eq=False)
class InSlot:
    """A parameter, a bound name or a LET value: a slot of a frame.

    `origin`, for a LET value: the environment of its definition, in which the primed value is lowered.
    """

    frame: Frame
    slot: int
    origin: Env | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ByName:
    """Something to be lowered anew wherever it is used: an argument that is primed, or an operator argument."""

    node: tree.Expression
    env: Env


@dataclass(frozen=True, slots=True, eq=False)
class LetOperator:
    """An operator with parameters defined in a LET; its definitions live in that LET's frame."""

    operator: Operator
    env: Env
    definitions: dict[tuple[bool, Context | None], Definition] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class InstanceHere:
    """An INSTANCE that stands inside a definition: its substitutes are to be read there."""

    env: Env


Binding = InSlot | ByName | LetOperator | InstanceHere


@dataclass(slots=True, eq=False)
class Context:
    """An INSTANCE being looked through: names declared in its module are replaced, as read in the environment `outer`.

    The root context replaces nothing. `frame`: where the parameters of the INSTANCE live, if it has any.
    """

    instance: Instance | None = None
    outer: Env | None = None
    frame: Frame | None = None
    definitions: dict[tuple[Symbol, bool, Context | None], Definition] = field(default_factory=dict)
    identities: dict[Symbol, object] = field(default_factory=dict)  # see `Definition.identity`
    inner: dict[Instance, Context] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Env:
    """Everything a node needs to be lowered. Bindings are keyed by symbols, INSTANCEs and EXCEPT updates' ids.

    `enabling`, inside ENABLED: the INSTANCE that it stands in, if it does.
    """

    bindings: dict[object, Binding]
    frame: Frame
    context: Context
    primed: bool = False
    inlining: tuple[Symbol, ...] = ()
    enabling: Context | None = None

    def bind(self, **changes: object) -> Env:
        return replace(self, **changes)  # type: ignore[arg-type]

    def with_bindings(self, new: dict[object, Binding]) -> Env:
        return replace(self, bindings={**self.bindings, **new}) if new else self

    def in_slot(self, symbol: object) -> tuple[Env, int]:
        """An environment in which `symbol` has a new slot."""
        slot = self.frame.slot()
        return self.with_bindings({symbol: InSlot(self.frame, slot)}), slot

    def at(self, other: Env) -> Env:
        """The bindings and context of `other`, emitting code here: in this frame, primed as here."""
        return replace(self, bindings=other.bindings, context=other.context)
