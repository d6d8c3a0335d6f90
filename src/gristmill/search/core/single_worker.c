/* One worker: what is new gets its number at once. */

#include "table.h"

/* The successor that is being looked at. */
typedef struct step {
  uint64_t parent, target;
  bool is_new;
  uint32_t action, marks;
  const uint32_t *words;
  uint64_t reasons;
} step;

/* Returns whether the search ends. Words that are not stored are copied: with a key, also a known state has others. */
static bool happened(gm_core *core, const step *at, enum gm_outcome kind) {
  if (gm_is_told(core, at->action, kind)) return false;
  if (kind == GM_OUTCOME_UNMET) core->unmet[at->action] = true;
  gm_event event = {.parent = at->parent, .action = at->action, .target = at->target, .kind = kind};
  event.reasons = at->reasons;
  gm_events_add(core, &core->incidents, event, at->is_new ? NULL : at->words);
  if (!gm_is_fatal(core, kind)) return false;
  gm_stop(core, &event);
  return true;
}

void gm_unfind(gm_core *core, uint64_t parent) {
  while (core->count > core->level_end && gm_parent(core, core->count - 1) == parent) {
    core->found[gm_action(core, core->count - 1)]--;
    gm_store_cut(core);
  }
}

/* A state that does not fit: as if its parent had not been expanded. */
static void step_back(gm_core *core, const gm_sink *sink, uint64_t parent, uint32_t start, uint32_t last) {
  gm_unfind(core, parent);
  for (uint32_t i = start; i <= last; i++) {
    core->taken[sink->actions[i]]--;
    if (sink->marks[i] & GM_MARK_CUT) core->cut--;
  }
  uint64_t before = core->incidents.count;
  while (before > 0 && core->incidents.items[before - 1].parent == parent) before--;
  gm_events_cut(&core->incidents, before);
  if (core->model.keep_edges) core->edge_count = ((uint64_t *)core->edge_starts.base)[parent];
  core->expanded = parent;
}

/* Whether it is new; `at->target` is its number. */
static inline bool take(gm_core *core, gm_sink *sink, uint32_t i, step *at) {
  uint64_t empty = 0;
  const uint32_t *key = sink->key_words ? sink->keys + (size_t)i * sink->key_words : at->words;
  at->target = gm_look_up(core, sink->hashes[i], key, &empty);
  if (at->target != GM_NO_STATE) return false;
  at->target = gm_store_append(core, at->words, key, at->parent, at->action);
  gm_write_slot(&core->table, empty, gm_slot(&core->table, sink->hashes[i], at->target));
  core->found[at->action]++;
  return true;
}

/* It does not fit, and cannot be judged. */
static bool misfit(gm_core *core, const gm_sink *sink, step *at, uint32_t start, uint32_t i) {
  core->not_queued = at->is_new = false;
  at->target = GM_NO_STATE;
  step_back(core, sink, at->parent, start, i);
  return happened(core, at, GM_OUTCOME_MISFIT);
}

/* A step that an implied action refuses. Returns whether the search ends here. */
static bool bad_step(gm_searcher *worker, step *at, uint32_t start, uint32_t i) {
  gm_core *core = worker->core;
  enum gm_status status = gm_reasons(worker, worker->parent, at->words);
  if (status == GM_STATUS_MISFIT) return misfit(core, &worker->sink, at, start, i);
  at->reasons = worker->reasons;
  return happened(core, at, status == GM_STATUS_STOP ? GM_OUTCOME_BAD_STEP : GM_OUTCOME_FAILED_CHECK);
}

/* One successor. Returns whether the search ends here. */
static inline bool absorb(gm_searcher *worker, uint32_t start, uint32_t i, uint64_t parent) {
  gm_core *core = worker->core;
  gm_sink *sink = &worker->sink;
  step at = {parent, GM_NO_STATE, false, sink->actions[i], sink->marks[i], sink->states + (size_t)i * sink->words, 0};
  bool to_check = true;
  core->taken[at.action]++;
  if (core->model.ordered) {
    if (gm_judge_state(worker, i) == GM_STATUS_MISFIT) return misfit(core, sink, &at, start, i);
    at.marks = sink->marks[i];
  }
  if (at.marks & GM_MARK_UNKNOWN) return happened(core, &at, GM_OUTCOME_FAILED_CHECK);
  if (at.marks & GM_MARK_CUT) {
    core->cut++;
  } else {
    to_check = at.is_new = take(core, sink, i, &at);
    if (core->model.keep_edges && !gm_edges_add(core, at.target, at.action)) core->out_of_memory = true;
  }
  core->not_queued = at.is_new; /* a model may ask for the queue */
  to_check = to_check && !gm_has_passed(worker, at.marks);
  enum gm_status status = to_check ? gm_check(worker, at.words, gm_passed(worker)) : GM_STATUS_OK;
  core->not_queued = false;
  if (status == GM_STATUS_OK && core->model.ordered) {
    if (gm_judge_step(worker, i) == GM_STATUS_MISFIT) return misfit(core, sink, &at, start, i);
    at.marks = sink->marks[i];
  }
  if (status == GM_STATUS_OK && !(at.marks & (GM_MARK_BAD_STEP | GM_MARK_UNKNOWN_STEP | GM_MARK_UNMET))) return false;
  core->not_queued = at.is_new;
  if (status == GM_STATUS_MISFIT) return misfit(core, sink, &at, start, i);
  if (status == GM_STATUS_FAIL) return happened(core, &at, GM_OUTCOME_FAILED_CHECK);
  at.reasons = worker->reasons;
  if (status != GM_STATUS_OK && happened(core, &at, GM_OUTCOME_BAD_STATE)) return true;
  if (at.marks & GM_MARK_UNKNOWN_STEP) return happened(core, &at, GM_OUTCOME_FAILED_CHECK);
  if (at.marks & GM_MARK_BAD_STEP && bad_step(worker, &at, start, i)) return true;
  if (at.marks & GM_MARK_UNMET && happened(core, &at, GM_OUTCOME_UNMET)) return true;
  core->not_queued = false;
  return false;
}

bool gm_absorb(gm_searcher *worker, uint32_t start, uint32_t i, uint64_t parent) { return absorb(worker, start, i, parent); }

bool gm_end_at(gm_core *core, uint64_t parent, enum gm_outcome kind) {
  step at = {.parent = parent, .target = GM_NO_STATE, .is_new = true, .action = GM_NO_ACTION};
  return happened(core, &at, kind);
}

/* The successors of one parent. Returns whether the search ends here. */
static bool absorb_all(gm_searcher *worker, const gm_expanded *parent, uint32_t start) {
  gm_core *core = worker->core;
  worker->looked_at = 0;
  if (parent->status == GM_STATUS_MISFIT) return gm_end_at(core, parent->number, GM_OUTCOME_MISFIT);
  core->expanded = parent->number + 1;
  worker->parent = parent->words;
  bool ends = false;
  for (uint32_t i = start; i < parent->end && !ends; i++) {
    ends = absorb(worker, start, i, parent->number);
    worker->looked_at++;
  }
  if (ends && core->report.outcome == GM_OUTCOME_MISFIT) worker->looked_at = 0;
  if (core->model.keep_edges) gm_edges_end(core, parent->number);
  if (ends) return true;
  worker->looked_at = UINT32_MAX;
  if (parent->status == GM_STATUS_STOP) return gm_end_at(core, parent->number, GM_OUTCOME_FAILED);
  return parent->end == start && core->model.check_deadlock && gm_end_at(core, parent->number, GM_OUTCOME_DEADLOCK);
}

static void collect(gm_searcher *worker, uint64_t end) {
  uint64_t number = worker->core->expanded;
  gm_sink_clear(&worker->sink);
  worker->batch_count = 0;
  while (number < end && worker->batch_count < GM_BATCH && worker->sink.count < GM_BATCH)
    if (gm_expand(worker, number++) != GM_STATUS_OK) return;
}

/* Returns whether the search ends here. */
static bool absorb_batch(gm_searcher *worker) {
  gm_core *core = worker->core;
  uint32_t start = 0;
  for (uint32_t i = 0; i < worker->batch_count; start = worker->batch[i++].end) {
    if (!absorb_all(worker, &worker->batch[i], start)) continue;
    gm_pass_on(core, worker->batch[i].number, worker->looked_at);
    return true;
  }
  gm_pass_on(core, core->expanded, 0);
  return false;
}

void gm_round_alone(gm_core *core, uint64_t end) {
  gm_searcher *worker = &core->workers[0];
  while (core->expanded < end && core->count < core->pause_at && !gm_time_is_up(core)) {
    collect(worker, end);
    if (worker->sink.failed || !gm_has_room(core, worker->sink.count)) {
      core->out_of_memory = true;
      gm_unsay(&worker->sink);
      return;
    }
    gm_prefetch_keys(worker);
    if (absorb_batch(worker)) return;
    core->base.generated += worker->sink.count;
    gm_show_progress(core);
  }
}
