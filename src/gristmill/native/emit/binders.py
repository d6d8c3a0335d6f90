"""Quantifiers, CHOOSE, set filters and set maps.

Of several bounds all domains are evaluated first, and the first name changes fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import reduce

from gristmill.ir.nodes import Bound, Choose, Primitive, Quantified, SetEnumeration, SetFilter, SetMap
from gristmill.library import Form
from gristmill.native.emit.bits import listed, loop_over, members, quantified
from gristmill.native.emit.emitter import Emitter, Position, negated, operand
from gristmill.native.emit.scope import Scope
from gristmill.native.emit.selection import selection
from gristmill.native.emit.unroll import Instance, copied, instances
from gristmill.native.errors import Unsupported
from gristmill.values import Value


def columns(bounds: Sequence[Bound]) -> list[tuple[int, tuple[int, ...], bool]]:
    """What each element of a domain is bound to: number of the bound, slots, and whether it is taken apart."""
    found: list[tuple[int, tuple[int, ...], bool]] = []
    for number, bound in enumerate(bounds):
        if bound.is_tuple:
            found.append((number, bound.slots, True))
        else:
            found += [(number, (slot,), False) for slot in bound.slots]
    return found


def take(emitter: Emitter, slots: tuple[int, ...], is_tuple: bool, element: str, among: Numbered | None = None) -> None:
    """Put an element into its slots. `among`: which one of a constant set it is."""
    emitter.scope.forget(slots)
    if not is_tuple:
        text = emitter.scope.slot(slots[0])
        emitter.put(f"{text} = {element};")
        emitter.positions.pop(text, None)
        if among is not None:
            emitter.scope.elements[slots[0]] = among.elements
            emitter.positions[text] = Position(emitter.constant(among.elements), among.index)
        return
    size = len(slots)
    emitter.put(f"if (!gm_is_kind({element}, GM_SEQUENCE) || gm_object_of({element})->size != {size})")
    emitter.put("  gm_fail(w, GM_ERROR);")
    for position, slot in enumerate(slots):
        emitter.put(f"{emitter.scope.slot(slot)} = gm_object_of({element})->items[{position}];")


@dataclass(frozen=True)
class Numbered:
    """An element of a constant set; `index` is the C expression of its number."""

    elements: frozenset[Value]
    index: str


def _domains(emitter: Emitter, bounds: Sequence[Bound]) -> list[str]:
    """The domains, as names of values; intervals written out are pairs of names."""
    found = []
    for bound in bounds:
        if bound.domain is None:
            raise Unsupported("an unbounded quantifier")
        found.append(emitter.keep(emitter.value(bound.domain)))
    return found


@contextmanager
def loops(emitter: Emitter, bounds: Sequence[Bound], iterate: str = "gm_iterate") -> Iterator[None]:
    """Nested loops over all values of the bound names. What is put inside runs for each."""
    with emitter.block(), emitter.counting():
        if len(bounds) == 1 and len(bounds[0].slots) == 1 and _is_interval(emitter, bounds[0]):
            with _number_loop(emitter, bounds[0]):
                yield
            return
        held = loop_over(emitter, bounds)
        if held is not None:
            with members(emitter, bounds[0], held, []):
                yield
            return
        skipped = None
        if len(bounds) == 1 and len(columns(bounds)) == 1:
            selected = selection(emitter, bounds[0].domain)
            if selected is not None:
                with _selected_loop(emitter, bounds[0], *selected):
                    yield
                return
            bounds, skipped = _without(emitter, bounds[0])
        domains = _domains(emitter, bounds)
        names = list(reversed(columns(bounds)))
        if len(names) > 1:
            for domain, bound in zip(domains, bounds, strict=True):
                if not isinstance(emitter.fold(bound.domain), frozenset):
                    # one that cannot be gone through is an error also if it is never reached
                    emitter.put(f"{{ gm_iterator i; {iterate}(w, &i, {domain}); }}")
        with ExitStack() as nest:
            for number, slots, is_tuple in names:
                constant = emitter.fold(bounds[number].domain)
                element, among = _enter(emitter, nest, domains[number], constant, iterate)
                if skipped is not None:
                    emitter.put(f"if ({skipped(element)}) continue;")
                take(emitter, slots, is_tuple, element, among)
            yield


def _enter(
    emitter: Emitter, nest: ExitStack, domain: str, constant: object, iterate: str
) -> tuple[str, Numbered | None]:
    """Begin a loop; the name of the element, and which one of a constant set it is."""
    element = emitter.fresh("e")
    if isinstance(constant, frozenset):
        index = emitter.fresh("i")
        nest.enter_context(emitter.block(f"for (uint32_t {index} = 0; {index} < {len(constant)}; {index}++)"))
        emitter.put(f"V {element} = gm_object_of({domain})->items[{index}];")
        return element, Numbered(constant, index)
    iterator = emitter.fresh("i")
    emitter.put(f"gm_iterator {iterator};")
    emitter.put(f"V {element};")
    emitter.put(f"{iterate}(w, &{iterator}, {domain});")
    nest.enter_context(emitter.block(f"while (gm_next(w, &{iterator}, &{element}))"))
    return element, None


@contextmanager
def _selected_loop(emitter: Emitter, bound: Bound, chosen_by: SetFilter, scope: Scope) -> Iterator[None]:
    """Of a set that is not listed, elements are looked at one by one, and only as many as the loop needs."""
    if chosen_by.bound.domain is None:
        raise Unsupported("an unbounded set filter")
    ((_, own_slots, own_tuple),) = columns((chosen_by.bound,))
    ((_, slots, is_tuple),) = columns((bound,))
    base, chosen = emitter.fresh("b"), emitter.fresh("b")
    with emitter.inside(scope):
        emitter.put(f"V {base} = {emitter.value(chosen_by.bound.domain)};")
    emitter.put(f"V {chosen} = {base};")
    with (
        emitter.block(f"if (gm_is_kind({base}, GM_SET) || gm_is_kind({base}, GM_INTERVAL))"),
        emitter.inside(scope),
    ):
        emitter.put(f"{chosen} = {filtered(emitter, chosen_by, base)};")
    iterator, element = emitter.fresh("i"), emitter.fresh("e")
    emitter.put(f"gm_iterator {iterator};")
    emitter.put(f"V {element};")
    emitter.put(f"gm_iterate(w, &{iterator}, {chosen});")
    with emitter.block(f"while (gm_next(w, &{iterator}, &{element}))"):
        with emitter.block(f"if ({chosen} == {base})"), emitter.inside(scope):
            take(emitter, own_slots, own_tuple, element)
            emitter.put(f"if (!{emitter.test(chosen_by.predicate)}) continue;")
        take(emitter, slots, is_tuple, element)
        yield


def _without(emitter: Emitter, bound: Bound) -> tuple[Sequence[Bound], Callable[[str], str] | None]:
    """`x \\in S \\ T`, where S is a constant: go through S, and pass over what is in T."""
    domain = bound.domain
    if not isinstance(domain, Primitive) or domain.operator.form is not Form.DIFFERENCE:
        return (bound,), None
    if emitter.fold(domain) is not None:
        return (bound,), None
    left, right = map(operand, domain.args)
    if not isinstance(emitter.fold(left), frozenset):
        return (bound,), None
    through = Bound(bound.slots, bound.names, bound.is_tuple, left, bound.span)
    if isinstance(right, SetEnumeration) and len(right.items) == 1:
        only = emitter.keep(emitter.value(right.items[0]))
        return (through,), lambda element: f"gm_equal(w, {element}, {only})"
    others = emitter.keep(emitter.value(right))
    emitter.put(f"if (!gm_is_set({others})) gm_fail(w, GM_ERROR);")
    return (through,), lambda element: f"gm_member(w, {element}, {others})"


def _is_interval(emitter: Emitter, bound: Bound) -> bool:
    domain = bound.domain
    return (
        isinstance(domain, Primitive)
        and domain.operator.form is Form.INTERVAL
        and not bound.is_tuple
        and emitter.fold(domain) is None
    )


@contextmanager
def _number_loop(emitter: Emitter, bound: Bound) -> Iterator[None]:
    assert isinstance(bound.domain, Primitive)
    low, high = (emitter.keep(emitter.value(operand(end))) for end in bound.domain.args)
    emitter.put(f"if (!gm_is_int({low}) || !gm_is_int({high})) gm_fail(w, GM_ERROR);")
    counter = emitter.fresh("n")
    emitter.scope.forget(bound.slots)
    head = f"for (int64_t {counter} = gm_int_of({low}); {counter} <= gm_int_of({high}); {counter}++)"
    with emitter.block(head):
        emitter.put(f"{emitter.scope.slot(bound.slots[0])} = gm_int({counter});")
        yield


def _quantified(emitter: Emitter, node: Quantified) -> str:
    as_bits = quantified(emitter, node)
    if as_bits is not None:
        return as_bits
    result, end = emitter.fresh(), emitter.fresh("end")
    emitter.put(f"bool {result} = {'true' if node.universal else 'false'};")
    with loops(emitter, node.bounds):
        body = emitter.test(node.body)
        condition = negated(body) if node.universal else body
        with emitter.block(f"if ({condition})"):
            emitter.put(f"{result} = {'false' if node.universal else 'true'};")
            emitter.put(f"goto {end};")
    emitter.put(f"{end}:;")
    return result


def _choose(emitter: Emitter, node: Choose) -> str:
    result, end = emitter.fresh(), emitter.fresh("end")
    emitter.put(f"V {result} = GM_UNSET;")
    ((_, slots, is_tuple),) = columns((node.bound,))
    if node.bound.domain is None:
        raise Unsupported("an unbounded CHOOSE")
    with emitter.block():
        domain = emitter.keep(emitter.value(node.bound.domain))
        iterator, element = emitter.fresh("i"), emitter.fresh("e")
        emitter.put(f"gm_iterator {iterator};")
        emitter.put(f"V {element};")
        emitter.put(f"gm_iterate(w, &{iterator}, {domain});")
        with emitter.block(f"while (gm_next(w, &{iterator}, &{element}))"):
            take(emitter, slots, is_tuple, element)
            test = emitter.test(node.body)
            with emitter.block(f"if ({test})"):
                emitter.put(f"{result} = {element};")
                emitter.put(f"goto {end};")
    emitter.put(f"{end}:;")
    emitter.put(f"if ({result} == GM_UNSET) gm_fail(w, GM_ERROR);")
    return result


def base_of(emitter: Emitter, node: SetFilter) -> str:
    """What a filter selects from, each element once."""
    if node.bound.domain is None:
        raise Unsupported("an unbounded set filter")
    domain = emitter.keep(emitter.value(node.bound.domain))
    emitter.put(f"if (gm_is_kind({domain}, GM_UNION)) {domain} = gm_list(w, {domain});")  # elements may come twice
    return domain


def pass_over(emitter: Emitter, node: SetFilter, element: str) -> None:
    """In a loop over the base: what the filter does not let through."""
    ((_, slots, is_tuple),) = columns((node.bound,))
    take(emitter, slots, is_tuple, element)
    emitter.put(f"if ({negated(emitter.test(node.predicate))}) continue;")


def _set_filter(emitter: Emitter, node: SetFilter) -> str:
    """The elements come in order, and so does what is left of them."""
    as_bits = listed(emitter, node)
    if as_bits is not None:
        return as_bits
    return filtered(emitter, node, base_of(emitter, node))


def filtered(emitter: Emitter, node: SetFilter, domain: str) -> str:
    """The elements of `domain` that a filter lets through."""
    found, count = emitter.fresh("a"), emitter.fresh("n")
    known = None if node.bound.is_tuple else instances(emitter, (node.bound,), node.predicate)
    if known is not None:
        return _filtered_each(emitter, known, domain)
    emitter.put(f"V *{found} = gm_array(w, gm_element_count(w, {domain}));")
    emitter.put(f"uint64_t {count} = 0;")
    ((_, slots, is_tuple),) = columns((node.bound,))
    with emitter.block():
        iterator, element = emitter.fresh("i"), emitter.fresh("e")
        emitter.put(f"gm_iterator {iterator};")
        emitter.put(f"V {element};")
        emitter.put(f"gm_iterate(w, &{iterator}, {domain});")
        with emitter.block(f"while (gm_next(w, &{iterator}, &{element}))"):
            take(emitter, slots, is_tuple, element)
            emitter.put(f"if ({emitter.test(node.predicate)}) {found}[{count}++] = {element};")
    return emitter.keep(f"gm_finish_selection(w, {found}, {count}, {domain})")


def _filtered_each(emitter: Emitter, known: list[Instance], domain: str) -> str:
    found, count = emitter.fresh("a"), emitter.fresh("n")
    emitter.put(f"V {found}[{len(known) + 1}];")
    emitter.put(f"uint64_t {count} = 0;")
    for (element,), predicate in known:
        with emitter.block(), copied(emitter, len(known)):
            emitter.put(f"if ({emitter.test(predicate)}) {found}[{count}++] = {emitter.constant(element)};")
    return emitter.keep(f"gm_finish_selection(w, {found}, {count}, {domain})")


def _counts(domains: Sequence[str], bounds: Sequence[Bound]) -> list[str]:
    return [f"gm_element_count(w, {domains[number]})" for number, _, _ in columns(bounds)]


def map_into_array(emitter: Emitter, node: SetMap) -> tuple[str, str]:
    """The values of the body, one for each value of the bound names: an array and their number."""
    found, count = emitter.fresh("a"), emitter.fresh("n")
    domains = _domains(emitter, node.bounds)
    sizes = reduce(lambda size, text: f"gm_times(w, {size}, {text})", _counts(domains, node.bounds))
    emitter.put(f"V *{found} = gm_array(w, {sizes});")
    emitter.put(f"uint64_t {count} = 0;")
    with emitter.block(), ExitStack() as nest:
        for number, slots, is_tuple in reversed(columns(node.bounds)):
            iterator, element = emitter.fresh("i"), emitter.fresh("e")
            emitter.put(f"gm_iterator {iterator};")
            emitter.put(f"V {element};")
            emitter.put(f"gm_iterate(w, &{iterator}, {domains[number]});")
            nest.enter_context(emitter.block(f"while (gm_next(w, &{iterator}, &{element}))"))
            take(emitter, slots, is_tuple, element)
        value = emitter.value(node.body)
        emitter.put(f"{found}[{count}++] = {value};")
    return found, count


def _set_map(emitter: Emitter, node: SetMap) -> str:
    found, count = map_into_array(emitter, node)
    return emitter.keep(f"gm_make_set(w, {found}, (uint32_t){count})")


Emitter.values.update({Choose: _choose, SetFilter: _set_filter, SetMap: _set_map})
Emitter.tests.update({Quantified: _quantified})
