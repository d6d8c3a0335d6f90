/* Kept values: one object of a value, found by its hash in a table that many workers fill at once. */

#include "memo.h"

static const uint64_t BUFFER = (uint64_t)1 << 16; /* what a worker takes from the heap at a time */

/* ---- hashes ---- */

static uint64_t hash_items(const gm_object *o) {
  uint64_t hash = gm_mix(o->kind), step = o->kind != GM_SET;
  for (uint32_t i = 0; i < o->size; i++) hash += gm_item_hash(o->items[i], step * (i + 1));
  return hash ? hash : 1; /* 0: not computed */
}

uint64_t gm_hash(V v) {
  if (!gm_is_object(v)) return gm_mix(v);
  gm_object *o = gm_object_of(v);
  if (!o->hash) o->hash = hash_items(o);
  return o->hash;
}

bool gm_same(V a, V b) {
  if (a == b) return true;
  if (!gm_is_object(a) || !gm_is_object(b)) return false;
  const gm_object *x = gm_object_of(a), *y = gm_object_of(b);
  if (x->kind != y->kind || x->size != y->size) return false;
  if (x->flags & y->flags & GM_KEPT) return false;
  if (x->kind == GM_LAMBDA || (x->hash && y->hash && x->hash != y->hash)) return false;
  for (uint32_t i = 0; i < x->size; i++) {
    if (!gm_same(x->items[i], y->items[i])) return false;
  }
  return true;
}

/* ---- the table ---- */

static gm_object *place(const gm_heap *h, uint64_t slot) { return (gm_object *)(h->base + ((slot & UINT32_MAX) << 4)); }

static char *take(gm_worker *w, uint64_t bytes) {
  gm_heap *h = w->heap;
  uint64_t at = atomic_fetch_add(&h->used, bytes);
  if (at + bytes > h->reserved) {
    atomic_store(&h->exhausted, true);
    gm_fail(w, GM_FULL);
  }
  return h->base + at;
}

static gm_object *copy_to_heap(gm_worker *w, const gm_object *o) {
  gm_private *p = w->private_data;
  uint64_t exact = sizeof *o + o->size * sizeof(V), bytes = (exact + 15) & ~(uint64_t)15;
  gm_object *copy;
  if (bytes > BUFFER / 4) {
    copy = (gm_object *)(void *)take(w, bytes);
  } else {
    if (bytes > (uint64_t)(p->keep_end - p->keep_top)) {
      p->keep_top = take(w, BUFFER);
      p->keep_end = p->keep_top + BUFFER;
    }
    copy = (gm_object *)(void *)p->keep_top;
    p->keep_top += bytes;
  }
  memcpy(copy, o, (size_t)exact);
  if (gm_is_typed(w->heap)) gm_note_sorts(w->heap, copy);
  copy->flags |= GM_KEPT;
  copy->recipe = 0;
  return copy;
}

/* Another worker was quicker. The last copy is what the buffer ends with, unless it was too large for that. */
static void give_back(gm_worker *w, gm_object *copy) {
  gm_private *p = w->private_data;
  uint64_t bytes = (sizeof *copy + copy->size * sizeof(V) + 15) & ~(uint64_t)15;
  if ((char *)copy + bytes == p->keep_top) p->keep_top = (char *)copy;
}

static bool is_twin(const gm_object *kept, const gm_object *o) {
  return kept->hash == o->hash && kept->kind == o->kind && kept->size == o->size &&
         memcmp(kept->items, o->items, o->size * sizeof(V)) == 0;
}

/* The twin of an object whose items are kept and whose hash is known. */
static gm_object *find_or_insert(gm_worker *w, const gm_object *o) {
  gm_heap *h = w->heap;
  gm_object *copy = NULL;
  uint64_t at = o->hash & h->mask;
  for (;;) {
    uint64_t slot = atomic_load_explicit(&h->table[at], memory_order_acquire);
    if (!slot) {
      if (!copy) {
        if (atomic_load_explicit(&h->count, memory_order_relaxed) > h->mask / 8 * 7) gm_fail(w, GM_FULL);
        copy = copy_to_heap(w, o);
      }
      uint64_t mine = (o->hash >> 32 << 32) | (uint64_t)((char *)copy - h->base) >> 4;
      if (atomic_compare_exchange_strong_explicit(&h->table[at], &slot, mine, memory_order_acq_rel,
                                                  memory_order_acquire)) {
        atomic_fetch_add_explicit(&h->count, 1, memory_order_relaxed);
        return copy;
      }
    }
    if (slot >> 32 == o->hash >> 32 && is_twin(place(h, slot), o)) {
      if (copy) give_back(w, copy);
      return place(h, slot);
    }
    at = (at + 1) & h->mask;
  }
}

/* Items of scratch objects become their kept twins in place: they are the same values. */
static void keep_items(gm_worker *w, gm_object *o) {
  for (uint32_t i = 0; i < o->size; i++) {
    V item = o->items[i];
    if (gm_is_object(item) && !gm_is_kept(item)) o->items[i] = gm_keep(w, item);
  }
}

V gm_keep(gm_worker *w, V v) {
  if (!gm_is_object(v) || gm_is_kept(v)) {
    if (gm_tag(v) == GM_TAG_THUNK || gm_tag(v) == GM_TAG_MARK) gm_fail(w, GM_ERROR);
    return v;
  }
  gm_check_stack(w);
  v = gm_part(w, v);
  gm_object *o = gm_object_of(v);
  if (o->flags & GM_KEPT) return v;
  if (!(o->flags & GM_PARTS_KEPT)) keep_items(w, o);
  gm_hash(v); /* and the flags of sorts of model values, if they are known, go along */
  V kept = gm_value_of(find_or_insert(w, o));
  if (o->recipe) gm_memo_kept(w, v, kept);
  return kept;
}

/* ---- numbers ---- */

uint32_t gm_pack_slow(gm_worker *w, V v) {
  if (gm_is_int(v)) {
    gm_object *big = gm_new(w, GM_BIG, 1);
    big->items[0] = v;
    v = gm_value_of(big);
  }
  if (gm_is_object(v)) return gm_pack(w, gm_keep(w, v));
  if (!gm_is_atom(v) || v >> 33) gm_fail(w, GM_ERROR);
  return (uint32_t)(v >> 3) << 2 | 2;
}
