#include "inclusion.h"

#include <stdlib.h>
#include <string.h>

#include "subsets.h"

#define NOBODY UINT32_MAX

enum { FIRST_PAIRS = 1 << 12, RELATIONS = 1 << 16 };

/* `next`: another node of the same state. `subset` is GM_NO_SUBSET of a node that another one of its level makes
   superfluous. */
typedef struct node {
  uint32_t state, subset, parent, next;
} node;

typedef struct decision {
  gm_allowance allowance;
  const gm_observed_graph *first;
  gm_steps_by_kind steps; /* of the first graph */
  gm_subsets subsets;
  node *nodes;
  uint64_t count, room;
  uint64_t level;   /* the first node of the level to which nodes are being added */
  uint32_t *newest; /* by state: its last node + 1 */
  uint64_t *pairs;  /* of states and subsets that were met, + 1 */
  uint64_t pair_count, pair_mask;
  uint64_t *related; /* some answers of gm_is_subset: two numbers of sets, and in bit 31 of the second the answer */
  uint64_t taken;
  uint32_t different_from, different_to; /* a node, and where it cannot be followed */
} decision;

static bool decision_open(decision *d, const gm_observed_graph *first, const gm_observed_graph *second) {
  gm_allowance *a = &d->allowance;
  d->first = first;
  d->different_to = NOBODY;
  d->newest = gm_allow_array(a, first->states, sizeof *d->newest);
  d->pair_mask = FIRST_PAIRS - 1;
  d->pairs = gm_allow_array(a, FIRST_PAIRS, sizeof *d->pairs);
  d->related = gm_allow_array(a, RELATIONS, sizeof *d->related);
  return a->failed == GM_IS_INCLUDED && gm_split_steps(a, first, &d->steps) && gm_subsets_open(&d->subsets, second, a) &&
         a->failed == GM_IS_INCLUDED;
}

static void decision_close(decision *d) {
  gm_free_steps(&d->steps);
  gm_subsets_close(&d->subsets);
  free(d->nodes);
  free(d->newest);
  free(d->pairs);
  free(d->related);
}

/* ---- which pairs of a state and a set were met ---- */

static uint64_t spot(uint64_t pair, uint64_t mask) {
  uint64_t hash = pair * UINT64_C(0x9E3779B97F4A7C15);
  return (hash ^ hash >> 32) & mask;
}

static bool grow_pairs(decision *d) {
  uint64_t mask = 2 * d->pair_mask + 1, *pairs = gm_allow_array(&d->allowance, mask + 1, sizeof *pairs);
  if (!pairs) return false;
  for (uint64_t i = 0; i <= d->pair_mask; i++) {
    if (d->pairs[i] == 0) continue;
    uint64_t at = spot(d->pairs[i], mask);
    while (pairs[at] != 0) at = (at + 1) & mask;
    pairs[at] = d->pairs[i];
  }
  d->allowance.bytes -= (d->pair_mask + 2) * sizeof *pairs;
  free(d->pairs);
  d->pairs = pairs;
  d->pair_mask = mask;
  return true;
}

/* Whether it is met for the first time. */
static bool is_new_pair(decision *d, uint32_t state, uint32_t subset) {
  uint64_t pair = ((uint64_t)state << 32 | subset) + 1, at = spot(pair, d->pair_mask);
  for (; d->pairs[at] != 0; at = (at + 1) & d->pair_mask)
    if (d->pairs[at] == pair) return false;
  d->pairs[at] = pair;
  if (2 * ++d->pair_count > d->pair_mask) grow_pairs(d);
  return true;
}

/* ---- antichains ---- */

static bool is_subset(decision *d, uint32_t some, uint32_t all) {
  const uint64_t answer = UINT64_C(1) << 31;
  if (some == all || some >= answer || all >= answer) return gm_is_subset(&d->subsets, some, all);
  uint64_t key = (uint64_t)some << 32 | all, *known = &d->related[spot(key, RELATIONS - 1)];
  if (*known == key || *known == (key | answer)) return (*known & answer) != 0;
  bool found = gm_is_subset(&d->subsets, some, all);
  gm_allow_work(&d->allowance, d->subsets.all[some].size);
  *known = found ? key | answer : key;
  return found;
}

/* Whether a node of this state with a subset of this set is known. */
static bool is_covered(decision *d, uint32_t state, uint32_t subset) {
  for (uint32_t other = d->newest[state]; other != 0; other = d->nodes[other - 1].next)
    if (is_subset(d, d->nodes[other - 1].subset, subset)) return true;
  return false;
}

/* Take the nodes of this state with a superset off its list. Those of the level that is being made need not be looked at
   any more; earlier ones have shorter traces, and are. */
static void remove_covered(decision *d, uint32_t state, uint32_t subset) {
  uint32_t *place = &d->newest[state];
  while (*place != 0) {
    node *other = &d->nodes[*place - 1];
    if (!is_subset(d, subset, other->subset)) {
      place = &other->next;
      continue;
    }
    if (*place - 1 >= d->level) other->subset = GM_NO_SUBSET;
    *place = other->next;
  }
}

static bool is_allowed(const decision *d) { return d->allowance.failed == GM_IS_INCLUDED; }

static bool visit(decision *d, uint32_t state, uint32_t subset, uint32_t parent) {
  if (!is_new_pair(d, state, subset) || is_covered(d, state, subset)) return is_allowed(d);
  remove_covered(d, state, subset);
  if (d->count >= NOBODY - 1) d->allowance.failed = GM_INCLUSION_NO_MEMORY;
  if (!gm_allow_room(&d->allowance, (void **)&d->nodes, &d->room, d->count, sizeof *d->nodes)) return false;
  d->nodes[d->count] = (node){state, subset, parent, d->newest[state]};
  d->newest[state] = (uint32_t)++d->count;
  return is_allowed(d);
}

/* ---- levels: nodes whose traces have the same length ---- */

static bool differs(decision *d, uint32_t parent, uint32_t state) {
  if (is_allowed(d)) { /* else it is not known what the second graph can do */
    d->different_from = parent;
    d->different_to = state;
  }
  return false;
}

/* The functions below are false if there is a difference, or no more to be done. */
static bool begin(decision *d) {
  for (uint32_t i = 0; i < d->first->initial_count; i++) {
    uint32_t state = d->first->initial[i], subset = gm_next_subset(&d->subsets, GM_BEFORE, d->first->observations[state]);
    if (subset == GM_NO_SUBSET) return differs(d, NOBODY, state);
    if (!visit(d, state, subset, NOBODY)) return false;
  }
  return true;
}

/* To the level that is being made belongs what silent steps lead to. */
static bool follow_silently(decision *d) {
  for (uint64_t number = d->level; number < d->count; number++) {
    node from = d->nodes[number];
    if (from.subset == GM_NO_SUBSET) continue;
    uint64_t edge = d->steps.silent_first[from.state], end = d->steps.silent_first[from.state + 1];
    d->taken += end - edge;
    if (!gm_allow_work(&d->allowance, 1 + end - edge)) return false;
    for (; edge < end; edge++)
      if (!visit(d, d->steps.silent[edge], from.subset, (uint32_t)number)) return false;
  }
  return true;
}

static bool follow_visibly(decision *d, uint64_t number) {
  node from = d->nodes[number];
  uint64_t edge = d->steps.visible_first[from.state], end = d->steps.visible_first[from.state + 1];
  if (from.subset == GM_NO_SUBSET) return true;
  if (!gm_allow_work(&d->allowance, 1 + end - edge)) return false;
  for (; edge < end; edge++) {
    uint32_t state = d->steps.visible[edge];
    uint32_t subset = gm_next_subset(&d->subsets, from.subset, d->first->observations[state]);
    d->taken++;
    if (subset == GM_NO_SUBSET) return differs(d, (uint32_t)number, state);
    if (!visit(d, state, subset, (uint32_t)number)) return false;
  }
  return true;
}

static bool decide(decision *d) {
  if (!begin(d) || !follow_silently(d)) return false;
  while (d->level < d->count) {
    uint64_t number = d->level, end = d->count;
    d->level = end;
    for (; number < end; number++)
      if (!follow_visibly(d, number)) return false;
    if (!follow_silently(d)) return false;
  }
  return true;
}

/* ---- the answer ---- */

static enum gm_inclusion_answer tell_run(const decision *d, gm_inclusion *out) {
  uint32_t length = 1;
  for (uint32_t at = d->different_from; at != NOBODY; at = d->nodes[at].parent) length++;
  out->run = malloc((size_t)length * sizeof *out->run);
  if (!out->run) return GM_INCLUSION_NO_MEMORY;
  out->length = length;
  out->run[--length] = d->different_to;
  for (uint32_t at = d->different_from; at != NOBODY; at = d->nodes[at].parent) out->run[--length] = d->nodes[at].state;
  return GM_IS_DIFFERENT;
}

enum gm_inclusion_answer gm_include(const gm_observed_graph *first, const gm_observed_graph *second, uint64_t memory,
                                    gm_inclusion_poll poll, gm_inclusion *out) {
  decision d;
  memset(&d, 0, sizeof d);
  memset(out, 0, sizeof *out);
  d.allowance.limit = memory;
  d.allowance.poll = poll;
  if (decision_open(&d, first, second)) decide(&d);
  enum gm_inclusion_answer answer = d.allowance.failed;
  if (answer == GM_IS_INCLUDED && d.different_to != NOBODY) answer = tell_run(&d, out);
  out->product_steps = d.taken;
  out->nodes = d.count;
  out->subsets = d.subsets.count ? d.subsets.count - 1 : 0;
  out->bytes = d.allowance.bytes;
  decision_close(&d);
  return answer;
}

void gm_inclusion_clear(gm_inclusion *out) {
  free(out->run);
  memset(out, 0, sizeof *out);
}
