/* Breadth-first search by several threads, which finds exactly what one finds, in the same order.
 *
 * The states of a level are taken in blocks, and for each block:
 * - all threads expand their part of it, changing nothing that they share; they write down what is not in the store yet;
 * - each thread looks through a part of the hashes, to find what was written down more than once;
 * - one thread numbers what is new, state by state, and sees where the search ends, if it does;
 * - all threads add what they have found, under these numbers.
 * What cannot be told without asking Python is left to one thread, between the first two; after a while, that is hardly
 * anything. */
#include <pthread.h>

#include "memory.h"
#include "team.h"

#define BLOCK 32768u /* states between two meetings */

/* Everybody does their part; this thread is the first. */
static void all(struct Team *team, void *(*part)(void *)) {
    pthread_t threads[team->size];
    int started[team->size];
    for (uint32_t i = 1; i < team->size; i++)
        started[i] = pthread_create(&threads[i], NULL, part, &team->workers[i]) == 0;
    part(&team->workers[0]);
    for (uint32_t i = 1; i < team->size; i++) {
        if (started[i]) pthread_join(threads[i], NULL);
        else part(&team->workers[i]);
    }
}

static const uint32_t *key_at(const Worker *worker, uint64_t i) { return worker->vectors + i * stride(worker->search); }

/* Finding what is new */

static int is_same(const Worker *worker, const Worker *other, const Found *one, const Found *two) {
    size_t size = worker->search->product.width * sizeof(uint32_t);
    const Worker *of_two = &worker->team->workers[worker->team->expanded[two->parent - worker->team->block].worker];
    return one->hash == two->hash &&
           memcmp(key_at(other, (uint64_t)(one - other->found)), key_at(of_two, (uint64_t)(two - of_two->found)), size) == 0;
}

/* Of this worker's part of the hashes, the first of equal ones is new: the one of the first state. */
static void *compare_part(void *given) {
    Worker *worker = given;
    struct Team *team = worker->team;
    uint64_t total = 0, size = 1024;
    for (uint32_t i = 0; i < team->size; i++) total += team->workers[i].count;
    while (size < 2 * total) size *= 2;
    worker->seen = reserve(worker->seen, &worker->seen_capacity, size, sizeof *worker->seen);
    memset(worker->seen, 0, size * sizeof *worker->seen);
    for (uint32_t i = 0; i < team->size; i++) {
        Worker *other = &team->workers[i];
        for (Found *found = other->found; found < other->found + other->count; found++) {
            if ((found->hash >> 20) % team->size != worker->number || found->verdict == FAILING) continue;
            uint64_t at = found->hash & (size - 1);
            while (worker->seen[at] != NULL && !is_same(worker, other, found, worker->seen[at])) at = (at + 1) & (size - 1);
            if (worker->seen[at] != NULL && worker->seen[at]->parent <= found->parent) continue;
            if (worker->seen[at] != NULL) worker->seen[at]->index = AGAIN;
            worker->seen[at] = found;
            found->index = NEW;
        }
    }
    return NULL;
}

/* Numbering */

/* Where a search ends: in which way, at which state, and by which verdict or step. */
typedef struct {
    Outcome outcome;
    uint32_t which, verdict, index, step;
} End;

static End number_found(Search *search, const Expanded *made, uint64_t *count) {
    Found *found = search->team->workers[made->worker].found + made->first;
    for (Found *last = found + made->count; found < last; found++) {
        if (found->verdict == FAILING) return (End){.outcome = PROBLEM, .index = found->parent, .step = found->step};
        if (found->index != NEW) continue;
        if (*count >= search->max_states) return (End){.outcome = LIMIT};
        found->index = (uint32_t)(*count)++;
        if (found->verdict) return (End){VIOLATED, JUDGE_ALWAYS, found->verdict, found->index, 0};
    }
    return (End){.outcome = DONE};
}

static End number_block(Search *search, uint64_t end, uint64_t *count) {
    while (search->next < end) {
        uint32_t index = (uint32_t)search->next;
        const Expanded *made = &search->team->expanded[index - search->team->block];
        if (made->unknown) return (End){.outcome = PAUSED};
        search->next++;
        if (made->failed) return (End){.outcome = FAILED};
        if (made->at_end) return (End){VIOLATED_END, JUDGE_AT_END, made->at_end, index, 0};
        search->report.transitions += made->enabled;
        search->report.cut += made->cut;
        End ended = number_found(search, made, count);
        if (ended.outcome != DONE) return ended;
    }
    return (End){.outcome = DONE};
}

/* Adding */

static void *place_part(void *given) {
    Worker *worker = given;
    Store *store = &worker->search->store;
    uint64_t size = worker->team->placed, team = worker->team->size;
    for (uint64_t i = size * worker->number / team; i < size * (worker->number + 1) / team; i++)
        store_place(store, i, store_hash(store, store_vector(store, i)));
    return NULL;
}

static void *add_part(void *given) {
    Worker *worker = given;
    Search *search = worker->search;
    for (uint64_t i = 0; i < worker->count; i++) {
        const Found *found = &worker->found[i];
        if (found->index >= NEW) continue;
        const uint32_t *key = key_at(worker, i);
        store_write(&search->store, found->index, key);
        store_place(&search->store, found->index, found->hash);
        breadth_set(search, found->index, search->keyed ? key + search->product.width : key, found->parent, found->step);
    }
    return NULL;
}

static void add_all(Search *search, uint64_t count) {
    struct Team *team = search->team;
    team->placed = search->store.count;
    if (store_reserve(&search->store, count)) all(team, place_part);
    breadth_reserve(search, count);
    all(team, add_part);
    search->store.count = count;
}

/* Blocks */

/* A block that is too small to be shared, or the rest of one with a state that the others still do not know. */
static Outcome run_alone(Search *search, uint64_t end) {
    while (search->next < end) {
        Outcome outcome = breadth_expand(search, (uint32_t)search->next++);
        if (outcome != DONE) return outcome;
    }
    return DONE;
}

static void expand_together(Search *search, uint64_t end) {
    struct Team *team = search->team;
    uint64_t size = end - search->next;
    team->block = (uint32_t)search->next;
    for (uint32_t i = 0; i < team->size; i++) {
        team->workers[i].begin = team->block + (uint32_t)(size * i / team->size);
        team->workers[i].end = team->block + (uint32_t)(size * (i + 1) / team->size);
    }
    all(team, team_expand_part);
    team_expand_rest(search, end);
}

static Outcome run_together(Search *search, uint64_t end) {
    uint64_t count = search->store.count;
    expand_together(search, end);
    all(search->team, compare_part);
    End ended = number_block(search, end, &count);
    add_all(search, count);
    if (ended.outcome == PAUSED) return run_alone(search, end);
    if (ended.outcome == PROBLEM) return breadth_problem(search, ended.index, ended.step);
    if (ended.outcome != VIOLATED && ended.outcome != VIOLATED_END) return ended.outcome;
    return breadth_violated(search, ended.which, ended.verdict, ended.index);
}

/* As `breadth_run`. */
Outcome together_run(Search *search, uint64_t visits) {
    while (search->next < search->store.count) {
        if (visits == 0) return PAUSED;
        breadth_next_level(search);
        uint64_t begin = search->next, left = search->level_end - begin;
        uint64_t most = visits < BLOCK ? visits : BLOCK;
        uint64_t end = begin + (left < most ? left : most);
        Outcome outcome = end - begin < search->team->worth_it ? run_alone(search, end) : run_together(search, end);
        if (outcome != DONE) return outcome;
        visits -= end - begin;
    }
    return DONE;
}

void together_begin(Search *search, uint32_t size, uint32_t worth_it) {
    uint32_t width = search->product.width;
    struct Team *team = search->team = calloc(1, sizeof *team);
    team->size = size;
    team->worth_it = worth_it;
    team->workers = more(NULL, size, sizeof(Worker));
    team->expanded = more(NULL, BLOCK, sizeof(Expanded));
    memset(team->workers, 0, size * sizeof(Worker));
    for (uint32_t i = 0; i < size; i++) {
        Worker *worker = &team->workers[i];
        worker->number = i;
        worker->team = team;
        worker->search = search;
        worker->view.candidate = calloc(width, 4);
        worker->view.after = calloc(width, 4);
        worker->view.key = calloc(width, 4);
        worker->view.trial_key = calloc(width, 4);
    }
}

void together_free(struct Team *team) {
    if (team == NULL) return;
    for (uint32_t i = 0; i < team->size; i++) {
        Worker *worker = &team->workers[i];
        free(worker->view.candidate);
        free(worker->view.after);
        free(worker->view.key);
        free(worker->view.trial_key);
        free(worker->found);
        free(worker->vectors);
        free(worker->seen);
    }
    free(team->workers);
    free(team->expanded);
    free(team);
}
