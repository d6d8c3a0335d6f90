#include "universe.h"

#include <stdlib.h>

#include "driver.h"
#include "persist.h"
#include "shapes.h"

enum { TABLE = 1024, MOST_SHAPES = 32 }; /* at least twice the elements */

struct gm_universe {
  uint32_t words, count;
  _Atomic uint16_t table[TABLE]; /* the number of an element and one more; 0 is free */
  V values[GM_MOST_MEMBERS];    /* kept */
  uint16_t shapes[MOST_SHAPES];  /* all of which can be compared with one another */
  uint32_t shape_count;
  _Atomic(gm_ranking *) ranking;
  pthread_mutex_t lock; /* held to add an element */
};

gm_universe *gm_universe_new(uint32_t words) {
  gm_universe *u = gm_checked(calloc(1, sizeof *u));
  u->words = words;
  pthread_mutex_init(&u->lock, NULL);
  return u;
}

void gm_universe_free(gm_universe *u) {
  gm_ranking *ranking = atomic_load(&u->ranking);
  while (ranking) {
    gm_ranking *before = ranking->before;
    free(ranking);
    ranking = before;
  }
  pthread_mutex_destroy(&u->lock);
  free(u);
}

/* ---- elements ---- */

static bool is_element(V known, V v) {
  return known == v || (gm_is_object(v) && !gm_is_kept(v) && gm_same(known, v));
}

/* The number of an element; -1 if it has none. `at`: where it is in the table, or would be. */
static int find(const gm_universe *u, V v, uint32_t *at) {
  for (*at = (uint32_t)(gm_hash(v) >> 40) % TABLE;; *at = (*at + 1) % TABLE) {
    uint16_t number = atomic_load_explicit(&u->table[*at], memory_order_acquire);
    if (!number) return -1;
    if (is_element(u->values[number - 1], v)) return number - 1;
  }
}

static bool can_be_compared(gm_worker *w, const gm_universe *u, uint16_t shape) {
  if (shape == GM_SHAPE_NONE) return false;
  for (uint32_t i = 0; i < u->shape_count; i++)
    if (!gm_can_compare(w, shape, u->shapes[i])) return false;
  return true;
}

static bool has_shape(const gm_universe *u, uint16_t shape) {
  for (uint32_t i = 0; i < u->shape_count; i++)
    if (u->shapes[i] == shape) return true;
  return false;
}

/* Where an element belongs among the others. */
static uint32_t rank_of(gm_worker *w, const gm_universe *u, const gm_ranking *ranking, V v) {
  uint32_t low = 0, high = u->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (gm_compare(w, v, u->values[ranking->number[middle]]) < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

static gm_ranking *ranking_with(gm_worker *w, const gm_universe *u, V v) {
  gm_ranking *before = atomic_load_explicit(&u->ranking, memory_order_relaxed);
  gm_ranking *after = gm_checked(calloc(1, sizeof *after));
  uint32_t rank = before ? rank_of(w, u, before, v) : 0;
  for (uint32_t i = 0; i < rank; i++) after->number[i] = before->number[i];
  after->number[rank] = (uint16_t)u->count;
  for (uint32_t i = rank; i < u->count; i++) after->number[i + 1] = before->number[i];
  for (uint32_t i = 0; i <= u->count; i++) after->rank[after->number[i]] = (uint16_t)i;
  after->before = before;
  return after;
}

/* The lock is held; `v` is kept. -1 if it does not fit. Comparing does not fail: that is what shapes are for. */
static int add(gm_worker *w, gm_universe *u, V v) {
  uint32_t at;
  int number = find(u, v, &at);
  if (number >= 0) return number;
  uint16_t shape = gm_shape_of(w, v);
  bool is_new = !has_shape(u, shape);
  if (u->count == GM_BITS * u->words || !can_be_compared(w, u, shape)) return -1;
  if (is_new && u->shape_count == MOST_SHAPES) return -1;
  gm_ranking *ranking = ranking_with(w, u, v);
  if (is_new) u->shapes[u->shape_count++] = shape;
  u->values[u->count] = v;
  atomic_store_explicit(&u->ranking, ranking, memory_order_release);
  atomic_store_explicit(&u->table[at], (uint16_t)(u->count + 1), memory_order_release);
  return (int)u->count++;
}

/* Whatever fails inside, the lock is given back. */
static uint32_t added(gm_worker *w, gm_universe *u, V v, uint32_t variable) {
  jmp_buf here, *outer = w->recover;
  volatile int number = -1;
  pthread_mutex_lock(&u->lock);
  w->recover = &here;
  int why = setjmp(here);
  if (why == 0) number = add(w, u, v);
  w->recover = outer;
  pthread_mutex_unlock(&u->lock);
  if (why != 0) gm_fail(w, (enum gm_failure)why);
  if (number < 0) gm_misfit(w, variable);
  return (uint32_t)number;
}

static uint32_t noted(gm_worker *w, uint32_t universe, V v, uint32_t number) {
  if (gm_is_fixed(v)) *gm_numbered_at(w, universe, v) = (gm_numbered){v, universe, number};
  return number;
}

uint32_t gm_bits_find_number(gm_worker *w, uint32_t universe, V v, uint32_t variable) {
  gm_universe *u = w->universes[universe];
  uint32_t at;
  v = gm_part(w, v);
  int number = find(u, v, &at);
  return noted(w, universe, v, number >= 0 ? (uint32_t)number : added(w, u, gm_keep(w, v), variable));
}

bool gm_bits_find(gm_worker *w, uint32_t universe, const uint64_t *bits, V v) {
  const gm_universe *u = w->universes[universe];
  uint32_t at;
  v = gm_part(w, v);
  int number = find(u, v, &at);
  if (number >= 0) return gm_bits_test(bits, noted(w, universe, v, (uint32_t)number));
  return gm_member(w, v, gm_bits_listed(w, universe, bits)); /* whether that is an error, a listed set knows */
}

/* ---- sets ---- */

void gm_members_in_order(gm_worker *w, uint32_t universe, uint32_t words, const uint64_t *bits, gm_members *m) {
  const gm_universe *u = w->universes[universe];
  m->values = u->values;
  m->ranking = atomic_load_explicit(&u->ranking, memory_order_acquire);
  m->words = (words * GM_BITS + 63) / 64;
  for (uint32_t i = 0; i < m->words; i++) m->left[i] = 0;
  for (uint32_t k = 0; k < words; k++) {
    for (uint64_t left = bits[k]; left; left &= left - 1) {
      uint32_t rank = m->ranking->rank[k * GM_BITS + (uint32_t)__builtin_ctzll(left)];
      m->left[rank / 64] |= UINT64_C(1) << rank % 64;
    }
  }
}

static uint32_t count_of(const uint64_t *bits, uint32_t words) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < words; k++) count += (uint32_t)__builtin_popcountll(bits[k]);
  return count;
}

V gm_bits_listed(gm_worker *w, uint32_t universe, const uint64_t *bits) {
  uint32_t words = w->universes[universe]->words, n = count_of(bits, words);
  if (!n) return w->empty_set;
  gm_object *o = gm_new(w, GM_SET, n);
  gm_members m;
  gm_members_begin(w, universe, words, bits, &m);
  for (uint32_t i = 0; i < n; i++) gm_members_next(&m, &o->items[i]);
  o->flags |= GM_PARTS_KEPT;
  return gm_value_of(o);
}

void gm_bits_of_set(gm_worker *w, uint32_t universe, V set, uint64_t *bits, uint32_t variable) {
  if (!gm_is_set(set)) gm_misfit(w, variable);
  set = gm_list(w, set);
  for (uint32_t k = 0; k < w->universes[universe]->words; k++) bits[k] = 0;
  const gm_object *o = gm_object_of(set);
  for (uint32_t i = 0; i < o->size; i++) gm_bits_add(bits, gm_bits_number(w, universe, o->items[i], variable));
}

V gm_bits_listed_slots(gm_worker *w, uint32_t universe, uint32_t words, const V *slots) {
  uint64_t bits[GM_MOST_WORDS];
  for (uint32_t k = 0; k < words; k++) bits[k] = gm_bits_of(slots[k]);
  return gm_bits_listed(w, universe, bits);
}

void gm_bits_of_set_slots(gm_worker *w, uint32_t universe, uint32_t words, V set, V *slots, uint32_t variable) {
  uint64_t bits[GM_MOST_WORDS];
  gm_bits_of_set(w, universe, set, bits, variable);
  for (uint32_t k = 0; k < words; k++) slots[k] = gm_slot_of_bits(bits[k]);
}

bool gm_bits_within(gm_worker *w, uint32_t universe, const uint64_t *bits, V set) {
  gm_members m;
  V element;
  gm_members_begin(w, universe, w->universes[universe]->words, bits, &m);
  while (gm_members_next(&m, &element))
    if (!gm_member_known(w, element, set)) return false;
  return true;
}

/* ---- in files ---- */

int gm_universe_save(const gm_universe *u, int file) {
  if (gm_put_bytes(file, &u->count, sizeof u->count) != 0) return -1;
  return gm_put_bytes(file, u->values, u->count * sizeof *u->values);
}

int gm_universe_load(gm_worker *w, gm_universe *u, int file, uint64_t distance) {
  uint32_t count;
  if (gm_get_bytes(file, &count, sizeof count) != 0 || count > GM_BITS * u->words || u->count != 0) return -1;
  for (uint32_t i = 0; i < count; i++) {
    V value;
    if (gm_get_bytes(file, &value, sizeof value) != 0) return -1;
    if (add(w, u, gm_moved(value, distance)) != (int)i) return -1;
  }
  return 0;
}
