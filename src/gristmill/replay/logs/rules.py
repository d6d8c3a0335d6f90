"""Reads the tables [log.event.KIND] of a mapping: what the events of a kind are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from gristmill.replay.logs.mapping import ANY, ActRule, Rule, Seen
from gristmill.source import Diagnostic
from gristmill.source.toml_reader import Reader, listed
from gristmill.specification import Specification
from gristmill.systems.formulas import Definitions, Formula, Formulas

_EVENT = ("action", "parameters", "such-that", "observes", "before", "where")
_SEEN = ("is", "where")
_THEN = re.compile(r"\s*(?:\\cdot|·)\s*")

_Path: TypeAlias = tuple[str | int, ...]


class RuleReader:
    """Mistakes are noted by the reader; formulas are to be compiled when all has been read (`compile`).

    `event`: what expressions call the event.
    """

    def __init__(self, reader: Reader, specification: Specification, event: str) -> None:
        self.reader, self.specification, self.event = reader, specification, event
        self.formulas = Formulas()
        self._of_all: dict[str, tuple[Seen, ...]] = {}
        self.parameters: dict[str, set[str]] = {}
        for action in specification.actions:
            self.parameters.setdefault(action.name, set()).update(action.names)

    def rules(self, kind: str) -> tuple[Rule, ...]:
        """One table, or several that are tried in their order."""
        described = self.reader.get("log", "event", kind)
        if isinstance(described, dict):
            return (self._rule(kind, ("log", "event", kind)),)
        if isinstance(described, list) and described and all(isinstance(each, dict) for each in described):
            return tuple(self._rule(kind, ("log", "event", kind, number)) for number in range(len(described)))
        self.reader.wrong(("log", "event", kind), "a table, or several", f"[log.event.{kind}]")
        return ()

    def is_action(self, name: str, path: _Path) -> bool:
        if name in self.parameters:
            return True
        message = f"{self.specification.name} has no action `{name}`"
        self.reader.unknown("unknown-action", message, self.reader.places.value(*path), name, self.parameters)
        return False

    def _rule(self, kind: str, path: _Path) -> Rule:
        self.reader.known(path, _EVENT)
        return Rule(
            kind,
            self._ways(path),
            (*self._common("observes"), *self._all_seen((*path, "observes"))),
            (*self._common("before"), *self._all_seen((*path, "before"))),
            self._formula((*path, "where"), [self.event]),
            self.reader.places.key(*path),
        )

    # ---------------------------------------------------------------------------------------------------------- actions

    def _ways(self, path: _Path) -> tuple[tuple[ActRule, ...], ...]:
        """Alternatives; each is one action, or several of which one follows the other (`A \\cdot B`)."""
        said = self.reader.get(*path, "action")
        texts = [said] if isinstance(said, str) else self.reader.texts(*path, "action")
        ways = [_THEN.split(text.strip()) for text in texts]
        for number, way in enumerate(ways):
            where = (*path, "action") if isinstance(said, str) else (*path, "action", number)
            ways[number] = [name for name in way if name == ANY or self.is_action(name, where)]
        self._check_parameters(path, [name for way in ways for name in way])
        return tuple(tuple(self._act(name, path) for name in way) for way in ways) or ((),)

    def _act(self, action: str, path: _Path) -> ActRule:
        parameters = {}
        for key in self.reader.table(*path, "parameters"):
            of, name = _split(key)
            if of in (None, action) and name in self.parameters.get(action, ()):
                formula = self._formula((*path, "parameters", key), [self.event])
                if formula is not None:
                    parameters[name] = formula
        return ActRule(None if action == ANY else action, parameters, self._such_that(action, path))

    def _such_that(self, action: str, path: _Path) -> Formula | None:
        """A condition on the parameters of the action, or a table with one for each of several actions."""
        path = (*path, "such-that")
        if isinstance(self.reader.get(*path), dict):
            path = (*path, action)
        text = self.reader.get(*path)
        own = [] if not isinstance(text, str) else _words_in(text, sorted(self.parameters.get(action, ())))
        return self._formula(path, [self.event, *own])

    def _check_parameters(self, path: _Path, actions: Sequence[str]) -> None:
        known = sorted({name for action in actions for name in self.parameters.get(action, ())})
        for key in self.reader.table(*path, "parameters"):
            of, name = _split(key)
            span = self.reader.places.key(*path, "parameters", key)
            if of is not None and of not in actions:
                message = f"`{of}` is none of the actions of this event"
                self.reader.unknown("unknown-action", message, span, of, actions)
            elif name not in (known if of is None else self.parameters.get(of, ())):
                message = f"{listed([of] if of else actions) or 'an event without an action'} has no parameter `{name}`"
                self.reader.unknown("unknown-parameter", message, span, name, known)
        told = self.reader.get(*path, "such-that")
        for action in told if isinstance(told, dict) else ():
            if action not in actions:
                span = self.reader.places.key(*path, "such-that", action)
                message = f"`{action}` is none of the actions of this event"
                self.reader.unknown("unknown-action", message, span, action, actions)

    # ----------------------------------------------------------------------------------------------------- observations

    def _common(self, key: str) -> tuple[Seen, ...]:
        """What every event of the log has seen: read once, so that what is wrong with it is told once."""
        if key not in self._of_all:
            self._of_all[key] = self._all_seen(("log", key))
        return self._of_all[key]

    def _all_seen(self, path: _Path) -> tuple[Seen, ...]:
        return tuple(self._seen((*path, text), text) for text in self.reader.table(*path))

    def _seen(self, path: _Path, text: str) -> Seen:
        """`'term[e.node]' = 'e.term'`, or `= { is = 'e.term', where = '"term" \\in DOMAIN e' }`."""
        model = self.formulas.add(text, self.reader.places.key(*path), [self.event])
        if not isinstance(self.reader.get(*path), dict):
            return Seen(model, self._formula(path, [self.event]) or model)
        self.reader.known(path, _SEEN)
        logged = self._formula((*path, "is"), [self.event])
        if logged is None:
            help = "write { is = '…', where = '…' }"
            self.reader.error("no-value", "nothing says what was seen", self.reader.places.value(*path), help)
        return Seen(model, logged or model, self._formula((*path, "where"), [self.event]))

    # --------------------------------------------------------------------------------------------------------- formulas

    def _formula(self, path: _Path, names: Sequence[str]) -> Formula | None:
        text = self.reader.get(*path)
        if text is None:
            return None
        if not isinstance(text, str):
            self.reader.wrong(path, "a TLA+ expression", f"{path[-1]} = '…'")
            return None
        return self.formulas.add(text, self.reader.places.value(*path), names)

    def compile(self, rules: Iterable[Rule]) -> list[Diagnostic]:
        """What is wrong with the formulas."""
        text = self.reader.text("system", "definitions")
        formula = Formula(text, self.reader.places.value("system", "definitions"), ())
        definitions = Definitions([formula]) if text else None
        problems = self.formulas.compile(self.specification, definitions)
        return problems or [each for rule in rules for each in self._about_states(rule)]

    def _about_states(self, rule: Rule) -> Iterable[Diagnostic]:
        """What was logged must be the same in every state of the model."""
        seen = (*rule.observes, *rule.before)
        formulas = [formula for way in rule.ways for act in way for formula in act.parameters.values()]
        formulas += [each.logged for each in seen] + [each.where for each in seen if each.where]
        for formula in (*formulas, *([rule.where] if rule.where else [])):
            assert formula.expression is not None
            read = formula.expression.reads - {self.event}
            if read:
                message = f"this speaks of {listed(sorted(read))} in a state of the model, and not of what was logged"
                help = "what has to do with the state stands to the left of the sign of equality, or in `such-that`"
                yield Diagnostic("not-of-the-event", message, formula.span, help=help)


def _words_in(text: str, names: Iterable[str]) -> list[str]:
    words = set(re.findall(r"\w+", text))
    return [name for name in names if name in words]


def _split(key: str) -> tuple[str | None, str]:
    """`AcceptEntry.s` is the parameter `s` of one of several actions."""
    action, dot, name = key.rpartition(".")
    return (action if dot else None), name
