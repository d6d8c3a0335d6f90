/* Fair components: where a behaviour can stay for ever and meet every condition on what happens infinitely often.

   Strongly connected components by Tarjan's algorithm, without recursion. In one that does not meet a condition, a cycle
   can only be fair if it stays within a part of the edges: then the components of that part are looked at, without the
   condition. (For conditions with one such part, that is Emerson and Lei's algorithm for Streett's condition.)

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

/* NULL if there is no memory, or if there are 2^32 nodes or more. */
gm_search *gm_search_new(const gm_product *product, const gm_clause *clauses, uint32_t count, gm_poll poll);
void gm_search_free(gm_search *search);

/* GM_FOUND: there are `count` fair components, at `found`; every fair cycle lies in one of them, or in a larger part of
   the same edges. They belong to the search. */
enum gm_answer gm_fair_components(gm_search *search, const gm_component **found, size_t *count);

/* After GM_FOUND: from here on the functions below speak of this component. */
void gm_enter(gm_search *search, const gm_component *component);
bool gm_connects(const gm_search *search, const gm_edge *edge); /* of an edge from a node inside */
bool gm_meets(const gm_search *search, const gm_edge *edge, uint32_t clause);

/* The clauses that a cycle in the component still has to meet; returns how many. Room for all must be there. */
uint32_t gm_remaining(const gm_search *search, const gm_within *within, uint32_t *clauses);

/* Counts an edge, and polls now and then: false if the search is to end. */
bool gm_count_edge(gm_search *search);

/* Two numbers for each node, for those who search on in the component. Their contents do not matter any more. */
uint32_t *gm_first_scratch(gm_search *search);
uint32_t *gm_second_scratch(gm_search *search);

#endif
