/* Breadth-first search over the product, on whole states: the first violation found is one with the fewest steps.
 *
 * The same search as explore/searches/breadth_first.py. The store is the queue: states are numbered as they are found. */
#include "memory.h"
#include "search.h"

#define NO_PARENT UINT32_MAX

/* The path to a state, in the place where a depth-first search has its own. */
static void path_to(Search *search, uint32_t index) {
    uint64_t length = 0;
    for (uint32_t at = index; at != NO_PARENT; at = search->parents[at]) length++;
    search->path_steps = reserve(search->path_steps, &search->path_capacity, length + 1, sizeof(uint32_t));
    search->path_length = length;
    for (uint32_t at = index; at != NO_PARENT; at = search->parents[at])
        search->path_steps[--length] = search->reached_by[at];
}

static Outcome judged(Search *search, uint32_t which, const uint32_t *state, uint32_t index) {
    search->report.verdict = judge_state(&search->judge, &search->product, which, state);
    if (search->report.verdict == 0) return DONE;
    path_to(search, index);
    if (search->report.verdict == ABSENT) return FAILED;
    return which == JUDGE_AT_END ? VIOLATED_END : VIOLATED;
}

/* Adds a state, if it is new, and asks the invariants about it. */
Outcome breadth_reach(Search *search, const uint32_t *state, uint32_t parent, uint32_t step) {
    uint64_t hash = store_hash(&search->store, state);
    if (store_find(&search->store, state, hash) != NOT_FOUND) return DONE;
    if (search->store.count >= search->max_states) return LIMIT;
    uint64_t index = store_add(&search->store, state, hash);
    search->parents = reserve(search->parents, &search->parents_capacity, index + 1, 4);
    search->reached_by = reserve(search->reached_by, &search->reached_by_capacity, index + 1, 4);
    search->parents[index] = parent;
    search->reached_by[index] = step;
    return judged(search, JUDGE_ALWAYS, state, (uint32_t)index);
}

static Outcome fire_all(Search *search, uint32_t index) {
    Product *product = &search->product;
    for (uint32_t process = 0; process < product->width; process++) {
        const Expansion *expansion = product_expand(product, search->candidate, process);
        uint32_t first = expansion->first, count = expansion->count;
        for (uint32_t i = 0; i < count; i++) {
            const Step *step = &product->steps[first + i];
            if (step->flags & STEP_PROBLEM) {
                path_to(search, index);
                search->path_steps[search->path_length++] = first + i;
                return PROBLEM;
            }
            if (!product_fire(product, search->candidate, step, search->after)) return FAILED;
            Outcome outcome = breadth_reach(search, search->after, index, first + i);
            if (outcome != DONE) return outcome;
        }
    }
    return DONE;
}

static Outcome expand(Search *search, uint32_t index) {
    Product *product = &search->product;
    uint32_t enabled = 0, lively = 0;
    memcpy(search->candidate, store_vector(&search->store, index), product->width * 4);
    for (uint32_t process = 0; process < product->width; process++) {
        const Expansion *expansion = product_expand(product, search->candidate, process);
        if (expansion == NULL) return FAILED;
        enabled += expansion->count;
        lively += expansion->lively;
    }
    if (lively == 0) {
        Outcome outcome = judged(search, JUDGE_AT_END, search->candidate, index);
        if (outcome != DONE) return outcome;
    }
    search->report.transitions += enabled;
    if (enabled == 0) return DONE;
    if (search->report.depth >= search->max_depth) {
        search->report.cut++;
        return DONE;
    }
    return fire_all(search, index);
}

/* Goes on from the initial states, which `breadth_reach` was given, or from where it was paused. */
Outcome breadth_run(Search *search, uint64_t visits) {
    while (search->next < search->store.count) {
        if (visits-- == 0) return PAUSED;
        if (search->next == search->level_end) {
            search->report.depth++;
            search->level_end = search->store.count;
        }
        Outcome outcome = expand(search, (uint32_t)search->next++);
        if (outcome != DONE) return outcome;
    }
    return DONE;
}
