/* What breadth-first search by one thread (breadth.c) and by several (together.c) have in common. */
#ifndef EXPLORE_BREADTH_H
#define EXPLORE_BREADTH_H
#include "search.h"

/* The whole state behind a stored one of the present level or the next. */
const uint32_t *breadth_state(const Search *search, uint32_t index);
/* Adds a state that is not in the store, with where it came from. */
uint32_t breadth_add(Search *search, const uint32_t *state, const uint32_t *key, uint64_t hash, uint32_t parent,
                     uint32_t step);
/* Makes room for so many states; then they can be set by several threads. */
void breadth_reserve(Search *search, uint64_t count);
void breadth_set(Search *search, uint32_t index, const uint32_t *state, uint32_t parent, uint32_t step);
/* A state is expanded, with all that follows from it. */
Outcome breadth_expand(Search *search, uint32_t index);
/* The search ends at a state: at an invariant (JUDGE_ALWAYS) or an end-state property. */
Outcome breadth_violated(Search *search, uint32_t which, uint32_t verdict, uint32_t index);
/* The search ends at a step of a state in which a handler failed. */
Outcome breadth_problem(Search *search, uint32_t index, uint32_t step);
/* Begins the next level, if this one is at its end. */
void breadth_next_level(Search *search);
#endif
