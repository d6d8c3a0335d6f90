/* Sets in slots, as bits over the elements that such sets have had so far: the universe.

   A set of messages gets a bit for each message that any state had, and a set of servers one for each server, so that
   `\cup`, `\in`, Cardinality are a few instructions, and a state has no set to share. An element gets the next free
   number when it is first put into a set. Numbers are never given back, so a set is the same bits for ever.

   A universe has elements that can all be compared with one another, whatever the states: then membership and equality of
   sets are the same as on listed sets, also in that they never fail. An element that may not be compared with one that is
   there, or for which there is no room, ends the run with GM_MISFIT, and the variable is no longer held so. */

#ifndef GM_UNIVERSE_H
#define GM_UNIVERSE_H

#include "value.h"

/* A slot has the bits of this many elements, and GM_TAG_BITS, a tag that no value has: what looks at slots as words goes on to work. */
enum { GM_BITS = 61, GM_MOST_WORDS = 8, GM_MOST_MEMBERS = GM_BITS * GM_MOST_WORDS };
static inline uint64_t gm_bits_of(V slot) { return slot >> 3; }
static inline V gm_slot_of_bits(uint64_t bits) { return bits << 3 | GM_TAG_BITS; }

/* The order of the elements, as far as they were known when it was made. One that is made later takes its place. */
typedef struct gm_ranking {
  struct gm_ranking *before;
  uint16_t rank[GM_MOST_MEMBERS];  /* of an element, by its number */
  uint16_t number[GM_MOST_MEMBERS]; /* of an element, by its rank */
} gm_ranking;

typedef struct gm_universe gm_universe;
gm_universe *gm_universe_new(uint32_t words); /* of a set */
void gm_universe_free(gm_universe *u);
/* The elements in a file and back; 0 if it went well. `distance` as in persist.h. */
int gm_universe_save(const gm_universe *u, int file);
int gm_universe_load(gm_worker *w, gm_universe *u, int file, uint64_t distance);

/* `u` is a number: of those that the worker has. */
uint32_t gm_bits_find_number(gm_worker *w, uint32_t u, V element, uint32_t variable);
bool gm_bits_find(gm_worker *w, uint32_t u, const uint64_t *bits, V element);
V gm_bits_listed(gm_worker *w, uint32_t u, const uint64_t *bits);                            /* the set */
void gm_bits_of_set(gm_worker *w, uint32_t u, V set, uint64_t *bits, uint32_t variable);     /* and back */
V gm_bits_listed_slots(gm_worker *w, uint32_t u, uint32_t words, const V *slots);
void gm_bits_of_set_slots(gm_worker *w, uint32_t u, uint32_t words, V set, V *slots, uint32_t variable);
/* Whether all elements are in a set that is there for ever. */
bool gm_bits_within(gm_worker *w, uint32_t u, const uint64_t *bits, V set);

static inline void gm_bits_add(uint64_t *bits, uint32_t number) {
  bits[number / GM_BITS] |= UINT64_C(1) << number % GM_BITS;
}
static inline bool gm_bits_test(const uint64_t *bits, uint32_t number) {
  return bits[number / GM_BITS] >> number % GM_BITS & 1;
}

/* Where it is noted which number an element has: those that are no objects, and kept ones. */
static inline gm_numbered *gm_numbered_at(gm_worker *w, uint32_t u, V element) {
  return &w->numbered[(element + u) * 0x9e3779b97f4a7c15u >> 58];
}
/* The number of an element, which it gets if it has none; whether it is in a set. */
static inline uint32_t gm_bits_number(gm_worker *w, uint32_t u, V element, uint32_t variable) {
  const gm_numbered *at = gm_numbered_at(w, u, element);
  return at->element == element && at->universe == u ? at->number : gm_bits_find_number(w, u, element, variable);
}
static inline bool gm_bits_have(gm_worker *w, uint32_t u, const uint64_t *bits, V element) {
  const gm_numbered *at = gm_numbered_at(w, u, element);
  return at->element == element && at->universe == u ? gm_bits_test(bits, at->number) : gm_bits_find(w, u, bits, element);
}

/* Going through a set in the order of values, as `gm_iterate` does. */
typedef struct gm_members {
  const V *values; /* by number */
  const gm_ranking *ranking;
  uint32_t word, words, number; /* `number`: of the element that came last */
  uint64_t left[(GM_MOST_MEMBERS + 63) / 64]; /* by rank */
} gm_members;
void gm_members_in_order(gm_worker *w, uint32_t u, uint32_t words, const uint64_t *bits, gm_members *m);
static inline void gm_members_begin(gm_worker *w, uint32_t u, uint32_t words, const uint64_t *bits, gm_members *m) {
  uint64_t any = 0;
  for (uint32_t k = 0; k < words; k++) any |= bits[k];
  m->word = 0;
  m->words = 1;
  m->left[0] = 0;
  if (any) gm_members_in_order(w, u, words, bits, m);
}
static inline bool gm_members_next(gm_members *m, V *element) {
  while (!m->left[m->word])
    if (++m->word == m->words) return false;
  uint32_t rank = 64 * m->word + (uint32_t)__builtin_ctzll(m->left[m->word]);
  m->left[m->word] &= m->left[m->word] - 1;
  m->number = m->ranking->number[rank];
  *element = m->values[m->number];
  return true;
}

/* What a test that depends on the element alone came to: in `yes`, in `no`, or in neither if it was not asked yet. */
static inline void gm_bits_note(uint64_t *bits, uint32_t number) {
  __atomic_fetch_or(&bits[number / GM_BITS], UINT64_C(1) << number % GM_BITS, __ATOMIC_RELAXED);
}
static inline bool gm_bits_noted(const uint64_t *bits, uint32_t number) {
  return __atomic_load_n(&bits[number / GM_BITS], __ATOMIC_RELAXED) >> number % GM_BITS & 1;
}

#endif
