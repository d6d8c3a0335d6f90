/* A search goes on with wider slots. What it has found is read with the old dictionaries and written with new ones; values stay
   where they are, since they are kept. */

#include "engine.h"

void gm_engine_widen(gm_engine *e, const uint8_t *widths) {
  gm_narrow_free(e->narrow_before);
  e->narrow_before = e->narrow;
  e->narrow = gm_narrow_new(widths, e->spec->slot_bit, e->spec->slots);
  e->state_words = gm_narrow_words(e->narrow);
  free(e->bad);
  e->bad = gm_checked(calloc(e->state_words + 1, sizeof *e->bad));
  if (e->ordered) e->between = e->between_before;
  if (!gm_runner_make_room(e->main)) gm_out_of_memory();
}

/* The same state with the new widths; false: a dictionary is full. */
static bool rewritten(gm_engine *e, const uint32_t *state, uint32_t *words) {
  gm_runner *r = e->main;
  jmp_buf here;
  r->worker->recover = &here;
  if (setjmp(here) != 0) return false;
  gm_narrow_unpack(e->heap, e->narrow_before, state, r->values);
  pack_all(r->worker, e, words, r->values);
  return true;
}

static bool take_states(gm_engine *e, const gm_core *before, gm_core *after, uint64_t count, uint32_t *room) {
  uint32_t level = 1;
  uint32_t *words = room + gm_narrow_words(e->narrow_before) + 1;
  for (uint64_t number = 0; number < count; number++) {
    while (number >= gm_level_start(before, level + 1)) level++;
    const uint32_t *state = gm_state(before, number, room);
    if (!state || !rewritten(e, state, words)) return false;
    if (gm_add_known(after, words, gm_parent(before, number), gm_action(before, number), level) != 1) return false;
  }
  return true;
}

bool gm_engine_take_over(gm_engine *e, const gm_core *before, gm_core *after) {
  gm_report report;
  gm_read_report(before, &report);
  uint32_t *room = malloc((gm_narrow_words(e->narrow_before) + (size_t)e->state_words + 2) * sizeof *room);
  bool done = room && take_states(e, before, after, report.distinct, room);
  if (done) gm_continue_at(after, report.expanded, report.generated, report.cut, gm_taken(before), gm_found(before));
  free(room);
  gm_narrow_free(e->narrow_before);
  e->narrow_before = NULL;
  return done;
}
