"""What an editor asks about specifications: where a name is defined and used, what it means, what may be written.

`workspace.Workspace` reads and resolves modules and keeps what has not changed; the other files answer one question
each, as functions of an `analysis.Analysis`. Nothing here knows the protocol of editors: that is `gristmill.lsp`.
"""
