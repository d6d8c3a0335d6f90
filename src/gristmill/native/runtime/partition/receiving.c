/* States as they arrive: what the sender's words mean is read first, then each word becomes one of this process. Nothing is
   believed, as bytes may come from a file. See partition_parts.h for the form. */

#include "partition_parts.h"

enum { BYTES = 1 << 8, PAIRS = 1 << 16 };

struct gm_incoming {
  gm_engine *engine;
  uint64_t number; /* of the batch that comes next */
  uint32_t *words; /* of this process, by the number of a definition */
  uint32_t count, room;
  uint8_t bytes[BYTES]; /* of this process, by the sender's */
  uint16_t *pairs;
  uint32_t byte_count, pair_count;
};

typedef struct cursor {
  const uint8_t *at, *end;
} cursor;

gm_incoming *gm_incoming_new(gm_engine *e) {
  gm_incoming *s = gm_checked(calloc(1, sizeof *s));
  s->engine = e;
  s->pairs = gm_checked(calloc(PAIRS, sizeof *s->pairs));
  return s;
}

void gm_incoming_free(gm_incoming *s) {
  if (!s) return;
  free(s->words);
  free(s->pairs);
  free(s);
}

/* ---- definitions ---- */

static uint64_t number_in(gm_worker *w, cursor *c) {
  uint64_t n;
  if (!gm_read_varint(&c->at, c->end, &n)) gm_fail(w, GM_ERROR);
  return n;
}

static V reference(const gm_incoming *s, gm_worker *w, cursor *c) {
  uint64_t n = number_in(w, c), rest = n >> 2;
  switch (n & 3) {
    case 0:
      if (rest >= s->count) gm_fail(w, GM_ERROR);
      return gm_unpack(w->heap, s->words[rest]);
    case 1: return gm_check_int(w, (int64_t)(rest >> 1) ^ -(int64_t)(rest & 1));
    case 2: return rest << 3 | GM_TAG_ATOM;
    default: return rest ? GM_TRUE : GM_FALSE;
  }
}

static V made(gm_worker *w, uint8_t kind, V *items, uint32_t n) {
  switch (kind) {
    case GM_SET: return gm_make_set(w, items, n);
    case GM_SEQUENCE: return gm_make_sequence(w, items, n);
    case GM_FUNCTION:
      if (n < 2 || !gm_is_kind(items[0], GM_SET) || gm_object_of(items[0])->size != n - 1) gm_fail(w, GM_ERROR);
      return gm_make_function(w, items[0], items + 1);
    case GM_BIG:
      if (n != 1 || !gm_is_int(items[0])) gm_fail(w, GM_ERROR);
      return items[0];
    default: gm_fail(w, GM_ERROR);
  }
}

static uint32_t definition(const gm_incoming *s, gm_worker *w, cursor *c) {
  gm_reset(w);
  if (c->at == c->end) gm_fail(w, GM_ERROR);
  uint8_t kind = *c->at++;
  uint64_t n = number_in(w, c);
  if (n > (uint64_t)(c->end - c->at)) gm_fail(w, GM_ERROR); /* each item takes a byte at least */
  V *items = gm_scratch(w, n + 1);
  for (uint64_t i = 0; i < n; i++) items[i] = reference(s, w, c);
  return gm_pack(w, gm_keep(w, made(w, kind, items, (uint32_t)n)));
}

static void add_word(gm_incoming *s, uint32_t word) {
  if (s->count == s->room) {
    s->room = 2 * s->room + 1024;
    s->words = gm_checked(realloc(s->words, s->room * sizeof *s->words));
  }
  s->words[s->count++] = word;
}

static uint32_t narrow_number(gm_incoming *s, gm_worker *w, cursor *c, uint32_t width) {
  gm_reset(w);
  uint32_t number = gm_narrow_number(w, s->engine->narrow, width, reference(s, w, c));
  if (number == UINT32_MAX) gm_fail(w, GM_MISFIT);
  return number;
}

enum what { TYPE, DEFINITION, BYTE, PAIR };

static void read_one(gm_incoming *s, gm_worker *w, cursor *c, enum what what) {
  uint64_t position;
  switch (what) {
    case TYPE:
      position = number_in(w, c);
      if (position >> 29) gm_fail(w, GM_ERROR);
      gm_set_model_value_type(w->heap, position, (uint32_t)number_in(w, c));
      return;
    case DEFINITION: add_word(s, definition(s, w, c)); return;
    case BYTE: s->bytes[s->byte_count] = (uint8_t)narrow_number(s, w, c, 1); s->byte_count++; return;
    default: s->pairs[s->pair_count] = (uint16_t)narrow_number(s, w, c, 2); s->pair_count++;
  }
}

/* Each again, from its beginning, where there must be made room for values first. */
static enum gm_partition_answer read_all(gm_incoming *s, gm_worker *w, cursor *c, enum what what, uint32_t count) {
  gm_heap *heap = s->engine->heap;
  for (volatile uint32_t i = 0; i < count;) {
    while (gm_must_grow(heap) && gm_grow(heap)) continue;
    const cursor before = *c;
    jmp_buf here;
    w->recover = &here;
    int why = setjmp(here);
    if (why == 0) {
      read_one(s, w, c, what);
      i++;
      continue;
    }
    *c = before;
    if (why == GM_FULL && gm_grow(heap)) continue;
    return why == GM_MISFIT ? GM_PARTITION_MISFIT : why == GM_FULL ? GM_PARTITION_NO_MEMORY : GM_PARTITION_DAMAGED;
  }
  return GM_PARTITION_OK;
}

/* ---- a batch ---- */

static enum gm_partition_answer accept(gm_incoming *s, const gm_batch_header *header, const uint8_t *data, size_t size) {
  if (header->mark != GM_BATCH_MARK || header->words != s->engine->state_words || header->size != size)
    return GM_PARTITION_DAMAGED;
  if (header->checksum != gm_batch_checksum(data, size)) return GM_PARTITION_DAMAGED;
  if (header->number == 0) s->number = s->count = s->byte_count = s->pair_count = 0;
  if (header->number != s->number || header->first_definition != s->count || header->first_byte != s->byte_count ||
      header->first_pair != s->pair_count)
    return GM_PARTITION_GAP;
  if (header->bytes > BYTES - s->byte_count || header->pairs > PAIRS - s->pair_count) return GM_PARTITION_DAMAGED;
  return GM_PARTITION_OK;
}

size_t gm_incoming_record(const gm_incoming *s) {
  return sizeof(gm_record_header) + s->engine->state_words * sizeof(uint32_t);
}

enum gm_partition_answer gm_incoming_open(gm_incoming *s, gm_worker *w, const uint8_t *data, size_t size,
                                          const uint8_t **records, uint64_t *count) {
  gm_batch_header header;
  if (size < sizeof header) return GM_PARTITION_DAMAGED;
  memcpy(&header, data, sizeof header);
  enum gm_partition_answer answer = accept(s, &header, data, size);
  cursor c = {data + sizeof header, data + size};
  const uint32_t counts[] = {header.types, header.definitions, header.bytes, header.pairs};
  for (enum what what = TYPE; what <= PAIR && answer == GM_PARTITION_OK; what++)
    answer = read_all(s, w, &c, what, counts[what]);
  if (answer != GM_PARTITION_OK) return answer;
  if ((size_t)(c.end - c.at) != header.records * gm_incoming_record(s)) return GM_PARTITION_DAMAGED;
  s->number++;
  *records = c.at;
  *count = header.records;
  return GM_PARTITION_OK;
}

bool gm_incoming_read(const gm_incoming *s, const uint8_t *record, uint64_t *origin, uint64_t *changed, uint32_t *words) {
  const uint32_t *ends = gm_narrow_ends(s->engine->narrow);
  gm_record_header header;
  memcpy(&header, record, sizeof header);
  *origin = header.origin;
  *changed = header.changed;
  record += sizeof header;
  if (s->engine->state_words) words[s->engine->state_words - 1] = 0; /* bytes that no slot has */
  memcpy(words, record, ends[0] * sizeof *words);
  for (uint32_t i = 0; i < ends[0]; i++) {
    if (words[i] & 3) continue;
    if (words[i] >> 2 >= s->count) return false;
    words[i] = s->words[words[i] >> 2];
  }
  record += 4 * (size_t)ends[0];
  uint8_t *to = (uint8_t *)(words + ends[0]);
  for (uint32_t i = ends[0]; i < ends[1]; i++, record += 2, to += 2) {
    uint16_t pair;
    memcpy(&pair, record, sizeof pair);
    if (pair >= s->pair_count) return false;
    memcpy(to, &s->pairs[pair], sizeof pair);
  }
  for (uint32_t i = ends[1]; i < ends[2]; i++) {
    uint8_t byte = *record++;
    if (byte >= s->byte_count) return false;
    *to++ = s->bytes[byte];
  }
  return true;
}
