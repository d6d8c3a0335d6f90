#include "judge.h"

#include "memory.h"

#define LEAF 0x80000000u

void judge_init(Judge *judge) {
    memset(judge, 0, sizeof *judge);
    map_init(&judge->edges);
    map_init(&judge->values);
    for (int i = 0; i < JUDGES; i++) judge->root[i] = ABSENT;
}

void judge_free(Judge *judge) {
    map_free(&judge->edges);
    map_free(&judge->values);
    free(judge->slot);
    free(judge->process);
}

static uint32_t value_of(Judge *judge, Product *product, uint32_t slot, const uint32_t *state) {
    uint32_t cell = state[judge->process[slot]];
    uint32_t value = map_get(&judge->values, slot, cell);
    if (value == ABSENT) {
        product->ask.slot(slot, cell, &value);
        if (value != ABSENT) map_put(&judge->values, slot, cell, value);
    }
    return value;
}

uint32_t judge_state(Judge *judge, Product *product, uint32_t which, const uint32_t *state) {
    uint32_t node = judge->root[which];
    while (node != ABSENT && !(node & LEAF)) {
        uint32_t value = value_of(judge, product, judge->slot[node], state);
        if (value == ABSENT) return ABSENT;
        node = map_get(&judge->edges, node, value);
    }
    if (node != ABSENT) return node & ~LEAF;
    product->ask.judge(which, state, &node);
    return node;
}

static uint32_t new_node(Judge *judge, uint32_t slot) {
    judge->slot = reserve(judge->slot, &judge->node_capacity, judge->nodes + 1, sizeof *judge->slot);
    judge->slot[judge->nodes] = slot;
    return (uint32_t)judge->nodes++;
}

/* Called back by Python: a property of `which` read these slots with these values, and gave this verdict. */
void judge_insert(Judge *judge, uint32_t which, uint32_t count, const uint32_t *slots, const uint32_t *values,
                  uint32_t verdict) {
    uint32_t parent = ABSENT, node = judge->root[which];
    for (uint32_t i = 0; i <= count; i++) {
        if (node == ABSENT) {
            node = i == count ? verdict | LEAF : new_node(judge, slots[i]);
            if (parent == ABSENT) judge->root[which] = node;
            else map_put(&judge->edges, parent, values[i - 1], node);
        }
        if (i == count) return;
        parent = node;
        node = map_get(&judge->edges, node, values[i]);
    }
}

void judge_add_slot(Judge *judge, uint32_t process) {
    judge->process = reserve(judge->process, &judge->slot_capacity, judge->slots + 1, sizeof *judge->process);
    judge->process[judge->slots++] = process;
}
