/* Functions, sequences and records: made, applied, changed and taken apart. */

#include "memo.h"

/* ---- making them ---- */

static bool is_one_to_n(const gm_object *domain) {
  return domain->items[0] == gm_int(1) && domain->items[domain->size - 1] == gm_int(domain->size);
}

V gm_make_sequence(gm_worker *w, const V *items, uint32_t n) {
  if (!n) return w->empty_sequence;
  gm_object *o = gm_new(w, GM_SEQUENCE, n);
  for (uint32_t i = 0; i < n; i++) o->items[i] = items[i];
  for (uint32_t i = 0; i < n; i++) o->items[i] = gm_part(w, o->items[i]);
  return gm_value_of(o);
}

/* ---- tuples and records: most of them are made again and again, and looked up in sets of a state, whose elements are
   kept. To keep them at once makes that a comparison of words. ---- */

enum { MOST_ITEMS = 8 };

static inline bool same_words(const V *a, const V *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i] != b[i]) return false;
  return true;
}

static V find_or_keep(gm_worker *w, enum gm_kind kind, const V *items, uint32_t n) {
  gm_private *p = w->private_data;
  uint64_t hash = (uint64_t)kind;
  for (uint32_t i = 0; i < n; i++) hash = (hash ^ items[i]) * 0x9e3779b97f4a7c15u;
  V *place = &p->tuples[hash >> 52 & (GM_TUPLES - 1)];
  if (*place) {
    const gm_object *o = gm_object_of(*place);
    if (o->kind == kind && o->size == n && same_words(o->items, items, n)) return *place;
  }
  if (!p->tuples_left) return 0;
  p->tuples_left--;
  gm_object *o = gm_new(w, kind, n);
  memcpy(o->items, items, n * sizeof *items);
  return *place = gm_keep(w, gm_value_of(o));
}

static bool all_fixed(const V *items, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!gm_is_fixed(items[i]) || gm_tag(items[i]) == GM_TAG_THUNK || gm_tag(items[i]) == GM_TAG_MARK) return false;
  return true;
}

V gm_make_tuple(gm_worker *w, const V *items, uint32_t n) {
  V known = n && n <= MOST_ITEMS && all_fixed(items, n) ? find_or_keep(w, GM_SEQUENCE, items, n) : 0;
  return known ? known : gm_make_sequence(w, items, n);
}

static V function_on(gm_worker *w, V domain, const V *values, uint32_t n) {
  gm_object *o = gm_new(w, GM_FUNCTION, n + 1);
  o->items[0] = domain;
  for (uint32_t i = 0; i < n; i++) o->items[i + 1] = values[i];
  for (uint32_t i = 1; i <= n; i++) o->items[i] = gm_part(w, o->items[i]);
  return gm_value_of(o);
}

V gm_make_function(gm_worker *w, V domain, const V *values) {
  if (gm_is_kind(domain, GM_INTERVAL)) {
    const gm_object *o = gm_object_of(domain);
    uint64_t n = gm_count(w, domain);
    if (n > GM_MAX_INTERVAL) gm_fail(w, GM_ERROR);
    if (o->items[0] == gm_int(1) || !n) return gm_make_sequence(w, values, (uint32_t)n);
  }
  domain = gm_list(w, domain);
  const gm_object *arguments = gm_object_of(domain);
  if (!arguments->size || is_one_to_n(arguments)) return gm_make_sequence(w, values, arguments->size);
  return function_on(w, domain, values, arguments->size);
}

V gm_make_record(gm_worker *w, V names, const V *values) {
  uint32_t n = gm_object_of(names)->size;
  if (!n) return w->empty_sequence;
  V known = 0;
  if (n <= MOST_ITEMS && gm_is_kept(names) && all_fixed(values, n)) {
    V items[MOST_ITEMS + 1] = {names};
    memcpy(items + 1, values, n * sizeof *values);
    known = find_or_keep(w, GM_FUNCTION, items, n + 1);
  }
  return known ? known : function_on(w, names, values, n);
}

V gm_single(gm_worker *w, V a, V v) {
  a = gm_part(w, a);
  if (a == gm_int(1)) return gm_make_sequence(w, &v, 1);
  return function_on(w, gm_set_from_sorted(w, &a, 1), &v, 1);
}

/* ---- looking up ---- */

enum { FEW = 8 };

/* The item of a FUNCTION at an argument; 0 if it is not in the domain, failing where the reference cannot compare. */
static uint32_t item_at(gm_worker *w, const gm_object *function, V argument) {
  const gm_object *domain = gm_domain_of(function);
  uint32_t few = domain->size < FEW ? domain->size : FEW;
  for (uint32_t i = 0; i < few; i++) {
    if (domain->items[i] == argument) return i + 1;
  }
  bool found;
  uint32_t at = gm_search(w, domain->items, domain->size, argument, &found);
  return found ? at + 1 : 0;
}

V gm_select(gm_worker *w, V function, V argument) {
  if (gm_is_kind(function, GM_LAMBDA)) return gm_lambda_apply(w, function, argument);
  if (!gm_is_function_like(function)) gm_fail(w, GM_ERROR);
  const gm_object *o = gm_object_of(function);
  if (o->kind == GM_SEQUENCE) {
    if (!gm_is_int(argument)) gm_fail(w, GM_ERROR);
    uint64_t i = (uint64_t)gm_int_of(argument) - 1;
    return i < o->size ? o->items[i] : GM_UNSET;
  }
  uint32_t at = item_at(w, o, gm_part(w, argument));
  return at ? o->items[at] : GM_UNSET;
}

V gm_apply_slow(gm_worker *w, V function, V argument) {
  if (gm_is_kind(function, GM_FUNCTION) && !gm_is_object(argument)) {
    const gm_object *o = gm_object_of(function);
    uint32_t at = item_at(w, o, argument);
    if (!at) gm_fail(w, GM_ERROR);
    return o->items[at];
  }
  V found = gm_select(w, function, argument);
  if (found == GM_UNSET) gm_fail(w, GM_ERROR);
  return found;
}

V gm_field_slow(gm_worker *w, V record, V name, uint64_t *cache) {
  if (!gm_is_kind(record, GM_FUNCTION)) return gm_apply_slow(w, record, name);
  const gm_object *o = gm_object_of(record);
  uint32_t at = item_at(w, o, name);
  if (!at) gm_fail(w, GM_ERROR);
  if (gm_is_kept(o->items[0]) && at < 1 << 16 && !(o->items[0] >> 48)) {
    __atomic_store_n(cache, o->items[0] << 16 | at, __ATOMIC_RELAXED);
  }
  return o->items[at];
}

V gm_domain(gm_worker *w, V function) {
  if (gm_is_kind(function, GM_LAMBDA)) return gm_lambda_domain(function);
  if (!gm_is_function_like(function)) gm_fail(w, GM_ERROR);
  const gm_object *o = gm_object_of(function);
  return o->kind == GM_FUNCTION ? o->items[0] : gm_interval_of(w, 1, o->size);
}

/* ---- changing ---- */

static V with_item(gm_worker *w, const gm_object *o, uint32_t at, V value) {
  if (o->items[at] == value) return gm_value_of(o);
  gm_object *copy = gm_new(w, (enum gm_kind)o->kind, o->size);
  memcpy(copy->items, o->items, o->size * sizeof(V));
  copy->items[at] = value;
  if ((o->flags & GM_KEPT) && gm_is_fixed(value)) {
    gm_derived(copy, o, gm_item_hash(value, at + (uint64_t)1) - gm_item_hash(o->items[at], at + (uint64_t)1));
  }
  return gm_value_of(copy);
}

enum { NOWHERE = INT32_MAX };

static uint32_t place_of(gm_worker *w, const gm_object *o, V argument) {
  if (o->kind == GM_FUNCTION) {
    uint32_t at = item_at(w, o, gm_part(w, argument));
    return at ? at : NOWHERE;
  }
  if (!gm_is_int(argument)) gm_fail(w, GM_ERROR);
  uint64_t i = (uint64_t)gm_int_of(argument) - 1;
  return i < o->size ? (uint32_t)i : NOWHERE;
}

V gm_except(gm_worker *w, V function, V argument, V value) {
  function = gm_computed(w, function);
  if (!gm_is_function_like(function)) gm_fail(w, GM_ERROR);
  const gm_object *o = gm_object_of(function);
  uint32_t at = place_of(w, o, argument);
  if (at == NOWHERE) {
    w->warnings++;
    return function;
  }
  value = gm_part(w, value);
  if (!gm_is_kept(function) || !gm_is_fixed(value)) return with_item(w, o, at, value);
  gm_recipe *r = gm_memo(w, GM_MEMO_EXCEPT, function, at, value);
  V known = gm_memo_result(r, GM_MEMO_EXCEPT, function, at, value);
  return known ? known : gm_memo_note(w, r, GM_MEMO_EXCEPT, function, at, value, with_item(w, o, at, value));
}

/* Where both have a value, that of the first. */
static V merged(gm_worker *w, V f, V g) {
  const gm_object *x = gm_object_of(f), *y = gm_object_of(g);
  V first = gm_list(w, gm_domain(w, f)), second = gm_list(w, gm_domain(w, g)), domain = gm_union(w, first, second);
  const V *mine = gm_object_of(first)->items, *theirs = gm_object_of(second)->items;
  uint32_t n = gm_object_of(first)->size, m = gm_object_of(second)->size, i = 0, j = 0;
  const gm_object *arguments = gm_object_of(domain);
  V *values = gm_scratch(w, arguments->size);
  for (uint32_t k = 0; k < arguments->size; k++) {
    bool in_mine = i < n && gm_same(mine[i], arguments->items[k]);
    bool in_theirs = j < m && gm_same(theirs[j], arguments->items[k]);
    values[k] = in_mine ? x->items[i + (x->kind == GM_FUNCTION)] : y->items[j + (y->kind == GM_FUNCTION)];
    i += in_mine;
    j += in_theirs;
  }
  return gm_make_function(w, domain, values);
}

/* A function with one argument, which is fixed, as is its value. */
static bool is_pair(V f) {
  const gm_object *o = gm_object_of(f);
  return o->kind == GM_FUNCTION && gm_arguments(o) == 1 && gm_is_fixed(gm_domain_of(o)->items[0]) && gm_is_fixed(o->items[1]);
}

/* Bags of messages are changed so. */
static V merged_with_pair(gm_worker *w, enum gm_memo_operation operation, V function, V pair) {
  V argument = gm_domain_of(gm_object_of(pair))->items[0], value = gm_object_of(pair)->items[1];
  gm_recipe *r = gm_memo(w, operation, function, argument, value);
  V known = gm_memo_result(r, operation, function, argument, value);
  if (known) return known;
  V result = operation == GM_MEMO_MERGE ? merged(w, function, pair) : merged(w, pair, function);
  return gm_memo_note(w, r, operation, function, argument, value, result);
}

V gm_merge(gm_worker *w, V f, V g) {
  f = gm_computed(w, f);
  g = gm_computed(w, g);
  if (!gm_is_function_like(f) || !gm_is_function_like(g)) gm_fail(w, GM_ERROR);
  if (!gm_arguments(gm_object_of(g))) return f;
  if (!gm_arguments(gm_object_of(f))) return g;
  if (gm_is_kept(f) && is_pair(g)) return merged_with_pair(w, GM_MEMO_MERGE, f, g);
  if (gm_is_kept(g) && is_pair(f)) return merged_with_pair(w, GM_MEMO_MERGE_OVER, g, f);
  return merged(w, f, g);
}
