/* Fair components: where a behaviour can stay for ever and meet every condition on what happens infinitely often.

   In a strongly connected component that does not meet a condition, a cycle can only be fair if it stays within a part
   of the edges: then the components of that part are looked at, without the condition. (For conditions with one such
   part, that is Emerson and Lei's algorithm for Streett's condition.)

   Conditions may be added to a search. What was not fair without them is not fair with them: it goes on from the
   components that were.

   liveness_product.py is the same in Python, and the one to read first. */

#ifndef GM_COMPONENTS_H
#define GM_COMPONENTS_H

#include <stddef.h>

#include "product.h"

/* A cycle meets a clause if one of its edges does, or if all of them are in one of `all`. An edge meets it whose step is
   in `some`; or, if `promise` is not 0, whose transition does not promise that bit. */
typedef struct gm_clause {
  gm_bits some;
  uint64_t promise;
  const gm_bits *all;
  uint32_t all_count;
} gm_clause;

enum gm_answer { GM_STOPPED = -2, GM_NO_MEMORY = -1, GM_NONE = 0, GM_FOUND = 1 };

/* Called every million edges or so with the number of edges looked at; anything but 0 ends the search. May be NULL. */
typedef int (*gm_poll)(uint64_t edges);

/* Edges that all lie within some sets, each chosen for a clause that is then met. Newest first. */
typedef struct gm_within {
  const struct gm_within *outer;
  gm_bits set;
  uint32_t clause;
} gm_within;

typedef struct gm_component {
  uint32_t *nodes;
  size_t count;
  const gm_within *within;
} gm_component;

typedef struct gm_search gm_search;

/* What the arguments point to must stay as it is. NULL if there is no memory, or if there are 2^32 nodes or more. */
gm_search *gm_search_new(const gm_steps *steps, const gm_automaton *automaton, gm_poll poll);
void gm_search_free(gm_search *search);
const gm_product *gm_product_of(const gm_search *search);

/* GM_FOUND: there are `count` fair components, at `found`; every fair cycle lies in one of them, or in a larger part of
   the same edges. They belong to the search. `clauses`: those of the last time, if there was one, and then perhaps more;
   the sets in them must stay as they are. */
enum gm_answer gm_fair_components(gm_search *search, const gm_clause *clauses, uint32_t clause_count,
                                  const gm_component **found, size_t *count);

/* After GM_FOUND: from here on the functions below speak of this component. False if there is no memory. */
bool gm_enter(gm_search *search, const gm_component *component);
bool gm_next_inside(const gm_search *search, gm_cursor *cursor, gm_edge *edge); /* the next edge of it */
bool gm_meets(const gm_search *search, const gm_edge *edge, uint32_t clause);

/* The clauses that a cycle in the component still has to meet; returns how many. Room for all must be there. */
uint32_t gm_remaining(const gm_search *search, const gm_within *within, uint32_t *clauses);

/* Counts edges, and polls at intervals: false if the search is to end. */
bool gm_count_edges(gm_search *search, uint64_t count);

#endif
