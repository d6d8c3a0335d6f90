// How the language server is started; shared with the tests, which start it without an editor.

/** The program and its arguments, from the setting `gristmill.command`. */
function serverCommand(configured) {
  const words = Array.isArray(configured) && configured.length > 0 ? configured : ["gristmill", "lsp"];
  return { command: words[0], args: words.slice(1) };
}

/** What to tell a person whose server does not start. */
function advice(command) {
  return (
    `The language server "${command}" could not be started. Install it with  pip install "gristmill[lsp]"  ` +
    `or say where it is in the setting gristmill.command.`
  );
}

module.exports = { serverCommand, advice };
