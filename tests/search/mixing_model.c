/* A model for the search core with as many states as one likes: numbers, each with a few successors anywhere. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"

typedef struct mixing {
  uint32_t nodes, seed, forbidden; /* `forbidden`: violates the invariant; >= nodes: none */
  uint32_t delay;                  /* microseconds for every 4096th state */
  uint32_t saved, loaded;          /* how often */
} mixing;

static uint32_t successor(const mixing *own, uint32_t node, uint32_t i) {
  uint64_t hash = ((uint64_t)node * 4 + i + own->seed) * 0x9e3779b97f4a7c15u;
  return (uint32_t)((hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u >> 32) % own->nodes;
}

static enum gm_status expand(void *context, const uint32_t *state, gm_sink *sink) {
  const mixing *own = context;
  if (own->delay && state[0] % 4096 == 0) usleep(own->delay);
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t node = i == 0 ? (state[0] + 1) % own->nodes : successor(own, state[0], i);
    uint32_t words[4] = {node, ~node, node / 3, 7};
    gm_emit(sink, i, words, 0);
  }
  return GM_STATUS_OK;
}

static enum gm_status check(void *context, const uint32_t *state, const uint32_t *parent) {
  (void)parent;
  const mixing *own = context;
  return state[0] == own->forbidden || state[1] != ~state[0] ? GM_STATUS_STOP : GM_STATUS_OK;
}

static int save(void *context, int file) {
  mixing *own = context;
  own->saved++;
  return write(file, &own->nodes, sizeof own->nodes) == sizeof own->nodes ? 0 : -1;
}

static int load(void *context, int file) {
  mixing *own = context;
  uint32_t nodes;
  own->loaded++;
  return read(file, &nodes, sizeof nodes) == sizeof nodes && nodes == own->nodes ? 0 : -1;
}

void mixing_model(mixing *own, gm_model *out) {
  memset(out, 0, sizeof *out);
  out->words = 4;
  out->actions = 4;
  out->context = own;
  out->expand = expand;
  out->check = check;
  out->save = save;
  out->load = load;
  out->identity = own->seed;
}
