// The table of messages: those in which something is said, of one node, of one kind.

const rows = [...document.querySelectorAll(".messages tbody tr")];
const control = (id) => document.getElementById(id);

function isWanted(row, wanted, node, kind) {
  const said = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
  return said.includes(wanted) && (!kind || row.dataset.kind === kind)
    && (!node || row.dataset.from === node || row.dataset.to === node);
}

function filter() {
  const wanted = control("wanted").value.toLowerCase().trim();
  const node = control("of-node").value, kind = control("of-kind").value;
  let shown = 0;
  for (const row of rows) {
    row.hidden = !isWanted(row, wanted, node, kind);
    shown += row.hidden ? 0 : 1;
  }
  const all = rows.length.toLocaleString("en");
  control("count").textContent = shown === rows.length ? all : `${shown.toLocaleString("en")} of ${all}`;
}

function reset() {
  for (const id of ["wanted", "of-node", "of-kind"]) control(id).value = "";
  filter();
}

beginTheme();
if (rows.length) {
  control("wanted").addEventListener("input", filter);
  for (const id of ["of-node", "of-kind"]) control(id).addEventListener("change", filter);
  control("reset").addEventListener("click", reset);
}
