// What is shown of the place where one is: the path, the state, the steps, what is blocked.

const get = (id) => document.getElementById(id);

function renderPath(path, current, go) {
  const rows = path.map((each, at) => {
    const button = element("button", { type: "button", title: each.place, "aria-current": each.number === current },
      element("span", { class: "soft" }, String(at + 1)), element("span", {}, each.title));
    button.addEventListener("click", () => go(each.number));
    return element("li", {}, button);
  });
  if (!rows.length) rows.push(element("li", { class: "soft" }, "Choose an initial state."));
  get("path").replaceChildren(...rows);
  get("path").querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
}

function renderState(place) {
  const parts = [];
  if (place.false.length)
    parts.push(element("div", { class: "finding" }, `False here: ${place.false.join(", ")}`));
  if (place.error) parts.push(element("div", { class: "finding lines" }, place.error));
  const text = (each) => each;
  if (place.path.length > 1) parts.push(...changesOf(place, text));
  const changed = new Set(place.changes.map(([variable]) => variable));
  const rows = Object.entries(place.state).map(([name, shown]) =>
    element("tr", { class: changed.has(name) ? "moved rest" : "rest" },
      element("td", { class: "variable" }, name), element("td", { class: "value" }, value(shown, []))));
  if (rows.length) {
    parts.push(element("h4", {}, "All variables"));
    parts.push(element("table", { class: "values" }, element("tbody", {}, ...rows)));
  }
  get("state-view").replaceChildren(...parts);
}

function renderOptions(place, take) {
  const what = place.path.length ? "step" : "initial state", count = place.options.length + place.more;
  get("count").textContent = count ? `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}` : "none is possible";
  const rows = place.options.map((each) => {
    const button = element("button", { type: "button", title: each.place, class: each.leads === null ? "" : "visited" },
      each.option < 9 ? element("span", { class: "key" }, String(each.option + 1)) : "",
      element("span", { class: "title" }, each.title),
      ...each.words.map((line) => element("span", { class: "words" }, line)));
    button.addEventListener("click", () => take(each.option));
    return element("li", {}, button);
  });
  if (place.more) rows.push(element("li", { class: "soft" }, `${place.more} more are not listed.`));
  get("options").replaceChildren(...rows);
}

// The guards come as HTML that the server has escaped.
function renderBlocked(blocked) {
  const rows = blocked.map((each) => {
    const inside = element("div");
    inside.innerHTML = each.html;
    return element("details", {}, element("summary", {}, each.action), inside);
  });
  get("blocked").replaceChildren(...(rows.length ? [element("h3", {}, "Not possible here, and why"), ...rows] : []));
}

function renderBranches(place, go) {
  const others = place.branches.filter((each) => each.number !== place.number).slice(-12);
  const buttons = others.map((each) => {
    const button = element("button", { type: "button", title: each.link }, `${each.length} steps: ${each.link.slice(-14)}`);
    button.addEventListener("click", () => go(each.number));
    return button;
  });
  get("branches").replaceChildren(...(buttons.length ? [element("h3", {}, "Other branches"), ...buttons] : []));
}
