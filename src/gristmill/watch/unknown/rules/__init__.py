"""What each kind of expression is where something is unknown: a rule a node of the IR, which `Evaluation` looks up."""

from collections.abc import Mapping

from gristmill.ir import nodes
from gristmill.watch.unknown.rules import logic, names, values
from gristmill.watch.unknown.rules.rule import Rule
from gristmill.watch.unknown.values import ANY

# Steps and what is said of behaviours have no value in a state.
_NONE = (
    nodes.Unchanged,
    nodes.Enabled,
    nodes.Cdot,
    nodes.Disjunct,
    nodes.Temporal,
    nodes.BoxAction,
    nodes.AngleAction,
)
RULES: Mapping[type, Rule] = {
    **names.RULES,
    **logic.RULES,
    **values.RULES,
    **dict.fromkeys(_NONE, lambda evaluation, node, frame, path: ANY),
}
