/* Random graphs through the search core as a program of its own, for the sanitizers: all numbers of workers must agree.

   core_stress SEED GRAPHS */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { NODES = 400, MOST_EDGES = 8, ACTIONS = 3, WORDS = 7 };

typedef struct graph {
  uint32_t degree[NODES], targets[NODES][MOST_EDGES], actions[NODES][MOST_EDGES], marks[NODES][MOST_EDGES];
  enum gm_status expanded[NODES], checked[NODES];
  uint32_t key[NODES];
  unsigned _Atomic again[NODES];
  uint64_t heard; /* a hash of all that was said, in order */
} graph;

static uint64_t random_state;

static uint32_t below(uint32_t bound) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((random_state >> 33) % bound);
}

static bool again(graph *own, uint32_t node) {
  unsigned left = own->again[node];
  while (left > 0)
    if (__atomic_compare_exchange_n((unsigned *)&own->again[node], &left, left - 1, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
      return true;
  return false;
}

/* The words of a node: few bits of some, all bits of others, which few states have. */
static void spell(uint32_t node, uint32_t *words) {
  for (uint32_t i = 0; i < WORDS; i++) words[i] = 0;
  words[0] = node;
  words[1] = node ^ 7;
  words[3] = node % 64 == 63 ? node * 2654435761u : node % 8;
  words[4] = node % 16 == 15 ? ~node : 0;
  words[5] = node * 2654435761u;
  words[6] = node << 23;
}

static bool is_spelt(const uint32_t *words) {
  uint32_t wanted[WORDS];
  spell(words[0], wanted);
  return memcmp(words, wanted, sizeof wanted) == 0;
}

static enum gm_status expand(void *context, const uint32_t *state, gm_sink *sink) {
  graph *own = context;
  uint32_t node = state[0];
  for (uint32_t i = 0; i < own->degree[node]; i++) {
    if (i % 3 == 0) gm_begin_branch(sink);
    for (uint32_t more = 0; more < own->actions[node][i]; more++) gm_say(sink, &own->targets[node][i], 4 - i % 2);
    uint32_t target = own->targets[node][i], words[WORDS];
    spell(target, words);
    gm_emit(sink, own->actions[node][i], words, own->marks[node][i]);
  }
  return again(own, node) ? GM_STATUS_AGAIN : own->expanded[node];
}

static bool has_edge(const graph *own, uint32_t node, uint32_t target) {
  for (uint32_t i = 0; i < own->degree[node]; i++)
    if (own->targets[node][i] == target) return true;
  return false;
}

static enum gm_status check(void *context, const uint32_t *state, const uint32_t *parent) {
  graph *own = context;
  if (parent && !(is_spelt(parent) && has_edge(own, parent[0], state[0]))) abort();
  return again(own, state[0]) ? GM_STATUS_AGAIN : own->checked[state[0]];
}

static enum gm_status key(void *context, const uint32_t *state, uint32_t *out) {
  *out = ((graph *)context)->key[state[0]];
  return GM_STATUS_OK;
}

static void hear(void *context, const uint8_t *sayings, size_t size) {
  graph *own = context;
  gm_saying head;
  for (size_t at = 0; at < size; at += sizeof head + head.size) {
    memcpy(&head, sayings + at, sizeof head);
    own->heard = own->heard * 31 + head.parent * 1000 + head.before;
    for (uint32_t i = 0; i < head.size; i++) own->heard = own->heard * 31 + sayings[at + sizeof head + i];
  }
}

static void pause_all(void *context) { (void)context; }

static void make(graph *own, uint32_t trouble) {
  memset(own, 0, sizeof *own);
  for (uint32_t node = 0; node < NODES; node++) {
    own->degree[node] = below(MOST_EDGES);
    for (uint32_t i = 0; i < own->degree[node]; i++) {
      own->targets[node][i] = below(NODES);
      own->actions[node][i] = below(ACTIONS);
      own->marks[node][i] = below(1000) < trouble ? 1u << below(4) : 0;
    }
    own->expanded[node] = below(2000) < trouble ? (below(2) ? GM_STATUS_STOP : GM_STATUS_MISFIT) : GM_STATUS_OK;
    own->checked[node] = below(2000) < trouble ? (enum gm_status[]){1, 3, 4}[below(3)] : GM_STATUS_OK;
    own->key[node] = below(NODES);
  }
  for (uint32_t node = 0; node < NODES; node++)
    for (uint32_t i = 0; i < own->degree[node]; i++)
      if (own->checked[own->targets[node][i]] == own->checked[node] && below(2)) own->marks[node][i] |= GM_MARK_SAME;
}

static uint32_t word_of(const gm_core *core, uint64_t number) {
  uint32_t room[WORDS];
  const uint32_t *words = gm_state(core, number, room);
  if (words && !is_spelt(words)) abort();
  return words ? words[0] : 0;
}

static void run(graph *own, const gm_model *model, gm_limits limits, uint32_t workers, gm_report *report) {
  limits.workers = workers;
  for (uint32_t node = 0; node < NODES; node++) own->again[node] = node % 3 == 0 ? node % 2 : 0;
  own->heard = 0;
  gm_core *core = gm_core_new(model, &limits);
  for (uint32_t node = 0; node < 2; node++) {
    uint32_t words[WORDS];
    spell(node, words);
    gm_add_initial(core, words, 0);
  }
  gm_run(core);
  gm_read_report(core, report);
  uint64_t sum = 0;
  for (uint64_t number = 0; number < report->distinct; number++)
    sum = sum * 31 + word_of(core, number) + gm_parent(core, number) * 7 +
          gm_action(core, number);
  for (uint64_t number = 0; number < report->incidents; number++) {
    gm_incident incident;
    gm_read_incident(core, number, &incident);
    const uint32_t *words = gm_incident_state(core, number);
    if (words && !is_spelt(words)) abort();
    sum = sum * 31 + incident.parent + incident.action + incident.state + (words ? words[0] : 0);
  }
  report->expanded = report->expanded * 1000003 + sum + own->heard * 7919;
  gm_core_free(core);
}

static bool agree(graph *own, uint32_t number) {
  make(own, (uint32_t[]){0, 3, 30}[number % 3]);
  gm_model model = {.words = WORDS, .actions = ACTIONS, .check_deadlock = number % 5 == 0, .keep_edges = number % 4 == 0};
  model.key_words = number % 7 == 0;
  model.context = own;
  model.expand = expand;
  model.check = check;
  model.key = key;
  model.pause = pause_all;
  model.said = number % 6 < 5 ? hear : NULL;
  gm_limits limits = {.keep_going = number % 3 == 1, .fingerprints_only = number % 11 == 0};
  gm_report alone, together;
  run(own, &model, limits, 1, &alone);
  for (uint32_t workers = 2; workers <= 4; workers++) {
    run(own, &model, limits, workers, &together);
    if (memcmp(&alone, &together, sizeof alone) != 0) {
      printf("graph %u with %u workers: %llu %llu instead of %llu %llu\n", number, workers,
             (unsigned long long)together.distinct, (unsigned long long)together.generated,
             (unsigned long long)alone.distinct, (unsigned long long)alone.generated);
      return false;
    }
  }
  return true;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  graph *own = malloc(sizeof *own);
  random_state = strtoull(arguments[1], NULL, 10);
  uint32_t graphs = (uint32_t)strtoul(arguments[2], NULL, 10);
  bool good = own != NULL;
  for (uint32_t number = 0; good && number < graphs; number++) good = agree(own, number);
  free(own);
  return good ? 0 : 1;
}
