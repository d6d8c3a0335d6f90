/* The end of a round of several workers: where does it stop, if it does, and what is counted up to there. */

#include <stdlib.h>

#include "table.h"

static int by_position(const void *left, const void *right) {
  const gm_event *a = left, *b = right;
  if (a->position != b->position) return a->position < b->position ? -1 : 1;
  if (a->of_state != b->of_state) return (int)b->of_state - (int)a->of_state; /* first the state, then the step to it */
  return (int)a->kind - (int)b->kind; /* BAD_STEP before UNMET */
}

/* What is wrong with a state is found where the state is found first. */
static void locate(const gm_core *core, gm_event *event) {
  const gm_round *round = &core->round;
  if (!event->of_state || event->target == GM_NO_STATE) return;
  uint64_t claim = atomic_load_explicit(gm_claim(core, event->target & GM_INDEX), memory_order_relaxed);
  event->position = gm_position(round, claim);
  event->parent = round->first + gm_position_parent(round, event->position);
  event->action = (uint32_t)(claim & ((UINT64_C(1) << round->action_bits) - 1));
}

/* All events of the round, in the order of one worker. */
static gm_events gather(gm_core *core) {
  gm_events all = {NULL, 0, 0};
  for (uint32_t i = 0; i < core->limits.workers; i++) {
    gm_events *own = &core->workers[i].events;
    for (uint64_t j = 0; j < own->count; j++) {
      locate(core, &own->items[j]);
      gm_events_move(core, &all, &own->items[j]);
    }
  }
  if (all.count > 0) qsort(all.items, all.count, sizeof *all.items, by_position);
  return all;
}

static bool steps_back(enum gm_outcome kind) { return kind == GM_OUTCOME_MISFIT || kind == GM_OUTCOME_LIMIT; }

/* Counters of whole chunks. */
static void count_chunks(gm_core *core, uint64_t chunks) {
  uint32_t actions = core->model.actions;
  for (uint64_t chunk = 0; chunk < chunks; chunk++) {
    const uint32_t *taken = core->round.chunk_taken + chunk * actions;
    for (uint32_t action = 0; action < actions; action++) core->taken[action] += taken[action];
    core->cut += core->round.chunk_cut[chunk];
  }
}

/* Counters of the parents from `parent` on, by expanding them again, up to a position. */
static void count_again(gm_core *core, uint64_t parent, uint64_t stop) {
  gm_searcher *worker = &core->workers[0];
  const gm_round *round = &core->round;
  gm_sink *sink = &worker->sink;
  bool was_silent = sink->said.silent;
  sink->said.silent = true;
  for (; parent <= gm_position_parent(round, stop); parent++) {
    gm_sink_clear(&worker->sink);
    worker->batch_count = 0;
    gm_expand(worker, round->first + parent);
    uint32_t edges = 0;
    for (uint32_t i = 0; i < sink->count && ((parent << round->index_bits) | (i + 1)) <= stop; i++) {
      core->taken[sink->actions[i]]++;
      if (sink->marks[i] & GM_MARK_UNKNOWN) continue;
      if (sink->marks[i] & GM_MARK_CUT)
        core->cut++;
      else
        edges++;
    }
    if (core->model.keep_edges) core->round.edge_counts[parent] = edges;
  }
  sink->said.silent = was_silent;
}

/* Count up to a position, and tell how many parents that is. */
static uint64_t count_to(gm_core *core, uint64_t stop) {
  uint64_t parent = gm_position_parent(&core->round, stop), chunk = parent / core->round.chunk_size;
  count_chunks(core, chunk);
  count_again(core, chunk * core->round.chunk_size, stop);
  return parent + 1;
}

static uint64_t count_all(gm_core *core) {
  gm_round *round = &core->round;
  uint64_t chunks = atomic_load(&round->next_chunk);
  if (chunks > round->chunks) chunks = round->chunks;
  count_chunks(core, chunks);
  return chunks == round->chunks ? round->size : chunks * round->chunk_size;
}

/* What happened up to the stop. Targets are numbers now, unless they are gone with the parent that does not fit. */
static void report(gm_core *core, gm_events *all, const gm_event *stop) {
  for (uint64_t i = 0; i < all->count; i++) {
    gm_event *event = &all->items[i];
    bool kept = !stop || event == stop || (event < stop && event->position <= core->round.keep);
    if (kept && gm_is_told(core, event->action, event->kind)) kept = false; /* by another worker of this round */
    if (kept && event->kind == GM_OUTCOME_UNMET) core->unmet[event->action] = true;
    if (!kept || event->kind == GM_OUTCOME_LIMIT) {
      free(event->words);
    } else {
      if (event->target != GM_NO_STATE && event->target & GM_FRESH)
        event->target = event->position > core->round.keep
                            ? GM_NO_STATE
                            : atomic_load_explicit(gm_claim(core, event->target & GM_INDEX), memory_order_relaxed);
      gm_events_move(core, &core->incidents, event);
    }
    if (event == stop) gm_stop(core, event);
  }
}

/* Where the round ends: all of it is counted up to there, and the number of parents returned. */
static uint64_t count(gm_core *core, const gm_event *stop) {
  gm_round *round = &core->round;
  round->keep = GM_NO_STATE;
  if (!stop) return count_all(core);
  round->keep = stop->position;
  if (!steps_back(stop->kind)) return count_to(core, stop->position);
  uint64_t parent = gm_position_parent(round, stop->position); /* everything before it */
  round->keep = parent == 0 ? 0 : (parent << round->index_bits) - 1;
  return parent == 0 ? 0 : count_to(core, round->keep);
}

/* What one worker would have said by then. */
static void tell(gm_core *core, uint64_t parents) {
  const gm_round *round = &core->round;
  if (round->keep == GM_NO_STATE) {
    gm_pass_on(core, round->first + parents, 0);
    return;
  }
  uint64_t successors = round->keep & ((UINT64_C(1) << round->index_bits) - 1);
  gm_pass_on(core, round->first + gm_position_parent(round, round->keep), (uint32_t)successors);
}

void gm_settle(gm_core *core) {
  gm_events all = gather(core);
  const gm_event *stop = NULL;
  for (uint64_t i = 0; i < all.count && !stop; i++)
    if (gm_is_fatal(core, all.items[i].kind)) stop = &all.items[i];
  uint64_t parents = count(core, stop);
  tell(core, parents);
  if (gm_renumber(core, parents) != 0) core->out_of_memory = core->lost = true;
  if (core->model.keep_edges && gm_edges_gather(core, parents) != 0) core->out_of_memory = core->lost = true;
  core->expanded = core->round.first + parents;
  report(core, &all, stop);
  core->not_queued = stop && !steps_back(stop->kind) && core->round.last_position == stop->position;
  free(all.items);
}
