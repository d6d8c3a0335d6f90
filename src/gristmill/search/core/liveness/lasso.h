/* A fair behaviour: a path to a fair component, and a cycle in it that meets every condition.

   Together with gm_search_new and gm_search_free, what others call to check liveness; liveness_core.py does. */

#ifndef GM_LASSO_H
#define GM_LASSO_H

#include "components.h"

/* Step steps[i] begins in states[i]; after the last one come those from number `loop` on, again and again. */
typedef struct gm_lasso {
  uint32_t *states;
  uint64_t *steps;
  uint64_t count, loop;
} gm_lasso;

/* GM_FOUND: `lasso` is one, to be given to gm_lasso_clear. `clauses`: as for gm_fair_components. `budget`: how many edges
   may be looked at to find a shorter one than the first. */
enum gm_answer gm_find_lasso(gm_search *search, const gm_clause *clauses, uint32_t clause_count, uint64_t budget,
                             gm_lasso *lasso);
void gm_lasso_clear(gm_lasso *lasso);

/* A predicate of states, a bit for each, as one of steps. `steps_bits` has room for all steps, and is all 0. */
void gm_spread(const gm_steps *steps, gm_bits states_bits, uint8_t *steps_bits);

#endif
