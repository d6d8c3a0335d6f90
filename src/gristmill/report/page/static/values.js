// Pieces of the page, and values in it: what changed or differs inside of them is marked, and long ones are folded.

const KEPT = 28;       // characters around what is marked
const LONGEST = 180;   // characters of a value without marks

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  made.append(...children.filter((each) => each !== null && each !== ""));
  return made;
}

// A value as stretches of text, each with the class of its mark: "" for none.
function stretches(text, marks) {
  const classes = new Array(text.length).fill("");
  for (const [name, other] of marks)
    if (other !== null)
      for (const [from, to] of differingPlaces(text, other)) classes.fill(name, from, to);
  const found = [];
  for (let from = 0, to = 1; to <= text.length; to++)
    if (to === text.length || classes[to] !== classes[from]) {
      found.push({ text: text.slice(from, to), mark: classes[from] });
      from = to;
    }
  return found;
}

// `marks`: pairs of a class and the text that it is compared with; later ones go over earlier ones. `tellOld`: of what
// has only gone, say what it was.
function value(text, marks, tellOld = true) {
  const parts = stretches(text, marks), marked = parts.some((each) => each.mark);
  const holder = element("span");
  const [, old] = marks.find(([name]) => name === "changed") || [];
  parts.forEach((part, place) => {
    if (part.mark) holder.append(element("span", { class: part.mark }, ...folded(part.text, LONGEST, 0)));
    else if (!marked) holder.append(...folded(part.text, LONGEST, 0));
    else holder.append(...folded(part.text, place ? KEPT : 0, place < parts.length - 1 ? KEPT : 0));
  });
  if (tellOld && old && old !== text && !parts.some((each) => each.mark === "changed")) // something has gone
    holder.append(element("span", { class: "was" }, "was ", ...folded(old, LONGEST, 0)));
  return holder;
}

// Text with its middle folded, if that is worth it: `first` and `last` characters stay, a button brings the rest.
function folded(text, first, last) {
  if (text.length <= first + last + 40) return unbroken(text);
  const middle = text.slice(first, text.length - last);
  const button = element("button", { type: "button", class: "fold", title: "Show all of it" },
    `… ${middle.length.toLocaleString("en")} characters …`);
  button.addEventListener("click", () => button.replaceWith(...unbroken(middle)));
  return [...unbroken(text.slice(0, first)), button, ...(last ? unbroken(text.slice(-last)) : [])];
}

// A line may end anywhere but inside of an arrow, where a browser would like to end it.
function unbroken(text) {
  return text.split(/(\|->|->)/).map((part) => part.endsWith("->") ? element("span", { class: "arrow" }, part) : part);
}
