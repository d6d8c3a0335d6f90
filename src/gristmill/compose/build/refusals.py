"""What a composition cannot take over, and what to do about it."""

from __future__ import annotations

from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import Fact
from gristmill.source import Diagnostic, Span


def nested_module(module: ResolvedModule, span: Span) -> Diagnostic:
    return Diagnostic(
        "compose-nested-module",
        f"the module {module.name} stands inside of another one, which a composition cannot take over",
        span,
        help=f"move it to a file {module.name}.tla",
    )


def implicit_substitution(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "compose-implicit-substitution",
        f"this INSTANCE takes the definition `{name}` from its surroundings, where a composition may rename it",
        span,
        help=f"write WITH {name} <- {name}, or move the INSTANCE out of the LET",
    )


def fact_applied(fact: Fact, span: Span) -> Diagnostic:
    return Diagnostic("compose-fact", f"`{fact.name}` is an assumption or a theorem, and no definition", span)


def part_of_definition(span: Span) -> Diagnostic:
    return Diagnostic(
        "compose-part-of-definition",
        "this names a part of a definition by its position, which a composition may change",
        span,
        help="give the part a name of its own",
    )
