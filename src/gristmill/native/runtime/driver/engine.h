/* What the files of the driver share: an engine, its workers, and how states become slots. See driver.h. */
#ifndef GM_ENGINE_H
#define GM_ENGINE_H

#include <stdlib.h>
#include <string.h>

#include "driver.h"

typedef struct gm_runner gm_runner;

struct gm_batch {
  gm_runner *runner;
  gm_sink *sink;
  uint32_t parameters; /* for each step, whether its action has them or not */
  const uint8_t *actions;
  const V *wanted;
  V *values;
  uint64_t *first;
  uint8_t *left;
  uint32_t room, value_room; /* for states, for steps */
};

struct gm_engine {
  const gm_spec *spec;
  gm_reference reference;
  gm_heap *heap;
  gm_narrow *narrow, *narrow_before; /* the latter while states are taken over */
  gm_universe **universes;
  uint32_t state_words;
  gm_runner *main;
  V *constants, **more_constants; /* of this library, and of those linked later */
  uint32_t more, constant_count;
  gm_permutation **permutations;
  uint32_t *moves, *origins, *order, symmetries;
  gm_canonical *canonical; /* in place of these, where permutations are all of some sets */
  uint32_t *bad;
  int misfit;
  gm_core *core;
  const gm_core *followed; /* by models that ask for the level; NULL for others */
  bool restricted; /* gm_step asks whether a step is allowed */
  bool restricted_by_action; /* only because of obligations */
  uint8_t *met; /* per alternative of obligations: it was the first to hold of some step */
  bool ordered, aloud;
  gm_turn turn;
  uint32_t *collected; /* initial states, in a search in order */
  uint64_t collected_count, collected_room;
  uint64_t fallbacks, callbacks, between;
  uint64_t between_before; /* in a search in order: before the state that is being expanded */
};

enum { KNOWN = 4096, WAITING = 16 };

typedef struct known {
  gm_predicate predicate;
  bool holds;
  V content[GM_KNOWN_SLOTS];
} known;

/* An initial state that was found and is yet to be added: what the core needs for that is on its way to the cache. */
typedef struct found {
  uint32_t *words;
  V *slots;
  bool inside;
} found;

/* One worker: its `gm_worker` and what the driver needs around it. */
struct gm_runner {
  gm_engine *engine;
  gm_worker *worker;
  gm_sink *sink;
  const uint32_t *state;
  uint32_t *words, *key, *least;
  uint32_t *held; /* the state that `current` has, with what was made of it, if it `holds` one still */
  bool holds;
  bool has_beside; /* `next` has the state of `words`, a successor of the one that is held */
  V *values; /* of a state and of a permutation of it */
  uint16_t *moved; /* slots that a step has changed */
  gm_canonizer *canonizer;
  jmp_buf *enabled;
  gm_between **between; /* where the next state between two actions goes */
  bool has_initial; /* one was handed over */
  gm_batch *batch; /* that it works for, or NULL */
  known *known;
  found waiting[WAITING];
  uint64_t first, last; /* of those that wait, counted from the beginning */
  uint32_t *inside, *passed; /* initial states of which constraints hold, of which invariants hold; or NULL */
};

enum { LEAVE_BAD = 100, LEAVE_MISFIT_INITIAL };

static inline gm_runner *runner_of(const gm_worker *w) { return w->sink; }

gm_runner *gm_runner_new(gm_engine *e);
void gm_runner_free(gm_runner *r);
bool gm_runner_make_room(gm_runner *r); /* for words of states; false: there is no memory */
bool gm_hold_of_next(gm_runner *r, enum gm_family family);
void gm_take_turn(gm_engine *e, const uint32_t *candidate);
enum gm_status gm_runner_expand(void *worker, const uint32_t *state, gm_sink *sink);
enum gm_status gm_runner_check(void *worker, const uint32_t *state, const uint32_t *parent);
/* The same, where the state differs in these slots only from one of which the invariants hold. */
enum gm_status gm_runner_check_changed(gm_runner *r, const uint32_t *state, uint64_t changed);
enum gm_status gm_runner_take(void *worker, const uint32_t *state, uint32_t branch, gm_sink *sink);
enum gm_status gm_runner_judge(void *worker, const uint32_t *state, const uint32_t *successor, uint32_t action,
                        enum gm_question question, uint32_t *marks);
enum gm_status gm_runner_reasons(void *worker, const uint32_t *state, const uint32_t *successor, uint64_t *bits);
enum gm_status gm_runner_key(void *worker, const uint32_t *state, uint32_t *out);

static inline uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

/* ---- states and slots ---- */

static inline void forget_wholes(const gm_spec *s, V *slots) {
  for (uint32_t i = 0; i < s->variables + s->remembered; i++) slots[s->next_slots + i] = GM_UNSET;
}

static inline void unpack(const gm_engine *e, const uint32_t *state, V *slots) {
  const gm_spec *s = e->spec;
  gm_narrow_unpack(e->heap, e->narrow, state, slots);
  forget_wholes(s, slots);
}

/* One slot of a state being packed; what is in `slots` is then a kept value. */
static inline void pack_slot(gm_worker *w, gm_engine *e, uint32_t *words, V *slots, uint32_t i) {
  V kept = gm_narrow_set(w, e->narrow, words, i, slots[i]);
  if (kept == GM_UNSET) gm_fail(w, GM_MISFIT);
  slots[i] = kept;
}

static inline void pack_all(gm_worker *w, gm_engine *e, uint32_t *words, V *slots) {
  if (e->state_words) words[e->state_words - 1] = 0; /* bytes that no slot has */
  for (uint32_t i = 0; i < e->spec->slots; i++) pack_slot(w, e, words, slots, i);
}

/* ---- beginning to evaluate ---- */

static inline enum gm_status status_of(int why) {
  return why == GM_FULL ? GM_STATUS_AGAIN : why == GM_MISFIT ? GM_STATUS_MISFIT : GM_STATUS_FAIL;
}

/* `further`: how much deeper than the states being expanded the state is. */
static inline void prepare(gm_runner *r, const uint32_t *state, int further, jmp_buf *recover) {
  gm_worker *w = r->worker;
  w->recover = recover;
  w->stack_limit = gm_stack_limit();
  w->changed = UINT64_MAX;
  r->state = state;
  r->enabled = NULL;
  if (r->engine->followed) w->level = (int64_t)gm_level(r->engine->followed) + further;
}

static inline void begin(gm_runner *r, const uint32_t *state, int further, jmp_buf *recover) {
  r->holds = r->has_beside = false;
  gm_reset(r->worker);
  prepare(r, state, further, recover);
  unpack(r->engine, state, r->worker->current);
}

/* The same, for one branch after the other of a state: what was unpacked and made for the one before serves the next, unless
   something else was evaluated in between. Scratch memory is not reset then, and must not run out because of that. */
static inline void begin_or_go_on(gm_runner *r, const uint32_t *state, jmp_buf *recover) {
  const gm_worker *w = r->worker;
  size_t bytes = r->engine->state_words * sizeof *state;
  if (r->holds && w->scratch_top - w->scratch <= w->scratch_end - w->scratch_top && memcmp(r->held, state, bytes) == 0) {
    prepare(r, state, 0, recover);
    return;
  }
  begin(r, state, 0, recover);
  memcpy(r->held, state, bytes);
  r->holds = true;
}

#endif
