"""Events that several observers have seen, each in an order of its own, and a behaviour in which all of them happen."""

from gristmill.search.weave.departure import Departure, Difference, Lack, Nearest, Stuck, departure
from gristmill.search.weave.pairs import Judge, Pair, Stitch
from gristmill.search.weave.repairs import Repair, repairs
from gristmill.search.weave.strands import Act, Claim, Condition, Event, NoValue, Position, Strands, Values, after_one
from gristmill.search.weave.weaver import DEFAULT_BOUND, Verdict, Weaver

__all__ = [
    "DEFAULT_BOUND",
    "Act",
    "Claim",
    "Condition",
    "Departure",
    "Difference",
    "Event",
    "Judge",
    "Lack",
    "Nearest",
    "NoValue",
    "Pair",
    "Position",
    "Repair",
    "Stitch",
    "Strands",
    "Stuck",
    "Values",
    "Verdict",
    "Weaver",
    "after_one",
    "departure",
    "repairs",
]
