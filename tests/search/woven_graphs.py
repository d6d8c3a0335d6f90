"""Random strands of events of random graphs, and a twin that goes through their orders one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from observed_graphs import NAMES, STATES, GraphModel, _state

from gristmill.search import State
from gristmill.search.weave import Act, Claim, Condition, Event, Strands

BAD = 1  # the state in which the predicate that is watched is false


def judge(state: State) -> int:
    return int(state[0] == BAD)


@dataclass(frozen=True)
class Case:
    model: GraphModel
    strands: Strands
    hidden: tuple[str, ...]


def claim(variable: str, wanted: int) -> Claim:
    place = ("x", "odd").index(variable)
    return Claim(variable, wanted, lambda values: values[place])


def cases(seed: int, change: str) -> Iterator[Case]:
    """`change`: what is done to a log that is right: "nothing", "remove", "alter", "reorder". "any": it is anything."""
    draw = random.Random(seed)
    while True:
        model = _model(draw)
        hidden = draw.choice([(), ("H",)])
        events = (
            [_any_event(draw) for _ in range(draw.randint(0, 4))] if change == "any" else _walk(draw, model, hidden)
        )
        if not events and change != "any":
            continue
        count = draw.randint(1, 3)
        owners = [draw.randrange(count) for _ in events]
        if change == "remove":
            gone = draw.randrange(len(events))
            del events[gone], owners[gone]
        elif change == "alter":
            at = draw.randrange(len(events))
            events[at] = _any_event(draw)
        elif change == "reorder":
            at, other = draw.randrange(len(events)), draw.randrange(len(events))
            events[at], events[other] = events[other], events[at]
        yield Case(model, _strands(draw, events, owners, count), hidden)


def _model(draw: random.Random) -> GraphModel:
    edges = {
        state: list({(draw.choice([2, 0, 1, 2]), draw.randint(0, 1), draw.randrange(STATES)) for _ in range(3)})
        for state in range(STATES)
    }
    return GraphModel([draw.randrange(STATES) for _ in range(draw.randint(1, 2))], edges)


def _walk(draw: random.Random, model: GraphModel, hidden: Sequence[str]) -> list[Event]:
    """What is seen of a random behaviour."""
    state, events = draw.choice(model.initial_states()), []
    for _ in range(draw.randint(1, 6)):
        steps = model.steps(state)
        if not steps or len(events) == 4:
            break
        taken = draw.choice(steps)
        name = NAMES[taken.action]
        if name not in hidden:
            ways = [(Act(draw.choice([name, None]), dict(taken.parameters) if draw.random() < 0.5 else {}),)]
            if draw.random() < 0.2:
                ways.insert(draw.randint(0, 1), _any_way(draw))
            after = (claim("x", taken.state[0]),) if draw.random() < 0.4 else ()
            before = (claim("odd", state[1]),) if draw.random() < 0.3 else ()
            events.append(Event(tuple(ways), before, after, draw.choice([None, draw.random()])))
        state = taken.state
    return events


def _any_event(draw: random.Random) -> Event:
    after = [claim("x", draw.randrange(STATES))] * (draw.random() < 0.4)
    before = [claim("odd", draw.randint(0, 1))] * (draw.random() < 0.3)
    ways = [_any_way(draw) for _ in range(draw.randint(1, 2))]
    return Event(tuple(ways), tuple(before), tuple(after), draw.choice([None, draw.random()]))


def _any_way(draw: random.Random) -> tuple[Act, ...]:
    return tuple(_any_act(draw) for _ in range(draw.choice([0, 1, 1, 1, 2])))


def _any_act(draw: random.Random) -> Act:
    act = Act(draw.choice(["A", "B", "A", "B", None]), {"p": draw.randint(0, 1)} if draw.random() < 0.3 else {})
    if draw.random() < 0.2:
        wanted = draw.randint(0, 1)
        return replace(act, such_that=Condition("p = …", lambda values, own: own["p"] == wanted or values[0] == 0))
    return act


def _strands(draw: random.Random, events: Sequence[Event], owners: Sequence[int], count: int) -> Strands:
    """In the order in which they happened, some of which is known."""
    strands: list[list[Event]] = [[] for _ in range(count)]
    needs: list[list[tuple[int, ...] | None]] = [[] for _ in range(count)]
    sure = draw.choice([0.0, 0.2, 1.0])  # how much of the order is known
    for event, owner in zip(events, owners, strict=True):
        known = [len(strand) if draw.random() < sure else 0 for strand in strands]
        known[owner] = 0
        needs[owner].append(tuple(known))
        strands[owner].append(event)
    return Strands(strands, needs if sure else draw.choice([None, needs]))


# ---------------------------------------------------------------------------------------------------------- the twin


@dataclass
class Twin:
    deepest: int
    ends: set[tuple[State, bool]]  # with whether the watched predicate was false on the way


def twin(case: Case) -> Twin:
    """Every order of the events that is possible, one by one; in each, all behaviours step by step."""
    found = Twin(-1, set())
    total = sum(map(len, case.strands.events))
    for order in _orders(case.strands):
        here = {(state, bool(judge(state))) for state in case.model.initial_states()}
        matched = -1 if not here else 0
        for event in order:
            here = set(_after(case, event, _closed(case, here)))  # a behaviour ends with its last event
            if not here:
                break
            matched += 1
        found.deepest = max(found.deepest, matched)
        if matched == total:
            found.ends |= here
    return found


def _orders(strands: Strands) -> Iterator[list[Event]]:
    names = [(strand, number) for strand, events in enumerate(strands.events) for number in range(len(events))]

    def complete(done: list[tuple[int, int]]) -> Iterator[list[Event]]:
        if len(done) == len(names):
            yield [strands.events[strand][number] for strand, number in done]
        for strand, number in names:
            if (strand, number) not in done and all(other in done for other in before(strand, number)):
                yield from complete([*done, (strand, number)])

    def before(strand: int, number: int) -> list[tuple[int, int]]:
        needed = [(strand, each) for each in range(number)]
        counts = None if strands.needs is None else strands.needs[strand][number]
        for other, count in enumerate(counts or ()):
            needed += [(other, each) for each in range(count)]
        return needed

    return complete([])


def _closed(case: Case, states: set[tuple[State, bool]]) -> set[tuple[State, bool]]:
    """With all that hidden steps lead to."""
    while True:
        more = {
            (_state(end), broken or bool(judge(_state(end))))
            for state, broken in states
            for action, _, end in case.model.edges.get(state[0], ())
            if NAMES[action] in case.hidden
        }
        if more <= states:
            return states
        states = states | more


def _after(case: Case, event: Event, states: set[tuple[State, bool]]) -> Iterator[tuple[State, bool]]:
    for state, broken in states:
        if all(each.own(state) == each.wanted for each in event.before):
            for way in event.ways:
                for end, worse in _walked(case, way, state, broken):
                    if all(each.own(end) == each.wanted for each in event.after):
                        yield end, worse


def _walked(case: Case, way: Sequence[Act], state: State, broken: bool) -> Iterator[tuple[State, bool]]:
    if not way:
        yield state, broken
        return
    act = way[0]
    for action, p, number in case.model.edges.get(state[0], ()):
        fits = act.action in (None, NAMES[action]) and act.parameters.get("p", p) == p
        if fits and (act.such_that is None or act.such_that.holds(state, {"p": p})):
            end = _state(number)
            yield from _walked(case, way[1:], end, broken or bool(judge(end)))
