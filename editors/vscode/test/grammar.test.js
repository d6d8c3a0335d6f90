// The grammars, with the engine that VS Code has.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const folder = path.join(__dirname, "..", "syntaxes");
const files = { "source.tla": "tla.tmLanguage.json", "source.tla-cfg": "tla-cfg.tmLanguage.json" };

async function registry() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  return new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = path.join(folder, files[scope]);
      return parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
}

const loaded = registry();

/** The innermost scope of each piece of text that has one of its own. */
async function scopes(scope, text) {
  const grammar = await (await loaded).loadGrammar(scope);
  let state = INITIAL;
  const found = {};
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    for (const token of tokens) {
      found[line.slice(token.startIndex, token.endIndex).trim()] = token.scopes[token.scopes.length - 1];
    }
  }
  return found;
}

test("a module", async () => {
  const found = await scopes(
    "source.tla",
    '---- MODULE Counter ----\nEXTENDS Naturals\nVARIABLE count \\* how far\nInit == count = 0\n' +
      'F(x, G(_)) ==\n  \\E y \\in {"a"} : (* a (* nested *) comment *) y # x\nf[n \\in Nat] ≜ n\nSpec == WF_count(Next)\n' +
      "THEOREM Spec => []TRUE\n<1>1. QED BY DEF Spec\n====",
  );
  assert.strictEqual(found["Counter"], "entity.name.namespace.tla");
  assert.strictEqual(found["EXTENDS"], "storage.type.tla");
  assert.strictEqual(found["\\* how far"], "comment.line.tla");
  assert.strictEqual(found["Init"], "entity.name.function.tla");
  assert.strictEqual(found["F"], "entity.name.function.tla");
  assert.strictEqual(found["f"], "entity.name.function.tla");
  assert.strictEqual(found["\\E"], "keyword.operator.quantifier.tla");
  assert.strictEqual(found["\\in"], "keyword.operator.word.tla");
  assert.strictEqual(found["comment"], "comment.block.tla");
  assert.strictEqual(found["WF_"], "keyword.operator.fairness.tla");
  assert.strictEqual(found["<1>1."], "entity.name.label.tla");
  assert.strictEqual(found["QED"], "keyword.other.proof.tla");
  assert.strictEqual(found["===="], "comment.line.separator.tla");
});

test("an algorithm", async () => {
  const found = await scopes(
    "source.tla",
    "(* --algorithm Ping\nvariables x = 0;\nprocess node \\in 1..3\nbegin\nStart: x := x + 1;\ngoto Start;\n" +
      "end process;\nend algorithm; *)\nInv == x > 0",
  );
  assert.strictEqual(found["Ping"], "entity.name.type.pluscal");
  assert.strictEqual(found["node"], "entity.name.function.pluscal");
  assert.strictEqual(found["goto"], "keyword.control.pluscal");
  assert.strictEqual(found[":="], "keyword.operator.assignment.pluscal");
  assert.strictEqual(found["Inv"], "entity.name.function.tla");
});

test("a configuration", async () => {
  const found = await scopes("source.tla-cfg", "SPECIFICATION Spec\nCONSTANT N = 3 \\* small");
  assert.strictEqual(found["SPECIFICATION"], "keyword.control.tla-cfg");
  assert.strictEqual(found["3"], "constant.numeric.tla");
  assert.strictEqual(found["\\* small"], "comment.line.tla");
});
