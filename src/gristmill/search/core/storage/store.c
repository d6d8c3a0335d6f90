/* States by number, and the room for them. */

#include <stdlib.h>
#include <string.h>

#include "table.h"

#ifndef GM_FIRST_BITS
#define GM_FIRST_BITS 14 /* of the table */
#endif

static uint64_t capacity_of(const gm_region *region, uint64_t unit) {
  return unit == 0 ? GM_MOST_STATES : region->reserved / unit;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static int open_known(gm_core *core, uint64_t state_bytes, uint64_t key_bytes) {
  if (gm_region_open(&core->states, gm_address_space()) != 0) return -1;
  if (gm_region_open(&core->origins, gm_address_space() / 4) != 0) return -1;
  core->capacity = least(capacity_of(&core->states, state_bytes), capacity_of(&core->origins, sizeof(uint64_t)));
  core->keys = (uint32_t *)core->states.base;
  core->key_words = core->model.words;
  if (key_bytes == 0) return 0;
  if (gm_region_open(&core->key_region, gm_address_space()) != 0) return -1;
  core->capacity = least(core->capacity, capacity_of(&core->key_region, key_bytes));
  core->keys = (uint32_t *)core->key_region.base;
  core->key_words = (uint32_t)(key_bytes / sizeof(uint32_t));
  return 0;
}

static int open_fresh(gm_core *core, uint64_t state_bytes, uint64_t key_bytes) {
  if (core->limits.workers < 2) return 0;
  if (gm_region_open(&core->fresh_states, gm_address_space()) != 0) return -1;
  if (gm_region_open(&core->claims, gm_address_space() / 4) != 0) return -1;
  core->fresh_capacity = least(capacity_of(&core->fresh_states, state_bytes), UINT32_MAX);
  core->fresh_capacity = least(core->fresh_capacity, capacity_of(&core->claims, sizeof(uint64_t)));
  core->fresh_key_words = (uint32_t *)core->fresh_states.base;
  if (key_bytes == 0) return 0;
  if (gm_region_open(&core->fresh_keys, gm_address_space()) != 0) return -1;
  core->fresh_capacity = least(core->fresh_capacity, capacity_of(&core->fresh_keys, key_bytes));
  core->fresh_key_words = (uint32_t *)core->fresh_keys.base;
  return 0;
}

int gm_store_open(gm_core *core) {
  uint64_t state_bytes = (uint64_t)core->model.words * sizeof(uint32_t);
  uint64_t key_bytes = (uint64_t)core->model.key_words * sizeof(uint32_t);
  if (core->limits.fingerprints_only) key_bytes = sizeof(uint64_t);
  if (open_known(core, state_bytes, key_bytes) != 0) return -1;
  if (open_fresh(core, state_bytes, key_bytes) != 0) return -1;
  return gm_table_open(core, GM_FIRST_BITS);
}

void gm_store_close(gm_core *core) {
  gm_table_close(&core->table);
  gm_region *regions[] = {&core->states,       &core->key_region, &core->origins,
                          &core->fresh_states, &core->fresh_keys, &core->claims};
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) gm_region_close(regions[i]);
}

bool gm_has_room(gm_core *core, uint64_t more) {
  if (core->count + more > core->capacity) return false;
  if (core->count + more <= core->table.limit) return true;
  return gm_table_grow(core, core->count + more) == 0;
}

/* The caller has seen to it that there is room, and puts it into the table. */
uint64_t gm_store_append(gm_core *core, const uint32_t *words, const uint32_t *key, uint64_t origin) {
  uint64_t number = core->count++;
  memcpy(core->states.base + number * core->model.words * sizeof(uint32_t), words,
         core->model.words * sizeof(uint32_t));
  if (core->key_region.base)
    memcpy(core->key_region.base + number * core->key_words * sizeof(uint32_t), key,
           core->key_words * sizeof(uint32_t));
  *gm_origin_at(core, number) = origin;
  return number;
}

int gm_store_add(gm_core *core, const uint32_t *words, const uint32_t *key, uint64_t origin) {
  _Atomic uint64_t *empty;
  if (!gm_has_room(core, 1)) return -1;
  uint64_t hash = gm_hash(key, core->key_words);
  if (gm_look_up(core, hash, key, &empty) != 0) return 0;
  uint64_t number = gm_store_append(core, words, key, origin);
  atomic_store_explicit(empty, gm_slot(hash, number), memory_order_release);
  return 1;
}
