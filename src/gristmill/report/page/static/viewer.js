// Which run and which step are in view: by the list, the slider, the keyboard, a click into the chart, or the address.
//
// The data of a page: `runs`, each with `steps` and the step that it `opens` with; `texts`, by number; `noun`, what a step
// is called here, and `base`, the number of the first. Whoever has steps to show defines
// `renderStep(target, data, run, step, options)`; `options` are the switches that are on.

const data = JSON.parse(document.getElementById("data").textContent);
const at = { run: -1, step: 0 };
const get = (id) => document.getElementById(id);

function show(run, step) {
  const steps = data.runs[run].steps.length;
  const other = run !== at.run;
  at.run = run;
  at.step = Math.max(0, Math.min(steps - 1, step));
  if (other) choose(run, steps);
  const slider = get("slider"), text = data.texts[data.runs[run].steps[at.step].action];
  const number = at.step + data.base, last = steps - 1 + data.base;
  slider.value = at.step;
  slider.setAttribute("aria-valuetext", `${data.noun} ${number}, ${text}`);
  get("where").textContent = `${data.noun} ${number} of ${last}`;
  get("previous").disabled = at.step === 0;
  get("next").disabled = at.step === steps - 1;
  mark();
  const options = {};
  for (const each of document.querySelectorAll(".switches input")) options[each.id] = each.checked;
  renderStep(get("sides"), data, data.runs[run], at.step, options);
  const address = `#${run + 1}.${number}`;
  if (location.hash !== address) replaceAddress(address);
  document.dispatchEvent(new CustomEvent("step", { detail: at }));
}

function choose(run, steps) {
  get("slider").max = steps - 1;
  for (const part of document.querySelectorAll(".of-run"))
    part.classList.toggle("shown", Number(part.dataset.run) === run);
  for (const link of document.querySelectorAll(".runs a"))
    link.setAttribute("aria-current", Number(link.dataset.run) === run);
}

// A page inside of another has no address to change.
function replaceAddress(address) {
  try { history.replaceState(null, "", address); } catch { /* it works without */ }
}

// The row of the step in view, scrolled to inside of its own box and not with the whole page.
function mark() {
  const list = document.querySelector(".chart.shown ol");
  for (const old of list.querySelectorAll('[aria-selected="true"]')) old.setAttribute("aria-selected", "false");
  const row = list.children[at.step], box = list.parentElement;
  row.setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", row.id);
  const own = row.getBoundingClientRect(), head = box.querySelector(".names");
  const from = head ? head.getBoundingClientRect().bottom : box.getBoundingClientRect().top;
  const end = box.getBoundingClientRect().bottom, seen = innerHeight - from > 3 * own.height ? Math.min(end, innerHeight) : end;
  const above = from - own.top, below = own.bottom - seen + 1;
  if (above > 0) box.scrollTop -= above;
  else if (below > 0) box.scrollTop += below;
}

function move(steps) { show(at.run, at.step + steps); }

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input:not([type=checkbox]), select, textarea, .graph *")) return;
  const inList = event.target.matches("[role=listbox]");
  const keys = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  if (inList) Object.assign(keys, { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 });
  if (!(event.key in keys) || (!inList && (event.key === "Home" || event.key === "End"))) return;
  event.preventDefault();
  move(keys[event.key]);
}

// "#2.14": the second run, its step 14. Other addresses are of sections of the page.
function fromAddress() {
  const found = /^#(\d+)\.(\d+)$/.exec(location.hash);
  if (!found || Number(found[1]) < 1 || Number(found[1]) > data.runs.length) return false;
  show(Number(found[1]) - 1, Number(found[2]) - data.base);
  return true;
}

function begin() {
  beginTheme();
  for (const each of beginnings) each();
  if (!data.runs.length) return;
  get("slider").addEventListener("input", () => show(at.run, Number(get("slider").value)));
  get("previous").addEventListener("click", () => move(-1));
  get("next").addEventListener("click", () => move(1));
  for (const each of document.querySelectorAll(".switches input")) each.addEventListener("change", () => move(0));
  for (const list of document.querySelectorAll(".chart ol"))
    list.addEventListener("click", (event) => {
      const row = event.target.closest("li");
      if (row) show(at.run, Number(row.dataset.step));
    });
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", fromAddress);
  for (const link of document.querySelectorAll(".runs a"))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      replaceAddress(link.getAttribute("href"));
      fromAddress();
      get("viewer").scrollIntoView({ block: "start" });
    });
  if (!fromAddress()) show(0, data.runs[0].opens);
}

begin();
