/* Sets that are described, not listed: made, and asked without going through them. */

#include "parts.h"

/* ---- making them ---- */

static gm_object NAT = {.kind = GM_NAT, .hash = 1}, INT_SET = {.kind = GM_INT_SET, .hash = 2},
                 STRINGS = {.kind = GM_STRINGS, .hash = 3};

V gm_nat(void) { return gm_value_of(&NAT); }
V gm_int_set(void) { return gm_value_of(&INT_SET); }
V gm_strings(void) { return gm_value_of(&STRINGS); }

static gm_object *described(gm_worker *w, enum gm_kind kind, const V *sets, uint32_t n) {
  gm_object *o = gm_new(w, kind, n);
  for (uint32_t i = 0; i < n; i++) {
    if (!gm_is_set(sets[i])) gm_fail(w, GM_ERROR);
    o->items[i] = sets[i];
  }
  return o;
}

V gm_interval_of(gm_worker *w, int64_t low, int64_t high) {
  gm_object *o = gm_new(w, GM_INTERVAL, 2);
  o->items[0] = gm_int(low);
  o->items[1] = gm_int(high);
  return gm_value_of(o);
}

V gm_interval(gm_worker *w, V low, V high) {
  if (!gm_is_int(low) || !gm_is_int(high)) gm_fail(w, GM_ERROR);
  return gm_interval_of(w, gm_int_of(low), gm_int_of(high));
}

V gm_powerset(gm_worker *w, V base) { return gm_value_of(described(w, GM_POWERSET, &base, 1)); }
V gm_sequences(gm_worker *w, V base) { return gm_value_of(described(w, GM_SEQUENCES, &base, 1)); }

V gm_functions(gm_worker *w, V domain, V range) {
  V both[2] = {domain, range};
  return gm_value_of(described(w, GM_FUNCTIONS, both, 2));
}

V gm_product(gm_worker *w, const V *factors, uint32_t n) {
  if (!n) gm_fail(w, GM_ERROR);
  return gm_value_of(described(w, GM_PRODUCT, factors, n));
}

V gm_records(gm_worker *w, V names, const V *sets) {
  if (!gm_is_kind(names, GM_SET) || !gm_object_of(names)->size) gm_fail(w, GM_ERROR);
  const gm_object *domain = gm_object_of(names);
  gm_object *o = gm_new(w, GM_RECORDS, domain->size + 1);
  o->items[0] = names;
  for (uint32_t i = 0; i < domain->size; i++) {
    if (!gm_is_string(domain->items[i]) || !gm_is_set(sets[i])) gm_fail(w, GM_ERROR);
    o->items[i + 1] = sets[i];
  }
  return gm_value_of(o);
}

/* ---- membership ---- */

/* An untyped model value is in no such set; everything else of the wrong kind is an error. */
static bool other_kind(gm_worker *w, V element) {
  if (!gm_is_model_value(element) || gm_type_of(w->heap, element)) gm_fail(w, GM_ERROR);
  return false;
}

static bool each_in(gm_worker *w, const V *items, uint32_t n, V set) {
  for (uint32_t i = 0; i < n; i++) {
    if (!gm_member(w, items[i], set)) return false;
  }
  return true;
}

static bool in_interval(gm_worker *w, V element, const gm_object *set) {
  if (gm_is_int(element)) {
    return (int64_t)set->items[0] <= (int64_t)element && (int64_t)element <= (int64_t)set->items[1];
  }
  return (int64_t)set->items[1] >= (int64_t)set->items[0] && other_kind(w, element);
}

static bool has_domain(gm_worker *w, const gm_object *function, V domain) {
  if (function->kind == GM_FUNCTION) return gm_equal(w, function->items[0], domain);
  if (gm_is_kind(domain, GM_INTERVAL)) {
    const gm_object *o = gm_object_of(domain);
    int64_t low = gm_int_of(o->items[0]), high = gm_int_of(o->items[1]);
    return function->size ? low == 1 && high == (int64_t)function->size : high < low;
  }
  return gm_equal(w, gm_interval_of(w, 1, function->size), domain);
}

static bool in_functions(gm_worker *w, V element, const gm_object *set) {
  if (!gm_is_function_like(element)) return other_kind(w, element);
  const gm_object *o = gm_object_of(element);
  uint32_t first = o->kind == GM_FUNCTION;
  return has_domain(w, o, set->items[0]) && each_in(w, o->items + first, o->size - first, set->items[1]);
}

static bool in_records(gm_worker *w, V element, const gm_object *set) {
  if (!gm_is_function_like(element)) return other_kind(w, element);
  const gm_object *o = gm_object_of(element);
  if (!gm_arguments(o)) return false;
  if (!gm_is_record(o)) gm_fail(w, GM_ERROR);
  if (o->size != set->size) return false;
  const V *names = gm_domain_of(set)->items, *fields = gm_domain_of(o)->items;
  for (uint32_t i = 1; i < o->size; i++) {
    if (names[i - 1] != fields[i - 1] || !gm_member(w, o->items[i], set->items[i])) return false;
  }
  return true;
}

static bool in_product(gm_worker *w, V element, const gm_object *set) {
  if (gm_is_kind(element, GM_FUNCTION)) {
    const gm_object *domain = gm_domain_of(gm_object_of(element));
    for (uint32_t i = 0; i < domain->size; i++) {
      if (!gm_is_int(domain->items[i])) gm_fail(w, GM_ERROR);
    }
    return false;
  }
  if (!gm_is_kind(element, GM_SEQUENCE)) return other_kind(w, element);
  const gm_object *o = gm_object_of(element);
  if (o->size != set->size) return false;
  for (uint32_t i = 0; i < o->size; i++) {
    if (!gm_member(w, o->items[i], set->items[i])) return false;
  }
  return true;
}

static bool in_sequences(gm_worker *w, V element, const gm_object *set) {
  if (!gm_is_kind(element, GM_SEQUENCE)) return other_kind(w, element);
  return each_in(w, gm_object_of(element)->items, gm_object_of(element)->size, set->items[0]);
}

static bool in_big_union(gm_worker *w, V element, const gm_object *set) {
  if (!gm_is_enumerable(w, set->items[0])) gm_fail(w, GM_ERROR);
  gm_iterator it;
  V each;
  gm_iterate_assign(w, &it, set->items[0]);
  while (gm_next(w, &it, &each)) {
    if (gm_member(w, element, each)) return true;
  }
  return false;
}

bool gm_lazy_member(gm_worker *w, V element, V set) {
  gm_check_stack(w);
  const gm_object *o = gm_object_of(set);
  element = gm_computed(w, element);
  switch (o->kind) {
    case GM_INTERVAL: return in_interval(w, element, o);
    case GM_NAT: return gm_is_int(element) ? gm_int_of(element) >= 0 : other_kind(w, element);
    case GM_INT_SET: return gm_is_int(element) || other_kind(w, element);
    case GM_STRINGS: return gm_is_string(element) || other_kind(w, element);
    case GM_POWERSET:
      if (!gm_is_enumerable(w, element)) gm_fail(w, GM_ERROR);
      return gm_subset(w, element, o->items[0]);
    case GM_FUNCTIONS: return in_functions(w, element, o);
    case GM_RECORDS: return in_records(w, element, o);
    case GM_PRODUCT: return in_product(w, element, o);
    case GM_SEQUENCES: return in_sequences(w, element, o);
    case GM_UNION: return gm_member(w, element, o->items[0]) || gm_member(w, element, o->items[1]);
    case GM_INTERSECTION: return gm_member(w, element, o->items[0]) && gm_member(w, element, o->items[1]);
    case GM_DIFFERENCE: return gm_member(w, element, o->items[0]) && !gm_member(w, element, o->items[1]);
    case GM_BIG_UNION: return in_big_union(w, element, o);
    default: gm_fail(w, GM_ERROR);
  }
}

/* ---- the sets that a set is composed of, where all that is asked of it follows from them ---- */

static bool is_composed(const gm_object *o) {
  return o->kind == GM_POWERSET || o->kind == GM_FUNCTIONS || o->kind == GM_RECORDS || o->kind == GM_PRODUCT;
}

static uint32_t first_part(const gm_object *o) { return o->kind == GM_RECORDS; }

/* ---- counting ---- */

bool gm_counts_quickly(V set) {
  if (!gm_is_object(set)) return false;
  const gm_object *o = gm_object_of(set);
  if (o->kind == GM_SET || o->kind == GM_INTERVAL) return true;
  if (!is_composed(o)) return false;
  for (uint32_t i = first_part(o); i < o->size; i++) {
    if (!gm_counts_quickly(o->items[i])) return false;
  }
  return true;
}

static uint64_t times(gm_worker *w, uint64_t a, uint64_t b) {
  uint64_t result;
  if (__builtin_mul_overflow(a, b, &result) || result > (uint64_t)GM_INT_MAX) gm_fail(w, GM_OVERFLOW);
  return result;
}

static uint64_t to_the(gm_worker *w, uint64_t base, uint64_t exponent) {
  if (base < 2) return exponent ? base : 1;
  uint64_t result = 1;
  for (uint64_t i = 0; i < exponent; i++) result = times(w, result, base);
  return result;
}

static uint64_t count_interval(const gm_object *o) {
  int64_t low = gm_int_of(o->items[0]), high = gm_int_of(o->items[1]);
  return high < low ? 0 : (uint64_t)(high - low) + 1;
}

uint64_t gm_count(gm_worker *w, V set) {
  if (!gm_is_set(set)) gm_fail(w, GM_ERROR);
  const gm_object *o = gm_object_of(set);
  uint64_t result = 1;
  switch (o->kind) {
    case GM_SET: return o->size;
    case GM_INTERVAL: return count_interval(o);
    case GM_POWERSET: return to_the(w, 2, gm_count(w, o->items[0]));
    case GM_FUNCTIONS: {
      uint64_t size = gm_count(w, o->items[0]);
      return size ? to_the(w, gm_count(w, o->items[1]), size) : 1;
    }
    case GM_RECORDS:
    case GM_PRODUCT:
      for (uint32_t i = first_part(o); i < o->size; i++) result = times(w, result, gm_count(w, o->items[i]));
      return result;
    default: return gm_object_of(gm_list(w, set))->size;
  }
}

V gm_cardinality(gm_worker *w, V set) {
  uint64_t n = gm_count(w, set);
  if (n > (uint64_t)GM_INT_MAX) gm_fail(w, GM_OVERFLOW);
  return gm_int((int64_t)n);
}

/* ---- emptiness, finiteness, enumerability ---- */

static bool none_found(gm_worker *w, V set) {
  gm_iterator it;
  V element;
  gm_iterate_assign(w, &it, set);
  return !gm_next(w, &it, &element);
}

bool gm_is_empty(gm_worker *w, V set) {
  if (!gm_is_set(set)) gm_fail(w, GM_ERROR);
  const gm_object *o = gm_object_of(set);
  switch (o->kind) {
    case GM_SET: return !o->size;
    case GM_INTERVAL: return (int64_t)o->items[1] < (int64_t)o->items[0];
    case GM_POWERSET:
    case GM_SEQUENCES:
    case GM_NAT:
    case GM_INT_SET:
    case GM_STRINGS: return false;
    case GM_FUNCTIONS: return !gm_is_empty(w, o->items[0]) && gm_is_empty(w, o->items[1]);
    case GM_RECORDS:
    case GM_PRODUCT:
      for (uint32_t i = first_part(o); i < o->size; i++) {
        if (gm_is_empty(w, o->items[i])) return true;
      }
      return false;
    default: return none_found(w, set);
  }
}

static bool every_part(gm_worker *w, const gm_object *o, bool (*question)(gm_worker *, V)) {
  for (uint32_t i = first_part(o); i < o->size; i++) {
    if (!question(w, o->items[i])) return false;
  }
  return true;
}

static bool every_element(gm_worker *w, V set, bool (*question)(gm_worker *, V)) {
  gm_iterator it;
  V element;
  gm_iterate_assign(w, &it, set);
  while (gm_next(w, &it, &element)) {
    if (!question(w, element)) return false;
  }
  return true;
}

bool gm_is_finite(gm_worker *w, V set) {
  if (!gm_is_set(set)) gm_fail(w, GM_ERROR);
  const gm_object *o = gm_object_of(set);
  if (is_composed(o)) return every_part(w, o, gm_is_finite);
  switch (o->kind) {
    case GM_SET:
    case GM_INTERVAL: return true;
    case GM_UNION: return gm_is_finite(w, o->items[0]) && gm_is_finite(w, o->items[1]);
    case GM_INTERSECTION:
      if (gm_is_finite(w, o->items[0]) || gm_is_finite(w, o->items[1])) return true;
      gm_fail(w, GM_ERROR);
    case GM_DIFFERENCE:
      if (gm_is_finite(w, o->items[0])) return true;
      if (gm_is_finite(w, o->items[1])) return false;
      gm_fail(w, GM_ERROR);
    case GM_BIG_UNION: return every_element(w, o->items[0], gm_is_finite);
    default: return false;
  }
}

bool gm_is_enumerable(gm_worker *w, V v) {
  if (!gm_is_set(v)) return false;
  const gm_object *o = gm_object_of(v);
  if (is_composed(o)) return every_part(w, o, gm_is_enumerable);
  switch (o->kind) {
    case GM_SET:
    case GM_INTERVAL: return true;
    case GM_UNION: return gm_is_enumerable(w, o->items[0]) && gm_is_enumerable(w, o->items[1]);
    case GM_INTERSECTION: return gm_is_enumerable(w, o->items[0]) || gm_is_enumerable(w, o->items[1]);
    case GM_DIFFERENCE: return gm_is_enumerable(w, o->items[0]);
    case GM_BIG_UNION: return gm_is_enumerable(w, o->items[0]) && every_element(w, o->items[0], gm_is_enumerable);
    default: return false;
  }
}
