// The two sides of a step. What the data looks like is told in report/data.py.

// Every step of a run with all that was compared in it; only what has changed is in the data.
function unfolded(run) {
  if (run.full) return run.full;
  let now = new Map();
  run.full = run.steps.map((step) => {
    const before = now;
    now = new Map(before);
    step.gone.forEach((pair) => now.delete(pair));
    for (const [pair, model, real, equal, reading, inside] of step.values)
      now.set(pair, { model, real, equal: equal === 1, reading, inside });
    return { values: now, before };
  });
  return run.full;
}

function changed(value, before) {
  return before !== undefined && (before.model !== value.model || before.real !== value.real);
}

function renderStep(target, data, run, number, options) {
  const text = (place) => data.texts[place];
  const step = run.steps[number], found = run.discrepancy;
  const parts = [element("h3", {}, `${number} `, value(text(step.action), []))];
  if (step.seconds) parts.push(element("p", { class: "soft" }, times(step.seconds)));
  if (found && found.step === number) parts.push(finding(text(found.title), text(found.message)));
  if (run.end !== null && number === run.steps.length - 1)
    parts.push(element("div", { class: "finding calm" }, text(run.end)));
  if (step.moves.length) parts.push(...titled("What was done", moves(step, text)));
  parts.push(...compared(run, number, text, options), ...onlyInTheModel(data, run, number, text, options));
  if (step.unexpected.length) parts.push(...titled("Came unexpectedly", lines(step.unexpected.map(text))));
  if (found && found.step === number) parts.push(...circumstances(found, text));
  if (number === run.steps.length - 1) parts.push(...failures(run, text));
  target.replaceChildren(...parts);
}

function times([run, observe, own]) {
  const ms = (seconds) => `${(seconds * 1000).toFixed(1)} ms`;
  return `ran ${ms(run)} (${ms(own)} of our own), observed in ${ms(observe)}`;
}

function titled(title, ...content) {
  return [element("h4", {}, title), ...content];
}

function finding(title, message) {
  return element("div", { class: "finding" }, element("strong", {}, title), element("div", {}, message));
}

function lines(all) {
  return element("ul", { class: "lines" }, ...all.map((line) => element("li", {}, line)));
}

function moves(step, text) {
  return element("ul", { class: "moves" }, ...step.moves.map(([what, node, told]) =>
    element("li", {}, text(node) ? element("span", { class: "chip" }, text(node)) : "", `${what}: ${text(told)}`)));
}

function circumstances(found, text) {
  const parts = [];
  if (found.waiting.length) parts.push(...titled("Held, waiting", lines(found.waiting.map(text))));
  if (found.doing.length) parts.push(...titled("What everything was doing", lines(found.doing.map(text))));
  if (found.log !== null) parts.push(...titled("The end of its log", element("pre", {}, text(found.log))));
  return parts;
}

function failures(run, text) {
  if (!run.failures.length) return [];
  return titled("Failures seen in this run", ...run.failures.map(([node, message, log]) =>
    element("pre", {}, [text(node), text(message), text(log)].filter(Boolean).join("\n"))));
}

// ------------------------------------------------------------------------------------------------------------- values

function compared(run, number, text, options) {
  const { values, before } = unfolded(run)[number];
  const all = [...values.keys()].sort((a, b) => a - b);
  const wanted = all.filter((pair) =>
    options.all || !values.get(pair).equal || changed(values.get(pair), before.get(pair)));
  if (!all.length) return [element("p", { class: "soft" }, "Nothing was compared at this step.")];
  const rows = [];
  let last = null;
  for (const pair of wanted) {
    const [name, node] = run.pairs[pair];
    rows.push(...row(text, name, node, name === last, values.get(pair), before.get(pair), options));
    last = name;
  }
  const parts = titled("Model and system");
  const widest = Math.max(...run.pairs.map(([, node]) => (node === null ? 0 : text(node).length)));
  if (rows.length) {
    const made = table(["variable", "node", "", "", "equal"], ["", "node", "Model", "System", ""], rows);
    made.style.setProperty("--node", `${Math.max(6, Math.min(20, widest + 2))}ch`);
    parts.push(made);
  }
  const hidden = all.length - wanted.length;
  const as = number ? "are equal and as they were before" : "agree";
  const told = hidden ? `${hidden} of ${all.length} values ${as}.` : "";
  const gone = run.pairs.length - all.length;
  const missing = gone ? `${gone} could not be compared at this step.` : "";
  parts.push(element("p", { class: "soft" }, [told, missing].filter(Boolean).join(" ")));
  return parts;
}

function table(classes, heads, rows) {
  const cells = heads.map((head, place) => element("th", { class: classes[place], scope: "col" }, head));
  return element("table", { class: "values" }, element("thead", {}, element("tr", {}, ...cells)),
    element("tbody", {}, ...rows));
}

function row(text, name, node, again, now, before, options) {
  const model = text(now.model), real = text(now.real);
  const marks = (old, other) => [["changed", old === undefined ? null : text(old)], ["other", now.equal ? null : other]];
  const cells = [
    element("td", { class: "variable" }, element("span", again ? { class: "again" } : {}, text(name))),
    element("td", { class: "node" }, node === null ? "" : text(node)),
    element("td", { class: "value", "data-side": "model" }, value(model, marks(before && before.model, real))),
    element("td", { class: "value", "data-side": "system" }, value(real, marks(before && before.real, model))),
    element("td", { class: "equal", title: now.equal ? "equal" : "different" }, now.equal ? "=" : "≠"),
  ];
  const made = [element("tr", now.equal ? {} : { class: "differs" }, ...cells)];
  const below = beneath(text, now, options);
  if (below.length)
    made.push(element("tr", { class: now.equal ? "below" : "below differs" }, element("td", { colspan: 5 }, ...below)));
  return made;
}

function beneath(text, now, options) {
  const parts = [], inside = now.inside.filter(([path]) => text(path) !== "" || now.inside.length > 1);
  if (inside.length) parts.push(element("ul", { class: "inside" }, ...inside.map((each) => difference(text, each))));
  if (text(now.reading) && (options.readings || !now.equal))
    parts.push(element("div", { class: "reading" }, "read: ", value(text(now.reading), [])));
  return parts;
}

function difference(text, [path, model, real]) {
  const mine = text(model), theirs = text(real);
  const said = theirs === "" ? [value(mine, []), " is missing in the system"]
    : mine === "" ? [value(theirs, []), " is only in the system"]
    : [value(mine, []), " in the model, ", value(theirs, []), " in the system"];
  return element("li", {}, element("span", { class: "path" }, text(path) || "·"), ...said);
}

// Variables that are not observed, or that this step has not come to compare.
function onlyInTheModel(data, run, number, text, options) {
  const wanted = run.steps[number].model.filter(([, , before]) => options.all || before !== null);
  if (!wanted.length) return [];
  const rows = wanted.map(([name, now, before]) => {
    const why = data.unobserved[text(name)] || "not compared at this step";
    const marks = before === null ? [] : [["changed", text(before)]];
    return element("tr", { class: "rest" }, element("td", { class: "variable", title: why }, text(name)),
      element("td", { class: "value", "data-side": why }, value(text(now), marks)));
  });
  const nothing = !unfolded(run)[number].values.size;
  return titled(nothing ? "The model after this step" : "Only in the model", table(["variable", ""], ["", "Model"], rows));
}
