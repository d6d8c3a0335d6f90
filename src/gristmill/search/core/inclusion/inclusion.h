/* Trace inclusion of two finite graphs up to stuttering. It knows nothing of TLA+.

   A state of a graph has an observation, a number. A run of a graph, from an initial state, is seen as the sequence of the
   observations of its states, with equal neighbours collapsed: its trace. A step between states of the same observation is
   silent, the others are visible. Is every trace of a finite run of the first graph one of the second?

   Nodes of the product are pairs of a state of the first graph and a set of states of the second: those in which runs with
   the same trace can be, so the set is closed under silent steps. A visible step of the first graph moves the set to the
   states with its observation that visible steps lead to; if there is none, the trace is no trace of the second graph.
   What can go wrong from (s, X) can go wrong from (s, Y) if Y is a subset of X: such an X is left out (antichains:
   M. De Wulf et al., CAV 2006). Nodes are visited in the order of the length of their trace, so the first difference is one
   of a shortest trace. */

#ifndef GM_INCLUSION_H
#define GM_INCLUSION_H

#include <stdbool.h>
#include <stdint.h>

/* Steps of state s are number first[s] … first[s + 1] - 1; repetitions and steps from a state to itself are allowed. */
typedef struct gm_observed_graph {
  uint32_t states, initial_count;
  const uint32_t *initial;
  const uint64_t *first;
  const uint32_t *targets, *observations;
} gm_observed_graph;

enum gm_inclusion_answer {
  GM_IS_INCLUDED = 0,
  GM_IS_DIFFERENT = 1,
  GM_INCLUSION_NO_MEMORY = -1, /* of the machine, or more than was allowed */
  GM_INCLUSION_STOPPED = -2    /* by `poll` */
};

/* Called some times a second; anything but 0 ends the search. */
typedef int (*gm_inclusion_poll)(void);

typedef struct gm_inclusion {
  uint64_t product_steps; /* steps of the first graph that were taken, each from a node of the product */
  uint64_t nodes, subsets; /* of the product; different sets of states */
  uint64_t bytes;          /* of memory, at the end */
  uint32_t *run, length;   /* if there is a difference: states of the first graph, the last step is the one in question */
} gm_inclusion;

/* `memory`: bytes that it may take, 0: any number. Counts are filled in whatever the answer. */
enum gm_inclusion_answer gm_include(const gm_observed_graph *first, const gm_observed_graph *second, uint64_t memory,
                                    gm_inclusion_poll poll, gm_inclusion *out);
void gm_inclusion_clear(gm_inclusion *out);

#endif
