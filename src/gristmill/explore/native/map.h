/* A map from pairs of 32-bit numbers to numbers: what was computed once for (cell, message) and the like. */
#ifndef EXPLORE_MAP_H
#define EXPLORE_MAP_H
#include <stdint.h>

#define ABSENT UINT32_MAX /* also the answer of callbacks that fail */

typedef struct {
    uint64_t *keys;
    uint32_t *values; /* ABSENT in empty places */
    uint64_t mask, count;
} Map;

void map_init(Map *map);
void map_free(Map *map);
uint32_t map_get(const Map *map, uint32_t first, uint32_t second);
void map_put(Map *map, uint32_t first, uint32_t second, uint32_t value);
#endif
