"""`gristmill lsp`: the language server that editors start."""

import importlib.util

import click


@click.command()
@click.option("--stdio", is_flag=True, help="Talk by standard input and output, as is done anyway.")
def lsp(stdio: bool) -> None:
    """The language server for TLA+ and PlusCal, which editors start and talk to.

    Diagnostics as you type, hover, definitions and references across modules, symbols, completion, rename, formatting,
    colours by meaning, folding, and `check` on modules with a configuration. docs/how-to/editors.md tells how VS Code,
    Neovim, Emacs and Helix are set up.
    """
    if importlib.util.find_spec("pygls") is None:
        raise click.ClickException("the language server needs pygls: install it with  pip install 'gristmill[lsp]'")
    from gristmill.lsp.main import serve

    serve()
