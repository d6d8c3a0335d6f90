// A state of a behaviour: the action, what it changed inside of values, and the state itself. What the data looks like
// is told in report/page/run.py.

const SIGNS = { added: "+", appended: "+", inserted: "+", gained: "+", removed: "−", dropped: "−", deleted: "−", lost: "−" };
const WORDS = { appended: "Append", dropped: "Tail drops", inserted: "insert", deleted: "delete" };
const MOVED = ["dropped", "inserted", "deleted"]; // where elements have moved, places say nothing

// Every state of a run; only what has changed is in the data.
function statesOf(run) {
  if (run.states) return run.states;
  let now = new Map();
  run.states = run.steps.map((step) => {
    const before = now;
    now = new Map(before);
    step.gone.forEach((name) => now.delete(name));
    for (const [name, text] of step.values) now.set(name, text);
    return { now, before };
  });
  return run.states;
}

function renderStep(target, data, run, number, options) {
  const text = (place) => data.texts[place];
  const step = run.steps[number], isLast = number === run.steps.length - 1;
  const parts = [element("h3", {}, `${number + data.base}  `, value(text(step.action), []))];
  if (text(step.place)) parts.push(element("p", { class: "soft place" }, text(step.place)));
  if (isLast && text(run.told)) parts.push(element("div", { class: "finding" }, text(run.told)));
  if (isLast && text(run.end)) parts.push(element("div", { class: "finding calm" }, text(run.end)));
  if (step.notes.length)
    parts.push(element("ul", { class: "lines" }, ...step.notes.map((note) => element("li", {}, text(note)))));
  if (statesOf(run).some(({ now }) => now.size)) { // of some programs, only the events are known
    if (number) parts.push(...changesOf(step, text));
    parts.push(...stateOf(run, number, text, options));
  }
  target.replaceChildren(...parts);
}

function changesOf(step, text) {
  if (!step.changes.length) return [element("p", { class: "soft" }, "Nothing changed.")];
  const rows = step.changes.map(([variable, path, kind, before, after]) => element("li", { class: `kind-${kind}` },
    element("span", { class: "path" }, text(variable), text(path)), " ", ...difference(kind, text(before), text(after))));
  return [element("h4", {}, "What changed"), element("ul", { class: "changes" }, ...rows)];
}

function difference(kind, before, after) {
  const sign = SIGNS[kind];
  if (!sign)
    return [element("span", { class: "old" }, ...folded(before, 120, 0)), " → ",
      element("span", { class: "new" }, ...folded(after, 120, 0))];
  const shown = element("span", { class: sign === "+" ? "new" : "old" }, ...folded(before || after, 180, 0));
  return [element("span", { class: sign === "+" ? "plus" : "minus" }, WORDS[kind] || sign), " ", shown];
}

function stateOf(run, number, text, options) {
  const { now, before } = statesOf(run)[number];
  const changed = (name) => number > 0 && now.get(name) !== before.get(name);
  const wanted = [...now.keys()].filter((name) => options.all || number === 0 || changed(name));
  const rows = wanted.map((name) => {
    const hasMoved = run.steps[number].changes.some(([variable, , kind]) => variable === name && MOVED.includes(kind));
    const old = changed(name) && before.has(name) && !hasMoved ? text(before.get(name)) : null;
    return element("tr", changed(name) ? { class: "moved rest" } : { class: "rest" },
      element("td", { class: "variable" }, text(name)),
      element("td", { class: "value" }, value(text(now.get(name)), old === null ? [] : [["changed", old]], false)));
  });
  const hidden = now.size - wanted.length;
  const parts = [element("h4", {}, number ? "The state after it" : "The state")];
  if (rows.length) parts.push(element("table", { class: "values" }, element("tbody", {}, ...rows)));
  if (hidden) parts.push(element("p", { class: "soft" }, `${hidden} of ${now.size} variables are as they were.`));
  return parts;
}
