#include "subsets.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 12 };

static uint64_t mixed(uint64_t n) {
  n *= UINT64_C(0x9E3779B97F4A7C15);
  n ^= n >> 29;
  n *= UINT64_C(0xBF58476D1CE4E5B9);
  return n ^ n >> 32;
}

bool gm_subsets_open(gm_subsets *s, const gm_observed_graph *graph, gm_allowance *allowance) {
  memset(s, 0, sizeof *s);
  s->allowance = allowance;
  s->graph = graph;
  s->mask = (1u << FIRST_BITS) - 1;
  s->table = gm_allow_array(allowance, s->mask + 1, sizeof *s->table);
  s->marks = gm_allow_array(allowance, graph->states, sizeof *s->marks);
  s->list = gm_allow_array(allowance, graph->states, sizeof *s->list);
  if (!gm_allow_room(allowance, (void **)&s->all, &s->room, 0, sizeof *s->all)) return false;
  s->all[s->count++] = (gm_subset){.size = 0}; /* GM_BEFORE: in no table, as it is no set of states */
  return gm_split_steps(allowance, graph, &s->steps);
}

void gm_subsets_close(gm_subsets *s) {
  gm_free_steps(&s->steps);
  free(s->all);
  free(s->arena);
  free(s->moves);
  free(s->table);
  free(s->marks);
  free(s->list);
  free(s->pairs);
}

/* ---- a set in the making: `list`, marked ---- */

static void begin(gm_subsets *s) {
  s->listed = 0;
  if (++s->mark != 0) return;
  memset(s->marks, 0, (size_t)s->graph->states * sizeof *s->marks); /* all marks have been used once */
  s->mark = 1;
}

static void put(gm_subsets *s, uint32_t state) {
  if (s->marks[state] == s->mark) return;
  s->marks[state] = s->mark;
  s->list[s->listed++] = state;
}

static bool close_silently(gm_subsets *s) {
  const gm_steps_by_kind *steps = &s->steps;
  for (uint32_t i = 0; i < s->listed; i++) {
    uint64_t from = steps->silent_first[s->list[i]], to = steps->silent_first[s->list[i] + 1];
    for (uint64_t edge = from; edge < to; edge++) put(s, steps->silent[edge]);
    if (!gm_allow_work(s->allowance, 1 + to - from)) return false;
  }
  return true;
}

/* ---- sets with numbers ---- */

/* Whatever the order of the elements. */
static uint64_t hash_of(const gm_subsets *s, uint64_t *signature) {
  uint64_t hash = s->listed;
  *signature = 0;
  for (uint32_t i = 0; i < s->listed; i++) {
    uint64_t one = mixed(s->list[i] + 1);
    hash += one;
    *signature |= UINT64_C(1) << (one >> 58);
  }
  return mixed(hash);
}

static bool is_listed(const gm_subsets *s, const gm_subset *one) {
  for (uint32_t i = 0; i < one->size; i++)
    if (s->marks[s->arena[one->elements + i]] != s->mark) return false;
  return true;
}

static uint64_t place_of(const gm_subsets *s, uint64_t hash) {
  uint64_t at = hash & s->mask;
  for (; s->table[at] != 0; at = (at + 1) & s->mask) {
    const gm_subset *one = &s->all[s->table[at] - 1];
    if (one->hash == hash && one->size == s->listed && is_listed(s, one)) break;
  }
  return at;
}

static bool grow_table(gm_subsets *s) {
  uint64_t mask = 2 * s->mask + 1;
  uint32_t *table = gm_allow_array(s->allowance, mask + 1, sizeof *table);
  if (!table) return false;
  for (uint64_t number = GM_BEFORE + 1; number < s->count; number++) {
    uint64_t at = s->all[number].hash & mask;
    while (table[at] != 0) at = (at + 1) & mask;
    table[at] = (uint32_t)number + 1;
  }
  s->allowance->bytes -= (s->mask + 2) * sizeof *table;
  free(s->table);
  s->table = table;
  s->mask = mask;
  return true;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static bool room_in_arena(gm_subsets *s, uint64_t more) {
  return gm_allow_room(s->allowance, (void **)&s->arena, &s->arena_room, s->used + more, sizeof *s->arena);
}

static uint32_t add(gm_subsets *s, uint64_t hash, uint64_t signature) {
  gm_allowance *a = s->allowance;
  if (s->count >= GM_NO_SUBSET - 1) a->failed = GM_INCLUSION_NO_MEMORY;
  if (a->failed != GM_IS_INCLUDED || !room_in_arena(s, s->listed)) return GM_NO_SUBSET;
  if (!gm_allow_room(a, (void **)&s->all, &s->room, s->count, sizeof *s->all)) return GM_NO_SUBSET;
  qsort(s->list, s->listed, sizeof *s->list, by_number);
  memcpy(s->arena + s->used, s->list, (size_t)s->listed * sizeof *s->arena);
  s->all[s->count] = (gm_subset){.elements = s->used, .signature = signature, .hash = hash, .size = s->listed};
  s->used += s->listed;
  return (uint32_t)s->count++;
}

/* The number of the set that is listed. */
static uint32_t number_of(gm_subsets *s) {
  uint64_t signature, hash = hash_of(s, &signature), at = place_of(s, hash);
  if (s->table[at] != 0) return s->table[at] - 1;
  if (2 * s->count >= s->mask) {
    if (!grow_table(s)) return GM_NO_SUBSET;
    at = place_of(s, hash);
  }
  uint32_t number = add(s, hash, signature);
  if (number != GM_NO_SUBSET) s->table[at] = number + 1;
  return number;
}

/* ---- moves ---- */

static int by_pair(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static bool put_pairs(gm_subsets *s, const uint32_t *targets, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    uint32_t before = s->listed;
    put(s, targets[i]);
    if (s->listed == before) continue;
    if (!gm_allow_room(s->allowance, (void **)&s->pairs, &s->pair_room, s->pair_count, sizeof *s->pairs)) return false;
    s->pairs[s->pair_count++] = (uint64_t)s->graph->observations[targets[i]] << 32 | targets[i];
  }
  return gm_allow_work(s->allowance, 1 + count);
}

static bool put_pairs_from(gm_subsets *s, uint32_t subset) {
  const gm_steps_by_kind *steps = &s->steps;
  const gm_subset *from = &s->all[subset];
  if (subset == GM_BEFORE) return put_pairs(s, s->graph->initial, s->graph->initial_count);
  for (uint32_t i = 0; i < from->size; i++) {
    uint32_t state = s->arena[from->elements + i];
    uint64_t first = steps->visible_first[state];
    if (!put_pairs(s, steps->visible + first, steps->visible_first[state + 1] - first)) return false;
  }
  return true;
}

/* What can be seen next, by observation, each state once. */
static bool find_pairs(gm_subsets *s, uint32_t subset) {
  begin(s);
  s->pair_count = 0;
  if (!put_pairs_from(s, subset)) return false;
  if (s->pair_count) qsort(s->pairs, s->pair_count, sizeof *s->pairs, by_pair);
  return true;
}

static bool add_move(gm_subsets *s, uint64_t start, uint64_t end) {
  uint64_t size = end - start;
  if (!room_in_arena(s, size)) return false;
  if (!gm_allow_room(s->allowance, (void **)&s->moves, &s->move_room, s->move_count, sizeof *s->moves)) return false;
  for (uint64_t i = 0; i < size; i++) s->arena[s->used + i] = (uint32_t)s->pairs[start + i];
  s->moves[s->move_count++] =
      (gm_move){s->used, (uint32_t)(s->pairs[start] >> 32), (uint32_t)size, GM_NO_SUBSET};
  s->used += size;
  return true;
}

static bool find_moves(gm_subsets *s, uint32_t subset) {
  uint64_t first = s->move_count;
  if (!find_pairs(s, subset)) return false;
  for (uint64_t start = 0, end; start < s->pair_count; start = end) {
    for (end = start + 1; end < s->pair_count && s->pairs[end] >> 32 == s->pairs[start] >> 32;) end++;
    if (!add_move(s, start, end)) return false;
  }
  s->all[subset].moves = first;
  s->all[subset].move_count = (uint32_t)(s->move_count - first);
  s->all[subset].has_moves = true;
  return true;
}

static gm_move *move_to(gm_subsets *s, uint32_t subset, uint32_t observation) {
  uint64_t low = s->all[subset].moves, high = low + s->all[subset].move_count;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (s->moves[middle].observation < observation)
      low = middle + 1;
    else
      high = middle;
  }
  uint64_t end = s->all[subset].moves + s->all[subset].move_count;
  return low < end && s->moves[low].observation == observation ? &s->moves[low] : NULL;
}

uint32_t gm_next_subset(gm_subsets *s, uint32_t subset, uint32_t observation) {
  if (!s->all[subset].has_moves && !find_moves(s, subset)) return GM_NO_SUBSET;
  gm_move *move = move_to(s, subset, observation);
  if (!move || move->subset != GM_NO_SUBSET) return move ? move->subset : GM_NO_SUBSET;
  begin(s);
  for (uint32_t i = 0; i < move->size; i++) put(s, s->arena[move->kernel + i]);
  if (close_silently(s)) move->subset = number_of(s);
  return move->subset;
}

bool gm_is_subset(const gm_subsets *s, uint32_t some, uint32_t all) {
  const gm_subset *x = &s->all[some], *y = &s->all[all];
  if (some == all) return true;
  if (x->size >= y->size || x->signature & ~y->signature) return false;
  const uint32_t *a = s->arena + x->elements, *b = s->arena + y->elements, *end = b + y->size;
  for (uint32_t i = 0; i < x->size; i++, b++) {
    while (b < end && *b < a[i]) b++;
    if (b == end || *b != a[i]) return false;
  }
  return true;
}
