"""The checker against a dumb twin: all orders of the operations, tried one by one."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from gristmill.search.linearizability import (
    UNKNOWN,
    Counter,
    History,
    KeyValue,
    Operation,
    Queue,
    Register,
    Sequential,
    check_operations,
    linearizable,
    operations,
)
from gristmill.trace.schedule import Record


def brute_force(found: list[Operation], kind: Sequential, whole: Any) -> bool:
    """Every subset of the pending operations, in every order. `whole` applies operations to the object as a whole."""
    ended = [operation for operation in found if operation.end is not None]
    pending = [operation for operation in found if operation.end is None]
    for size in range(len(pending) + 1):
        for some in itertools.combinations(pending, size):
            if any(explains(order, whole) for order in itertools.permutations([*ended, *some])):
                return True
    return False


def explains(order: tuple[Operation, ...], whole: Any) -> bool:
    for earlier, later in itertools.combinations(order, 2):
        if later.end is not None and later.end < earlier.begin:
            return False
    state = whole.start()
    for operation in order:
        state, result = whole.apply(state, operation.name, operation.argument)
        if operation.end is not None and operation.result is not UNKNOWN and operation.result != result:
            return False
    return True


class Whole:
    """A sequential object that is one state, whatever its parts."""

    def __init__(self, kind: Sequential) -> None:
        self.kind = kind

    def start(self) -> Any:
        return self.kind.initial

    def apply(self, state: Any, name: str, argument: Any) -> tuple[Any, Any]:
        return self.kind.apply(state, name, argument)


class WholeMap(Whole):
    def start(self) -> Any:
        return {}

    def apply(self, state: Any, name: str, argument: Any) -> tuple[Any, Any]:
        key = argument if name in ("get", "delete") else argument[0]
        after, result = self.kind.apply(state.get(key), name, argument)
        return {**state, key: after}, result


CALLS: dict[str, list[tuple[str, list[Any], list[Any]]]] = {
    "register": [
        ("read", [None], [None, 1, 2]),
        ("write", [1, 2], [None]),
        ("cas", [(1, 2), (None, 1)], [True, False]),
    ],
    "counter": [("add", [1, 2], [1, 2, 3, 4]), ("read", [None], [0, 1, 2, 3])],
    "queue": [("put", [1, 2], [None]), ("take", [None], [None, 1, 2])],
    "map": [
        ("get", ["a", "b"], [None, 1, 2]),
        ("set", [("a", 1), ("b", 1), ("a", 2)], [None]),
        ("delete", ["a"], [None]),
        ("cas", [("a", 1, 2), ("b", None, 1)], [True, False]),
    ],
}
KINDS: dict[str, Sequential] = {"register": Register(), "counter": Counter(), "queue": Queue(), "map": KeyValue()}


def random_history(chance: random.Random, calls: list[tuple[str, list[Any], list[Any]]]) -> list[Operation]:
    """Up to six operations of three processes, that overlap as they like; some never end, and are soon forgotten."""
    moments = iter(sorted(chance.sample(range(100), 24)))
    open_: dict[str, Operation] = {}
    found: list[Operation] = []
    for _ in range(chance.randint(2, 11)):
        process = chance.choice("abc")
        if process in open_ and chance.random() < 0.25:
            del open_[process]  # nobody will ever know how it ended
        elif process in open_:
            operation = open_.pop(process)
            results = next(results for name, _, results in calls if name == operation.name)
            operation.end = next(moments)
            operation.result = UNKNOWN if chance.random() < 0.05 else chance.choice(results)
        elif len(found) < 6:
            name, arguments, _ = chance.choice(calls)
            open_[process] = Operation(process, name, chance.choice(arguments), next(moments))
            found.append(open_[process])
    return found


@pytest.mark.parametrize("name", KINDS)
def test_it_agrees_with_trying_all_orders(name: str) -> None:
    chance = random.Random(name)
    kind = KINDS[name]
    whole = WholeMap(kind) if name == "map" else Whole(kind)
    verdicts = [0, 0]
    for _ in range(1500):
        found = random_history(chance, CALLS[name])
        expected = brute_force(found, kind, whole)
        problem = check_operations(found, kind)
        assert (problem is None) == expected, "\n".join(map(str, found))
        verdicts[expected] += 1
    assert min(verdicts) > 100  # both answers were put to the test


def test_a_stale_read_is_named() -> None:
    history = History()
    write = history.begin("writer", "write", 1)
    history.end(write)
    read = history.begin("reader", "read")
    history.end(read, None)
    problem = history.check(Register())
    assert problem is not None
    assert problem.stuck is read
    assert str(problem) == "no order of the operations explains reader: read() → None, after writer: write(1) → None"


def test_a_pending_operation_may_have_taken_effect_or_not() -> None:
    history = History()
    history.begin("writer", "write", 1)
    for seen in (None, 1):
        history.end(history.begin("reader", "read"), seen)
    assert history.check(Register()) is None
    history.end(history.begin("reader", "read"), None)
    assert history.check(Register()) is not None


def test_an_operation_that_was_withdrawn_has_no_effect() -> None:
    history = History()
    operation = history.begin("writer", "write", 1)
    history.withdraw(operation)
    history.end(history.begin("reader", "read"), 1)
    assert history.check(Register()) is not None


def test_records_of_processes_become_operations() -> None:
    records = [
        Record("a", "invoke", "write", 1),
        Record("b", "invoke", "read"),
        Record("a", "return", "write"),
        Record("b", "return", "read", None),
        Record("b", "invoke", "read"),
        Record("b", "return", "read", 1),
    ]
    assert linearizable(records, Register())
    assert not linearizable([*records[:-1], Record("b", "return", "read", None)], Register())
    assert [str(one) for one in operations(records)][:2] == ["a: write(1) → None", "b: read() → None"]


def test_true_is_no_one() -> None:
    history = History()
    history.end(history.begin("a", "write", 1))
    history.end(history.begin("a", "read"), True)
    assert history.check(Register()) is not None


def test_a_long_history_of_few_overlaps_is_quick() -> None:
    history = History()
    for number in range(2000):
        first, second = history.begin("a", "add", 1), history.begin("b", "add", 1)
        history.end(second, 2 * number + 1)
        history.end(first, 2 * number + 2)
    assert history.check(Counter()) is None


def test_many_operations_that_never_ended_are_quick() -> None:
    history = History()
    for number in range(30):
        history.begin(f"lost{number}", "add", 1 + number % 3)
    for total in (0, 3, 17, 40, 60):
        history.end(history.begin("reader", "read"), total)
    assert history.check(Counter()) is None
    history.end(history.begin("reader", "read"), 61)  # more than all of them together
    assert history.check(Counter()) is not None


@pytest.mark.parametrize(("kind", "known"), [(Register(), "read, write, cas"), (Queue(), "put, take")])
def test_an_operation_that_the_object_does_not_have_is_an_error(kind: Sequential, known: str) -> None:
    history = History()
    history.end(history.begin("a", "frobnicate"), 1)
    with pytest.raises(ValueError, match=known):
        history.check(kind)
