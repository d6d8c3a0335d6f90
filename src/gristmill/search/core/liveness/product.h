/* The steps that a system and an automaton take together. They are computed when they are needed, never stored.

   A system has numbered states, of which the first `initial` are the initial ones; every state can be reached from
   those. Its steps are numbered, too: step e < first[states] leads to targets[e], and those from state s are first[s] …
   first[s + 1] - 1. Step first[states] + s changes nothing in state s, since a system may always stutter. A proposition
   is a bit for each step.

   An automaton reads the steps. Its transitions from q are first[q] … first[q + 1] - 1, each with the proposition under
   which it is possible and a bit for everything it puts off (`promises`). The last `passing` of its states are passing
   ones: who stays among those and where they lead back to puts something off for ever.

   A node is a number: q * states + s stands for state s of the system and state q of the automaton. */

#ifndef GM_PRODUCT_H
#define GM_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

typedef const uint8_t *gm_bits; /* bit e is bit e % 8 of byte e / 8 */

typedef struct gm_steps {
  uint32_t states, initial;
  const uint64_t *first;
  const uint32_t *targets;
} gm_steps;

typedef struct gm_automaton {
  uint32_t states, passing, start;
  const uint32_t *first, *targets;
  const gm_bits *conditions; /* NULL: always possible */
  const uint64_t *promises;
} gm_automaton;

typedef struct gm_product {
  gm_steps steps;
  gm_automaton automaton;
} gm_product;

typedef struct gm_edge {
  uint64_t step;
  uint32_t transition, target;
} gm_edge;

/* The edges of a node, one after the other. */
typedef struct gm_cursor {
  uint64_t row, step, stuttering; /* the first step of the state, the next one, and the one after the last */
  uint32_t state, first, transition, end;
} gm_cursor;

static inline bool gm_bit(gm_bits bits, uint64_t number) { return bits[number >> 3] >> (number & 7) & 1; }

/* Whether one of the bits from number `start` on, before number `end`, is 1. */
static inline bool gm_any_bit(gm_bits bits, uint64_t start, uint64_t end) {
  for (; start < end && (start & 7); start++)
    if (gm_bit(bits, start)) return true;
  for (; start + 8 <= end; start += 8)
    if (bits[start >> 3]) return true;
  for (; start < end; start++)
    if (gm_bit(bits, start)) return true;
  return false;
}

static inline uint64_t gm_nodes(const gm_product *product) {
  return (uint64_t)product->steps.states * product->automaton.states;
}

/* Nodes that are not passing ones: those come first. */
static inline uint64_t gm_live_nodes(const gm_product *product) {
  return (uint64_t)product->steps.states * (product->automaton.states - product->automaton.passing);
}

static inline uint32_t gm_place(const gm_product *product, uint32_t node) { /* of the automaton */
  return node < product->steps.states ? 0 : node / product->steps.states;
}

static inline uint32_t gm_state_of(const gm_product *product, uint32_t node) {
  return node - gm_place(product, node) * product->steps.states;
}

static inline gm_cursor gm_edges_of(const gm_product *product, uint32_t node) {
  const gm_steps *steps = &product->steps;
  uint32_t place = gm_place(product, node), state = node - place * steps->states;
  uint64_t row = steps->first[state];
  const uint32_t *first = product->automaton.first + place;
  return (gm_cursor){row, row, steps->first[state + 1], state, first[0], first[0], first[1]};
}

/* The step and transition of the next edge by a step that is allowed; all are if that is NULL. */
static inline bool gm_next_move(const gm_product *product, gm_bits allowed, gm_cursor *at, gm_edge *edge) {
  const gm_steps *steps = &product->steps;
  for (; at->step <= at->stuttering; at->step++, at->transition = at->first) {
    uint64_t step = at->step == at->stuttering ? steps->first[steps->states] + at->state : at->step;
    if (allowed != NULL && !gm_bit(allowed, step)) continue;
    while (at->transition < at->end) {
      uint32_t transition = at->transition++;
      gm_bits condition = product->automaton.conditions[transition];
      if (condition == NULL || gm_bit(condition, step)) {
        edge->step = step;
        edge->transition = transition;
        return true;
      }
    }
  }
  return false;
}

/* Where the edge leads that a cursor came to last. */
static inline void gm_lead(const gm_product *product, const gm_cursor *at, gm_edge *edge) {
  const gm_steps *steps = &product->steps;
  uint32_t target = at->step == at->stuttering ? at->state : steps->targets[edge->step];
  edge->target = product->automaton.targets[edge->transition] * steps->states + target;
}

static inline bool gm_next_edge(const gm_product *product, gm_bits allowed, gm_cursor *at, gm_edge *edge) {
  bool found = gm_next_move(product, allowed, at, edge);
  if (found) gm_lead(product, at, edge);
  return found;
}

/* Where a cursor is, as one number: it takes less room while others are at work. */
static inline uint64_t gm_position(const gm_cursor *at) {
  return (at->step - at->row) * (at->end - at->first) + (at->transition - at->first);
}

static inline void gm_move_to(gm_cursor *at, uint64_t position) {
  uint32_t transitions = at->end - at->first;
  if (transitions == 0) return;
  at->step = at->row + (transitions == 1 ? position : position / transitions);
  at->transition = at->first + (transitions == 1 ? 0 : (uint32_t)(position % transitions));
}

#endif
