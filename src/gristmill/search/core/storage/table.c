#include "table.h"

#include <sys/mman.h>

enum { AHEAD = 16, PIECE = 1 << 18 };

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

/* In pieces, as some of them may have to be read from disk, and must leave memory again. */
static void put_known(gm_core *core, pending *queue, uint64_t start, uint64_t end) {
  gm_region *region = core->key_region.base ? &core->key_region : &core->states;
  uint64_t unit = core->key_words * sizeof(uint32_t);
  for (uint64_t next; start < end; start = next) {
    next = end - start < PIECE ? end : start + PIECE;
    gm_region_will_read(region, start * unit, next * unit);
    for (uint64_t number = start; number < next; number++) {
      uint64_t hash = gm_hash(gm_key_at(core, number), core->key_words);
      put_later(&core->table, queue, hash, gm_slot(hash, number));
    }
    gm_region_was_read(region, start * unit, next * unit);
  }
}

static void fill(gm_searcher *worker) {
  gm_core *core = worker->core;
  pending queue = {.count = 0};
  uint64_t start, end;
  gm_share(worker, core->count, &start, &end);
  put_known(core, &queue, start, end);
  gm_fresh_share(worker, &start, &end);
  for (uint64_t place = start; place < end; place++) {
    if (atomic_load_explicit(gm_claim(core, place), memory_order_relaxed) == GM_NO_STATE) continue;
    uint64_t hash = gm_hash(gm_fresh_key(core, place), core->key_words);
    put_later(&core->table, &queue, hash, gm_slot(hash, place | GM_FRESH));
  }
  put_rest(&core->table, &queue);
}

/* The old table goes first: there may not be room for both. */
static int remake(gm_core *core, uint32_t bits) {
  uint32_t old = core->table.bits;
  gm_table_close(&core->table);
  int made = allocate(&core->table, bits);
  if (made != 0 && allocate(&core->table, old) != 0) return -1;
  gm_team_do(core, fill);
  return made;
}

static uint32_t bits_for(const gm_core *core, uint64_t entries) {
  uint32_t bits = core->table.bits;
  while (limit_of(bits) < entries) bits++;
  return bits;
}

int gm_table_grow(gm_core *core, uint64_t entries) {
  uint32_t bits = bits_for(core, entries);
  if (bits == core->table.bits) return 0;
  return gm_budget_allows(core, sizeof(uint64_t) << bits) ? remake(core, bits) : -1;
}

int gm_table_refill(gm_core *core) {
  uint32_t bits = bits_for(core, core->count);
  return gm_budget_allows(core, sizeof(uint64_t) << bits) ? remake(core, bits) : -1;
}

uint64_t gm_table_find(const gm_core *core, const uint32_t *key) {
  _Atomic uint64_t *empty;
  uint64_t slot = gm_look_up(core, gm_hash(key, core->key_words), key, &empty);
  return slot ? gm_slot_index(slot) : GM_NO_STATE;
}
