/* Begin and end, and what can be asked. */

#include <stdlib.h>
#include <string.h>

#include "origins.h"
#include "packing.h"
#include "table.h"

static int open_workers(gm_core *core) {
  core->workers = calloc(core->limits.workers, sizeof *core->workers);
  if (!core->workers) return -1;
  for (uint32_t i = 0; i < core->limits.workers; i++) {
    gm_searcher *worker = &core->workers[i];
    worker->core = core;
    worker->number = i;
    worker->view = calloc(core->model.key_words + 2, sizeof *worker->view);
    worker->unmet = calloc(core->model.actions + 1, sizeof *worker->unmet);
    worker->words = calloc(GM_BATCH * ((size_t)core->model.words + 1), sizeof *worker->words);
    worker->hashed = calloc((size_t)core->model.words + 1, sizeof *worker->hashed);
    worker->seen = calloc(core->pairs + 1, sizeof *worker->seen);
    worker->packed = malloc(core->packed_room);
    if (!worker->words || !worker->hashed || !worker->seen || !worker->packed) return -1;
    if (!worker->view || !worker->unmet || gm_sink_open(&worker->sink, core) != 0) return -1;
    worker->own = core->model.worker_new ? core->model.worker_new(core->model.context, i) : core->model.context;
    if (!worker->own && core->model.worker_new) return -1;
  }
  return 0;
}

static void close_workers(gm_core *core) {
  for (uint32_t i = 0; core->workers && i < core->limits.workers; i++) {
    gm_searcher *worker = &core->workers[i];
    if (worker->own && core->model.worker_free) core->model.worker_free(worker->own);
    gm_sink_close(&worker->sink);
    gm_events_free(&worker->events);
    free(worker->jumps.items);
    free(worker->view);
    free(worker->words);
    free(worker->hashed);
    free(worker->seen);
    free(worker->packed);
    free(worker->unmet);
    free(worker->edges);
  }
  free(core->workers);
}

static char *copy_of(const char *text) { return text ? strdup(text) : NULL; }

gm_core *gm_core_new(const gm_model *model, const gm_limits *limits) {
  gm_core *core = calloc(1, sizeof *core);
  if (!core) return NULL;
  core->model = *model;
  core->limits = *limits;
  core->limits.spill_directory = copy_of(limits->spill_directory);
  core->limits.checkpoint_directory = copy_of(limits->checkpoint_directory);
  if (core->limits.workers == 0) core->limits.workers = 1;
  core->resident_before = gm_resident_memory();
  core->pause_at = GM_NO_STATE;
  core->report = (gm_report){.parent = GM_NO_STATE, .state = GM_NO_STATE};
  core->taken = calloc(model->actions + 1, sizeof *core->taken);
  core->found = calloc(model->actions + 1, sizeof *core->found);
  core->taken_before = calloc(model->actions + 1, sizeof *core->taken_before);
  core->unmet = calloc(model->actions + 1, sizeof *core->unmet);
  bool opened = model->actions < GM_NO_ACTION && core->taken && core->found && core->taken_before && core->unmet &&
                gm_store_open(core) == 0 && open_workers(core) == 0 && (!model->keep_edges || gm_edges_open(core) == 0);
  if (opened) return core;
  gm_core_free(core);
  return NULL;
}

void gm_core_free(gm_core *core) {
  if (!core) return;
  close_workers(core);
  gm_store_close(core);
  if (core->model.keep_edges) gm_edges_close(core);
  gm_events_free(&core->incidents);
  free(core->taken);
  free(core->found);
  free(core->taken_before);
  free(core->unmet);
  free(core->level_starts);
  free((void *)core->limits.spill_directory);
  free((void *)core->limits.checkpoint_directory);
  free(core);
}

/* Its key: itself, or what the first worker computes into its own room. NULL if that fails. */
static const uint32_t *key_of(gm_core *core, const uint32_t *words) {
  if (!core->key_region.base) return words;
  gm_searcher *worker = &core->workers[0];
  uint32_t *key = worker->sink.keys;
  return gm_key(worker, words, key) == GM_STATUS_OK ? key : NULL;
}

int gm_add_initial(gm_core *core, const uint32_t *words, uint32_t marks) {
  core->initial_generated++;
  if (marks & GM_MARK_CUT) {
    core->cut++;
    return 0;
  }
  const uint32_t *key = key_of(core, words);
  if (!key) return -1;
  int added = gm_store_add(core, words, key, GM_NO_STATE, GM_NO_ACTION);
  core->initial_count = core->count;
  return added;
}

uint64_t gm_expect(const gm_core *core, const uint32_t *words) {
  if (core->key_region.base) return 0;
  uint64_t hash = gm_hash(words, core->model.words);
  gm_prefetch_slot(&core->table, hash);
  return hash;
}

void gm_expect_equal(const gm_core *core, uint64_t hash) {
  if (!core->key_region.base) gm_prefetch_key(core, hash);
}

int gm_add_known(gm_core *core, const uint32_t *words, uint64_t parent, uint32_t action, uint32_t level) {
  const uint32_t *key = key_of(core, words);
  return key ? gm_add_keyed(core, words, key, parent, action, level) : -1;
}

int gm_add_keyed(gm_core *core, const uint32_t *words, const uint32_t *key, uint64_t parent, uint32_t action,
                 uint32_t level) {
  if (!key) key = words;
  if (level < core->levels || level > core->levels + 1) return -1;
  uint64_t number = core->count;
  int added = gm_store_add(core, words, key, parent, parent == GM_NO_STATE ? GM_NO_ACTION : action);
  if (added == 1 && level > core->levels) gm_begin_level(core, number);
  if (level == 1) core->initial_count = core->count;
  return added;
}

void gm_continue_at(gm_core *core, uint64_t expanded, uint64_t generated, uint64_t cut, const uint64_t *taken,
                    const uint64_t *found) {
  core->initial_generated = generated;
  for (uint32_t i = 0; i < core->model.actions; i++) {
    core->taken[i] = taken[i];
    core->found[i] = found[i];
    core->initial_generated -= taken[i];
  }
  core->cut = cut;
  core->expanded = expanded;
  core->level = 0; /* of the last state expanded; 0 if there is none */
  while (core->level < core->levels && core->level_starts[core->level] < expanded) core->level++;
  core->level_end = core->level == 0 ? 0 : gm_begun_level(core, core->level + 1);
}

const uint32_t *gm_state(const gm_core *core, uint64_t number, uint32_t *room) {
  bool dropped = number < core->states_dropped && number >= core->initial_count;
  return number < core->count && !dropped ? gm_words(core, number, room) : NULL;
}

uint64_t gm_parent(const gm_core *core, uint64_t number) {
  return number < core->count ? gm_origin_parent(core, number) - 1 : GM_NO_STATE;
}

uint32_t gm_action(const gm_core *core, uint64_t number) {
  uint32_t action = number < core->count ? gm_origin_action(core, number) : GM_NO_ACTION;
  return action == GM_NO_ACTION ? UINT32_MAX : action;
}

uint64_t gm_find(gm_core *core, const uint32_t *words) {
  const uint32_t *key = key_of(core, words);
  uint64_t number = key ? gm_table_find(core, key) : GM_NO_STATE;
  return number < core->count ? number : GM_NO_STATE;
}

const uint64_t *gm_taken(const gm_core *core) { return core->taken; }
const uint64_t *gm_found(const gm_core *core) { return core->found; }
