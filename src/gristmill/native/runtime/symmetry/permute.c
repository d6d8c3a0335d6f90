/* Permutations of model values applied to values. What a permutation makes of a kept value is remembered in a table that
   forgets what collides: either one for a permutation, whose entries are one word, so that workers share it without locks;
   or one for a worker and all permutations that it uses. */

#include <stdlib.h>

#include "canonical.h"
#include "parts.h"

enum { ENTRIES = 1 << 16 };

typedef struct own_entry {
  uint64_t code; /* of a permutation */
  uint32_t number, image;
} own_entry;

struct gm_permutation {
  uint64_t positions; /* how many `to` knows; others stay */
  uint64_t *to;
  _Atomic uint64_t *known; /* number of a kept object, then of its image */
  own_entry *own;          /* in its place, if it can be changed */
  uint64_t code;
};

static gm_permutation *new_identity(const uint64_t *positions, uint32_t n) {
  gm_permutation *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (positions[i] >= p->positions) p->positions = positions[i] + 1;
  }
  p->to = calloc((size_t)p->positions + 1, sizeof *p->to);
  for (uint64_t i = 0; p->to && i < p->positions; i++) p->to[i] = i;
  return p;
}

static gm_permutation *complete(gm_permutation *p) {
  if (p && p->to && (p->known || p->own)) return p;
  gm_permutation_free(p);
  return NULL;
}

gm_permutation *gm_permutation_new(gm_heap *h, const uint64_t *from, const uint64_t *to, uint32_t n) {
  (void)h;
  gm_permutation *p = new_identity(from, n);
  if (p) p->known = calloc(ENTRIES, sizeof *p->known);
  p = complete(p);
  for (uint32_t i = 0; p && i < n; i++) p->to[from[i]] = to[i];
  return p;
}

gm_permutation *gm_permutation_changeable(const uint64_t *positions, uint32_t n) {
  gm_permutation *p = new_identity(positions, n);
  if (p) p->own = calloc(ENTRIES, sizeof *p->own);
  return complete(p);
}

void gm_permutation_change(gm_permutation *p, uint64_t code, const uint64_t *from, const uint64_t *to, uint32_t n) {
  p->code = code;
  for (uint32_t i = 0; i < n; i++) p->to[from[i]] = to[i];
}

void gm_permutation_free(gm_permutation *p) {
  if (!p) return;
  free(p->to);
  free(p->known);
  free(p->own);
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

static V permute_own(gm_worker *w, gm_permutation *p, V v, uint32_t number) {
  own_entry *entry = &p->own[gm_mix(gm_object_of(v)->hash + p->code) % ENTRIES];
  if (entry->number == number && entry->code == p->code) return gm_unpack(w->heap, entry->image);
  V result = gm_keep(w, image(w, p, gm_object_of(v)));
  *entry = (own_entry){p->code, number, gm_pack(w, result)};
  return result;
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
  if (p->own) return permute_own(w, p, v, number);
  _Atomic uint64_t *place = &p->known[gm_object_of(v)->hash % ENTRIES];
  uint64_t known = atomic_load_explicit(place, memory_order_acquire);
  if (known >> 32 == number) return gm_unpack(w->heap, (uint32_t)known);
  V result = gm_keep(w, image(w, p, gm_object_of(v)));
  atomic_store_explicit(place, (uint64_t)number << 32 | gm_pack(w, result), memory_order_release);
  return result;
}
