"""What is checked where nobody says it."""

from __future__ import annotations

from dataclasses import replace

from gristmill.modules.choices import Choices
from gristmill.modules.specification import Specification


def with_defaults(choices: Choices, specification: Specification) -> Choices:
    """By default, what is checked is Spec, or else Init and Next."""
    if choices.specification or choices.init or choices.next:
        return choices
    names = specification.root.names
    if "Spec" in names:
        return replace(choices, specification="Spec")
    if "Init" in names and "Next" in names:
        return replace(choices, init="Init", next="Next")
    return choices
