"""TLA+ values as native Python objects, immutable and hashable.

| in TLA+ | here |
|---|---|
| integers | `int` |
| Booleans | `TRUE` and `FALSE`, of class `Boolean` |
| strings | `str` |
| model values | `ModelValue` |
| listed sets | `frozenset` |
| sequences, tuples, functions on 1..n, the empty function | `tuple` |
| other functions and records | `Fn`, a `dict` that does not change |
| sets too large to list, or infinite | the classes of `lazy` |

Equal values are equal in Python and have one hash, once they are in normal form: `normalize`, and everything that the
`make_…` functions make. Python's `==` never fails; `equal` is the `=` of TLA+ as TLC decides it, which may.
"""

# enumeration and membership answer what is asked in sets; show prints the values in messages
from gristmill.values.atoms import BOOLEAN, FALSE, TRUE, Boolean, ModelValue, Value, boolean
from gristmill.values.equality import compare, equal
from gristmill.values.errors import EvaluationError
from gristmill.values.evaluated import evaluated
from gristmill.values.function import Fn
from gristmill.values.kinds import is_function, is_lazy, is_record, is_set, kind
from gristmill.values.lazy import (
    ANY,
    INT,
    NAT,
    REAL,
    STRING,
    BigUnion,
    CrossProduct,
    Filter,
    FunctionSet,
    Interval,
    LazySet,
    PowerSet,
    RecordSet,
    SequenceSet,
)
from gristmill.values.operations import enumeration, membership
from gristmill.values.operations.application import apply, domain, except_at, except_path, merge, select, single
from gristmill.values.operations.combine import big_union, difference, filter_set, intersect, union
from gristmill.values.operations.construct import (
    make_function,
    make_record,
    make_set,
    make_tuple,
    part,
    record_set,
    tabulate,
)
from gristmill.values.operations.integers import (
    add,
    at_most,
    divide,
    interval,
    less,
    modulo,
    multiply,
    negate,
    power,
    subtract,
)
from gristmill.values.operations.sequences import append, concat, head, length, select_seq, subseq, tail
from gristmill.values.operations.sets import (
    cardinality,
    check_set,
    contains,
    elements,
    enumerate_set,
    explicit,
    is_empty,
    is_enumerable,
    is_finite,
    normalize,
    subset_of,
)
from gristmill.values.order import ordered, sort_key
from gristmill.values.pretty import pretty
from gristmill.values.python import from_python, to_python
from gristmill.values.show import show
from gristmill.values.storable import check_storable
from gristmill.values.world import NoWorldError, World, current, current_or_new

__all__ = [
    "ANY",
    "BOOLEAN",
    "FALSE",
    "INT",
    "NAT",
    "REAL",
    "STRING",
    "TRUE",
    "BigUnion",
    "Boolean",
    "CrossProduct",
    "EvaluationError",
    "Filter",
    "Fn",
    "FunctionSet",
    "Interval",
    "LazySet",
    "ModelValue",
    "NoWorldError",
    "PowerSet",
    "RecordSet",
    "SequenceSet",
    "Value",
    "World",
    "add",
    "append",
    "apply",
    "at_most",
    "big_union",
    "boolean",
    "cardinality",
    "check_set",
    "check_storable",
    "compare",
    "concat",
    "contains",
    "current",
    "current_or_new",
    "difference",
    "divide",
    "domain",
    "elements",
    "enumerate_set",
    "enumeration",
    "equal",
    "evaluated",
    "except_at",
    "except_path",
    "explicit",
    "filter_set",
    "from_python",
    "head",
    "intersect",
    "interval",
    "is_empty",
    "is_enumerable",
    "is_finite",
    "is_function",
    "is_lazy",
    "is_record",
    "is_set",
    "kind",
    "length",
    "less",
    "make_function",
    "make_record",
    "make_set",
    "make_tuple",
    "membership",
    "merge",
    "modulo",
    "multiply",
    "negate",
    "normalize",
    "ordered",
    "part",
    "power",
    "pretty",
    "record_set",
    "select",
    "select_seq",
    "show",
    "single",
    "sort_key",
    "subseq",
    "subset_of",
    "subtract",
    "tabulate",
    "tail",
    "to_python",
    "union",
]
