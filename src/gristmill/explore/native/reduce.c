#include "reduce.h"

#include "memory.h"

void reduction_init(Reduction *reduction, uint32_t processes, uint32_t actions) {
    memset(reduction, 0, sizeof *reduction);
    reduction->actions = actions;
    reduction->words = (actions + 63) / 64;
    if (reduction->words == 0) reduction->words = 1;
    reduction->owner = calloc(actions + 1, sizeof *reduction->owner);
    reduction->base = calloc(processes + 1, sizeof *reduction->base);
    reduction->todo = calloc(actions + 1, sizeof *reduction->todo);
    reduction->visible = calloc(reduction->words, sizeof(uint64_t));
    reduction->enabled = calloc(reduction->words, sizeof(uint64_t));
    reduction->trial = calloc(reduction->words, sizeof(uint64_t));
    reduction->best = calloc(reduction->words, sizeof(uint64_t));
}

void reduction_free(Reduction *reduction) {
    free(reduction->owner);
    free(reduction->base);
    free(reduction->todo);
    free(reduction->visible);
    free(reduction->enabled);
    free(reduction->trial);
    free(reduction->best);
    free(reduction->rows);
}

int set_has(const uint64_t *set, uint32_t action) { return set[action >> 6] >> (action & 63) & 1; }

static void set_add(uint64_t *set, uint32_t action) { set[action >> 6] |= 1ULL << (action & 63); }

/* Adds what is in `wanted` and not in the trial set to it, and to the list of what is still to be closed. */
static uint32_t absorb(Reduction *reduction, const uint64_t *wanted, uint32_t todo) {
    for (uint32_t word = 0; word < reduction->words; word++) {
        uint64_t fresh = wanted[word] & ~reduction->trial[word];
        reduction->trial[word] |= fresh;
        for (; fresh; fresh &= fresh - 1) reduction->todo[todo++] = word * 64 + (uint32_t)__builtin_ctzll(fresh);
    }
    return todo;
}

static int shows(const Reduction *reduction) {
    for (uint32_t word = 0; word < reduction->words; word++)
        if (reduction->trial[word] & reduction->enabled[word] & reduction->visible[word]) return 1;
    return 0;
}

/* Closes {seed} under the rows. If an enabled action of the set is visible, all visible actions belong to it, or else
 * the order of visible ones could be lost. */
static void close_over(Reduction *reduction, const Expansion *const *at, uint32_t seed) {
    memset(reduction->trial, 0, reduction->words * sizeof(uint64_t));
    set_add(reduction->trial, seed);
    reduction->todo[0] = seed;
    uint32_t todo = 1;
    int shown = 0;
    for (;;) {
        while (todo > 0) {
            uint32_t action = reduction->todo[--todo], process = reduction->owner[action];
            uint64_t row = at[process]->rows + (action - reduction->base[process]);
            todo = absorb(reduction, reduction->rows + row * reduction->words, todo);
        }
        if (shown || !shows(reduction)) return;
        shown = 1;
        todo = absorb(reduction, reduction->visible, todo);
    }
}

static uint32_t steps_in(Product *product, const Expansion *const *at, const uint64_t *set) {
    uint32_t count = 0;
    for (uint32_t process = 0; process < product->processes; process++)
        for (uint32_t i = 0; i < at[process]->count; i++)
            count += (uint32_t)set_has(set, product->steps[at[process]->first + i].action);
    return count;
}

uint32_t reduction_choose(Reduction *reduction, Product *product, const Expansion *const *at, uint64_t *chosen) {
    size_t size = reduction->words * sizeof(uint64_t);
    memset(reduction->enabled, 0, size);
    for (uint32_t process = 0; process < product->processes; process++)
        for (uint32_t i = 0; i < at[process]->count; i++)
            set_add(reduction->enabled, product->steps[at[process]->first + i].action);
    uint32_t fewest = UINT32_MAX;
    for (uint32_t action = 0; action < reduction->actions && fewest > 1; action++) {
        if (!set_has(reduction->enabled, action)) continue;
        close_over(reduction, at, action);
        uint32_t count = steps_in(product, at, reduction->trial);
        if (count < fewest) {
            fewest = count;
            memcpy(chosen, reduction->trial, size);
        }
    }
    return fewest;
}
