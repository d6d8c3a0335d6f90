"""Whether every finite behaviour of one graph, as an observer sees it, is one of another graph. No TLA+.

A state has an observation, a number; a behaviour is seen as the sequence of the observations of its states, with
equal neighbours collapsed: its trace. `decide` compares the traces of two graphs, in C (`core/inclusion/inclusion.h`)
or, where there is no compiler, in Python (`naive`). The answer is exact for finite traces; what a limit ends is
"incomplete".
"""

from gristmill.search.inclusion.decide import Inclusion, decide
from gristmill.search.inclusion.difference import Difference, Possible, Run
from gristmill.search.inclusion.graph import ObservedGraph

__all__ = ["Difference", "Inclusion", "ObservedGraph", "Possible", "Run", "decide"]
