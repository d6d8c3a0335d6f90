/* States by number, and the room for them. */

#include <stdlib.h>
#include <string.h>

#include "origins.h"
#include "packing.h"
#include "table.h"

#ifndef GM_FIRST_BITS
#define GM_FIRST_BITS 14 /* of the table */
#endif

static uint64_t capacity_of(const gm_region *region, uint64_t unit) {
  uint64_t ahead = 2 * sizeof(uint64_t); /* of a state more may be read than it has */
  return unit == 0 ? GM_MOST_STATES : (region->reserved - ahead) / unit;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static int open_known(gm_core *core, uint64_t state_bytes, uint64_t key_bytes) {
  if (gm_region_open(&core->states, gm_address_space()) != 0 || gm_packing_open(core) != 0) return -1;
  if (gm_origins_open(core) != 0) return -1;
  core->capacity = least(capacity_of(&core->parents, core->parent_bytes), capacity_of(&core->actions, core->action_bytes));
  core->capacity = least(core->capacity, capacity_of(&core->states, state_bytes));
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
  return gm_table_open(core, UINT64_C(1) << GM_FIRST_BITS);
}

void gm_store_close(gm_core *core) {
  gm_table_close(&core->table);
  gm_origins_close(core);
  gm_packing_close(core);
  gm_region *regions[] = {&core->states, &core->key_region, &core->fresh_states, &core->fresh_keys, &core->claims};
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) gm_region_close(regions[i]);
}

bool gm_has_room(gm_core *core, uint64_t more) {
  if (core->count + more > core->capacity) return false;
  if (core->count + more <= core->table.limit) return true;
  return gm_table_grow(core, core->count + more) == 0;
}

/* The caller has seen to it that there is room, and puts it into the table. */
uint64_t gm_store_append(gm_core *core, const uint32_t *words, const uint32_t *key, uint64_t parent, uint32_t action) {
  if (gm_fit_state(core, words) != 0) core->out_of_memory = core->lost = true;
  gm_origins_append(core, parent + 1, action);
  uint64_t number = core->count++;
  gm_pack_state(core, number, words, core->packed);
  if (core->key_region.base)
    memcpy(core->key_region.base + number * core->key_words * sizeof(uint32_t), key,
           core->key_words * sizeof(uint32_t));
  return number;
}

void gm_store_cut(gm_core *core) {
  gm_origins_cut(core, --core->count);
  gm_layouts_cut(core);
}

int gm_store_add(gm_core *core, const uint32_t *words, const uint32_t *key, uint64_t parent, uint32_t action) {
  uint64_t empty = 0;
  if (!gm_has_room(core, 1)) return -1;
  uint64_t hash = gm_hash(key, core->key_words);
  if (gm_look_up(core, hash, key, &empty) != GM_NO_STATE) return 0;
  uint64_t number = gm_store_append(core, words, key, parent, action);
  gm_write_slot(&core->table, empty, gm_slot(&core->table, hash, number));
  return 1;
}
