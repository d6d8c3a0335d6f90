// Starts the language server of Gristmill and lets it do the work.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { serverCommand, advice } = require("./server");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("gristmill");
  const { command, args } = serverCommand(settings.get("command"));
  client = new LanguageClient(
    "gristmill",
    "Gristmill",
    { command, args, transport: 0 },
    {
      documentSelector: [{ language: "tla" }, { language: "tla-cfg" }],
      initializationOptions: { symbols: settings.get("symbols"), path: settings.get("path") },
      synchronize: { configurationSection: "gristmill" },
    },
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`${advice(command)} (${error.message})`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running !== undefined && running.needsStop()) {
    await running.stop();
  }
}

/** Saves the module and runs the first check that it has a configuration for. */
async function checkThisModule() {
  const editor = vscode.window.activeTextEditor;
  if (client === undefined || editor === undefined || editor.document.languageId !== "tla") {
    vscode.window.showInformationMessage("Open a TLA+ module to check it.");
    return;
  }
  await editor.document.save();
  await client.sendRequest("workspace/executeCommand", {
    command: "gristmill.check",
    arguments: [client.code2ProtocolConverter.asUri(editor.document.uri)],
  });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("gristmill.checkThisModule", checkThisModule),
    vscode.commands.registerCommand("gristmill.restart", async () => {
      await stop();
      await start();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
