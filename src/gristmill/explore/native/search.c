#include "search.h"

#include "memory.h"

typedef enum { KNOWN, ENTERED, FIRED, STOPPED } Visit;

/* What is stored of a state: the relevant part of each cell; the least vector that a permutation makes of it. */
int key_of(Search *search, const uint32_t *state, uint32_t *key) {
    Product *product = &search->product;
    uint32_t n = product->processes;
    for (uint32_t i = 0; i < n; i++) key[i] = product->relevant[state[i]];
    if (product->width > n) key[n] = state[n];
    if (search->permutations == 0) return 1;
    uint32_t plain[n], *trial = search->trial_key;
    memcpy(plain, key, n * sizeof *key);
    for (uint32_t p = 0; p < search->permutations; p++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t moved = map_get(&search->permuted, p, plain[i]);
            if (moved == ABSENT) {
                product->ask.permute(p, plain[i], &moved);
                if (moved == ABSENT) return 0;
                map_put(&search->permuted, p, plain[i], moved);
            }
            trial[search->permutation[p * n + i]] = moved;
        }
        for (uint32_t i = 0; i < n; i++) {
            if (trial[i] == key[i]) continue;
            if (trial[i] < key[i]) memcpy(key, trial, n * sizeof *key);
            break;
        }
    }
    return 1;
}

static void shorten_path(Search *search, uint64_t length) {
    while (search->path_length > length) {
        search->path_length--;
        if (!search->stateless) store_mark(&search->store, search->path_states[search->path_length], 0);
    }
}

static void lengthen_path(Search *search, uint32_t step, uint64_t index) {
    uint64_t length = search->path_length;
    search->path_steps = reserve(search->path_steps, &search->path_capacity, length + 1, sizeof(uint32_t));
    search->path_states = reserve(search->path_states, &search->path_states_capacity, length + 1, sizeof(uint64_t));
    search->path_steps[length] = step;
    search->path_states[length] = index;
    search->path_length++;
    if (!search->stateless) store_mark(&search->store, index, 1);
}

/* Whether a step is among those to be fired. The network's own steps are never left out. */
static int is_chosen(const uint64_t *chosen, uint32_t all, const Step *step) {
    return all || set_has(chosen, step->action);
}

/* The cycle proviso: whether a chosen step leads back to the path. -1 if a callback failed. */
static int closes_cycle(Search *search, const uint32_t *state, const uint64_t *chosen) {
    Product *product = &search->product;
    for (uint32_t process = 0; process < product->processes; process++) {
        for (uint32_t i = 0; i < search->at[process]->count; i++) {
            const Step *step = &product->steps[search->at[process]->first + i];
            if (!is_chosen(chosen, 0, step)) continue;
            if (!product_fire(product, state, step, search->after) || !key_of(search, search->after, search->key))
                return -1;
            uint64_t hash = store_hash(&search->store, search->key);
            uint64_t index = store_find(&search->store, search->key, hash);
            if (index != NOT_FOUND && store_marked(&search->store, index)) return 1;
        }
    }
    return 0;
}

/* Selects the steps to fire; how many there are, ABSENT if a callback failed. */
static uint32_t choose(Search *search, const uint32_t *state, uint32_t enabled, uint32_t *all) {
    Product *product = &search->product;
    *all = 1;
    if (!search->reduce) return enabled;
    for (uint32_t process = 0; process < product->width; process++)
        if (!search->at[process]->reducible) return enabled;
    uint32_t count = reduction_choose(&search->reduction, product, search->at, search->chosen);
    if (count >= enabled) return enabled;
    int cycle = closes_cycle(search, state, search->chosen);
    if (cycle < 0) return ABSENT;
    if (cycle) return enabled;
    *all = 0;
    search->report.left_out += enabled - count;
    return count;
}

static void push(Search *search, const uint32_t *state, uint32_t all) {
    uint64_t at = search->frame_count, width = search->product.width, words = search->reduction.words;
    search->frames = reserve(search->frames, &search->frame_capacity, at + 1, sizeof(Frame));
    search->frame_states = reserve(search->frame_states, &search->frame_states_capacity, (at + 1) * width, 4);
    search->frames[at] = (Frame){0, 0, all, search->path_length};
    memcpy(search->frame_states + at * width, state, width * 4);
    if (search->reduce) {
        search->frame_chosen = reserve(search->frame_chosen, &search->frame_chosen_capacity, (at + 1) * words, 8);
        memcpy(search->frame_chosen + at * words, search->chosen, words * 8);
    }
    search->frame_count++;
    search->report.pushes++;
}

/* The next step to fire of a frame; moves its cursor past it. */
static const Step *next_step(Search *search, Frame *frame, const uint32_t *state, const uint64_t *chosen) {
    Product *product = &search->product;
    for (; frame->process < product->width; frame->process++, frame->step = 0) {
        const Expansion *expansion = product_expand(product, state, frame->process);
        while (frame->step < expansion->count) {
            const Step *step = &product->steps[expansion->first + frame->step++];
            if (is_chosen(chosen, frame->all, step)) return step;
        }
    }
    return NULL;
}

/* Makes the candidate of what a step leads to. */
static Visit fire(Search *search, const uint32_t *state, const Step *step, Outcome *why) {
    search->candidate_step = (uint32_t)(step - search->product.steps);
    search->report.transitions++;
    if (step->flags & STEP_PROBLEM) {
        *why = PROBLEM;
        lengthen_path(search, search->candidate_step, 0);
        return STOPPED;
    }
    if (!product_fire(&search->product, state, step, search->after)) {
        *why = FAILED;
        return STOPPED;
    }
    memcpy(search->candidate, search->after, search->product.width * 4);
    search->has_candidate = 1;
    return FIRED;
}

static Visit stop(Outcome *why, Outcome reason) {
    *why = reason;
    return STOPPED;
}

/* Expand the candidate for all processes; how many steps it has, and how many are no faults. */
static int expand_all(Search *search, uint32_t *enabled, uint32_t *lively) {
    Product *product = &search->product;
    *enabled = *lively = 0;
    for (uint32_t process = 0; process < product->width; process++)
        if (product_expand(product, search->candidate, process) == NULL) return 0;
    /* Only now, as expanding one may have moved the others. */
    for (uint32_t process = 0; process < product->width; process++) {
        search->at[process] = product_expand(product, search->candidate, process);
        *enabled += search->at[process]->count;
        *lively += search->at[process]->lively;
    }
    return 1;
}

/* Puts the candidate on the path, and into the store, if it is new there. */
static Visit enter(Search *search, Outcome *why) {
    search->has_candidate = 0;
    if (search->stateless) {
        if (search->visited >= search->max_states) return stop(why, LIMIT);
        search->visited++;
        lengthen_path(search, search->candidate_step, 0);
        return ENTERED;
    }
    if (!key_of(search, search->candidate, search->key)) return stop(why, FAILED);
    uint64_t hash = store_hash(&search->store, search->key);
    if (store_find(&search->store, search->key, hash) != NOT_FOUND) return KNOWN;
    if (search->store.count >= search->max_states) return stop(why, LIMIT);
    lengthen_path(search, search->candidate_step, store_add(&search->store, search->key, hash));
    return ENTERED;
}

static Visit visit(Search *search, Outcome *why) {
    Visit entered = enter(search, why);
    if (entered != ENTERED) return entered;
    search->report.verdict = judge_state(&search->judge, &search->product, JUDGE_ALWAYS, search->candidate);
    if (search->report.verdict == ABSENT) return stop(why, FAILED);
    if (search->report.verdict) return stop(why, VIOLATED);
    uint32_t enabled, lively, all;
    if (!expand_all(search, &enabled, &lively)) return stop(why, FAILED);
    if (lively == 0) {
        search->report.verdict = judge_state(&search->judge, &search->product, JUDGE_AT_END, search->candidate);
        if (search->report.verdict == ABSENT) return stop(why, FAILED);
        if (search->report.verdict) return stop(why, VIOLATED_END);
    }
    if (enabled == 0) {
        if (search->path_length > search->report.depth) search->report.depth = search->path_length;
        return KNOWN;
    }
    if (search->path_length > search->report.depth) search->report.depth = search->path_length;
    if (search->path_length >= search->max_depth) {
        search->report.cut++;
        return KNOWN;
    }
    uint32_t count = choose(search, search->candidate, enabled, &all);
    if (count == ABSENT) return stop(why, FAILED);
    if (!search->selective_push || count > 1) {
        push(search, search->candidate, all);
        return ENTERED;
    }
    Frame single = {0, 0, all, 0};
    return fire(search, search->candidate, next_step(search, &single, search->candidate, search->chosen), why);
}

static Visit backtrack(Search *search, Outcome *why) {
    while (search->frame_count > 0) {
        uint64_t top = search->frame_count - 1;
        Frame *frame = &search->frames[top];
        const uint32_t *state = search->frame_states + top * search->product.width;
        shorten_path(search, frame->depth);
        const uint64_t *chosen = search->reduce ? search->frame_chosen + top * search->reduction.words : NULL;
        const Step *step = next_step(search, frame, state, chosen);
        if (step != NULL) return fire(search, state, step, why);
        search->frame_count--;
    }
    shorten_path(search, 0);
    return KNOWN;
}

/* From an initial state, which `search_begin` gave, or from where it was paused. At most `visits` states are looked at. */
Outcome search_run(Search *search, uint64_t visits) {
    Outcome why = DONE;
    for (;;) {
        if (search->has_candidate) {
            if (visits-- == 0) return PAUSED;
            if (visit(search, &why) == STOPPED) return why;
        } else if (backtrack(search, &why) == STOPPED) {
            return why;
        } else if (!search->has_candidate) {
            return DONE;
        }
    }
}

void search_begin(Search *search, const uint32_t *state, uint32_t step) {
    memcpy(search->candidate, state, search->product.width * 4);
    search->candidate_step = step;
    search->has_candidate = 1;
}

Search *search_new(uint32_t processes, uint32_t with_spare, uint32_t actions, const Callbacks *ask) {
    Search *search = calloc(1, sizeof *search);
    product_init(&search->product, processes, with_spare, *ask);
    judge_init(&search->judge);
    reduction_init(&search->reduction, processes, actions);
    map_init(&search->permuted);
    uint32_t width = search->product.width;
    store_init(&search->store, width);
    search->candidate = calloc(width, 4);
    search->after = calloc(width, 4);
    search->key = calloc(width, 4);
    search->trial_key = calloc(width, 4);
    search->at = calloc(width, sizeof *search->at);
    search->chosen = calloc(search->reduction.words, 8);
    search->max_states = UINT32_MAX - 1;
    search->max_depth = UINT64_MAX;
    return search;
}

void search_free(Search *search) {
    product_free(&search->product);
    judge_free(&search->judge);
    reduction_free(&search->reduction);
    map_free(&search->permuted);
    store_free(&search->store);
    free(search->candidate);
    free(search->after);
    free(search->key);
    free(search->trial_key);
    free(search->at);
    free(search->chosen);
    free(search->permutation);
    free(search->frames);
    free(search->frame_states);
    free(search->frame_chosen);
    free(search->path_steps);
    free(search->path_states);
    free(search->parents);
    free(search->reached_by);
    free(search->level[0]);
    free(search->level[1]);
    together_free(search->team);
    free(search);
}

const Report *search_report(Search *search) {
    search->report.states = search->stateless ? search->visited : search->store.count;
    search->report.bytes = store_bytes(&search->store) + 4 * (search->parents_capacity + search->reached_by_capacity) +
                           4 * (search->level_capacity[0] + search->level_capacity[1]);
    search->report.path_length = search->path_length;
    return &search->report;
}
