/* Going through sets, and listing them. Subsets come by size, then as combinations of the ordered base; functions,
   records and tuples like numbers whose last digit changes first. */

#include "parts.h"

enum walk { DIGITS, COMBINATIONS, CHAIN, CHAIN_OF_ELEMENTS, FILTER };

typedef struct listing {
  V *items;
  uint64_t count;
} listing;

typedef struct walker {
  enum walk walk;
  bool assign, begun, ended;
  uint32_t n;          /* DIGITS: places; COMBINATIONS: elements of the base */
  uint32_t size;       /* COMBINATIONS: of the subset */
  uint64_t *index;     /* of the choice at each place */
  listing *choices;    /* DIGITS: at each place; COMBINATIONS: the base */
  V domain;            /* DIGITS: of the function, or 0 for sequences */
  gm_iterator inner, outer; /* CHAIN: of the first and the second set; CHAIN_OF_ELEMENTS: of a set and of the sets */
  V other;             /* FILTER: elements that are in it, or are not */
  bool wanted;
} walker;

static void start(gm_worker *w, gm_iterator *it, V set, bool assign);

static V *room_for(gm_worker *w, uint64_t bytes) { return gm_scratch(w, (bytes + sizeof(V) - 1) / sizeof(V)); }

static walker *new_walker(gm_worker *w, enum walk walk, bool assign) {
  walker *s = (walker *)(void *)room_for(w, sizeof *s);
  memset(s, 0, sizeof *s);
  s->walk = walk;
  s->assign = assign;
  return s;
}

/* All that iteration yields, twice what comes twice. */
static listing collect(gm_worker *w, V set, bool assign) {
  if (gm_is_kind(set, GM_SET)) return (listing){gm_object_of(set)->items, gm_object_of(set)->size};
  gm_iterator it;
  V element;
  start(w, &it, set, assign);
  if (it.items) return (listing){it.items, it.count};
  uint64_t room = 16, n = 0;
  V *items = gm_scratch(w, room);
  while (gm_next(w, &it, &element)) {
    if (n == GM_MAX_INTERVAL) gm_fail(w, GM_ERROR);
    if (n == room) {
      V *more = gm_scratch(w, room *= 2);
      memcpy(more, items, n * sizeof(V));
      items = more;
    }
    items[n++] = element;
  }
  return (listing){items, n};
}

/* ---- starting ---- */

static void start_digits(gm_worker *w, gm_iterator *it, walker *s, uint32_t n) {
  s->n = n;
  s->index = gm_scratch(w, n);
  s->choices = (listing *)(void *)room_for(w, n * sizeof *s->choices);
  memset(s->index, 0, n * sizeof *s->index);
  it->state = s;
}

static void start_functions(gm_worker *w, gm_iterator *it, const gm_object *o, bool assign) {
  walker *s = new_walker(w, DIGITS, assign);
  V domain = gm_list(w, o->items[0]);
  const gm_object *arguments = gm_object_of(domain);
  uint32_t n = arguments->size;
  start_digits(w, it, s, n);
  if (!n) return;
  bool indices = arguments->items[0] == gm_int(1) && arguments->items[n - 1] == gm_int(n);
  s->domain = indices ? 0 : domain;
  listing range = collect(w, o->items[1], assign);
  for (uint32_t i = 0; i < n; i++) s->choices[i] = range;
}

static void start_records_or_tuples(gm_worker *w, gm_iterator *it, const gm_object *o, bool assign) {
  walker *s = new_walker(w, DIGITS, assign);
  uint32_t first = o->kind == GM_RECORDS;
  start_digits(w, it, s, o->size - first);
  s->domain = first ? o->items[0] : 0;
  for (uint32_t i = 0; i < s->n; i++) s->choices[i] = collect(w, o->items[i + first], assign);
}

static void start_subsets(gm_worker *w, gm_iterator *it, const gm_object *o, bool assign) {
  walker *s = new_walker(w, COMBINATIONS, assign);
  const gm_object *base = gm_object_of(gm_list(w, o->items[0]));
  s->n = base->size;
  s->index = gm_scratch(w, base->size);
  s->choices = (listing *)(void *)room_for(w, sizeof *s->choices);
  s->choices->items = gm_object_of(gm_value_of(base))->items;
  s->choices->count = base->size;
  it->state = s;
}

static void start_chain(gm_worker *w, gm_iterator *it, V first, V second) {
  walker *s = new_walker(w, CHAIN, true);
  start(w, &s->inner, first, true);
  start(w, &s->outer, second, true);
  it->state = s;
}

static void start_chain_of_elements(gm_worker *w, gm_iterator *it, V sets) {
  walker *s = new_walker(w, CHAIN_OF_ELEMENTS, true);
  start(w, &s->outer, sets, true);
  it->state = s;
}

static void start_filter(gm_worker *w, gm_iterator *it, V from, V by, bool wanted, bool assign) {
  walker *s = new_walker(w, FILTER, assign);
  start(w, &s->inner, from, assign);
  s->other = by;
  s->wanted = wanted;
  it->state = s;
}

static void start_listed(gm_iterator *it, V set) {
  it->items = gm_object_of(set)->items;
  it->count = gm_object_of(set)->size;
}

static void start_intersection(gm_worker *w, gm_iterator *it, const gm_object *o, bool assign) {
  bool first = gm_is_enumerable(w, o->items[0]);
  if (!first && !gm_is_enumerable(w, o->items[1])) gm_fail(w, GM_ERROR);
  start_filter(w, it, o->items[!first], o->items[first], true, assign);
}

static void start(gm_worker *w, gm_iterator *it, V set, bool assign) {
  gm_check_stack(w);
  *it = (gm_iterator){.set = set};
  if (!gm_is_set(set)) gm_fail(w, GM_ERROR);
  const gm_object *o = gm_object_of(set);
  switch (o->kind) {
    case GM_SET: start_listed(it, set); return;
    case GM_INTERVAL: gm_iterate_interval(it, set); return;
    case GM_POWERSET: start_subsets(w, it, o, assign); return;
    case GM_FUNCTIONS: start_functions(w, it, o, assign); return;
    case GM_RECORDS:
    case GM_PRODUCT: start_records_or_tuples(w, it, o, assign); return;
    case GM_INTERSECTION: start_intersection(w, it, o, assign); return;
    case GM_DIFFERENCE: start_filter(w, it, o->items[0], o->items[1], false, assign); return;
    case GM_UNION:
      if (assign) start_chain(w, it, o->items[0], o->items[1]);
      else start_listed(it, gm_list(w, set));
      return;
    case GM_BIG_UNION:
      if (assign) start_chain_of_elements(w, it, o->items[0]);
      else start_listed(it, gm_list(w, set));
      return;
    default: gm_fail(w, GM_ERROR);
  }
}

void gm_iterate_slow(gm_worker *w, gm_iterator *it, V set, bool assign) { start(w, it, set, assign); }

/* ---- going on ---- */

static bool next_digits(walker *s) {
  if (s->ended) return false;
  if (!s->begun) {
    s->begun = true;
    for (uint32_t i = 0; i < s->n; i++) s->ended = s->ended || !s->choices[i].count;
    return !s->ended;
  }
  for (uint32_t i = s->n; i-- > 0;) {
    if (++s->index[i] < s->choices[i].count) return true;
    s->index[i] = 0;
  }
  s->ended = true;
  return false;
}

static V from_digits(gm_worker *w, const walker *s) {
  if (!s->n) return w->empty_sequence;
  uint32_t first = s->domain != 0;
  gm_object *o = gm_new(w, first ? GM_FUNCTION : GM_SEQUENCE, s->n + first);
  if (first) o->items[0] = s->domain;
  for (uint32_t i = 0; i < s->n; i++) o->items[i + first] = s->choices[i].items[s->index[i]];
  return gm_value_of(o);
}

static bool next_combination(walker *s) {
  if (!s->begun) return s->begun = true;
  for (uint32_t i = s->size; i-- > 0;) {
    if (s->index[i] + (s->size - i) >= s->n) continue;
    s->index[i]++;
    for (uint32_t later = i + 1; later < s->size; later++) s->index[later] = s->index[later - 1] + 1;
    return true;
  }
  if (s->size == s->n) return false;
  s->size++;
  for (uint32_t i = 0; i < s->size; i++) s->index[i] = i;
  return true;
}

static V from_combination(gm_worker *w, const walker *s) {
  if (!s->size) return w->empty_set;
  gm_object *o = gm_new(w, GM_SET, s->size);
  for (uint32_t i = 0; i < s->size; i++) o->items[i] = s->choices->items[s->index[i]];
  return gm_value_of(o);
}

static bool next_in_chain(gm_worker *w, walker *s, V *element) {
  return gm_next(w, &s->inner, element) || gm_next(w, &s->outer, element);
}

static bool next_of_elements(gm_worker *w, walker *s, V *element) {
  V set;
  while (!s->begun || !gm_next(w, &s->inner, element)) {
    if (!gm_next(w, &s->outer, &set)) return false;
    start(w, &s->inner, set, true);
    s->begun = true;
  }
  return true;
}

static bool next_filtered(gm_worker *w, walker *s, V *element) {
  while (gm_next(w, &s->inner, element)) {
    if (gm_member(w, *element, s->other) == s->wanted) return true;
  }
  return false;
}

bool gm_next_slow(gm_worker *w, gm_iterator *it, V *element) {
  walker *s = it->state;
  switch (s->walk) {
    case DIGITS:
      if (!next_digits(s)) return false;
      *element = from_digits(w, s);
      return true;
    case COMBINATIONS:
      if (!next_combination(s)) return false;
      *element = from_combination(w, s);
      return true;
    case CHAIN: return next_in_chain(w, s, element);
    case CHAIN_OF_ELEMENTS: return next_of_elements(w, s, element);
    case FILTER: return next_filtered(w, s, element);
  }
  return false;
}

bool gm_next_into(gm_iterator *it, V *slots) {
  const walker *s = it->state;
  if (!next_digits(it->state)) return false;
  for (uint32_t i = 0; i < s->n; i++) slots[i] = s->choices[i].items[s->index[i]];
  return true;
}

/* ---- listing ---- */

static void refuse_large(gm_worker *w, V set) {
  if (!gm_counts_quickly(set)) return;
  if (gm_count(w, set) > (gm_is_kind(set, GM_INTERVAL) ? (uint64_t)GM_MAX_INTERVAL : GM_MAX_SET)) gm_fail(w, GM_ERROR);
}

/* In order and without repetition, since `gm_iterate` goes through it so. */
static V list_by_walking(gm_worker *w, V set) {
  listing all = collect(w, set, false);
  return gm_set_from_sorted(w, all.items, (uint32_t)all.count);
}

static V list_union(gm_worker *w, V a, V b) {
  V one = gm_list(w, a), other = gm_list(w, b);
  return gm_union(w, one, other);
}

static V list_big_union(gm_worker *w, V sets) {
  gm_iterator it;
  V set, result = w->empty_set;
  gm_iterate(w, &it, sets);
  while (gm_next(w, &it, &set)) result = gm_union(w, result, gm_list(w, set));
  return result;
}

V gm_list(gm_worker *w, V set) {
  if (gm_is_kind(set, GM_SET)) return set;
  if (!gm_is_lazy(set)) gm_fail(w, GM_ERROR);
  gm_check_stack(w);
  refuse_large(w, set);
  const gm_object *o = gm_object_of(set);
  switch (o->kind) {
    case GM_UNION: return list_union(w, o->items[0], o->items[1]);
    case GM_BIG_UNION: return list_big_union(w, o->items[0]);
    default: return list_by_walking(w, set);
  }
}
