"""`gristmill parse`: read modules and report every mistake in them."""

import sys
from typing import Any

import click

from gristmill.cli.named import module_file
from gristmill.cli.output import has_errors, print_diagnostics
from gristmill.loading import load
from gristmill.modules.api import Loaded
from gristmill.modules.specification import Specification
from gristmill.source import Diagnostic
from gristmill.source.render import diagnostic_json, dumped
from gristmill.syntax import tree


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", callback=module_file)
@click.option("--path", "search_path", multiple=True, metavar="DIR", help="Another folder to look for modules in.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
def parse(files: tuple[str, ...], search_path: tuple[str, ...], output: str) -> None:
    """Read modules and report every mistake in them.

    Parses each FILE with all modules it depends on, resolves every name and checks arities and levels. Modules are
    looked for beside the FILE, in the folders of --path, and among the modules that come with Gristmill. A PlusCal
    algorithm without an up-to-date translation is translated in memory.

    Exit status: 0 if everything is in order, 1 if there is an error.
    """
    results = [(name, *load(name, search_path)) for name in files]
    if output == "json":
        click.echo(dumped([as_json(*result) for result in results]))
    else:
        for name, loaded, diagnostics in results:
            print_diagnostics(diagnostics)
            click.echo(summary(name, loaded.specification, diagnostics))
    sys.exit(1 if any(has_errors(diagnostics) for _, _, diagnostics in results) else 0)


def summary(name: str, specification: Specification | None, diagnostics: list[Diagnostic]) -> str:
    if specification is None:
        errors = sum(d.severity == "error" for d in diagnostics)
        return f"{name}: {count(errors, 'error')}"
    facts = description(specification)
    parts = [
        count(facts["constants"], "constant"),
        count(facts["variables"], "variable"),
        count(facts["definitions"], "definition"),
        count(facts["theorems"], "theorem"),
    ]
    return f"{name}: module {facts['name']}: {', '.join(parts)}; {count(len(facts['modules']), 'module')} read"


def description(specification: Specification) -> dict[str, Any]:
    module = specification.root.node
    definitions = (tree.OperatorDefinition, tree.FunctionDefinition, tree.InstanceDefinition)
    return {
        "name": module.name,
        "constants": len(specification.root.constants),
        "variables": len(specification.root.variables),
        "definitions": sum(isinstance(unit, definitions) for unit in module.units),
        "theorems": sum(isinstance(unit, tree.Theorem) for unit in module.units),
        "modules": list(specification.modules),
    }


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def as_json(name: str, loaded: Loaded, diagnostics: list[Diagnostic]) -> dict[str, Any]:
    return {
        "file": name,
        "ok": not has_errors(diagnostics),
        "module": description(loaded.specification) if loaded.specification else None,
        "diagnostics": [diagnostic_json(diagnostic) for diagnostic in diagnostics],
    }
