/* Depth-first search over the product: stateful, DBSS, partial-order reduction, symmetry, and all of them together.
 *
 * The same search as explore/searches/depth_first.py, which says what its parts are for; it visits the same states in the
 * same order. */
#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H
#include "judge.h"
#include "reduce.h"
#include "store.h"

typedef enum {
    DONE = 0,
    PAUSED = 1,        /* call again to go on */
    VIOLATED = 2,      /* an invariant, in the last state of the path */
    VIOLATED_END = 3,  /* an end-state property */
    PROBLEM = 4,       /* a handler failed, in the last step of the path */
    LIMIT = 5,         /* the bound on states */
    FAILED = 6         /* a callback did */
} Outcome;

typedef struct {
    uint64_t states, transitions, depth, pushes, bytes, cut, path_length, stack_bytes;
    uint64_t left_out; /* steps that a reduction has not fired */
    uint32_t verdict;
} Report;

typedef struct {
    uint32_t process, step; /* the next to look at */
    uint32_t all;           /* fire all steps, whatever `chosen` says */
    uint64_t depth;
} Frame;

typedef struct {
    Product product;
    Judge judge;
    Reduction reduction;
    Store store;
    uint32_t selective_push, reduce, stateless, permutations;
    uint64_t visited; /* of a stateless search, which stores nothing */
    uint32_t *permutation; /* of processes, one after another */
    Map permuted;
    uint64_t max_states, max_depth;
    /* The stack: frames, with the whole state and the chosen actions of each. */
    Frame *frames;
    uint32_t *frame_states;
    uint64_t *frame_chosen;
    uint64_t frame_count, frame_capacity, frame_states_capacity, frame_chosen_capacity;
    /* The counterexample stack. */
    uint32_t *path_steps;
    uint64_t *path_states;
    uint64_t path_length, path_capacity, path_states_capacity;
    uint32_t *candidate, *after, *key, *trial_key;
    const Expansion **at;
    uint64_t *chosen;
    int has_candidate;
    uint32_t candidate_step;
    /* Of a breadth-first search (breadth.c): where each state came from, and how far it is. */
    uint32_t *parents, *reached_by;
    uint64_t parents_capacity, reached_by_capacity, next, level_first, level_end;
    uint32_t keyed;     /* what is stored is not the state itself */
    uint32_t *level[2]; /* then, the states of this level and of the next */
    uint64_t level_capacity[2];
    struct Team *team;
    Report report;
} Search;

/* What is stored of a state; 0 if a callback failed. */
int key_of(Search *search, const uint32_t *state, uint32_t *key);
void together_free(struct Team *team);
#endif
