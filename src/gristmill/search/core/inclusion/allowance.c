/* Memory and time that a decision may take, and the steps of a graph by kind. */

#include <stdlib.h>
#include <string.h>

#include "subsets.h"

enum { FIRST_ROOM = 64, WORK_BETWEEN_POLLS = 1 << 20 };

static bool fail(gm_allowance *a, enum gm_inclusion_answer why) {
  if (a->failed == GM_IS_INCLUDED) a->failed = why;
  return false;
}

static bool take(gm_allowance *a, uint64_t bytes) {
  if (a->limit && (bytes > a->limit || a->bytes > a->limit - bytes)) return fail(a, GM_INCLUSION_NO_MEMORY);
  a->bytes += bytes;
  return true;
}

bool gm_allow_room(gm_allowance *a, void **items, uint64_t *room, uint64_t count, uint64_t size) {
  if (count < *room) return true;
  uint64_t wanted = count < FIRST_ROOM ? FIRST_ROOM : 2 * count;
  if (!take(a, (wanted - *room) * size)) return false;
  void *grown = realloc(*items, wanted * size);
  if (!grown) return fail(a, GM_INCLUSION_NO_MEMORY);
  *items = grown;
  *room = wanted;
  return true;
}

void *gm_allow_array(gm_allowance *a, uint64_t count, uint64_t size) {
  if (!take(a, (count + 1) * size)) return NULL;
  void *made = calloc(count + 1, size);
  if (!made) fail(a, GM_INCLUSION_NO_MEMORY);
  return made;
}

bool gm_allow_work(gm_allowance *a, uint64_t steps) {
  a->work += steps;
  if (a->failed != GM_IS_INCLUDED) return false;
  if (a->work < a->next_poll) return true;
  a->next_poll = a->work + WORK_BETWEEN_POLLS;
  return a->poll && a->poll() != 0 ? fail(a, GM_INCLUSION_STOPPED) : true;
}

static bool is_among(const uint32_t *items, uint64_t from, uint64_t to, uint32_t item) {
  enum { FEW = 16 }; /* a repetition that is overlooked costs time only */
  if (to - from > FEW) from = to - FEW;
  for (uint64_t i = from; i < to; i++)
    if (items[i] == item) return true;
  return false;
}

static void split_from(const gm_observed_graph *g, uint32_t state, gm_steps_by_kind *out, uint64_t *silent,
                       uint64_t *visible) {
  for (uint64_t edge = g->first[state]; edge < g->first[state + 1]; edge++) {
    uint32_t target = g->targets[edge];
    if (target == state) continue;
    if (g->observations[target] != g->observations[state]) {
      if (!is_among(out->visible, out->visible_first[state], *visible, target)) out->visible[(*visible)++] = target;
    } else if (!is_among(out->silent, out->silent_first[state], *silent, target)) {
      out->silent[(*silent)++] = target;
    }
  }
}

static uint64_t count_visible(const gm_observed_graph *g) {
  uint64_t visible = 0;
  for (uint32_t state = 0; state < g->states; state++)
    for (uint64_t edge = g->first[state]; edge < g->first[state + 1]; edge++)
      visible += g->observations[g->targets[edge]] != g->observations[state];
  return visible;
}

bool gm_split_steps(gm_allowance *a, const gm_observed_graph *g, gm_steps_by_kind *out) {
  uint64_t edges = g->states ? g->first[g->states] : 0, visible_count = count_visible(g), silent = 0, visible = 0;
  memset(out, 0, sizeof *out);
  out->silent_first = gm_allow_array(a, (uint64_t)g->states + 1, sizeof(uint64_t));
  out->visible_first = gm_allow_array(a, (uint64_t)g->states + 1, sizeof(uint64_t));
  out->silent = gm_allow_array(a, edges - visible_count, sizeof(uint32_t));
  out->visible = gm_allow_array(a, visible_count, sizeof(uint32_t));
  if (a->failed != GM_IS_INCLUDED) return false;
  for (uint32_t state = 0; state < g->states; state++) {
    out->silent_first[state] = silent;
    out->visible_first[state] = visible;
    split_from(g, state, out, &silent, &visible);
    if (!gm_allow_work(a, 1 + g->first[state + 1] - g->first[state])) return false;
  }
  out->silent_first[g->states] = silent;
  out->visible_first[g->states] = visible;
  return true;
}

void gm_free_steps(gm_steps_by_kind *steps) {
  free(steps->silent_first);
  free(steps->visible_first);
  free(steps->silent);
  free(steps->visible);
}
