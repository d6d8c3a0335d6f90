"""The reference evaluator: the intermediate representation as Python functions. The meaning is TLC's."""

# the forms enter themselves into the tables of the compiler
from gristmill.evaluate import actions, binders, calls, data, functions, logic, names, nested_actions, primitive_calls
from gristmill.evaluate.context import UNASSIGNED, Context, State, Warning
from gristmill.evaluate.errors import Activation, Location, Unevaluated, locate
from gristmill.evaluate.evaluator import Evaluator

__all__ = [
    "UNASSIGNED",
    "Activation",
    "Context",
    "Evaluator",
    "Location",
    "State",
    "Unevaluated",
    "Warning",
    "actions",
    "binders",
    "calls",
    "data",
    "functions",
    "locate",
    "logic",
    "names",
    "nested_actions",
    "primitive_calls",
]
