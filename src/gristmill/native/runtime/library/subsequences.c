/* Operators of SequencesExt, FiniteSetsExt and TLC that make many sequences, sets or functions of the parts of one, and those
   that look for one sequence inside of another. */

#include "community.h"

#include <string.h>

#include "parts.h"

/* ---- what is made one by one ---- */

typedef struct made {
  V *items;
  uint64_t count, room;
} made;

/* As many as a set that is listed may have. */
static made room_for(gm_worker *w, uint64_t count) {
  if (count > GM_MAX_SET) gm_fail(w, GM_ERROR);
  return (made){.items = gm_array(w, count), .room = count};
}

static void add(gm_worker *w, made *all, V value) {
  if (all->count == all->room) gm_fail(w, GM_ERROR);
  all->items[all->count++] = value;
}

static V as_set(gm_worker *w, made all) { return gm_make_set(w, all.items, (uint32_t)all.count); }

static V part(gm_worker *w, const gm_object *o, uint32_t from, uint32_t n) { return gm_make_sequence(w, o->items + from, n); }

V gm_prefixes(gm_worker *w, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  made all = room_for(w, o->size + (uint64_t)1);
  for (uint32_t n = 0; n <= o->size; n++) add(w, &all, part(w, o, 0, n));
  return as_set(w, all);
}

V gm_suffixes(gm_worker *w, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  made all = room_for(w, o->size + (uint64_t)1);
  for (uint32_t n = 0; n <= o->size; n++) add(w, &all, part(w, o, o->size - n, n));
  return as_set(w, all);
}

V gm_subseqs(gm_worker *w, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  made all = room_for(w, (o->size + (uint64_t)1) * (o->size + (uint64_t)2) / 2);
  for (uint32_t from = 0; from <= o->size; from++)
    for (uint32_t n = 0; from + n <= o->size; n++) add(w, &all, part(w, o, from, n));
  return as_set(w, all);
}

V gm_all_subseqs(gm_worker *w, V items) {
  const gm_object *o = gm_sequence_of(w, items);
  if (o->size > 19) gm_fail(w, GM_ERROR);
  made all = room_for(w, (uint64_t)1 << o->size);
  V chosen[19];
  for (uint32_t taken = 0; taken < (uint32_t)1 << o->size; taken++) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->size; i++)
      if (taken >> i & 1) chosen[n++] = o->items[i];
    add(w, &all, gm_make_sequence(w, chosen, n));
  }
  return as_set(w, all);
}

/* n over k; more than a set may have if it is more. */
static uint64_t combinations(uint64_t n, uint64_t k) {
  uint64_t count = 1;
  if (k > n - k) k = n - k;
  for (uint64_t i = 1; i <= k; i++) {
    count = count * (n - k + i) / i;
    if (count > GM_MAX_SET) return GM_MAX_SET + 1;
  }
  return count;
}

V gm_k_subset(gm_worker *w, V size, V set) {
  const gm_object *o = gm_object_of(gm_list(w, set));
  if (!gm_is_int(size)) gm_fail(w, GM_ERROR);
  int64_t k = gm_int_of(size);
  if (k < 0 || k > (int64_t)o->size) return w->empty_set;
  made all = room_for(w, combinations(o->size, (uint64_t)k));
  uint32_t n = (uint32_t)k;
  V *chosen = gm_array(w, n), *at = gm_array(w, n);
  for (uint32_t i = 0; i < n; i++) at[i] = i;
  for (;;) {
    for (uint32_t i = 0; i < n; i++) chosen[i] = o->items[at[i]];
    add(w, &all, gm_set_from_sorted(w, chosen, n));
    uint32_t last = n; /* the last position that can move on */
    while (last > 0 && at[last - 1] == o->size - n + last - 1) last--;
    if (!last) return as_set(w, all);
    at[last - 1]++;
    for (uint32_t i = last; i < n; i++) at[i] = at[i - 1] + 1;
  }
}

/* ---- arrangements ---- */

typedef struct arrangement {
  const gm_object *of;
  V domain, chosen[9];
  uint32_t taken; /* as bits */
  made all;
} arrangement;

/* All ways to take `length` more elements; as sequences, or as functions on `domain`. */
static void arrange(gm_worker *w, arrangement *a, uint32_t n, uint32_t length) {
  if (n == length) {
    add(w, &a->all, a->domain ? gm_make_function(w, a->domain, a->chosen) : gm_make_sequence(w, a->chosen, n));
    return;
  }
  for (uint32_t i = 0; i < a->of->size; i++) {
    if (a->taken >> i & 1) continue;
    a->taken |= (uint32_t)1 << i;
    a->chosen[n] = a->of->items[i];
    arrange(w, a, n + 1, length);
    a->taken &= ~((uint32_t)1 << i);
  }
}

/* In how many ways `length` of n elements can be arranged. */
static uint64_t arrangements(uint32_t n, uint32_t length) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < length; i++) count *= n - i;
  return count;
}

static V arranged(gm_worker *w, V set, uint32_t shortest, bool as_functions) {
  V elements = gm_list(w, set);
  uint32_t n = gm_object_of(elements)->size;
  if (n > 9) gm_fail(w, GM_ERROR);
  if (shortest > n) shortest = n;
  uint64_t count = 0;
  for (uint32_t length = shortest; length <= n; length++) count += arrangements(n, length);
  arrangement a = {.of = gm_object_of(elements), .domain = as_functions ? elements : 0, .all = room_for(w, count)};
  for (uint32_t length = shortest; length <= n; length++) arrange(w, &a, 0, length);
  return as_set(w, a.all);
}

V gm_set_to_seqs(gm_worker *w, V set) { return arranged(w, set, UINT32_MAX, false); }
V gm_set_to_all_k_permutations(gm_worker *w, V set) { return arranged(w, set, 0, false); }
V gm_permutations(gm_worker *w, V set) { return arranged(w, set, UINT32_MAX, true); }

/* ---- one sequence inside of others ---- */

/* The reference evaluator compares them in any order until two differ: so all must be comparable. */
static bool agree_at(gm_worker *w, const gm_object *sequences, uint32_t at) {
  bool agree = true;
  for (uint32_t i = 0; i < sequences->size; i++)
    for (uint32_t j = i + 1; j < sequences->size; j++) {
      V one = gm_object_of(sequences->items[i])->items[at], other = gm_object_of(sequences->items[j])->items[at];
      agree = gm_equal(w, one, other) && agree;
    }
  return agree;
}

V gm_longest_common_prefix(gm_worker *w, V set) {
  const gm_object *o = gm_object_of(gm_list(w, set));
  if (!o->size) gm_fail(w, GM_ERROR);
  uint32_t shortest = UINT32_MAX, n = 0;
  for (uint32_t i = 0; i < o->size; i++) {
    uint32_t length = gm_sequence_of(w, o->items[i])->size;
    if (length < shortest) shortest = length;
  }
  while (n < shortest && agree_at(w, o, n)) n++;
  return part(w, gm_object_of(o->items[0]), 0, n);
}

static bool begins_at(gm_worker *w, const gm_object *whole, uint32_t at, V old, uint32_t length) {
  return at + (uint64_t)length <= whole->size && gm_equal(w, part(w, whole, at, length), old);
}

V gm_replace_first_subseq(gm_worker *w, V new, V old, V items) {
  const gm_object *whole = gm_sequence_of(w, items);
  uint32_t length = gm_sequence_of(w, old)->size;
  for (uint32_t at = 0; at + (uint64_t)length <= whole->size; at++) {
    if (!begins_at(w, whole, at, old, length)) continue;
    gm_sequence_of(w, new);
    V start = gm_concat(w, part(w, whole, 0, at), new);
    return gm_concat(w, start, part(w, whole, at + length, whole->size - at - length));
  }
  return items;
}

V gm_replace_all_subseqs(gm_worker *w, V new, V old, V items) {
  const gm_object *whole = gm_sequence_of(w, items), *by = gm_sequence_of(w, new);
  uint32_t length = gm_sequence_of(w, old)->size, at = 0;
  if (gm_equal(w, old, items)) return new;
  made result = room_for(w, (uint64_t)whole->size * ((uint64_t)by->size + 1));
  while (at < whole->size) {
    if (begins_at(w, whole, at, old, length)) {
      for (uint32_t i = 0; i < by->size; i++) add(w, &result, by->items[i]);
      at += length;
      if (length) continue;
    }
    add(w, &result, whole->items[at++]);
  }
  return gm_make_sequence(w, result.items, (uint32_t)result.count);
}

/* ---- two sequences ---- */

V gm_zip(gm_worker *w, V left, V right) {
  const gm_object *a = gm_sequence_of(w, left), *b = gm_sequence_of(w, right);
  uint32_t n = a->size < b->size ? a->size : b->size;
  V *pairs = gm_array(w, n);
  for (uint32_t i = 0; i < n; i++) pairs[i] = gm_make_tuple(w, (V[]){a->items[i], b->items[i]}, 2);
  return gm_make_sequence(w, pairs, n);
}
