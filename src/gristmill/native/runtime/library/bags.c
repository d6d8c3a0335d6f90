/* The module Bags: a bag is a function from its elements to positive integers. */

#include "community.h"

bool gm_is_bag(gm_worker *w, V value) {
  if (!gm_is_kind(value, GM_SEQUENCE) && !gm_is_kind(value, GM_FUNCTION)) return false;
  gm_pairs found = gm_pairs_of(w, value);
  for (uint32_t i = 0; i < found.count; i++)
    if (!gm_is_int(found.values[i]) || gm_int_of(found.values[i]) <= 0) return false;
  return true;
}

gm_pairs gm_bag_of(gm_worker *w, V v) {
  if (!gm_is_bag(w, v)) gm_fail(w, GM_ERROR);
  return gm_pairs_of(w, v);
}

gm_pairs gm_counts_of(gm_worker *w, V v) {
  gm_pairs found = gm_pairs_of(w, v);
  for (uint32_t i = 0; i < found.count; i++)
    if (!gm_is_int(found.values[i])) gm_fail(w, GM_ERROR);
  return found;
}

V gm_set_to_bag(gm_worker *w, V set) {
  V domain = gm_list(w, set);
  uint32_t n = gm_object_of(domain)->size;
  V *ones = gm_array(w, n);
  for (uint32_t i = 0; i < n; i++) ones[i] = gm_int(1);
  return gm_make_function(w, domain, ones);
}

/* How many there are of an element; an element that cannot be compared with one before it fails. */
static V copies(gm_worker *w, V element, gm_pairs bag) {
  for (uint32_t i = 0; i < bag.count; i++)
    if (gm_equal(w, element, bag.arguments[i])) return bag.values[i];
  return gm_int(0);
}

V gm_copies_in(gm_worker *w, V element, V bag) {
  V found = copies(w, gm_part(w, element), gm_pairs_of(w, bag));
  if (!gm_is_int(found)) gm_fail(w, GM_ERROR);
  return found;
}

bool gm_bag_in(gm_worker *w, V element, V bag) { return gm_int_of(gm_copies_in(w, element, bag)) > 0; }

V gm_bag_sum(gm_worker *w, V left, V right) {
  gm_pairs a = gm_bag_of(w, left), b = gm_bag_of(w, right);
  V *elements = gm_array(w, (uint64_t)a.count + b.count);
  uint32_t n = 0;
  for (uint32_t i = 0; i < a.count; i++) elements[n++] = a.arguments[i];
  for (uint32_t i = 0; i < b.count; i++) elements[n++] = b.arguments[i];
  V domain = gm_make_set(w, elements, n);
  const gm_object *o = gm_object_of(domain);
  V *sums = gm_array(w, o->size);
  for (uint32_t i = 0; i < o->size; i++) sums[i] = gm_add(w, copies(w, o->items[i], a), copies(w, o->items[i], b));
  return gm_make_function(w, domain, sums);
}

V gm_bag_difference(gm_worker *w, V left, V right) {
  gm_pairs a = gm_counts_of(w, left), b = gm_counts_of(w, right);
  V *elements = gm_array(w, a.count), *rest = gm_array(w, a.count);
  uint32_t n = 0;
  for (uint32_t i = 0; i < a.count; i++) {
    V count = gm_subtract(w, a.values[i], copies(w, a.arguments[i], b));
    if (gm_int_of(count) <= 0) continue;
    elements[n] = a.arguments[i];
    rest[n++] = count;
  }
  return gm_make_function(w, gm_make_set(w, elements, n), rest);
}

bool gm_bag_included(gm_worker *w, V left, V right) {
  gm_pairs b = gm_counts_of(w, right), a = gm_counts_of(w, left);
  for (uint32_t i = 0; i < a.count; i++)
    if (gm_int_of(a.values[i]) > gm_int_of(copies(w, a.arguments[i], b))) return false;
  return true;
}

V gm_bag_cardinality(gm_worker *w, V bag) {
  gm_pairs found = gm_bag_of(w, bag);
  V sum = gm_int(0);
  for (uint32_t i = 0; i < found.count; i++) sum = gm_add(w, sum, found.values[i]);
  return sum;
}

/* ---- sums of many ---- */

/* The function that has for each element the sum of its counts. */
static V summed(gm_worker *w, const V *elements, const V *counts, uint32_t n) {
  V *sorted = gm_array(w, n);
  for (uint32_t i = 0; i < n; i++) sorted[i] = elements[i];
  V domain = gm_make_set(w, sorted, n);
  uint32_t size = gm_object_of(domain)->size;
  V *sums = gm_array(w, size);
  for (uint32_t i = 0; i < size; i++) sums[i] = gm_int(0);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = gm_place_in(w, domain, elements[i]);
    sums[at] = gm_add(w, sums[at], counts[i]);
  }
  return gm_make_function(w, domain, sums);
}

V gm_to_bag(gm_worker *w, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  V *ones = gm_array(w, o->size);
  for (uint32_t i = 0; i < o->size; i++) ones[i] = gm_int(1);
  return summed(w, o->items, ones, o->size);
}

V gm_bag_union(gm_worker *w, V bags) {
  const gm_object *o = gm_object_of(gm_list(w, bags));
  uint64_t n = 0;
  for (uint32_t i = 0; i < o->size; i++) n += gm_counts_of(w, o->items[i]).count;
  V *elements = gm_array(w, n), *counts = gm_array(w, n);
  n = 0;
  for (uint32_t i = 0; i < o->size; i++) {
    gm_pairs bag = gm_counts_of(w, o->items[i]);
    for (uint32_t j = 0; j < bag.count; j++, n++) {
      elements[n] = bag.arguments[j];
      counts[n] = bag.values[j];
    }
  }
  return summed(w, elements, counts, (uint32_t)n);
}

V gm_bag_of_all(gm_worker *w, V operator, V bag) {
  gm_pairs found = gm_counts_of(w, bag);
  V *elements = gm_array(w, found.count);
  for (uint32_t i = 0; i < found.count; i++) elements[i] = gm_part(w, gm_call(w, operator, &found.arguments[i]));
  return summed(w, elements, found.values, found.count);
}
