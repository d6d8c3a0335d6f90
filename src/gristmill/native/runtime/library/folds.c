/* Operators that take operators: what these are asked, and in which order, is as in library. */

#include "community.h"

#include <string.h>

static V call(gm_worker *w, V operator, V one, V other) {
  V arguments[2] = {one, other};
  return gm_call(w, operator, arguments);
}

/* ---- sets ---- */

V gm_fold_set(gm_worker *w, V operator, V base, V set) {
  gm_iterator it;
  V element, result = base;
  gm_iterate(w, &it, set);
  while (gm_next(w, &it, &element)) result = call(w, operator, element, result);
  return result;
}

V gm_reduce_set(gm_worker *w, V operator, V set, V base) { return gm_fold_set(w, operator, base, set); }

V gm_map_then_sum_set(gm_worker *w, V map, V set) {
  gm_iterator it;
  V element, sum = gm_int(0);
  gm_iterate(w, &it, set);
  while (gm_next(w, &it, &element)) sum = gm_add(w, gm_call(w, map, &element), sum);
  return sum;
}

V gm_quantify(gm_worker *w, V set, V test) {
  gm_iterator it;
  V element;
  int64_t count = 0;
  gm_iterate(w, &it, set);
  while (gm_next(w, &it, &element)) count += gm_truth(w, gm_call(w, test, &element));
  return gm_int(count);
}

V gm_map_then_fold_set(gm_worker *w, V operator, V base, V map, V choose, V set) {
  V rest = gm_list(w, set);
  uint32_t n = gm_object_of(rest)->size;
  V *chosen = gm_array(w, n), result = base;
  for (uint32_t i = 0; i < n; i++) {
    V element = gm_part(w, gm_call(w, choose, &rest));
    if (!gm_member(w, element, rest)) gm_fail(w, GM_ERROR);
    chosen[i] = element;
    rest = gm_difference(w, rest, gm_make_set(w, &element, 1));
  }
  for (uint32_t i = n; i > 0; i--) result = call(w, operator, gm_call(w, map, &chosen[i - 1]), result);
  return result;
}

/* ---- functions ---- */

V gm_fold_function_on_set(gm_worker *w, V operator, V base, V function, V arguments) {
  gm_iterator it;
  V argument, result = base;
  gm_iterate(w, &it, arguments);
  while (gm_next(w, &it, &argument)) result = call(w, operator, gm_apply(w, function, argument), result);
  return result;
}

V gm_fold_function(gm_worker *w, V operator, V base, V function) {
  return gm_fold_function_on_set(w, operator, base, function, gm_domain(w, function));
}

static V restricted(gm_worker *w, V function, V test, bool by_value) {
  gm_pairs found = gm_pairs_of(w, function);
  V *arguments = gm_array(w, found.count), *values = gm_array(w, found.count);
  uint32_t n = 0;
  for (uint32_t i = 0; i < found.count; i++) {
    const V *asked = by_value ? &found.values[i] : &found.arguments[i];
    if (!gm_truth(w, gm_call(w, test, asked))) continue;
    arguments[n] = found.arguments[i];
    values[n++] = found.values[i];
  }
  return gm_make_function(w, gm_make_set(w, arguments, n), values);
}

V gm_restrict_domain(gm_worker *w, V function, V test) { return restricted(w, function, test, false); }
V gm_restrict_values(gm_worker *w, V function, V test) { return restricted(w, function, test, true); }

/* ---- sequences ---- */

V gm_fold_left(gm_worker *w, V operator, V base, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  V result = base;
  for (uint32_t i = 0; i < o->size; i++) result = call(w, operator, result, o->items[i]);
  return result;
}

V gm_fold_right(gm_worker *w, V operator, V items, V base) {
  const gm_object *o = gm_sequence_of(w, items);
  V result = base;
  for (uint32_t i = o->size; i > 0; i--) result = call(w, operator, o->items[i - 1], result);
  return result;
}

V gm_fold_left_domain(gm_worker *w, V operator, V base, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  V result = base;
  for (uint32_t i = 1; i <= o->size; i++) result = call(w, operator, result, gm_int(i));
  return result;
}

V gm_fold_right_domain(gm_worker *w, V operator, V items, V base) {
  const gm_object *o = gm_sequence_of(w, items);
  V result = base;
  for (uint32_t i = o->size; i > 0; i--) result = call(w, operator, gm_int(i), result);
  return result;
}

V gm_select_in_seq(gm_worker *w, V items, V test) {
  const gm_object *o = gm_sequence_of(w, items);
  for (uint32_t i = 0; i < o->size; i++)
    if (gm_truth(w, gm_call(w, test, &o->items[i]))) return gm_int(i + 1);
  return gm_int(0);
}

V gm_select_last_in_seq(gm_worker *w, V items, V test) {
  const gm_object *o = gm_sequence_of(w, items);
  for (uint32_t i = o->size; i > 0; i--)
    if (gm_truth(w, gm_call(w, test, &o->items[i - 1]))) return gm_int(i);
  return gm_int(0);
}

/* The elements between two positions, both included. */
typedef struct span {
  const V *items;
  int64_t first, last;
} span;

static span span_of(gm_worker *w, V items, V first, V last) {
  const gm_object *o = gm_sequence_of(w, items);
  if (!gm_is_int(first) || !gm_is_int(last)) gm_fail(w, GM_ERROR);
  span found = {o->items, gm_int_of(first), gm_int_of(last)};
  bool inside = found.first >= 1 && found.last <= (int64_t)o->size;
  if (found.first <= found.last && !inside) gm_fail(w, GM_ERROR);
  return found;
}

V gm_select_in_subseq(gm_worker *w, V items, V first, V last, V test) {
  span part = span_of(w, items, first, last);
  for (int64_t i = part.first; i <= part.last; i++)
    if (gm_truth(w, gm_call(w, test, &part.items[i - 1]))) return gm_int(i);
  return gm_int(0);
}

V gm_select_last_in_subseq(gm_worker *w, V items, V first, V last, V test) {
  span part = span_of(w, items, first, last);
  for (int64_t i = part.last; i >= part.first; i--)
    if (gm_truth(w, gm_call(w, test, &part.items[i - 1]))) return gm_int(i);
  return gm_int(0);
}

/* By insertion from the left, as TLC does it. */
V gm_sort_seq(gm_worker *w, V items, V precedes) {
  const gm_object *o = gm_sequence_of(w, items);
  V *sorted = gm_array(w, o->size);
  for (uint32_t i = 0; i < o->size; i++) {
    uint32_t at = i;
    while (at > 0 && gm_truth(w, call(w, precedes, o->items[i], sorted[at - 1]))) at--;
    memmove(sorted + at + 1, sorted + at, (i - at) * sizeof *sorted);
    sorted[at] = o->items[i];
  }
  return gm_make_sequence(w, sorted, o->size);
}

V gm_set_to_sort_seq(gm_worker *w, V set, V precedes) {
  const gm_object *o = gm_object_of(gm_list(w, set));
  return gm_sort_seq(w, gm_make_sequence(w, o->items, o->size), precedes);
}

/* ---- bags ---- */

V gm_fold_bag(gm_worker *w, V operator, V base, V bag) {
  gm_pairs found = gm_bag_of(w, bag);
  V result = base;
  for (uint32_t i = 0; i < found.count; i++)
    for (int64_t n = gm_int_of(found.values[i]); n > 0; n--) result = call(w, operator, result, found.arguments[i]);
  return result;
}
