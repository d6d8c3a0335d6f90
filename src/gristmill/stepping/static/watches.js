// Expressions and their values in every state of the path.

const watched = [];

async function addWatch(text, number, ask) {
  const found = await ask("evaluate", { number, text }); // who is wrong is not added
  if (!watched.includes(text)) watched.push(text);
  return found;
}

async function renderWatches(place, ask, go) {
  if (!watched.length || !place.path.length) {
    get("watches").replaceChildren();
    return;
  }
  const columns = await Promise.all(watched.map((text) => ask("evaluate", { number: place.number, text })));
  const heads = columns.map(({ text }) => {
    const button = element("button", { type: "button", title: "Watch it no longer" }, "✕");
    button.addEventListener("click", () => {
      watched.splice(watched.indexOf(text), 1);
      renderWatches(place, ask, go);
    });
    return element("th", { scope: "col" }, text, button);
  });
  const rows = place.path.map((each, at) => element("tr", { "aria-current": each.number === place.number },
    element("td", { class: "soft" }, String(at + 1)),
    ...columns.map(({ values }) =>
      element("td", { class: at && values[at] !== values[at - 1] ? "differs" : "" }, ...folded(values[at], 80, 0)))));
  get("watches").replaceChildren(element("table", {},
    element("thead", {}, element("tr", {}, element("th", {}, ""), ...heads)), element("tbody", {}, ...rows)));
}
