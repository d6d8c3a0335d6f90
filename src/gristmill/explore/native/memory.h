/* Growing arrays. Running out of memory ends the process: there is nothing sensible left to do in the middle of a
 * search, and the bound on states is there to keep it from happening. */
#ifndef EXPLORE_MEMORY_H
#define EXPLORE_MEMORY_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *more(void *old, size_t count, size_t size) {
    void *made = realloc(old, count * size);
    if (made == NULL && count != 0) {
        fprintf(stderr, "gristmill explore: out of memory; --states N bounds a search\n");
        exit(1);
    }
    return made;
}

/* Make room for `wanted` elements; the capacity grows by half, so that little of it lies idle. */
static inline void *reserve(void *old, uint64_t *capacity, uint64_t wanted, size_t size) {
    if (wanted <= *capacity) return old;
    uint64_t grown = *capacity + *capacity / 2 + 64;
    *capacity = grown < wanted ? wanted : grown;
    return more(old, *capacity, size);
}

/* memcpy that may be given nothing. */
static inline void copy(void *to, const void *from, size_t bytes) {
    if (bytes != 0) memcpy(to, from, bytes);
}

static inline uint64_t mix(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}
#endif
