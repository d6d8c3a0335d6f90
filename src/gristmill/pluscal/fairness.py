"""The fairness conjuncts of Spec."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gristmill.pluscal import tree
from gristmill.pluscal.options import Options
from gristmill.pluscal.user_layout import laid_out
from gristmill.source import Span
from gristmill.syntax.literals import string_text
from gristmill.syntax.tree import Expression


@dataclass(frozen=True, slots=True)
class Fairness:
    """The formulas are joined by /\\, in the scope of `\\A self \\in domain` or of `LET self == identity`, if any."""

    domain: Expression | None
    identity: Expression | None
    formulas: tuple[str, ...]
    span: Span


def fairness_conjuncts(algorithm: tree.Algorithm, options: Options) -> list[Fairness]:
    single = not algorithm.processes
    if options.fairness == "nof" and not (single and algorithm.fair):
        return []
    conjuncts = []
    if algorithm.fair or options.fairness == "wfNext" or (single and options.fairness in ("wf", "sf")):
        conjuncts.append(Fairness(None, None, ("WF_vars(Next)",), algorithm.span))
    for process in algorithm.processes:
        if not process.fairness and options.fairness in ("wf", "sf"):
            kind: Literal["WF", "SF"] = "WF" if options.fairness == "wf" else "SF"
            process = replace(process, fairness=kind)
        if process.fairness:
            conjuncts.append(_of_process(process, algorithm))
    return conjuncts


def _of_process(process: tree.Process, algorithm: tree.Algorithm) -> Fairness:
    """Its own actions, and those of the procedures it calls."""
    shown = laid_out(process.identity, process.identity.span, {}, 0)
    is_long = "\n" in shown and not process.is_set
    identity = "self" if process.is_set or is_long else shown
    argument = "(self)" if process.is_set else ""
    formulas = _formulas(process.fairness, process.name.name, argument, identity, process.body)
    for procedure in called_by(process, algorithm):
        formulas += _formulas(process.fairness, procedure.name.name, f"({identity})", identity, procedure.body)
    domain = process.identity if process.is_set else None
    return Fairness(domain, process.identity if is_long else None, tuple(formulas), process.span)


def _formulas(kind: str, name: str, argument: str, identity: str, body: tree.Body) -> list[str]:
    """Steps from labels with `-` are exempt; steps from labels with `+` are strongly fair."""
    labels = [s.label for s in tree.walk(body) if s.label is not None]
    minus = [string_text(label.name) for label in labels if label.fairness == "-"]
    plus = [label.name for label in labels if label.fairness == "+"]
    action = f"{name}{argument}"
    if len(minus) == 1:
        action = f"(pc[{identity}] # {minus[0]}) /\\ {action}"
    elif minus:
        action = f"(pc[{identity}] \\notin {{{', '.join(minus)}}}) /\\ {action}"
    strong = [f"SF_vars({label}{argument})" for label in plus] if kind == "WF" else []
    return [f"{kind}_vars({action})", *strong]


def called_by(process: tree.Process, algorithm: tree.Algorithm) -> list[tree.Procedure]:
    """The procedures a process calls, in the order of the calls, then those that they call in turn."""
    procedures = {p.name.name: p for p in algorithm.procedures}
    names = dict.fromkeys(name for name in _calls(process.body) if name in procedures)
    for name in list(names):
        reached = _reached_from(name, procedures)
        names.update(dict.fromkeys(other for other in procedures if other in reached))
    return [procedures[name] for name in names]


def _reached_from(name: str, procedures: dict[str, tree.Procedure]) -> set[str]:
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        calls = set(_calls(procedures[waiting.pop()].body)) & procedures.keys()
        waiting.extend(calls - reached)
        reached |= calls
    return reached


def _calls(body: tree.Body) -> list[str]:
    return [s.procedure.name for s in tree.walk(body) if isinstance(s, tree.Call)]
