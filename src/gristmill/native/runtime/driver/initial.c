/* Initial states, handed to the core one by one. */

#include "engine.h"

static _Noreturn void refuse(gm_runner *r, const uint32_t *words) {
  memcpy(r->engine->bad, words, r->engine->state_words * sizeof *words);
  gm_fail(r->worker, (enum gm_failure)LEAVE_BAD);
}

/* Nothing is asked of it: it is there already. Under symmetry that may be another, which need not be like it initially. */
static bool is_checked(const gm_engine *e, bool inside, int new) {
  return inside && !new && !e->symmetries && !e->canonical;
}

/* Hand over the initial state in `next`, and in `words`, at once. */
static void add_in_turn(gm_runner *r) {
  gm_worker *w = r->worker;
  gm_engine *e = r->engine;
  char *top = w->scratch_top; /* nothing that predicates make is needed afterwards */
  bool inside = gm_hold_of_next(r, GM_CONSTRAINT);
  int new = gm_add_initial(e->core, r->words, inside ? 0 : GM_MARK_CUT);
  if (new < 0) gm_fail(w, GM_ERROR);
  e->turn.stored = (uint32_t)new;
  if (!is_checked(e, inside, new) && (!gm_hold_of_next(r, GM_INVARIANT) || !gm_hold_of_next(r, GM_IMPLIED_INIT))) refuse(r, r->words);
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
    gm_take_turn(e, r->words);
    add_in_turn(r);
  }
  gm_take_turn(e, NULL);
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
  if (is_checked(r->engine, it->inside, new)) return;
  char *top = w->scratch_top; /* nothing that predicates make is needed afterwards */
  V *next = w->next;
  w->next = it->slots;
  memcpy(r->words, it->words, r->engine->state_words * sizeof *r->words);
  w->changed = changed_since(r, r->passed, it->words);
  if (!gm_hold_of_next(r, GM_INVARIANT) || !gm_hold_of_next(r, GM_IMPLIED_INIT)) refuse(r, it->words);
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
  it->inside = gm_hold_of_next(r, GM_CONSTRAINT);
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
  gm_runner *r = gm_checked(gm_runner_new(e));
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
  gm_runner_free(r);
  return answer;
}
