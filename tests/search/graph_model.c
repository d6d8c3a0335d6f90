/* A model for the search core that is a table: an explicit graph. */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { BRANCHES = 3 }; /* by action; edges of a node are in this order */

typedef struct graph {
  uint32_t nodes, words;
  const uint32_t *first;   /* edges of node n: first[n] … first[n + 1] - 1 */
  const uint32_t *targets, *actions, *marks;
  const uint32_t *expand_status, *check_status; /* by node */
  const uint32_t *keys;                         /* by node; NULL if there are none */
  _Atomic uint32_t *again; /* by node: how often something is asked to be done again first */
  _Atomic uint32_t running, pauses, mistakes;
} graph;

static void fill(const graph *own, uint32_t node, uint32_t *words) {
  words[0] = node;
  for (uint32_t i = 1; i < own->words; i++) words[i] = node * 2654435761u ^ i;
}

/* Whether the caller must try again. Nobody else may be in a callback during a pause. */
static bool again(graph *own, uint32_t node) {
  uint32_t left = atomic_load(&own->again[node]);
  while (left > 0)
    if (atomic_compare_exchange_weak(&own->again[node], &left, left - 1)) return true;
  return false;
}

static void emit(graph *own, gm_sink *sink, uint32_t edge) {
  uint32_t words[64];
  if (edge % 2) {
    fill(own, own->targets[edge], words);
    gm_emit(sink, own->actions[edge], words, own->marks[edge]);
  } else {
    fill(own, own->targets[edge], gm_place(sink));
    gm_emit_placed(sink, own->actions[edge], own->marks[edge]);
  }
}

/* A branch says up to two things, wherever it likes. */
static void say(gm_sink *sink, uint32_t node, uint32_t branch, uint32_t number) {
  uint32_t saying[] = {node, branch, number};
  if (number < (node + branch) % 3) gm_say(sink, saying, sizeof saying);
}

static enum gm_status expand(void *context, const uint32_t *state, gm_sink *sink) {
  graph *own = context;
  uint32_t node = state[0], edge = own->first[node], end = own->first[node + 1];
  enum gm_status status = (enum gm_status)own->expand_status[node];
  atomic_fetch_add(&own->running, 1);
  for (uint32_t branch = 0; branch < BRANCHES; branch++) {
    gm_begin_branch(sink);
    say(sink, node, branch, 0);
    while (edge < end && own->actions[edge] == branch) emit(own, sink, edge++);
    say(sink, node, branch, 1);
  }
  if (again(own, node)) status = GM_STATUS_AGAIN;
  atomic_fetch_sub(&own->running, 1);
  return status;
}

static enum gm_status check(void *context, const uint32_t *state, const uint32_t *parent) {
  (void)parent;
  graph *own = context;
  uint32_t words[64];
  atomic_fetch_add(&own->running, 1);
  fill(own, state[0], words);
  if (memcmp(words, state, own->words * sizeof *words) != 0) atomic_fetch_add(&own->mistakes, 1);
  enum gm_status status = again(own, state[0]) ? GM_STATUS_AGAIN : (enum gm_status)own->check_status[state[0]];
  atomic_fetch_sub(&own->running, 1);
  return status;
}

static enum gm_status key(void *context, const uint32_t *state, uint32_t *out) {
  graph *own = context;
  if (again(own, state[0])) return GM_STATUS_AGAIN;
  out[0] = own->keys[state[0]];
  return GM_STATUS_OK;
}

static void pause_all(void *context) {
  graph *own = context;
  atomic_fetch_add(&own->pauses, 1);
  if (atomic_load(&own->running) != 0) atomic_fetch_add(&own->mistakes, 1);
}

void graph_model(graph *own, uint32_t actions, bool check_deadlock, bool keep_edges, gm_model *out) {
  memset(out, 0, sizeof *out);
  out->words = own->words;
  out->actions = actions;
  out->key_words = own->keys ? 1 : 0;
  out->check_deadlock = check_deadlock;
  out->keep_edges = keep_edges;
  out->context = own;
  out->expand = expand;
  out->check = check;
  out->key = own->keys ? key : NULL;
  out->pause = pause_all;
}
