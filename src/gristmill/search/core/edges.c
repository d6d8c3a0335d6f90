/* Steps between stored states: targets and actions by source, in the order of generation. */

#include "table.h"

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

/* The edges of a chunk are with the worker that did it. Those after the stop, if there is one, stay there. */
static void gather_chunk(gm_core *core, uint64_t chunk, uint64_t parents) {
  const gm_round *round = &core->round;
  const struct gm_chunk_edges *at = &round->chunk_edges[chunk];
  const uint64_t *edges = core->workers[at->worker].edges + at->start;
  uint64_t parent = chunk * round->chunk_size, end = parent + round->chunk_size;
  for (; parent < end && parent < parents; parent++) {
    uint32_t count = round->edge_counts[parent];
    for (uint32_t i = 0; i < count; i++, edges++) {
      uint64_t target = *edges >> GM_ACTION_BITS;
      if (target & GM_FRESH) target = atomic_load_explicit(gm_claim(core, target & GM_INDEX), memory_order_relaxed);
      if (!gm_edges_add(core, target, (uint32_t)*edges & GM_NO_ACTION)) core->out_of_memory = true;
    }
    gm_edges_end(core, round->first + parent);
  }
}

int gm_edges_gather(gm_core *core, uint64_t parents) {
  uint64_t size = core->round.chunk_size;
  for (uint64_t chunk = 0; chunk * size < parents; chunk++) gather_chunk(core, chunk, parents);
  return core->out_of_memory ? -1 : 0;
}

void gm_read_edges(const gm_core *core, gm_edges *out) {
  *out = (gm_edges){core->edge_count, (const uint64_t *)core->edge_starts.base,
                    (const uint32_t *)core->edge_targets.base, (const uint32_t *)core->edge_actions.base};
}
