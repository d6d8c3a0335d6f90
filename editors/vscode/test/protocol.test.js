// The server, started as the extension starts it, and spoken to with the library that VS Code speaks.
// GRISTMILL_LSP: the command, with blanks between its words; `gristmill lsp` if there is none.

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { pathToFileURL } = require("node:url");
const rpc = require("vscode-languageserver-protocol/node");
const { serverCommand, advice } = require("../src/server");

const MODULE = "---- MODULE Tick ----\nVARIABLE t\nInit == t = 0\nNext == t' = 1 - t\n====\n";

test("the command of the server is a setting", () => {
  assert.deepStrictEqual(serverCommand(undefined), { command: "gristmill", args: ["lsp"] });
  assert.deepStrictEqual(serverCommand(["python", "-m", "gristmill", "lsp"]).args, ["-m", "gristmill", "lsp"]);
  assert.match(advice("gristmill"), /pip install/);
});

test("a module is opened, its mistake is told and its names are found", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-"));
  const { command, args } = serverCommand(process.env.GRISTMILL_LSP?.split(" "));
  const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  try {
    const connection = rpc.createMessageConnection(server.stdout, server.stdin);
    connection.listen();
    const file = path.join(folder, "Tick.tla");
    fs.writeFileSync(file, MODULE);
    const uri = pathToFileURL(file).toString();
    const answer = await connection.sendRequest(rpc.InitializeRequest.type, {
      processId: process.pid,
      rootUri: pathToFileURL(folder).toString(),
      capabilities: {},
      initializationOptions: { symbols: "ascii" },
    });
    assert.ok(answer.capabilities.renameProvider);
    await connection.sendNotification(rpc.InitializedNotification.type, {});
    const told = new Promise((resolve) => {
      connection.onNotification(rpc.PublishDiagnosticsNotification.type, (each) => resolve(each.diagnostics));
    });
    await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: "tla", version: 1, text: MODULE },
    });
    const diagnostics = await told;
    assert.deepStrictEqual(diagnostics.map((each) => each.code), ["unknown-operator"]);
    const place = await connection.sendRequest(rpc.DefinitionRequest.type, {
      textDocument: { uri },
      position: { line: 3, character: 8 },
    });
    assert.deepStrictEqual(place.range.start, { line: 1, character: 9 });
    await connection.sendRequest(rpc.ShutdownRequest.type);
    await connection.sendNotification(rpc.ExitNotification.type);
    assert.strictEqual(await ended, 0);
    connection.dispose();
  } finally {
    server.kill();
    fs.rmSync(folder, { recursive: true });
  }
});
