"""The language server: `gristmill.language` by the Language Server Protocol. Needs `pip install 'gristmill[lsp]'`."""
