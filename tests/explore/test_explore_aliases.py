"""Ways in which a field matters that are easily overlooked: each `secret` here decides something, and must be found.

That each does is not a claim: with the secret dropped from states by hand, the search misses the error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from gristmill.explore import Message, Options, Process, System, end_state, explore, invariant, on
from gristmill.explore.api import Exploration
from gristmill.explore.properties import View
from gristmill.explore.reductions import decomposition as decompositions
from gristmill.explore.reductions.decomposition import Decomposition, infer
from gristmill.explore.reductions.stubborn import StaticReduction
from gristmill.explore.transitions import Rules


class Tell(Message):
    n: int


class Ask(Message):
    pass


class Keeper(Process):
    """Is told two numbers, in any order, and then asked; the last one told is the secret."""

    def __init__(self) -> None:
        self.secret: Any = 0
        self.told = 0
        self.bad = False

    def start(self) -> None:
        self.send(self.name, Tell(1))
        self.send(self.name, Tell(2))

    @on(Tell)
    def tell(self, tell: Tell, sender: str) -> None:
        self.secret = tell.n
        self.told += 1
        if self.told == 2:
            self.send(self.name, Ask())


class ByMethodInGuard(Keeper):
    def wants(self) -> bool:
        return bool(self.secret == 2)

    @on(Ask, guard=lambda self, ask: self.wants())
    def ask(self, ask: Ask, sender: str) -> None:
        self.bad = True


class ByPropertyInGuard(Keeper):
    @property
    def wanted(self) -> bool:
        return bool(self.secret == 2)

    @on(Ask, guard=lambda self, ask: self.wanted)
    def ask(self, ask: Ask, sender: str) -> None:
        self.bad = True


def _wants(keeper: Any) -> bool:
    return bool(keeper.secret == 2)


class ByKeywordInGuard(Keeper):
    @on(Ask, guard=lambda self, ask: _wants(keeper=self))
    def ask(self, ask: Ask, sender: str) -> None:
        self.bad = True


class ByLambda(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        wants = lambda: self.secret == 2  # noqa: E731
        if wants():
            self.bad = True


class ByClosure(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        def wants() -> bool:
            return bool(self.secret == 2)

        if wants():
            self.bad = True


class ByBoundMethod(Keeper):
    def wants(self) -> bool:
        return bool(self.secret == 2)

    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        question = self.wants
        if question():
            self.bad = True


class ByAnonymousMethod(Keeper):
    wants = lambda self: self.secret == 2  # noqa: E731

    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        if self.wants():
            self.bad = True


def doubled(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(self: Any, *arguments: Any) -> Any:
        if self.secret == 2:
            self.bad = True
        return method(self, *arguments)

    return wrapper


class ByWrapper(Keeper):
    @on(Ask)
    @doubled
    def ask(self, ask: Ask, sender: str) -> None:
        self.told = 3


class ByGetattr(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        if getattr(self, "sec" + "ret") == 2:
            setattr(self, "bad", True)  # noqa: B010


class ByOtherName(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        me = self
        if me.secret == 2:
            me.bad = True


class BySetter(Keeper):
    def __init__(self) -> None:
        super().__init__()
        self.kept = 0

    @property
    def level(self) -> int:
        return self.kept

    @level.setter
    def level(self, value: int) -> None:
        self.kept = value

    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.level = self.secret
        self.bad = self.kept == 2


class ByGetattribute(Keeper):
    def __getattr__(self, name: str) -> Any:
        return self.secret

    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        if self.nothing_of_the_kind == 2:
            self.bad = True


class ByParameter(Keeper):
    def __init__(self) -> None:
        super().__init__()
        self.view: dict[int, int] = {}
        self.table: dict[int, int] = {}

    def keep(self, table: dict[int, int]) -> None:
        self.view = table

    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.keep(self.table)
        self.view[0] = self.secret
        self.bad = self.table == {0: 2}


class ByResult(ByParameter):
    def the_table(self) -> dict[int, int]:
        return self.table

    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.view = self.the_table()
        self.view[0] = self.secret
        self.bad = self.table == {0: 2}


class ByTwoTargets(Keeper):
    def __init__(self) -> None:
        super().__init__()
        self.one: list[int] = []
        self.other: list[int] = []

    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.one = self.other = []
        self.one.append(self.secret)
        self.bad = self.other == [2]


class ByWalrus(ByTwoTargets):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        if (held := self.other) == []:
            self.one = held
        self.one.append(self.secret)
        self.bad = self.other == [2]


class ByAugmentedAlias(ByTwoTargets):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        held = self.other
        held += [self.secret]
        self.bad = self.other == [2]


class ByLocalList(ByTwoTargets):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        held = self.other
        held.append(self.secret)
        self.bad = self.other == [2]


def put(where: list[Any], what: Any) -> None:
    where.append(what)


class ByHelper(ByTwoTargets):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        put(self.other, self.secret)
        self.bad = self.other == [2]


class ByInnerList(ByTwoTargets):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.one = [self.other]
        self.one[0].append(self.secret)  # type: ignore[attr-defined]
        self.bad = self.other == [2]


class ByLoop(ByTwoTargets):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.one = [self.other]
        for inner in self.one:
            inner.append(self.secret)  # type: ignore[attr-defined]
        self.bad = self.other == [2]


class ByInnermost(ByTwoTargets):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.one.append(self.other)
        self.other.append(self.secret)
        self.bad = self.one == [[2]]


class ByComprehension(ByTwoTargets):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.other = [self.secret]
        self.bad = [2 for one in self.other if one == 2] == [2]


class ByMatch(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        match self.secret:
            case 2:
                self.bad = True


class ByTry(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        try:
            [1, 2][self.secret]
        except IndexError:
            self.bad = True


class ByStore(ByTwoTargets):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        for self.one in [[self.secret]]:  # noqa: B020
            pass
        self.bad = self.one == [2]


# These raise, or not.


class ByMissingKey(ByParameter):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.view = {self.secret: 0}
        self.view[1] += 1


class ByNone(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.secret = None if self.secret == 2 else 0
        self.secret = self.secret + 1


class ByTypeOfField(Keeper):
    """The field begins as a number, so that adding to it looks harmless."""

    @on(Tell)
    def tell(self, tell: Tell, sender: str) -> None:
        super().tell(tell, sender)
        self.secret = "two" if tell.n == 2 else 1

    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.secret = self.secret + 1


class ByControl(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        nothing = None
        if self.secret == 2:
            self.secret = nothing + 1  # type: ignore[operator]


class ByShortCut(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        nothing = None
        self.secret = self.secret == 2 and nothing + 1  # type: ignore[operator]


class ByUnpacking(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.secret = (1, 2, 3) if self.secret == 2 else (1, 2)
        _, _ = self.secret


class ByUnhashable(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.secret = [1] if self.secret == 2 else 1
        self.secret = {self.secret}


class ByChangeWhileIterating(ByParameter):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.view = {2: 0}
        for _ in self.view:
            self.view[self.secret] = 1


class ByFormat(Keeper):
    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        self.secret = "x" if self.secret == 2 else 1
        self.secret = f"{self.secret:d}"


@invariant
def nothing_bad(state: View) -> bool:
    return not state["keeper"].bad


@end_state
def asked(state: View) -> bool:
    return True


KINDS = [kind for name, kind in sorted(globals().items()) if name.startswith("By")]


def system_of(kind: type[Keeper]) -> System:
    return System({"keeper": kind()}, (nothing_bad,))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_error_is_found_with_what_is_inferred(kind: type[Keeper]) -> None:
    for options in (Options("dfs", engine="python"), Options("dbss"), Options("dbss", engine="python")):
        for por in ("none", "static", "dynamic"):
            result = explore(system_of(kind), Options(options.search, por, engine=options.engine))  # type: ignore[arg-type]
            assert result.failure is not None, (options, por)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_it_would_be_missed_without_the_secret(kind: type[Keeper], monkeypatch: pytest.MonkeyPatch) -> None:
    """In one order of trying steps or the other: so the secret is no auxiliary field."""
    wrong = Decomposition({kind: frozenset(vars(kind())) - Process.OUTSIDE_STATE - {"told", "bad"}})
    monkeypatch.setattr(decompositions, "infer", lambda rules, relevant: wrong)
    verdicts = set()
    for first, second in ((1, 2), (2, 1)):

        def start(self: Keeper, first: int = first, second: int = second) -> None:
            self.send(self.name, Tell(first))
            self.send(self.name, Tell(second))

        monkeypatch.setattr(Keeper, "start", start)
        exploration = Exploration(system_of(kind), Options("dbss", engine="python"))
        exploration.model.rules.order_of = lambda envelope: ()  # type: ignore[method-assign]
        verdicts.add(exploration.run()[0].verdict)
    assert "ok" in verdicts


def test_a_field_that_does_not_keep_its_type_is_told_apart_and_that_is_said() -> None:
    result = explore(system_of(ByTypeOfField))
    assert result.failure is not None
    assert any("secret does not keep its type" in caveat for caveat in result.caveats)


class Harmless(Keeper):
    """None of these fields matters, whatever it looks like."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.log: list[Any] = []
        self.seen: set[int] = set()
        self.table: dict[str, int] = {}
        self.text = ""
        self.most = 0

    @on(Tell)
    def tell(self, tell: Tell, sender: str) -> None:
        super().tell(tell, sender)
        self.count += 1
        self.log.append((sender, tell.n))
        self.log = [*self.log, self.count]
        self.seen.add(tell.n)
        self.table[sender] = self.table.get(sender, 0)
        self.text = f"{self.count} of {self.log}"
        for _, value in self.table.items():
            if value == self.count:
                self.most = value
        if len(self.log) == 3 and self.count not in self.log:
            self.most = self.count * 2

    @on(Ask)
    def ask(self, ask: Ask, sender: str) -> None:
        pass


def test_it_is_not_just_that_everything_matters() -> None:
    found = infer(Rules(system_of(Harmless))).auxiliary[Harmless]
    assert found == {"count", "log", "seen", "table", "text", "most", "secret"}
    result = explore(system_of(Harmless))
    assert result.ok
    assert not result.caveats


def test_what_a_guard_reads_by_way_of_a_method_interferes() -> None:
    class Waiting(Keeper):
        def ready(self) -> bool:
            return bool(self.secret == 2)

        @on(Ask, guard=lambda self, ask: self.ready())
        def ask(self, ask: Ask, sender: str) -> None:
            self.bad = True

    reduction = StaticReduction(Rules(System({"keeper": Waiting()})))
    asked, told = (
        next(n for n, one in enumerate(reduction.actions) if one.method == method) for method in ("ask", "tell")
    )
    assert reduction.unblockers[asked] >> told & 1
    assert reduction.dependent[asked] >> told & 1
