/* The steps that a system and an automaton take together. They are computed when they are needed, never stored.

   A system has numbered states, of which the first `initial` are the initial ones. Its steps are numbered, too: step
   e < first[states] leads to targets[e], and those from state s are first[s] … first[s + 1] - 1. Step first[states] + s
   changes nothing in state s, since a system may always stutter. A proposition is a bit for each step.

   An automaton reads the steps. It starts in its state 0; its transitions from q are first[q] … first[q + 1] - 1, each
   with the proposition under which it is possible and a bit for everything it puts off (`promises`). Some of its states
   are passing ones: who stays among those and where they lead back to puts something off for ever.

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
  uint32_t states;
  const uint32_t *first, *targets;
  const gm_bits *conditions; /* NULL: always possible */
  const uint64_t *promises;
  const uint8_t *passing; /* by state, 1 or 0 */
} gm_automaton;

typedef struct gm_product {
  const gm_steps *steps;
  const gm_automaton *automaton;
} gm_product;

typedef struct gm_edge {
  uint64_t step;
  uint32_t transition, target;
} gm_edge;

/* Which edge of a node comes next: start with gm_edges_of. */
typedef struct gm_cursor {
  uint64_t step; /* first[s + 1] is for stuttering */
  uint32_t transition, node;
} gm_cursor;

static inline bool gm_bit(gm_bits bits, uint64_t number) { return bits[number >> 3] >> (number & 7) & 1; }

static inline uint64_t gm_nodes(const gm_product *product) {
  return (uint64_t)product->steps->states * product->automaton->states;
}

static inline uint32_t gm_place(const gm_product *product, uint32_t node) { /* of the automaton */
  return product->automaton->states == 1 ? 0 : node / product->steps->states;
}

static inline uint32_t gm_state_of(const gm_product *product, uint32_t node) {
  return node - gm_place(product, node) * product->steps->states;
}

static inline gm_cursor gm_edges_of(const gm_product *product, uint32_t node) {
  uint32_t place = gm_place(product, node);
  uint32_t state = node - place * product->steps->states;
  return (gm_cursor){product->steps->first[state], product->automaton->first[place], node};
}

static inline bool gm_next_edge(const gm_product *product, gm_cursor *cursor, gm_edge *edge) {
  const gm_steps *steps = product->steps;
  const gm_automaton *automaton = product->automaton;
  uint32_t place = gm_place(product, cursor->node);
  uint32_t state = cursor->node - place * steps->states;
  uint64_t stuttering = steps->first[state + 1];
  for (; cursor->step <= stuttering; cursor->step++, cursor->transition = automaton->first[place]) {
    uint64_t step = cursor->step < stuttering ? cursor->step : steps->first[steps->states] + state;
    while (cursor->transition < automaton->first[place + 1]) {
      uint32_t transition = cursor->transition++;
      gm_bits condition = automaton->conditions[transition];
      if (condition == NULL || gm_bit(condition, step)) {
        uint32_t target = cursor->step < stuttering ? steps->targets[step] : state;
        *edge = (gm_edge){step, transition, automaton->targets[transition] * steps->states + target};
        return true;
      }
    }
  }
  return false;
}

#endif
