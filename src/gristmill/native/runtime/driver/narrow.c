#include "narrow.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "persist.h"
#include "universe.h"

/* From values to dense numbers: read without locks, written under one. A key is stored after everything that belongs to
   it, so a reader that finds it finds the rest. */
typedef struct dictionary {
  uint32_t limit, mask, count;
  _Atomic V *keys;
  uint16_t *numbers;
  V *values; /* by number */
  pthread_mutex_t lock;
} dictionary;

struct gm_narrow {
  uint32_t slots, words;
  uint32_t ends[4]; /* `order` up to here has slots of eight, four, two, one bytes */
  uint32_t *order;  /* slots, widest first */
  uint32_t *place;  /* of each slot: index among those of its width, counted in that width */
  uint8_t *widths;
  uint64_t *bits; /* by byte of a state: of the slot that has it */
  uint32_t *owner; /* by byte of a state: the slot that has it */
  dictionary bytes, pairs;
  _Atomic uint32_t full;
};

static void dictionary_init(dictionary *d, uint32_t limit) {
  d->limit = limit;
  d->mask = 2 * limit - 1;
  d->count = 0;
  d->keys = gm_checked(calloc(2 * (size_t)limit, sizeof *d->keys));
  d->numbers = gm_checked(calloc(2 * (size_t)limit, sizeof *d->numbers));
  d->values = gm_checked(calloc(limit, sizeof *d->values));
  pthread_mutex_init(&d->lock, NULL);
}

static void dictionary_free(dictionary *d) {
  free((void *)d->keys);
  free(d->numbers);
  free(d->values);
  pthread_mutex_destroy(&d->lock);
}

static inline uint32_t spot(const dictionary *d, V value) {
  uint64_t hash = value * 0x9e3779b97f4a7c15u;
  return (uint32_t)(hash >> 40) & d->mask;
}

/* The number, or UINT32_MAX if there is none yet; `at` is where it is, or would be. */
static inline uint32_t look_up(const dictionary *d, V value, uint32_t *at) {
  for (uint32_t i = spot(d, value);; i = (i + 1) & d->mask) {
    V key = atomic_load_explicit(&d->keys[i], memory_order_acquire);
    *at = i;
    if (key == value) return d->numbers[i];
    if (key == 0) return UINT32_MAX;
  }
}

static uint32_t insert(dictionary *d, V value) {
  uint32_t at;
  pthread_mutex_lock(&d->lock);
  uint32_t number = look_up(d, value, &at);
  if (number == UINT32_MAX && d->count < d->limit) {
    number = d->count++;
    d->values[number] = value;
    d->numbers[at] = (uint16_t)number;
    atomic_store_explicit(&d->keys[at], value, memory_order_release);
  }
  pthread_mutex_unlock(&d->lock);
  return number;
}

gm_narrow *gm_narrow_new(const uint8_t *widths, const uint8_t *bit, uint32_t slots) {
  gm_narrow *n = gm_checked(calloc(1, sizeof *n));
  n->slots = slots;
  n->order = gm_checked(calloc(slots + 1, sizeof *n->order));
  n->place = gm_checked(calloc(slots + 1, sizeof *n->place));
  n->widths = gm_checked(malloc(slots + 1));
  n->bits = gm_checked(calloc(8 * (size_t)slots + 4, sizeof *n->bits)); /* those that no slot has are the same everywhere */
  n->owner = gm_checked(calloc(8 * (size_t)slots + 4, sizeof *n->owner));
  memcpy(n->widths, widths, slots);
  uint32_t position = 0, bytes = 0;
  for (uint32_t kind = 0; kind < 4; kind++) {
    uint32_t width = 8u >> kind;
    for (uint32_t i = 0; i < slots; i++) {
      if (widths[i] != width) continue;
      n->order[position++] = i;
      n->place[i] = bytes / width; /* wider ones come first, so this is exact */
      for (uint32_t byte = 0; byte < width; byte++) {
        n->owner[bytes] = i;
        n->bits[bytes++] = UINT64_C(1) << bit[i];
      }
    }
    n->ends[kind] = position;
  }
  n->words = (bytes + 3) / 4;
  dictionary_init(&n->bytes, 1u << 8);
  dictionary_init(&n->pairs, 1u << 16);
  return n;
}

void gm_narrow_free(gm_narrow *n) {
  if (!n) return;
  dictionary_free(&n->bytes);
  dictionary_free(&n->pairs);
  free(n->order);
  free(n->place);
  free(n->widths);
  free(n->bits);
  free(n->owner);
  free(n);
}

uint32_t gm_narrow_words(const gm_narrow *n) { return n->words; }
uint32_t gm_narrow_full(const gm_narrow *n) { return atomic_load_explicit(&n->full, memory_order_relaxed); }

static inline uint64_t eight_bytes(const uint32_t *words, uint32_t place) {
  uint64_t bits;
  memcpy(&bits, words + 2 * (size_t)place, sizeof bits);
  return bits;
}

V gm_narrow_get(const gm_heap *h, const gm_narrow *n, const uint32_t *words, uint32_t slot) {
  uint32_t place = n->place[slot];
  if (n->widths[slot] == 8) return gm_slot_of_bits(eight_bytes(words, place));
  if (n->widths[slot] == 4) return gm_unpack(h, words[place]);
  if (n->widths[slot] == 1) return n->bytes.values[((const uint8_t *)words)[place]];
  uint16_t pair;
  memcpy(&pair, (const uint8_t *)words + 2 * (size_t)place, sizeof pair);
  return n->pairs.values[pair];
}

void gm_narrow_mask(const gm_narrow *n, const uint32_t *slots, uint32_t count, uint32_t *mask) {
  memset(mask, 0, n->words * sizeof *mask);
  for (uint32_t i = 0; i < count; i++)
    memset((uint8_t *)mask + (size_t)n->place[slots[i]] * n->widths[slots[i]], 0xff, n->widths[slots[i]]);
}

const uint32_t *gm_narrow_order(const gm_narrow *n) { return n->order; }
const uint32_t *gm_narrow_ends(const gm_narrow *n) { return n->ends + 1; }
static const dictionary *of_width(const gm_narrow *n, uint32_t width) { return width == 1 ? &n->bytes : &n->pairs; }
uint32_t gm_narrow_count(const gm_narrow *n, uint32_t width) { return of_width(n, width)->count; }
V gm_narrow_value(const gm_narrow *n, uint32_t width, uint32_t number) { return of_width(n, width)->values[number]; }

static inline uint32_t number_of(gm_narrow *n, uint32_t width, V kept) {
  dictionary *d = width == 1 ? &n->bytes : &n->pairs;
  uint32_t at, number = look_up(d, kept, &at);
  if (number == UINT32_MAX) number = insert(d, kept);
  if (number == UINT32_MAX) atomic_store_explicit(&n->full, width, memory_order_relaxed);
  return number;
}

uint32_t gm_narrow_number(gm_worker *w, gm_narrow *n, uint32_t width, V value) {
  return number_of(n, width, gm_is_object(value) ? gm_keep(w, value) : value);
}

V gm_narrow_set(gm_worker *w, gm_narrow *n, uint32_t *words, uint32_t slot, V value) {
  uint8_t width = n->widths[slot];
  uint32_t place = n->place[slot];
  if (width == 8) {
    uint64_t bits = gm_bits_of(value);
    memcpy(words + 2 * (size_t)place, &bits, sizeof bits);
    return value;
  }
  if (width == 4) {
    words[place] = gm_pack(w, value);
    return gm_unpack(w->heap, words[place]);
  }
  if (gm_is_object(value)) value = gm_keep(w, value);
  uint32_t number = number_of(n, width, value);
  if (number == UINT32_MAX) return GM_UNSET;
  if (width == 1) {
    ((uint8_t *)words)[place] = (uint8_t)number;
  } else {
    uint16_t pair = (uint16_t)number;
    memcpy((uint8_t *)words + 2 * (size_t)place, &pair, sizeof pair);
  }
  return value;
}

void gm_narrow_unpack(const gm_heap *h, const gm_narrow *n, const uint32_t *words, V *slots) {
  const uint8_t *bytes;
  uint32_t i = 0;
  for (; i < n->ends[0]; i++) slots[n->order[i]] = gm_slot_of_bits(eight_bytes(words, i));
  words += 2 * (size_t)i;
  for (; i < n->ends[1]; i++) slots[n->order[i]] = gm_unpack(h, *words++);
  bytes = (const uint8_t *)words;
  for (; i < n->ends[2]; i++, bytes += 2) {
    uint16_t pair;
    memcpy(&pair, bytes, sizeof pair);
    slots[n->order[i]] = n->pairs.values[pair];
  }
  for (; i < n->ends[3]; i++) slots[n->order[i]] = n->bytes.values[*bytes++];
}

uint64_t gm_narrow_changed(const gm_narrow *n, const uint32_t *a, const uint32_t *b) {
  const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
  uint64_t found = 0;
  for (uint32_t i = 0; i < n->words; i++) {
    if (a[i] == b[i]) continue;
    for (uint32_t byte = 4 * i; byte < 4 * i + 4; byte++) found |= n->bits[byte] & -(uint64_t)(x[byte] != y[byte]);
  }
  return found;
}

uint64_t gm_narrow_unpack_changed(const gm_heap *h, const gm_narrow *n, const uint32_t *words, const uint32_t *before,
                                  V *slots) {
  const uint8_t *x = (const uint8_t *)words, *y = (const uint8_t *)before;
  uint64_t found = 0;
  for (uint32_t i = 0; i < n->words; i++) {
    if (words[i] == before[i]) continue;
    for (uint32_t byte = 4 * i; byte < 4 * i + 4; byte++) {
      if (x[byte] == y[byte]) continue;
      slots[n->owner[byte]] = gm_narrow_get(h, n, words, n->owner[byte]);
      found |= n->bits[byte];
    }
  }
  return found;
}

static int save(const dictionary *d, int file) {
  if (gm_put_bytes(file, &d->count, sizeof d->count) != 0) return -1;
  return gm_put_bytes(file, d->values, d->count * sizeof *d->values);
}

static int load(dictionary *d, int file, uint64_t distance) {
  uint32_t count;
  if (gm_get_bytes(file, &count, sizeof count) != 0 || count > d->limit || d->count != 0) return -1;
  for (uint32_t i = 0; i < count; i++) {
    V value;
    if (gm_get_bytes(file, &value, sizeof value) != 0) return -1;
    if (insert(d, gm_moved(value, distance)) != i) return -1;
  }
  return 0;
}

int gm_narrow_save(const gm_narrow *n, int file) {
  return save(&n->bytes, file) != 0 || save(&n->pairs, file) != 0 ? -1 : 0;
}

int gm_narrow_load(gm_narrow *n, int file, uint64_t distance) {
  return load(&n->bytes, file, distance) != 0 || load(&n->pairs, file, distance) != 0 ? -1 : 0;
}
