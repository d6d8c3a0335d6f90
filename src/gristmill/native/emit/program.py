"""One C file: the functions written so far, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gristmill.evaluate.dependencies import Analysis
from gristmill.ir import nodes
from gristmill.ir.passes.unroll_quantifiers import Unrolling
from gristmill.ir.walk import Node, children, reachable
from gristmill.library import Operator
from gristmill.native.emit.constants import Constants
from gristmill.native.plan.layout import Layout, Leaf, Parts


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
        self.primitives: list[Operator] = []  # evaluated by Python, by number
        self._prototypes: list[str] = []
        self._functions: list[str] = []
        self._names = 0
        self.remembered = 0  # values of definitions, each made once a state
        self.lasting = 0  # values that are the same in every state, each made once a worker
        self.may_remember = True
        self.length = 0  # characters of the functions
        self._known: dict[Any, str] = {}
        self._open: set[str] = set()  # names of functions that are being written
        self._needed: set[str] = set()  # those that are spoken of meanwhile
        self._named: dict[str, str] = {}  # names of functions by their text without it
        self._kept: list[Any] = []  # whose identity is a key must not go away

    # ------------------------------------------------------------------------------------------------------ functions

    def name(self, prefix: str) -> str:
        """Another name for something that all functions see; those of locals have no underscore."""
        self._names += 1
        return f"{prefix}_{self._names}"

    def once(self, key: Any, prefix: str, write: Callable[[str], None], *keep: Any) -> str:
        """The name of a function that is written when it is first needed; it may need itself."""
        found = self._known.get(key)
        if found in self._open:
            self._needed.add(found)
        if found is None:
            found = self._known[key] = self.name(prefix)
            self._kept += keep
            self._open.add(found)
            write(found)
            self._open.remove(found)
            found = self._known[key] = self.merged(found)
        return found

    def merged(self, name: str) -> str:
        """The name of a function that was written just now; that of an equal one, if there is one already.

        The same action with other parameters is a definition of its own, but need not be compiled again.
        """
        text = self._functions[-1] if self._functions else ""
        head, called, rest = text.partition(f" {name}(")
        if not called or "\n" in head or name in self._needed:
            return name
        found = self._named.setdefault(f"{head} {rest}", name)
        if found != name:
            self._functions.pop()
            self._prototypes.remove(text[: text.index(" {\n")] + ";")
        return found

    def add(self, head: str, body: str) -> None:
        """A function: its head, and its body without the braces."""
        self._prototypes.append(f"{head};")
        self._functions.append(f"{head} {{\n{body}}}\n")
        self.length += len(body)

    def so_far(self) -> tuple[int, ...]:
        """How much has been written: see `go_back`."""
        return len(self._prototypes), len(self._functions), len(self._known), len(self._named)

    def go_back(self, so_far: tuple[int, ...]) -> None:
        """Forget what was written since: some of it could not be finished, and others may already call that."""
        prototypes, functions, known, named = so_far
        del self._prototypes[prototypes:], self._functions[functions:]
        for key in list(self._known)[known:]:
            del self._known[key]
        for text in list(self._named)[named:]:
            del self._named[text]
        self._open.clear()

    def declare(self, line: str) -> None:
        self._prototypes.append(line)

    def text(self) -> str:
        return "\n".join((*self._prototypes, "", *self._functions))

    def primitive(self, operator: Operator) -> int:
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

    def slots_read(self, node: Any) -> list[int]:
        """The slots of the current state that an expression may read, through the definitions it calls."""
        found: set[int] = set()
        for each in reachable(node):
            if isinstance(each, nodes.Variable) and not each.primed:
                first, layout = self.slot_of(each.index)
                found.update(range(first, first + layout.size))
            elif isinstance(each, nodes.Unchanged | nodes.Enabled):
                found.update(range(self.slots))
        return sorted(found)

    def primed(self, node: Node) -> frozenset[int]:
        """The variables whose next value an expression may read, through the definitions it calls."""
        found: set[int] = set()
        for each in reachable(node, below=_outside_of_enabled):
            match each:
                case nodes.Variable(index, True):
                    found.add(index)
                case nodes.Unchanged(variables):
                    found.update(variables)
        return frozenset(found)


def _outside_of_enabled(node: Node) -> Iterable[Node]:
    return () if isinstance(node, nodes.Enabled) else children(node)
