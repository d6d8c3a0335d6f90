/* Steps of a batch of states, for those who look at a model from outside. */

#include "engine.h"

gm_batch *gm_batch_new(gm_engine *e, uint32_t parameters) {
  gm_batch *b = gm_checked(calloc(1, sizeof *b));
  b->runner = gm_checked(gm_runner_new(e));
  b->runner->batch = b;
  b->sink = b->runner->sink = gm_checked(gm_sink_new(e->state_words));
  b->parameters = parameters;
  return b;
}

void gm_batch_free(gm_batch *b) {
  gm_runner_free(b->runner);
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

void gm_step_with(gm_worker *w, uint32_t action, const gm_stretch *stretches, uint32_t n, const V *values, uint32_t count) {
  gm_batch *b = runner_of(w)->batch;
  V *out = values_of_next(b);
  const V *wanted = b->wanted ? b->wanted + (size_t)action * b->parameters : NULL;
  for (uint32_t i = 0; i < b->parameters; i++) {
    out[i] = i < count ? gm_keep(w, values[i]) : GM_UNSET;
    if (wanted && wanted[i] != GM_UNSET && wanted[i] != out[i]) return;
  }
  gm_step(w, action, stretches, n);
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
