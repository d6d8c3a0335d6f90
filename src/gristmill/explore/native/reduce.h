/* Partial-order reduction: stubborn sets.
 *
 * Actions (a handler of a process for messages of one sender, a timer) are numbered over all processes. Each expansion
 * has a row for each action of its process: the actions that a stubborn set with this one must have as well (those that
 * may interfere with it, if it is enabled, and those that may enable it). A set closed under the rows is stubborn. */
#ifndef EXPLORE_REDUCE_H
#define EXPLORE_REDUCE_H
#include "product.h"

typedef struct {
    uint32_t actions, words; /* words: of 64 bits, in a set of actions */
    uint32_t *owner;         /* action -> process */
    uint32_t *base;          /* process -> its first action */
    uint64_t *visible;       /* actions that a property may notice */
    uint64_t *rows;
    uint64_t row_count, row_capacity;
    uint64_t *enabled, *trial, *best; /* of the state at hand */
    uint32_t *todo;
} Reduction;

void reduction_init(Reduction *reduction, uint32_t processes, uint32_t actions);
void reduction_free(Reduction *reduction);
/* The enabled actions of a smallest stubborn set that was found, in `chosen`; how many steps they have. */
uint32_t reduction_choose(Reduction *reduction, Product *product, const Expansion *const *at, uint64_t *chosen);
int set_has(const uint64_t *set, uint32_t action);
#endif
