// Where one is, and how one gets elsewhere. The address has the path behind its "#", so that it can be kept and shared.

const begun = JSON.parse(get("data").textContent);
let here = null;
let last = Promise.resolve(); // requests are made one after the other

async function request(name, body, query = "") {
  const settings = body === undefined ? {}
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(`api/${name}${query}`, settings);
  } catch {
    throw new Error("gristmill does not answer: has it been stopped?");
  }
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

const ask = (name, body) => request(name, body);

function show(place) {
  here = place;
  renderPath(place.path, place.number, go);
  renderState(place);
  renderOptions(place, take);
  renderBlocked(place.blocked);
  renderBranches(place, go);
  get("where").textContent = place.path.length ? `state ${place.path.length}` : "before the initial state";
  get("back").disabled = !place.path.length;
  get("restart").disabled = !place.path.length;
  get("forward").disabled = !place.options.some((each) => each.leads !== null);
  get("save").disabled = get("copy").disabled = !place.path.length;
  const address = place.link ? `#${place.link}` : location.pathname;
  if (location.hash !== (place.link ? address : "")) history.pushState(null, "", address);
  document.documentElement.dataset.at = place.link; // for those who wait for it
  return renderWatches(place, ask, go);
}

// One thing after the other; what fails is said.
function then(work) {
  last = last.then(async () => {
    try {
      get("note").textContent = "";
      const place = await work();
      if (place) await show(place);
      if (place?.note) get("note").textContent = place.note;
    } catch (error) {
      get("note").textContent = error.message;
    }
  });
  return last;
}

const go = (number) => then(() => request("node", undefined, `?number=${number}`));
const take = (option) => then(() => request("take", { number: here.number, option }));
const back = () => here.path.length && go(here.path.at(-2)?.number ?? 0);
const forward = () => {
  const known = here.options.filter((each) => each.leads !== null);
  if (known.length) go(known.at(-1).leads);
};
const fromAddress = () => then(() => request("path", undefined, `?link=${encodeURIComponent(location.hash.slice(1))}`));

function save() {
  then(async () => {
    const trace = await request("trace", undefined, `?number=${here.number}`);
    const link = element("a", { download: `${begun.name}.itf.json`,
      href: URL.createObjectURL(new Blob([`${JSON.stringify(trace, null, 1)}\n`], { type: "application/json" })) });
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

function open(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (file) then(async () => {
    const text = await file.text();
    let document;
    try { document = JSON.parse(text); } catch { throw new Error(`${file.name} is not JSON`); }
    return request("load", document);
  });
}

async function watch(event) {
  event.preventDefault();
  const text = get("expression").value.trim();
  if (!text) return;
  try {
    get("problem").textContent = "";
    await addWatch(text, here.number, ask);
    get("expression").value = "";
    await renderWatches(here, ask, go);
  } catch (error) {
    get("problem").textContent = error.message;
  }
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input:not([type=checkbox]), textarea")) return;
  if (event.key === "Backspace" || event.key === "ArrowLeft") back();
  else if (event.key === "ArrowRight") forward();
  else if (/^[1-9]$/.test(event.key) && here.options[Number(event.key) - 1]) take(Number(event.key) - 1);
  else return;
  event.preventDefault();
}

beginTheme();
get("back").addEventListener("click", back);
get("forward").addEventListener("click", forward);
get("restart").addEventListener("click", () => go(0));
get("save").addEventListener("click", save);
get("open").addEventListener("change", open);
get("watch").addEventListener("submit", watch);
get("copy").addEventListener("click", () => then(async () => {
  await navigator.clipboard.writeText(location.href).catch(() => { throw new Error(location.href); });
}));
document.addEventListener("keydown", onKey);
window.addEventListener("popstate", fromAddress);
fromAddress().then(() => { if (begun.note) get("note").textContent = begun.note; });
