"""Sets, tuples, records, and the sets of them."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.native.emit.emitter import Emitter
from gristmill.values import current


def _set(emitter: Emitter, node: nodes.SetEnumeration) -> str:
    array = emitter.several(node.items)
    return emitter.keep(f"gm_make_set(w, {array}, {len(node.items)})")


def _tuple(emitter: Emitter, node: nodes.TupleLiteral) -> str:
    array = emitter.several(node.items)
    return emitter.keep(f"gm_make_tuple(w, {array}, {len(node.items)})")


def in_order(names: Sequence[str], values: Sequence[Expression]) -> list[tuple[str, int]]:
    """The names in canonical order, with the positions of their values."""
    return sorted(((name, index) for index, name in enumerate(names)), key=lambda pair: current().register(pair[0]))


def _fields(emitter: Emitter, names: Sequence[str], values: Sequence[Expression]) -> tuple[str, str]:
    """The set of the names, and an array of the values in its order; they are evaluated as they stand."""
    written = [emitter.keep(emitter.value(value)) for value in values]
    array = emitter.fresh("a")
    items = ", ".join(written[index] for _, index in in_order(names, values))
    emitter.put(f"V {array}[{len(written)}] = {{{items}}};")
    return emitter.constant(frozenset(names)), array


def _record(emitter: Emitter, node: nodes.RecordLiteral) -> str:
    names, array = _fields(emitter, node.names, node.values)
    return emitter.keep(f"gm_make_record(w, {names}, {array})")


def _record_set(emitter: Emitter, node: nodes.RecordSet) -> str:
    names, array = _fields(emitter, node.names, node.values)
    return emitter.keep(f"gm_records(w, {names}, {array})")


def _function_set(emitter: Emitter, node: nodes.FunctionSet) -> str:
    domain = emitter.keep(emitter.value(node.domain))
    return emitter.keep(f"gm_functions(w, {domain}, {emitter.value(node.range)})")


def _product(emitter: Emitter, node: nodes.CrossProduct) -> str:
    array = emitter.several(node.factors)
    return emitter.keep(f"gm_product(w, {array}, {len(node.factors)})")


Emitter.values.update(
    {
        nodes.SetEnumeration: _set,
        nodes.TupleLiteral: _tuple,
        nodes.RecordLiteral: _record,
        nodes.RecordSet: _record_set,
        nodes.FunctionSet: _function_set,
        nodes.CrossProduct: _product,
    }
)
