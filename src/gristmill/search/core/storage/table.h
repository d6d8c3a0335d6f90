/* From keys to states: open addressing, exact. A slot is 0 (empty) or

     tag: 24 bits of the hash | fresh: 1 bit | number of a state, or place of a fresh one, plus 1: 39 bits

   and is written once by a compare-and-swap, so several workers may look up and insert at the same time. */

#ifndef GM_TABLE_H
#define GM_TABLE_H

#include "hash.h"
#include "internal.h"

#define GM_FRESH (UINT64_C(1) << 39)
#define GM_INDEX (GM_FRESH - 1)
#define GM_MOST_STATES (GM_INDEX - 1)

int gm_table_open(gm_core *core, uint32_t bits);
void gm_table_close(gm_table *table);
int gm_table_grow(gm_core *core, uint64_t entries); /* until so many fit; -1: no memory. No worker may run. */
int gm_table_refill(gm_core *core); /* with all states; -1: no memory */
uint64_t gm_table_bytes(const gm_table *table);
uint64_t gm_table_find(const gm_core *core, const uint32_t *key); /* the number of a state, or GM_NO_STATE */

static inline uint64_t gm_slot(uint64_t hash, uint64_t index_and_fresh) {
  return hash << 40 | (index_and_fresh + 1);
}
/* The index, with GM_FRESH if it is. */
static inline uint64_t gm_slot_index(uint64_t slot) { return (slot & (GM_FRESH | GM_INDEX)) - 1; }

static inline uint64_t gm_home(const gm_table *table, uint64_t hash) { return hash >> (64 - table->bits); }

static inline const uint32_t *gm_slot_key(const gm_core *core, uint64_t slot) {
  uint64_t index = (slot & GM_INDEX) - 1;
  return slot & GM_FRESH ? gm_fresh_key(core, index) : gm_key_at(core, index);
}

static inline void gm_prefetch_slot(const gm_table *table, uint64_t hash) {
  __builtin_prefetch((const void *)&table->slots[gm_home(table, hash)], 1);
}

/* To be called some time after gm_prefetch_slot: fetch the state that will be compared, if there is one nearby. */
static inline void gm_prefetch_key(const gm_core *core, uint64_t hash) {
  const gm_table *table = &core->table;
  uint64_t mask = (UINT64_C(1) << table->bits) - 1, tag = hash << 40, at = gm_home(table, hash);
  for (uint32_t tries = 0; tries < 8; tries++, at = (at + 1) & mask) {
    uint64_t slot = atomic_load_explicit(&table->slots[at], memory_order_relaxed);
    if (slot == 0) return;
    if ((slot ^ tag) >> 40 == 0) {
      __builtin_prefetch(gm_slot_key(core, slot));
      return;
    }
  }
}

/* The same for all that a worker has collected. */
static inline void gm_prefetch_keys(const gm_searcher *worker) {
  const gm_sink *sink = &worker->sink;
  for (uint32_t i = 0; i < sink->count && i < GM_PREFETCHED; i++) gm_prefetch_key(worker->core, sink->hashes[i]);
}

/* The slot of an equal state, or 0 and `*empty` is where it belongs. */
static inline uint64_t gm_look_up(const gm_core *core, uint64_t hash, const uint32_t *key, _Atomic uint64_t **empty) {
  const gm_table *table = &core->table;
  uint64_t mask = (UINT64_C(1) << table->bits) - 1, tag = hash << 40;
  for (uint64_t at = gm_home(table, hash);; at = (at + 1) & mask) {
    uint64_t slot = atomic_load_explicit(&table->slots[at], memory_order_acquire);
    if (slot == 0) {
      *empty = &table->slots[at];
      return 0;
    }
    if ((slot ^ tag) >> 40 == 0 && gm_same(gm_slot_key(core, slot), key, core->key_words)) return slot;
  }
}

#endif
