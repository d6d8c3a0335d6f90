/* The canonical order, TLC's, and sorting by it. It fails wherever the reference refuses to compare, and a little more
   often, so that what can be compared is transitive along the order: if the neighbours in a sorted list can be compared,
   then any two elements can. Sets are merged in the trust that it is so. Beyond the reference it refuses

     - a record and a function that is none, in either order and whatever their sizes;
     - a function that has a model value as argument and one that has none, both not empty.

   Model values with a type break it, as an untyped one may stand between two that cannot be compared. Where the heap has
   any (`typed`), sets look their elements up one by one, as the reference does, and when a set is made, all pairs are
   compared if it has both sorts. */

#include "shapes.h"

static int sign(int64_t n) { return (n > 0) - (n < 0); }

static int compare_sizes(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int compare_each(gm_worker *w, const V *a, const V *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (a[i] == b[i]) continue;
    if (gm_are_plain(a[i], b[i])) return (int64_t)a[i] < (int64_t)b[i] ? -1 : 1;
    int result = gm_compare(w, a[i], b[i]);
    if (result) return result;
  }
  return 0;
}

static int compare_model_values(gm_worker *w, V a, V b) {
  if (gm_is_typed(w->heap)) {
    uint32_t x = gm_type_of(w->heap, a), y = gm_type_of(w->heap, b);
    if (x && y && x != y) gm_fail(w, GM_ERROR);
  }
  return a < b ? -1 : a > b;
}

static int compare_with_model_value(gm_worker *w, V a, V b) {
  if (gm_is_model_value(a) && gm_is_model_value(b)) return compare_model_values(w, a, b);
  if (gm_type_of(w->heap, gm_is_model_value(a) ? a : b)) gm_fail(w, GM_ERROR);
  return gm_is_model_value(a) ? -1 : 1;
}

/* ---- functions ---- */

enum family { RECORDS, ON_MODEL_VALUES, OTHERS };

static enum family family_of(const gm_object *o) {
  if (o->kind == GM_SEQUENCE) return OTHERS;
  V first = gm_domain_of(o)->items[0];
  if (gm_is_string(first)) return RECORDS;
  return gm_is_model_value(first) ? ON_MODEL_VALUES : OTHERS;
}

static int compare_indices(gm_worker *w, const gm_object *function) {
  const gm_object *domain = gm_domain_of(function);
  for (uint32_t i = 0; i < domain->size; i++) {
    if (!gm_is_int(domain->items[i])) gm_fail(w, GM_ERROR);
  }
  for (uint32_t i = 0; i < domain->size; i++) {
    int result = sign((int64_t)i + 1 - gm_int_of(domain->items[i]));
    if (result) return result;
  }
  return 0;
}

static int compare_functions(gm_worker *w, const gm_object *a, const gm_object *b) {
  uint32_t n = gm_arguments(a), m = gm_arguments(b);
  if (n && m && family_of(a) != family_of(b)) gm_fail(w, GM_ERROR);
  if (n != m) return compare_sizes(n, m);
  if (a->kind == GM_SEQUENCE && b->kind == GM_SEQUENCE) return compare_each(w, a->items, b->items, n);
  if (a->kind == GM_SEQUENCE) return compare_indices(w, b);
  if (b->kind == GM_SEQUENCE) return -compare_indices(w, a);
  int result = compare_each(w, gm_domain_of(a)->items, gm_domain_of(b)->items, n);
  return result ? result : compare_each(w, a->items + 1, b->items + 1, n);
}

/* ---- any two values ---- */

static int compare_objects(gm_worker *w, V a, V b) {
  gm_check_stack(w);
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (x->kind == GM_FUNCTION && y->kind == GM_FUNCTION && x->items[0] == y->items[0]) {
    return compare_each(w, x->items + 1, y->items + 1, x->size - 1);
  }
  a = gm_part(w, a);
  b = gm_part(w, b);
  x = gm_object_of(a);
  y = gm_object_of(b);
  if (x->kind == GM_SET && y->kind == GM_SET) {
    return x->size != y->size ? compare_sizes(x->size, y->size) : compare_each(w, x->items, y->items, x->size);
  }
  if (!gm_is_function_like(a) || !gm_is_function_like(b)) gm_fail(w, GM_ERROR);
  return compare_functions(w, x, y);
}

int gm_compare(gm_worker *w, V a, V b) {
  if (a == b) return 0;
  if (gm_is_object(a) && gm_is_object(b)) return compare_objects(w, a, b);
  if (gm_are_plain(a, b)) return (int64_t)a < (int64_t)b ? -1 : 1;
  if (gm_is_model_value(a) || gm_is_model_value(b)) return compare_with_model_value(w, a, b);
  gm_fail(w, GM_ERROR);
}

/* ---- sorting ---- */

enum { INSERTION = 12 }; /* up to so many, insertion is quicker than merging */

/* Words order as values do if all are of one such class. */
static bool all_plain(const gm_heap *h, const V *items, uint32_t n) {
  unsigned mask = gm_is_atom(items[0]) ? 15 : 7, class = (unsigned)(items[0] & mask);
  bool is_typed = gm_is_model_value(items[0]) && gm_is_typed(h);
  if (gm_is_object(items[0])) return false;
  for (uint32_t i = 1; i < n; i++) {
    if ((items[i] & mask) != class) return false;
    if (is_typed && gm_type_of(h, items[i]) != gm_type_of(h, items[0])) return false;
  }
  return true;
}

typedef int (*order)(gm_worker *w, V a, V b);

static int compare_words(gm_worker *w, V a, V b) {
  (void)w;
  return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
}

static void insertion_sort(gm_worker *w, V *items, uint32_t n, order compare) {
  for (uint32_t i = 1; i < n; i++) {
    V item = items[i];
    uint32_t at = i;
    for (; at && compare(w, items[at - 1], item) > 0; at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

static void merge_sort(gm_worker *w, V *items, V *spare, uint32_t n, order compare) {
  if (n <= INSERTION) {
    insertion_sort(w, items, n, compare);
    return;
  }
  uint32_t half = n / 2;
  merge_sort(w, items, spare, half, compare);
  merge_sort(w, items + half, spare, n - half, compare);
  if (compare(w, items[half - 1], items[half]) <= 0) return;
  memcpy(spare, items, half * sizeof(V));
  uint32_t left = 0, right = half, to = 0;
  while (left < half && right < n) {
    items[to++] = compare(w, spare[left], items[right]) <= 0 ? spare[left++] : items[right++];
  }
  memcpy(items + to, spare + left, (half - left) * sizeof(V));
}

/* ---- sets with model values of both sorts ---- */

enum { TYPED = 2, UNTYPED = 4, LOOKED = 8, MOST_PAIRED = 1000, MOST_SHAPES = 8 }; /* the first three in the flags of objects */

/* Which sorts of model values are in it. */
static unsigned sorts_in(const gm_heap *h, V v) {
  if (gm_is_model_value(v)) return gm_type_of(h, v) ? TYPED : UNTYPED;
  if (!gm_is_object(v)) return 0;
  gm_object *o = gm_object_of(v);
  unsigned found = 0;
  if (o->flags & LOOKED) return o->flags & (TYPED | UNTYPED);
  for (uint32_t i = 0; i < o->size; i++) found |= sorts_in(h, o->items[i]);
  if (!(o->flags & GM_KEPT)) o->flags |= (uint8_t)(found | LOOKED); /* others may be looking at kept ones */
  return found;
}

void gm_note_sorts(const gm_heap *h, gm_object *o) { sorts_in(h, gm_value_of(o)); }

/* Whether it is known, without looking inside, that any two of these values can be compared. */
static bool are_comparable(gm_worker *w, const V *items, uint32_t n) {
  uint16_t shapes[MOST_SHAPES], last = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint16_t shape = gm_shape_of(w, items[i]);
    if (shape == last) continue;
    if (shape == GM_SHAPE_NONE || count == MOST_SHAPES) return false;
    last = shape;
    for (uint32_t k = 0; k < count; k++)
      if (!gm_can_compare(w, shapes[k], shape)) return false;
    shapes[count++] = shape;
  }
  return true;
}

static void refuse_incomparable(gm_worker *w, const V *items, uint32_t n) {
  unsigned found = 0;
  if (are_comparable(w, items, n)) return;
  for (uint32_t i = 0; i < n; i++) found |= sorts_in(w->heap, items[i]);
  if (found != (TYPED | UNTYPED)) return;
  if (n > MOST_PAIRED) gm_fail(w, GM_ERROR);
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = i + 1; j < n; j++) gm_compare(w, items[i], items[j]);
  }
}

static uint32_t sort_comparable(gm_worker *w, V *items, uint32_t n) {
  if (n < 2) return n;
  order compare = all_plain(w->heap, items, n) ? compare_words : gm_compare;
  uint32_t ascending = 1;
  while (ascending < n && compare(w, items[ascending - 1], items[ascending]) < 0) ascending++;
  if (ascending == n) return n;
  char *mark = w->scratch_top;
  merge_sort(w, items, gm_scratch(w, n / 2), n, compare);
  w->scratch_top = mark;
  uint32_t left = 1;
  for (uint32_t i = 1; i < n; i++) {
    if (compare(w, items[i], items[left - 1])) items[left++] = items[i];
  }
  return left;
}

uint32_t gm_sort(gm_worker *w, V *items, uint32_t n) {
  uint32_t left = sort_comparable(w, items, n);
  if (gm_is_typed(w->heap)) refuse_incomparable(w, items, left);
  return left;
}

/* ---- searching ---- */

static uint32_t search_words(const V *items, uint32_t n, V value, bool *found) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if ((int64_t)items[middle] < (int64_t)value) low = middle + 1;
    else high = middle;
  }
  *found = low < n && items[low] == value;
  return low;
}

static bool is_plain_with(const gm_heap *h, const V *items, uint32_t n, V value) {
  return !gm_is_object(value) && gm_plain_class(h, items, n) && gm_plain_class(h, &value, 1) == gm_plain_class(h, items, n);
}

uint32_t gm_search(gm_worker *w, const V *items, uint32_t n, V value, bool *found) {
  *found = false;
  if (!n) return 0;
  if (is_plain_with(w->heap, items, n, value)) return search_words(items, n, value, found);
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    int result = gm_compare(w, value, items[middle]);
    if (!result) {
      *found = true;
      return middle;
    }
    if (result < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
