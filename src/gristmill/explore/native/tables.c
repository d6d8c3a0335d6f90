/* What Python calls to fill the tables of a search. */
#include "memory.h"
#include "search.h"

void search_options(Search *search, uint32_t stateless, uint32_t selective_push, uint32_t reduce, uint64_t max_states,
                    uint64_t max_depth) {
    search->stateless = stateless;
    search->selective_push = selective_push;
    search->reduce = reduce;
    /* Only what is stored is numbered with 32 bits. */
    if (stateless || max_states < search->max_states) search->max_states = max_states;
    search->max_depth = max_depth;
}

/* A new cell, with the number of its relevant part. Cells are numbered from 0. */
void add_cell(Search *search, uint32_t cell, uint32_t relevant) {
    Product *product = &search->product;
    product->relevant = reserve(product->relevant, &product->relevant_capacity, (uint64_t)cell + 1, 4);
    product->relevant[cell] = relevant;
}

/* Adds a step; its number. */
uint32_t add_step(Search *search, const Step *step, const uint32_t *sends) {
    Product *product = &search->product;
    product->steps = reserve(product->steps, &product->step_capacity, product->step_count + 1, sizeof(Step));
    uint64_t total = product->send_count + step->send_count;
    product->sends = reserve(product->sends, &product->send_capacity, 2 * total, 4);
    product->steps[product->step_count] = *step;
    product->steps[product->step_count].sends = (uint32_t)product->send_count;
    copy(product->sends + 2 * product->send_count, sends, 8 * (size_t)step->send_count);
    product->send_count = total;
    return (uint32_t)product->step_count++;
}

/* The last `count` steps are what a process can do; `rows` are those of its actions. The number of the expansion. */
uint32_t add_expansion(Search *search, uint32_t count, uint32_t reducible, uint32_t row_count, const uint64_t *rows) {
    Product *product = &search->product;
    Reduction *reduction = &search->reduction;
    Expansion made = {(uint32_t)(product->step_count - count), count, 0, (uint32_t)reduction->row_count, reducible};
    for (uint32_t i = 0; i < count; i++) made.lively += !(product->steps[made.first + i].flags & STEP_FAULT);
    uint64_t words = reduction->words, total = reduction->row_count + row_count;
    reduction->rows = reserve(reduction->rows, &reduction->row_capacity, total * words, 8);
    copy(reduction->rows + reduction->row_count * words, rows, 8 * row_count * words);
    reduction->row_count = total;
    product->expansions = reserve(product->expansions, &product->expansion_capacity, product->expansion_count + 1,
                                  sizeof(Expansion));
    product->expansions[product->expansion_count] = made;
    return (uint32_t)product->expansion_count++;
}

/* Which process owns each action, where each process's actions begin, and which of them are visible. */
void set_actions(Search *search, const uint32_t *owner, const uint32_t *base, const uint64_t *visible) {
    Reduction *reduction = &search->reduction;
    copy(reduction->owner, owner, 4 * (size_t)reduction->actions);
    copy(reduction->base, base, 4 * (size_t)search->product.processes);
    copy(reduction->visible, visible, 8 * (size_t)reduction->words);
}

void set_permutations(Search *search, uint32_t count, const uint32_t *permutation) {
    size_t size = (size_t)count * search->product.processes;
    search->permutations = count;
    search->permutation = more(NULL, size + 1, 4);
    copy(search->permutation, permutation, 4 * size);
}

/* A breadth-first search stores relevant parts, or canonical forms, and not states. */
void breadth_keyed(Search *search) { search->keyed = 1; }

Judge *search_judge(Search *search) { return &search->judge; }

const uint32_t *search_path(Search *search) { return search->path_steps; }

/* The vectors stored, for comparison with the naive search. */
void search_vector(Search *search, uint64_t index, uint32_t *vector) {
    copy(vector, store_vector(&search->store, index), 4 * (size_t)search->store.width);
}
