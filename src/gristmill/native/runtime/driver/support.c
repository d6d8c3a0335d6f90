/* Small things that generated code calls. */

#include "driver.h"

#include <stdlib.h>
#include <string.h>

static void *room(gm_worker *w, uint64_t bytes) {
  bytes = (bytes + 7) & ~(uint64_t)7;
  if (bytes > (uint64_t)(w->scratch_end - w->scratch_top)) gm_fail(w, GM_ERROR);
  void *memory = w->scratch_top;
  w->scratch_top += bytes;
  return memory;
}

V gm_make_thunk(gm_worker *w, V (*code)(gm_worker *, V *), V *frame, bool changes) {
  gm_thunk *t = room(w, sizeof *t);
  t->value = GM_UNSET;
  t->code = code;
  t->frame = frame;
  t->changes = changes;
  return (V)(uintptr_t)t | GM_TAG_THUNK;
}

V gm_force(gm_worker *w, V *slot) {
  gm_thunk *t = (gm_thunk *)(uintptr_t)(*slot & ~(V)7);
  if (t->changes) return t->code(w, t->frame);
  if (t->value == GM_UNSET) t->value = t->code(w, t->frame);
  *slot = t->value;
  return t->value;
}

V gm_make_operator(gm_worker *w, V (*code)(gm_worker *, V *, const V *), V *up) {
  gm_operator *o = room(w, sizeof *o);
  o->code = code;
  o->up = up;
  return (V)(uintptr_t)o;
}

V *gm_array(gm_worker *w, uint64_t n) {
  if (n > ((uint64_t)1 << 32)) gm_fail(w, GM_ERROR);
  return room(w, (n + 1) * sizeof(V));
}

V gm_finish_set(gm_worker *w, V *items, uint64_t n) {
  gm_object *o = gm_new(w, GM_SET, (uint32_t)n);
  memcpy(o->items, items, n * sizeof *items);
  return gm_value_of(o);
}

V gm_lasting(gm_worker *w, uint32_t place, V value) {
  value = gm_part(w, value);
  return w->lasting[place] = gm_keep(w, value);
}

V gm_finish_selection(gm_worker *w, V *items, uint64_t n, V base) {
  V result = gm_finish_set(w, items, n);
  bool listed = gm_is_kind(base, GM_SET) || gm_is_kind(base, GM_INTERVAL);
  if (n == 0 && !listed) gm_object_of(result)->flags |= GM_SELECTED;
  return result;
}

int gm_index_slow(gm_worker *w, V domain, V argument) {
  const gm_object *o = gm_object_of(domain);
  if (!gm_is_object(argument) || (gm_object_of(argument)->flags & GM_KEPT))
    for (uint32_t i = 0; i < o->size; i++)
      if (o->items[i] == argument) return (int)i;
  if (!gm_member(w, argument, domain)) return -1; /* fails where they cannot be compared */
  for (uint32_t i = 0; i < o->size; i++)
    if (gm_equal(w, o->items[i], argument)) return (int)i;
  return -1;
}

void gm_outside(gm_worker *w, int *told) {
  if (!__atomic_exchange_n(told, 1, __ATOMIC_RELAXED)) gm_fail(w, GM_ERROR);
}

uint64_t gm_element_count(gm_worker *w, V set) {
  if (gm_is_kind(set, GM_SET)) return gm_object_of(set)->size;
  int64_t n = gm_int_of(gm_cardinality(w, set));
  if (n > ((int64_t)1 << 24)) gm_fail(w, GM_ERROR);
  return (uint64_t)n;
}

V gm_listed(gm_worker *w, V v) { return gm_is_kind(v, GM_LAMBDA) ? gm_list_function(w, v) : v; }

static bool is_described_alike(gm_worker *w, V a, V b) {
  if (a == b) return true;
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (x->kind != y->kind || x->size != y->size) return false;
  for (uint32_t i = 0; i < x->size; i++)
    if (!gm_equal(w, x->items[i], y->items[i])) return false;
  return true;
}

/* The union of several sets. Those that are not listed stay so, each once, and the union with them. */
V gm_union_of(gm_worker *w, V *sets, uint64_t n) {
  bool listed = true;
  for (uint64_t i = 0; i < n; i++) {
    if (!gm_is_set(sets[i])) gm_fail(w, GM_ERROR);
    listed = listed && gm_is_kind(sets[i], GM_SET);
  }
  if (listed) return gm_big_union(w, gm_make_set(w, sets, (uint32_t)n));
  V result = sets[0];
  for (uint64_t i = 1; i < n; i++) {
    bool known = false;
    for (uint64_t j = 0; j < i && !known; j++) known = is_described_alike(w, sets[i], sets[j]);
    if (known) continue;
    /* TLC sorts the sets, and cannot */
    if (!gm_is_enumerable(w, result) || !gm_is_enumerable(w, sets[i])) gm_fail(w, GM_ERROR);
    gm_object *o = gm_new(w, GM_UNION, 2);
    o->items[0] = result;
    o->items[1] = sets[i];
    result = gm_value_of(o);
  }
  return result;
}
