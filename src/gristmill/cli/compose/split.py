"""`gristmill compose split`: proposes modules for a specification."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from gristmill.building import build
from gristmill.cli.compose.show import write_text
from gristmill.cli.output import print_diagnostics, print_note
from gristmill.compose.split.partition import Proposal, proposed
from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.report.compose.proposal import Root, render_document, render_manifest


@click.command()
@click.argument("file", metavar="SPEC.tla")
@click.option("--config", metavar="FILE.cfg", help="Constants; by default of SPEC.cfg, or of a section of SPEC.tla.")
@click.option("--path", "search_path", multiple=True, metavar="DIR", help="Another folder to look for modules in.")
@click.option("--modules", type=click.IntRange(min=2), metavar="N", help="How many; by default as many as seem right.")
@click.option("--ghost", "ghosts", multiple=True, metavar="NAME", help="A variable that shall count for nothing.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", help="What to print.")
@click.option("-o", "--output", "target", metavar="SYSTEM.toml", help="Write the manifest there.")
def split(file: str, **options: Any) -> None:
    """Propose how to divide a specification into modules, as a manifest with the reasons in its comments.

    Actions are put together that share what nobody else depends on, so that as few variables as possible are left
    between the modules. What `compose show` says of the proposal decides whether it is a good one.
    """
    built = build(file, config=options["config"], search_path=options["search_path"])
    print_diagnostics(built.warnings)
    model = built.model
    check_actions(model, file, options)
    proposal = proposed(model, options["modules"], options["ghosts"])
    folder = Path(options["target"]).parent if options["target"] else Path(file).parent
    root = root_of(model, file, options["config"], folder)
    if options["output"] == "json":
        click.echo(render_document(proposal, root))
    if options["target"]:
        write_text(options["target"], render_manifest(proposal, root))
        print_note(f"wrote {options['target']}: {summary(proposal)}")
    elif options["output"] == "text":
        click.echo(render_manifest(proposal, root), nl=False)


def check_actions(model: Model, file: str, options: dict[str, Any]) -> None:
    names = dict.fromkeys(action.name for action in model.actions)
    if len(names) < 2:
        found = ", ".join(names) or "none"
        raise click.ClickException(f"there is nothing to divide: the actions of {file} that have a name: {found}")
    if options["modules"] is not None and options["modules"] > len(names):
        raise click.BadParameter(f"there are only {len(names)} actions", param_hint="--modules")
    for name in options["ghosts"]:
        if name not in model.variables:
            known = ", ".join(model.variables)
            raise click.BadParameter(f"{file} has no variable {name}; it has {known}", param_hint="--ghost")


def root_of(model: Model, file: str, config: str | None, folder: Path) -> Root:
    """The specification as a manifest in that folder names it."""
    beside = Path(file).with_suffix(".cfg")
    chosen = Path(config) if config else beside if beside.exists() else None
    return Root(
        os.path.relpath(file, folder),
        None if chosen is None else os.path.relpath(chosen, folder),
        initial_predicate(model),
        "Next" if model.next is None else model.next.name,
    )


def initial_predicate(model: Model) -> str:
    """Its name, if it is one definition."""
    body = None if model.init is None else model.init.body
    return body.definition.name if isinstance(body, nodes.Call) and not body.args else "Init"


def summary(proposal: Proposal) -> str:
    modules = ", ".join(f"{name} ({len(actions)})" for name, actions in proposal.modules.items())
    return f"{modules}; {len(proposal.variables.interaction.slots)} interaction variables"
