/* Properties, remembered by what they read.
 *
 * A property is a function that reads parts of a state (slots: a field of a process, its inbox) one after another; which
 * slot it reads next depends only on the values it has read. So its runs form a decision tree: a node names a slot, an
 * edge a value, a leaf the verdict. Only paths that are not in the tree are computed by the callback. */
#ifndef EXPLORE_JUDGE_H
#define EXPLORE_JUDGE_H
#include "product.h"

enum { JUDGE_ALWAYS = 0, JUDGE_AT_END = 1, JUDGES = 2 };

typedef struct {
    Map edges;      /* (node, value) -> node, or a verdict with LEAF set */
    Map values;     /* (slot, cell) -> value */
    uint32_t *slot; /* of a node */
    uint32_t *process;
    uint64_t nodes, node_capacity, slots, slot_capacity;
    uint32_t root[JUDGES];
} Judge;

void judge_init(Judge *judge);
void judge_free(Judge *judge);
/* 0: all properties hold; k: the k-th does not; ABSENT: the callback failed. */
uint32_t judge_state(Judge *judge, Product *product, uint32_t which, const uint32_t *state);
#endif
