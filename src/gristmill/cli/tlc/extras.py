"""What the command line adds to a specification: formulas (`-inv`, `-invlevel`, `-postCondition`, `-loadTrace`).

They become definitions in a module that extends the specification, so that they mean there what they would mean in it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.cli.tlc.options import Asked, UsageError
from gristmill.modules.choices import Choices, with_added
from gristmill.source import SourceFile

_NAME = "_CommandLine"


@dataclass(frozen=True, slots=True)
class Extras:
    """`source`: what to check in place of the specification; `added`: what to ask of it."""

    source: Path | SourceFile
    added: Choices

    def change(self, choices: Choices) -> Choices:
        return with_added(choices, self.added)


def extras(root: Path, asked: Asked) -> Extras:
    definitions: dict[str, str] = {}
    invariants, postconditions, constraints = [], [], []
    for number, expression in enumerate(asked.invariants, 1):
        definitions[f"_inv{number}"] = expression
        invariants.append(f"_inv{number}")
    for level in asked.levels:
        definitions[f"_invlevel{level}"] = (
            f'LET _T == INSTANCE TLC _N == INSTANCE Naturals IN _N!<(_T!TLCGet("level"), {level})'
        )
        invariants.append(f"_invlevel{level}")
    for number, name in enumerate(asked.postconditions, 1):
        module, operator = name.split("!")
        definitions[f"_post{number}"] = f"LET _M == INSTANCE {module} IN _M!{operator}"
        postconditions.append(f"_post{number}")
    for number, (_, file) in enumerate(asked.load_traces, 1):
        definitions[f"_trace{number}"] = _constraint(root, file)
        constraints.append(f"_trace{number}")
    added = Choices(invariants=invariants, postconditions=postconditions, constraints=constraints)
    return Extras(_extended(root, definitions) if definitions else root, added)


def _extended(root: Path, definitions: dict[str, str]) -> SourceFile:
    text = "".join(f"{name} == {body}\n" for name, body in definitions.items())
    module = f"---- MODULE {_NAME} ----\nEXTENDS {root.stem}\n{text}====\n"
    return SourceFile(str(root.with_name(f"{_NAME}.tla")), module)


def _constraint(root: Path, file: str) -> str:
    """States of a trace that was written by `-dumpTrace json`, level by level; beyond its end everything is allowed.

    What JSON does not tell apart, sets and sequences, strings and model values, is compared as JSON.
    """
    names = _variables(file)
    state = '_J!JsonDeserialize("{}")["counterexample"]["state"]'.format(file.replace("\\", "\\\\"))
    same = " /\\ ".join(f'_J!ToJson({name}) = _J!ToJson(_s[_l][2]["{name}"])' for name in names)
    level = '_T!TLCGet("level")'
    return f"LET _T == INSTANCE TLC _J == INSTANCE Json _s == {state} _l == {level} IN _l \\in DOMAIN _s => {same}"


def _variables(file: str) -> list[str]:
    try:
        document: Any = json.loads(Path(file).read_text(encoding="utf-8"))
        return [str(name) for name in document["vars"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is no trace that was written by -dumpTrace json: {error}") from None
