/* Runs recorded operations from standard input, for sanitizers. A record is: how (1 byte), length of the name (1),
   name, size (4, little endian), bytes. Prints what `harness_run` returns, a line each, and a hash of the result. */

#include <stdio.h>
#include <stdlib.h>

#include "value.h"

int64_t harness_run(gm_worker *w, const char *name, const uint8_t *in, size_t size, int how, uint8_t *out, size_t room);

static uint64_t fnv(const uint8_t *bytes, int64_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int64_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

static bool get(void *to, size_t size) { return fread(to, 1, size, stdin) == size; }

int main(void) {
  enum { ROOM = 1 << 20 };
  gm_heap *h = gm_heap_new((uint64_t)1 << 28);
  gm_worker *w = gm_worker_new(h, 0);
  uint8_t head[2], length[4], *out = malloc(ROOM);
  char name[256];
  while (get(head, 2)) {
    if (!get(name, head[1]) || !get(length, 4)) return 2;
    name[head[1]] = 0;
    size_t size = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16;
    uint8_t *in = malloc(size + !size); /* exactly as large as it is: reading beyond is seen */
    if (!get(in, size)) return 2;
    int64_t result = harness_run(w, name, in, size, head[0], out, ROOM);
    if (result == -GM_FULL && gm_grow(h)) result = harness_run(w, name, in, size, head[0], out, ROOM);
    printf("%lld %llx\n", (long long)result, (unsigned long long)fnv(out, result > ROOM ? ROOM : result));
    free(in);
  }
  gm_worker_free(w);
  gm_heap_free(h);
  free(out);
  return 0;
}
