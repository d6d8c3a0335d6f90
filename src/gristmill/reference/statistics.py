"""What a specification may ask of the run it is part of: TLCGet("level"), TLCGet("config"), Trace, TLCSet("exit")."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.evaluate.context import Context, State
from gristmill.ir.model import Model
from gristmill.reference.model import SpecificationModel
from gristmill.search import Position
from gristmill.source import Span
from gristmill.values import TRUE, EvaluationError, Value, boolean, make_record

# TLCGet's name -> the attribute of the search's position.
_NUMBERS = {
    "level": "level",
    "distinct": "distinct",
    "generated": "generated",
    "queue": "queue",
    "diameter": "depth",
    "duration": "seconds",
}

# Specifications ask whether a TLC is new enough for them. What TLC could do on that day, this can.
_REVISION: dict[str, Value] = {"tag": "gristmill", "date": "2026-01-01", "timestamp": 1_767_225_600, "count": 1_000_000}

UNKNOWN_STATISTIC = "unknown-statistic"  # the id of the error


class Statistics:
    """Answers for a run. Before the search there is no position, and only `config` and `spec` have values."""

    def __init__(self, model: Model, mode: str = "bfs", seed: int | None = None, depth: int = -1, traces: int = -1):
        self.model = model
        self.mode, self.seed, self.depth, self.traces = mode, seed, depth, traces
        self.searchable: SpecificationModel | None = None

    def attach(self, context: Context) -> None:
        context.statistic, context.request, context.trace = self.get, self.request, self.trace

    @property
    def position(self) -> Position | None:
        return self.searchable.position if self.searchable is not None else None

    def get(self, name: str) -> Value:
        if name == "config":
            return self.config()
        if name == "spec":
            return self.specification()
        if name == "revision":
            return make_record(_REVISION)
        position = self.position
        if position is None and name == "level":
            return 0
        if position is None:
            raise EvaluationError(UNKNOWN_STATISTIC, f'TLCGet("{name}") has no value before the search begins')
        if name in _NUMBERS:
            return int(getattr(position, _NUMBERS[name]))
        if name == "stats":
            numbers = {each: int(getattr(position, attribute)) for each, attribute in _NUMBERS.items()}
            return make_record({**numbers, "traces": position.behaviour})
        if name == "action":
            return self.action(position)
        raise EvaluationError(UNKNOWN_STATISTIC, f'TLCGet("{name}") has no value')

    def request(self, name: str, value: Value) -> None:
        position = self.position
        if name == "exit" and value is TRUE and position is not None:
            position.stop()

    def trace(self) -> Sequence[State]:
        position = self.position
        if position is None:
            raise EvaluationError("no-trace", "Trace has no value before the search begins")
        return [state for _, state in position.path()]

    def config(self) -> Value:
        return make_record(
            {
                "mode": self.mode,
                "deadlock": boolean(self.model.check_deadlock),
                "depth": self.depth,
                "traces": self.traces,
                "worker": 1,
                "seed": str(self.seed or 0),
                "fingerprint": "0",
                "aril": "0",
            }
        )

    def specification(self) -> Value:
        model = self.model
        init = [_described(model.init.name, model.init.span)] if model.init is not None else []
        return make_record(
            {
                "inits": frozenset(init),
                "actions": frozenset(_described(action.name, action.span) for action in model.actions),
                "invariants": _names(model.invariants),
                "impliedinits": _names(model.implied_inits),
                "impliedactions": _names(model.implied_actions),
                "impliedtemporals": _names(model.temporal),
                "temporals": frozenset(),
                "constraints": _names(model.constraints),
                "actionconstraints": _names(model.action_constraints),
                "variables": frozenset(model.variables),
            }
        )

    def action(self, position: Position) -> Value:
        if position.action is None or self.searchable is None:
            return _described("Init", self.model.init.span if self.model.init is not None else None)
        action = self.searchable.actions[position.action]
        return _described(action.name, action.location)


def _names(formulas: Sequence[object]) -> Value:
    return frozenset(_described(formula.name, formula.code.span) for formula in formulas)  # type: ignore[attr-defined]


def _described(name: str, span: Span | None) -> Value:
    """A formula as TLCGet describes it: its name and where it stands."""
    if span is None:
        return make_record({"name": name})
    line, column = span.file.position(span.start)
    end_line, end_column = span.file.position(max(span.start, span.end - 1))
    location = {"beginLine": line, "beginColumn": column, "endLine": end_line, "endColumn": end_column}
    module = span.file.path.rsplit("/", 1)[-1].removesuffix(".tla")
    return make_record({"name": name, "location": make_record({**location, "module": module})})
