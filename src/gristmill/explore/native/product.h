/* The product of processes, on integers.
 *
 * A cell is the local state of a process together with the messages on their way to it, as a number. A global state is
 * a vector of cells, one a process, and, if the system has bounded faults, one more number for what is left of them (the
 * spare). What a process can do depends on its cell and the spare alone: its expansion, a list of steps. A step gives a
 * new cell, a new spare and messages, each of which changes the cell of its receiver.
 *
 * All of that is computed by callbacks, once for each combination, and remembered here. */
#ifndef EXPLORE_PRODUCT_H
#define EXPLORE_PRODUCT_H
#include "map.h"

typedef struct {
    uint32_t process;
    uint32_t cell, spare;       /* afterwards */
    uint32_t sends, send_count; /* pairs (receiver, message), in Product.sends */
    uint32_t action;            /* its number for partial-order reduction */
    uint32_t flags;
} Step;

enum { STEP_FAULT = 1, STEP_PROBLEM = 2 };

typedef struct {
    uint32_t first, count; /* steps */
    uint32_t lively;       /* how many of them are no faults */
    uint32_t rows;         /* of partial-order reduction: where the rows of this process's actions begin */
    uint32_t reducible;
} Expansion;

/* The answer is ABSENT before they are called, and stays so if they fail, in whatever way. */
typedef struct {
    void (*expand)(uint32_t process, uint32_t cell, uint32_t spare, uint32_t *answer);
    void (*put)(uint32_t process, uint32_t cell, uint32_t message, uint32_t *answer);
    void (*slot)(uint32_t slot, uint32_t cell, uint32_t *answer);
    void (*judge)(uint32_t which, const uint32_t *state, uint32_t *answer);
    void (*permute)(uint32_t permutation, uint32_t cell, uint32_t *answer);
} Callbacks;

typedef struct {
    uint32_t processes, width; /* width = processes + 1 with a spare */
    Callbacks ask;
    Map expanded, received;
    Step *steps;
    Expansion *expansions;
    uint32_t *sends;
    uint32_t *relevant; /* cell -> number of its relevant part */
    uint64_t step_count, step_capacity, expansion_count, expansion_capacity, send_count, send_capacity;
    uint64_t relevant_capacity;
} Product;

void product_init(Product *product, uint32_t processes, uint32_t with_spare, Callbacks ask);
void product_free(Product *product);
/* What a process can do in a state; NULL if the callback failed. */
const Expansion *product_expand(Product *product, const uint32_t *state, uint32_t process);
/* The state after a step; 0 if a callback failed. */
int product_fire(Product *product, const uint32_t *state, const Step *step, uint32_t *after);
#endif
