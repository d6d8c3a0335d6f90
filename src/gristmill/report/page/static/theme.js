// Light or dark: as the system has it, or as was chosen here. Pages with scripts have the class "js".

const root = document.documentElement;

function chosenTheme(name) {
  if (name) root.dataset.theme = name;
  try {
    if (name) localStorage.setItem("gristmill-theme", name);
    else return localStorage.getItem("gristmill-theme");
  } catch { /* a browser that keeps nothing for files */ }
  return null;
}

function toggleTheme() {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  chosenTheme(dark ? "light" : "dark");
}

function beginTheme() {
  root.classList.add("js");
  const kept = chosenTheme(null);
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  document.getElementById("theme").addEventListener("click", toggleTheme);
}

// What else a page begins with: scripts that come before the one that knows the data add to it.
const beginnings = [];
