/* Fresh states get their numbers, in the order of their claims: a counting sort by parent, then each parent's states by
   claim. Then they move to their place, and their slots in the table with them. */

#include <stdlib.h>
#include <string.h>

#include "origins.h"
#include "packing.h"
#include "table.h"

enum { AHEAD = 16 };

static uint64_t claim_of(const gm_core *core, uint64_t place) {
  return atomic_load_explicit(gm_claim(core, place), memory_order_relaxed);
}

/* Whether there is a state that stays. */
static bool stays(const gm_core *core, uint64_t claim) {
  return claim != GM_NO_STATE && gm_position(&core->round, claim) <= core->round.keep;
}

void gm_fresh_share(const gm_searcher *worker, uint64_t *start, uint64_t *end) {
  const gm_core *core = worker->core;
  uint64_t given = atomic_load_explicit(&core->round.fresh, memory_order_relaxed);
  gm_share(worker, given < core->fresh_capacity ? given : core->fresh_capacity, start, end);
}

static uint64_t parent_of(const gm_core *core, uint64_t claim) {
  return gm_position_parent(&core->round, gm_position(&core->round, claim));
}

static void count_by_parent(gm_searcher *worker) {
  gm_core *core = worker->core;
  uint64_t start, end;
  gm_fresh_share(worker, &start, &end);
  for (uint64_t place = start; place < end; place++) {
    uint64_t claim = claim_of(core, place);
    if (stays(core, claim))
      atomic_fetch_add_explicit(&core->round.ends[parent_of(core, claim)], 1, memory_order_relaxed);
  }
}

/* Counts become the places where the states of each parent begin. Returns how many there are. */
static uint64_t add_up(_Atomic uint32_t *counts, uint64_t parents) {
  uint32_t sum = 0;
  for (uint64_t i = 0; i < parents; i++) {
    uint32_t count = atomic_load_explicit(&counts[i], memory_order_relaxed);
    atomic_store_explicit(&counts[i], sum, memory_order_relaxed);
    sum += count;
  }
  return sum;
}

/* Beginnings become ends. */
static void sort_by_parent(gm_searcher *worker) {
  gm_core *core = worker->core;
  uint64_t start, end;
  gm_fresh_share(worker, &start, &end);
  for (uint64_t place = start; place < end; place++) {
    uint64_t claim = claim_of(core, place);
    if (!stays(core, claim)) continue;
    uint32_t at = atomic_fetch_add_explicit(&core->round.ends[parent_of(core, claim)], 1, memory_order_relaxed);
    core->round.order[at] = (uint32_t)place;
  }
}

/* By claim; mostly sorted, and mostly few. */
static void sort_places(const gm_core *core, uint32_t *places, uint64_t count) {
  for (uint64_t gap = count > 64 ? count / 3 : 1;; gap = gap / 3 > 1 ? gap / 3 : 1) {
    for (uint64_t i = gap; i < count; i++) {
      uint32_t place = places[i];
      uint64_t claim = claim_of(core, place), j = i;
      for (; j >= gap && claim_of(core, places[j - gap]) > claim; j -= gap) places[j] = places[j - gap];
      places[j] = place;
    }
    if (gap == 1) return;
  }
}

/* The slot of a fresh state gets its number. */
typedef struct change {
  uint64_t hash, place, number;
} change;

static void change_slot(gm_table *table, const change *one) {
  uint64_t old = gm_slot(table, one->hash, one->place | GM_FRESH), at = gm_home(table, one->hash);
  while (gm_read_slot(table, at, table->wide) != old) at = gm_after(table, at);
  gm_write_slot(table, at, gm_slot(table, one->hash, one->number));
}

static uint32_t action_of(const gm_core *core, uint64_t claim) {
  return (uint32_t)(claim & ((UINT64_C(1) << core->round.action_bits) - 1));
}

static void move_state(gm_searcher *worker, uint64_t place, uint64_t number, change *one) {
  gm_core *core = worker->core;
  size_t key_bytes = core->key_words * sizeof(uint32_t);
  gm_pack_state(core, number, gm_fresh_words(core, place), worker->packed);
  if (core->key_region.base) memcpy(core->key_region.base + number * key_bytes, gm_fresh_key(core, place), key_bytes);
  atomic_store_explicit(gm_claim(core, place), number, memory_order_relaxed);
  *one = (change){gm_hash(gm_fresh_key(core, place), core->key_words), place, number};
  gm_prefetch_slot(&core->table, one->hash);
}

/* The parent, from 1, of the last state that comes before those of the parent number `parent` of this round. */
static uint64_t parent_before(const gm_core *core, uint64_t parent) {
  _Atomic uint32_t *ends = core->round.ends;
  for (; parent > 0; parent--) {
    uint32_t start = parent > 1 ? atomic_load_explicit(&ends[parent - 2], memory_order_relaxed) : 0;
    if (atomic_load_explicit(&ends[parent - 1], memory_order_relaxed) > start) return core->round.first + parent;
  }
  return core->last_parent;
}

static void move(gm_searcher *worker) {
  gm_core *core = worker->core;
  gm_round *round = &core->round;
  change changes[AHEAD];
  uint64_t first, last, waiting = 0;
  gm_share(worker, round->parents, &first, &last);
  uint64_t at = first == 0 ? 0 : atomic_load_explicit(&round->ends[first - 1], memory_order_relaxed);
  uint64_t before = parent_before(core, first);
  for (uint64_t parent = first; parent < last; parent++) {
    uint64_t end = atomic_load_explicit(&round->ends[parent], memory_order_relaxed);
    sort_places(core, round->order + at, end - at);
    for (; at < end; at++) {
      change *one = &changes[waiting % AHEAD];
      if (waiting++ >= AHEAD) change_slot(&core->table, one);
      uint64_t place = round->order[at], number = core->count + at;
      uint32_t action = action_of(core, claim_of(core, place));
      gm_origin_put(core, number, before, round->first + parent + 1, action, &worker->jumps);
      before = round->first + parent + 1;
      move_state(worker, place, number, one);
    }
  }
  for (uint64_t i = 0; i < waiting && i < AHEAD; i++) change_slot(&core->table, &changes[i]);
}

/* The greatest position of the last parent that has any. */
static uint64_t last_position(const gm_core *core, uint64_t kept) {
  uint64_t last = claim_of(core, core->round.order[kept - 1]), parent = parent_of(core, last);
  for (uint64_t i = kept; i > 0; i--) {
    uint64_t claim = claim_of(core, core->round.order[i - 1]);
    if (parent_of(core, claim) != parent) break;
    if (claim > last) last = claim;
  }
  return gm_position(&core->round, last);
}

/* All states of this round fit the last layout then. */
static int fit_fresh(gm_core *core) {
  for (uint32_t i = 0; i < core->limits.workers; i++)
    for (uint32_t pair = 0; pair < core->pairs; pair++) core->seen[pair] |= core->workers[i].seen[pair];
  return gm_fit_seen(core);
}

int gm_renumber(gm_core *core, uint64_t parents) {
  gm_round *round = &core->round;
  round->parents = parents;
  round->last_position = GM_NO_STATE;
  if (parents == 0) return 0;
  round->ends = calloc(parents, sizeof *round->ends);
  if (!round->ends) return -1;
  gm_team_do(core, count_by_parent);
  uint64_t kept = add_up(round->ends, parents);
  if (kept == 0) return 0;
  if (core->count + kept > core->capacity) return -1;
  round->order = malloc(kept * sizeof *round->order);
  if (!round->order || fit_fresh(core) != 0) return -1;
  gm_team_do(core, sort_by_parent);
  round->last_position = last_position(core, kept);
  gm_team_do(core, move);
  for (uint32_t i = 0; i < core->limits.workers; i++) gm_jumps_append(core, &core->workers[i].jumps);
  core->last_parent = parent_before(core, parents);
  for (uint64_t number = core->count; number < core->count + kept; number++)
    core->found[gm_origin_action(core, number)]++;
  core->count += kept;
  return 0;
}
