/* What follows from the states of a block, without changing anything that threads share. */
#include "memory.h"
#include "team.h"

static void no_number(uint32_t a, uint32_t b, uint32_t c, uint32_t *answer) { (void)a, (void)b, (void)c, (void)answer; }

static void no_value(uint32_t a, uint32_t b, uint32_t *answer) { (void)a, (void)b, (void)answer; }

static void no_verdict(uint32_t which, const uint32_t *state, uint32_t *answer) { (void)which, (void)state, (void)answer; }

static const Callbacks nothing = {no_number, no_number, no_value, no_verdict, no_value};

/* Looks at the search as it is now. */
static void look(Worker *worker) {
    Search own = worker->view;
    worker->view = *worker->search;
    worker->view.product.ask = nothing;
    worker->view.candidate = own.candidate;
    worker->view.after = own.after;
    worker->view.key = own.key;
    worker->view.trial_key = own.trial_key;
}

static void note(Worker *worker, const uint32_t *key, Found found) {
    Search *view = &worker->view;
    uint64_t wide = stride(view), at = worker->count++, width = view->product.width;
    worker->found = reserve(worker->found, &worker->found_capacity, at + 1, sizeof(Found));
    worker->vectors = reserve(worker->vectors, &worker->vectors_capacity, (at + 1) * wide, 4);
    worker->found[at] = found;
    worker->team->expanded[found.parent - worker->team->block].ends |= found.verdict != 0;
    memcpy(worker->vectors + at * wide, key, width * 4);
    if (view->keyed) memcpy(worker->vectors + at * wide + width, view->after, width * 4);
}

/* Fires a step; 0 if it cannot be told what comes of it. */
static int follow(Worker *worker, uint32_t index, uint32_t number) {
    Search *view = &worker->view;
    if (!product_fire(&view->product, view->candidate, &view->product.steps[number], view->after)) return 0;
    const uint32_t *key = view->keyed ? view->key : view->after;
    if (view->keyed && !key_of(view, view->after, view->key)) return 0;
    uint64_t hash = store_hash(&view->store, key);
    if (store_find(&view->store, key, hash) != NOT_FOUND) return 1;
    uint32_t verdict = judge_state(&view->judge, &view->product, JUDGE_ALWAYS, view->after);
    if (verdict == ABSENT) return 0;
    note(worker, key, (Found){hash, number, verdict, AGAIN, index});
    return 1;
}

/* Fires all steps of a state, up to one in which a handler fails. */
static int follow_all(Worker *worker, uint32_t index) {
    Search *view = &worker->view;
    for (uint32_t process = 0; process < view->product.width; process++) {
        const Expansion *expansion = product_expand(&view->product, view->candidate, process);
        for (uint32_t i = expansion->first; i < expansion->first + expansion->count; i++) {
            if (view->product.steps[i].flags & STEP_PROBLEM) {
                note(worker, view->candidate, (Found){0, i, FAILING, AGAIN, index});
                return 1;
            }
            if (!follow(worker, index, i)) return 0;
        }
    }
    return 1;
}

/* What follows from a state, as far as is known; 0 if that is not all. */
static int expand(Worker *worker, uint32_t index, Expanded *made) {
    Search *view = &worker->view;
    uint32_t lively = 0;
    memcpy(view->candidate, breadth_state(view, index), view->product.width * 4);
    for (uint32_t process = 0; process < view->product.width; process++) {
        const Expansion *expansion = product_expand(&view->product, view->candidate, process);
        if (expansion == NULL) return 0;
        made->enabled += expansion->count;
        lively += expansion->lively;
    }
    if (lively == 0) made->at_end = judge_state(&view->judge, &view->product, JUDGE_AT_END, view->candidate);
    if (made->at_end == ABSENT) return 0;
    made->ends = made->at_end != 0;
    made->cut = made->enabled > 0 && view->report.depth >= view->max_depth;
    return made->enabled == 0 || made->cut || follow_all(worker, index);
}

static Expanded *expand_one(Worker *worker, uint32_t index) {
    Expanded *made = &worker->team->expanded[index - worker->team->block];
    *made = (Expanded){.first = worker->count, .worker = worker->number};
    if (!expand(worker, index, made)) {
        worker->count = made->first;
        *made = (Expanded){.first = worker->count, .worker = worker->number, .unknown = 1};
    }
    made->count = (uint32_t)(worker->count - made->first);
    return made;
}

void *team_expand_part(void *given) {
    Worker *worker = given;
    look(worker);
    worker->count = 0;
    for (uint32_t index = worker->begin; index < worker->end; index++) expand_one(worker, index);
    return NULL;
}

/* Asks the properties; a second time, to have what was asked the first time looked up, and so known. */
static uint32_t ask_judge(Search *search, uint32_t which, const uint32_t *state) {
    uint32_t verdict = judge_state(&search->judge, &search->product, which, state);
    return verdict == ABSENT ? ABSENT : judge_state(&search->judge, &search->product, which, state);
}

/* Asks for whatever `expand` did not know of a state; 0 if a callback failed. */
static int ask(Search *search, uint32_t index) {
    Product *product = &search->product;
    uint32_t lively = 0;
    memcpy(search->candidate, breadth_state(search, index), product->width * 4);
    for (uint32_t process = 0; process < product->width; process++) {
        const Expansion *expansion = product_expand(product, search->candidate, process);
        if (expansion == NULL) return 0;
        lively += expansion->lively;
    }
    if (lively == 0) {
        uint32_t verdict = ask_judge(search, JUDGE_AT_END, search->candidate);
        if (verdict != 0) return verdict != ABSENT;
    }
    if (search->report.depth >= search->max_depth) return 1;
    for (uint32_t process = 0; process < product->width; process++) {
        const Expansion *expansion = product_expand(product, search->candidate, process);
        uint32_t first = expansion->first, count = expansion->count;
        for (uint32_t i = first; i < first + count; i++) {
            if (product->steps[i].flags & STEP_PROBLEM) return 1;
            if (!product_fire(product, search->candidate, &product->steps[i], search->after)) return 0;
            if (!key_of(search, search->after, search->key)) return 0;
            uint64_t hash = store_hash(&search->store, search->key);
            if (store_find(&search->store, search->key, hash) != NOT_FOUND) continue;
            uint32_t verdict = ask_judge(search, JUDGE_ALWAYS, search->after);
            if (verdict != 0) return verdict != ABSENT;
        }
    }
    return 1;
}

/* Up to a state at which the search ends: one thread would not have gone further, either. */
void team_expand_rest(Search *search, uint64_t end) {
    struct Team *team = search->team;
    Worker *worker = &team->workers[0];
    for (uint32_t index = team->block; index < end; index++) {
        Expanded *made = &team->expanded[index - team->block];
        if (made->unknown && !ask(search, index)) {
            *made = (Expanded){.failed = 1};
            return;
        }
        if (made->unknown) {
            look(worker);
            made = expand_one(worker, index);
        }
        if (made->ends || made->unknown) return;
    }
}
