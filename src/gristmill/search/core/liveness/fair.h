/* What components.c and fairness.c share: a search, and how components are handed from one to the other. */

#ifndef GM_FAIR_H
#define GM_FAIR_H

#include "components.h"

struct gm_search {
  gm_product product;
  gm_poll poll;
  uint64_t edges, next_poll;
  enum gm_answer answer; /* GM_NONE while nothing ends the search */

  /* By node, but for passing ones: 0 if it was not visited; while its component is not known, the number of a node of it
     that was visited earlier, or its own; then the number of the component. Those count downwards from the top: they are
     greater than all others, of which there are never more than nodes without a component. */
  uint32_t *mark;
  uint32_t live; /* so many nodes have a mark */
  uint32_t open; /* nodes without a component */
  uint32_t next_number;

  uint32_t *nodes; /* from the bottom, the path; from the top, open nodes that were left already, the newest first */
  uint32_t *positions; /* on the path: which edge is next, and whether the node belongs to an earlier one */
  uint32_t depth, left;
  uint8_t *was_passed; /* passing nodes that were reached, a bit each */
  uint32_t *passed;    /* those whose edges have not been looked at yet */
  size_t passed_count, passed_room;

  const gm_clause *clauses;
  uint32_t clause_count;
  const gm_within *within;
  gm_bits allowed; /* the steps that are in every set of `within`, of the nodes at hand only; NULL: all */
  uint8_t *own_allowed;
  uint32_t *remaining, *unmet;
  uint32_t remaining_count;
  uint32_t entered;      /* the number of the component that is spoken of */
  bool has_begun;
  gm_component *waiting; /* nodes among which to look for components */
  size_t waiting_count, waiting_room;
  gm_component *fair;
  size_t fair_count, fair_room;
  gm_within **chains; /* all of them, to be freed */
  size_t chain_count, chain_room;
};

bool gm_search_grow(void **items, size_t *room, size_t count, size_t size);
bool gm_search_fail(gm_search *search, enum gm_answer why);

/* ---- components.c: Tarjan's algorithm, without recursion and with one number a node: D. J. Pearce, A space-efficient
   algorithm for finding strongly connected components, IPL 116 (2016) ---- */

bool gm_components_open(gm_search *search); /* room that it needs while it works */
void gm_components_close(gm_search *search);
bool gm_components_of_all(gm_search *search); /* of everything that can be reached: to be called once, and first */
bool gm_components_among(gm_search *search, const uint32_t *nodes, size_t count);

/* ---- fairness.c ---- */

/* Nodes whose mark is `number` are a component. */
bool gm_examine(gm_search *search, const uint32_t *nodes, size_t count, uint32_t number);

#endif
