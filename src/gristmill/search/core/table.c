#include "table.h"

#include <sys/mman.h>

enum { AHEAD = 16 };

static uint64_t limit_of(uint32_t bits) { return (UINT64_C(1) << bits) / 5 * 4; }

uint64_t gm_table_bytes(const gm_table *table) { return table->slots ? sizeof(uint64_t) << table->bits : 0; }

static int allocate(gm_table *table, uint32_t bits) {
  uint64_t bytes = sizeof(uint64_t) << bits;
  void *slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slots == MAP_FAILED) return -1;
#ifdef MADV_HUGEPAGE
  if (bytes >= 1 << 21) madvise(slots, bytes, MADV_HUGEPAGE);
#endif
  table->slots = slots;
  table->bits = bits;
  table->limit = limit_of(bits);
  table->most = table->limit + (UINT64_C(1) << bits) / 10;
  return 0;
}

int gm_table_open(gm_core *core, uint32_t bits) { return allocate(&core->table, bits); }

void gm_table_close(gm_table *table) {
  if (table->slots) munmap((void *)table->slots, gm_table_bytes(table));
  table->slots = NULL;
}

/* All entries are different: the first empty slot is right. */
static void put(gm_table *table, uint64_t hash, uint64_t slot) {
  uint64_t mask = (UINT64_C(1) << table->bits) - 1;
  for (uint64_t at = gm_home(table, hash);; at = (at + 1) & mask) {
    uint64_t empty = 0;
    if (atomic_load_explicit(&table->slots[at], memory_order_relaxed) != 0) continue;
    if (atomic_compare_exchange_strong_explicit(&table->slots[at], &empty, slot, memory_order_relaxed,
                                                memory_order_relaxed))
      return;
  }
}

/* Some slots ahead, so that memory is there when it is needed. */
typedef struct pending {
  uint64_t hash[AHEAD], slot[AHEAD];
  uint64_t count;
} pending;

static void put_later(gm_table *table, pending *queue, uint64_t hash, uint64_t slot) {
  uint64_t at = queue->count++ % AHEAD;
  if (queue->count > AHEAD) put(table, queue->hash[at], queue->slot[at]);
  queue->hash[at] = hash;
  queue->slot[at] = slot;
  gm_prefetch_slot(table, hash);
}

static void put_rest(gm_table *table, pending *queue) {
  uint64_t rest = queue->count < AHEAD ? queue->count : AHEAD;
  for (uint64_t i = 0; i < rest; i++) put(table, queue->hash[i], queue->slot[i]);
}

static void fill(gm_worker *worker) {
  gm_core *core = worker->core;
  pending queue = {.count = 0};
  uint64_t start, end;
  gm_share(worker, core->count, &start, &end);
  for (uint64_t number = start; number < end; number++) {
    uint64_t hash = gm_hash(gm_key_at(core, number), core->key_words);
    put_later(&core->table, &queue, hash, gm_slot(hash, number));
  }
  gm_fresh_share(worker, &start, &end);
  for (uint64_t place = start; place < end; place++) {
    if (atomic_load_explicit(gm_claim(core, place), memory_order_relaxed) == GM_NOBODY) continue;
    uint64_t hash = gm_hash(gm_fresh_key(core, place), core->key_words);
    put_later(&core->table, &queue, hash, gm_slot(hash, place | GM_FRESH));
  }
  put_rest(&core->table, &queue);
}

int gm_table_grow(gm_core *core, uint64_t entries) {
  uint32_t bits = core->table.bits;
  while (limit_of(bits) < entries) bits++;
  if (bits == core->table.bits) return 0;
  gm_table old = core->table;
  gm_table_close(&core->table); /* first: there may not be room for both */
  if (allocate(&core->table, bits) != 0) {
    if (allocate(&core->table, old.bits) == 0) gm_team_do(core, fill);
    return -1;
  }
  gm_team_do(core, fill);
  return 0;
}

uint64_t gm_table_find(const gm_core *core, const uint32_t *key) {
  _Atomic uint64_t *empty;
  uint64_t slot = gm_look_up(core, gm_hash(key, core->key_words), key, &empty);
  return slot ? gm_slot_index(slot) : GM_NOBODY;
}
