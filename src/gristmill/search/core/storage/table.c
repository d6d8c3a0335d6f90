#include "table.h"

#include <sys/mman.h>

enum { AHEAD = 16, PIECE = 1 << 18 };

#ifndef GM_NARROW_BITS
#define GM_NARROW_BITS 27 /* of a slot of 32 bits, below the tag, at most */
#endif

static uint64_t limit_of(uint64_t size) { return size / 5 * 4; }
static uint64_t size_for(uint64_t entries) { return entries / 4 * 5 + 10; }

/* What a table of that size is like; it has no slots yet. */
static gm_table plan(uint64_t size) {
  gm_table table = {.size = size, .limit = limit_of(size), .ones = UINT32_MAX, .tag_shift = 2};
  table.most = table.limit + size / 10;
  while (UINT64_C(1) << (table.tag_shift - 1) < table.most + 2) table.tag_shift++;
  if (table.tag_shift > GM_NARROW_BITS) {
    table.wide = true;
    table.ones = UINT64_MAX;
    table.tag_shift = 40;
  }
  table.fresh = UINT64_C(1) << (table.tag_shift - 1);
  return table;
}

static uint64_t bytes_of(const gm_table *table) {
  return table->size * (table->wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

uint64_t gm_table_bytes(const gm_table *table) { return table->slots ? bytes_of(table) : 0; }

static int allocate(gm_table *table, uint64_t size) {
  gm_table planned = plan(size);
  uint64_t bytes = bytes_of(&planned);
  void *slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slots == MAP_FAILED) return -1;
#ifdef MADV_HUGEPAGE
  if (bytes >= 1 << 21) madvise(slots, bytes, MADV_HUGEPAGE);
#endif
  planned.slots = slots;
  *table = planned;
  return 0;
}

int gm_table_open(gm_core *core, uint64_t size) { return allocate(&core->table, size); }

void gm_table_close(gm_table *table) {
  if (table->slots) munmap(table->slots, gm_table_bytes(table));
  table->slots = NULL;
}

/* All entries are different: the first empty slot is right. */
static void put(gm_table *table, uint64_t hash, uint64_t slot) {
  for (uint64_t at = gm_home(table, hash);; at = gm_after(table, at))
    if (gm_read_slot(table, at, table->wide) == 0 && gm_fill_slot(table, at, slot)) return;
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

/* In bytes, in the array that has keys. */
static uint64_t key_offset(const gm_core *core, uint64_t number) {
  return core->keys ? number * core->key_words * sizeof(uint32_t) : gm_state_offset(core, number);
}

/* In pieces, as some of them may have to be read from disk, and must leave memory again. */
static void put_known(gm_searcher *worker, pending *queue, uint64_t start, uint64_t end) {
  gm_core *core = worker->core;
  gm_region *region = core->keys ? &core->key_region : &core->states;
  for (uint64_t next; start < end; start = next) {
    next = end - start < PIECE ? end : start + PIECE;
    uint64_t first = key_offset(core, start), last = key_offset(core, next);
    gm_region_will_read(region, first, last);
    for (uint64_t number = start; number < next; number++) {
      const uint32_t *key = core->keys ? gm_key_at(core, number) : gm_words(core, number, worker->hashed);
      uint64_t hash = gm_hash(key, core->key_words);
      put_later(&core->table, queue, hash, gm_slot(&core->table, hash, number));
    }
    gm_region_was_read(region, first, last);
  }
}

static void fill(gm_searcher *worker) {
  gm_core *core = worker->core;
  pending queue = {.count = 0};
  uint64_t start, end;
  gm_share(worker, core->count, &start, &end);
  put_known(worker, &queue, start, end);
  gm_fresh_share(worker, &start, &end);
  for (uint64_t place = start; place < end; place++) {
    if (atomic_load_explicit(gm_claim(core, place), memory_order_relaxed) == GM_NO_STATE) continue;
    uint64_t hash = gm_hash(gm_fresh_key(core, place), core->key_words);
    put_later(&core->table, &queue, hash, gm_slot(&core->table, hash, place | GM_FRESH));
  }
  put_rest(&core->table, &queue);
}

/* The old table goes first: there may not be room for both. */
static int remake(gm_core *core, uint64_t size) {
  uint64_t old = core->table.size;
  gm_table_close(&core->table);
  int made = allocate(&core->table, size);
  if (made != 0 && allocate(&core->table, old) != 0) return -1;
  gm_team_do(core, fill);
  return made;
}

static int remake_within_budget(gm_core *core, uint64_t size) {
  gm_table planned = plan(size);
  return gm_budget_allows(core, bytes_of(&planned)) ? remake(core, size) : -1;
}

enum { SMALL = 1 << 22 }; /* slots */

/* Each time by so much that the work for it does not weigh; where there is no memory for that, by as little as will do. */
int gm_table_grow(gm_core *core, uint64_t entries) {
  if (entries <= core->table.limit) return 0;
  uint64_t least = size_for(entries), usual = core->table.size < SMALL ? 2 * core->table.size : core->table.size / 8 * 13;
  if (usual > least && remake_within_budget(core, usual) == 0) return 0;
  return remake_within_budget(core, least);
}

int gm_table_refill(gm_core *core) {
  uint64_t least = size_for(core->count);
  return remake_within_budget(core, least > core->table.size ? least : core->table.size);
}

uint64_t gm_table_find(const gm_core *core, const uint32_t *key) {
  uint64_t empty = 0;
  return gm_look_up(core, gm_hash(key, core->key_words), key, &empty);
}
