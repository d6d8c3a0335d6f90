"""The server as a whole."""

from __future__ import annotations

import asyncio
import gc
import os
import signal

from lsprotocol import types

from gristmill.lsp import checking, editing, navigating, reading
from gristmill.lsp.server import Server


def make_server() -> Server:
    server = Server()
    _register_documents(server)
    for each in (navigating, reading, editing, checking):
        each.register(server)
    return server


def serve() -> None:
    """Talk to an editor by standard input and output until it says goodbye or goes away."""
    # Trees are not garbage, and there are many: the collector runs when nobody waits, or when there is much to find.
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    server = make_server()

    def stop(number: int, frame: object) -> None:
        """At once: a thread waits for the editor to say something, and nothing but its words would end it."""
        server.end_by(lambda: os._exit(128 + number))

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        server.start_io()
    finally:
        server.kill_checks()


def _register_documents(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: Server, params: types.InitializeParams) -> None:
        ls.begin(params)

    @server.feature(types.INITIALIZED)
    def initialized(ls: Server, params: types.InitializedParams) -> None:
        _watch_files(ls)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        ls.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        ls.changed(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
        ls.files_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
        ls.files_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(ls: Server, params: types.DidChangeConfigurationParams) -> None:
        ls.configure(params.settings)
        ls.files_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
        ls.language.folders[:] = [ls.convert.path(uri) for uri in ls.workspace.folders]

    @server.feature(types.SHUTDOWN)
    async def shutdown(ls: Server, *arguments: object) -> None:
        await asyncio.gather(*(checking.end(process) for process in list(ls.running)))


def _watch_files(ls: Server) -> None:
    """Be told of modules and configurations that change on the disk, where the client can tell."""
    workspace = ls.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace is not None else None
    if watching is None or not watching.dynamic_registration:
        return
    watchers = [types.FileSystemWatcher(f"**/*.{suffix}") for suffix in ("tla", "cfg")]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    registration = types.Registration("gristmill-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    ls.client_register_capability(types.RegistrationParams([registration]), lambda answer: None)
