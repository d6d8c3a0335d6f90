/* Operators of Functions, FiniteSetsExt and SequencesExt that take values. */

#include "community.h"

#include <string.h>

#include "parts.h"

/* ---- functions and sets ---- */

gm_pairs gm_pairs_of(gm_worker *w, V function) {
  if (!gm_is_kind(function, GM_SEQUENCE) && !gm_is_kind(function, GM_FUNCTION)) gm_fail(w, GM_ERROR);
  const gm_object *o = gm_object_of(function);
  if (o->kind == GM_FUNCTION) return (gm_pairs){gm_object_of(o->items[0])->items, o->items + 1, o->size - 1};
  V *positions = gm_array(w, o->size);
  for (uint32_t i = 0; i < o->size; i++) positions[i] = gm_int(i + 1);
  return (gm_pairs){positions, o->items, o->size};
}

V gm_restrict(gm_worker *w, V function, V arguments) {
  V domain = gm_list(w, arguments);
  const gm_object *o = gm_object_of(domain);
  V *values = gm_array(w, o->size);
  for (uint32_t i = 0; i < o->size; i++) values[i] = gm_apply(w, function, o->items[i]);
  return gm_make_function(w, domain, values);
}

static V set_of(gm_worker *w, const V *items, uint32_t n) {
  V *copy = gm_array(w, n);
  memcpy(copy, items, n * sizeof *copy);
  return gm_make_set(w, copy, n);
}

V gm_range(gm_worker *w, V function) {
  gm_pairs found = gm_pairs_of(w, function);
  return set_of(w, found.values, found.count);
}

uint32_t gm_place_in(gm_worker *w, V set, V element) {
  const gm_object *o = gm_object_of(set);
  bool found = false;
  uint32_t at = gm_search(w, o->items, o->size, element, &found);
  if (!found) gm_fail(w, GM_ERROR);
  return at;
}

/* Of several arguments with one value, the first. */
V gm_anti_function(gm_worker *w, V function) {
  gm_pairs found = gm_pairs_of(w, function);
  V domain = set_of(w, found.values, found.count), *arguments = gm_array(w, gm_object_of(domain)->size);
  for (uint32_t i = found.count; i > 0; i--) arguments[gm_place_in(w, domain, found.values[i - 1])] = found.arguments[i - 1];
  return gm_make_function(w, domain, arguments);
}

static int64_t size_of(gm_worker *w, V set) { return gm_int_of(gm_cardinality(w, set)); }

bool gm_exists_injection(gm_worker *w, V source, V target) { return size_of(w, source) <= size_of(w, target); }
bool gm_exists_bijection(gm_worker *w, V source, V target) { return size_of(w, source) == size_of(w, target); }
bool gm_exists_surjection(gm_worker *w, V source, V target) {
  int64_t size = size_of(w, source), wanted = size_of(w, target);
  return size >= wanted && (wanted > 0 || size == 0);
}

bool gm_is_injective(gm_worker *w, V function) {
  gm_pairs found = gm_pairs_of(w, function);
  for (uint32_t i = 0; i < found.count; i++)
    for (uint32_t j = i + 1; j < found.count; j++)
      if (gm_equal(w, found.values[i], found.values[j])) return false;
  return true;
}

V gm_sum_function_on_set(gm_worker *w, V function, V arguments) {
  gm_iterator it;
  V argument, sum = gm_int(0);
  gm_iterate(w, &it, arguments);
  while (gm_next(w, &it, &argument)) sum = gm_add(w, gm_apply(w, function, argument), sum);
  return sum;
}

V gm_sum_function(gm_worker *w, V function) { return gm_sum_function_on_set(w, function, gm_domain(w, function)); }

V gm_sum_set(gm_worker *w, V set) {
  gm_iterator it;
  V element, sum = gm_int(0);
  gm_iterate(w, &it, set);
  while (gm_next(w, &it, &element)) sum = gm_add(w, element, sum);
  return sum;
}

V gm_product_set(gm_worker *w, V set) {
  gm_iterator it;
  V element, product = gm_int(1);
  gm_iterate(w, &it, set);
  while (gm_next(w, &it, &element)) product = gm_multiply(w, element, product);
  return product;
}

/* Integers, in order. */
static const gm_object *numbers(gm_worker *w, V set) {
  const gm_object *o = gm_object_of(gm_list(w, set));
  if (!o->size) gm_fail(w, GM_ERROR);
  for (uint32_t i = 0; i < o->size; i++)
    if (!gm_is_int(o->items[i])) gm_fail(w, GM_ERROR);
  return o;
}

V gm_least(gm_worker *w, V set) { return numbers(w, set)->items[0]; }

V gm_greatest(gm_worker *w, V set) {
  const gm_object *o = numbers(w, set);
  return o->items[o->size - 1];
}

/* ---- bits: of 61, with the sign, as of any number of bits ---- */

static void both_integers(gm_worker *w, V a, V b) {
  if (!gm_is_int(a) || !gm_is_int(b)) gm_fail(w, GM_ERROR);
}

V gm_bit_and(gm_worker *w, V a, V b) {
  both_integers(w, a, b);
  return gm_int(gm_int_of(a) & gm_int_of(b));
}

V gm_bit_or(gm_worker *w, V a, V b) {
  both_integers(w, a, b);
  return gm_int(gm_int_of(a) | gm_int_of(b));
}

V gm_bit_xor(gm_worker *w, V a, V b) {
  both_integers(w, a, b);
  return gm_int(gm_int_of(a) ^ gm_int_of(b));
}

/* The digits up to the highest that is 1. */
V gm_bit_not(gm_worker *w, V a) {
  both_integers(w, a, a);
  int64_t n = gm_int_of(a), mask = 0, magnitude = n < 0 ? -n : n;
  while (mask < magnitude) mask = mask << 1 | 1;
  return gm_int(~n & mask);
}

/* TLC shifts 32 bits, without their sign. */
V gm_shift_right(gm_worker *w, V number, V places) {
  both_integers(w, number, places);
  int64_t n = gm_int_of(number), distance = gm_int_of(places);
  if (distance < 0) gm_fail(w, GM_ERROR);
  if (n < 0) n &= INT64_C(0xffffffff);
  return gm_int(distance > 62 ? 0 : n >> distance);
}

V gm_choose(gm_worker *w, V n, V k) {
  both_integers(w, n, k);
  int64_t all = gm_int_of(n), chosen = gm_int_of(k);
  if (all < 0 || chosen < 0) gm_fail(w, GM_ERROR);
  if (chosen > all) return gm_int(0);
  if (chosen > all - chosen) chosen = all - chosen;
  V ways = gm_int(1);
  for (int64_t i = 1; i <= chosen; i++) ways = gm_divide(w, gm_multiply(w, ways, gm_int(all - chosen + i)), gm_int(i));
  return ways;
}

V gm_no_operation(gm_worker *w, V value) {
  (void)w;
  return value;
}

/* ---- sequences ---- */

V gm_to_set(gm_worker *w, V items) { return gm_range(w, items); }

V gm_set_to_seq(gm_worker *w, V set) {
  const gm_object *o = gm_object_of(gm_list(w, set));
  return gm_make_sequence(w, o->items, o->size);
}

bool gm_contains(gm_worker *w, V items, V wanted) {
  const gm_object *o = gm_sequence_of(w, items);
  for (uint32_t i = 0; i < o->size; i++)
    if (gm_equal(w, o->items[i], wanted)) return true;
  return false;
}

V gm_reverse(gm_worker *w, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  V *turned = gm_array(w, o->size);
  for (uint32_t i = 0; i < o->size; i++) turned[i] = o->items[o->size - 1 - i];
  return gm_make_sequence(w, turned, o->size);
}

V gm_remove(gm_worker *w, V items, V unwanted) {
  const gm_object *o = gm_sequence_of(w, items);
  V *left = gm_array(w, o->size);
  uint32_t n = 0;
  for (uint32_t i = 0; i < o->size; i++)
    if (!gm_equal(w, o->items[i], unwanted)) left[n++] = o->items[i];
  return gm_make_sequence(w, left, n);
}

V gm_replace_all(gm_worker *w, V items, V old, V new) {
  const gm_object *o = gm_sequence_of(w, items);
  V *changed = gm_array(w, o->size);
  new = gm_part(w, new);
  for (uint32_t i = 0; i < o->size; i++) changed[i] = gm_equal(w, o->items[i], old) ? new : o->items[i];
  return gm_make_sequence(w, changed, o->size);
}

static V next_to(gm_worker *w, V index, int64_t step) { return gm_add(w, index, gm_int(step)); }

V gm_insert_at(gm_worker *w, V items, V index, V item) {
  V before = gm_append(w, gm_subseq(w, items, gm_int(1), next_to(w, index, -1)), item);
  return gm_concat(w, before, gm_subseq(w, items, index, gm_length(w, items)));
}

/* Elsewhere than at an index it is as it was, and nobody is warned of it. */
V gm_replace_at(gm_worker *w, V items, V index, V item) {
  return gm_select(w, items, index) == GM_UNSET ? items : gm_except(w, items, index, item);
}

V gm_remove_at(gm_worker *w, V items, V index) {
  V before = gm_subseq(w, items, gm_int(1), next_to(w, index, -1));
  return gm_concat(w, before, gm_subseq(w, items, next_to(w, index, 1), gm_length(w, items)));
}

static V without(gm_worker *w, const gm_object *o, uint32_t at) {
  V *left = gm_array(w, o->size);
  memcpy(left, o->items, at * sizeof *left);
  memcpy(left + at, o->items + at + 1, (o->size - at - 1) * sizeof *left);
  return gm_make_sequence(w, left, o->size - 1);
}

V gm_remove_first(gm_worker *w, V items, V unwanted) {
  const gm_object *o = gm_sequence_of(w, items);
  for (uint32_t i = 0; i < o->size; i++)
    if (gm_equal(w, o->items[i], unwanted)) return without(w, o, i);
  return items;
}

V gm_remove_first_match(gm_worker *w, V items, V test) {
  const gm_object *o = gm_sequence_of(w, items);
  for (uint32_t i = 0; i < o->size; i++)
    if (gm_truth(w, gm_call(w, test, &o->items[i]))) return without(w, o, i);
  return items;
}

V gm_snoc(gm_worker *w, V item, V items) { return gm_append(w, items, item); }

V gm_cons(gm_worker *w, V item, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  V *longer = gm_array(w, o->size + (uint64_t)1);
  longer[0] = item;
  memcpy(longer + 1, o->items, o->size * sizeof *longer);
  return gm_make_sequence(w, longer, o->size + 1);
}

V gm_front(gm_worker *w, V items) { return gm_subseq(w, items, gm_int(1), next_to(w, gm_length(w, items), -1)); }

V gm_last(gm_worker *w, V items) { return gm_apply(w, items, gm_length(w, items)); }

V gm_flatten_seq(gm_worker *w, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  if (!o->size) return items;
  V result = o->items[0];
  for (uint32_t i = 1; i < o->size; i++) result = gm_concat(w, result, o->items[i]);
  return result;
}

/* Whether `part` is in `whole` from an end on. */
static bool is_part(gm_worker *w, V part, V whole, bool at_end) {
  const gm_object *small = gm_sequence_of(w, part), *large = gm_sequence_of(w, whole);
  if (small->size > large->size) return false;
  uint32_t start = at_end ? large->size - small->size : 0;
  for (uint32_t i = 0; i < small->size; i++)
    if (!gm_equal(w, small->items[i], large->items[start + i])) return false;
  return true;
}

bool gm_is_prefix(gm_worker *w, V part, V whole) { return is_part(w, part, whole, false); }
bool gm_is_suffix(gm_worker *w, V part, V whole) { return is_part(w, part, whole, true); }
bool gm_is_strict_prefix(gm_worker *w, V part, V whole) {
  return !gm_equal(w, part, whole) && gm_is_prefix(w, part, whole);
}
bool gm_is_strict_suffix(gm_worker *w, V part, V whole) {
  return !gm_equal(w, part, whole) && gm_is_suffix(w, part, whole);
}
