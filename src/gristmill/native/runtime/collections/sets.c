/* Listed sets: made and searched. */

#include "shapes.h"

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

/* ---- membership ---- */

enum { FEW = 16, SOME = 128 }; /* elements that are looked at one by one, as words */

static bool has_word(const gm_object *set, V element) {
  for (uint32_t i = 0; i < set->size; i++)
    if (set->items[i] == element) return true;
  return false;
}

/* Whether a set that has not the element among its words has none that would be an error to compare with it. */
static bool is_plain(const gm_object *set, V element) {
  V first = set->items[0], last = set->items[set->size - 1];
  if (gm_is_int(element)) return gm_is_int(first) && gm_is_int(last);
  return gm_is_string(element) && gm_is_string(first) && gm_is_string(last);
}

static bool found_in(gm_worker *w, V element, V set) {
  const gm_object *o = gm_object_of(set);
  if (o->size <= SOME && gm_is_fixed(element)) {
    if (has_word(o, element)) return true;
    if (gm_can_look_up(w, gm_shape_of(w, element), set)) return false;
  }
  bool found;
  gm_search(w, o->items, o->size, element, &found);
  return found;
}

static gm_answer *answer_of(gm_worker *w, V element, V set) {
  uint64_t hash = (element ^ set * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
  return &((gm_private *)w->private_data)->answers[(hash ^ hash >> 31) & (GM_ANSWERS - 1)];
}

static bool remembered(gm_worker *w, V element, V set) {
  gm_answer *answer = answer_of(w, element, set);
  if (answer->element == element && answer->set == set) return answer->is_member;
  bool is_member = found_in(w, element, set);
  *answer = (gm_answer){element, set, is_member};
  return is_member;
}

static bool in_listed(gm_worker *w, V element, V set) {
  const gm_object *o = gm_object_of(set);
  element = gm_part(w, element);
  if (!o->size) return false;
  if (o->size <= FEW && gm_is_fixed(element)) {
    if (has_word(o, element)) return true;
    if (is_plain(o, element)) return false;
  }
  return gm_is_fixed(element) && gm_is_kept(set) ? remembered(w, element, set) : found_in(w, element, set);
}

bool gm_member(gm_worker *w, V element, V set) {
  if (gm_is_kind(set, GM_SET)) {
    if (gm_object_of(set)->flags & GM_SELECTED) gm_fail(w, GM_ERROR);
    return in_listed(w, element, set);
  }
  if (!gm_is_lazy(set)) gm_fail(w, GM_ERROR);
  return gm_lazy_member(w, element, set);
}

bool gm_member_known(gm_worker *w, V element, V set) {
  if (!gm_is_object(element) || !gm_is_kept(element)) return gm_member(w, element, set);
  gm_answer *answer = answer_of(w, element, set);
  if (answer->element == element && answer->set == set) return answer->is_member;
  bool is_member = gm_member(w, element, set);
  *answer = (gm_answer){element, set, is_member};
  return is_member;
}
