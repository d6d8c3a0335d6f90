/* Hashes and comparison of word vectors. */

#ifndef GM_HASH_H
#define GM_HASH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Each step is a bijection of what went before, so vectors that differ in one place only never collide. The same in
   every process: fingerprints are kept in checkpoints. */
static inline uint64_t gm_hash(const uint32_t *words, uint32_t count) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ count, two;
  uint32_t i = 0;
  for (; i + 2 <= count; i += 2) {
    memcpy(&two, words + i, 8);
    hash = (hash ^ two) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  if (i < count) {
    hash = (hash ^ words[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  hash *= 0xc4ceb9fe1a85ec53u;
  hash ^= hash >> 29;
  hash *= 0x94d049bb133111ebu;
  return hash ^ (hash >> 32);
}

static inline bool gm_same(const uint32_t *a, const uint32_t *b, uint32_t count) {
  uint32_t i = 0;
  for (; i + 2 <= count; i += 2) {
    uint64_t x, y;
    memcpy(&x, a + i, 8);
    memcpy(&y, b + i, 8);
    if (x != y) return false;
  }
  return i == count || a[i] == b[i];
}

#endif
