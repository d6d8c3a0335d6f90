/* Steps between stored states: targets and actions by source, in the order of generation. */

#include "internal.h"

int gm_edges_open(gm_core *core) {
  uint64_t bytes = core->origins.reserved;
  if (gm_region_open(&core->edge_starts, bytes) != 0 || gm_region_open(&core->edge_targets, bytes) != 0) return -1;
  return gm_region_open(&core->edge_actions, bytes);
}

void gm_edges_close(gm_core *core) {
  gm_region_close(&core->edge_starts);
  gm_region_close(&core->edge_targets);
  gm_region_close(&core->edge_actions);
}

bool gm_edges_add(gm_core *core, uint64_t target, uint32_t action) {
  uint64_t at = core->edge_count;
  if (target > UINT32_MAX || (at + 1) * sizeof(uint32_t) > core->edge_targets.reserved) return false;
  ((uint32_t *)core->edge_targets.base)[at] = (uint32_t)target;
  ((uint32_t *)core->edge_actions.base)[at] = action;
  core->edge_count++;
  return true;
}

void gm_read_edges(const gm_core *core, gm_edges *out) {
  *out = (gm_edges){core->edge_count, (const uint64_t *)core->edge_starts.base,
                    (const uint32_t *)core->edge_targets.base, (const uint32_t *)core->edge_actions.base};
}
