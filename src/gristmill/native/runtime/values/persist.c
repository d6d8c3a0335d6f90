/* Kept values in a file and back. They hold addresses, so what is read at another place is adjusted. */

#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memo.h"
#include "persist.h"

typedef struct header {
  uint64_t base, used, mask, count, empty_set, empty_sequence, booleans;
} header;

int gm_put_bytes(int file, const void *bytes, uint64_t count) {
  const char *at = bytes;
  while (count > 0) {
    ssize_t done = write(file, at, count < (1u << 30) ? count : (1u << 30));
    if (done <= 0) return -1;
    at += done, count -= (uint64_t)done;
  }
  return 0;
}

int gm_get_bytes(int file, void *bytes, uint64_t count) {
  char *at = bytes;
  while (count > 0) {
    ssize_t done = read(file, at, count < (1u << 30) ? count : (1u << 30));
    if (done <= 0) return -1;
    at += done, count -= (uint64_t)done;
  }
  return 0;
}

static int save_types(const gm_types *types, int file) {
  uint64_t size = types ? types->size : 0;
  if (gm_put_bytes(file, &size, sizeof size) != 0) return -1;
  return types ? gm_put_bytes(file, (const void *)types->of, size * sizeof *types->of) : 0;
}

static int load_types(gm_heap *h, int file) {
  uint64_t size;
  if (gm_get_bytes(file, &size, sizeof size) != 0) return -1;
  for (uint64_t i = 0; i < size; i++) {
    uint32_t type;
    if (gm_get_bytes(file, &type, sizeof type) != 0) return -1;
    if (type) gm_set_model_value_type(h, i, type);
  }
  return 0;
}

int gm_heap_save(const gm_heap *h, int file) {
  header own = {(uint64_t)(uintptr_t)h->base, atomic_load(&h->used), h->mask, atomic_load(&h->count),
                h->empty_set, h->empty_sequence, h->booleans};
  if (own.used > h->reserved) return -1;
  if (gm_put_bytes(file, &own, sizeof own) != 0 || gm_put_bytes(file, h->base, own.used) != 0) return -1;
  if (gm_put_bytes(file, (const void *)h->table, (h->mask + 1) * sizeof *h->table) != 0) return -1;
  return save_types(atomic_load(&h->types), file);
}

V gm_moved(V v, uint64_t distance) { return gm_is_object(v) && v ? v + distance : v; }

static void adjust(gm_heap *h, uint64_t distance) {
  for (uint64_t i = 0; i <= h->mask; i++) {
    uint64_t slot = atomic_load_explicit(&h->table[i], memory_order_relaxed);
    if (!slot) continue;
    gm_object *o = (gm_object *)(void *)(h->base + ((slot & UINT32_MAX) << 4));
    o->recipe = 0; /* shapes had other numbers */
    for (uint32_t k = 0; k < o->size; k++) o->items[k] = gm_moved(o->items[k], distance);
  }
}

int gm_heap_load(gm_heap *h, int file, uint64_t *distance) {
  header own;
  if (gm_get_bytes(file, &own, sizeof own) != 0 || own.used > h->reserved || (own.mask & (own.mask + 1))) return -1;
  if (own.count > own.mask) return -1;
  uint64_t bytes = (own.mask + 1) * sizeof *h->table;
  void *table = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (table == MAP_FAILED) return -1;
  if (gm_get_bytes(file, h->base, own.used) != 0 || gm_get_bytes(file, table, bytes) != 0 || load_types(h, file) != 0) {
    munmap(table, (size_t)bytes);
    return -1;
  }
  munmap((void *)h->table, (size_t)((h->mask + 1) * sizeof *h->table));
  h->table = table;
  h->mask = own.mask;
  atomic_store(&h->used, own.used);
  atomic_store(&h->count, own.count);
  *distance = (uint64_t)(uintptr_t)h->base - own.base;
  adjust(h, *distance);
  h->empty_set = gm_moved(own.empty_set, *distance);
  h->empty_sequence = gm_moved(own.empty_sequence, *distance);
  h->booleans = gm_moved(own.booleans, *distance);
  return 0;
}

void gm_worker_new_buffer(gm_worker *w) {
  gm_private *p = w->private_data;
  p->keep_top = p->keep_end = NULL;
}
