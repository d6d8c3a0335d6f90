/* The headers of HTTP/2, decoded (RFC 7541), one direction of a connection: as gristmill/systems/decoders/hpack.py does
   it. Whatever is not as usual is left to Python. */

#ifndef LISTENING_HPACK_H
#define LISTENING_HPACK_H

#include "inside.h"

enum { HPACK_MOST = 4096, HPACK_ENTRIES = HPACK_MOST / 32 };

/* What was said before, the newest last. Plain memory: it is put back by a copy. */
typedef struct hpack {
  struct {
    uint32_t at, name, value; /* where its bytes are, and how many */
  } entries[HPACK_ENTRIES];
  uint32_t count, size, limit, used; /* entries; bytes as they are counted; bytes that are in use */
  uint8_t bytes[2 * HPACK_MOST];
} hpack;

/* The last value of a header in a block; false if the block is not as usual. What `found` refers to is in the block, in the
   table, or in `scratch`. */
bool hpack_read(const listener *l, hpack *h, span block, const char *wanted, span *found, bytes *scratch);
bool hpack_add(hpack *h, span name, span value);

#endif
