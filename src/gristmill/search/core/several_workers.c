/* Several workers: they take chunks of parents in order, and what is new waits for its number until the round is over.

   Every chunk that is begun is finished, so that what was done is always all of the first chunks. A state may be found by
   many at a time; it belongs to the one whose claim comes first, which is known when all chunks are done. */

#include <stdlib.h>
#include <string.h>

#include "packing.h"
#include "table.h"

enum { BLOCK = 64, MOST_QUOTA = 1 << 22 };

#ifndef GM_CHUNK
#define GM_CHUNK 16 /* parents, at least */
#endif
#ifndef GM_QUOTA
#define GM_QUOTA (1 << 16) /* new states in a round, at least */
#endif

/* The successor that is being looked at. */
typedef struct step {
  uint64_t position, claim, target;
  uint32_t action, marks;
  const uint32_t *words;
} step;

static void note_best(gm_round *round, uint64_t position) {
  uint64_t best = atomic_load_explicit(&round->best, memory_order_relaxed);
  while (position < best && !atomic_compare_exchange_weak_explicit(&round->best, &best, position, memory_order_relaxed,
                                                                   memory_order_relaxed)) {
  }
}

static void happened(gm_searcher *worker, const step *at, enum gm_outcome kind, bool of_state) {
  gm_core *core = worker->core;
  if (kind == GM_OUTCOME_UNMET) {
    if (gm_is_told(core, at->action, kind) || (core->limits.each_unmet && worker->unmet[at->action])) return;
    worker->unmet[at->action] = true;
  }
  uint64_t parent = core->round.first + gm_position_parent(&core->round, at->position);
  gm_event event = {at->position, parent, at->target, worker->reasons, at->action, of_state, kind, NULL};
  gm_events_add(core, &worker->events, event, of_state && kind != GM_OUTCOME_MISFIT ? NULL : at->words);
  if (gm_is_fatal(core, kind)) note_best(&core->round, at->position);
}

/* ------------------------------------------------------------------------------------------------------ fresh states */

/* A place for the next state that is new; false if there is none. */
static bool have_place(gm_searcher *worker) {
  gm_core *core = worker->core;
  if (worker->fresh_next < worker->fresh_end) return true;
  uint64_t start = atomic_fetch_add_explicit(&core->round.fresh, BLOCK, memory_order_relaxed);
  if (start + BLOCK > core->fresh_capacity) return false;
  worker->fresh_next = start;
  worker->fresh_end = start + BLOCK;
  for (uint64_t place = start; place < start + BLOCK; place++)
    atomic_store_explicit(gm_claim(core, place), GM_NO_STATE, memory_order_relaxed);
  if (core->count + start + BLOCK > core->table.most) gm_park(worker, GM_WISH_GROW);
  return !core->out_of_memory;
}

static void lower_claim(gm_core *core, uint64_t place, uint64_t claim) {
  _Atomic uint64_t *at = gm_claim(core, place);
  uint64_t known = atomic_load_explicit(at, memory_order_relaxed);
  while (claim < known &&
         !atomic_compare_exchange_weak_explicit(at, &known, claim, memory_order_relaxed, memory_order_relaxed)) {
  }
}

/* Of different states with the same key, the one with the least claim is the one that is stored. */
static void replace(gm_searcher *worker, uint64_t place, const step *by) {
  gm_core *core = worker->core;
  const uint64_t locked = GM_NO_STATE - 1;
  _Atomic uint64_t *at = gm_claim(core, place);
  uint64_t known = atomic_load_explicit(at, memory_order_relaxed);
  for (;;) {
    if (known == locked) {
      known = atomic_load_explicit(at, memory_order_relaxed);
    } else if (by->claim >= known) {
      return;
    } else if (atomic_compare_exchange_weak_explicit(at, &known, locked, memory_order_acquire, memory_order_relaxed)) {
      memcpy(gm_fresh_words(core, place), by->words, core->model.words * sizeof(uint32_t));
      gm_note_bits(core, by->words, worker->seen);
      atomic_store_explicit(at, by->claim, memory_order_release);
      return;
    }
  }
}

static void known_again(gm_searcher *worker, const step *at) {
  if (!(at->target & GM_FRESH)) return;
  if (worker->core->model.key_words)
    replace(worker, at->target & GM_INDEX, at);
  else
    lower_claim(worker->core, at->target & GM_INDEX, at->claim);
}

/* Whether it is new; `at->target` is what its slot says. */
static bool take(gm_searcher *worker, uint32_t i, step *at) {
  gm_core *core = worker->core;
  const gm_sink *sink = &worker->sink;
  const uint32_t *key = sink->key_words ? sink->keys + (size_t)i * sink->key_words : at->words;
  uint64_t hash = sink->hashes[i], place = worker->fresh_next;
  for (;;) {
    uint64_t empty = 0;
    at->target = gm_look_up(core, hash, key, &empty);
    if (at->target != GM_NO_STATE) {
      known_again(worker, at);
      return false;
    }
    memcpy(gm_fresh_words(core, place), at->words, sink->words * sizeof(uint32_t));
    if (sink->key_words) memcpy(gm_fresh_key(core, place), key, sink->key_words * sizeof(uint32_t));
    atomic_store_explicit(gm_claim(core, place), at->claim, memory_order_relaxed);
    at->target = place | GM_FRESH;
    if (gm_fill_slot(&core->table, empty, gm_slot(&core->table, hash, at->target))) {
      worker->fresh_next++;
      worker->fresh_made++;
      gm_note_bits(core, at->words, worker->seen);
      return true;
    }
    atomic_store_explicit(gm_claim(core, place), GM_NO_STATE, memory_order_relaxed); /* another was faster: look again */
  }
}

/* -------------------------------------------------------------------------------------------------------- successors */

static void add_edge(gm_searcher *worker, uint64_t parent, const step *at) {
  if (worker->edge_count == worker->edge_capacity) {
    uint64_t capacity = worker->edge_capacity ? 2 * worker->edge_capacity : 1024;
    uint64_t *edges = realloc(worker->edges, capacity * sizeof *edges);
    if (!edges) {
      worker->core->out_of_memory = true;
      return;
    }
    worker->edges = edges;
    worker->edge_capacity = capacity;
  }
  worker->edges[worker->edge_count++] = at->target << GM_ACTION_BITS | at->action;
  worker->core->round.edge_counts[parent - worker->core->round.first]++;
}

/* Invariants. */
static void judge(gm_searcher *worker, const step *at, const uint32_t *parent, bool is_new) {
  switch (gm_check(worker, at->words, parent)) {
    case GM_STATUS_OK:
      return;
    case GM_STATUS_MISFIT:
      happened(worker, at, GM_OUTCOME_MISFIT, is_new);
      return;
    case GM_STATUS_FAIL:
      happened(worker, at, GM_OUTCOME_FAILED_CHECK, is_new);
      return;
    default:
      happened(worker, at, GM_OUTCOME_BAD_STATE, is_new);
  }
}

/* A step that an implied action refuses. */
static void bad_step(gm_searcher *worker, const step *at) {
  switch (gm_reasons(worker, worker->parent, at->words)) {
    case GM_STATUS_MISFIT:
      happened(worker, at, GM_OUTCOME_MISFIT, false);
      return;
    case GM_STATUS_STOP:
      happened(worker, at, GM_OUTCOME_BAD_STEP, false);
      return;
    default:
      happened(worker, at, GM_OUTCOME_FAILED_CHECK, false);
  }
}

/* With keys it is not known before all chunks are done which states these are. */
static void judge_fresh(gm_searcher *worker) {
  gm_core *core = worker->core;
  uint64_t start, end;
  gm_fresh_share(worker, &start, &end);
  for (uint64_t place = start; place < end; place++) {
    if (gm_parking(core)) gm_park(worker, 0);
    uint64_t claim = atomic_load_explicit(gm_claim(core, place), memory_order_relaxed);
    step at = {.position = gm_position(&core->round, claim), .target = place | GM_FRESH};
    at.words = gm_fresh_words(core, place);
    if (claim != GM_NO_STATE) judge(worker, &at, NULL, true);
  }
}

static void absorb(gm_searcher *worker, uint32_t i, uint64_t parent, uint64_t position) {
  gm_core *core = worker->core;
  const gm_sink *sink = &worker->sink;
  step at = {.position = position, .target = GM_NO_STATE, .action = sink->actions[i], .marks = sink->marks[i]};
  at.claim = position << core->round.action_bits | at.action;
  at.words = sink->states + (size_t)i * sink->words;
  bool to_check = true, is_new = false;
  worker->chunk_taken[at.action]++;
  if (at.marks & GM_MARK_UNKNOWN) {
    happened(worker, &at, GM_OUTCOME_FAILED_CHECK, false);
    return;
  }
  if (at.marks & GM_MARK_CUT) {
    ++*worker->chunk_cut;
  } else if (!have_place(worker)) {
    happened(worker, &at, GM_OUTCOME_LIMIT, false);
    return;
  } else {
    to_check = is_new = take(worker, i, &at);
    if (core->model.keep_edges) add_edge(worker, parent, &at);
  }
  to_check = to_check && !(is_new && core->model.key_words) && !gm_has_passed(worker, at.marks);
  if (to_check) judge(worker, &at, gm_passed(worker), is_new);
  if (at.marks & GM_MARK_UNKNOWN_STEP)
    happened(worker, &at, GM_OUTCOME_FAILED_CHECK, false);
  else if (at.marks & GM_MARK_BAD_STEP)
    bad_step(worker, &at);
  if (at.marks & GM_MARK_UNMET) happened(worker, &at, GM_OUTCOME_UNMET, false);
}

static void absorb_all(gm_searcher *worker, const gm_expanded *parent, uint32_t start) {
  gm_core *core = worker->core;
  const gm_round *round = &core->round;
  const gm_sink *sink = &worker->sink;
  uint64_t after = (UINT64_C(1) << round->index_bits) - 1;
  uint64_t before = (parent->number - round->first) << round->index_bits;
  step at = {.position = before, .target = GM_NO_STATE, .action = GM_NO_ACTION};
  if (parent->status == GM_STATUS_MISFIT) {
    happened(worker, &at, GM_OUTCOME_MISFIT, true);
    return;
  }
  if (parent->end - start >= after || sink->failed) { /* too many for a claim, or for memory */
    happened(worker, &at, GM_OUTCOME_LIMIT, true);
    return;
  }
  worker->parent = parent->words;
  for (uint32_t i = start; i < parent->end; i++) {
    absorb(worker, i, parent->number, before | (i - start + 1));
  }
  at.position |= after;
  if (parent->status == GM_STATUS_STOP)
    happened(worker, &at, GM_OUTCOME_FAILED, true);
  else if (parent->end == start && core->model.check_deadlock)
    happened(worker, &at, GM_OUTCOME_DEADLOCK, true);
}

/* ------------------------------------------------------------------------------------------------------------- chunks */

static bool matters(const gm_round *round, uint64_t parent) {
  uint64_t best = atomic_load_explicit(&round->best, memory_order_relaxed);
  return parent - round->first <= gm_position_parent(round, best);
}

static void show(gm_searcher *worker, uint64_t successors, uint64_t fresh) {
  atomic_fetch_add_explicit(&worker->generated, successors, memory_order_relaxed);
  atomic_fetch_add_explicit(&worker->distinct, fresh, memory_order_relaxed);
}

static uint64_t collect(gm_searcher *worker, uint64_t number, uint64_t end) {
  gm_sink_clear(&worker->sink);
  worker->batch_count = 0;
  while (number < end && worker->batch_count < GM_BATCH && worker->sink.count < GM_BATCH) {
    if (gm_parking(worker->core)) gm_park(worker, 0);
    if (gm_expand(worker, number++) == GM_STATUS_MISFIT) break;
  }
  return number;
}

static void do_chunk(gm_searcher *worker, uint64_t chunk) {
  gm_core *core = worker->core;
  gm_round *round = &core->round;
  uint64_t number = round->first + chunk * round->chunk_size, last = round->first + round->size;
  uint64_t end = last - number < round->chunk_size ? last : number + round->chunk_size;
  worker->chunk_taken = round->chunk_taken + chunk * core->model.actions;
  worker->chunk_cut = &round->chunk_cut[chunk];
  if (core->model.keep_edges) round->chunk_edges[chunk] = (struct gm_chunk_edges){worker->number, worker->edge_count};
  while (number < end && matters(round, number)) {
    uint64_t made = worker->fresh_made;
    number = collect(worker, number, end);
    gm_prefetch_keys(worker);
    uint32_t start = 0;
    for (uint32_t i = 0; i < worker->batch_count; start = worker->batch[i++].end)
      absorb_all(worker, &worker->batch[i], start);
    show(worker, start, worker->fresh_made - made);
  }
  atomic_fetch_add_explicit(&worker->cut, *worker->chunk_cut, memory_order_relaxed);
}

static void work(gm_searcher *worker) {
  gm_core *core = worker->core;
  gm_round *round = &core->round;
  worker->fresh_next = worker->fresh_end = 0;
  for (;;) {
    if (gm_time_is_up(core) || core->out_of_memory || worker->sink.said.used > GM_MOST_SAID) return;
    if (atomic_load_explicit(&round->fresh, memory_order_relaxed) >= round->quota) return;
    uint64_t next = atomic_load_explicit(&round->next_chunk, memory_order_relaxed);
    if (next >= round->chunks || !matters(round, round->first + next * round->chunk_size)) return;
    uint64_t chunk = atomic_fetch_add_explicit(&round->next_chunk, 1, memory_order_relaxed);
    if (chunk >= round->chunks) return;
    do_chunk(worker, chunk); /* also if it does not matter any more: then it does little */
  }
}

/* ------------------------------------------------------------------------------------------------------------- rounds */

static uint32_t bits_for(uint64_t values) {
  uint32_t bits = 1;
  while (bits < 63 && UINT64_C(1) << bits < values) bits++;
  return bits;
}

static uint64_t between(uint64_t value, uint64_t low, uint64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* Chunks are big enough that their counters do not weigh, and numerous enough to balance the load. */
static int plan(gm_core *core, uint64_t end) {
  gm_round *round = &core->round;
  uint64_t actions = core->model.actions, longest = 4 * actions > 1024 ? 4 * actions : 1024;
  memset(round, 0, sizeof *round);
  round->first = core->expanded;
  round->size = end - round->first;
  round->chunk_size = between(round->size / (32 * core->limits.workers), GM_CHUNK, longest);
  round->chunks = (round->size + round->chunk_size - 1) / round->chunk_size;
  round->action_bits = bits_for(actions + 1);
  round->index_bits = 64 - round->action_bits - bits_for(round->size + 1);
  if (round->index_bits > 31) round->index_bits = 31;
  round->quota = between(core->count / 4, GM_QUOTA, MOST_QUOTA);
  if (core->pause_at - core->count < round->quota) round->quota = core->pause_at - core->count;
  atomic_store(&round->best, GM_NO_STATE);
  round->chunk_taken = calloc(round->chunks * actions + 1, sizeof *round->chunk_taken);
  round->chunk_cut = calloc(round->chunks, sizeof *round->chunk_cut);
  if (!round->chunk_taken || !round->chunk_cut) return -1;
  if (!core->model.keep_edges) return 0;
  round->chunk_edges = calloc(round->chunks, sizeof *round->chunk_edges);
  round->edge_counts = calloc(round->size, sizeof *round->edge_counts);
  return round->chunk_edges && round->edge_counts ? 0 : -1;
}

static void clean_up(gm_core *core) {
  gm_round *round = &core->round;
  free(round->chunk_taken);
  free(round->chunk_cut);
  free(round->chunk_edges);
  free(round->edge_counts);
  free((void *)round->ends);
  free(round->order);
  memset(round, 0, sizeof *round);
  for (uint32_t i = 0; i < core->limits.workers; i++) {
    gm_searcher *worker = &core->workers[i];
    free(worker->events.items); /* what they held is with the core now */
    worker->events = (gm_events){NULL, 0, 0};
    worker->edge_count = 0;
    memset(worker->unmet, 0, core->model.actions * sizeof *worker->unmet);
    atomic_store(&worker->generated, 0);
    atomic_store(&worker->distinct, 0);
    atomic_store(&worker->cut, 0);
  }
}

void gm_round_together(gm_core *core, uint64_t end) {
  if (plan(core, end) != 0 || !gm_has_room(core, core->round.quota)) {
    core->out_of_memory = true;
  } else {
    gm_team_do(core, work);
    if (core->model.key_words && core->model.check) gm_team_do(core, judge_fresh);
    gm_settle(core);
  }
  clean_up(core);
}
