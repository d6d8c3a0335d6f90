/* The search: level by level, each in rounds, and what is done between them. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table.h"

#ifndef GM_FEW
#define GM_FEW 256 /* parents: not worth waking the others for */
#endif

enum { MOST_PARENTS = 1 << 18 }; /* in a round, where the budget of memory must be looked at */

double gm_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool gm_time_is_up(const gm_core *core) {
  if (atomic_load_explicit(&core->interrupted, memory_order_relaxed)) return true;
  if (core->deadline == 0 && core->next_checkpoint == 0) return false;
  double now = gm_clock();
  return (core->deadline != 0 && now >= core->deadline) || (core->next_checkpoint != 0 && now >= core->next_checkpoint);
}

static uint64_t generated(const gm_core *core) {
  uint64_t sum = core->initial_generated;
  for (uint32_t i = 0; i < core->model.actions; i++) sum += core->taken[i];
  return sum;
}

static uint64_t depth(const gm_core *core) {
  if (core->count == 0) return generated(core) > 0;
  uint64_t found = core->level + (core->count > core->level_end);
  return found > 1 ? found : 1;
}

/* ------------------------------------------------------------------------------------------------------- levels */

void gm_begin_level(gm_core *core, uint64_t first) {
  if (core->levels == core->level_capacity) {
    uint32_t capacity = core->level_capacity ? 2 * core->level_capacity : 64;
    uint64_t *starts = realloc(core->level_starts, capacity * sizeof *starts);
    if (!starts) {
      core->out_of_memory = true;
      return;
    }
    core->level_starts = starts;
    core->level_capacity = capacity;
  }
  core->level_starts[core->levels++] = first;
}

uint32_t gm_level(const gm_core *core) { return core->level; }

uint64_t gm_begun_level(const gm_core *core, uint32_t level) {
  return level >= 1 && level <= core->levels ? core->level_starts[level - 1] : core->count;
}

uint64_t gm_level_start(const gm_core *core, uint32_t level) {
  bool is_being_found = level == core->levels + 1 && core->levels == core->level;
  return is_being_found ? core->level_end : gm_begun_level(core, level);
}

/* ------------------------------------------------------------------------------------------------------- the end */

static void end_run(gm_core *core, enum gm_outcome outcome, enum gm_limit limit) {
  core->stopped = true;
  core->report.outcome = outcome;
  core->report.limit = (int)limit;
  core->report.parent = GM_NO_STATE;
}

/* Whether it must end between two rounds. */
static bool ends(gm_core *core) {
  if (core->stopped) return true;
  if (core->out_of_disk) end_run(core, GM_OUTCOME_LIMIT, GM_LIMIT_DISK); /* which may be why there is no memory */
  else if (core->out_of_memory) end_run(core, GM_OUTCOME_LIMIT, GM_LIMIT_MEMORY);
  else if (atomic_load(&core->interrupted)) end_run(core, GM_OUTCOME_INTERRUPTED, GM_LIMIT_NONE);
  else if (core->deadline != 0 && gm_clock() >= core->deadline) end_run(core, GM_OUTCOME_LIMIT, GM_LIMIT_SECONDS);
  return core->stopped;
}

/* With fingerprints only, a state that has been expanded needs no words. */
static void drop_expanded(gm_core *core) {
  uint64_t end = core->expanded, unit = core->model.words * sizeof(uint32_t);
  if (!core->limits.fingerprints_only || end <= core->initial_count) return;
  uint64_t start = core->states_dropped > core->initial_count ? core->states_dropped : core->initial_count;
  gm_region_drop(&core->states, start * unit, end * unit);
  core->states_dropped = end;
}

static void between_rounds(gm_core *core) {
  drop_expanded(core);
  gm_keep_budget(core);
  if (core->next_checkpoint != 0 && !core->stopped && !core->lost && gm_clock() >= core->next_checkpoint) {
    if (gm_checkpoint_write(core) != 0) core->out_of_disk = true;
    core->next_checkpoint = gm_clock() + core->limits.checkpoint_seconds;
  }
}

static void run_round(gm_core *core) {
  uint64_t end = core->level_end, most = core->expanded + MOST_PARENTS;
  if (core->limits.memory != 0 && most < end) end = most;
  if (core->model.ordered)
    gm_round_ordered(core, end);
  else if (core->team && end - core->expanded > GM_FEW)
    gm_round_together(core, end);
  else
    gm_round_alone(core, end);
  core->base.generated = generated(core);
  between_rounds(core);
  gm_show_progress(core);
}

/* The level that the next state to expand belongs to. */
static bool next_level(gm_core *core) {
  if (core->expanded < core->level_end) return true; /* it was continued in the middle */
  if (core->level_end == core->count) return false;
  core->level++;
  if (core->levels < core->level) gm_begin_level(core, core->level_end);
  core->level_end = gm_begun_level(core, core->level + 1);
  return true;
}

/* Between two levels. */
static bool has_enough(gm_core *core) {
  if (core->most_states == 0 || core->count < core->most_states || core->level == 0) return false;
  if (core->expanded < core->level_end || core->level_end == core->count) return false;
  end_run(core, GM_OUTCOME_LIMIT, GM_LIMIT_STATES);
  return true;
}

static void explore(gm_core *core) {
  while (!ends(core) && !has_enough(core) && next_level(core)) {
    if (core->level == core->limits.max_depth) {
      end_run(core, GM_OUTCOME_LIMIT, GM_LIMIT_DEPTH);
      return;
    }
    while (core->expanded < core->level_end && !ends(core)) run_round(core);
  }
}

void gm_allow(gm_core *core, double seconds, uint64_t states) {
  core->limits.seconds = seconds;
  core->most_states = states;
  atomic_store(&core->interrupted, false);
}

enum gm_outcome gm_run(gm_core *core) {
  double now = gm_clock();
  core->stopped = false;
  core->deadline = core->limits.seconds > 0 ? now + core->limits.seconds : 0;
  core->next_checkpoint = core->limits.checkpoint_directory ? now + core->limits.checkpoint_seconds : 0;
  core->report = (gm_report){.outcome = GM_OUTCOME_DONE, .parent = GM_NO_STATE, .state = GM_NO_STATE};
  core->base.generated = generated(core);
  gm_keep_budget(core);
  if (gm_team_open(core) != 0) core->out_of_memory = true;
  explore(core);
  gm_team_close(core);
  bool unfinished = core->report.outcome == GM_OUTCOME_LIMIT || core->report.outcome == GM_OUTCOME_INTERRUPTED;
  if (core->limits.checkpoint_directory && unfinished && !core->lost) gm_checkpoint_write(core);
  if (core->report.outcome == GM_OUTCOME_MISFIT) core->expanded = core->report.parent;
  gm_show_progress(core);
  return core->report.outcome;
}

void gm_interrupt(gm_core *core) { atomic_store(&core->interrupted, true); }

/* ----------------------------------------------------------------------------------------------- what it is like now */

void gm_show_progress(gm_core *core) {
  atomic_store_explicit(&core->seen_distinct, core->count, memory_order_relaxed);
  atomic_store_explicit(&core->seen_generated, core->base.generated, memory_order_relaxed);
  atomic_store_explicit(&core->seen_queue, core->count - core->expanded, memory_order_relaxed);
  atomic_store_explicit(&core->seen_depth, core->level + (core->count > core->level_end), memory_order_relaxed);
  atomic_store_explicit(&core->seen_cut, core->cut, memory_order_relaxed);
  atomic_store_explicit(&core->seen_bytes, gm_bytes(core), memory_order_relaxed);
}

void gm_read_progress(const gm_core *core, gm_progress *out) {
  uint64_t fresh = 0;
  out->distinct = atomic_load_explicit(&core->seen_distinct, memory_order_relaxed);
  out->generated = atomic_load_explicit(&core->seen_generated, memory_order_relaxed);
  out->queue = atomic_load_explicit(&core->seen_queue, memory_order_relaxed);
  out->depth = atomic_load_explicit(&core->seen_depth, memory_order_relaxed);
  out->cut = atomic_load_explicit(&core->seen_cut, memory_order_relaxed);
  out->bytes = atomic_load_explicit(&core->seen_bytes, memory_order_relaxed);
  for (uint32_t i = 0; i < core->limits.workers; i++) { /* what the round at hand adds */
    const gm_searcher *worker = &core->workers[i];
    fresh += atomic_load_explicit(&worker->distinct, memory_order_relaxed);
    out->generated += atomic_load_explicit(&worker->generated, memory_order_relaxed);
    out->cut += atomic_load_explicit(&worker->cut, memory_order_relaxed);
  }
  out->distinct += fresh;
  out->queue += fresh;
}

void gm_read_report(const gm_core *core, gm_report *out) {
  *out = core->report;
  out->distinct = core->count;
  out->generated = generated(core);
  out->depth = depth(core);
  out->queue = core->count - core->expanded - core->not_queued;
  out->cut = core->cut;
  out->initial_generated = core->initial_generated;
  out->initial_distinct = core->initial_count;
  out->expanded = core->expanded;
  out->level = core->level;
  out->incidents = core->incidents.count;
}
