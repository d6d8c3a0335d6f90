"""Whether a specification can be watched node by node, and the monitor if it can.

Asked of it: messages stand in one variable, a set; each action has one acting node, a parameter, and reads and writes
nothing but that node's part of the other variables, a message, and the set that it adds messages to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gristmill.ir import nodes
from gristmill.ir.model import Action as IrAction
from gristmill.source import Diagnostic, SourceError, Span
from gristmill.specification import Specification
from gristmill.specification.actions import Action, Name, Place
from gristmill.watch.derive.monitor import Event, Monitor
from gristmill.watch.derive.network import looks_elsewhere, parameter_bounds
from gristmill.watch.derive.records import consumed_kinds, sent_records

_FEW = 16  # ways to take an action
_LOCAL = "each action of a node may read and write only what belongs to that node: VARIABLE[node]"


def derive(specification: Specification, network: str, kind_field: str = "kind", span: Span | None = None) -> Monitor:
    """Raises `SourceError` with the actions and variables that stand in the way."""
    if network not in specification.variables:
        known = ", ".join(specification.variables)
        message = f"{specification.name} has no variable `{network}` for messages"
        raise SourceError(Diagnostic("unknown-variable", message, span, help=f"its variables are {known}"))
    ghosts = _ghosts(specification, network)
    problems: list[Diagnostic] = []
    events: list[Event] = []
    for action in specification.actions:
        places = [each for each in _places(action) if each.variable != network and each.variable not in ghosts]
        node, found = _acting_node(action, places)
        problems += found or _reads_network(specification, action, network)
        if not problems:
            events += _events(specification, action, node, network, kind_field)
    if problems:
        raise SourceError(problems)
    local = tuple(each for each in specification.variables if each != network and each not in ghosts)
    return Monitor(network, local, ghosts, tuple(events))


def _places(action: Action) -> Iterator[Place]:
    found = action.dependencies
    yield from found.guard
    yield from found.updates
    yield from found.may_write


def _ghosts(specification: Specification, network: str) -> tuple[str, ...]:
    """Variables that decide nothing but their own next value."""
    needed = {network}
    for action in specification.actions:
        needed |= {each.variable for each in action.dependencies.guard}
        for write in action.dependencies.writes:
            read = {each.variable for each in (*write.reads, *write.control)}
            needed |= read - {write.place.variable}
    return tuple(each for each in specification.variables if each not in needed and not _by_node(specification, each))


def _by_node(specification: Specification, variable: str) -> bool:
    """Whether actions speak of nothing but parts of it."""
    places = [each for action in specification.actions for each in _places(action) if each.variable == variable]
    return all(each.path for each in places)


def _acting_node(action: Action, places: Sequence[Place]) -> tuple[str, list[Diagnostic]]:
    """The parameter by which all its places are indexed; if they are not, the one that most are indexed by."""
    counts = {name: sum(_is_part(each, name) for each in places) for name in action.names}
    node = max(counts, key=counts.__getitem__, default="")
    problems = [_not_local(action, place, node) for place in places if not _is_part(place, node)]
    if not node:
        message = f"{action.name} has no acting node: none of its parameters is one"
        problems.append(Diagnostic("not-local", message, action.location, help=_LOCAL))
    return node, list(_once(problems))


def _is_part(place: Place, node: str) -> bool:
    return bool(place.path) and place.path[0] == Name(node)


def _not_local(action: Action, place: Place, node: str) -> Diagnostic:
    whose = f"not of node `{node}` alone" if node else "of no node"
    message = f"{action.name} reads or writes `{place}`, which is {whose}: `{place.variable}` stands in the way"
    return Diagnostic("not-local", message, action.location, help=_LOCAL)


def _once(problems: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for each in problems:
        if each.message not in seen:
            seen.add(each.message)
            yield each


def _reads_network(specification: Specification, action: Action, network: str) -> list[Diagnostic]:
    """Messages are read one at a time: a parameter that is chosen from the network. Others are only added to it."""
    chosen = [each for each in action.parameters if each.domain == network]
    if len(chosen) > 1:
        message = f"{action.name} consumes {len(chosen)} messages at once"
        help = "let it take one message, and keep what it said in a variable of the node"
        return [Diagnostic("several-messages", message, action.location, help=help)]
    number = specification.variables.index(network)
    if any(looks_elsewhere(own, number) for own in _same(specification, action)):
        message = f"{action.name} looks at `{network}` for more than one message: what others have sent is not known"
        help = f"choose one, `\\E m \\in {network}`; to send, write {network}' = {network} \\cup {{…}}"
        return [Diagnostic("reads-messages", message, action.location, help=help)]
    return []


def _events(specification: Specification, action: Action, node: str, network: str, kind_field: str) -> Iterator[Event]:
    consumes = next((each.name for each in action.parameters if each.domain == network), None)
    for own in _same(specification, action):
        kinds = () if consumes is None else consumed_kinds(own, consumes, kind_field)
        few = consumes is None and _has_few_ways(own, node)
        yield Event(own, node, consumes, kinds, sent_records(own, kind_field), few)


def _has_few_ways(action: IrAction, node: str) -> bool:
    """Whether its parameters, but for the acting node, are chosen from a few values that are listed."""
    ways = 1
    for bound in parameter_bounds(action):
        names = [each for each in bound.names if each != node]
        if not names:
            continue
        domain = bound.domain.value if isinstance(bound.domain, nodes.Literal) else None
        if not isinstance(domain, frozenset):
            return False
        ways *= len(domain) ** len(names)
    return ways <= _FEW


def _same(specification: Specification, action: Action) -> Iterator[IrAction]:
    for own in specification.model.actions:
        names = tuple(name for name, _ in own.parameters)
        if (own.name, own.span, names) == (action.name, action.location, action.names):
            yield own
