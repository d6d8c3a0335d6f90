/* Actions inside of others: A \cdot B, and ENABLED. */

#include "engine.h"

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
