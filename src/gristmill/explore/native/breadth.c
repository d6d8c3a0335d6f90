/* Breadth-first search over the product: the first violation found is one with the fewest steps.
 *
 * The same search as explore/searches/breadth_first.py. The store is the queue: states are numbered as they are found.
 * If less than the state is stored (its relevant part, its canonical form), the states of two levels are kept whole. */
#include "breadth.h"

#include "memory.h"

#define NO_PARENT UINT32_MAX

const uint32_t *breadth_state(const Search *search, uint32_t index) {
    if (!search->keyed) return store_vector(&search->store, index);
    int next = index >= search->level_end;
    uint64_t first = next ? search->level_end : search->level_first;
    return search->level[next] + (index - first) * search->product.width;
}

/* The path to a state, in the place where a depth-first search has its own. */
static void path_to(Search *search, uint32_t index) {
    uint64_t length = 0;
    for (uint32_t at = index; at != NO_PARENT; at = search->parents[at]) length++;
    search->path_steps = reserve(search->path_steps, &search->path_capacity, length + 1, sizeof(uint32_t));
    search->path_length = length;
    for (uint32_t at = index; at != NO_PARENT; at = search->parents[at])
        search->path_steps[--length] = search->reached_by[at];
}

Outcome breadth_violated(Search *search, uint32_t which, uint32_t verdict, uint32_t index) {
    search->report.verdict = verdict;
    path_to(search, index);
    if (verdict == ABSENT) return FAILED;
    return which == JUDGE_AT_END ? VIOLATED_END : VIOLATED;
}

Outcome breadth_problem(Search *search, uint32_t index, uint32_t step) {
    path_to(search, index);
    search->path_steps[search->path_length++] = step;
    return PROBLEM;
}

static Outcome judged(Search *search, uint32_t which, const uint32_t *state, uint32_t index) {
    uint32_t verdict = judge_state(&search->judge, &search->product, which, state);
    return verdict == 0 ? DONE : breadth_violated(search, which, verdict, index);
}

void breadth_reserve(Search *search, uint64_t count) {
    search->parents = reserve(search->parents, &search->parents_capacity, count, 4);
    search->reached_by = reserve(search->reached_by, &search->reached_by_capacity, count, 4);
    if (!search->keyed) return;
    uint64_t numbers = (count - search->level_end) * search->product.width;
    search->level[1] = reserve(search->level[1], &search->level_capacity[1], numbers, 4);
}

void breadth_set(Search *search, uint32_t index, const uint32_t *state, uint32_t parent, uint32_t step) {
    uint64_t width = search->product.width;
    search->parents[index] = parent;
    search->reached_by[index] = step;
    if (search->keyed) memcpy(search->level[1] + (index - search->level_end) * width, state, width * 4);
}

uint32_t breadth_add(Search *search, const uint32_t *state, const uint32_t *key, uint64_t hash, uint32_t parent,
                     uint32_t step) {
    uint32_t index = (uint32_t)store_add(&search->store, key, hash);
    breadth_reserve(search, (uint64_t)index + 1);
    breadth_set(search, index, state, parent, step);
    return index;
}

/* Adds a state, if it is new, and asks the invariants about it. */
Outcome breadth_reach(Search *search, const uint32_t *state, uint32_t parent, uint32_t step) {
    const uint32_t *key = search->keyed ? search->key : state;
    if (search->keyed && !key_of(search, state, search->key)) return FAILED;
    uint64_t hash = store_hash(&search->store, key);
    if (store_find(&search->store, key, hash) != NOT_FOUND) return DONE;
    if (search->store.count >= search->max_states) return LIMIT;
    return judged(search, JUDGE_ALWAYS, state, breadth_add(search, state, key, hash, parent, step));
}

static Outcome fire_all(Search *search, uint32_t index) {
    Product *product = &search->product;
    for (uint32_t process = 0; process < product->width; process++) {
        const Expansion *expansion = product_expand(product, search->candidate, process);
        uint32_t first = expansion->first, count = expansion->count;
        for (uint32_t i = 0; i < count; i++) {
            const Step *step = &product->steps[first + i];
            if (step->flags & STEP_PROBLEM) return breadth_problem(search, index, first + i);
            if (!product_fire(product, search->candidate, step, search->after)) return FAILED;
            Outcome outcome = breadth_reach(search, search->after, index, first + i);
            if (outcome != DONE) return outcome;
        }
    }
    return DONE;
}

Outcome breadth_expand(Search *search, uint32_t index) {
    Product *product = &search->product;
    uint32_t enabled = 0, lively = 0;
    memcpy(search->candidate, breadth_state(search, index), product->width * 4);
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

void breadth_next_level(Search *search) {
    if (search->next != search->level_end) return;
    search->report.depth++;
    search->level_first = search->level_end;
    search->level_end = search->store.count;
    if (!search->keyed) return;
    uint32_t *old = search->level[0];
    uint64_t capacity = search->level_capacity[0];
    search->level[0] = search->level[1];
    search->level_capacity[0] = search->level_capacity[1];
    search->level[1] = old;
    search->level_capacity[1] = capacity;
}

/* Goes on from the initial states, which `breadth_reach` was given, or from where it was paused. */
Outcome breadth_run(Search *search, uint64_t visits) {
    while (search->next < search->store.count) {
        if (visits-- == 0) return PAUSED;
        breadth_next_level(search);
        Outcome outcome = breadth_expand(search, (uint32_t)search->next++);
        if (outcome != DONE) return outcome;
    }
    return DONE;
}
