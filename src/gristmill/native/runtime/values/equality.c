/* `a = b` as the reference decides it: values are compared part by part up to the first that differs, and it fails if
   those two are of different kinds. */

#include "shapes.h"

static bool equal_each(gm_worker *w, const V *a, const V *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (a[i] != b[i] && (gm_are_plain(a[i], b[i]) || !gm_equal_slow(w, a[i], b[i]))) return false;
  }
  return true;
}

static bool equal_with_model_value(gm_worker *w, V a, V b) {
  const gm_heap *h = w->heap;
  uint32_t x = gm_is_model_value(a) ? gm_type_of(h, a) : 0, y = gm_is_model_value(b) ? gm_type_of(h, b) : 0;
  if (gm_is_model_value(a) && gm_is_model_value(b)) {
    if (x && y && x != y) gm_fail(w, GM_ERROR);
  } else if (x || y) {
    gm_fail(w, GM_ERROR);
  }
  return false;
}

/* A record on the left is compared with records and the empty function only. */
static void refuse_record_with_other(gm_worker *w, const gm_object *a, const gm_object *b) {
  if (gm_arguments(b) && gm_is_record(a) && !gm_is_record(b)) gm_fail(w, GM_ERROR);
}

static bool equal_to_sequence(gm_worker *w, const gm_object *a, const gm_object *b) {
  const gm_object *function = a->kind == GM_FUNCTION ? a : b;
  if (function == a) refuse_record_with_other(w, a, b);
  if (gm_arguments(a) != gm_arguments(b)) return false;
  const gm_object *domain = gm_domain_of(function);
  for (uint32_t i = 0; i < domain->size; i++) {
    if (!gm_is_int(domain->items[i])) gm_fail(w, GM_ERROR);
  }
  return false;
}

static bool equal_functions(gm_worker *w, const gm_object *a, const gm_object *b) {
  if (a->kind == GM_SEQUENCE && b->kind == GM_SEQUENCE) {
    return a->size == b->size && equal_each(w, a->items, b->items, a->size);
  }
  if (a->kind != b->kind) return equal_to_sequence(w, a, b);
  if (a->items[0] != b->items[0]) {
    refuse_record_with_other(w, a, b);
    if (a->size != b->size) return false;
    if (!equal_each(w, gm_domain_of(a)->items, gm_domain_of(b)->items, a->size - 1)) return false;
  }
  return equal_each(w, a->items + 1, b->items + 1, a->size - 1);
}

static bool equal_objects(gm_worker *w, V a, V b) {
  gm_check_stack(w);
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (x->flags & y->flags & GM_KEPT && gm_can_compare(w, gm_shape_of(w, a), gm_shape_of(w, b))) return false;
  if (x->kind == GM_FUNCTION && y->kind == GM_FUNCTION && x->items[0] == y->items[0]) {
    return equal_each(w, x->items + 1, y->items + 1, x->size - 1);
  }
  a = gm_computed(w, a);
  b = gm_computed(w, b);
  x = gm_object_of(a);
  y = gm_object_of(b);
  if (x->kind == GM_SET && y->kind == GM_SET) return x->size == y->size && equal_each(w, x->items, y->items, x->size);
  if (gm_is_function_like(a) && gm_is_function_like(b)) return equal_functions(w, x, y);
  if (gm_is_set(a) && gm_is_set(b)) return gm_equal_sets(w, a, b);
  gm_fail(w, GM_ERROR);
}

bool gm_equal_slow(gm_worker *w, V a, V b) {
  if (a == b) return true;
  if (gm_tag(a) == GM_TAG_BITS && gm_tag(b) == GM_TAG_BITS) return false; /* slots of sets */
  if (gm_is_object(a) && gm_is_object(b)) return equal_objects(w, a, b);
  if (gm_is_model_value(a) || gm_is_model_value(b)) return equal_with_model_value(w, a, b);
  if (gm_are_plain(a, b)) return false;
  gm_fail(w, GM_ERROR);
}

/* ---- sets not listed ---- */

/* Not described in the same way. */
static bool equal_by_listing(gm_worker *w, V a, V b) {
  if (gm_counts_quickly(a) && gm_counts_quickly(b) && gm_count(w, a) != gm_count(w, b)) return false;
  return gm_equal(w, gm_list(w, a), gm_list(w, b));
}

static bool equal_intervals(const gm_object *a, const gm_object *b) {
  bool a_empty = (int64_t)a->items[1] < (int64_t)a->items[0], b_empty = (int64_t)b->items[1] < (int64_t)b->items[0];
  return (a->items[0] == b->items[0] && a->items[1] == b->items[1]) || (a_empty && b_empty);
}

static bool equal_function_sets(gm_worker *w, V a, V b) {
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (!gm_equal(w, x->items[0], y->items[0])) return gm_is_empty(w, a) && gm_is_empty(w, b);
  return gm_equal(w, x->items[1], y->items[1]) || gm_is_empty(w, x->items[0]);
}

static bool equal_record_sets(gm_worker *w, V a, V b) {
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (gm_is_empty(w, a) || gm_is_empty(w, b)) return gm_is_empty(w, a) && gm_is_empty(w, b);
  return gm_same(x->items[0], y->items[0]) && equal_each(w, x->items + 1, y->items + 1, x->size - 1);
}

static bool equal_products(gm_worker *w, V a, V b) {
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (gm_is_empty(w, a) || gm_is_empty(w, b)) return gm_is_empty(w, a) && gm_is_empty(w, b);
  return x->size == y->size && equal_each(w, x->items, y->items, x->size);
}

bool gm_equal_sets(gm_worker *w, V a, V b) {
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (x->kind != y->kind) return equal_by_listing(w, a, b);
  switch (x->kind) {
    case GM_INTERVAL: return equal_intervals(x, y);
    case GM_POWERSET:
    case GM_SEQUENCES: return gm_equal(w, x->items[0], y->items[0]);
    case GM_FUNCTIONS: return equal_function_sets(w, a, b);
    case GM_RECORDS: return equal_record_sets(w, a, b);
    case GM_PRODUCT: return equal_products(w, a, b);
    default: return gm_same(a, b) || equal_by_listing(w, a, b);
  }
}
