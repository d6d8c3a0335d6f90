"""One C file: the functions written so far, and what they share."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from gristmill.evaluate.dependencies import Analysis, unfinished_slots
from gristmill.ir import nodes
from gristmill.ir.alike import structure
from gristmill.ir.nodes import Definition, Expression
from gristmill.ir.passes.dependencies import mentioned, reads
from gristmill.ir.passes.unroll_quantifiers import Unrolling
from gristmill.ir.places import Place
from gristmill.ir.walk import Node, children, reachable
from gristmill.native.emit.constants import Constants
from gristmill.native.emit.finishing import Calls, used
from gristmill.native.plan.layout import Bits, Layout, Leaf, Parts, slots_at
from gristmill.native.plan.printing import ByPython
from gristmill.native.plan.universes import universes

T = TypeVar("T")


class Program:
    """`variables` are the layouts; slots are numbered through. `shadows`: next values that only ENABLED has."""

    def __init__(
        self,
        layouts: Sequence[Layout],
        shadows: int,
        constants: Constants,
        analysis: Analysis,
        unrolling: Unrolling,
    ) -> None:
        self.layouts = tuple(layouts)
        self.universes = universes(layouts)
        self.unrolling = unrolling
        self.constants = constants
        self.analysis = analysis
        self.first_slot: list[int] = []
        slots = 0
        for layout in layouts:
            self.first_slot.append(slots)
            slots += layout.size
        self.slots = slots
        self.shadows = shadows
        self.next_slots = slots + shadows
        self.primitives: list[ByPython] = []  # evaluated by Python, by number
        self._prototypes: list[str] = []
        self._functions: list[str] = []
        self.calls = Calls()  # of continuations
        self._names = 0
        self.remembered = 0  # values of definitions, each made once a state
        self.lasting = 0  # values that are the same in every state, each made once a worker
        self.may_remember = True
        self.cost = 0  # nodes of the IR that have been written, each as often as it was
        self._canonical: dict[int, tuple[Definition, Definition]] = {}
        self._alike: dict[Hashable, Definition] = {}
        self._known: ChainMap[Any, str] = ChainMap()  # names by what they are for
        self._kept: list[Any] = []  # whose identity is a key must not go away
        self._answers: dict[tuple[str, int], tuple[object, Any]] = {}  # see `_found`

    # ------------------------------------------------------------------------------------------------------ functions

    def name(self, prefix: str) -> str:
        """Another name for something that all functions see; those of locals have no underscore."""
        self._names += 1
        return f"{prefix}_{self._names}"

    def once(self, key: Any, prefix: str, write: Callable[[str], None], *keep: Any) -> str:
        """The name of a function that is written when it is first needed; it may need itself."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.name(prefix)
            self._kept += keep
            write(found)
        return found

    def canonical(self, definition: Definition) -> Definition:
        """The first definition that says the same: an action with other parameters may have copies of its own.

        One function is written for all of them.
        """
        found = self._canonical.get(id(definition))
        if found is None:
            first = definition if definition.recursive or definition.body is None else self._first_alike(definition)
            found = self._canonical[id(definition)] = (definition, first)
        return found[1]

    def _first_alike(self, definition: Definition) -> Definition:
        assert definition.body is not None
        key = (definition.arities, definition.nested, definition.frame_size, structure(definition.body))
        return self._alike.setdefault(key, definition)

    def add(self, head: str, body: str) -> None:
        """A function: its head, and its body without the braces."""
        self._prototypes.append(f"{head};")
        self._functions.append(f"{head} {{\n{body}}}\n")

    @contextmanager
    def draft(self) -> Iterator[None]:
        """What is written inside is part of the program once it is finished; `Unsupported` leaves none of it.

        Not even a function that could be finished: others, which could not, may be called in it.
        """
        prototypes, functions, known = self._prototypes, self._functions, self._known
        self._prototypes, self._functions, self._known = [], [], ChainMap({}, known)
        try:
            yield
            prototypes += self._prototypes
            functions += self._functions
            known.update(self._known.maps[0])
        finally:
            self._prototypes, self._functions, self._known = prototypes, functions, known

    def declare(self, line: str) -> None:
        self._prototypes.append(line)

    def text(self, tables: str) -> str:
        """All of it, with the tables, which come last: they may need further functions."""
        prototypes, functions = self._prototypes, list(map(self.calls.written, self._functions))
        if self.calls.have_choice():
            prototypes, functions = used(prototypes, functions, tables)
        return "\n".join((*prototypes, "", *functions, tables))

    def primitive(self, operator: ByPython) -> int:
        if operator not in self.primitives:
            self.primitives.append(operator)
        return self.primitives.index(operator)

    def last(self) -> int:
        """Another place for a value that is made once."""
        self.lasting += 1
        return self.lasting - 1

    def remember(self) -> int:
        """Another place for a value that is made once a state."""
        self.remembered += 1
        return self.next_slots + len(self.layouts) + self.remembered - 1

    # ---------------------------------------------------------------------------------------------------- variables

    def slot_of(self, index: int) -> tuple[int, Layout]:
        """The first slot of a variable, or of a next value that only ENABLED has."""
        if index < len(self.layouts):
            return self.first_slot[index], self.layouts[index]
        return self.slots + index - len(self.layouts), Leaf()

    def build(self, layout: Layout) -> str:
        """The C function that makes a value of slots."""
        return self.once(("build", layout), "b", lambda name: self._write_build(name, layout))

    def _write_build(self, name: str, layout: Layout) -> None:
        head = f"static V {name}(gm_worker *w, const V *s)"
        if isinstance(layout, Leaf):
            self.add(head, "  (void)w;\n  return s[0];\n")
            return
        if isinstance(layout, Bits):
            self.add(head, f"  return gm_bits_listed_slots(w, {layout.universe}, {layout.words}, s);\n")
            return
        lines = [f"  V v[{len(layout.keys)}];"]
        offset = 0
        for position, child in enumerate(layout.children):
            value = f"s[{offset}]" if isinstance(child, Leaf) else f"{self.build(child)}(w, s + {offset})"
            lines.append(f"  v[{position}] = {value};")
            offset += child.size
        if layout.is_sequence:
            lines.append(f"  return gm_make_sequence(w, v, {len(layout.keys)});")
        else:
            lines.append(f"  return gm_make_function(w, {self.keys(layout)}, v);")
        self.add(head, "\n".join(lines) + "\n")

    def explode(self, layout: Layout) -> str:
        """The C function that cuts a value into slots."""
        return self.once(("explode", layout), "x", lambda name: self._write_explode(name, layout))

    def _write_explode(self, name: str, layout: Layout) -> None:
        head = f"static void {name}(gm_worker *w, V v, V *s, uint32_t variable)"
        if isinstance(layout, Leaf):
            self.add(head, "  (void)w, (void)variable;\n  s[0] = v;\n")
            return
        if isinstance(layout, Bits):
            call = f"gm_bits_of_set_slots(w, {layout.universe}, {layout.words}, v, s, variable)"
            self.add(head, f"  {call};\n")
            return
        size = len(layout.keys)
        lines = ["  v = gm_listed(w, v);"]
        kind = "GM_SEQUENCE" if layout.is_sequence else "GM_FUNCTION"
        lines.append(f"  if (!gm_is_kind(v, {kind})) gm_misfit(w, variable);")
        lines.append("  const V *i = gm_object_of(v)->items;")
        if layout.is_sequence:
            lines.append(f"  if (gm_object_of(v)->size != {size}) gm_misfit(w, variable);")
        else:
            lines.append(f"  if (i[0] != {self.keys(layout)} && gm_keep(w, i[0]) != {self.keys(layout)})")
            lines.append("    gm_misfit(w, variable);")
            lines.append("  i++;")
        offset = 0
        for position, child in enumerate(layout.children):
            if isinstance(child, Leaf):
                lines.append(f"  s[{offset}] = i[{position}];")
            else:
                lines.append(f"  {self.explode(child)}(w, i[{position}], s + {offset}, variable);")
            offset += child.size
        self.add(head, "\n".join(lines) + "\n")

    def keys(self, layout: Parts) -> str:
        """The domain of a function that is cut into slots, as a kept set."""
        return self.constants.text(frozenset(layout.keys))

    # --------------------------------------------------------------------------------------------- what is read

    def slots_read(self, node: Expression) -> list[int]:
        """The slots of the current state that evaluating a formula by itself may read."""
        return self._found("slots", node, lambda: self._find_slots(node))

    def _find_slots(self, node: Expression) -> list[int]:
        places = reads(node, len(self.layouts))
        return sorted({slot for place in places for slot in self._slots_at(place)})

    def _slots_at(self, place: Place) -> Iterator[int]:
        first, layout = self.slot_of(place.variable)
        return (first + offset for offset in slots_at(layout, place.path))

    def primed(self, node: Node) -> frozenset[int]:
        """The variables whose next value an expression may read, through the definitions it calls."""
        return self._found("primed", node, lambda: mentioned(node, below=_outside_of_enabled)[1])

    def lazy_slots(self, definition: Definition) -> frozenset[int]:
        """See `unfinished_slots`."""
        body, parameters = definition.body, len(definition.arities)
        assert body is not None
        return self._found("lazy", definition, lambda: unfinished_slots(body, parameters))

    def has_functions(self, definition: Definition) -> bool:
        """Whether there may be functions inside that are evaluated argument by argument."""
        inside = reachable(definition.body, into=lambda node: node.definition.nested)
        is_function = (isinstance(node, nodes.FunctionLiteral) for node in inside)
        return self._found("functions", definition, lambda: any(is_function))

    def _found(self, question: str, about: object, find: Callable[[], T]) -> T:
        """The answer to a question about a part of the model, which is looked for once."""
        key = (question, id(about))
        if key not in self._answers:
            self._answers[key] = (about, find())
        answer: T = self._answers[key][1]
        return answer


def _outside_of_enabled(node: Node) -> Iterable[Node]:
    return () if isinstance(node, nodes.Enabled) else children(node)
