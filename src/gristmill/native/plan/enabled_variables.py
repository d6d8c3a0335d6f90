"""Next values that only ENABLED has: those of variables beyond the specification's own."""

from __future__ import annotations

from gristmill.ir.model import Model
from gristmill.ir.nodes import Variable
from gristmill.ir.walk import SEARCHED, Role, bodies, reachable

_ROLES: frozenset[Role] = frozenset((*SEARCHED, "temporal", "fairness"))


def shadow_count(model: Model) -> int:
    own = len(model.variables)
    beyond = (node.index + 1 - own for node in reachable(*bodies(model, _ROLES)) if isinstance(node, Variable))
    return max(0, *beyond, 0)
