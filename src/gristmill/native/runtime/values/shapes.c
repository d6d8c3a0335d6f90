#include "shapes.h"

#include <pthread.h>
#include <stdlib.h>

enum {
  INT = 2,
  STRING,
  BOOL,
  MODEL_VALUE, /* without a type */
  TYPED,       /* a model value with the first type that was met, and so on */
  FIRST = 16,  /* of those that are described */
  MOST = 0xffff,
  INDEX_BITS = 17,
  PARTS = 8,
  UNIFORM = 255, /* in place of a number of parts: many, all of one shape */
  LONGEST = 1024 /* items of a value that are looked at */
};

/* SEQUENCE: `extent` is its length; FUNCTION: its domain; the parts are the shapes of the values in order. SET: the parts
   are the shapes of its elements, sorted, each once. */
typedef struct description {
  uint64_t extent;
  uint16_t parts[PARTS];
  uint8_t kind, count;
  bool is_record;
} description;

struct gm_shapes {
  pthread_mutex_t lock;
  _Atomic uint32_t count;
  _Atomic uint32_t types[FIRST - TYPED]; /* of model values, as they were met; 0: none yet */
  _Atomic uint16_t index[1 << INDEX_BITS];
  description known[MOST + 1];
};

gm_shapes *gm_shapes_new(void) {
  gm_shapes *shapes = calloc(1, sizeof *shapes);
  if (!shapes) return NULL;
  pthread_mutex_init(&shapes->lock, NULL);
  atomic_store(&shapes->count, FIRST);
  return shapes;
}

void gm_shapes_free(gm_shapes *shapes) {
  if (!shapes) return;
  pthread_mutex_destroy(&shapes->lock);
  free(shapes);
}

/* ---- descriptions and their numbers ---- */

static uint32_t home_of(const description *d) {
  uint64_t words[3], hash = d->extent ^ (uint64_t)d->kind << 56 ^ (uint64_t)d->count << 48;
  memcpy(words, d->parts, 2 * sizeof *words);
  hash = gm_mix(gm_mix(hash ^ words[0]) ^ words[1]);
  return (uint32_t)(hash >> (64 - INDEX_BITS));
}

static bool is_same(const description *a, const description *b) {
  return a->extent == b->extent && a->kind == b->kind && a->count == b->count &&
         memcmp(a->parts, b->parts, sizeof a->parts) == 0;
}

/* Its number; 0 and where it would be, if it has none. */
static uint16_t number_of(gm_shapes *shapes, const description *d, uint32_t *at) {
  for (*at = home_of(d);; *at = (*at + 1) & ((1 << INDEX_BITS) - 1)) {
    uint16_t number = atomic_load_explicit(&shapes->index[*at], memory_order_acquire);
    if (!number || is_same(&shapes->known[number], d)) return number;
  }
}

static uint16_t number(gm_shapes *shapes, const description *d) {
  uint32_t at;
  uint16_t found = number_of(shapes, d, &at);
  if (found) return found;
  pthread_mutex_lock(&shapes->lock);
  found = number_of(shapes, d, &at);
  uint32_t count = atomic_load(&shapes->count);
  if (!found && count < MOST) {
    found = (uint16_t)count;
    shapes->known[found] = *d;
    atomic_store(&shapes->count, count + 1);
    atomic_store_explicit(&shapes->index[at], found, memory_order_release);
  }
  pthread_mutex_unlock(&shapes->lock);
  return found ? found : GM_SHAPE_NONE;
}

/* ---- shapes of values ---- */

/* The shapes of items in order, or of all of them; false if there is one without. */
static bool describe_items(gm_worker *w, const V *items, uint32_t n, description *d) {
  bool uniform = true;
  uint16_t first = 0;
  if (n > LONGEST) return false;
  for (uint32_t i = 0; i < n; i++) {
    uint16_t shape = gm_shape_of(w, items[i]);
    if (shape == GM_SHAPE_NONE) return false;
    if (i == 0) first = shape;
    uniform &= shape == first;
    if (i < PARTS) d->parts[i] = shape;
  }
  d->count = (uint8_t)n;
  if (n <= PARTS) return true;
  memset(d->parts, 0, sizeof d->parts);
  d->parts[0] = first;
  d->count = UNIFORM;
  return uniform;
}

static bool describe_elements(gm_worker *w, const V *items, uint32_t n, description *d) {
  uint16_t last = 0;
  if (n > LONGEST) return false;
  for (uint32_t i = 0; i < n; i++) {
    uint16_t shape = gm_shape_of(w, items[i]);
    if (shape == last) continue;
    last = shape;
    uint32_t at = 0;
    while (at < d->count && d->parts[at] < shape) at++;
    if (at < d->count && d->parts[at] == shape) continue;
    if (shape == GM_SHAPE_NONE || d->count == PARTS) return false;
    memmove(d->parts + at + 1, d->parts + at, (d->count - at) * sizeof *d->parts);
    d->parts[at] = shape;
    d->count++;
  }
  return true;
}

static bool describe(gm_worker *w, const gm_object *o, description *d) {
  memset(d, 0, sizeof *d);
  d->kind = o->kind;
  switch (o->kind) {
    case GM_SET: return describe_elements(w, o->items, o->size, d);
    case GM_SEQUENCE: d->extent = o->size; return describe_items(w, o->items, o->size, d);
    case GM_FUNCTION:
      d->extent = o->items[0];
      d->is_record = gm_is_string(gm_domain_of(o)->items[0]);
      return describe_items(w, o->items + 1, o->size - 1, d);
    default: return false;
  }
}

/* Of model values with a type; NONE if there are too many types. */
static uint16_t of_type(gm_shapes *shapes, uint32_t type) {
  for (uint16_t i = 0; i < FIRST - TYPED; i++) {
    uint32_t known = 0;
    if (atomic_compare_exchange_strong(&shapes->types[i], &known, type) || known == type) return TYPED + i;
  }
  return GM_SHAPE_NONE;
}

static uint16_t of_model_value(const gm_heap *h, V v) {
  uint32_t type = gm_is_typed(h) ? gm_type_of(h, v) : 0;
  return type ? of_type(h->shapes, type) : MODEL_VALUE;
}

/* Of an object whose items are kept, itself or not. */
static uint16_t found(gm_worker *w, gm_object *o) {
  description d;
  gm_check_stack(w);
  uint16_t shape = describe(w, o, &d) ? number(w->heap->shapes, &d) : GM_SHAPE_NONE;
  if (o->flags & GM_KEPT) __atomic_store_n(&o->recipe, shape, __ATOMIC_RELEASE);
  return shape;
}

uint16_t gm_shape_of(gm_worker *w, V v) {
  if (gm_is_object(v)) {
    gm_object *o = gm_object_of(v);
    if (!(o->flags & GM_KEPT)) return GM_SHAPE_NONE;
    uint16_t known = __atomic_load_n(&o->recipe, __ATOMIC_ACQUIRE);
    return known ? known : found(w, o);
  }
  if (gm_is_int(v)) return INT;
  if (gm_is_string(v)) return STRING;
  if (gm_is_bool(v)) return BOOL;
  return gm_is_model_value(v) ? of_model_value(w->heap, v) : GM_SHAPE_NONE;
}

/* ---- what can be compared ---- */

static bool all_pairs(gm_worker *w, const description *a, const description *b) {
  for (uint32_t i = 0; i < a->count; i++)
    for (uint32_t j = 0; j < b->count; j++)
      if (!gm_can_compare(w, a->parts[i], b->parts[j])) return false;
  return true;
}

static bool part_by_part(gm_worker *w, const description *a, const description *b) {
  if (a->count != b->count) return false;
  uint32_t n = a->count == UNIFORM ? 1 : a->count;
  for (uint32_t i = 0; i < n; i++)
    if (!gm_can_compare(w, a->parts[i], b->parts[i])) return false;
  return true;
}

static bool described_can(gm_worker *w, const description *a, const description *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == GM_SET) return all_pairs(w, a, b);
  if (a->extent == b->extent) return part_by_part(w, a, b);
  return a->kind == GM_SEQUENCE || (a->is_record && b->is_record);
}

static bool can_compare(gm_worker *w, uint16_t a, uint16_t b) {
  if (a == GM_SHAPE_NONE || b == GM_SHAPE_NONE) return false;
  if (a == MODEL_VALUE || b == MODEL_VALUE) return true;
  if (a < FIRST || b < FIRST) return a == b;
  const description *known = w->heap->shapes->known;
  return described_can(w, &known[a], &known[b]);
}

static gm_pair *pair_of(gm_worker *w, uint64_t pair) {
  return &((gm_private *)w->private_data)->pairs[pair * 0x9e3779b97f4a7c15u >> 54];
}

bool gm_can_compare(gm_worker *w, uint16_t a, uint16_t b) {
  if (a < FIRST || b < FIRST) return can_compare(w, a, b);
  uint64_t pair = (uint64_t)a << 16 | b;
  gm_pair *known = pair_of(w, pair);
  if (known->pair == pair) return known->can;
  bool can = can_compare(w, a, b);
  *known = (gm_pair){pair, can};
  return can;
}

static bool can_look_up(gm_worker *w, uint16_t shape, const description *set) {
  for (uint32_t i = 0; i < set->count; i++)
    if (!gm_can_compare(w, shape, set->parts[i])) return false;
  return true;
}

bool gm_can_look_up(gm_worker *w, uint16_t shape, V set) {
  uint16_t of_set = gm_is_kept(set) ? gm_shape_of(w, set) : found(w, gm_object_of(set));
  if (of_set < FIRST || shape == GM_SHAPE_NONE) return false;
  uint64_t pair = UINT64_C(1) << 32 | (uint64_t)shape << 16 | of_set; /* none of two values */
  gm_pair *known = pair_of(w, pair);
  if (known->pair == pair) return known->can;
  bool can = can_look_up(w, shape, &w->heap->shapes->known[of_set]);
  *known = (gm_pair){pair, can};
  return can;
}
