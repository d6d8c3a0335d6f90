// The state graph: moved by dragging, larger and smaller by the wheel with Ctrl, buttons and keys; a click shows a state.

const ON_ALL_UP_TO = 60; // edges that all have their names from the beginning

function beginGraph() {
  const svg = document.querySelector(".graph svg");
  if (!svg || !data.graph) return;
  const width = Number(svg.dataset.width), height = Number(svg.dataset.height);
  const view = { x: 0, y: 0, zoom: 1 };
  const states = new Map([...svg.querySelectorAll(".state")].map((each) => [Number(each.dataset.state), each]));
  const edges = new Map([...svg.querySelectorAll(".edge")].map((each) => [`${each.dataset.from} ${each.dataset.to}`, each]));
  const labels = document.getElementById("edge-labels");

  function apply() {
    const box = svg.getBoundingClientRect();
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${box.width / view.zoom} ${box.height / view.zoom}`);
  }

  function fit() {
    const box = svg.getBoundingClientRect();
    view.zoom = Math.min(1.4, box.width / width, box.height / height);
    view.x = (width - box.width / view.zoom) / 2;
    view.y = (height - box.height / view.zoom) / 2;
    apply();
  }

  // `x` and `y`: the place, in pixels of the picture, that stays where it is.
  function zoom(factor, x, y) {
    const before = view.zoom;
    view.zoom = Math.max(0.05, Math.min(6, view.zoom * factor));
    view.x += x / before - x / view.zoom;
    view.y += y / before - y / view.zoom;
    apply();
  }

  function zoomMiddle(factor) {
    const box = svg.getBoundingClientRect();
    if (factor) zoom(factor, box.width / 2, box.height / 2);
    else fit();
  }

  function centre(number) {
    const place = states.get(number).getBBox(), box = svg.getBoundingClientRect();
    const x = place.x + place.width / 2, y = place.y + place.height / 2;
    const wide = box.width / view.zoom, high = box.height / view.zoom;
    if (x < view.x || x > view.x + wide) view.x = x - wide / 2;
    if (y < view.y || y > view.y + high) view.y = y - high / 2;
    apply();
  }

  function choose(number) {
    for (const old of svg.querySelectorAll(".chosen")) old.classList.remove("chosen");
    states.get(number).classList.add("chosen");
    showState(number, edges, go);
  }

  function go(number) {
    choose(number);
    centre(number);
  }

  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, moved: false };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag || !event.buttons) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
    if (!drag.moved) svg.setPointerCapture(event.pointerId);
    Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
    svg.classList.add("dragged");
    view.x -= dx / view.zoom;
    view.y -= dy / view.zoom;
    apply();
  });
  svg.addEventListener("pointerup", () => svg.classList.remove("dragged"));
  svg.addEventListener("click", (event) => {
    if (drag && drag.moved) return;
    const state = event.target.closest(".state"), edge = event.target.closest(".edge");
    if (state) choose(Number(state.dataset.state));
    else if (edge) {
      choose(Number(edge.dataset.from));
      edge.classList.add("chosen");
    }
  });
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // the page scrolls
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  svg.addEventListener("keydown", (event) => {
    const far = 60 / view.zoom;
    const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far] };
    const zooms = { "+": 1.25, "=": 1.25, "-": 0.8, 0: 0 };
    if (event.key in moves) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      apply();
    } else if (event.key in zooms) zoomMiddle(zooms[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  for (const button of document.querySelectorAll("[data-zoom]"))
    button.addEventListener("click", () => zoomMiddle(Number(button.dataset.zoom)));
  const name = () => svg.classList.toggle("named", labels.checked);
  labels.checked = edges.size <= ON_ALL_UP_TO;
  labels.addEventListener("change", name);
  name();
  window.addEventListener("resize", apply);
  document.addEventListener("step", (event) => markPath(event.detail, states, edges, svg, centre));
  fit();
}

// The trace in view, the state it is at, and the one it ends with.
function markPath({ run, step }, states, edges, svg, centre) {
  const path = data.graph.paths[run];
  for (const old of svg.querySelectorAll(".on-path, .wrong, .here")) old.classList.remove("on-path", "wrong", "here");
  const following = path.map((number, at) => [number, path[at + 1]]);
  const loop = data.graph.loops[run];
  if (loop !== null) following.push([path.at(-1), path[loop]]);
  for (const [number, next] of following) {
    states.get(number)?.classList.add("on-path");
    edges.get(`${number} ${next}`)?.classList.add("on-path");
  }
  states.get(path.at(-1))?.classList.add("wrong");
  const here = states.get(path[step]);
  if (!here) return;
  here.classList.add("here");
  centre(path[step]);
}

function showState(number, edges, go) {
  const rows = data.graph.variables.map((name, at) => element("tr", { class: "rest" },
    element("td", { class: "variable" }, name), element("td", { class: "value" }, value(data.graph.states[number][at], []))));
  const out = [], into = [];
  for (const edge of edges.values()) {
    if (Number(edge.dataset.from) === number) out.push([edge, Number(edge.dataset.to)]);
    else if (Number(edge.dataset.to) === number) into.push([edge, Number(edge.dataset.from)]);
  }
  const steps = (all, arrow) => element("ul", { class: "steps" }, ...all.flatMap(([edge, other]) =>
    edge.querySelector("title").textContent.split("\n").map((text) => {
      const button = element("button", { type: "button" }, `${text} ${arrow} ${other + 1}`);
      button.addEventListener("click", () => go(other));
      return element("li", {}, button);
    })));
  const parts = [element("h3", {}, `State ${number + 1} of the graph`),
    element("table", { class: "values" }, element("tbody", {}, ...rows))];
  const visits = data.graph.paths.length && at.run >= 0
    ? data.graph.paths[at.run].flatMap((each, step) => (each === number ? [step] : [])) : [];
  if (visits.length) {
    const links = visits.slice(0, 8).map((step) => {
      const button = element("button", { type: "button" }, `${data.noun} ${step + data.base}`);
      button.addEventListener("click", () => show(at.run, step));
      return button;
    });
    parts.push(element("p", {}, "In the trace: ", ...links));
  }
  parts.push(element("h4", {}, out.length ? "Steps from here" : "No steps from here were explored"), steps(out, "→"));
  if (into.length) parts.push(element("h4", {}, "Steps to here"), steps(into, "from"));
  document.getElementById("state").replaceChildren(...parts);
}

beginnings.push(beginGraph);
