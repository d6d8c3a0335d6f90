/* A set of vectors of 32-bit numbers, all of one width, each with an index and a mark. Exact: vectors are compared whole.
 *
 * A vector costs 4 bytes a number, and 5 to 11 bytes for the table that finds it. */
#ifndef EXPLORE_STORE_H
#define EXPLORE_STORE_H
#include <stdint.h>

typedef struct {
    uint32_t width;
    uint64_t count, mask, chunks;
    uint32_t **chunk;  /* vectors, in pieces, so that growing moves nothing */
    uint32_t bits;     /* there are 2^bits places */
    uint32_t *places;  /* index + 1 of a vector, 0 where there is none; above its `bits` bits, part of the hash */
    uint8_t *marks;    /* one bit a vector: on the path of the search */
    uint64_t marks_capacity;
} Store;

#define NOT_FOUND UINT64_MAX

void store_init(Store *store, uint32_t width);
void store_free(Store *store);
uint64_t store_find(const Store *store, const uint32_t *vector, uint64_t hash);
uint64_t store_add(Store *store, const uint32_t *vector, uint64_t hash); /* one that is not in it */
uint64_t store_hash(const Store *store, const uint32_t *vector);
const uint32_t *store_vector(const Store *store, uint64_t index);
/* Adding by several threads: one makes room for so many vectors (1: then all those that are in it must be placed again);
 * each then writes vectors, and places them, under indices of its own. */
int store_reserve(Store *store, uint64_t count);
void store_write(Store *store, uint64_t index, const uint32_t *vector);
void store_place(Store *store, uint64_t index, uint64_t hash);
void store_mark(Store *store, uint64_t index, int on);
int store_marked(const Store *store, uint64_t index);
uint64_t store_bytes(const Store *store);
#endif
