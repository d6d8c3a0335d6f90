"""A specification opened by a program: its states and steps one by one, beside whole runs of `check`."""

from gristmill.specification.frontier import OpenFrontier
from gristmill.specification.opened import Specification, open
from gristmill.specification.states import Following, State, Transition

__all__ = ["Following", "OpenFrontier", "Specification", "State", "Transition", "open"]
