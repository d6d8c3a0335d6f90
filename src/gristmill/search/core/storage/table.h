/* From keys to states: open addressing, exact. A slot is 0 (empty) or

     tag: bits of the hash | fresh: 1 bit | number of a state, or place of a fresh one, plus 1

   in 32 bits, of which an index takes as many as the table has entries for and the tag has the rest; in 64 where that would
   leave too few for the tag. It is written once by a compare-and-swap, so several workers may look up and insert at the
   same time. */

#ifndef GM_TABLE_H
#define GM_TABLE_H

#include "hash.h"
#include "packing.h"

/* Outside the table: the place of a fresh state, not the number of one. */
#define GM_FRESH (UINT64_C(1) << 39)
#define GM_INDEX (GM_FRESH - 1)
#define GM_MOST_STATES (GM_INDEX - 1)

__extension__ typedef unsigned __int128 gm_product;

int gm_table_open(gm_core *core, uint64_t size);
void gm_table_close(gm_table *table);
int gm_table_grow(gm_core *core, uint64_t entries); /* until so many fit; -1: no memory. No worker may run. */
int gm_table_refill(gm_core *core); /* with all states; -1: no memory */
uint64_t gm_table_bytes(const gm_table *table);
uint64_t gm_table_find(const gm_core *core, const uint32_t *key); /* the number of a state, or GM_NO_STATE */

/* ---- slots ---- */

static inline uint64_t gm_tag(const gm_table *table, uint64_t hash) { return (hash << table->tag_shift) & table->ones; }

/* `index`: a number, or a place with GM_FRESH. */
static inline uint64_t gm_slot(const gm_table *table, uint64_t hash, uint64_t index) {
  return gm_tag(table, hash) | (index & GM_FRESH ? table->fresh : 0) | ((index & GM_INDEX) + 1);
}
static inline uint64_t gm_slot_index(const gm_table *table, uint64_t slot) {
  return ((slot & (table->fresh - 1)) - 1) | (slot & table->fresh ? GM_FRESH : 0);
}

static inline uint64_t gm_home(const gm_table *table, uint64_t hash) {
  return (uint64_t)((gm_product)hash * table->size >> 64);
}
static inline uint64_t gm_after(const gm_table *table, uint64_t at) { return at + 1 == table->size ? 0 : at + 1; }

static inline _Atomic uint32_t *gm_narrow_slot(const gm_table *table, uint64_t at) {
  return (_Atomic uint32_t *)table->slots + at;
}
static inline _Atomic uint64_t *gm_wide_slot(const gm_table *table, uint64_t at) {
  return (_Atomic uint64_t *)table->slots + at;
}
static inline uint64_t gm_read_slot(const gm_table *table, uint64_t at, bool wide) {
  return wide ? atomic_load_explicit(gm_wide_slot(table, at), memory_order_acquire)
              : atomic_load_explicit(gm_narrow_slot(table, at), memory_order_acquire);
}
/* Where no other worker writes. */
static inline void gm_write_slot(const gm_table *table, uint64_t at, uint64_t slot) {
  if (table->wide)
    atomic_store_explicit(gm_wide_slot(table, at), slot, memory_order_release);
  else
    atomic_store_explicit(gm_narrow_slot(table, at), (uint32_t)slot, memory_order_release);
}
/* Whether it was empty still. */
static inline bool gm_fill_slot(const gm_table *table, uint64_t at, uint64_t slot) {
  uint64_t nothing = 0;
  uint32_t none = 0;
  if (table->wide)
    return atomic_compare_exchange_strong_explicit(gm_wide_slot(table, at), &nothing, slot, memory_order_release,
                                                   memory_order_relaxed);
  return atomic_compare_exchange_strong_explicit(gm_narrow_slot(table, at), &none, (uint32_t)slot, memory_order_release,
                                                 memory_order_relaxed);
}

/* Whether that is the key of a state that has a number. */
static inline bool gm_has_key(const gm_core *core, uint64_t number, const uint32_t *key) {
  return core->keys ? gm_same(gm_key_at(core, number), key, core->key_words) : gm_is_packed(core, number, key);
}

/* ---- fetching ahead ---- */

static inline void gm_prefetch_slot(const gm_table *table, uint64_t hash) {
  __builtin_prefetch((const char *)table->slots + (gm_home(table, hash) << (table->wide ? 3 : 2)), 1);
}

/* To be called some time after gm_prefetch_slot: fetch the state that will be compared, if there is one nearby. */
static inline void gm_prefetch_key(const gm_core *core, uint64_t hash) {
  const gm_table *table = &core->table;
  uint64_t tag = gm_tag(table, hash), at = gm_home(table, hash);
  for (uint32_t tries = 0; tries < 8; tries++, at = gm_after(table, at)) {
    uint64_t slot = gm_read_slot(table, at, table->wide);
    if (slot == 0) return;
    if ((slot ^ tag) >> table->tag_shift == 0) {
      uint64_t index = gm_slot_index(table, slot);
      if (index & GM_FRESH)
        __builtin_prefetch(gm_fresh_key(core, index & GM_INDEX));
      else if (core->keys)
        __builtin_prefetch(gm_key_at(core, index));
      else
        __builtin_prefetch(core->states.base + gm_state_offset(core, index));
      return;
    }
  }
}

/* The same for all that a worker has collected. */
static inline void gm_prefetch_keys(const gm_searcher *worker) {
  const gm_sink *sink = &worker->sink;
  for (uint32_t i = 0; i < sink->count && i < GM_PREFETCHED; i++) gm_prefetch_key(worker->core, sink->hashes[i]);
}

/* ---- looking up ---- */

static inline uint64_t gm_look_up_in(const gm_core *core, uint64_t hash, const uint32_t *key, uint64_t *empty, bool wide) {
  const gm_table *table = &core->table;
  uint64_t tag = gm_tag(table, hash);
  for (uint64_t at = gm_home(table, hash);; at = gm_after(table, at)) {
    uint64_t slot = gm_read_slot(table, at, wide);
    if (slot == 0) {
      *empty = at;
      return GM_NO_STATE;
    }
    if ((slot ^ tag) >> table->tag_shift != 0) continue;
    uint64_t index = gm_slot_index(table, slot);
    bool is_same = index & GM_FRESH ? gm_same(gm_fresh_key(core, index & GM_INDEX), key, core->key_words)
                                    : gm_has_key(core, index, key);
    if (is_same) return index;
  }
}

/* The number of an equal state, or its place with GM_FRESH; or GM_NO_STATE and `*empty` is the slot where it belongs. */
static inline uint64_t gm_look_up(const gm_core *core, uint64_t hash, const uint32_t *key, uint64_t *empty) {
  return core->table.wide ? gm_look_up_in(core, hash, key, empty, true) : gm_look_up_in(core, hash, key, empty, false);
}

#endif
