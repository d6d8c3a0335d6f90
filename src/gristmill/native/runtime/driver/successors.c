/* Successors of states, and what is asked of them: invariants, constraints, properties of steps. */

#include "engine.h"

/* ---- predicates ---- */

static const gm_predicate *family_of(const gm_spec *s, enum gm_family family, uint32_t *count) {
  switch (family) {
  case GM_INVARIANT: *count = s->invariants; return s->invariant;
  case GM_IMPLIED_INIT: *count = s->implied_inits; return s->implied_init;
  case GM_CONSTRAINT: *count = s->constraints; return s->constraint;
  case GM_ACTION_CONSTRAINT: *count = s->action_constraints; return s->action_constraint;
  case GM_IMPLIED_ACTION: *count = s->implied_actions; return s->implied_action;
  default: *count = s->alternatives; return s->alternative;
  }
}

static inline void note(gm_engine *e, enum gm_family family, uint32_t index) {
  if (!e->ordered) return;
  e->turn.family = family;
  e->turn.refused = index;
}

/* Whether predicate `i` of a family holds of the worker's current and next slots, which are also given packed. */
static inline bool is_true(gm_runner *r, gm_predicate predicate, enum gm_family family, uint32_t i,
                           const uint32_t *state, const uint32_t *next) {
  note(r->engine, family, i);
  if (predicate) return predicate(r->worker);
  r->worker->callbacks++;
  int answer = r->engine->reference.predicate(family, i, state, next);
  if (answer < 0) gm_fail(r->worker, GM_ERROR);
  return answer;
}

static bool holds(gm_runner *r, enum gm_family family, uint32_t i, const uint32_t *state, const uint32_t *next) {
  uint32_t count;
  return is_true(r, family_of(r->engine->spec, family, &count)[i], family, i, state, next);
}

static bool all_hold(gm_runner *r, enum gm_family family, const uint32_t *state, const uint32_t *next) {
  uint32_t count;
  const gm_predicate *predicates = family_of(r->engine->spec, family, &count);
  for (uint32_t i = 0; i < count; i++)
    if (!is_true(r, predicates[i], family, i, state, next)) return false;
  return true;
}

static bool is_obliged(const gm_spec *s, uint32_t action) {
  return s->alternatives && s->first_alternative[action] < s->first_alternative[action + 1];
}

static void note_met(gm_engine *e, uint32_t alternative) {
  if (!__atomic_load_n(&e->met[alternative], __ATOMIC_RELAXED))
    __atomic_store_n(&e->met[alternative], 1, __ATOMIC_RELAXED);
}

/* Whether a step, as above, meets the obligation of its action. */
static bool is_met(gm_runner *r, uint32_t action, const uint32_t *state, const uint32_t *next) {
  const gm_spec *s = r->engine->spec;
  if (!is_obliged(s, action)) return true;
  for (uint32_t i = s->first_alternative[action]; i < s->first_alternative[action + 1]; i++) {
    if (!holds(r, GM_ALTERNATIVE, i, state, next)) continue;
    note_met(r->engine, i);
    return true;
  }
  return false;
}

/* Evaluate predicates of one state in the successor being built. */
bool gm_hold_of_next(gm_runner *r, enum gm_family family) {
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

static uint32_t marks_of_step(gm_runner *r, uint32_t action) {
  const gm_spec *s = r->engine->spec;
  uint32_t marks = 0;
  if (!gm_hold_of_next(r, GM_CONSTRAINT)) marks |= GM_MARK_CUT;
  else if (s->action_constraints && !all_hold(r, GM_ACTION_CONSTRAINT, r->state, r->words)) marks |= GM_MARK_CUT;
  if (s->implied_actions && !all_hold(r, GM_IMPLIED_ACTION, r->state, r->words)) marks |= GM_MARK_BAD_STEP;
  if (!is_met(r, action, r->state, r->words)) marks |= GM_MARK_UNMET;
  return marks;
}

/* ---- what is remembered: contents of slots are kept values, so equal words are equal values ---- */

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

/* Whether constraints are all that is asked about a step by an action, and none of them reads what it has changed. They
   hold of what is expanded. */
static bool is_unconstrained(const gm_spec *s, uint32_t action, uint64_t changed) {
  if (s->action_constraints || s->implied_actions || is_obliged(s, action)) return false;
  return s->unconstrained && !(changed & ~s->unconstrained);
}

/* Constraints alone, of a successor that is packed in `words`: it takes the place of the state for a moment. */
static uint32_t marks_in_place(gm_runner *r, const uint16_t *slots, uint32_t n) {
  const gm_spec *s = r->engine->spec;
  gm_worker *w = r->worker;
  uint32_t made = s->variables + s->remembered;
  V *values = r->values, *wholes = w->current + s->next_slots;
  V *kept = gm_array(w, made);
  memcpy(kept, wholes, made * sizeof *kept);
  for (uint32_t k = 0; k < n; k++) {
    values[k] = w->current[slots[k]];
    w->current[slots[k]] = w->next[slots[k]];
  }
  forget_wholes(s, w->current);
  w->level++;
  bool inside = all_hold(r, GM_CONSTRAINT, r->words, NULL);
  w->level--;
  for (uint32_t k = 0; k < n; k++) w->current[slots[k]] = values[k];
  memcpy(wholes, kept, made * sizeof *kept);
  return inside ? 0 : GM_MARK_CUT;
}

/* What is to be said of a step to a state that is packed in `words`. `slots`: those that it has changed. */
static uint32_t marks_of(gm_runner *r, uint32_t action, const uint32_t *words, const uint16_t *slots, uint32_t n,
                         uint64_t changed) {
  gm_engine *e = r->engine;
  gm_worker *w = r->worker;
  if (!e->restricted || (e->restricted_by_action && !is_obliged(e->spec, action)) ||
      is_unconstrained(e->spec, action, changed))
    return 0;
  memcpy(r->words, words, e->state_words * sizeof *words);
  w->changed = changed; /* constraints hold of what is expanded */
  bool are_steps_asked = e->spec->action_constraints || e->spec->implied_actions || is_obliged(e->spec, action);
  if (are_steps_asked) complete(r, slots, n);
  uint32_t marks = are_steps_asked ? marks_of_step(r, action) : marks_in_place(r, slots, n);
  w->changed = UINT64_MAX;
  return marks;
}

/* The slots of some stretches in which `next` is not as `current`; returns how many. */
static inline uint32_t find_moved(const V *current, const V *next, const gm_stretch *stretches, uint32_t n, uint16_t *moved) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t slot = stretches[k].first, end = stretches[k].end;
    for (; slot < end; slot++) {
      if (slot + 4 <= end && !((next[slot] ^ current[slot]) | (next[slot + 1] ^ current[slot + 1]) |
                               (next[slot + 2] ^ current[slot + 2]) | (next[slot + 3] ^ current[slot + 3])))
        slot += 3;
      else if (next[slot] != current[slot])
        moved[count++] = (uint16_t)slot;
    }
  }
  return count;
}

/* The successor is written where the core wants it. */
void gm_step(gm_worker *w, uint32_t action, const gm_stretch *stretches, uint32_t n) {
  gm_runner *r = runner_of(w);
  gm_engine *e = r->engine;
  uint32_t *words = gm_place(r->sink), count = find_moved(w->current, w->next, stretches, n, r->moved);
  memcpy(words, r->state, e->state_words * sizeof *words);
  uint64_t changed = 0;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t slot = r->moved[k];
    pack_slot(w, e, words, w->next, slot);
    changed |= UINT64_C(1) << e->spec->slot_bit[slot];
  }
  uint32_t same = e->ordered || changed & e->spec->checked ? 0 : GM_MARK_SAME;
  gm_emit_placed(r->sink, action, same | marks_of(r, action, words, r->moved, count, changed));
}

/* Something else is evaluated from now on. */
void gm_take_turn(gm_engine *e, const uint32_t *candidate) {
  if (!e->ordered) return;
  e->turn.number++;
  e->turn.candidate = candidate;
  e->turn.stored = 0;
}

static void undo(gm_engine *e) {
  if (e->ordered) e->reference.undo();
}

enum gm_status gm_runner_expand(void *worker, const uint32_t *state, gm_sink *sink) {
  gm_runner *r = worker;
  gm_engine *e = r->engine;
  V *current = r->worker->current, *next = r->worker->next;
  jmp_buf here;
  r->sink = sink;
  begin(r, state, 0, &here);
  int why = setjmp(here);
  if (why == 0) {
    for (uint32_t b = 0; b < e->spec->branches; b++) {
      gm_begin_branch(sink);
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

/* Invariants could not be evaluated: the reference evaluator is asked. */
static enum gm_status not_checked(gm_runner *r, const uint32_t *state, int why) {
  undo(r->engine);
  if (why == GM_FULL || why == GM_MISFIT) return status_of(why);
  __atomic_fetch_add(&r->engine->fallbacks, 1, __ATOMIC_RELAXED);
  int answer = ask_all(r->engine, GM_INVARIANT, state, NULL);
  return answer < 0 ? GM_STATUS_FAIL : answer ? GM_STATUS_OK : GM_STATUS_STOP;
}

/* In a search in order: the slots of a successor are in `next`, beside those of the state that it comes from. What differs
   is told to predicates that hold of that state. */
static void take_beside(gm_runner *r, const uint32_t *state, const uint32_t *successor, jmp_buf *recover) {
  const gm_engine *e = r->engine;
  gm_worker *w = r->worker;
  size_t bytes = e->state_words * sizeof *state;
  begin_or_go_on(r, state, recover);
  if (r->has_beside && memcmp(r->words, successor, bytes) == 0) {
    w->changed = gm_narrow_changed(e->narrow, successor, state);
    return;
  }
  memcpy(w->next, w->current, e->spec->slots * sizeof *w->next);
  w->changed = gm_narrow_unpack_changed(e->heap, e->narrow, successor, state, w->next);
  forget_wholes(e->spec, w->next);
  memcpy(r->words, successor, bytes);
  r->has_beside = true;
}

/* What is made for predicates of the successor alone is of no use later. */
static bool hold_beside(gm_runner *r, enum gm_family family) {
  char *top = r->worker->scratch_top;
  bool hold = gm_hold_of_next(r, family);
  forget_wholes(r->engine->spec, r->worker->next);
  r->worker->scratch_top = top;
  return hold;
}

/* Something was evaluated that has failed: nobody knows what it has left in slots. */
static void put_back(gm_runner *r, V *current, V *next) {
  r->worker->current = current;
  r->worker->next = next;
  r->holds = r->has_beside = false;
}

/* Of a successor of the state that is held. */
static enum gm_status check_beside(gm_runner *r, const uint32_t *state, const uint32_t *parent) {
  V *current = r->worker->current, *next = r->worker->next;
  jmp_buf here;
  take_beside(r, parent, state, &here);
  gm_take_turn(r->engine, state);
  int why = setjmp(here);
  if (why == 0) return hold_beside(r, GM_INVARIANT) ? GM_STATUS_OK : GM_STATUS_STOP;
  put_back(r, current, next);
  return not_checked(r, state, why);
}

enum gm_status gm_runner_check_changed(gm_runner *r, const uint32_t *state, uint64_t changed) {
  jmp_buf here;
  begin(r, state, 1, &here);
  r->worker->changed = changed;
  gm_take_turn(r->engine, state);
  int why = setjmp(here);
  if (why == 0) return all_hold(r, GM_INVARIANT, state, NULL) ? GM_STATUS_OK : GM_STATUS_STOP;
  return not_checked(r, state, why);
}

enum gm_status gm_runner_check(void *worker, const uint32_t *state, const uint32_t *parent) {
  gm_runner *r = worker;
  if (r->engine->ordered && parent) return check_beside(r, state, parent);
  return gm_runner_check_changed(r, state, parent ? gm_narrow_changed(r->engine->narrow, state, parent) : UINT64_MAX);
}

/* Bits for the predicates of a family that are false, by the reference evaluator; false if one cannot be evaluated. */
static bool ask_reasons(gm_engine *e, enum gm_family family, const uint32_t *state, const uint32_t *next, uint64_t *bits) {
  uint32_t count;
  family_of(e->spec, family, &count);
  for (uint32_t i = 0; i < count; i++) {
    int answer = e->reference.predicate(family, i, state, next);
    if (answer < 0) return false;
    if (!answer) *bits |= UINT64_C(1) << i;
  }
  return true;
}

enum gm_status gm_runner_reasons(void *worker, const uint32_t *state, const uint32_t *successor, uint64_t *bits) {
  gm_runner *r = worker;
  V *current = r->worker->current, *next = r->worker->next;
  enum gm_family family = successor ? GM_IMPLIED_ACTION : GM_INVARIANT;
  uint32_t count;
  family_of(r->engine->spec, family, &count);
  *bits = 0;
  if (count > GM_REASONS) return GM_STATUS_OK;
  jmp_buf here;
  begin(r, state, successor ? 0 : 1, &here);
  if (successor) unpack(r->engine, successor, next);
  int why = setjmp(here);
  if (why == 0) {
    for (uint32_t i = 0; i < count; i++)
      if (!holds(r, family, i, state, successor)) *bits |= UINT64_C(1) << i;
    return GM_STATUS_OK;
  }
  r->worker->current = current;
  r->worker->next = next;
  if (why == GM_FULL || why == GM_MISFIT) return status_of(why);
  __atomic_fetch_add(&r->engine->fallbacks, 1, __ATOMIC_RELAXED);
  *bits = 0;
  return ask_reasons(r->engine, family, state, successor, bits) ? GM_STATUS_OK : GM_STATUS_FAIL;
}

/* ---- in order ---- */

enum gm_status gm_runner_take(void *worker, const uint32_t *state, uint32_t branch, gm_sink *sink) {
  gm_runner *r = worker;
  gm_engine *e = r->engine;
  V *current = r->worker->current, *next = r->worker->next;
  jmp_buf here;
  r->sink = sink;
  begin_or_go_on(r, state, &here);
  r->has_beside = false;
  gm_take_turn(e, NULL);
  e->turn.action = e->spec->branch_action[branch];
  const uint64_t between = e->between;
  if (branch == 0) {
    e->turn.first = e->turn.number;
    e->between_before = between;
  }
  int why = setjmp(here);
  if (why == 0 && e->spec->branch[branch]) {
    e->spec->branch[branch](r->worker);
    return GM_STATUS_OK;
  }
  r->worker->current = current;
  r->worker->next = next;
  if (why != 0) {
    r->holds = false;
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
  r->engine->turn.candidate = r->words;
  bool inside = hold_beside(r, GM_CONSTRAINT);
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

enum gm_status gm_runner_judge(void *worker, const uint32_t *state, const uint32_t *successor, uint32_t action,
                            enum gm_question question, uint32_t *marks) {
  gm_runner *r = worker;
  gm_engine *e = r->engine;
  e->turn.action = action;
  const gm_spec *s = e->spec;
  bool is_implied = question == GM_ASK_IMPLIED_ACTIONS;
  if (is_implied ? !s->implied_actions : !s->constraints && !s->action_constraints) return GM_STATUS_OK;
  V *current = r->worker->current, *next = r->worker->next;
  jmp_buf here;
  take_beside(r, state, successor, &here);
  gm_take_turn(e, NULL);
  volatile int answer = -1;
  int why = setjmp(here);
  if (why == 0) {
    answer = answer_to(r, question, state, successor);
  } else {
    put_back(r, current, next);
    undo(e);
    if (why == GM_FULL || why == GM_MISFIT) return status_of(why);
    __atomic_fetch_add(&e->fallbacks, 1, __ATOMIC_RELAXED);
    answer = ask(e, question, state, successor);
  }
  if (answer < 0) *marks = is_implied ? GM_MARK_UNKNOWN_STEP : GM_MARK_UNKNOWN;
  else if (!answer) *marks = is_implied ? GM_MARK_BAD_STEP : GM_MARK_CUT;
  return GM_STATUS_OK;
}
