/* Engines: made, linked with constants, handed to the search core and to Python. */

#include "engine.h"

#include "persist.h"

/* ---- making and ending ---- */

void gm_runner_free(gm_runner *r) {
  if (!r) return;
  if (r->worker) {
    __atomic_fetch_add(&r->engine->callbacks, r->worker->callbacks, __ATOMIC_RELAXED);
    free(r->worker->lasting);
  }
  gm_worker_free(r->worker);
  free(r->words);
  free(r->key);
  free(r->least);
  free(r->held);
  free(r->values);
  free(r->moved);
  gm_canonizer_free(r->canonizer);
  free(r->known);
  free(r);
}

bool gm_runner_make_room(gm_runner *r) {
  uint32_t **rooms[] = {&r->words, &r->key, &r->least, &r->held};
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    free(*rooms[i]);
    *rooms[i] = calloc(r->engine->state_words + 1, sizeof **rooms[i]);
    if (!*rooms[i]) return false;
  }
  r->holds = false;
  return true;
}

/* NULL if there is no memory. */
gm_runner *gm_runner_new(gm_engine *e) {
  const gm_spec *s = e->spec;
  gm_runner *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->engine = e;
  bool has_room = gm_runner_make_room(r);
  r->moved = calloc(s->slots + 1, sizeof *r->moved);
  r->values = calloc(3 * (size_t)s->slots + 3, sizeof *r->values);
  r->known = calloc(KNOWN, sizeof *r->known);
  r->worker = gm_worker_new(e->heap, s->next_slots + s->variables + s->remembered + 1);
  if (r->worker) {
    r->worker->lasting = calloc(s->lasting + 1, sizeof(V));
    r->worker->model = e;
    r->worker->universes = e->universes;
    r->worker->sink = r;
  }
  if (has_room && r->moved && r->values && r->known && r->worker && r->worker->lasting) return r;
  gm_runner_free(r);
  return NULL;
}

gm_engine *gm_engine_new(const gm_spec *spec, const gm_reference *reference, uint64_t max_bytes) {
  gm_engine *e = gm_checked(calloc(1, sizeof *e));
  e->spec = spec;
  e->reference = *reference;
  e->heap = gm_checked(gm_heap_new(max_bytes));
  e->narrow = gm_narrow_new(spec->width, spec->slot_bit, spec->slots);
  e->state_words = gm_narrow_words(e->narrow);
  e->universes = gm_checked(calloc(spec->universes + 1, sizeof *e->universes));
  for (uint32_t i = 0; i < spec->universes; i++) e->universes[i] = gm_universe_new(spec->universe_words[i]);
  e->bad = gm_checked(calloc(e->state_words + 1, sizeof *e->bad));
  e->misfit = -1;
  e->met = gm_checked(calloc(spec->alternatives + 1, sizeof *e->met));
  e->restricted = spec->constraints || spec->action_constraints || spec->implied_actions || spec->alternatives;
  e->restricted_by_action = !spec->constraints && !spec->action_constraints && !spec->implied_actions;
  e->main = gm_checked(gm_runner_new(e));
  return e;
}

void gm_engine_free(gm_engine *e) {
  gm_runner_free(e->main);
  gm_heap_free(e->heap);
  gm_narrow_free(e->narrow);
  gm_narrow_free(e->narrow_before);
  for (uint32_t i = 0; i < e->spec->universes; i++) gm_universe_free(e->universes[i]);
  free(e->universes);
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
  free(e->met);
  free(e);
}

gm_heap *gm_engine_heap(gm_engine *e) { return e->heap; }
gm_worker *gm_engine_worker(gm_engine *e) { return e->main->worker; }
const uint32_t *gm_engine_bad(const gm_engine *e) { return e->bad; }
int gm_engine_misfit(const gm_engine *e) { return __atomic_load_n(&e->misfit, __ATOMIC_RELAXED); }
uint64_t gm_engine_fallbacks(const gm_engine *e) { return __atomic_load_n(&e->fallbacks, __ATOMIC_RELAXED); }
const uint8_t *gm_engine_met(const gm_engine *e) { return e->met; }
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

int gm_engine_exchange(gm_engine *e, const gm_spec *spec, const uint8_t *bytes, size_t size, uint32_t count) {
  const gm_spec *old = e->spec;
  if (count != e->constant_count || spec->slots != old->slots || spec->next_slots != old->next_slots ||
      spec->variables != old->variables || spec->remembered != old->remembered || spec->lasting != old->lasting ||
      spec->branches != old->branches)
    return -1;
  int why = gm_engine_link_more(e, spec, bytes, size, count);
  if (why == 0) e->spec = spec;
  return why;
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

void gm_engine_aloud(gm_engine *e) { e->aloud = true; }

const gm_turn *gm_engine_turn(const gm_engine *e) { return &e->turn; }

void gm_engine_follow(gm_engine *e, const gm_core *core) { e->followed = core; }

/* ---- for the core ---- */

static void *worker_new(void *context, uint32_t number) {
  (void)number;
  return gm_runner_new(context);
}

static void worker_free(void *worker) { gm_runner_free(worker); }

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
  if (gm_heap_save(e->heap, file) != 0 || gm_narrow_save(e->narrow, file) != 0) return -1;
  for (uint32_t i = 0; i < e->spec->universes; i++)
    if (gm_universe_save(e->universes[i], file) != 0) return -1;
  return 0;
}

static int load_engine(void *context, int file) {
  gm_engine *e = context;
  uint64_t distance, before = constants_hash(e);
  if (gm_heap_load(e->heap, file, &distance) != 0 || gm_narrow_load(e->narrow, file, distance) != 0) return -1;
  for (uint32_t i = 0; i < e->spec->universes; i++)
    if (gm_universe_load(e->main->worker, e->universes[i], file, distance) != 0) return -1;
  gm_worker_new_buffer(e->main->worker);
  return constants_hash(e) == before ? 0 : -1;
}

static void hear(void *context, const uint8_t *sayings, size_t size) {
  ((gm_engine *)context)->reference.said(sayings, size);
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
  model->expand = gm_runner_expand;
  model->check = e->spec->invariants ? gm_runner_check : NULL;
  model->key = model->key_words ? gm_runner_key : NULL;
  model->pause = pause_all;
  model->save = save_engine;
  model->load = load_engine;
  model->bytes = bytes_of_values;
  model->ordered = e->ordered;
  model->take = gm_runner_take;
  model->judge = gm_runner_judge;
  model->reasons = e->ordered ? NULL : gm_runner_reasons;
  model->said = e->aloud ? hear : NULL;
}

/* ---- Python's view of states ---- */

uint32_t gm_engine_full(const gm_engine *e) { return gm_narrow_full(e->narrow); }

uint32_t gm_engine_words_count(const gm_engine *e) { return e->state_words; }

_Noreturn void gm_misfit(gm_worker *w, uint32_t variable) {
  w->misfit_slot = (int)variable;
  __atomic_store_n(&runner_of(w)->engine->misfit, (int)variable, __ATOMIC_RELAXED);
  gm_fail(w, GM_MISFIT);
}

V gm_trapped(gm_worker *w) { gm_misfit(w, GM_TRAPPED); }

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

size_t gm_engine_some_values(gm_engine *e, const uint32_t *words, const uint32_t *which, uint32_t count, uint8_t *out,
                             size_t room, size_t *ends) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  char *top = w->scratch_top;
  w->recover = &here;
  volatile size_t needed = 0;
  if (setjmp(here) != 0) return 0;
  unpack(e, words, w->current);
  for (uint32_t i = 0; i < count; i++) {
    V v = e->spec->build[which[i]](w, w->current + e->spec->first_slot[which[i]]);
    needed += gm_encode(w, v, out + needed, room > needed ? room - needed : 0);
    ends[i] = needed;
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

/* ---- asking Python ---- */

V gm_python(gm_worker *w, uint32_t primitive, const V *args, uint32_t n) {
  w->callbacks++;
  return gm_call_python(w, runner_of(w)->engine->reference.primitive, primitive, args, n);
}

V gm_print(gm_worker *w, uint32_t primitive, const V *args, uint32_t n, V value) {
  gm_runner *r = runner_of(w);
  if (!r->engine->aloud) return gm_python(w, primitive, args, n);
  size_t size;
  const uint8_t *bytes = gm_encode_call(w, primitive + 1, args, n, &size);
  gm_say(r->sink, bytes, size);
  return value;
}
