"""A proposal of modules as a manifest to begin with: the explanation stands in its comments."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.compose.split.partition import Placed, Proposal
from gristmill.compose.system import ENVIRONMENT
from gristmill.compose.variables.slots import ordered
from gristmill.report.compose.reasons import interaction_reason
from gristmill.report.compose.variables_json import variables_document
from gristmill.source.render import dumped

WIDTH = 110


@dataclass(frozen=True, slots=True)
class Root:
    """The specification that was divided: its files as the manifest should name them, and its predicates."""

    file: str
    config: str | None = None
    init: str = "Init"
    next: str = "Next"


def render_manifest(proposal: Proposal, root: Root) -> str:
    with proposal.variables.world.active():
        return "\n".join(_lines(proposal, root)) + "\n"


def _lines(proposal: Proposal, root: Root) -> Iterator[str]:
    yield from _comment(
        f"Modules of {root.file}, proposed by `gristmill compose split`. Actions are together that share what nobody"
        " else depends on. Rename modules, move actions, and look at the result with `gristmill compose show`."
    )
    yield ""
    yield "[system]"
    yield f"root = {_string(root.file)}"
    if root.init != "Init":
        yield f"init = {_string(root.init)}"
    if root.next != "Next":
        yield f"next = {_string(root.next)}"
    if root.config is not None:
        yield f"config = {_string(root.config)}"
    if proposal.ghosts:
        yield from _comment("Ghosts: no action reads them but to compute themselves.")
        yield f"ghost = {_array(proposal.ghosts)}"
    if proposal.slices:
        fields = ", ".join(f"{name} = {_string(field)}" for name, field in proposal.slices.items())
        yield f"slice = {{ {fields} }}"
    yield ""
    yield from _shared(proposal)
    for name, placed in proposal.placed.items():
        yield ""
        yield from _module(proposal, name, placed)
    for remark in _remarks(proposal):
        yield ""
        yield from _comment(remark)


def _remarks(proposal: Proposal) -> Iterator[str]:
    names = dict.fromkeys(each.variable for each in proposal.variables.ghost_reads)
    if names:
        yield f"Actions read {', '.join(names)}, which were to be ghosts: see `gristmill compose show`."
    if proposal.cut > proposal.internal:
        yield (
            "More variables are shared than are internal: these modules know nearly everything of each other. If some "
            "variables only record what happens, say so with --ghost."
        )


def _shared(proposal: Proposal) -> Iterator[str]:
    variables = proposal.variables
    slots = ordered(variables.interaction.slots)
    if not slots:
        yield from _comment("The modules share no variables.")
        return
    yield from _comment(f"What the modules share ({len(slots)}):")
    for slot in slots:
        writers = dict.fromkeys(module for module, _ in variables.writers(slot))
        by, because = ", ".join(writers) or "nobody", interaction_reason(variables, slot)
        yield from _comment(f"  {variables.text(slot)}: written by {by}; {because}")


def _module(proposal: Proposal, name: str, placed: Sequence[Placed]) -> Iterator[str]:
    variables = proposal.variables
    internal = [variables.text(slot) for slot in ordered(variables.modules[name].internal)]
    if name == ENVIRONMENT:
        yield from _comment("Faults and the like: they depend on no module, and write what several keep to themselves.")
        yield "[environment]"
    else:
        yield from _comment(f"Internal: {', '.join(internal)}" if internal else "Nothing is internal to this module.")
        yield f"[module.{name}]"
    yield "actions = ["
    for each in placed:
        yield f"  {_string(each.action)},  # {_why(proposal, each)}"
    yield "]"
    if name != ENVIRONMENT:
        file = _string(f"{name}Coarse.tla")
        yield f'# grain.coarse = {{ file = {file}, actions = ["…"], of = "fine" }}'


def _why(proposal: Proposal, placed: Placed) -> str:
    if placed.disturbs:
        return f"writes what is internal to {' and '.join(placed.disturbs)}"
    if not placed.shares:
        return "uses nothing that is internal to a module; here it is closest to the others"
    shares = [proposal.variables.text(slot) for slot in placed.shares]
    beside = _some(placed.beside, 3)
    return f"{_some(shares, 4)}" + (f"; as do {beside}" if placed.beside else "; nobody else does")


def _some(names: Sequence[str], most: int) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _comment(text: str) -> list[str]:
    indent = len(text) - len(text.lstrip())
    head = "# " + " " * indent
    return textwrap.wrap(
        text.strip(),
        WIDTH,
        initial_indent=head,
        subsequent_indent=head + ("  " if indent else ""),
        break_on_hyphens=False,
        break_long_words=False,
    )


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _array(names: Iterable[str]) -> str:
    return f"[{', '.join(map(_string, names))}]"


def render_document(proposal: Proposal, root: Root) -> str:
    """The same for tools: the modules with the reason for each action, and the document of `show`."""
    text = proposal.variables.text
    with proposal.variables.world.active():
        modules: list[dict[str, Any]] = [
            {
                "name": name,
                "actions": [
                    {
                        "name": each.action,
                        "shares": [text(slot) for slot in each.shares],
                        "beside": list(each.beside),
                        "disturbs": list(each.disturbs),
                    }
                    for each in placed
                ],
            }
            for name, placed in proposal.placed.items()
        ]
    return dumped(
        {
            "format": 1,
            "proposal": modules,
            "ghosts": list(proposal.ghosts),
            "slices": dict(proposal.slices),
            "manifest": render_manifest(proposal, root),
            "variables": variables_document(proposal.variables),
        }
    )
