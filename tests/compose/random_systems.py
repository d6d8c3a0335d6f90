"""Random small systems of modules with coarse grains, as TLA+ files, and a naive twin that explores them in Python.

A fine module reads and writes a few variables over 0..2. Its coarse grain is what is left of it without some variables
that it alone reads; then, perhaps, somebody makes a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random

NUMBERS = ("a", "b", "c", "d", "e")
FUNCTIONS = ("f", "g")  # on {1, 2}
NETWORK = "n"  # a set of messages, each with a tag `t` and a value `v`
VARIABLES = (*NUMBERS, *FUNCTIONS, NETWORK)
KEYS = (1, 2)
VALUES = (0, 1, 2)

State = tuple[object, ...]  # a number, a pair, or a set of pairs of tag and value, for each of VARIABLES


def slice_name(tag: str) -> str:
    """Messages of one tag, as if they were a variable."""
    return f"{NETWORK}.{tag}"


NAMES = (*NUMBERS, *FUNCTIONS, *map(slice_name, ("x", "y", "z")))


def variable_of(name: str) -> str:
    return name.partition(".")[0]


@dataclass(frozen=True)
class Term:
    """A number: a constant, a variable, `v[key]`, or the parameter; perhaps one more, modulo 3.

    `key` 0 is the parameter.
    """

    constant: int = 0
    variable: str | None = None
    key: int | None = None
    is_parameter: bool = False
    plus_one: bool = False

    @property
    def reads(self) -> set[str]:
        return {self.variable} if self.variable else set()

    def value(self, state: Mapping[str, object], parameter: int) -> int:
        found = self.constant
        if self.is_parameter:
            found = parameter
        elif self.variable in FUNCTIONS:
            found = state[self.variable][(self.key or parameter) - 1]  # type: ignore[index]
        elif self.variable:
            found = state[self.variable]  # type: ignore[assignment]
        return (found + self.plus_one) % 3

    @property
    def text(self) -> str:
        text = str(self.constant)
        if self.is_parameter:
            text = "p"
        elif self.variable in FUNCTIONS:
            text = f"{self.variable}[{self.key or 'p'}]"
        elif self.variable:
            text = self.variable
        return f"({text} + 1) % 3" if self.plus_one else text


@dataclass(frozen=True)
class Guard:
    left: Term
    equal: bool
    right: Term

    @property
    def reads(self) -> set[str]:
        return self.left.reads | self.right.reads

    def holds(self, state: Mapping[str, object], parameter: int) -> bool:
        return (self.left.value(state, parameter) == self.right.value(state, parameter)) is self.equal

    @property
    def text(self) -> str:
        return f"{self.left.text} {'=' if self.equal else '#'} {self.right.text}"


@dataclass(frozen=True)
class Received:
    """A guard: there is a message with this tag and value."""

    tag: str
    term: Term

    @property
    def reads(self) -> set[str]:
        return self.term.reads | {slice_name(self.tag)}

    def holds(self, state: Mapping[str, object], parameter: int) -> bool:
        return (self.tag, self.term.value(state, parameter)) in state[NETWORK]  # type: ignore[operator]

    @property
    def text(self) -> str:
        return f'\\E m \\in {NETWORK} : m.t = "{self.tag}" /\\ m.v = {self.term.text}'


@dataclass(frozen=True)
class Send:
    """An update: one more message, or one less."""

    tag: str
    term: Term | None
    takes_away: bool = False

    @property
    def variable(self) -> str:
        return slice_name(self.tag)

    @property
    def reads(self) -> set[str]:
        return self.term.reads if self.term else set()

    def values(self, state: Mapping[str, object], parameter: int) -> list[object]:
        old: frozenset[tuple[str, int]] = state[NETWORK]  # type: ignore[assignment]
        found = VALUES if self.term is None else (self.term.value(state, parameter),)
        messages = [frozenset({(self.tag, value)}) for value in found]
        return [old - each if self.takes_away else old | each for each in messages]

    @property
    def text(self) -> str:
        sign = "\\" if self.takes_away else "\\cup"
        if self.term is None:
            return f'\\E new \\in 0..2 : {NETWORK}\' = {NETWORK} {sign} {{[t |-> "{self.tag}", v |-> new]}}'
        return f'{NETWORK}\' = {NETWORK} {sign} {{[t |-> "{self.tag}", v |-> {self.term.text}]}}'


@dataclass(frozen=True)
class Update:
    """`key`, of a function: one of its keys, or 0 for the parameter. `term` None: any value."""

    variable: str
    term: Term | None
    key: int | None = None

    @property
    def reads(self) -> set[str]:
        return self.term.reads if self.term else set()

    def values(self, state: Mapping[str, object], parameter: int) -> list[object]:
        found = VALUES if self.term is None else (self.term.value(state, parameter),)
        if self.variable in NUMBERS:
            return list(found)
        at = (self.key or parameter) - 1
        old: tuple[int, int] = state[self.variable]  # type: ignore[assignment]
        return [tuple(new if i == at else old[i] for i in range(2)) for new in found]

    @property
    def text(self) -> str:
        name = self.variable
        if name in NUMBERS:
            return f"{name}' \\in 0..2" if self.term is None else f"{name}' = {self.term.text}"
        key = self.key or "p"
        if self.term is None:
            return f"\\E new \\in 0..2 : {name}' = [{name} EXCEPT ![{key}] = new]"
        return f"{name}' = [{name} EXCEPT ![{key}] = {self.term.text}]"


@dataclass(frozen=True)
class Action:
    name: str
    guards: tuple[Guard | Received, ...]
    updates: tuple[Update | Send, ...]

    @property
    def reads(self) -> set[str]:
        return set().union(*(each.reads for each in (*self.guards, *self.updates)))

    @property
    def writes(self) -> set[str]:
        return {each.variable for each in self.updates}

    def steps(self, state: State) -> Iterator[State]:
        before = dict(zip(VARIABLES, state, strict=True))
        for parameter in KEYS:
            if not all(guard.holds(before, parameter) for guard in self.guards):
                continue
            choices = [each.values(before, parameter) for each in self.updates]
            for chosen in product(*choices):
                new = {variable_of(u.variable): value for u, value in zip(self.updates, chosen, strict=True)}
                after = before | new
                yield tuple(after[name] for name in VARIABLES)

    def text(self, declared: Sequence[str]) -> str:
        parts = [guard.text for guard in self.guards] + [update.text for update in self.updates]
        written = {variable_of(name) for name in self.writes}
        idle = [name for name in declared if name not in written]
        parts += [f"UNCHANGED <<{', '.join(idle)}>>"] if idle else []
        return f"{self.name}(p) ==\n" + "".join(f"    /\\ {part}\n" for part in parts or ["TRUE"])


@dataclass(frozen=True)
class RandomSystem:
    fine: tuple[tuple[Action, ...], ...]  # of each module
    coarse: tuple[tuple[Action, ...], ...]
    initial: State
    watched: tuple[str, ...] = ()  # by an invariant

    @property
    def modules(self) -> range:
        return range(len(self.fine))

    def write(self, folder: Path) -> Path:
        """The files; the manifest."""
        (folder / "Root.tla").write_text(self._root())
        manifest = [f'[system]\nroot = "Root.tla"\nslice = {{ {NETWORK} = "t" }}\n[domain]\np = "{{1, 2}}"\n']
        for number in self.modules:
            name = f"M{number}"
            (folder / f"{name}Coarse.tla").write_text(self._coarse(number))
            fine = ", ".join(f'"{action.name}"' for action in self.fine[number])
            coarse = ", ".join(f'"{action.name}(p)"' for action in self.coarse[number])
            manifest.append(
                f"[module.{name}]\nactions = [{fine}]\n"
                f'grain.coarse = {{ file = "{name}Coarse.tla", actions = [{coarse}], of = "fine" }}\n'
            )
        path = folder / "system.toml"
        path.write_text("\n".join(manifest))
        return path

    def _root(self) -> str:
        actions = [action for module in self.fine for action in module]
        init = "".join(f"    /\\ {n} = {_value(v)}\n" for n, v in zip(VARIABLES, self.initial, strict=True))
        next_ = "".join(f"    \\/ \\E p \\in {{1, 2}} : {action.name}(p)\n" for action in actions)
        return (
            f"---- MODULE Root ----\nEXTENDS Integers\nVARIABLES {', '.join(VARIABLES)}\nInit ==\n{init}"
            + "".join(action.text(VARIABLES) for action in actions)
            + f"Next ==\n{next_}====\n"
        )

    def _coarse(self, number: int) -> str:
        actions = self.coarse[number]
        used = set().union(*(action.reads | action.writes for action in actions))
        declared = [name for name in VARIABLES if name in {variable_of(each) for each in used}]
        variables = f"VARIABLES {', '.join(declared)}\n" if declared else ""
        texts = "".join(action.text(declared) for action in actions)
        return f"---- MODULE M{number}Coarse ----\nEXTENDS Integers\n{variables}{texts}====\n"

    def actions(self, fine: Sequence[int]) -> list[Action]:
        """Of the composition with some modules fine and the others coarse."""
        return [a for n in self.modules for a in (self.fine[n] if n in fine else self.coarse[n])]


def _value(value: object) -> str:
    if isinstance(value, frozenset):
        return "{" + ", ".join(f'[t |-> "{tag}", v |-> {number}]' for tag, number in sorted(value)) + "}"
    if not isinstance(value, tuple):
        return str(value)
    first, second = value
    return f"[k \\in {{1, 2}} |-> IF k = 1 THEN {first} ELSE {second}]"


def reachable(initial: State, actions: Sequence[Action], most: int = 1_000_000) -> set[State]:
    found, waiting = {initial}, [initial]
    while waiting and len(found) < most:
        state = waiting.pop()
        for action in actions:
            for successor in action.steps(state):
                if successor not in found:
                    found.add(successor)
                    waiting.append(successor)
    return found


def projected(states: set[State], variables: Sequence[str], actions: Sequence[Action]) -> set[State]:
    """On some variables; of messages, on those that some actions may receive."""
    places = [VARIABLES.index(name) for name in variables]
    tags = {name.partition(".")[2] for action in actions for name in action.reads if "." in name}
    return {tuple(_received(state[place], tags) for place in places) for state in states}


def _received(value: object, tags: set[str]) -> object:
    return frozenset(each for each in value if each[0] in tags) if isinstance(value, frozenset) else value


# ------------------------------------------------------------------------------------------------------- made at random


class Maker:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def system(self) -> RandomSystem:
        """One with some states, but not too many."""
        while True:
            system = self._system()
            if 6 <= len(reachable(system.initial, system.actions(system.modules), most=1500)) < 1500:
                return system

    def _system(self) -> RandomSystem:
        count = self.random.choice((2, 2, 3))
        names = list(NAMES)
        self.random.shuffle(names)
        own = [names[number :: count + 1] for number in range(count)]  # nobody else reads these
        shared = names[count :: count + 1]
        fine = tuple(self._module(number, own, shared) for number in range(count))
        coarse = tuple(self._coarse(number, fine) for number in range(count))
        initial = tuple(
            self.random.choice(VALUES) if name in NUMBERS else tuple(self.random.choices(VALUES, k=2))
            for name in (*NUMBERS, *FUNCTIONS)
        )
        initial = (*initial, frozenset(self.random.choices([("x", 0), ("y", 1), ("z", 1)], k=1)))
        system = RandomSystem(fine, coarse, initial)
        for _ in range(self.random.choice((0, 0, 1, 2))):
            system = self._with_mistake(system)
        return system

    def _module(self, number: int, own: list[list[str]], shared: list[str]) -> tuple[Action, ...]:
        readable = own[number] + shared
        others = [name for n, names in enumerate(own) if n != number for name in names]
        return tuple(self._action(f"A{number}{index}", readable, others) for index in range(self.random.choice((2, 3))))

    def _action(self, name: str, readable: list[str], others: list[str]) -> Action:
        guards = [self._guard(readable) for _ in range(self.random.choice((1, 1, 2)))]
        writable = self.random.sample(readable, min(len(readable), self.random.choice((1, 1, 2))))
        if others and self.random.random() < 0.25:
            writable.append(self.random.choice(others))
        messages = [each for each in writable if "." in each]
        writable = [each for each in writable if each not in messages[1:]]  # one update of the network
        return Action(name, tuple(guards), tuple(self._update(each, readable) for each in writable))

    def _guard(self, readable: list[str]) -> Guard | Received:
        tags = [name.partition(".")[2] for name in readable if "." in name]
        readable = [name for name in readable if "." not in name]
        if tags and (not readable or self.random.random() < 0.4):
            return Received(self.random.choice(tags), self._term(readable, constant=0.8))
        left = self._term(readable, constant=0.0)
        return Guard(left, self.random.random() < 0.4, self._term(readable, constant=0.8))

    def _update(self, variable: str, readable: list[str]) -> Update | Send:
        readable = [name for name in readable if "." not in name]
        if "." in variable:
            takes_away = self.random.random() < 0.3
            return Send(variable.partition(".")[2], self._term(readable, constant=0.5), takes_away)
        term = None if self.random.random() < 0.1 else self._term(readable, constant=0.5)
        return Update(variable, term, self._key() if variable in FUNCTIONS else None)

    def _key(self) -> int:
        return self.random.choice((0, 0, 1, 2))

    def _term(self, readable: list[str], constant: float) -> Term:
        plus_one = self.random.random() < 0.3
        if self.random.random() < constant or not readable:
            return Term(constant=self.random.choice(VALUES), is_parameter=self.random.random() < 0.2)
        variable = self.random.choice(readable)
        return Term(variable=variable, key=self._key() if variable in FUNCTIONS else None, plus_one=plus_one)

    def _coarse(self, number: int, fine: tuple[tuple[Action, ...], ...]) -> tuple[Action, ...]:
        """Without variables that only this module reads: weaker guards, any value where they were used."""
        elsewhere = set().union(*(a.reads for n, module in enumerate(fine) if n != number for a in module))
        mine = sorted(set().union(*(action.reads | action.writes for action in fine[number])) - elsewhere)
        hidden = {name for name in mine if self.random.random() < 0.8}
        left = [self._without(action, hidden) for action in fine[number]]
        visible = tuple(each for each in left if each.updates)
        return visible or tuple(self._without(action, set()) for action in fine[number])

    def _without(self, action: Action, hidden: set[str]) -> Action:
        guards = tuple(guard for guard in action.guards if not guard.reads & hidden)
        updates = tuple(
            replace(update, term=None) if update.reads & hidden else update
            for update in action.updates
            if update.variable not in hidden
        )
        return Action(action.name.replace("A", "C"), guards, updates)

    def _with_mistake(self, system: RandomSystem) -> RandomSystem:
        number = self.random.choice(system.modules)
        actions = list(system.coarse[number])
        index = self.random.randrange(len(actions))
        changed = self._mistaken(actions[index])
        if changed is None:
            if len(actions) > 1:
                del actions[index]
        else:
            actions[index] = changed
        coarse = tuple(tuple(actions) if n == number else each for n, each in enumerate(system.coarse))
        return replace(system, coarse=coarse)

    def _mistaken(self, action: Action) -> Action | None:
        """None: it is left out."""
        match self.random.randrange(5):
            case 0 if len(action.updates) > 1:
                return replace(action, updates=action.updates[1:])
            case 1:
                return replace(action, guards=(*action.guards, self._guard(list(NAMES))))
            case 2 if action.updates:
                first = self._update(action.updates[0].variable, list(NAMES))
                return replace(action, updates=(first, *action.updates[1:]))
            case 3 if action.guards:
                return replace(action, guards=action.guards[1:])
        return None
