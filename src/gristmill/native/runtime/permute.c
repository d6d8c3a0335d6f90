/* Permutations of model values applied to values. What a permutation makes of a kept value is remembered in a table that
   forgets what collides; an entry is one word, so that workers share it without locks. */

#include <stdlib.h>

#include "parts.h"

enum { ENTRIES = 1 << 16 };

struct gm_permutation {
  uint64_t positions; /* how many `to` knows; others stay */
  uint64_t *to;
  _Atomic uint64_t known[ENTRIES]; /* number of a kept object, then of its image */
};

gm_permutation *gm_permutation_new(gm_heap *h, const uint64_t *from, const uint64_t *to, uint32_t n) {
  (void)h;
  gm_permutation *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (from[i] >= p->positions) p->positions = from[i] + 1;
  }
  p->to = calloc((size_t)p->positions + 1, sizeof *p->to);
  if (!p->to) {
    free(p);
    return NULL;
  }
  for (uint64_t i = 0; i < p->positions; i++) p->to[i] = i;
  for (uint32_t i = 0; i < n; i++) p->to[from[i]] = to[i];
  return p;
}

void gm_permutation_free(gm_permutation *p) {
  if (p) free(p->to);
  free(p);
}

static V *images(gm_worker *w, gm_permutation *p, const V *items, uint32_t n) {
  V *result = gm_scratch(w, n);
  for (uint32_t i = 0; i < n; i++) result[i] = gm_permute(w, p, items[i]);
  return result;
}

/* The arguments of the image stand in another order: each value goes with its own. */
static V image_of_function(gm_worker *w, gm_permutation *p, const gm_object *o) {
  uint32_t n = o->size - 1;
  const V *arguments = images(w, p, gm_domain_of(o)->items, n), *values = images(w, p, o->items + 1, n);
  V *sorted = gm_scratch(w, n), *in_order = gm_scratch(w, n);
  memcpy(sorted, arguments, n * sizeof(V));
  V domain = gm_make_set(w, sorted, n);
  for (uint32_t i = 0; i < n; i++) {
    bool found;
    uint32_t at = gm_search(w, gm_object_of(domain)->items, n, arguments[i], &found);
    in_order[at] = values[i];
  }
  return gm_make_function(w, domain, in_order);
}

static V image(gm_worker *w, gm_permutation *p, const gm_object *o) {
  switch (o->kind) {
    case GM_SET: return gm_make_set(w, images(w, p, o->items, o->size), o->size);
    case GM_SEQUENCE: return gm_make_sequence(w, images(w, p, o->items, o->size), o->size);
    default: return image_of_function(w, p, o);
  }
}

V gm_permute(gm_worker *w, gm_permutation *p, V v) {
  if (gm_is_model_value(v)) {
    uint64_t position = gm_atom_position(v);
    return position < p->positions ? gm_atom(p->to[position], true) : v;
  }
  if (!gm_is_object(v)) return v;
  gm_check_stack(w);
  v = gm_keep(w, v);
  uint32_t number = gm_pack(w, v);
  _Atomic uint64_t *place = &p->known[gm_object_of(v)->hash % ENTRIES];
  uint64_t known = atomic_load_explicit(place, memory_order_acquire);
  if (known >> 32 == number) return gm_unpack(w->heap, (uint32_t)known);
  V result = gm_keep(w, image(w, p, gm_object_of(v)));
  atomic_store_explicit(place, (uint64_t)number << 32 | gm_pack(w, result), memory_order_release);
  return result;
}
