/* Predicates of states and steps that were found: for temporal properties. */

#include "engine.h"

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
      unpack(e, gm_state(core, state, e->main->words), w->current);
      if (p(w)) set_bit(bits, at + state - start);
    }
    failed = false;
  }
  w->scratch_top = top;
  return !failed;
}

void gm_engine_ever(gm_engine *e, const gm_core *core, const gm_predicate *predicates, uint32_t count, uint64_t start,
                    uint64_t end, uint8_t *met) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  char *top = w->scratch_top;
  volatile uint64_t state = start;
  volatile uint32_t asked = 0;
  w->recover = &here;
  e->main->enabled = NULL;
  if (setjmp(here) != 0) met[asked] = GM_EVER_UNKNOWN; /* and once more of this state */
  for (; state < end; state++) {
    while (gm_must_grow(e->heap)) gm_grow(e->heap);
    w->scratch_top = top;
    unpack(e, gm_state(core, state, e->main->words), w->current);
    for (asked = 0; asked < count; asked++)
      if (met[asked] == GM_EVER_NOT && predicates[asked](w)) met[asked] = GM_EVER_MET;
  }
  w->scratch_top = top;
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
        if (!is_unpacked) unpack(e, gm_state(core, source, e->main->words), w->current);
        is_unpacked = true;
        forget_wholes(e->spec, w->current);
        unpack(e, gm_state(core, targets[edge], e->main->words), w->next);
        if (p(w)) set_bit(bits, number);
      }
    }
    failed = false;
  }
  w->scratch_top = top;
  return !failed;
}
