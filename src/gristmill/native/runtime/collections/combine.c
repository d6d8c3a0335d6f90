/* Sets combined. Listed ones give listed ones; where a lazy set is involved the result may stay lazy, in the reference's
   cases. */

#include "memo.h"
#include "shapes.h"

/* ---- two listed sets side by side ---- */

typedef struct places {
  const gm_object *few, *many;
  uint32_t *at;   /* for each of the few: its index among the many, or that of the first that is larger */
  bool *has;      /* and whether it is there */
  uint32_t shared;
} places;

static bool both_plain(const gm_heap *h, const gm_object *a, const gm_object *b) {
  unsigned class = gm_plain_class(h, a->items, a->size);
  return class && class == gm_plain_class(h, b->items, b->size);
}

static int compare_words(gm_worker *w, V a, V b) {
  (void)w;
  return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
}

/* Where a value stands in `items[low..n)`: first near `low`, then further and further. Both its neighbours there are
   compared with it. */
static uint32_t gallop(gm_worker *w, const V *items, uint32_t low, uint32_t n, V value, bool plain, bool *found) {
  int (*compare)(gm_worker *, V, V) = plain ? compare_words : gm_compare;
  uint32_t step = 1, high = low;
  *found = false;
  while (high < n) {
    int result = compare(w, value, items[high]);
    if (!result) *found = true;
    if (!result) return high;
    if (result < 0) break;
    low = high + 1;
    high = n - low < step ? n : low + step;
    step *= 2;
  }
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int result = compare(w, value, items[middle]);
    if (!result) *found = true;
    if (!result) return middle;
    if (result < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* Fails if any element of one cannot be compared with one of the other. Few of many are looked for one by one. */
static places align(gm_worker *w, const gm_object *a, const gm_object *b) {
  places p = {a->size <= b->size ? a : b, a->size <= b->size ? b : a, NULL, NULL, 0};
  uint32_t n = p.few->size, at = 0;
  p.at = (uint32_t *)(void *)gm_scratch(w, (uint64_t)n / 2 + 1);
  p.has = (bool *)(void *)gm_scratch(w, (uint64_t)n / 8 + 1);
  bool plain = both_plain(w->heap, a, b), far = n < p.many->size / 8;
  for (uint32_t i = 0; i < n; i++) {
    V element = p.few->items[i];
    if (far) at += gm_search(w, p.many->items + at, p.many->size - at, element, &p.has[i]);
    else at = gallop(w, p.many->items, at, p.many->size, element, plain, &p.has[i]);
    p.at[i] = at;
    p.shared += p.has[i];
    at += p.has[i];
  }
  return p;
}

static V joined(gm_worker *w, const places *p) {
  gm_object *o = gm_new(w, GM_SET, p->few->size + p->many->size - p->shared);
  V *to = o->items;
  uint32_t from = 0;
  for (uint32_t i = 0; i < p->few->size; i++) {
    memcpy(to, p->many->items + from, (p->at[i] - from) * sizeof(V));
    to += p->at[i] - from;
    from = p->at[i];
    if (!p->has[i]) *to++ = p->few->items[i];
  }
  memcpy(to, p->many->items + from, (p->many->size - from) * sizeof(V));
  return gm_value_of(o);
}

/* Those of the many that are none of the few. */
static V remaining_many(gm_worker *w, const places *p) {
  gm_object *o = gm_new(w, GM_SET, p->many->size - p->shared);
  V *to = o->items;
  uint32_t from = 0;
  for (uint32_t i = 0; i < p->few->size; i++) {
    if (!p->has[i]) continue;
    memcpy(to, p->many->items + from, (p->at[i] - from) * sizeof(V));
    to += p->at[i] - from;
    from = p->at[i] + 1;
  }
  memcpy(to, p->many->items + from, (p->many->size - from) * sizeof(V));
  return gm_value_of(o);
}

/* Those of the few that are, or are not, among the many. */
static V selected_few(gm_worker *w, const places *p, bool has) {
  uint32_t n = has ? p->shared : p->few->size - p->shared, to = 0;
  if (n == p->few->size) return gm_value_of(p->few);
  if (!n) return w->empty_set;
  gm_object *o = gm_new(w, GM_SET, n);
  for (uint32_t i = 0; i < p->few->size; i++) {
    if (p->has[i] == has) o->items[to++] = p->few->items[i];
  }
  return gm_value_of(o);
}

/* ---- with model values that have types: one by one, as the reference does, unless shapes tell that nothing fails ---- */

static bool may_fail(gm_worker *w, V a, V b) {
  if (!gm_is_typed(w->heap)) return false;
  if (!gm_is_kept(a) || !gm_is_kept(b)) return true;
  return a != b && !gm_can_compare(w, gm_shape_of(w, a), gm_shape_of(w, b));
}

/* The same for a set of one element, which is kept, and a set that is. */
static bool may_fail_with(gm_worker *w, V element, V set) {
  return gm_is_typed(w->heap) && !gm_can_look_up(w, gm_shape_of(w, element), set);
}

static V filtered(gm_worker *w, V from, V by, bool wanted) {
  gm_iterator it;
  V element, list = gm_list(w, from);
  V *found = gm_scratch(w, gm_object_of(list)->size);
  uint32_t n = 0;
  gm_iterate(w, &it, list);
  while (gm_next(w, &it, &element)) {
    if (gm_member(w, element, by) == wanted) found[n++] = element;
  }
  return n == gm_object_of(list)->size ? list : gm_set_from_sorted(w, found, n);
}

static V joined_one_by_one(gm_worker *w, const gm_object *a, const gm_object *b) {
  for (uint32_t i = 0; i < b->size; i++) gm_member(w, b->items[i], gm_value_of(a));
  V *items = gm_scratch(w, (uint64_t)a->size + b->size);
  memcpy(items, a->items, a->size * sizeof(V));
  memcpy(items + a->size, b->items, b->size * sizeof(V));
  return gm_make_set(w, items, a->size + b->size);
}

/* ---- union, intersection, difference, inclusion ---- */

static bool counts_as_listed(V v) { return gm_is_kind(v, GM_SET) || gm_is_kind(v, GM_INTERVAL); }

static void need_sets(gm_worker *w, V a, V b) {
  if (!gm_is_set(a) || !gm_is_set(b)) gm_fail(w, GM_ERROR);
}

static V pair(gm_worker *w, enum gm_kind kind, V a, V b) {
  gm_object *o = gm_new(w, kind, 2);
  o->items[0] = a;
  o->items[1] = b;
  return gm_value_of(o);
}

/* A kept set with one element more, or without one that it has; the element is kept, too. */
static V with_element(gm_worker *w, V set, V element) {
  const gm_object *o = gm_object_of(set);
  bool found;
  uint32_t at = gm_search(w, o->items, o->size, element, &found);
  if (found) return set;
  gm_object *result = gm_new(w, GM_SET, o->size + 1);
  memcpy(result->items, o->items, at * sizeof(V));
  result->items[at] = element;
  memcpy(result->items + at + 1, o->items + at, (o->size - at) * sizeof(V));
  gm_derived(result, o, gm_item_hash(element, 0));
  return gm_value_of(result);
}

static V without_element(gm_worker *w, V set, V element) {
  const gm_object *o = gm_object_of(set);
  bool found;
  uint32_t at = gm_search(w, o->items, o->size, element, &found);
  if (!found) return set;
  if (o->size == 1) return w->empty_set;
  gm_object *result = gm_new(w, GM_SET, o->size - 1);
  memcpy(result->items, o->items, at * sizeof(V));
  memcpy(result->items + at, o->items + at + 1, (o->size - at - 1) * sizeof(V));
  gm_derived(result, o, -gm_item_hash(element, 0));
  return gm_value_of(result);
}

/* `msgs \cup {m}`, `msgs \ {m}`, where `msgs` is in the state: m will be in the next one, or was, and is kept. */
static V change_by_one(gm_worker *w, enum gm_memo_operation operation, V set, V element) {
  gm_recipe *r = gm_memo(w, operation, set, element, 0);
  V known = gm_memo_result(r, operation, set, element, 0);
  if (known) return known;
  V result = operation == GM_MEMO_WITH ? with_element(w, set, element) : without_element(w, set, element);
  return gm_memo_note(w, r, operation, set, element, 0, result);
}

static V combine(gm_worker *w, enum gm_memo_operation operation, V a, V b) {
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  places p = align(w, x, y);
  switch (operation) {
    case GM_MEMO_UNION: return p.shared < p.few->size ? joined(w, &p) : x->size >= y->size ? a : b;
    case GM_MEMO_INTERSECTION: return selected_few(w, &p, true);
    default: break;
  }
  if (p.few == x) return selected_few(w, &p, false);
  return p.shared ? remaining_many(w, &p) : a;
}

/* Neither is empty, they differ, and their elements can be compared. */
static V combine_listed(gm_worker *w, enum gm_memo_operation operation, V a, V b) {
  if (!gm_is_kept(a) || !gm_is_kept(b)) return combine(w, operation, a, b);
  gm_recipe *r = gm_memo(w, operation, a, b, 0);
  V known = gm_memo_result(r, operation, a, b, 0);
  if (known) return known;
  V result = combine(w, operation, a, b);
  if (!gm_is_kept(result)) gm_object_of(result)->flags |= GM_PARTS_KEPT;
  return gm_memo_note(w, r, operation, a, b, 0, result);
}

/* A kept set, and the element of another one. */
static V joined_with(gm_worker *w, V set, V one) {
  V element = gm_keep(w, gm_object_of(one)->items[0]);
  if (may_fail_with(w, element, set)) return joined_one_by_one(w, gm_object_of(set), gm_object_of(one));
  return change_by_one(w, GM_MEMO_WITH, set, element);
}

static V join(gm_worker *w, V a, V b) {
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (a == b || !y->size) return a;
  if (!x->size) return b;
  if (y->size == 1 && gm_is_kept(a)) return joined_with(w, a, b);
  if (x->size == 1 && gm_is_kept(b)) return joined_with(w, b, a);
  if (may_fail(w, a, b)) return joined_one_by_one(w, x, y);
  return combine_listed(w, GM_MEMO_UNION, a, b);
}

V gm_union(gm_worker *w, V a, V b) {
  if (gm_is_kind(a, GM_SET) && gm_is_kind(b, GM_SET)) return join(w, a, b);
  need_sets(w, a, b);
  if (counts_as_listed(a) && counts_as_listed(b)) return join(w, gm_list(w, a), gm_list(w, b));
  if (counts_as_listed(a)) return gm_object_of(gm_list(w, a))->size ? pair(w, GM_UNION, a, b) : b;
  if (counts_as_listed(b)) return gm_object_of(gm_list(w, b))->size ? pair(w, GM_UNION, b, a) : a;
  return pair(w, GM_UNION, a, b);
}

static bool both_listed(V a, V b) {
  return gm_is_kind(a, GM_SET) && gm_is_kind(b, GM_SET);
}

V gm_intersect(gm_worker *w, V a, V b) {
  need_sets(w, a, b);
  if (both_listed(a, b) && !may_fail(w, a, b)) {
    if (a == b || !gm_object_of(a)->size) return a;
    return gm_object_of(b)->size ? combine_listed(w, GM_MEMO_INTERSECTION, a, b) : b;
  }
  if (counts_as_listed(a)) return filtered(w, a, b, true);
  if (counts_as_listed(b)) return filtered(w, b, a, true);
  return pair(w, GM_INTERSECTION, a, b);
}

static V difference_of_listed(gm_worker *w, V a, V b) {
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (a == b) return w->empty_set;
  if (!x->size || !y->size) return a;
  if (y->size == 1 && gm_is_kept(a)) {
    V element = gm_keep(w, y->items[0]);
    return may_fail_with(w, element, a) ? filtered(w, a, b, false) : change_by_one(w, GM_MEMO_WITHOUT, a, element);
  }
  return may_fail(w, a, b) ? filtered(w, a, b, false) : combine_listed(w, GM_MEMO_DIFFERENCE, a, b);
}

V gm_difference(gm_worker *w, V a, V b) {
  need_sets(w, a, b);
  if (both_listed(a, b)) return difference_of_listed(w, a, b);
  return counts_as_listed(a) ? filtered(w, a, b, false) : pair(w, GM_DIFFERENCE, a, b);
}

static bool each_is_in(gm_worker *w, V a, V b) {
  gm_iterator it;
  V element;
  gm_iterate_assign(w, &it, a);
  while (gm_next(w, &it, &element)) {
    if (!gm_member(w, element, b)) return false;
  }
  return true;
}

/* Stops at the first that is not there, as the reference does. */
static bool listed_subset(gm_worker *w, const gm_object *a, const gm_object *b) {
  uint32_t at = 0;
  if (!a->size) return true;
  if (!b->size) return false;
  bool plain = both_plain(w->heap, a, b), found;
  for (uint32_t i = 0; i < a->size; i++) {
    at = gallop(w, b->items, at, b->size, a->items[i], plain, &found);
    if (!found) return false;
    at++;
  }
  return true;
}

bool gm_subset(gm_worker *w, V a, V b) {
  need_sets(w, a, b);
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (x->kind == GM_SET && y->kind == GM_SET && !may_fail(w, a, b)) return a == b || listed_subset(w, x, y);
  if (x->kind == GM_INTERVAL && (int64_t)x->items[1] < (int64_t)x->items[0]) return true;
  if (x->kind == GM_INTERVAL && y->kind == GM_INTERVAL) {
    return (int64_t)y->items[0] <= (int64_t)x->items[0] && (int64_t)x->items[1] <= (int64_t)y->items[1];
  }
  if (x->kind == GM_INTERVAL && y->kind == GM_NAT) return gm_int_of(x->items[0]) >= 0;
  if (x->kind == GM_INTERVAL && y->kind == GM_INT_SET) return true;
  if (x->kind == GM_POWERSET && y->kind == GM_POWERSET) return gm_subset(w, x->items[0], y->items[0]);
  return each_is_in(w, a, b);
}

/* ---- UNION ---- */

static V union_of_listed(gm_worker *w, const gm_object *sets) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < sets->size; i++) {
    if (!gm_is_kind(sets->items[i], GM_SET)) gm_fail(w, GM_ERROR);
    n += gm_object_of(sets->items[i])->size;
  }
  if (sets->size <= 2 || gm_is_typed(w->heap)) {
    V result = w->empty_set;
    for (uint32_t i = 0; i < sets->size; i++) result = join(w, result, sets->items[i]);
    return result;
  }
  if (n > UINT32_MAX) gm_fail(w, GM_ERROR);
  V *all = gm_scratch(w, n), *to = all;
  for (uint32_t i = 0; i < sets->size; i++) {
    const gm_object *set = gm_object_of(sets->items[i]);
    memcpy(to, set->items, set->size * sizeof(V));
    to += set->size;
  }
  return gm_make_set(w, all, (uint32_t)n);
}

V gm_big_union(gm_worker *w, V set) {
  if (gm_is_kind(set, GM_SET)) return union_of_listed(w, gm_object_of(set));
  if (!gm_is_lazy(set)) gm_fail(w, GM_ERROR);
  gm_object *o = gm_new(w, GM_BIG_UNION, 1);
  o->items[0] = set;
  return gm_value_of(o);
}
