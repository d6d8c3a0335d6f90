/* Listed sets: made and searched. */

#include "parts.h"

bool gm_is_set(V v) {
  return gm_is_object(v) && (gm_object_of(v)->kind == GM_SET || gm_object_of(v)->kind >= GM_INTERVAL);
}

V gm_part_slow(gm_worker *w, V v) {
  return gm_is_kind(v, GM_LAMBDA) ? gm_list_function(w, v) : gm_is_lazy(v) ? gm_list(w, v) : v;
}

V gm_set_from_sorted(gm_worker *w, const V *items, uint32_t n) {
  if (!n) return w->empty_set;
  gm_object *o = gm_new(w, GM_SET, n);
  memcpy(o->items, items, n * sizeof(V));
  return gm_value_of(o);
}

V gm_make_set(gm_worker *w, V *items, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) items[i] = gm_part(w, items[i]);
  return gm_set_from_sorted(w, items, gm_sort(w, items, n));
}

V gm_booleans(gm_heap *h) { return h->booleans; }

/* ---- membership ---- */

enum { FEW = 32 }; /* so many words are compared in the time of one comparison of values */

static bool in_listed(gm_worker *w, V element, const gm_object *set) {
  element = gm_part(w, element);
  if (!set->size) return false;
  if (set->size <= FEW && gm_is_object(element) && gm_is_kept(element)) {
    for (uint32_t i = 0; i < set->size; i++) {
      if (set->items[i] == element) return true;
    }
  }
  bool found;
  gm_search(w, set->items, set->size, element, &found);
  return found;
}

bool gm_member(gm_worker *w, V element, V set) {
  if (gm_is_kind(set, GM_SET)) {
    if (gm_object_of(set)->flags & GM_SELECTED) gm_fail(w, GM_ERROR);
    return in_listed(w, element, gm_object_of(set));
  }
  if (!gm_is_lazy(set)) gm_fail(w, GM_ERROR);
  return gm_lazy_member(w, element, set);
}
