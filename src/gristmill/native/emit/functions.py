"""Functions: written out, applied, changed; and records."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.ir.nodes import (
    Bound,
    Except,
    Expression,
    FieldAccess,
    FunctionApply,
    FunctionLiteral,
    Update,
    Variable,
)
from gristmill.native.emit.binders import columns, take
from gristmill.native.emit.emitter import Emitter, Mode, function
from gristmill.native.emit.names import load
from gristmill.native.emit.scope import Place, plus
from gristmill.native.emit.unroll import copied, instances
from gristmill.native.errors import Unsupported
from gristmill.native.plan.layout import Layout, Parts
from gristmill.values import Value, cardinality, is_enumerable, normalize
from gristmill.values.operations.sets import counts_quickly

_TABLE = 4096  # arguments; functions on larger constant domains are evaluated where they are applied, if only there

# --- functions written out -------------------------------------------------------------------------------------------


def domain_of(emitter: Emitter, bounds: Sequence[Bound]) -> str:
    """The domain of a function, as a set."""
    domains = []
    for number, _, _ in columns(bounds):
        domain = bounds[number].domain
        if domain is None:
            raise Unsupported("a function without a domain")
        domains.append(emitter.value(domain))
    if len(domains) == 1:
        return emitter.keep(domains[0])
    array = emitter.fresh("a")
    emitter.put(f"V {array}[{len(domains)}] = {{{', '.join(domains)}}};")
    return emitter.keep(f"gm_product(w, {array}, {len(domains)})")


def take_argument(emitter: Emitter, bounds: Sequence[Bound], element: str) -> None:
    """Bind the names of a function to an argument."""
    found = columns(bounds)
    if len(found) == 1:
        take(emitter, found[0][1], found[0][2], element)
        return
    size = len(found)
    emitter.put(f"if (!gm_is_kind({element}, GM_SEQUENCE) || gm_object_of({element})->size != {size})")
    emitter.put("  gm_fail(w, GM_ERROR);")
    for position, (_, slots, is_tuple) in enumerate(found):
        part = emitter.keep(f"gm_object_of({element})->items[{position}]")
        take(emitter, slots, is_tuple, part)


def _literal(emitter: Emitter, node: FunctionLiteral) -> str:
    if node.self_slot is not None:
        return emitter.keep(f"gm_list_function(w, {_lambda(emitter, node)})")
    written_out = _written_out(emitter, node)
    if written_out is not None:
        return written_out
    domain = domain_of(emitter, node.bounds)
    emitter.put(f"if (!gm_is_kind({domain}, GM_INTERVAL)) {domain} = gm_list(w, {domain});")
    values, count = emitter.fresh("a"), emitter.fresh("n")
    emitter.put(f"V *{values} = gm_array(w, gm_element_count(w, {domain}));")
    emitter.put(f"uint64_t {count} = 0;")
    with emitter.block():
        iterator, element = emitter.fresh("i"), emitter.fresh("e")
        emitter.put(f"gm_iterator {iterator};")
        emitter.put(f"V {element};")
        emitter.put(f"gm_iterate(w, &{iterator}, {domain});")
        with emitter.block(f"while (gm_next(w, &{iterator}, &{element}))"):
            take_argument(emitter, node.bounds, element)
            value = emitter.value(node.body)
            emitter.put(f"{values}[{count}++] = {value};")
    return emitter.keep(f"gm_make_function(w, {domain}, {values})")


def _written_out(emitter: Emitter, node: FunctionLiteral) -> str | None:
    """A function on a known set, value by value."""
    if len(columns(node.bounds)) != 1:
        return None
    found = instances(emitter, node.bounds, node.body)
    if not found:
        return None
    domain = normalize(emitter.fold(node.bounds[0].domain))
    values = emitter.fresh("a")
    emitter.put(f"V {values}[{len(found)}];")
    for position, (_, body) in enumerate(found):
        with emitter.block(), copied(emitter, len(found)):
            emitter.put(f"{values}[{position}] = {emitter.value(body)};")
    return emitter.keep(f"gm_make_function(w, {emitter.constant(domain)}, {values})")


def _literal_applied(emitter: Emitter, node: FunctionLiteral) -> str:
    constant = emitter.fold(node)
    if constant is not None:
        return emitter.constant(constant)
    if node.self_slot is not None or any(_is_large(emitter, bound) for bound in node.bounds):
        return _lambda(emitter, node)
    return _literal(emitter, node)


def _is_large(emitter: Emitter, bound: Bound) -> bool:
    domain = emitter.fold(bound.domain)
    if domain is None:
        return False
    return not is_enumerable(domain) or not counts_quickly(domain) or cardinality(domain) > _TABLE


def _lambda(emitter: Emitter, node: FunctionLiteral) -> str:
    """A function evaluated argument by argument, in a private copy of the frame."""
    emitter.watch(node.body)
    size = emitter.scope.size + 1

    def write(name: str) -> None:
        inner = emitter.elsewhere(emitter.scope.elsewhere(), Mode(emitter.mode.initial, None))
        inner.scope.base = "g"
        inner.scope.lambdas = {*inner.scope.lambdas, *(() if node.self_slot is None else (node.self_slot,))}
        take_argument(inner, node.bounds, "argument")
        result = inner.value(node.body)
        frame = f"V g[{size}];\n  memcpy(g, f, sizeof g);\n  gm_check_stack(w);"
        function(inner, f"static V {name}(gm_worker *w, V *f, V argument)", returns=result, frame=frame)

    name = emitter.program.once(emitter.key("lambda", node), "f", write, node)
    domain = domain_of(emitter, node.bounds)
    copy, made = emitter.fresh("h"), emitter.fresh()
    emitter.put(f"V *{copy} = gm_array(w, {size});")
    emitter.put(f"memcpy({copy}, {emitter.scope.frame()}, {size} * sizeof(V));")
    emitter.put(f"V {made} = gm_lambda(w, {domain}, {name}, {copy});")
    if node.self_slot is not None:
        emitter.put(f"{copy}[{node.self_slot + 1}] = {made};")
    return made


# --- application -----------------------------------------------------------------------------------------------------


def known_index(emitter: Emitter, layout: Parts, argument: str) -> str | None:
    """The position of an argument that is certainly among the keys: a loop is at that element of them."""
    position = emitter.positions.get(argument)
    return position.index if position is not None and position.elements == emitter.program.keys(layout) else None


def index_of(emitter: Emitter, layout: Parts, argument: str) -> str:
    """The position of an argument among the keys, -1 if it is not there."""
    if layout.first_number is not None:
        return f"gm_index_from(w, {layout.first_number}, {len(layout.keys)}, {argument})"
    return f"gm_index(w, {emitter.program.keys(layout)}, {argument})"


def at(place: Place, layout: Parts, index: str) -> Place:
    """The slots of the value at a position, where all values look the same."""
    assert layout.child is not None
    stride = layout.child.size
    step = index if stride == 1 else f"{index} * {stride}"
    return Place(place.array, f"{place.offset} + {step}", layout.child)


def within(place: Place, offset: int, layout: Layout) -> Place:
    return Place(place.array, plus(place.offset, offset), layout)


def _apply_place(emitter: Emitter, node: FunctionApply) -> Place | None:
    outer = emitter.place(node.function)
    if outer is None or not isinstance(outer.layout, Parts):
        return None
    constant = emitter.fold(node.argument)
    if constant is not None:
        found = outer.layout.offset(constant)
        return None if found is None else within(outer, *found)
    if outer.layout.child is None:
        return None
    argument = emitter.value(node.argument)
    index = known_index(emitter, outer.layout, argument)
    if index is None:
        argument = emitter.keep(argument)
        index = emitter.keep(f"gm_must(w, {index_of(emitter, outer.layout, argument)})", "uint32_t")
    return at(outer, outer.layout, index)


def _field_place(emitter: Emitter, node: FieldAccess) -> Place | None:
    outer = emitter.place(node.record)
    if outer is None or not isinstance(outer.layout, Parts):
        return None
    found = outer.layout.offset(node.name)
    return None if found is None else within(outer, *found)


def _apply(emitter: Emitter, node: FunctionApply) -> str:
    if layout_of(emitter, node) is not None:
        place = emitter.place(node)
        assert place is not None
        return load(emitter, place)
    callee = emitter.keep(emitter.applied(node.function))
    constant = emitter.fold(node.argument)
    if constant is not None and not isinstance(constant, int):
        return _selected(emitter, callee, constant)
    return emitter.keep(f"gm_apply(w, {callee}, {emitter.value(node.argument)})")


def layout_of(emitter: Emitter, node: Expression) -> Layout | None:
    """How the slots that hold an expression are cut; None if it is not in slots of the state."""
    match emitter.resolved(node):
        case Variable(index):
            return emitter.program.slot_of(index)[1]
        case FunctionApply(function, argument):
            outer = layout_of(emitter, function)
            if not isinstance(outer, Parts):
                return None
            constant = emitter.fold(argument)
            if constant is None:
                return outer.child
            found = outer.offset(constant)
            return None if found is None else found[1]
        case FieldAccess(record, name):
            outer = layout_of(emitter, record)
            found = outer.offset(name) if isinstance(outer, Parts) else None
            return None if found is None else found[1]
    return None


def _field(emitter: Emitter, node: FieldAccess) -> str:
    if layout_of(emitter, node) is not None:
        place = emitter.place(node)
        assert place is not None
        return load(emitter, place)
    return _selected(emitter, emitter.value(node.record), node.name)


def _selected(emitter: Emitter, function_text: str, argument: Value) -> str:
    """The value of a function at a known argument; where that was, is remembered for the domain it had last."""
    cache = emitter.fresh("c")
    emitter.put(f"static uint64_t {cache};")
    return emitter.keep(f"gm_field(w, {function_text}, {emitter.constant(argument)}, &{cache})")


# --- EXCEPT ----------------------------------------------------------------------------------------------------------


def _except(emitter: Emitter, node: Except) -> str:
    result = emitter.keep(emitter.value(node.function))
    for update in node.updates:
        path = [emitter.keep(emitter.value(step)) for step in update.path]
        emitter.put(f"{result} = {changed(emitter, result, path, update)};")
    return result


def changed(emitter: Emitter, function_text: str, path: list[str], update: Update) -> str:
    """A function with a new value at the end of a path; itself if the path leads outside a domain."""
    first, *rest = path
    result, old = emitter.keep(function_text), emitter.fresh()
    emitter.put(f"V {old} = gm_select(w, {result}, {first});")
    outside(emitter, f"{old} == GM_UNSET")
    with emitter.block(f"if ({old} != GM_UNSET)"):
        if rest:
            new = changed(emitter, old, rest, update)
        else:
            if update.at_slot is not None:
                emitter.put(f"{emitter.scope.slot(update.at_slot)} = {old};")
            new = emitter.value(update.value)
        emitter.put(f"{result} = gm_except(w, {result}, {first}, {new});")
    return result


def outside(emitter: Emitter, condition: str) -> None:
    """The first time that EXCEPT changes nothing here, the reference evaluator looks at it, and warns."""
    told = emitter.fresh("o")
    emitter.put(f"static int {told};")
    emitter.put(f"if ({condition}) gm_outside(w, &{told});")


Emitter.places.update({FunctionApply: _apply_place, FieldAccess: _field_place})
Emitter.values.update(
    {FunctionLiteral: _literal, FunctionApply: _apply, FieldAccess: _field, Except: _except},
)
Emitter.applications.update({FunctionLiteral: _literal_applied})
