"""A specification opened by a program: its states and steps one by one, beside whole runs of `check`."""

from gristmill.specification.actions import Action, Dependencies, Name, Parameter, Place, Write
from gristmill.specification.expression import Expression
from gristmill.specification.frontier import OpenFrontier
from gristmill.specification.opened import Specification, open
from gristmill.specification.states import Following, State, Transition

__all__ = [
    "Action",
    "Dependencies",
    "Expression",
    "Following",
    "Name",
    "OpenFrontier",
    "Parameter",
    "Place",
    "Specification",
    "State",
    "Transition",
    "Write",
    "open",
]
