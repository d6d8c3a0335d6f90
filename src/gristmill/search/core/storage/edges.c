/* Steps between stored states: targets and actions by source, in the order of generation. Of several to one target the
   first is kept, and of those that change nothing none: predicates of steps need not be evaluated twice.
   With `keep_labels` those by different actions are kept, and those that change nothing. */

#include <stdlib.h>
#include <string.h>

#include "origins.h"
#include "table.h"

enum { SHORT_ROW = 16 };

int gm_edges_open(gm_core *core) {
  uint64_t bytes = core->parents.reserved;
  if (gm_region_open(&core->edge_starts, bytes) != 0 || gm_region_open(&core->edge_targets, bytes) != 0) return -1;
  return gm_region_open(&core->edge_actions, bytes);
}

void gm_edges_close(gm_core *core) {
  gm_region_close(&core->edge_starts);
  gm_region_close(&core->edge_targets);
  gm_region_close(&core->edge_actions);
  free(core->row_seen);
}

static uint32_t action_at(const gm_core *core, uint64_t edge) {
  return gm_get_action(core->edge_actions.base, core->action_bytes, edge);
}

static void move_action(gm_core *core, uint64_t from, uint64_t to) {
  unsigned char *base = core->edge_actions.base;
  memmove(base + to * core->action_bytes, base + from * core->action_bytes, core->action_bytes);
}

bool gm_edges_add(gm_core *core, uint64_t target, uint32_t action) {
  uint64_t at = core->edge_count;
  if (target >= UINT32_MAX || (at + 1) * sizeof(uint32_t) > core->edge_targets.reserved) return false;
  ((uint32_t *)core->edge_targets.base)[at] = (uint32_t)target;
  gm_put_action(core->edge_actions.base, core->action_bytes, at, action);
  core->edge_count++;
  return true;
}

/* ---- rows without repetitions ---- */

static bool is_among(const uint32_t *targets, uint64_t count, uint32_t target) {
  for (uint64_t i = 0; i < count; i++)
    if (targets[i] == target) return true;
  return false;
}

/* A table of targets + 1 for a row of that length, empty; NULL if there is no memory. `*mask`: its size - 1. */
static uint32_t *table_for(gm_core *core, uint64_t length, uint64_t *mask) {
  uint64_t size = 4 * SHORT_ROW;
  while (size < 2 * length) size *= 2;
  if (size > core->row_room) {
    free(core->row_seen);
    core->row_seen = malloc(size * sizeof *core->row_seen);
    core->row_room = core->row_seen ? size : 0;
  }
  if (core->row_seen) memset(core->row_seen, 0, size * sizeof *core->row_seen);
  *mask = size - 1;
  return core->row_seen;
}

/* Whether it was there; it is now. */
static bool put(uint32_t *table, uint64_t mask, uint32_t target) {
  uint64_t at = (target * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
  for (at &= mask; table[at] != 0; at = (at + 1) & mask)
    if (table[at] == target + 1) return true;
  table[at] = target + 1;
  return false;
}

/* A repetition in a long row may be overlooked: only the last edges are compared. */
static bool is_labelled_among(const gm_core *core, uint64_t start, uint64_t end, uint64_t edge) {
  const uint32_t *targets = (const uint32_t *)core->edge_targets.base;
  if (end - start > SHORT_ROW) start = end - SHORT_ROW;
  for (uint64_t i = start; i < end; i++)
    if (targets[i] == targets[edge] && action_at(core, i) == action_at(core, edge)) return true;
  return false;
}

static void end_labelled(gm_core *core, uint64_t parent) {
  uint64_t *starts = (uint64_t *)core->edge_starts.base, kept = starts[parent];
  uint32_t *targets = (uint32_t *)core->edge_targets.base;
  for (uint64_t edge = starts[parent]; edge < core->edge_count; edge++) {
    if (is_labelled_among(core, starts[parent], kept, edge)) continue;
    targets[kept] = targets[edge];
    move_action(core, edge, kept++);
  }
  core->edge_count = starts[parent + 1] = kept;
}

void gm_edges_end(gm_core *core, uint64_t parent) {
  if (core->model.keep_labels) {
    end_labelled(core, parent);
    return;
  }
  uint64_t *starts = (uint64_t *)core->edge_starts.base, length = core->edge_count - starts[parent];
  uint32_t *targets = (uint32_t *)core->edge_targets.base + starts[parent];
  uint64_t kept = 0, mask = 0;
  uint32_t *table = length > SHORT_ROW ? table_for(core, length, &mask) : NULL;
  for (uint64_t i = 0; i < length; i++) {
    uint32_t target = targets[i];
    if (target == parent || (table ? put(table, mask, target) : is_among(targets, kept, target))) continue;
    if (kept < i) {
      targets[kept] = target;
      move_action(core, starts[parent] + i, starts[parent] + kept);
    }
    kept++;
  }
  core->edge_count = starts[parent + 1] = starts[parent] + kept;
}

/* ---- of several workers ---- */

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
                    (const uint32_t *)core->edge_targets.base, core->edge_actions.base, core->action_bytes};
}

/* ---- by action ---- */

static void set_bit(uint8_t *bits, uint64_t number) { bits[number >> 3] |= (uint8_t)(1u << (number & 7)); }

void gm_steps_by(const gm_core *core, const uint8_t *wanted, uint64_t start, uint64_t end, uint8_t *bits, uint64_t at) {
  const uint64_t *starts = (const uint64_t *)core->edge_starts.base;
  for (uint64_t edge = starts[start]; edge < starts[end]; edge++)
    if (wanted[action_at(core, edge)]) set_bit(bits, at + edge - starts[start]);
}

void gm_sources_by(const gm_core *core, const uint8_t *wanted, uint64_t start, uint64_t end, uint8_t *bits, uint64_t at) {
  const uint64_t *starts = (const uint64_t *)core->edge_starts.base;
  for (uint64_t state = start; state < end; state++)
    for (uint64_t edge = starts[state]; edge < starts[state + 1]; edge++)
      if (wanted[action_at(core, edge)]) {
        set_bit(bits, at + state - start);
        break;
      }
}
