#include "map.h"

#include "memory.h"

static void allocate(Map *map, uint64_t places) {
    map->keys = more(NULL, places, sizeof *map->keys);
    map->values = more(NULL, places, sizeof *map->values);
    memset(map->values, 0xff, places * sizeof *map->values);
    map->mask = places - 1;
    map->count = 0;
}

void map_init(Map *map) { allocate(map, 1024); }

void map_free(Map *map) {
    free(map->keys);
    free(map->values);
}

static uint64_t place_of(const Map *map, uint64_t key) {
    uint64_t place = mix(key) & map->mask;
    while (map->values[place] != ABSENT && map->keys[place] != key) place = (place + 1) & map->mask;
    return place;
}

uint32_t map_get(const Map *map, uint32_t first, uint32_t second) {
    return map->values[place_of(map, (uint64_t)first << 32 | second)];
}

static void grow(Map *map) {
    Map old = *map;
    allocate(map, (old.mask + 1) * 2);
    map->count = old.count;
    for (uint64_t i = 0; i <= old.mask; i++) {
        if (old.values[i] == ABSENT) continue;
        uint64_t place = place_of(map, old.keys[i]);
        map->keys[place] = old.keys[i];
        map->values[place] = old.values[i];
    }
    map_free(&old);
}

void map_put(Map *map, uint32_t first, uint32_t second, uint32_t value) {
    if ((map->count + 1) * 2 > map->mask + 1) grow(map);
    uint64_t key = (uint64_t)first << 32 | second, place = place_of(map, key);
    if (map->values[place] == ABSENT) map->count++;
    map->keys[place] = key;
    map->values[place] = value;
}
