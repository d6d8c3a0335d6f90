/* The budget of memory: what is old goes to a file, and stays where it is. */

#include "table.h"

uint64_t gm_bytes(const gm_core *core) {
  uint64_t state = (core->model.words + (core->key_region.base ? core->key_words : 0)) * sizeof(uint32_t);
  uint64_t kept = core->count - core->states_dropped;
  uint64_t bytes = gm_table_bytes(&core->table) + kept * state + core->count * sizeof(uint64_t);
  bytes += core->edge_count * 2 * sizeof(uint32_t);
  return bytes - core->states.spilled - core->key_region.spilled - core->origins.spilled;
}

int gm_spill(gm_core *core) {
  (void)core;
  return 0;
}
