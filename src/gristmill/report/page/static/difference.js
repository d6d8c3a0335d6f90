// Where two values differ inside, as places in the text of one of them. Values are TLA+, as Python has written them.

const TOKEN = /"(?:[^"\\]|\\.)*"?| \|-> | :> | @@ |, |<<|>>|[{}[\]()]|[^"\s,<>{}[\]()]+|./gsu;
const OPENING = new Set(["<<", "{", "[", "("]), CLOSING = new Set([">>", "}", "]", ")"]);
const ARROWS = new Set([" |-> ", " :> "]), SEPARATORS = new Set([", ", " @@ "]);

// The parts of a value: { from, to, open, items }, each item with the text of its key, if it has one, and its value.
// What is no value, such as a sentence, is one part.
function parsed(text) {
  const tokens = [...text.matchAll(TOKEN)];
  let next = 0;
  const token = () => (next < tokens.length ? tokens[next][0] : "");
  const place = () => (next < tokens.length ? tokens[next].index : text.length);
  const isEnd = () => !token() || CLOSING.has(token()) || ARROWS.has(token()) || SEPARATORS.has(token());

  function part() {
    const from = place();
    let groups = 0, others = 0, last = null;
    while (!isEnd()) {
      if (OPENING.has(token())) { last = group(); groups++; }
      else { next++; others++; }
    }
    return groups === 1 && !others ? last : { from, to: place(), open: "", items: [] };
  }

  function group() {
    const found = { from: place(), to: 0, open: token(), items: [] };
    next++;
    while (token() && !CLOSING.has(token())) {
      found.items.push(item());
      if (SEPARATORS.has(token())) next++;
      else if (!CLOSING.has(token())) throw new RangeError("no value");
    }
    if (!token()) throw new RangeError("no value");
    next++;
    found.to = place();
    return found;
  }

  function item() {
    const from = place();
    let key = "", value = part();
    if (ARROWS.has(token())) {
      next++;
      key = text.slice(from, place());
      value = part();
    }
    return { from, to: value.to, key, value };
  }

  try {
    const whole = part();
    if (!token()) return whole;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return { from: 0, to: text.length, open: "", items: [] };
}

// The places in `mine` that are not so in `theirs`: pairs of beginning and end.
function differingPlaces(mine, theirs) {
  return mine === theirs ? [] : [...within(mine, parsed(mine), theirs, parsed(theirs))];
}

function* within(mine, a, theirs, b) {
  if (mine.slice(a.from, a.to) === theirs.slice(b.from, b.to)) return;
  if (!a.open || a.open !== b.open || !a.items.length) {
    yield [a.from, a.to];
    return;
  }
  const keys = new Map(b.items.map((each) => [each.key, each]));
  const texts = new Set(b.items.map((each) => theirs.slice(each.from, each.to)));
  for (const [number, each] of a.items.entries()) {
    if (a.open === "{") {
      if (!texts.has(mine.slice(each.from, each.to))) yield [each.from, each.to];
      continue;
    }
    const other = each.key ? keys.get(each.key) : b.items[number];
    if (other) yield* within(mine, each.value, theirs, other.value);
    else yield [each.from, each.to];
  }
}
