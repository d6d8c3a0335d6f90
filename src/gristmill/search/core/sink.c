/* Successors, collected and hashed, their slots on the way into the cache, before any of them is looked up. */

#include <stdlib.h>
#include <string.h>

#include "table.h"

static int resize(gm_sink *sink, uint32_t capacity) {
  size_t width = sink->words + 1; /* never 0 */
  void *states = realloc(sink->states, width * capacity * sizeof(uint32_t));
  if (states) sink->states = states;
  void *keys = realloc(sink->keys, ((size_t)sink->key_words + 1) * capacity * sizeof(uint32_t));
  if (keys) sink->keys = keys;
  void *actions = realloc(sink->actions, capacity * sizeof(uint32_t));
  if (actions) sink->actions = actions;
  void *hashes = realloc(sink->hashes, capacity * sizeof(uint64_t));
  if (hashes) sink->hashes = hashes;
  void *marks = realloc(sink->marks, capacity);
  if (marks) sink->marks = marks;
  if (!states || !keys || !actions || !hashes || !marks) return -1;
  sink->capacity = capacity;
  return 0;
}

int gm_sink_open(gm_sink *sink, const gm_core *core) {
  memset(sink, 0, sizeof *sink);
  sink->words = core->model.words;
  sink->key_words = core->key_region.base ? core->key_words : 0;
  sink->table = &core->table;
  sink->said.silent = !core->model.said;
  return resize(sink, 4 * GM_BATCH);
}

void gm_sink_close(gm_sink *sink) {
  free(sink->states);
  free(sink->keys);
  free(sink->actions);
  free(sink->hashes);
  free(sink->marks);
  free(sink->said.bytes);
  memset(sink, 0, sizeof *sink);
}

void gm_sink_clear(gm_sink *sink) { sink->count = sink->start = 0; }

void gm_forget(gm_sink *sink) {
  sink->count = sink->start;
  sink->said.used = sink->said.start;
  sink->said.before = 0;
}

uint32_t *gm_place(gm_sink *sink) {
  if (sink->count == sink->capacity && (sink->capacity > UINT32_MAX / 4 || resize(sink, 2 * sink->capacity) != 0)) {
    sink->failed = true; /* the worker will see it; until then, successors overwrite the last one */
    sink->count--;
  }
  return sink->states + (size_t)sink->count * sink->words;
}

void gm_emit_placed(gm_sink *sink, uint32_t action, uint32_t marks) {
  uint32_t at = sink->count++;
  sink->actions[at] = action;
  sink->marks[at] = (uint8_t)marks;
  sink->hashes[at] = 0;
  if (sink->key_words > 0) return; /* the key is computed when the state is expanded: it may take another try */
  uint64_t hash = gm_hash(sink->states + (size_t)at * sink->words, sink->words);
  sink->hashes[at] = hash;
  gm_prefetch_slot(sink->table, hash);
}

void gm_emit(gm_sink *sink, uint32_t action, const uint32_t *words, uint32_t marks) {
  memcpy(gm_place(sink), words, sink->words * sizeof(uint32_t));
  gm_emit_placed(sink, action, marks);
}

/* ---- without a search: with a key to be computed later, nothing is hashed or looked up ---- */

gm_sink *gm_sink_new(uint32_t words) {
  gm_sink *sink = calloc(1, sizeof *sink);
  if (!sink) return NULL;
  sink->words = words;
  sink->key_words = 1;
  sink->said.silent = true;
  if (resize(sink, GM_BATCH) == 0) return sink;
  gm_sink_free(sink);
  return NULL;
}

void gm_sink_free(gm_sink *sink) {
  if (!sink) return;
  gm_sink_close(sink);
  free(sink);
}

void gm_sink_empty(gm_sink *sink) {
  gm_sink_clear(sink);
  sink->failed = false;
}

void gm_sink_begin(gm_sink *sink) { sink->start = sink->count; }
uint32_t gm_sink_count(const gm_sink *sink) { return sink->count; }
bool gm_sink_failed(const gm_sink *sink) { return sink->failed; }
const uint32_t *gm_sink_states(const gm_sink *sink) { return sink->states; }
const uint32_t *gm_sink_actions(const gm_sink *sink) { return sink->actions; }
const uint8_t *gm_sink_marks(const gm_sink *sink) { return sink->marks; }
