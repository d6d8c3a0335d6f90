/* What decides whether a state is new: its view, or its representative under symmetry. */

#include "engine.h"

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
    if (memcmp(moved, r->values, e->spec->slots * sizeof *moved) == 0) /* often it is one already */
      memcpy(r->key, state, e->state_words * sizeof *state);
    else
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

enum gm_status gm_runner_key(void *worker, const uint32_t *state, uint32_t *out) {
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
