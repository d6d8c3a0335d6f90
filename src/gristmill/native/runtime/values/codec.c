/* Values as bytes: one byte for the kind, then numbers as varints (integers zigzag), then the parts.

     0 FALSE · 1 TRUE · 2 integer · 3 string, 4 model value: position · 5 set, 6 sequence: count, items ·
     7 function: count, arguments, values · 8 interval: low, high · 9 SUBSET · 10 [S -> T] · 11 records: count, positions
     of names, sets · 12 product: count, factors · 13 Seq · 14 union · 15 Nat · 16 Int · 17 STRING · 18 intersection ·
     19 difference · 20 UNION · 21 model value with a type: position, type · 22 integer: 8 bytes, little-endian, which is
     read, but not written

   Items of sets and arguments of functions are in canonical order. */

#include "parts.h"

enum { FALSE_CODE, TRUE_CODE, INTEGER, STRING_CODE, MODEL_VALUE, SET, SEQUENCE, FUNCTION, INTERVAL, FIRST_LAZY };

static const uint8_t KIND_OF_LAZY[] = {GM_POWERSET, GM_FUNCTIONS, GM_RECORDS,      GM_PRODUCT,    GM_SEQUENCES, GM_UNION,
                                       GM_NAT,      GM_INT_SET,   GM_STRINGS,      GM_INTERSECTION, GM_DIFFERENCE, GM_BIG_UNION};
static const uint8_t PARTS_OF_LAZY[] = {1, 2, 255, 255, 1, 2, 0, 0, 0, 2, 2, 1}; /* 255: a count comes first */
enum { LAZY_KINDS = sizeof KIND_OF_LAZY, TYPED = FIRST_LAZY + LAZY_KINDS, WIDE };

/* ---- writing: counts all, stores what fits ---- */

typedef struct writer {
  gm_worker *w;
  uint8_t *out;
  size_t room, size;
} writer;

static void put(writer *to, uint8_t byte) {
  if (to->size < to->room) to->out[to->size] = byte;
  to->size++;
}

size_t gm_write_varint(uint8_t *out, uint64_t n) {
  size_t size = 0;
  for (; n >= 128; n >>= 7) out[size++] = (uint8_t)(n | 128);
  out[size++] = (uint8_t)n;
  return size;
}

static void put_varint(writer *to, uint64_t n) {
  for (; n >= 128; n >>= 7) put(to, (uint8_t)(n | 128));
  put(to, (uint8_t)n);
}

static void put_integer(writer *to, V v) {
  int64_t n = gm_int_of(v);
  put_varint(to, (uint64_t)n << 1 ^ (uint64_t)(n >> 63));
}

static void put_value(writer *to, V v);

static void put_items(writer *to, const V *items, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) put_value(to, items[i]);
}

static void put_listed(writer *to, uint8_t code, const V *items, uint32_t n) {
  put(to, code);
  put_varint(to, n);
  put_items(to, items, n);
}

static void put_lazy(writer *to, const gm_object *o) {
  for (uint8_t i = 0; i < LAZY_KINDS; i++) {
    if (KIND_OF_LAZY[i] != o->kind) continue;
    put(to, (uint8_t)(FIRST_LAZY + i));
    if (o->kind == GM_PRODUCT) put_varint(to, o->size);
    if (o->kind != GM_RECORDS) {
      put_items(to, o->items, o->size);
      return;
    }
    const gm_object *names = gm_domain_of(o);
    put_varint(to, names->size);
    for (uint32_t n = 0; n < names->size; n++) put_varint(to, gm_atom_position(names->items[n]));
    put_items(to, o->items + 1, names->size);
    return;
  }
  gm_fail(to->w, GM_ERROR);
}

static void put_object(writer *to, V v) {
  gm_check_stack(to->w);
  const gm_object *o = gm_object_of(gm_computed(to->w, v));
  switch (o->kind) {
    case GM_SET: put_listed(to, SET, o->items, o->size); return;
    case GM_SEQUENCE: put_listed(to, SEQUENCE, o->items, o->size); return;
    case GM_FUNCTION:
      put_listed(to, FUNCTION, gm_domain_of(o)->items, o->size - 1);
      put_items(to, o->items + 1, o->size - 1);
      return;
    case GM_BIG: put_value(to, o->items[0]); return;
    case GM_INTERVAL:
      put(to, INTERVAL);
      put_integer(to, o->items[0]);
      put_integer(to, o->items[1]);
      return;
    default: put_lazy(to, o);
  }
}

static void put_atom(writer *to, V v) {
  uint32_t type = gm_is_model_value(v) ? gm_type_of(to->w->heap, v) : 0;
  put(to, type ? TYPED : gm_is_model_value(v) ? MODEL_VALUE : STRING_CODE);
  put_varint(to, gm_atom_position(v));
  if (type) put_varint(to, type);
}

static void put_value(writer *to, V v) {
  if (gm_is_object(v)) {
    put_object(to, v);
  } else if (gm_is_int(v)) {
    put(to, INTEGER);
    put_integer(to, v);
  } else if (gm_is_atom(v)) {
    put_atom(to, v);
  } else if (gm_is_bool(v)) {
    put(to, v == GM_TRUE ? TRUE_CODE : FALSE_CODE);
  } else {
    gm_fail(to->w, GM_ERROR);
  }
}

size_t gm_encode(gm_worker *w, V v, uint8_t *out, size_t room) {
  writer to = {w, out, room, 0};
  put_value(&to, v);
  return to.size;
}

/* ---- reading: nothing is believed, as bytes may come from a file ---- */

typedef struct reader {
  gm_worker *w;
  const uint8_t *in, *end;
} reader;

static uint8_t get(reader *from) {
  if (from->in == from->end) gm_fail(from->w, GM_ERROR);
  return *from->in++;
}

static uint64_t get_varint(reader *from) {
  uint64_t n = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = get(from);
    n |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return n;
  }
  gm_fail(from->w, GM_OVERFLOW);
}

/* Each item takes a byte at least. */
static uint32_t get_count(reader *from) {
  uint64_t n = get_varint(from);
  if (n > (uint64_t)(from->end - from->in)) gm_fail(from->w, GM_ERROR);
  return (uint32_t)n;
}

static V get_integer(reader *from) {
  uint64_t n = get_varint(from);
  return gm_check_int(from->w, (int64_t)(n >> 1) ^ -(int64_t)(n & 1));
}

static V get_wide(reader *from) {
  uint64_t n = 0;
  for (unsigned shift = 0; shift < 64; shift += 8) n |= (uint64_t)get(from) << shift;
  return gm_check_int(from->w, (int64_t)n);
}

static V get_atom(reader *from, bool model_value) {
  uint64_t position = get_varint(from);
  if (position >> 59) gm_fail(from->w, GM_ERROR);
  return gm_atom(position, model_value);
}

static V get_typed(reader *from) {
  V v = get_atom(from, true);
  uint64_t type = get_varint(from);
  if (gm_atom_position(v) >> 29 || type > UINT32_MAX) gm_fail(from->w, GM_ERROR);
  gm_set_model_value_type(from->w->heap, gm_atom_position(v), (uint32_t)type);
  return v;
}

static V get_value(reader *from);

static V *get_items(reader *from, uint32_t n) {
  V *items = gm_scratch(from->w, n);
  for (uint32_t i = 0; i < n; i++) items[i] = get_value(from);
  return items;
}

static V get_function(reader *from) {
  uint32_t n = get_count(from);
  V domain = gm_make_set(from->w, get_items(from, n), n);
  const V *values = get_items(from, n);
  if (gm_object_of(domain)->size != n) gm_fail(from->w, GM_ERROR);
  return gm_make_function(from->w, domain, values);
}

static V get_records(reader *from) {
  uint32_t n = get_count(from);
  V *names = gm_scratch(from->w, n);
  for (uint32_t i = 0; i < n; i++) names[i] = get_atom(from, false);
  V domain = gm_keep(from->w, gm_make_set(from->w, names, n));
  const V *sets = get_items(from, n);
  if (gm_object_of(domain)->size != n) gm_fail(from->w, GM_ERROR);
  return gm_records(from->w, domain, sets);
}

static V get_lazy(reader *from, uint8_t code) {
  gm_worker *w = from->w;
  if (code < FIRST_LAZY || code >= FIRST_LAZY + LAZY_KINDS) gm_fail(w, GM_ERROR);
  uint8_t kind = KIND_OF_LAZY[code - FIRST_LAZY], parts = PARTS_OF_LAZY[code - FIRST_LAZY];
  if (kind == GM_RECORDS) return get_records(from);
  if (kind == GM_NAT) return gm_nat();
  if (kind == GM_INT_SET) return gm_int_set();
  if (kind == GM_STRINGS) return gm_strings();
  uint32_t n = parts == 255 ? get_count(from) : parts;
  gm_object *o = gm_new(w, (enum gm_kind)kind, n);
  for (uint32_t i = 0; i < n; i++) {
    o->items[i] = get_value(from);
    if (!gm_is_set(o->items[i])) gm_fail(w, GM_ERROR);
  }
  return gm_value_of(o);
}

static V get_value(reader *from) {
  gm_check_stack(from->w);
  uint8_t code = get(from);
  switch (code) {
    case FALSE_CODE: return GM_FALSE;
    case TRUE_CODE: return GM_TRUE;
    case INTEGER: return get_integer(from);
    case STRING_CODE: return get_atom(from, false);
    case MODEL_VALUE: return get_atom(from, true);
    case TYPED: return get_typed(from);
    case WIDE: return get_wide(from);
    case SET: {
      uint32_t n = get_count(from);
      return gm_make_set(from->w, get_items(from, n), n);
    }
    case SEQUENCE: {
      uint32_t n = get_count(from);
      return gm_make_sequence(from->w, get_items(from, n), n);
    }
    case FUNCTION: return get_function(from);
    case INTERVAL: {
      V low = get_integer(from), high = get_integer(from);
      return gm_interval(from->w, low, high);
    }
    default: return get_lazy(from, code);
  }
}

V gm_decode(gm_worker *w, const uint8_t *in, size_t size, size_t *used) {
  reader from = {w, in, in + size};
  V v = get_value(&from);
  if (used) *used = (size_t)(from.in - in);
  return v;
}
