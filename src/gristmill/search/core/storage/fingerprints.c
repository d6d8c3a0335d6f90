/* How close two fingerprints came: the odds, seen from behind, that two states had the same one. */

#include <stdlib.h>

#include "table.h"

enum { AT_A_TIME = 1 << 22 };

static uint64_t fingerprint(const gm_core *core, uint64_t number) {
  const uint32_t *key = gm_key_at(core, number);
  return key[0] | (uint64_t)key[1] << 32;
}

static int compare(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static uint64_t least_gap(uint64_t *values, uint64_t count, uint64_t gap) {
  qsort(values, count, sizeof *values, compare);
  for (uint64_t i = 1; i < count; i++)
    if (values[i] - values[i - 1] < gap) gap = values[i] - values[i - 1];
  return gap;
}

/* In passes, each for a range of values: sorting all at once would take as much memory again. Neighbours in different
   ranges are not compared; of so many pairs, the closest is hardly one of these few. */
uint64_t gm_fingerprint_gap(const gm_core *core) {
  uint32_t bits = 0;
  while (core->count >> bits > AT_A_TIME / 2) bits++;
  uint64_t capacity = core->count < AT_A_TIME ? core->count : AT_A_TIME, gap = 0;
  uint64_t *values = core->limits.fingerprints_only ? malloc((capacity + 1) * sizeof *values) : NULL;
  if (!values) return 0;
  gap = UINT64_MAX;
  for (uint64_t part = 0; part < UINT64_C(1) << bits; part++) {
    uint64_t count = 0;
    for (uint64_t number = 0; number < core->count && count < capacity; number++) {
      uint64_t value = fingerprint(core, number);
      if (bits == 0 || value >> (64 - bits) == part) values[count++] = value;
    }
    gap = least_gap(values, count, gap);
  }
  free(values);
  return gap;
}
