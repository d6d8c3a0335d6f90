#include "checksum.h"

#include <string.h>

enum { WORD = 8 };

static inline uint64_t mixed(uint64_t word, uint64_t place) {
  uint64_t hash = (word ^ (place + 1) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
  hash = (hash ^ hash >> 32) * 0xc4ceb9fe1a85ec53u;
  return hash ^ hash >> 29;
}

void gm_checksum_extend(gm_checksum *sum, const unsigned char *base, uint64_t end) {
  uint64_t total = sum->sum, place = sum->words, words = end / WORD, word;
  for (; place < words; place++) {
    memcpy(&word, base + place * WORD, WORD);
    total += mixed(word, place);
  }
  *sum = (gm_checksum){total, place};
}

uint64_t gm_checksum_value(const gm_checksum *sum, const unsigned char *base, uint64_t end) {
  uint64_t last = 0;
  if (end % WORD) memcpy(&last, base + sum->words * WORD, end % WORD);
  return mixed(sum->sum + mixed(last, sum->words), ~end);
}
