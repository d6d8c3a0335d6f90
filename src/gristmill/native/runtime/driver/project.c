/* States by what some slots of them contain, and what that is. */

#include "engine.h"

typedef struct projection {
  const gm_core *core;
  uint32_t words, *mask;
  uint32_t *own, *other; /* room for states */
  uint32_t *table; /* numbers + 1, by hash */
  uint64_t size_mask, count;
  uint32_t *examples;
} projection;

static uint64_t hash_of(const projection *p, const uint32_t *state) {
  uint64_t hash = p->words;
  for (uint32_t i = 0; i < p->words; i++) {
    hash = (hash ^ (state[i] & p->mask[i])) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

static bool are_alike(const projection *p, const uint32_t *a, const uint32_t *b) {
  for (uint32_t i = 0; i < p->words; i++)
    if ((a[i] ^ b[i]) & p->mask[i]) return false;
  return true;
}

static bool grow(projection *p) {
  uint64_t size_mask = 2 * p->size_mask + 1;
  uint32_t *table = calloc(size_mask + 1, sizeof *table);
  if (!table) return false;
  for (uint64_t number = 0; number < p->count; number++) {
    uint64_t at = hash_of(p, gm_state(p->core, p->examples[number], p->other)) & size_mask;
    while (table[at] != 0) at = (at + 1) & size_mask;
    table[at] = (uint32_t)number + 1;
  }
  free(p->table);
  p->table = table;
  p->size_mask = size_mask;
  return true;
}

static bool number_of(projection *p, uint32_t state, uint32_t *number) {
  const uint32_t *words = gm_state(p->core, state, p->own);
  uint64_t at = hash_of(p, words) & p->size_mask;
  for (; p->table[at] != 0; at = (at + 1) & p->size_mask) {
    *number = p->table[at] - 1;
    if (are_alike(p, words, gm_state(p->core, p->examples[*number], p->other))) return true;
  }
  *number = (uint32_t)p->count++;
  p->examples[*number] = state;
  p->table[at] = *number + 1;
  return 2 * p->count < p->size_mask || grow(p);
}

uint64_t gm_engine_project(const gm_engine *e, const gm_core *core, const uint32_t *slots, uint32_t count, uint64_t states,
                           uint32_t *numbers, uint32_t *examples) {
  projection p = {.core = core, .words = e->state_words, .size_mask = (1u << 12) - 1, .examples = examples};
  p.mask = malloc((p.words + 1) * 3 * sizeof *p.mask);
  p.own = p.mask + p.words + 1;
  p.other = p.own + p.words + 1;
  p.table = calloc(p.size_mask + 1, sizeof *p.table);
  bool goes_on = p.mask && p.table;
  if (goes_on) gm_narrow_mask(e->narrow, slots, count, p.mask);
  for (uint64_t state = 0; goes_on && state < states; state++) goes_on = number_of(&p, (uint32_t)state, &numbers[state]);
  free(p.mask);
  free(p.table);
  return goes_on ? p.count : 0;
}

void gm_engine_slot(const gm_engine *e, const gm_core *core, uint32_t slot, const uint32_t *states, uint64_t count, V *out) {
  for (uint64_t i = 0; i < count; i++) out[i] = gm_narrow_get(e->heap, e->narrow, gm_state(core, states[i], e->main->words), slot);
}
