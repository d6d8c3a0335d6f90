/* The threads of a breadth-first search, and what they tell one another: see together.c. */
#ifndef EXPLORE_TEAM_H
#define EXPLORE_TEAM_H
#include "breadth.h"

#define FAILING UINT32_MAX /* the verdict of a step in which a handler fails */
#define AGAIN UINT32_MAX   /* the index of what was found before */
#define NEW (AGAIN - 1)    /* and of what has none yet */

/* A state that was not in the store. */
typedef struct {
    uint64_t hash;
    uint32_t step, verdict, index, parent;
} Found;

/* What follows from one state: what stands in `worker`'s list, from `first` on. */
typedef struct {
    uint64_t first;
    uint32_t worker, count, enabled, at_end, unknown, cut, failed;
    uint32_t ends; /* the search does, here at the latest */
} Expanded;

struct Team;

typedef struct {
    struct Team *team;
    Search *search;
    Search view; /* the search, with callbacks that know nothing, and room of its own */
    uint32_t number;
    uint32_t begin, end; /* the states to expand */
    Found *found;
    uint32_t *vectors; /* of each found state its key, and, if that is something else, the state */
    uint64_t count, found_capacity, vectors_capacity;
    Found **seen; /* a table of those of one part of the hashes */
    uint64_t seen_capacity;
} Worker;

struct Team {
    uint32_t size;
    Worker *workers;
    Expanded *expanded; /* of the states of a block */
    uint32_t block;     /* the first of them */
    uint64_t placed;    /* states that must be placed again, as the table has grown */
    uint32_t worth_it;  /* blocks of fewer states are not shared */
};

/* Numbers that are noted for each state that was found. */
static inline uint64_t stride(const Search *search) {
    return (search->keyed ? 2u : 1u) * (uint64_t)search->product.width;
}

/* Expands the states of a worker's part of a block (team_expand.c): what follows from them is noted, nothing is added. */
void *team_expand_part(void *worker);
/* Then, by one thread, those of which something was not known, in order, up to one at which the search ends. */
void team_expand_rest(Search *search, uint64_t end);
#endif
