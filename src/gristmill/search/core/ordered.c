/* One worker, one branch after the other: for models whose evaluation does more than to give states. Whatever is evaluated
   is evaluated when its turn comes, and once: the successors by a branch, then of each of them the constraints, the
   invariants if it is new, and the implied actions. */

#include <string.h>

#include "table.h"

static enum gm_status take(gm_searcher *worker, uint32_t branch) {
  gm_core *core = worker->core;
  for (;;) {
    gm_sink_clear(&worker->sink);
    enum gm_status status = core->model.take(worker->own, worker->parent, branch, &worker->sink);
    if (status != GM_STATUS_AGAIN) return status;
    gm_park(worker, GM_WISH_PAUSE);
  }
}

static enum gm_status judge(gm_searcher *worker, uint32_t i, enum gm_question question) {
  gm_core *core = worker->core;
  const gm_sink *sink = &worker->sink;
  const uint32_t *successor = sink->states + (size_t)i * sink->words;
  for (;;) {
    uint32_t marks = 0;
    enum gm_status status =
        core->model.judge(worker->own, worker->parent, successor, sink->actions[i], question, &marks);
    sink->marks[i] |= (uint8_t)marks;
    if (status != GM_STATUS_AGAIN) return status;
    gm_park(worker, GM_WISH_PAUSE);
  }
}

enum gm_status gm_judge_state(gm_searcher *worker, uint32_t i) {
  gm_sink *sink = &worker->sink;
  enum gm_status status = judge(worker, i, GM_ASK_CONSTRAINTS);
  if (status != GM_STATUS_OK || sink->marks[i] & (GM_MARK_CUT | GM_MARK_UNKNOWN)) return status;
  return sink->key_words > 0 ? gm_add_key(worker, i) : GM_STATUS_OK;
}

enum gm_status gm_judge_step(gm_searcher *worker, uint32_t i) {
  return judge(worker, i, GM_ASK_IMPLIED_ACTIONS);
}

/* Returns whether the search ends here. `successors`: how many there were. */
static bool expand_by(gm_searcher *worker, uint64_t parent, uint32_t branch, uint64_t *successors) {
  gm_core *core = worker->core;
  enum gm_status status = take(worker, branch);
  if (status == GM_STATUS_MISFIT) return gm_end_at(core, parent, GM_OUTCOME_MISFIT);
  if (worker->sink.failed || !gm_has_room(core, worker->sink.count)) {
    core->out_of_memory = true;
    return true;
  }
  *successors += worker->sink.count;
  for (uint32_t i = 0; i < worker->sink.count; i++)
    if (gm_absorb(worker, 0, i, parent)) return true;
  core->base.generated += worker->sink.count;
  return status != GM_STATUS_OK && gm_end_at(core, parent, GM_OUTCOME_FAILED);
}

/* A state that does not fit: branches before that were counted, too. As if the parent had not been expanded. */
static void step_back(gm_core *core, uint64_t parent, uint64_t cut) {
  memcpy(core->taken, core->taken_before, core->model.actions * sizeof *core->taken);
  core->cut = cut;
  gm_unfind(core, parent);
}

static bool expand(gm_searcher *worker, uint64_t parent) {
  gm_core *core = worker->core;
  uint64_t successors = 0, cut = core->cut;
  bool ends = false;
  memcpy(core->taken_before, core->taken, core->model.actions * sizeof *core->taken);
  core->expanded = parent + 1;
  worker->batch_count = 0;
  gm_parent_words(worker, parent);
  for (uint32_t branch = 0; branch < core->model.branches && !ends; branch++)
    ends = expand_by(worker, parent, branch, &successors);
  if (core->model.keep_edges) gm_edges_end(core, parent);
  if (ends && core->stopped && core->report.outcome == GM_OUTCOME_MISFIT) step_back(core, parent, cut);
  if (ends) return true;
  return successors == 0 && core->model.check_deadlock && gm_end_at(core, parent, GM_OUTCOME_DEADLOCK);
}

void gm_round_ordered(gm_core *core, uint64_t end) {
  while (core->expanded < end && core->count < core->pause_at && !gm_time_is_up(core)) {
    if (expand(&core->workers[0], core->expanded)) return;
    gm_show_progress(core);
  }
}
