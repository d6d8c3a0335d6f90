#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "persist.h"

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
  gm_narrow *narrow;
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
  const gm_core *followed; /* by those who ask for the level; NULL: nobody does */
  bool restricted; /* gm_step asks whether a step is allowed */
  bool ordered;
  gm_turn turn;
  uint32_t *collected; /* initial states, in a search in order */
  uint64_t collected_count, collected_room;
  uint64_t fallbacks, callbacks, between;
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
  V *values; /* of a state and of a permutation of it */
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

static gm_runner *runner_of(const gm_worker *w) { return w->sink; }

/* ---- making and ending ---- */

static void runner_free(gm_runner *r) {
  if (!r) return;
  if (r->worker) {
    __atomic_fetch_add(&r->engine->callbacks, r->worker->callbacks, __ATOMIC_RELAXED);
    free(r->worker->lasting);
  }
  gm_worker_free(r->worker);
  free(r->words);
  free(r->key);
  free(r->least);
  free(r->values);
  gm_canonizer_free(r->canonizer);
  free(r->known);
  free(r);
}

/* NULL if there is no memory. */
static gm_runner *runner_new(gm_engine *e) {
  const gm_spec *s = e->spec;
  gm_runner *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->engine = e;
  r->words = calloc(e->state_words + 1, sizeof *r->words);
  r->key = calloc(e->state_words + 1, sizeof *r->key);
  r->least = calloc(e->state_words + 1, sizeof *r->least);
  r->values = calloc(3 * (size_t)s->slots + 3, sizeof *r->values);
  r->known = calloc(KNOWN, sizeof *r->known);
  r->worker = gm_worker_new(e->heap, s->next_slots + s->variables + s->remembered + 1);
  if (r->worker) {
    r->worker->lasting = calloc(s->lasting + 1, sizeof(V));
    r->worker->model = e;
    r->worker->sink = r;
  }
  if (r->words && r->key && r->least && r->values && r->known && r->worker && r->worker->lasting) return r;
  runner_free(r);
  return NULL;
}

gm_engine *gm_engine_new(const gm_spec *spec, const gm_reference *reference, uint64_t max_bytes) {
  gm_engine *e = gm_checked(calloc(1, sizeof *e));
  e->spec = spec;
  e->reference = *reference;
  e->heap = gm_checked(gm_heap_new(max_bytes));
  e->narrow = gm_narrow_new(spec->width, spec->slots);
  e->state_words = gm_narrow_words(e->narrow);
  e->bad = gm_checked(calloc(e->state_words + 1, sizeof *e->bad));
  e->misfit = -1;
  e->restricted = spec->constraints || spec->action_constraints || spec->implied_actions;
  e->main = gm_checked(runner_new(e));
  return e;
}

void gm_engine_free(gm_engine *e) {
  runner_free(e->main);
  gm_heap_free(e->heap);
  gm_narrow_free(e->narrow);
  free(e->constants);
  for (uint32_t i = 0; i < e->more; i++) free(e->more_constants[i]);
  free(e->more_constants);
  for (uint32_t i = 0; i < e->symmetries; i++) gm_permutation_free(e->permutations[i]);
  free(e->permutations);
  gm_canonical_free(e->canonical);
  free(e->moves);
  free(e->collected);
  free(e->origins);
  free(e->order);
  free(e->bad);
  free(e);
}

gm_heap *gm_engine_heap(gm_engine *e) { return e->heap; }
gm_worker *gm_engine_worker(gm_engine *e) { return e->main->worker; }
const uint32_t *gm_engine_bad(const gm_engine *e) { return e->bad; }
int gm_engine_misfit(const gm_engine *e) { return __atomic_load_n(&e->misfit, __ATOMIC_RELAXED); }
uint64_t gm_engine_fallbacks(const gm_engine *e) { return __atomic_load_n(&e->fallbacks, __ATOMIC_RELAXED); }
uint64_t gm_engine_between(const gm_engine *e) { return e->between; }
uint64_t gm_engine_callbacks(const gm_engine *e) {
  return __atomic_load_n(&e->callbacks, __ATOMIC_RELAXED) + e->main->worker->callbacks;
}

/* Constants that can be listed are kept, so that comparing them is quick; infinite sets stay in scratch memory. */
static V permanent(gm_worker *w, V v) {
  if (!gm_is_object(v) || gm_object_of(v)->kind >= GM_LAMBDA) return v;
  return gm_keep(w, v);
}

static int link_constants(gm_engine *e, const gm_spec *spec, V **constants, const uint8_t *bytes, size_t size,
                          uint32_t count) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  V *found = *constants = gm_checked(calloc(count + 1, sizeof *found));
  w->recover = &here;
  int why = setjmp(here);
  if (why != 0) return why;
  size_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    size_t used = 0;
    V v = gm_decode(w, bytes + at, size - at, &used);
    at += used;
    while (gm_must_grow(e->heap)) gm_grow(e->heap);
    found[i] = permanent(w, v);
  }
  spec->link(found);
  return 0;
}

int gm_engine_link(gm_engine *e, const uint8_t *bytes, size_t size, uint32_t count) {
  e->constant_count = count;
  return link_constants(e, e->spec, &e->constants, bytes, size, count);
}

int gm_engine_link_more(gm_engine *e, const gm_spec *spec, const uint8_t *bytes, size_t size, uint32_t count) {
  V **more = realloc(e->more_constants, (e->more + 1) * sizeof *more);
  e->more_constants = gm_checked(more);
  return link_constants(e, spec, &e->more_constants[e->more++], bytes, size, count);
}

void gm_engine_symmetry(gm_engine *e, gm_permutation *const *permutations, const uint32_t *moves, uint32_t count) {
  size_t n = e->spec->slots;
  e->permutations = gm_checked(malloc((count + 1) * sizeof *e->permutations));
  e->moves = gm_checked(malloc((count * n + 1) * sizeof *e->moves));
  memcpy(e->permutations, permutations, count * sizeof *permutations);
  memcpy(e->moves, moves, count * n * sizeof *moves);
  e->symmetries = count;
}

void gm_engine_order(gm_engine *e, const uint32_t *slots) {
  size_t n = e->spec->slots;
  e->order = gm_checked(malloc((n + 1) * sizeof *e->order));
  e->origins = gm_checked(malloc((e->symmetries * n + 1) * sizeof *e->origins));
  memcpy(e->order, slots, n * sizeof *slots);
  for (size_t p = 0; p < e->symmetries; p++)
    for (size_t i = 0; i < n; i++) e->origins[p * n + e->moves[p * n + i]] = (uint32_t)i;
}

void gm_engine_canonical(gm_engine *e, const gm_elements *elements) {
  e->canonical = gm_checked(gm_canonical_new(elements));
}

void gm_engine_in_order(gm_engine *e) {
  e->ordered = true;
  e->restricted = false;
  e->turn.action = UINT32_MAX;
}

const gm_turn *gm_engine_turn(const gm_engine *e) { return &e->turn; }

void gm_engine_follow(gm_engine *e, const gm_core *core) { e->followed = core; }

/* ---- states and slots ---- */

static void forget_wholes(const gm_spec *s, V *slots) {
  for (uint32_t i = 0; i < s->variables + s->remembered; i++) slots[s->next_slots + i] = GM_UNSET;
}

static void unpack(const gm_engine *e, const uint32_t *state, V *slots) {
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

static void pack_all(gm_worker *w, gm_engine *e, uint32_t *words, V *slots) {
  if (e->state_words) words[e->state_words - 1] = 0; /* bytes that no slot has */
  for (uint32_t i = 0; i < e->spec->slots; i++) pack_slot(w, e, words, slots, i);
}

uint32_t gm_engine_full(const gm_engine *e) { return gm_narrow_full(e->narrow); }
uint32_t gm_engine_words_count(const gm_engine *e) { return e->state_words; }

_Noreturn void gm_misfit(gm_worker *w, uint32_t variable) {
  w->misfit_slot = (int)variable;
  __atomic_store_n(&runner_of(w)->engine->misfit, (int)variable, __ATOMIC_RELAXED);
  gm_fail(w, GM_MISFIT);
}

/* ---- predicates ---- */

static const gm_predicate *family_of(const gm_spec *s, enum gm_family family, uint32_t *count) {
  switch (family) {
  case GM_INVARIANT: *count = s->invariants; return s->invariant;
  case GM_IMPLIED_INIT: *count = s->implied_inits; return s->implied_init;
  case GM_CONSTRAINT: *count = s->constraints; return s->constraint;
  case GM_ACTION_CONSTRAINT: *count = s->action_constraints; return s->action_constraint;
  default: *count = s->implied_actions; return s->implied_action;
  }
}

static inline void note(gm_engine *e, enum gm_family family, uint32_t index) {
  if (!e->ordered) return;
  e->turn.family = family;
  e->turn.refused = index;
}

/* Whether all predicates of a family hold of the worker's current and next slots, which are also given packed. */
static bool all_hold(gm_runner *r, enum gm_family family, const uint32_t *state, const uint32_t *next) {
  uint32_t count;
  const gm_predicate *predicates = family_of(r->engine->spec, family, &count);
  for (uint32_t i = 0; i < count; i++) {
    note(r->engine, family, i);
    if (predicates[i]) {
      if (!predicates[i](r->worker)) return false;
      continue;
    }
    r->worker->callbacks++;
    int answer = r->engine->reference.predicate(family, i, state, next);
    if (answer < 0) gm_fail(r->worker, GM_ERROR);
    if (!answer) return false;
  }
  return true;
}

/* Evaluate predicates of one state in the successor being built. */
static bool hold_of_next(gm_runner *r, enum gm_family family) {
  gm_worker *w = r->worker;
  V *current = w->current, *next = w->next;
  uint32_t count;
  family_of(r->engine->spec, family, &count);
  if (count == 0) return true;
  forget_wholes(r->engine->spec, next);
  w->current = next;
  w->next = current; /* ENABLED writes there, and then what was there again: it must not be the state that it is asked of */
  w->level++;
  bool holds = all_hold(r, family, r->words, NULL);
  w->level--;
  w->current = current;
  w->next = next;
  return holds;
}

static uint32_t marks_of_step(gm_runner *r) {
  const gm_spec *s = r->engine->spec;
  uint32_t marks = 0;
  if (!hold_of_next(r, GM_CONSTRAINT)) marks |= GM_MARK_CUT;
  else if (s->action_constraints && !all_hold(r, GM_ACTION_CONSTRAINT, r->state, r->words)) marks |= GM_MARK_CUT;
  if (s->implied_actions && !all_hold(r, GM_IMPLIED_ACTION, r->state, r->words)) marks |= GM_MARK_BAD_STEP;
  return marks;
}

/* ---- what is remembered: contents of slots are kept values, so equal words are equal values ---- */

static inline uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

bool gm_known(gm_worker *w, gm_predicate predicate, const uint16_t *slots, uint32_t n) {
  V content[GM_KNOWN_SLOTS];
  uint64_t hash = (uint64_t)(uintptr_t)predicate;
  for (uint32_t i = 0; i < n; i++) {
    content[i] = w->current[slots[i]];
    if (gm_is_object(content[i]) && !(gm_object_of(content[i])->flags & GM_KEPT)) return predicate(w);
    hash = mixed(hash, content[i]);
  }
  known *entry = &runner_of(w)->known[hash & (KNOWN - 1)];
  bool is_known = entry->predicate == predicate; /* which always has the same slots */
  for (uint32_t i = 0; i < n; i++) is_known &= entry->content[i] == content[i];
  if (is_known) return entry->holds;
  bool holds = predicate(w);
  entry->predicate = predicate;
  entry->holds = holds;
  memcpy(entry->content, content, n * sizeof *content);
  return holds;
}

bool gm_subset_known(gm_worker *w, V some, V set) {
  if (!gm_is_kind(some, GM_SET) || !gm_is_set(set)) return gm_subset(w, some, set);
  const gm_object *o = gm_object_of(some);
  for (uint32_t i = 0; i < o->size; i++)
    if (!gm_member_known(w, o->items[i], set)) return false;
  return true;
}

/* ---- successors ---- */

/* Put what is not among `slots` into `next`, too. */
static void complete(gm_runner *r, const uint16_t *slots, uint32_t n) {
  gm_worker *w = r->worker;
  if (n == r->engine->spec->slots) return;
  for (uint32_t k = 0; k < n; k++) r->values[k] = w->next[slots[k]];
  memcpy(w->next, w->current, r->engine->spec->slots * sizeof *w->next);
  for (uint32_t k = 0; k < n; k++) w->next[slots[k]] = r->values[k];
}

/* The successor is written where the core wants it. */
void gm_step(gm_worker *w, uint32_t action, const uint16_t *slots, uint32_t n) {
  gm_runner *r = runner_of(w);
  gm_engine *e = r->engine;
  uint32_t *words = gm_place(r->sink);
  memcpy(words, r->state, e->state_words * sizeof *words);
  uint64_t changed = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (w->next[slots[k]] == w->current[slots[k]]) continue;
    pack_slot(w, e, words, w->next, slots[k]);
    changed |= gm_slot_bit(slots[k]);
  }
  if (!e->restricted) {
    gm_emit_placed(r->sink, action, 0);
    return;
  }
  memcpy(r->words, words, e->state_words * sizeof *words);
  w->changed = changed; /* constraints hold of what is expanded */
  complete(r, slots, n);
  gm_emit_placed(r->sink, action, marks_of_step(r));
  w->changed = UINT64_MAX;
}

static enum gm_status status_of(int why) {
  return why == GM_FULL ? GM_STATUS_AGAIN : why == GM_MISFIT ? GM_STATUS_MISFIT : GM_STATUS_FAIL;
}

/* `further`: how much deeper than the states being expanded the state is. */
static void begin(gm_runner *r, const uint32_t *state, int further, jmp_buf *recover) {
  gm_worker *w = r->worker;
  gm_reset(w);
  w->recover = recover;
  w->stack_limit = gm_stack_limit();
  w->changed = UINT64_MAX;
  r->state = state;
  r->enabled = NULL;
  if (r->engine->followed) w->level = (int64_t)gm_level(r->engine->followed) + further;
  unpack(r->engine, state, w->current);
}

/* Something else is evaluated from now on. */
static void take_turn(gm_engine *e, const uint32_t *candidate) {
  if (!e->ordered) return;
  e->turn.number++;
  e->turn.candidate = candidate;
  e->turn.stored = 0;
}

static void undo(gm_engine *e) {
  if (e->ordered) e->reference.undo();
}

static enum gm_status expand(void *worker, const uint32_t *state, gm_sink *sink) {
  gm_runner *r = worker;
  gm_engine *e = r->engine;
  V *current = r->worker->current, *next = r->worker->next;
  jmp_buf here;
  r->sink = sink;
  begin(r, state, 0, &here);
  int why = setjmp(here);
  if (why == 0) {
    for (uint32_t b = 0; b < e->spec->branches; b++) {
      if (e->spec->branch[b]) {
        e->spec->branch[b](r->worker);
        continue;
      }
      r->worker->callbacks++;
      int status = e->reference.take(sink, b, state);
      if (status != GM_STATUS_OK) return status;
    }
    return GM_STATUS_OK;
  }
  r->worker->current = current;
  r->worker->next = next;
  if (why == GM_FULL || why == GM_MISFIT) return status_of(why);
  gm_forget(sink);
  __atomic_fetch_add(&e->fallbacks, 1, __ATOMIC_RELAXED);
  return e->reference.expand(sink, state);
}

/* Whether the reference evaluator says that all predicates of a family hold; -1 if one cannot be evaluated. */
static int ask_all(gm_engine *e, enum gm_family family, const uint32_t *state, const uint32_t *next) {
  uint32_t count;
  family_of(e->spec, family, &count);
  for (uint32_t i = 0; i < count; i++) {
    note(e, family, i);
    int answer = e->reference.predicate(family, i, state, next);
    if (answer <= 0) return answer;
  }
  return 1;
}

static enum gm_status check(void *worker, const uint32_t *state, const uint32_t *parent) {
  gm_runner *r = worker;
  jmp_buf here;
  begin(r, state, 1, &here);
  if (parent) r->worker->changed = gm_narrow_changed(r->engine->narrow, state, parent);
  take_turn(r->engine, state);
  int why = setjmp(here);
  if (why == 0) return all_hold(r, GM_INVARIANT, state, NULL) ? GM_STATUS_OK : GM_STATUS_STOP;
  undo(r->engine);
  if (why == GM_FULL || why == GM_MISFIT) return status_of(why);
  __atomic_fetch_add(&r->engine->fallbacks, 1, __ATOMIC_RELAXED);
  int answer = ask_all(r->engine, GM_INVARIANT, state, NULL);
  return answer < 0 ? GM_STATUS_FAIL : answer ? GM_STATUS_OK : GM_STATUS_STOP;
}

/* ---- in order ---- */

static enum gm_status take(void *worker, const uint32_t *state, uint32_t branch, gm_sink *sink) {
  gm_runner *r = worker;
  gm_engine *e = r->engine;
  V *current = r->worker->current, *next = r->worker->next;
  jmp_buf here;
  r->sink = sink;
  begin(r, state, 0, &here);
  take_turn(e, NULL);
  e->turn.action = e->spec->branch_action[branch];
  const uint64_t between = e->between;
  int why = setjmp(here);
  if (why == 0 && e->spec->branch[branch]) {
    e->spec->branch[branch](r->worker);
    return GM_STATUS_OK;
  }
  r->worker->current = current;
  r->worker->next = next;
  if (why != 0) {
    undo(e);
    e->between = between;
    if (why == GM_FULL || why == GM_MISFIT) return status_of(why);
    gm_forget(sink);
    __atomic_fetch_add(&e->fallbacks, 1, __ATOMIC_RELAXED);
  }
  r->worker->callbacks++;
  return e->reference.take(sink, branch, state);
}

/* 1, 0, or -1 if that cannot be evaluated. `state` and `successor` are current and next. */
static int answer_to(gm_runner *r, enum gm_question question, const uint32_t *state, const uint32_t *successor) {
  if (question == GM_ASK_IMPLIED_ACTIONS) return all_hold(r, GM_IMPLIED_ACTION, state, successor);
  memcpy(r->words, successor, r->engine->state_words * sizeof *successor);
  r->engine->turn.candidate = r->words;
  bool inside = hold_of_next(r, GM_CONSTRAINT);
  r->engine->turn.candidate = NULL;
  return inside && all_hold(r, GM_ACTION_CONSTRAINT, state, successor);
}

static int ask(gm_engine *e, enum gm_question question, const uint32_t *state, const uint32_t *successor) {
  if (question == GM_ASK_IMPLIED_ACTIONS) return ask_all(e, GM_IMPLIED_ACTION, state, successor);
  e->turn.candidate = successor;
  int inside = ask_all(e, GM_CONSTRAINT, successor, NULL);
  e->turn.candidate = NULL;
  return inside > 0 ? ask_all(e, GM_ACTION_CONSTRAINT, state, successor) : inside;
}

static enum gm_status judge(void *worker, const uint32_t *state, const uint32_t *successor, uint32_t action,
                            enum gm_question question, uint32_t *marks) {
  gm_runner *r = worker;
  gm_engine *e = r->engine;
  e->turn.action = action;
  const gm_spec *s = e->spec;
  bool is_implied = question == GM_ASK_IMPLIED_ACTIONS;
  if (is_implied ? !s->implied_actions : !s->constraints && !s->action_constraints) return GM_STATUS_OK;
  V *current = r->worker->current, *next = r->worker->next;
  jmp_buf here;
  begin(r, state, 0, &here);
  unpack(e, successor, r->worker->next);
  take_turn(e, NULL);
  volatile int answer = -1;
  int why = setjmp(here);
  if (why == 0) {
    answer = answer_to(r, question, state, successor);
  } else {
    r->worker->current = current;
    r->worker->next = next;
    undo(e);
    if (why == GM_FULL || why == GM_MISFIT) return status_of(why);
    __atomic_fetch_add(&e->fallbacks, 1, __ATOMIC_RELAXED);
    answer = ask(e, question, state, successor);
  }
  if (answer < 0) *marks = is_implied ? GM_MARK_UNKNOWN_STEP : GM_MARK_UNKNOWN;
  else if (!answer) *marks = is_implied ? GM_MARK_BAD_STEP : GM_MARK_CUT;
  return GM_STATUS_OK;
}

/* ---- what decides whether a state is new ---- */

static void permuted(gm_runner *r, uint32_t p, const V *values, uint32_t *out) {
  gm_engine *e = r->engine;
  const uint32_t *moves = e->moves + (size_t)p * e->spec->slots;
  V *moved = r->values + e->spec->slots + 1;
  for (uint32_t i = 0; i < e->spec->slots; i++)
    moved[moves[i]] = gm_permute(r->worker, e->permutations[p], values[i]);
  pack_all(r->worker, e, out, moved);
}

static void take_if_less(gm_runner *r) {
  uint32_t words = r->engine->state_words;
  for (uint32_t i = 0; i < words; i++) {
    if (r->key[i] == r->least[i]) continue;
    if (r->key[i] < r->least[i]) memcpy(r->least, r->key, words * sizeof *r->key);
    return;
  }
}

static const uint32_t *least(gm_runner *r, const uint32_t *state) {
  gm_engine *e = r->engine;
  memcpy(r->least, state, e->state_words * sizeof *state);
  gm_narrow_unpack(e->heap, e->narrow, state, r->values);
  for (uint32_t p = 0; p < e->symmetries; p++) {
    permuted(r, p, r->values, r->key);
    take_if_less(r);
  }
  return r->least;
}

/* The first of all that permutations make of a state, in the order of values, which is TLC's choice. It matters where
   states are told apart by the VIEW of their representative: another one may have another view. */
static const uint32_t *first_in_order(gm_runner *r, const uint32_t *state) {
  gm_engine *e = r->engine;
  uint32_t slots = e->spec->slots;
  V *moved = r->values + slots + 1, *first = moved + slots + 1;
  gm_narrow_unpack(e->heap, e->narrow, state, r->values);
  memcpy(first, r->values, slots * sizeof *first);
  for (uint32_t p = 0; p < e->symmetries; p++) {
    const uint32_t *origins = e->origins + (size_t)p * slots;
    int order = 0;
    for (uint32_t k = 0; k < slots && order <= 0; k++) {
      uint32_t i = e->order[k];
      moved[i] = gm_permute(r->worker, e->permutations[p], r->values[origins[i]]);
      if (order == 0) order = gm_compare(r->worker, moved[i], first[i]);
    }
    if (order < 0) memcpy(first, moved, slots * sizeof *first);
  }
  pack_all(r->worker, e, r->least, first);
  return r->least;
}

/* See canonical.h: of these, too, the least is taken. */
static const uint32_t *canonical(gm_runner *r, const uint32_t *state) {
  gm_engine *e = r->engine;
  V *moved = r->values + e->spec->slots + 1;
  if (!r->canonizer) r->canonizer = gm_checked(gm_canonizer_new(e->canonical));
  gm_narrow_unpack(e->heap, e->narrow, state, r->values);
  gm_canonical_begin(r->canonizer, r->worker, r->values);
  memset(r->least, 0xff, e->state_words * sizeof *state);
  while (gm_canonical_next(r->canonizer, r->worker, moved)) {
    pack_all(r->worker, e, r->key, moved);
    take_if_less(r);
  }
  return r->least;
}

static const uint32_t *representative(gm_runner *r, const uint32_t *state) {
  if (r->engine->canonical) return canonical(r, state);
  if (!r->engine->symmetries) return state;
  return r->engine->order ? first_in_order(r, state) : least(r, state);
}

static enum gm_status key(void *worker, const uint32_t *state, uint32_t *out) {
  gm_runner *r = worker;
  jmp_buf here, *recover = r->worker->recover;
  V *current = r->worker->current;
  r->worker->recover = &here;
  int why = setjmp(here);
  if (why == 0) {
    const uint32_t *chosen = representative(r, state);
    if (r->engine->spec->view) {
      begin(r, chosen, 0, &here);
      out[0] = gm_pack(r->worker, r->engine->spec->view(r->worker));
    } else {
      memcpy(out, chosen, r->engine->state_words * sizeof *out);
    }
  }
  r->worker->recover = recover;
  r->worker->current = current;
  return why == 0 ? GM_STATUS_OK : status_of(why);
}

/* ---- for the core ---- */

static void *worker_new(void *context, uint32_t number) {
  (void)number;
  return runner_new(context);
}

static void worker_free(void *worker) { runner_free(worker); }

static void pause_all(void *context) {
  gm_engine *e = context;
  gm_grow(e->heap);
}

/* Constants were kept first, and in the same order, so they are where they were: what is there must be the same. */
static uint64_t constants_hash(const gm_engine *e) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < e->constant_count; i++) {
    V v = e->constants[i];
    if (gm_is_object(v) && gm_object_of(v)->flags & GM_KEPT) hash = mixed(hash, gm_object_of(v)->hash);
  }
  return hash;
}

static int save_engine(void *context, int file) {
  gm_engine *e = context;
  return gm_heap_save(e->heap, file) != 0 || gm_narrow_save(e->narrow, file) != 0 ? -1 : 0;
}

static int load_engine(void *context, int file) {
  gm_engine *e = context;
  uint64_t distance, before = constants_hash(e);
  if (gm_heap_load(e->heap, file, &distance) != 0 || gm_narrow_load(e->narrow, file, distance) != 0) return -1;
  gm_worker_new_buffer(e->main->worker);
  return constants_hash(e) == before ? 0 : -1;
}

static uint64_t bytes_of_values(void *context) { return gm_heap_bytes(((gm_engine *)context)->heap); }

void gm_engine_model(gm_engine *e, gm_model *model) {
  model->words = e->state_words;
  model->actions = e->spec->actions;
  model->branches = e->spec->branches;
  model->key_words = e->spec->view ? 1 : e->symmetries || e->canonical ? e->state_words : 0;
  model->context = e;
  model->worker_new = worker_new;
  model->worker_free = worker_free;
  model->expand = expand;
  model->check = e->spec->invariants ? check : NULL;
  model->key = model->key_words ? key : NULL;
  model->pause = pause_all;
  model->save = save_engine;
  model->load = load_engine;
  model->bytes = bytes_of_values;
  model->ordered = e->ordered;
  model->take = take;
  model->judge = judge;
}

/* ---- initial states ---- */

static _Noreturn void refuse(gm_runner *r, const uint32_t *words) {
  memcpy(r->engine->bad, words, r->engine->state_words * sizeof *words);
  gm_fail(r->worker, (enum gm_failure)LEAVE_BAD);
}

/* Hand over the initial state in `next`, and in `words`, at once. */
static void add_in_turn(gm_runner *r) {
  gm_worker *w = r->worker;
  gm_engine *e = r->engine;
  char *top = w->scratch_top; /* nothing that predicates make is needed afterwards */
  bool inside = hold_of_next(r, GM_CONSTRAINT);
  int new = gm_add_initial(e->core, r->words, inside ? 0 : GM_MARK_CUT);
  if (new < 0) gm_fail(w, GM_ERROR);
  e->turn.stored = (uint32_t)new;
  bool known = inside && !new;
  if (!known && (!hold_of_next(r, GM_INVARIANT) || !hold_of_next(r, GM_IMPLIED_INIT))) refuse(r, r->words);
  w->scratch_top = top;
}

static void collect(gm_engine *e, const uint32_t *words) {
  if (e->collected_count == e->collected_room) {
    e->collected_room = e->collected_room ? 2 * e->collected_room : 1024;
    e->collected = gm_checked(realloc(e->collected, e->collected_room * (e->state_words + 1) * sizeof *words));
  }
  memcpy(e->collected + e->collected_count++ * e->state_words, words, e->state_words * sizeof *words);
}

/* In order, all initial states are found before anything is evaluated in one. */
static void add_collected(gm_runner *r) {
  gm_engine *e = r->engine;
  for (uint64_t i = 0; i < e->collected_count; i++) {
    memcpy(r->words, e->collected + i * e->state_words, e->state_words * sizeof *r->words);
    unpack(e, r->words, r->worker->next);
    while (gm_must_grow(e->heap)) gm_grow(e->heap);
    take_turn(e, r->words);
    add_in_turn(r);
  }
  take_turn(e, NULL);
}

/* Initial states that follow each other differ but in a few slots. */
static uint64_t changed_since(const gm_runner *r, const uint32_t *before, const uint32_t *words) {
  return before ? gm_narrow_changed(r->engine->narrow, before, words) : UINT64_MAX;
}

static void keep_words(gm_runner *r, uint32_t **place, const uint32_t *words) {
  if (!*place) *place = gm_checked(calloc(r->engine->state_words + 1, sizeof **place));
  memcpy(*place, words, r->engine->state_words * sizeof *words);
}

/* The one that has waited longest. */
static void add_initial(gm_runner *r) {
  gm_worker *w = r->worker;
  const found *it = &r->waiting[r->first++ % WAITING];
  int new = gm_add_initial(r->engine->core, it->words, it->inside ? 0 : GM_MARK_CUT);
  if (new < 0) gm_fail(w, GM_ERROR);
  if (it->inside && !new) return;
  char *top = w->scratch_top; /* nothing that predicates make is needed afterwards */
  V *next = w->next;
  w->next = it->slots;
  memcpy(r->words, it->words, r->engine->state_words * sizeof *r->words);
  w->changed = changed_since(r, r->passed, it->words);
  if (!hold_of_next(r, GM_INVARIANT) || !hold_of_next(r, GM_IMPLIED_INIT)) refuse(r, it->words);
  w->changed = UINT64_MAX;
  keep_words(r, &r->passed, it->words);
  w->next = next;
  w->scratch_top = top;
}

/* What is the same as in the one before is packed already. */
static void pack_like(gm_runner *r, const found *before) {
  gm_worker *w = r->worker;
  gm_engine *e = r->engine;
  if (!before) {
    pack_all(w, e, r->words, w->next);
    return;
  }
  memcpy(r->words, before->words, e->state_words * sizeof *r->words);
  for (uint32_t i = 0; i < e->spec->slots; i++)
    if (w->next[i] != before->slots[i]) pack_slot(w, e, r->words, w->next, i);
}

void gm_step_initial(gm_worker *w) {
  gm_runner *r = runner_of(w);
  gm_engine *e = r->engine;
  r->has_initial = true;
  while (gm_must_grow(e->heap)) gm_grow(e->heap);
  if (e->ordered) {
    pack_all(w, e, r->words, w->next);
    collect(e, r->words);
    return;
  }
  if (r->last - r->first == WAITING) add_initial(r);
  found *it = &r->waiting[r->last % WAITING];
  pack_like(r, r->last ? &r->waiting[(r->last - 1) % WAITING] : NULL);
  char *top = w->scratch_top;
  w->changed = changed_since(r, r->inside, r->words);
  it->inside = hold_of_next(r, GM_CONSTRAINT);
  w->changed = UINT64_MAX;
  if (it->inside) keep_words(r, &r->inside, r->words);
  w->scratch_top = top;
  memcpy(it->words, r->words, e->state_words * sizeof *it->words);
  memcpy(it->slots, w->next, e->spec->slots * sizeof *it->slots);
  gm_expect(e->core, it->words);
  r->last++;
}

static void open_waiting(gm_runner *r) {
  const gm_spec *s = r->engine->spec;
  for (uint32_t i = 0; i < WAITING; i++) {
    r->waiting[i].words = gm_checked(calloc(r->engine->state_words + 1, sizeof *r->waiting[i].words));
    r->waiting[i].slots = gm_checked(calloc(s->next_slots + s->variables + s->remembered + 1, sizeof(V)));
  }
}

static void close_waiting(gm_runner *r) {
  for (uint32_t i = 0; i < WAITING; i++) {
    free(r->waiting[i].words);
    free(r->waiting[i].slots);
  }
  free(r->inside);
  free(r->passed);
}

int gm_engine_initial(gm_engine *e, gm_core *core) {
  gm_runner *r = gm_checked(runner_new(e));
  open_waiting(r);
  gm_worker *w = r->worker;
  jmp_buf here;
  e->core = core;
  w->recover = &here;
  w->stack_limit = gm_stack_limit();
  V *current = w->current, *next = w->next;
  int why = setjmp(here);
  if (why == GM_FULL && !r->has_initial && gm_grow(e->heap)) { /* nothing has happened yet: once more */
    w->current = current;
    w->next = next;
    gm_reset(w);
    why = 0;
  }
  if (why == 0) {
    e->collected_count = 0;
    e->spec->initial(w);
    add_collected(r);
    while (r->first < r->last) add_initial(r);
  }
  w->current = current; /* a predicate that failed may have looked at the one in place of the other */
  w->next = next;
  int answer = why == 0 ? 0 : why == LEAVE_BAD ? 2 : why == GM_MISFIT ? 3 : 1;
  close_waiting(r);
  runner_free(r);
  return answer;
}

/* ---- Python's view of states ---- */

size_t gm_engine_values(gm_engine *e, const uint32_t *words, uint8_t *out, size_t room) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  char *top = w->scratch_top;
  w->recover = &here;
  volatile size_t needed = 0;
  if (setjmp(here) != 0) return 0;
  unpack(e, words, w->current);
  for (uint32_t i = 0; i < e->spec->variables; i++) {
    V v = e->spec->build[i](w, w->current + e->spec->first_slot[i]);
    needed += gm_encode(w, v, out + needed, room > needed ? room - needed : 0);
  }
  w->scratch_top = top;
  return needed;
}

int gm_engine_words(gm_engine *e, const uint8_t *bytes, size_t size, uint32_t *words) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  char *top = w->scratch_top;
  w->recover = &here;
  int why = setjmp(here);
  if (why == 0) {
    size_t at = 0;
    for (uint32_t i = 0; i < e->spec->variables; i++) {
      size_t used = 0;
      V v = gm_decode(w, bytes + at, size - at, &used);
      at += used;
      e->spec->explode[i](w, v, w->next + e->spec->first_slot[i]);
    }
    pack_all(w, e, words, w->next);
  }
  w->scratch_top = top;
  return why;
}

/* ---- predicates of what was found ---- */

static bool bit_of(const uint8_t *bits, uint64_t number) { return bits[number >> 3] >> (number & 7) & 1; }
static void set_bit(uint8_t *bits, uint64_t number) { bits[number >> 3] |= (uint8_t)(1u << (number & 7)); }

bool gm_engine_states(gm_engine *e, const gm_core *core, gm_predicate p, uint64_t start, uint64_t end, uint8_t *bits,
                      uint64_t at) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  char *top = w->scratch_top;
  volatile bool failed = true;
  w->recover = &here;
  e->main->enabled = NULL;
  if (setjmp(here) == 0) {
    for (uint64_t state = start; state < end; state++) {
      if (bit_of(bits, at + state - start)) continue;
      while (gm_must_grow(e->heap)) gm_grow(e->heap);
      w->scratch_top = top;
      unpack(e, gm_state(core, state), w->current);
      if (p(w)) set_bit(bits, at + state - start);
    }
    failed = false;
  }
  w->scratch_top = top;
  return !failed;
}

bool gm_engine_steps(gm_engine *e, const gm_core *core, gm_predicate p, uint64_t start, uint64_t end,
                     const uint64_t *first, const uint32_t *targets, const uint8_t *among, uint8_t *bits, uint64_t at) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  char *top = w->scratch_top;
  volatile bool failed = true;
  w->recover = &here;
  e->main->enabled = NULL;
  if (setjmp(here) == 0) {
    for (uint64_t source = start; source < end; source++) {
      if (among && !bit_of(among, source)) continue;
      bool is_unpacked = false;
      for (uint64_t edge = first[source]; edge < first[source + 1]; edge++) {
        uint64_t number = at + edge - first[start];
        if (bit_of(bits, number)) continue;
        while (gm_must_grow(e->heap)) gm_grow(e->heap);
        w->scratch_top = top;
        if (!is_unpacked) unpack(e, gm_state(core, source), w->current);
        is_unpacked = true;
        forget_wholes(e->spec, w->current);
        unpack(e, gm_state(core, targets[edge]), w->next);
        if (p(w)) set_bit(bits, number);
      }
    }
    failed = false;
  }
  w->scratch_top = top;
  return !failed;
}

/* ---- steps of a batch of states ---- */

gm_batch *gm_batch_new(gm_engine *e, uint32_t parameters) {
  gm_batch *b = gm_checked(calloc(1, sizeof *b));
  b->runner = gm_checked(runner_new(e));
  b->runner->batch = b;
  b->sink = b->runner->sink = gm_checked(gm_sink_new(e->state_words));
  b->parameters = parameters;
  return b;
}

void gm_batch_free(gm_batch *b) {
  runner_free(b->runner);
  gm_sink_free(b->sink);
  free(b->values);
  free(b->first);
  free(b->left);
  free(b);
}

static V *values_of_next(gm_batch *b) {
  uint32_t count = gm_sink_count(b->sink);
  if (count >= b->value_room) {
    b->value_room = 2 * count + 64;
    b->values = gm_checked(realloc(b->values, ((size_t)b->value_room * b->parameters + 1) * sizeof(V)));
  }
  return b->values + (size_t)count * b->parameters;
}

void gm_step_with(gm_worker *w, uint32_t action, const uint16_t *slots, uint32_t n, const V *values, uint32_t count) {
  gm_batch *b = runner_of(w)->batch;
  V *out = values_of_next(b);
  const V *wanted = b->wanted ? b->wanted + (size_t)action * b->parameters : NULL;
  for (uint32_t i = 0; i < b->parameters; i++) {
    out[i] = i < count ? gm_keep(w, values[i]) : GM_UNSET;
    if (wanted && wanted[i] != GM_UNSET && wanted[i] != out[i]) return;
  }
  gm_step(w, action, slots, n);
}

static enum gm_status take_batch(gm_batch *b, const uint32_t *state) {
  gm_runner *r = b->runner;
  const gm_spec *s = r->engine->spec;
  V *current = r->worker->current, *next = r->worker->next;
  jmp_buf here;
  gm_sink_begin(b->sink);
  begin(r, state, 0, &here);
  int why = setjmp(here);
  if (why == 0) {
    for (uint32_t i = 0; i < s->branches; i++) {
      if (b->actions && !b->actions[s->branch_action[i]]) continue;
      if (!s->branch[i]) gm_fail(r->worker, GM_ERROR);
      s->branch[i](r->worker);
    }
    return GM_STATUS_OK;
  }
  r->worker->current = current;
  r->worker->next = next;
  gm_forget(b->sink);
  return status_of(why);
}

static void make_room(gm_batch *b, uint32_t count) {
  if (count < b->room) return;
  b->room = count + 1;
  b->first = gm_checked(realloc(b->first, b->room * sizeof *b->first));
  b->left = gm_checked(realloc(b->left, b->room));
}

bool gm_batch_run(gm_batch *b, const uint32_t *states, uint32_t count, const uint8_t *actions, const V *wanted) {
  gm_engine *e = b->runner->engine;
  make_room(b, count);
  values_of_next(b); /* so that there is an array */
  gm_sink_empty(b->sink);
  b->actions = actions;
  b->wanted = wanted;
  for (uint32_t i = 0; i < count; i++) {
    enum gm_status status;
    b->first[i] = gm_sink_count(b->sink);
    do {
      while (gm_must_grow(e->heap) && gm_grow(e->heap)) continue;
      status = take_batch(b, states + (size_t)i * e->state_words);
    } while (status == GM_STATUS_AGAIN && gm_grow(e->heap));
    b->left[i] = status != GM_STATUS_OK;
  }
  b->first[count] = gm_sink_count(b->sink);
  return !gm_sink_failed(b->sink);
}

void gm_batch_read(const gm_batch *b, gm_batch_result *out) {
  *out = (gm_batch_result){b->first, b->left, gm_sink_states(b->sink), gm_sink_actions(b->sink), b->values};
}

size_t gm_engine_value(gm_engine *e, V v, uint8_t *out, size_t room) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  char *top = w->scratch_top;
  w->recover = &here;
  volatile size_t needed = 0;
  if (setjmp(here) == 0) needed = gm_encode(w, v, out, room);
  w->scratch_top = top;
  return needed;
}

V gm_engine_keep(gm_engine *e, const uint8_t *bytes, size_t size) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  char *top = w->scratch_top;
  w->recover = &here;
  volatile V kept = GM_UNSET;
  while (gm_must_grow(e->heap) && gm_grow(e->heap)) continue;
  if (setjmp(here) == 0) kept = gm_keep(w, gm_decode(w, bytes, size, NULL));
  w->scratch_top = top;
  return kept;
}

/* ---- asking Python ---- */

V gm_python(gm_worker *w, uint32_t primitive, const V *args, uint32_t n) {
  w->callbacks++;
  return gm_call_python(w, runner_of(w)->engine->reference.primitive, primitive, args, n);
}

/* ---- A \cdot B ---- */

void gm_found_between(gm_worker *w) {
  gm_runner *r = runner_of(w);
  const gm_spec *s = r->engine->spec;
  gm_between *found = (gm_between *)(void *)gm_scratch(w, sizeof *found / sizeof(V));
  found->slots = gm_array(w, s->next_slots + s->variables + s->remembered + 1);
  found->after = NULL;
  for (uint32_t i = 0; i < s->slots; i++) found->slots[i] = gm_keep(w, w->next[i]);
  forget_wholes(s, found->slots);
  *r->between = found;
  r->between = &found->after;
  r->engine->between++;
}

const gm_between *gm_states_between(gm_worker *w, void (*first)(gm_worker *, V *), V *frame) {
  gm_runner *r = runner_of(w);
  gm_between *found = NULL, **outer = r->between;
  r->between = &found;
  first(w, frame);
  r->between = outer;
  return found;
}

/* ---- ENABLED ---- */

_Noreturn void gm_enabled_found(gm_worker *w) { longjmp(*runner_of(w)->enabled, 1); }

bool gm_enabled(gm_worker *w, void (*solve)(gm_worker *, V *), V *frame) {
  gm_runner *r = runner_of(w);
  uint32_t n = r->engine->spec->next_slots;
  V *volatile saved = gm_array(w, n);
  jmp_buf here, *volatile outer = r->enabled;
  memcpy(saved, w->next, n * sizeof *saved);
  r->enabled = &here;
  volatile bool found = true;
  if (setjmp(here) == 0) {
    solve(w, frame);
    found = false;
  }
  r->enabled = outer;
  memcpy(w->next, saved, n * sizeof *saved);
  return found;
}
