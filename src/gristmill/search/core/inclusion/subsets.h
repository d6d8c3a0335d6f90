/* The second graph, determinised while it is asked for: sets of its states, each with a number. See inclusion.h. */

#ifndef GM_SUBSETS_H
#define GM_SUBSETS_H

#include "inclusion.h"

#define GM_NO_SUBSET UINT32_MAX
#define GM_BEFORE 0 /* in place of a set before a run begins: initial states are what comes next */

/* Memory and time that a decision may take. `failed` once there is no more of one of them: then nothing said is valid. */
typedef struct gm_allowance {
  uint64_t bytes, limit; /* 0: none */
  uint64_t work, next_poll;
  gm_inclusion_poll poll;
  enum gm_inclusion_answer failed; /* GM_IS_INCLUDED while it has not */
} gm_allowance;

/* Room for `count` items and one more; false, and `failed`, if there is none. `*room`: how many there is room for. */
bool gm_allow_room(gm_allowance *a, void **items, uint64_t *room, uint64_t count, uint64_t size);
void *gm_allow_array(gm_allowance *a, uint64_t count, uint64_t size); /* of zeros; NULL as above */
bool gm_allow_work(gm_allowance *a, uint64_t steps); /* false if it must end */

/* Steps by kind, each without repetitions of its own. */
typedef struct gm_steps_by_kind {
  uint64_t *silent_first, *visible_first;
  uint32_t *silent, *visible;
} gm_steps_by_kind;

bool gm_split_steps(gm_allowance *a, const gm_observed_graph *g, gm_steps_by_kind *out);
void gm_free_steps(gm_steps_by_kind *steps);

/* `elements`: where its sorted states begin in the arena; `signature`: a bit for each of some classes of states.
   `moves`: where its moves begin, if they have been looked for. */
typedef struct gm_subset {
  uint64_t elements, moves, signature, hash;
  uint32_t size, move_count;
  bool has_moves;
} gm_subset;

/* To states of one observation by visible steps: `kernel`, not closed yet, until somebody asks for it. */
typedef struct gm_move {
  uint64_t kernel;
  uint32_t observation, size, subset;
} gm_move;

typedef struct gm_subsets {
  gm_allowance *allowance;
  const gm_observed_graph *graph;
  gm_steps_by_kind steps;
  gm_subset *all;
  uint64_t count, room;
  uint32_t *arena;
  uint64_t used, arena_room;
  gm_move *moves;
  uint64_t move_count, move_room;
  uint32_t *table; /* numbers + 1, by hash */
  uint64_t mask;
  uint32_t *marks, mark; /* of states: `mark` if it is in the set that is being made */
  uint32_t *list;        /* which these are */
  uint32_t listed;
  uint64_t *pairs; /* observations and states that visible steps lead to */
  uint64_t pair_count, pair_room;
} gm_subsets;

bool gm_subsets_open(gm_subsets *s, const gm_observed_graph *graph, gm_allowance *allowance);
void gm_subsets_close(gm_subsets *s);

/* What visible steps to an observation lead to, closed; GM_NO_SUBSET if there is none, or if the allowance has failed. */
uint32_t gm_next_subset(gm_subsets *s, uint32_t subset, uint32_t observation);

bool gm_is_subset(const gm_subsets *s, uint32_t some, uint32_t all);

#endif
