#include "store.h"

#include "memory.h"

#define CHUNK_BITS 16
#define CHUNK_SIZE (1u << CHUNK_BITS)

void store_init(Store *store, uint32_t width) {
    memset(store, 0, sizeof *store);
    store->width = width;
    store->bits = 12;
    store->mask = 4095;
    store->places = calloc(store->mask + 1, sizeof *store->places);
}

/* What a place holds for a vector. An index + 1 has at most `bits` bits, as the table is never full; the others save
 * looking at most vectors that are not the one looked for. */
static uint32_t entry(const Store *store, uint64_t index, uint64_t hash) {
    uint64_t tag = (hash >> 32) << store->bits;
    return (uint32_t)(tag | (index + 1));
}

static uint64_t index_of(const Store *store, uint32_t found) { return (found & store->mask) - 1; }

static void place(Store *store, uint64_t index, uint64_t hash) {
    uint64_t at = hash & store->mask;
    while (store->places[at] != 0) at = (at + 1) & store->mask;
    store->places[at] = entry(store, index, hash);
}

void store_place(Store *store, uint64_t index, uint64_t hash) {
    uint32_t made = entry(store, index, hash);
    for (uint64_t at = hash & store->mask;; at = (at + 1) & store->mask) {
        uint32_t empty = 0;
        if (__atomic_compare_exchange_n(&store->places[at], &empty, made, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    }
}

void store_free(Store *store) {
    for (uint64_t i = 0; i < store->chunks; i++) free(store->chunk[i]);
    free(store->chunk);
    free(store->places);
    free(store->marks);
}

const uint32_t *store_vector(const Store *store, uint64_t index) {
    return store->chunk[index >> CHUNK_BITS] + (index & (CHUNK_SIZE - 1)) * store->width;
}

uint64_t store_hash(const Store *store, const uint32_t *vector) {
    uint64_t hash = 0x9e3779b97f4a7c15ULL;
    for (uint32_t i = 0; i < store->width; i++) hash = (hash ^ vector[i]) * 0xff51afd7ed558ccdULL + (hash >> 29);
    return mix(hash);
}

uint64_t store_find(const Store *store, const uint32_t *vector, uint64_t hash) {
    uint32_t tag = entry(store, UINT64_MAX, hash) & (uint32_t)~store->mask;
    for (uint64_t at = hash & store->mask;; at = (at + 1) & store->mask) {
        uint32_t found = store->places[at];
        if (found == 0) return NOT_FOUND;
        if ((found & (uint32_t)~store->mask) != tag) continue;
        uint64_t index = index_of(store, found);
        if (memcmp(store_vector(store, index), vector, store->width * sizeof *vector) == 0) return index;
    }
}

static int is_full(const Store *store, uint64_t count) { return count * 4 > (store->mask + 1) * 3; }

static void double_table(Store *store) {
    free(store->places);
    store->bits++;
    store->mask = store->mask * 2 + 1;
    store->places = calloc(store->mask + 1, sizeof *store->places);
    if (store->places == NULL) more(NULL, SIZE_MAX / 2, 1);
}

static void grow(Store *store) {
    double_table(store);
    for (uint64_t index = 0; index < store->count; index++)
        place(store, index, store_hash(store, store_vector(store, index)));
}

static void add_chunk(Store *store) {
    store->chunk = more(store->chunk, store->chunks + 1, sizeof *store->chunk);
    store->chunk[store->chunks] = more(NULL, (size_t)CHUNK_SIZE * store->width, sizeof(uint32_t));
    store->marks = more(store->marks, (store->chunks + 1) * CHUNK_SIZE / 8, 1);
    memset(store->marks + store->chunks * CHUNK_SIZE / 8, 0, CHUNK_SIZE / 8);
    store->marks_capacity = ++store->chunks * CHUNK_SIZE / 8;
}

void store_write(Store *store, uint64_t index, const uint32_t *vector) {
    memcpy((uint32_t *)store_vector(store, index), vector, store->width * sizeof *vector);
}

uint64_t store_add(Store *store, const uint32_t *vector, uint64_t hash) {
    if (is_full(store, store->count + 1)) grow(store);
    uint64_t index = store->count++;
    if (index >> CHUNK_BITS >= store->chunks) add_chunk(store);
    store_write(store, index, vector);
    place(store, index, hash);
    return index;
}

int store_reserve(Store *store, uint64_t count) {
    while (count > store->chunks << CHUNK_BITS) add_chunk(store);
    int grown = 0;
    for (; is_full(store, count); grown = 1) double_table(store);
    return grown;
}

void store_mark(Store *store, uint64_t index, int on) {
    uint8_t bit = (uint8_t)(1u << (index & 7));
    if (on) store->marks[index >> 3] |= bit;
    else store->marks[index >> 3] &= (uint8_t)~bit;
}

int store_marked(const Store *store, uint64_t index) { return store->marks[index >> 3] >> (index & 7) & 1; }

uint64_t store_bytes(const Store *store) {
    uint64_t vectors = store->chunks * CHUNK_SIZE * store->width * sizeof(uint32_t);
    return vectors + (store->mask + 1) * sizeof *store->places + store->marks_capacity + store->chunks * sizeof(void *);
}
