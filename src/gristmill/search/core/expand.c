/* Calls of the model. */

#include "table.h"

/* With fingerprints only, the hash is the key. */
static enum gm_status key_of(gm_searcher *worker, const uint32_t *state, uint32_t *key) {
  gm_core *core = worker->core;
  uint32_t own[2];
  uint64_t hash;
  if (!core->limits.fingerprints_only) return core->model.key(worker->own, state, key);
  if (core->model.key_words == 0) {
    hash = gm_hash(state, core->model.words);
  } else {
    uint32_t *full = worker->view;
    enum gm_status status = core->model.key(worker->own, state, full);
    if (status != GM_STATUS_OK) return status;
    hash = gm_hash(full, core->model.key_words);
  }
  own[0] = (uint32_t)hash, own[1] = (uint32_t)(hash >> 32);
  memcpy(key, own, sizeof own);
  return GM_STATUS_OK;
}

enum gm_status gm_key(gm_searcher *worker, const uint32_t *state, uint32_t *key) {
  for (;;) {
    enum gm_status status = key_of(worker, state, key);
    if (status != GM_STATUS_AGAIN) return status;
    gm_park(worker, GM_WISH_PAUSE);
  }
}

enum gm_status gm_reasons(gm_searcher *worker, const uint32_t *state, const uint32_t *successor) {
  const gm_core *core = worker->core;
  worker->reasons = 0;
  if (!core->limits.keep_going || !core->model.reasons) return GM_STATUS_STOP;
  for (;;) {
    enum gm_status status = core->model.reasons(worker->own, state, successor, &worker->reasons);
    if (status != GM_STATUS_AGAIN) return status == GM_STATUS_OK ? GM_STATUS_STOP : status;
    gm_park(worker, GM_WISH_PAUSE);
  }
}

enum gm_status gm_check(gm_searcher *worker, const uint32_t *state, const uint32_t *parent) {
  const gm_model *model = &worker->core->model;
  if (!model->check) return GM_STATUS_OK;
  for (;;) {
    enum gm_status status = model->check(worker->own, state, parent);
    if (status == GM_STATUS_STOP) return gm_reasons(worker, state, NULL);
    if (status != GM_STATUS_AGAIN) return status;
    gm_park(worker, GM_WISH_PAUSE);
  }
}

/* What has none is not known, as if a constraint could not be evaluated. */
enum gm_status gm_add_key(gm_searcher *worker, uint32_t i) {
  gm_sink *sink = &worker->sink;
  uint32_t *key = sink->keys + (size_t)i * sink->key_words;
  switch (gm_key(worker, sink->states + (size_t)i * sink->words, key)) {
    case GM_STATUS_OK:
      sink->hashes[i] = gm_hash(key, sink->key_words);
      gm_prefetch_slot(sink->table, sink->hashes[i]);
      return GM_STATUS_OK;
    case GM_STATUS_MISFIT:
      return GM_STATUS_MISFIT;
    default:
      sink->marks[i] |= GM_MARK_UNKNOWN;
      return GM_STATUS_OK;
  }
}

/* Of what was emitted for this state. */
static enum gm_status add_keys(gm_searcher *worker) {
  gm_sink *sink = &worker->sink;
  for (uint32_t i = sink->start; i < sink->count; i++) {
    if (sink->marks[i] & (GM_MARK_CUT | GM_MARK_UNKNOWN)) continue;
    if (gm_add_key(worker, i) == GM_STATUS_MISFIT) return GM_STATUS_MISFIT;
  }
  return GM_STATUS_OK;
}

/* Once, without another try. */
static enum gm_status attempt(gm_searcher *worker, const uint32_t *state) {
  const gm_model *model = &worker->core->model;
  gm_sink *sink = &worker->sink;
  sink->start = sink->count;
  sink->said.start = sink->said.used;
  sink->said.before = 0;
  enum gm_status status = model->expand(worker->own, state, sink);
  if (status == GM_STATUS_AGAIN || status == GM_STATUS_MISFIT) {
    gm_forget(sink);
    return status;
  }
  if (sink->key_words > 0 && add_keys(worker) == GM_STATUS_MISFIT) {
    gm_forget(sink);
    return GM_STATUS_MISFIT;
  }
  return status == GM_STATUS_OK ? GM_STATUS_OK : GM_STATUS_STOP;
}

static enum gm_status expand(gm_searcher *worker, const uint32_t *state) {
  for (;;) {
    enum gm_status status = attempt(worker, state);
    if (status != GM_STATUS_AGAIN) return status;
    gm_park(worker, GM_WISH_PAUSE);
  }
}

const uint32_t *gm_parent_words(gm_searcher *worker, uint64_t number) {
  const gm_core *core = worker->core;
  return worker->parent = gm_words(core, number, worker->words + worker->batch_count * (size_t)core->model.words);
}

enum gm_status gm_expand(gm_searcher *worker, uint64_t number) {
  const uint32_t *words = gm_parent_words(worker, number);
  worker->sink.said.parent = number;
  enum gm_status status = expand(worker, words);
  worker->batch[worker->batch_count++] = (gm_expanded){number, words, worker->sink.count, status};
  return status;
}

/* The level of a state that is known. */
static uint32_t level_of(const gm_core *core, uint64_t number) {
  uint32_t level = 1;
  while (level <= core->levels && gm_level_start(core, level + 1) <= number) level++;
  return level;
}

static int follow(gm_core *core, const uint32_t *parent, uint64_t number, uint32_t *out) {
  gm_searcher *worker = &core->workers[0];
  const gm_sink *sink = &worker->sink;
  gm_sink_clear(&worker->sink);
  expand(worker, parent);
  for (uint32_t i = 0; i < sink->count; i++) {
    const uint32_t *words = sink->states + (size_t)i * sink->words;
    const uint32_t *key = sink->key_words ? sink->keys + (size_t)i * sink->key_words : words;
    if (sink->marks[i] & (GM_MARK_CUT | GM_MARK_UNKNOWN) || sink->actions[i] != gm_action(core, number)) continue;
    if (!gm_has_key(core, number, key)) continue;
    memcpy(out, words, sink->words * sizeof *out);
    return 0;
  }
  return -1;
}

/* The model may ask for the level. */
int gm_follow(gm_core *core, const uint32_t *parent, uint64_t number, uint32_t *out) {
  if (number >= core->count) return -1;
  gm_said *said = &core->workers[0].sink.said;
  uint32_t before = core->level;
  bool was_silent = said->silent;
  core->level = level_of(core, number) - 1;
  said->silent = true;
  int answer = follow(core, parent, number, out);
  said->silent = was_silent;
  core->level = before;
  return answer;
}
