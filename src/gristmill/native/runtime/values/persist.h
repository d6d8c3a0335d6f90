/* Kept values in a file and back, for checkpoints. */

#ifndef GM_PERSIST_H
#define GM_PERSIST_H

#include "value.h"

int gm_put_bytes(int file, const void *bytes, uint64_t count);
int gm_get_bytes(int file, void *bytes, uint64_t count);

/* 0 if it went well. Only while no worker runs. `distance`: how far the values have moved since they were saved. */
int gm_heap_save(const gm_heap *h, int file);
int gm_heap_load(gm_heap *h, int file, uint64_t *distance);
V gm_moved(V v, uint64_t distance);
void gm_worker_new_buffer(gm_worker *w); /* what it was about to fill belongs to loaded values now */

#endif
