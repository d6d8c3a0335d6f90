/* The memory of kept values, of workers, and how a computation stops. */

#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#define _DARWIN_C_SOURCE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memo.h"
#include "shapes.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

static const uint64_t ROOM_FOR_NUMBERS = (uint64_t)1 << 34; /* 30 bits count units of 16 bytes */
static const uint64_t FIRST_TABLE = (uint64_t)1 << 14;
static const uint32_t MOST_TUPLES = (uint32_t)1 << 20;
enum { INCOMPLETE = 3 /* the exit status */, SHARE = 8 };
static const uint64_t SCRATCH_BYTES = (uint64_t)4 << 30;

_Noreturn void gm_fail(gm_worker *w, enum gm_failure why) {
  if (!w->recover) {
    fputs("gm_fail: no recovery point\n", stderr);
    abort();
  }
  longjmp(*w->recover, (int)why);
}

_Noreturn void gm_out_of_memory(void) {
  static const char message[] = "error: There is no more memory\n";
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(INCOMPLETE); /* stderr is closed */
  _exit(INCOMPLETE);
}

/* Kept values are looked up all over the place. */
static void *with_large_pages(void *memory, uint64_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(memory, (size_t)bytes, MADV_HUGEPAGE); /* a wish */
#else
  (void)bytes;
#endif
  return memory;
}

/* Where address space is limited, no mapping may exhaust it. */
static uint64_t share(uint64_t wish) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wish;
  uint64_t most = (uint64_t)limit.rlim_cur / SHARE & ~(uint64_t)0xffff;
  return wish < most ? wish : most;
}

/* As much of the wish as the system grants. */
static char *reserve(uint64_t *bytes) {
  *bytes = share(*bytes);
  for (; *bytes >= 1 << 20; *bytes /= 2) {
    void *found =
        mmap(NULL, (size_t)*bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found != MAP_FAILED) return with_large_pages(found, *bytes);
  }
  return NULL;
}

static _Atomic uint64_t *new_table(uint64_t slots) {
  uint64_t bytes = slots * sizeof(uint64_t);
  void *found = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return found == MAP_FAILED ? NULL : with_large_pages(found, bytes);
}

static void free_table(_Atomic uint64_t *table, uint64_t slots) {
  if (table) munmap((void *)table, (size_t)(slots * sizeof *table));
}

static bool has_constants(gm_heap *h) {
  gm_worker *w = gm_worker_new(h, 0);
  if (!w) return false;
  h->empty_set = gm_keep(w, gm_value_of(gm_new(w, GM_SET, 0)));
  h->empty_sequence = gm_keep(w, gm_value_of(gm_new(w, GM_SEQUENCE, 0)));
  V both[2] = {GM_FALSE, GM_TRUE};
  h->booleans = gm_keep(w, gm_make_set(w, both, 2));
  gm_worker_free(w);
  return true;
}

gm_heap *gm_heap_new(uint64_t max_bytes) {
  gm_heap *h = calloc(1, sizeof *h);
  if (!h) return NULL;
  pthread_mutex_init(&h->telling, NULL);
  h->reserved = max_bytes && max_bytes < ROOM_FOR_NUMBERS ? max_bytes : ROOM_FOR_NUMBERS;
  if (h->reserved < 1 << 20) h->reserved = 1 << 20;
  h->reserved &= ~(uint64_t)0xffff; /* whole pages, of any size */
  h->base = reserve(&h->reserved);
  h->table = new_table(FIRST_TABLE);
  h->mask = FIRST_TABLE - 1;
  h->shapes = gm_shapes_new();
  h->used = 16; /* the number 0 is no value */
  if (h->base && h->table && h->shapes && has_constants(h)) return h;
  gm_heap_free(h);
  return NULL;
}

/* Memory goes back, addresses do not: what compiled code remembers of kept objects (`gm_field`) must never fit an object
   of a later heap. */
static void retire(gm_heap *h) {
  uint64_t used = (atomic_load(&h->used) + 0xffff) & ~(uint64_t)0xffff;
  if (used < h->reserved) munmap(h->base + used, (size_t)(h->reserved - used));
  if (used > h->reserved) used = h->reserved;
  mmap(h->base, (size_t)used, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static void free_types(gm_types *types) {
  while (types) {
    gm_types *before = types->before;
    free(types);
    types = before;
  }
}

void gm_heap_free(gm_heap *h) {
  if (!h) return;
  if (h->base) retire(h);
  free_table(h->table, h->mask + 1);
  free_types(atomic_load(&h->types));
  pthread_mutex_destroy(&h->telling);
  gm_shapes_free(h->shapes);
  free(h);
}

static void free_tables(gm_private *p) {
  if (!p) return;
  free(p->memo);
  free(p->answers);
  free(p->tuples);
  free(p->pairs);
}

gm_worker *gm_worker_new(gm_heap *h, uint32_t slots) {
  gm_worker *w = calloc(1, sizeof *w);
  gm_private *p = calloc(1, sizeof *p);
  V *both = calloc(2 * (size_t)slots + 1, sizeof *both);
  if (p) p->memo = calloc((size_t)1 << GM_MEMO_BITS, sizeof *p->memo);
  if (p) p->answers = calloc(GM_ANSWERS, sizeof *p->answers);
  if (p) p->pairs = calloc(GM_PAIRS, sizeof *p->pairs);
  if (p) p->tuples = calloc(GM_TUPLES, sizeof *p->tuples);
  if (w && p && p->memo && p->answers && p->tuples && p->pairs && both) {
    p->tuples_left = MOST_TUPLES;
    w->changed = UINT64_MAX;
    p->scratch_bytes = SCRATCH_BYTES;
    w->scratch = w->scratch_top = reserve(&p->scratch_bytes);
  }
  if (!w || !w->scratch) {
    free(w);
    free_tables(p);
    free(p);
    free(both);
    return NULL;
  }
  w->scratch_end = w->scratch + p->scratch_bytes;
  w->current = both;
  w->next = both + slots;
  w->heap = h;
  w->private_data = p;
  w->empty_set = h->empty_set;
  w->empty_sequence = h->empty_sequence;
  return w;
}

void gm_worker_free(gm_worker *w) {
  if (!w) return;
  gm_private *p = w->private_data;
  munmap(w->scratch, (size_t)p->scratch_bytes);
  free(w->current < w->next ? w->current : w->next); /* they may have changed places */
  free_tables(p);
  free(p);
  free(w);
}

bool gm_must_grow(gm_heap *h) { return atomic_load(&h->exhausted) || atomic_load(&h->count) * 2 > h->mask; }

static void insert_again(gm_heap *h, _Atomic uint64_t *table, uint64_t mask, uint64_t slot) {
  const gm_object *o = (const gm_object *)(h->base + ((slot & UINT32_MAX) << 4));
  uint64_t at = o->hash & mask;
  while (atomic_load_explicit(&table[at], memory_order_relaxed)) at = (at + 1) & mask;
  atomic_store_explicit(&table[at], slot, memory_order_relaxed);
}

bool gm_grow(gm_heap *h) {
  if (atomic_load(&h->exhausted)) return false;
  uint64_t capacity = h->mask + 1, wanted = capacity;
  while (atomic_load(&h->count) * 4 > wanted) wanted *= 2;
  if (wanted == capacity) return true;
  _Atomic uint64_t *table = new_table(wanted);
  if (!table) return false;
  for (uint64_t i = 0; i < capacity; i++) {
    uint64_t slot = atomic_load_explicit(&h->table[i], memory_order_relaxed);
    if (slot) insert_again(h, table, wanted - 1, slot);
  }
  free_table(h->table, capacity);
  h->table = table;
  h->mask = wanted - 1;
  return true;
}

uint64_t gm_heap_bytes(const gm_heap *h) {
  uint64_t used = atomic_load(&h->used);
  return (used < h->reserved ? used : h->reserved) + (h->mask + 1) * sizeof *h->table;
}

uint64_t gm_heap_values(const gm_heap *h) { return atomic_load(&h->count); }

static gm_types *larger_types(gm_types *before, uint64_t size) {
  gm_types *types = calloc(1, sizeof *types + (size_t)size * sizeof *types->of);
  gm_checked(types);
  types->before = before;
  types->size = size;
  for (uint64_t i = 0; before && i < before->size; i++) atomic_store(&types->of[i], atomic_load(&before->of[i]));
  return types;
}

void gm_set_model_value_type(gm_heap *h, uint64_t position, uint32_t type) {
  if (gm_type_of(h, gm_atom(position, true)) == type) return;
  pthread_mutex_lock(&h->telling);
  gm_types *types = atomic_load(&h->types);
  if (!types || position >= types->size) types = larger_types(types, position * 2 + 16);
  atomic_store(&types->of[position], type);
  __atomic_store_n(&h->typed, true, __ATOMIC_RELAXED);
  atomic_store_explicit(&h->types, types, memory_order_release);
  pthread_mutex_unlock(&h->telling);
}
