/* States as they leave: the words of this process, after what they mean. See partition_parts.h for the form. */

#include "checksum.h"
#include "partition_parts.h"

enum { FIRST_TABLE = 1 << 10 };

typedef struct told {
  uint32_t place;  /* of a kept object in the heap */
  uint32_t number; /* plus 1; 0: none */
} told;

struct gm_outgoing {
  gm_engine *engine;
  told *table; /* what the other end has been told */
  uint64_t mask;
  uint32_t count, most;
  uint64_t number;             /* of the next batch */
  uint32_t types, bytes, pairs; /* that have been told */
  uint32_t records, first;     /* of this batch; the first definition of it */
  gm_bytes definitions, states, batch;
};

gm_outgoing *gm_outgoing_new(gm_engine *e, uint32_t most) {
  gm_outgoing *s = gm_checked(calloc(1, sizeof *s));
  s->engine = e;
  s->most = most;
  s->table = gm_checked(calloc(FIRST_TABLE, sizeof *s->table));
  s->mask = FIRST_TABLE - 1;
  return s;
}

void gm_outgoing_free(gm_outgoing *s) {
  free(s->table);
  free(s->definitions.data);
  free(s->states.data);
  free(s->batch.data);
  free(s);
}

void gm_outgoing_restart(gm_outgoing *s) {
  memset(s->table, 0, (s->mask + 1) * sizeof *s->table);
  s->number = 0;
  s->count = s->types = s->bytes = s->pairs = 0;
}

void gm_outgoing_begin(gm_outgoing *s) {
  if (s->count > s->most) gm_outgoing_restart(s);
  s->records = 0;
  s->first = s->count;
  s->definitions.size = s->states.size = s->batch.size = 0;
}

/* ---- definitions ---- */

static inline uint32_t place_of(const gm_outgoing *s, V v) {
  return (uint32_t)((uint64_t)(uintptr_t)((const char *)gm_object_of(v) - s->engine->heap->base) >> 4);
}

/* Where a value stands in the table, or would. */
static inline told *spot(const gm_outgoing *s, uint32_t place) {
  uint64_t at = gm_mix(place) >> 20 & s->mask;
  while (s->table[at].number && s->table[at].place != place) at = (at + 1) & s->mask;
  return &s->table[at];
}

static void grow(gm_outgoing *s) {
  told *before = s->table;
  uint64_t count = s->mask + 1;
  s->mask = 2 * s->mask + 1;
  s->table = gm_checked(calloc(s->mask + 1, sizeof *s->table));
  for (uint64_t i = 0; i < count; i++)
    if (before[i].number) *spot(s, before[i].place) = before[i];
  free(before);
}

static inline uint32_t find(const gm_outgoing *s, V v) { return spot(s, place_of(s, v))->number - 1; }

static uint32_t define(gm_outgoing *s, gm_worker *w, V v);

static void refer(gm_outgoing *s, gm_bytes *to, V v) {
  if (gm_is_object(v)) {
    gm_bytes_varint(to, (uint64_t)find(s, v) << 2);
  } else if (gm_is_int(v)) {
    int64_t n = gm_int_of(v);
    gm_bytes_varint(to, ((uint64_t)n << 1 ^ (uint64_t)(n >> 63)) << 2 | 1);
  } else if (gm_is_atom(v)) {
    gm_bytes_varint(to, v >> 3 << 2 | 2);
  } else {
    gm_bytes_varint(to, v == GM_TRUE ? 7 : 3);
  }
}

static void see_to(gm_outgoing *s, gm_worker *w, V v) {
  if (gm_is_object(v) && find(s, v) == UINT32_MAX) define(s, w, v);
}

/* Its items first. What is kept has no other kinds inside than these. */
static uint32_t define(gm_outgoing *s, gm_worker *w, V v) {
  gm_check_stack(w);
  const gm_object *o = gm_object_of(v);
  if (o->kind > GM_BIG) gm_fail(w, GM_ERROR);
  for (uint32_t i = 0; i < o->size; i++) see_to(s, w, o->items[i]);
  *gm_bytes_add(&s->definitions, 1) = o->kind;
  gm_bytes_varint(&s->definitions, o->size);
  for (uint32_t i = 0; i < o->size; i++) refer(s, &s->definitions, o->items[i]);
  *spot(s, place_of(s, v)) = (told){place_of(s, v), ++s->count};
  if (2 * s->count > s->mask) grow(s);
  return s->count - 1;
}

/* ---- states ---- */

static V object_at(const gm_heap *h, uint32_t word) {
  return (V)(uintptr_t)(*(char *const *)h + ((uint64_t)(word >> 2) << 4));
}

int gm_outgoing_add(gm_outgoing *s, gm_worker *w, uint64_t origin, uint64_t changed, const uint32_t *words) {
  const gm_engine *e = s->engine;
  uint32_t wide = gm_narrow_ends(e->narrow)[0];
  gm_record_header header = {origin, changed};
  size_t bytes = e->state_words * sizeof *words, before = s->states.size;
  jmp_buf here;
  w->recover = &here;
  int why = setjmp(here);
  if (why != 0) {
    s->states.size = before;
    return why;
  }
  uint8_t *to = gm_bytes_add(&s->states, sizeof header + bytes);
  memcpy(to, &header, sizeof header);
  memcpy(to += sizeof header, words, bytes);
  for (uint32_t i = 0; i < wide; i++) {
    if (words[i] & 3) continue;
    V v = object_at(e->heap, words[i]);
    uint32_t number = find(s, v);
    if (number == UINT32_MAX) number = define(s, w, v);
    number <<= 2;
    memcpy(to + 4 * (size_t)i, &number, sizeof number);
  }
  s->records++;
  return 0;
}

size_t gm_outgoing_waiting(const gm_outgoing *s) { return s->states.size + s->definitions.size; }

/* ---- the whole batch ---- */

uint64_t gm_batch_checksum(const uint8_t *batch, size_t size) {
  gm_checksum sum = {0, 0};
  batch += sizeof(uint64_t);
  size -= sizeof(uint64_t);
  gm_checksum_extend(&sum, batch, size);
  return gm_checksum_value(&sum, batch, size);
}

/* All of them, if there are more than were told. */
static uint32_t put_types(gm_outgoing *s, gm_bytes *to) {
  const gm_types *types = atomic_load_explicit(&s->engine->heap->types, memory_order_acquire);
  uint32_t count = 0;
  for (uint64_t i = 0; types && i < types->size; i++)
    count += atomic_load_explicit(&types->of[i], memory_order_relaxed) != 0;
  if (count == s->types) return 0;
  for (uint64_t i = 0; i < types->size; i++) {
    uint32_t type = atomic_load_explicit(&types->of[i], memory_order_relaxed);
    if (!type) continue;
    gm_bytes_varint(to, i);
    gm_bytes_varint(to, type);
  }
  return s->types = count;
}

static void define_dictionary(gm_outgoing *s, gm_worker *w, uint32_t width, uint32_t told) {
  const gm_narrow *n = s->engine->narrow;
  for (uint32_t i = told; i < gm_narrow_count(n, width); i++) see_to(s, w, gm_narrow_value(n, width, i));
}

static uint32_t put_dictionary(gm_outgoing *s, gm_bytes *to, uint32_t width, uint32_t told) {
  const gm_narrow *n = s->engine->narrow;
  uint32_t count = gm_narrow_count(n, width);
  for (uint32_t i = told; i < count; i++) refer(s, to, gm_narrow_value(n, width, i));
  return count - told;
}

static void finish(gm_outgoing *s, gm_worker *w) {
  define_dictionary(s, w, 1, s->bytes);
  define_dictionary(s, w, 2, s->pairs);
  gm_bytes *to = &s->batch;
  gm_batch_header header = {.mark = GM_BATCH_MARK, .words = s->engine->state_words, .number = s->number};
  gm_bytes_add(to, sizeof header);
  header.types = put_types(s, to);
  header.definitions = s->count - s->first;
  header.first_definition = s->first;
  gm_bytes_append(to, s->definitions.data, s->definitions.size);
  header.first_byte = s->bytes;
  header.bytes = put_dictionary(s, to, 1, s->bytes);
  header.first_pair = s->pairs;
  header.pairs = put_dictionary(s, to, 2, s->pairs);
  s->bytes += header.bytes;
  s->pairs += header.pairs;
  header.records = s->records;
  gm_bytes_append(to, s->states.data, s->states.size);
  header.size = to->size;
  memcpy(to->data, &header, sizeof header);
  header.checksum = gm_batch_checksum(to->data, to->size);
  memcpy(to->data, &header.checksum, sizeof header.checksum);
  s->number++;
}

int gm_outgoing_finish(gm_outgoing *s, gm_worker *w) {
  if (s->records == 0) return 0;
  jmp_buf here;
  w->recover = &here;
  int why = setjmp(here);
  if (why == 0) finish(s, w);
  return why;
}

const uint8_t *gm_outgoing_batch(const gm_outgoing *s, size_t *size) {
  *size = s->batch.size;
  return s->batch.data;
}

uint64_t gm_outgoing_defined(const gm_outgoing *s) { return s->count - s->first; }
