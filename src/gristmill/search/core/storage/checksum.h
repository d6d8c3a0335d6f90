/* A checksum of an array that grows: what was added to it is all that must be looked at.

   It is a sum, over words of 64 bits, of a number that depends on the word and its place. For each place that is a
   bijection of the word, so a change of one word is always noticed, and any other damage but once in 2^64. */

#ifndef GM_CHECKSUM_H
#define GM_CHECKSUM_H

#include <stdint.h>

typedef struct gm_checksum {
  uint64_t sum, words; /* of the whole words so far */
} gm_checksum;

/* Go on to the byte `end` of an array of which `sum` has seen a part. */
void gm_checksum_extend(gm_checksum *sum, const unsigned char *base, uint64_t end);
/* Of the first `end` bytes, up to which it was extended. */
uint64_t gm_checksum_value(const gm_checksum *sum, const unsigned char *base, uint64_t end);

#endif
