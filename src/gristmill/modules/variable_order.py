"""The order of variables in TLC, which is not that of their declarations.

TLC takes them from a hash table of Java with all names of the module, the built-in ones included: first come those in
the buckets with small numbers. It matters in one place: under SYMMETRY the representative of a state is the least one,
variable by variable, and a VIEW of representatives that leaves variables out tells states apart by which it is.
"""

from __future__ import annotations

from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import Instanced, NamedInstance, Operator

_BUILT_IN = 72  # names
_SMALLEST, _LOAD = 11, 0.75  # of java.util.Hashtable


def variable_order(module: ResolvedModule) -> tuple[int, ...]:
    """The variables of a module in TLC's order, by their numbers in the order of declaration."""
    buckets = _capacity(_BUILT_IN + _known_names(module))
    numbered = [(_hash(variable.name) % buckets, number) for number, variable in enumerate(module.variables)]
    return tuple(number for _, number in sorted(numbered))


def _known_names(module: ResolvedModule) -> int:
    """`I == INSTANCE M` makes a name `I!Op` of each definition of M."""
    of_instances = sum(_names_of(each) for each in module.names.values() if isinstance(each, NamedInstance))
    return len(module.names) - len(module.weak_names) + of_instances


def _names_of(named: NamedInstance) -> int:
    """If there is a `J == INSTANCE N` in M, also `I!J!Op`."""
    found = [symbol for _, symbol in named.instance.module.exports()]
    own = sum(isinstance(symbol, Operator | Instanced | NamedInstance) for symbol in found)
    return own + sum(_names_of(symbol) for symbol in found if isinstance(symbol, NamedInstance))


def _capacity(names: int) -> int:
    capacity = _SMALLEST
    while names > int(capacity * _LOAD):
        capacity = 2 * capacity + 1
    return capacity


def _hash(name: str) -> int:
    """`String.hashCode`, without the sign."""
    found = 0
    for character in name:
        found = (31 * found + ord(character)) & 0xFFFFFFFF
    return found & 0x7FFFFFFF
