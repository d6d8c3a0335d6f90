"""The C text for a model: its actions, predicates and tables, for the driver to run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain, groupby, islice
from operator import or_

from gristmill.evaluate.dependencies import unfinished_slots
from gristmill.ir.model import Branch, Model, Named
from gristmill.ir.nodes import Choose, Code, Expression, FunctionLiteral, Member, Quantified, SetFilter, SetMap
from gristmill.ir.passes import optimised_for_native
from gristmill.ir.passes.observers import Observer, with_verifier
from gristmill.ir.passes.unroll_quantifiers import Unrolling
from gristmill.ir.walk import SEARCHED, bodies, nodes_of

# each module enters its forms into the tables
from gristmill.native.emit import binders, calls, composed_actions, data, functions, logic, names, primitives
from gristmill.native.emit.actions import write_action
from gristmill.native.emit.constants import Constants
from gristmill.native.emit.emitter import Emitter, Mode, Space, function
from gristmill.native.emit.membership import member_of_constant
from gristmill.native.emit.program import Program
from gristmill.native.emit.scope import Scope
from gristmill.native.errors import Unsupported
from gristmill.native.plan.conjuncts import conjuncts
from gristmill.native.plan.constant_values import ConstantValues
from gristmill.native.plan.effects import LEVEL, ORDERED, NativeAnalysis
from gristmill.native.plan.enabled_variables import shadow_count
from gristmill.native.plan.facts import EvaluatedForNative
from gristmill.native.plan.instances import Instance, many_instances
from gristmill.native.plan.layout import Layout
from gristmill.native.plan.printing import ByPython
from gristmill.native.plan.slot_bits import BITS, slot_bits
from gristmill.source.stack import with_deep_stack
from gristmill.values import Value

FORMS = (binders, calls, composed_actions, data, functions, logic, names, primitives)

_REMEMBERED_SLOTS = 8  # GM_KNOWN_SLOTS of the driver
_QUICK_NODES = 24
_ROOM = 3_000  # nodes for loops that are written out where they are stored
_ALL_BITS = (1 << BITS) - 1

_LOOPS = (Quantified, Choose, SetFilter, SetMap, FunctionLiteral)

_HEAD = """#include <string.h>
#include "community.h"
#include "driver.h"

static const V *K;

"""


@dataclass(frozen=True)
class Generated:
    """`text` is the C; `constants` its data; `primitives` are the operators that Python evaluates, by number.

    `left`: what the reference evaluator is asked for as a whole: the sort of thing, its name, the reason. `cost`: how
    much there is to compile, in nodes of the IR, each counted as often as it was written.
    """

    text: str
    constants: tuple[Value, ...]
    primitives: tuple[ByPython, ...]
    left: tuple[tuple[str, str, str], ...]
    layouts: tuple[Layout, ...]
    widths: tuple[int, ...]
    cost: int = 0


@dataclass(frozen=True)
class Predicates:
    """C for `count` predicates, to be linked with that of a model with the same layouts.

    `primitives` are the operators that Python evaluates: those of the model, and then more.
    """

    text: str
    constants: tuple[Value, ...]
    count: int
    primitives: tuple[ByPython, ...]
    cost: int = 0


class Generator:
    def __init__(
        self,
        model: Model,
        layouts: Sequence[Layout],
        widths: Sequence[int],
        evaluate: Callable[[Code], Value],
        patient: bool = False,
    ) -> None:
        self.widths = tuple(widths)
        self.analysis = analysis = NativeAnalysis()
        self.values = ConstantValues(evaluate, analysis)
        self.values.patient = patient
        self.values.as_written = any(analysis.is_ordered(body) for body in bodies(model, SEARCHED))
        self.model = model  # optimised, once it is generated
        self.facts = EvaluatedForNative(analysis, self.values)
        constants, unrolling = Constants(self.values, analysis), Unrolling(self.facts, _ROOM)
        self.program = Program(layouts, shadow_count(model), constants, analysis, unrolling)
        self.variables = frozenset(range(len(model.variables)))
        self.left: list[tuple[str, str, str]] = []
        self.unshared: set[Hashable] = set()  # instances of these are written one by one
        self.with_parameters = False  # steps tell what they are taken with
        self.slot_bits: tuple[int, ...] = ()
        self.observers: tuple[Observer, ...] = ()  # of the passes
        self.copies = Counter(branch.actions for branch in model.branches)  # of an action, for the values of a name

    def generate(self) -> Generated:
        model = self.model = self._optimised(self.model)
        program = self.program
        self._share_bits()
        assert model.init is not None
        initial = self._attempt("initial", model.init.name, lambda: self._initial(model.init))
        branches = [
            self._attempt("action", branch.code.name, partial(self._branch, branch)) for branch in model.branches
        ]
        families = {
            "invariant": self._inherited_predicates(model.invariants),
            "implied_init": self._predicates(model.implied_inits, frozenset()),
            "constraint": self._inherited_predicates(model.constraints),
            "action_constraint": self._predicates(model.action_constraints, self.variables),
            "implied_action": self._predicates(model.implied_actions, self.variables),
            "alternative": self._alternatives(),
        }
        # without its VIEW it would be another search: if there is no native form for that, there is none for the model
        view = "NULL" if model.view is None else self._view(model.view.code)
        tables = self._tables(initial, branches, families, view)
        return Generated(
            _HEAD + program.text(tables),
            tuple(program.constants.values),
            tuple(program.primitives),
            tuple(self.left),
            program.layouts,
            self.widths,
            program.cost,
        )

    def predicates(self, codes: Sequence[tuple[Code, bool]], primitives: Sequence[ByPython]) -> Predicates:
        """Of states, or of steps."""
        self.program.primitives[:] = primitives
        self.values.patient = True
        self.facts.may_remember = False  # the model that these are linked with has no places for them
        self.program.may_remember = False
        found = self._further(self._optimised_codes(codes))
        lines = [
            "static void link_constants(const V *constants) { K = constants; }",
            "const gm_spec gm_generated = {.link = link_constants};",
        ]
        text = _HEAD + self.program.text("\n".join(lines) + "\n" + _predicate_table(found))
        constants, primitives_used = tuple(self.program.constants.values), tuple(self.program.primitives)
        return Predicates(text, constants, len(found), primitives_used, self.program.cost)

    def _optimised(self, model: Model) -> Model:
        after = with_verifier(*self.observers)
        return with_deep_stack(lambda: optimised_for_native(model, self.facts, after))

    def _optimised_codes(self, codes: Sequence[tuple[Code, bool]]) -> list[tuple[Code, bool]]:
        """As if they were constraints of a model. Those that are one formula for many values stay so."""
        single = [n for n, each in enumerate(many_instances([code for code, _ in codes])) if each is None]
        named = tuple(Named(codes[n][0].name, codes[n][0]) for n in single)
        found = list(codes)
        optimised = self._optimised(with_constraints_alone(self.model, named)).action_constraints
        for n, each in zip(single, optimised, strict=True):
            found[n] = (each.code, codes[n][1])
        return found

    def _further(self, codes: Sequence[tuple[Code, bool]]) -> list[str]:
        found = []
        instances = many_instances([code for code, _ in codes])
        for (code, of_steps), instance in zip(codes, instances, strict=True):
            assigned = self.variables if of_steps else frozenset()
            if self.analysis.of(code.body).bits & (ORDERED | LEVEL):  # there is no search now
                self.left.append(("predicate", code.name, "it has effects, or depends on the search"))
                found.append("NULL")
                continue
            name = "NULL" if instance is None else self._attempt_instance(instance, assigned)
            if name == "NULL":
                name = self._attempt("predicate", code.name, partial(self.predicate, code, assigned))
            found.append(name)
        return found

    def _attempt_instance(self, instance: Instance, assigned: frozenset[int]) -> str:
        """Of a function that others share; NULL if there is no C for it without the values."""
        key = ("shared", instance.key(), assigned)
        if key in self.unshared:
            return "NULL"
        try:
            with self.program.draft():
                shared = self.program.once(key, "shared", partial(self._write_shared, instance, assigned), instance)
                values = ", ".join(map(self.program.constants.text, instance.values))
        except Unsupported:
            self.unshared.add(key)
            return "NULL"
        name = self.program.name("predicate")
        body = f"  const V p[] = {{{values}}};\n  return {shared}(w, p);\n"
        self.program.add(f"static bool {name}(gm_worker *w)", body)
        return name

    def _write_shared(self, instance: Instance, assigned: frozenset[int], name: str) -> None:
        emitter = self._emitter(instance.code, Mode(False, assigned))
        result = emitter.test(instance.code.body)
        frame = [f"V f[{emitter.space.size}];", "f[0] = 0;"]
        frame += [f"f[{slot + 1}] = p[{place}];" for place, slot in enumerate(instance.slots)]
        head = f"static bool {name}(gm_worker *w, const V *p)"
        function(emitter, head, returns=result, frame="\n  ".join(frame))

    def _attempt(self, sort: str, name: str, write: Callable[[], str]) -> str:
        """The name of a C function, or NULL if there cannot be one."""
        try:
            with self.program.draft():
                return write()
        except Unsupported as reason:
            self.left.append((sort, name, str(reason)))
            return "NULL"

    # -------------------------------------------------------------------------------------------------- functions

    def _emitter(self, code: Code, mode: Mode) -> Emitter:
        scope = Scope("f", code.frame_size, unfinished_slots(code.body, 0))
        return Emitter(self.program, scope, mode, Space(code.frame_size + 1))

    def _finish(self, emitter: Emitter, head: str, returns: str | None = None) -> None:
        function(emitter, head, returns=returns, frame=f"V f[{emitter.space.size}];\n  f[0] = 0;")

    def _branch(self, branch: Branch) -> str:
        code = branch.code
        self.analysis.refuse(code.body)
        emitter = self._emitter(code, Mode(False, frozenset()))
        emitter.copies = self.copies[branch.actions]
        if self.with_parameters:
            self._with_parameters(emitter, code.body, branch)
        else:
            write_action(emitter, code.body, self.variables, self._step)
        name = self.program.name("action")
        self._finish(emitter, f"static void {name}(gm_worker *w)")
        return name

    def _with_parameters(self, emitter: Emitter, body: Expression, branch: Branch) -> None:
        (number,) = branch.actions
        names = [value for _, value in self.model.actions[number].parameters]

        def step(_: int | None, emitter: Emitter) -> str:
            values = emitter.several(names)
            return f"gm_step_with(w, {number}, {self._changed(emitter)}, {values}, {len(names)});"

        write_action(emitter, body, self.variables, step, looks=bool(names))

    def _step(self, action: int | None, emitter: Emitter) -> str:
        """Hand over a successor."""
        if action is None:
            raise Unsupported("a step that belongs to no action")
        return f"gm_step(w, {action}, {self._changed(emitter)});"

    def _changed(self, emitter: Emitter) -> str:
        """The stretches of slots that may have changed, and how many there are."""
        stretches = tuple(_stretches(slot for slot in range(self.program.slots) if slot not in emitter.mode.untouched))
        listed = ", ".join(f"{{{first}, {end}}}" for first, end in stretches) or "{0, 0}"
        table = self.program.once(
            ("changed", stretches),
            "changed",
            lambda name: self.program.declare(f"static const gm_stretch {name}[] = {{{listed}}};"),
        )
        return f"{table}, {len(stretches)}"

    def _initial(self, code: Code | None) -> str:
        assert code is not None
        if self.analysis.is_ordered(code.body):
            raise Unsupported("it has effects, and is evaluated once")
        emitter = self._emitter(code, Mode(True, frozenset()))
        write_action(emitter, code.body, self.variables, lambda action, emitter: "gm_step_initial(w);")
        self._finish(emitter, "static void initial(gm_worker *w)")
        return "initial"

    def _inherited_predicates(self, formulas: Sequence[Named]) -> list[str]:
        write = partial(self.predicate, assigned=frozenset(), inherited=True)
        return [self._attempt("predicate", each.name, partial(write, each.code)) for each in formulas]

    def _predicates(self, formulas: Sequence[Named], assigned: frozenset[int]) -> list[str]:
        return [
            self._attempt("predicate", each.name, partial(self.predicate, each.code, assigned)) for each in formulas
        ]

    def _alternatives(self) -> list[str]:
        """Of the obligations of all actions, in the order of actions. Those of several actions have one function."""
        formulas = list(chain.from_iterable(alternatives_by_action(self.model)))
        different = list({id(each.code): each for each in formulas}.values())
        names = self._predicates(different, self.variables)
        found = {id(each.code): name for each, name in zip(different, names, strict=True)}
        return [found[id(each.code)] for each in formulas]

    def predicate(self, code: Code, assigned: frozenset[int], inherited: bool = False) -> str:
        """Conjunct by conjunct: the truth of one that reads but a few slots is remembered.

        `inherited`: it holds of the parent, so nothing need be said of what has not changed.
        """
        self.analysis.refuse(code.body)
        parts = [code] if assigned else list(conjuncts(code))
        tests = [self._inherited(part) if inherited else self._part(part, assigned) for part in parts]
        name = self.program.name("predicate")
        self.program.add(f"static bool {name}(gm_worker *w)", f"  return {' && '.join(tests) or 'true'};\n")
        return name

    def _part(self, code: Code, assigned: frozenset[int], slots: Sequence[int] | None = None) -> str:
        """`slots`: those that it reads, if they are known."""
        emitter = self._emitter(code, Mode(False, assigned))
        result = emitter.test(code.body)
        name = self.program.name("part")
        self._finish(emitter, f"static bool {name}(gm_worker *w)", result)
        if assigned or _is_quick(code.body) or self.analysis.of(code.body).bits & (ORDERED | LEVEL):
            return f"{name}(w)"
        slots = self.program.slots_read(code.body) if slots is None else slots
        if not 0 < len(slots) <= _REMEMBERED_SLOTS:
            return f"{name}(w)"
        table = self.program.name("slots")
        self.program.declare(f"static const uint16_t {table}[] = {{{', '.join(map(str, slots))}}};")
        return f"gm_known(w, {name}, {table}, {len(slots)})"

    def _inherited(self, code: Code) -> str:
        if not self._is_inherited(code):
            return self._part(code, frozenset())
        slots = self.program.slots_read(code.body)
        bits = self._bits(slots)
        return f"(!(w->changed & {bits:#x}u) || {self._slot_by_slot(code) or self._part(code, frozenset(), slots)})"

    def _share_bits(self) -> None:
        inherited = (*self.model.invariants, *self.model.constraints)
        read = [self.program.slots_read(part.body) for each in inherited for part in conjuncts(each.code)]
        self.slot_bits = slot_bits(self.program.slots, read)
        bits = ", ".join(map(str, self.slot_bits)) or "0"
        self.program.declare(f"static const uint8_t slot_bits[] = {{{bits}}};")

    def _asked(self, formulas: Sequence[Named], written: list[str]) -> int:
        """Bits of slots: of a step that changes none of them it is known what they say.

        All bits, if one must always be asked.
        """
        parts = [part for each in formulas for part in conjuncts(each.code)]
        if "NULL" in written or not all(map(self._is_inherited, parts)):
            return _ALL_BITS
        return reduce(or_, (self._bits(self.program.slots_read(part.body)) for part in parts), 0)

    def _is_inherited(self, code: Code) -> bool:
        """Whether it is as true as in the parent if no slot that it reads has changed."""
        slots = self.program.slots_read(code.body)
        return bool(slots) and not self.analysis.of(code.body).bits & (
            ORDERED | LEVEL
        )  # which the parent has others of

    def _bits(self, slots: Sequence[int]) -> int:
        return sum(1 << bit for bit in {self.slot_bits[slot] for slot in slots})

    def _slot_by_slot(self, code: Code) -> str | None:
        """What slots hold is in a constant set: those that have changed are looked at."""
        if not isinstance(code.body, Member):
            return None
        emitter = self._emitter(code, Mode(False, frozenset()))
        constant = emitter.fold(code.body.right)
        result = None if constant is None else member_of_constant(emitter, code.body.left, constant, if_changed=True)
        if result is None:
            return None
        name = self.program.name("part")
        self._finish(emitter, f"static bool {name}(gm_worker *w)", result)
        return f"{name}(w)"

    def _view(self, code: Code) -> str:
        emitter = self._emitter(code, Mode(False, frozenset()))
        result = emitter.value(code.body)
        self._finish(emitter, "static V view(gm_worker *w)", result)
        return "view"

    # ----------------------------------------------------------------------------------------------------- tables

    def _tables(self, initial: str, branches: list[str], families: dict[str, list[str]], view: str) -> str:
        program = self.program
        builds = [program.build(layout) for layout in program.layouts]
        wrappers = []
        lines = ["static void link_constants(const V *constants) { K = constants; }", ""]
        for index, layout in enumerate(program.layouts):
            explode = program.explode(layout)
            wrappers.append(f"cut{index}")
            lines.append(f"static void cut{index}(gm_worker *w, V v, V *s) {{ {explode}(w, v, s, {index}); }}")
        lines += [
            _table("void (*const branches[])(gm_worker *)", branches),
            _table("const uint32_t branch_actions[]", [str(branch.actions[0]) for branch in self.model.branches]),
            _table("V (*const builds[])(gm_worker *, const V *)", builds),
            _table("void (*const cuts[])(gm_worker *, V, V *)", wrappers),
            _table("const uint32_t first_slots[]", list(map(str, [*program.first_slot, program.slots]))),
            _table("const uint32_t first_alternatives[]", self._first_alternatives()),
            _table("const uint32_t universe_words[]", [str(words) for words, _ in program.universes]),
            f"uint8_t gm_widths[{max(1, len(self.widths))}];",  # data: with other widths it is the same program
        ]
        for family, found in families.items():
            lines.append(_table(f"const gm_predicate {family}s[]", found))
        counts = {"branches": branches, **{f"{family}s": found for family, found in families.items()}}
        fields = {
            "slots": program.slots,
            "next_slots": program.next_slots,
            "variables": len(program.layouts),
            "remembered": program.remembered,
            "lasting": program.lasting,
            **{name: len(found) for name, found in counts.items()},
            "initial": initial,
            "actions": len(self.model.actions),
            "branch": "branches",
            "branch_action": "branch_actions",
            **{family: f"{family}s" for family in families},
            "slot_bit": "slot_bits",
            "unconstrained": f"{_ALL_BITS & ~self._asked(self.model.constraints, families['constraint']):#x}u",
            "checked": f"{self._asked(self.model.invariants, families['invariant']):#x}u",
            "view": view,
            "build": "builds",
            "explode": "cuts",
            "first_slot": "first_slots",
            "first_alternative": "first_alternatives",
            "width": "gm_widths",
            "universes": len(program.universes),
            "universe_words": "universe_words",
            "link": "link_constants",
        }
        lines.append("const gm_spec gm_generated = {")
        lines += [f"  .{name} = {value}," for name, value in fields.items()]
        lines.append("};")
        return "\n".join(lines) + "\n"

    def _first_alternatives(self) -> list[str]:
        """Where those of each action begin, and their number."""
        counts = [len(each) for each in alternatives_by_action(self.model)]
        return [str(sum(counts[:action])) for action in range(len(counts) + 1)]


def alternatives_by_action(model: Model) -> list[tuple[Named, ...]]:
    """For each action what the steps by it must satisfy one of; nothing, if it has no obligation."""
    obliged = {each.action: each.alternatives for each in model.obligations}
    return [obliged.get(action, ()) for action in range(len(model.actions))]


def with_constraints_alone(model: Model, constraints: tuple[Named, ...]) -> Model:
    """A model of which nothing is evaluated but some predicates of states or steps."""
    return replace(
        model,
        init=None,
        actions=(),
        branches=(),
        invariants=(),
        constraints=(),
        action_constraints=constraints,
        implied_inits=(),
        implied_actions=(),
        obligations=(),
        view=None,
    )


def _is_quick(body: Expression) -> bool:
    """Whether evaluating something takes less time than to look up what came of it the last time."""
    found = list(islice(nodes_of(body), _QUICK_NODES + 1))
    return len(found) <= _QUICK_NODES and not any(isinstance(node, _LOOPS) for node in found)


def _stretches(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Numbers that follow one another: from the first up to the one before."""
    for _, group in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
        own = [number for _, number in group]
        yield own[0], own[-1] + 1


def _predicate_table(names: list[str]) -> str:
    return f"const gm_predicate gm_predicates[] = {{{', '.join(names) or '0'}}};\n"


def _table(head: str, items: list[str]) -> str:
    return f"static {head} = {{{', '.join(items) or '0'}}};"


def generate(
    model: Model,
    layouts: Sequence[Layout],
    widths: Sequence[int],
    evaluate: Callable[[Code], Value],
    with_parameters: bool = False,
    observers: tuple[Observer, ...] = (),
) -> Generated:
    """`with_parameters`: for `gm_batch_run`, whose steps tell what their actions were taken with.

    Each branch of the model is then one action alone, with the action's own code. `observers` are shown the model after
    each of the passes for native code.
    """
    generator = Generator(model, layouts, widths, evaluate)
    generator.with_parameters, generator.observers = with_parameters, observers
    generated = generator.generate()
    if not generated.left or not generator.values.was_impatient:
        return generated
    patient = Generator(model, layouts, widths, evaluate, patient=True)  # what is left may be for want of a constant
    patient.with_parameters, patient.observers = with_parameters, observers
    return patient.generate()


def generate_predicates(
    model: Model,
    generated: Generated,
    primitives: Sequence[ByPython],
    evaluate: Callable[[Code], Value],
    codes: Sequence[tuple[Code, bool]],
) -> Predicates:
    """Further predicates of the states of a model, with whether they are of steps, for temporal properties.

    `primitives`: those that the engine knows already.
    """
    return Generator(model, generated.layouts, generated.widths, evaluate).predicates(codes, primitives)
