/* One part of a search that several processes share: the states that it owns, in a core of its own. See partition.h. */

#include "partition.h"

#include "engine.h"
#include "parts.h"

enum { CACHED = 1 << 15, MOST_EVENTS = 1024, MOST_HEADER = 30 };

typedef struct bytes {
  uint8_t *data;
  size_t size, room;
} bytes;

struct gm_partition {
  gm_engine *engine;
  gm_core *core;
  gm_runner *runner;
  gm_sink *sink;
  uint32_t owners, self, words;
  bool check_deadlock, has_check, has_key;
  bytes *out;     /* for each owner */
  bytes state, saved, events;
  uint32_t *parent, *decoded, *key, *cached;
  bool *is_cached;
  gm_partition_counts now;
  uint64_t *taken, *sent, stored;
};

/* ---- making and ending ---- */

gm_partition *gm_partition_new(gm_engine *e, gm_core *core, uint32_t owners, uint32_t self, bool check_deadlock) {
  gm_partition *p = gm_checked(calloc(1, sizeof *p));
  size_t words = e->state_words + 1;
  p->engine = e;
  p->core = core;
  p->runner = gm_checked(gm_runner_new(e));
  p->sink = gm_checked(gm_sink_new(e->state_words));
  p->owners = owners;
  p->self = self;
  p->words = e->state_words;
  p->check_deadlock = check_deadlock;
  p->has_check = e->spec->invariants > 0;
  p->has_key = e->symmetries > 0;
  p->out = gm_checked(calloc(owners, sizeof *p->out));
  p->parent = gm_checked(calloc(words, sizeof *p->parent));
  p->decoded = gm_checked(calloc(words, sizeof *p->decoded));
  p->key = gm_checked(calloc(words, sizeof *p->key));
  p->cached = gm_checked(calloc(CACHED, words * sizeof *p->cached));
  p->is_cached = gm_checked(calloc(CACHED, sizeof *p->is_cached));
  p->taken = gm_checked(calloc(e->spec->actions + 1, sizeof *p->taken));
  p->sent = gm_checked(calloc(owners, sizeof *p->sent));
  return p;
}

void gm_partition_free(gm_partition *p) {
  for (uint32_t i = 0; i < p->owners; i++) free(p->out[i].data);
  gm_runner_free(p->runner);
  gm_sink_free(p->sink);
  free(p->out);
  free(p->state.data);
  free(p->saved.data);
  free(p->events.data);
  free(p->parent);
  free(p->decoded);
  free(p->key);
  free(p->cached);
  free(p->is_cached);
  free(p->taken);
  free(p->sent);
  free(p);
}

void gm_partition_forget(gm_partition *p) { memset(p->is_cached, 0, CACHED * sizeof *p->is_cached); }

/* ---- states as bytes that mean the same in every process ---- */

static void need(bytes *b, size_t more) {
  if (b->size + more <= b->room) return;
  b->room = 2 * (b->size + more) + 4096;
  b->data = gm_checked(realloc(b->data, b->room));
}

static void append(bytes *to, const uint8_t *data, size_t size) {
  need(to, size);
  memcpy(to->data + to->size, data, size);
  to->size += size;
}

static enum gm_partition_answer answer_of(int why) { return why == GM_MISFIT ? GM_PARTITION_MISFIT : GM_PARTITION_FAILED; }

/* Into p->state. What a state holds is kept, so that equal states have equal bytes, whatever the layout. */
static enum gm_partition_answer encode(gm_partition *p, const uint32_t *words) {
  const gm_engine *e = p->engine;
  gm_worker *w = p->runner->worker;
  for (;;) {
    jmp_buf here;
    begin(p->runner, words, 0, &here);
    bytes *out = &p->state;
    out->size = 0;
    volatile size_t needed = 0;
    int why = setjmp(here);
    if (why == GM_FULL && gm_grow(e->heap)) continue;
    if (why != 0) return answer_of(why);
    for (uint32_t i = 0; i < e->spec->variables; i++) {
      V v = e->spec->build[i](w, w->current + e->spec->first_slot[i]);
      needed += gm_encode(w, v, out->data + needed, out->room > needed ? out->room - needed : 0);
    }
    if (needed <= out->room) {
      out->size = needed;
      return GM_PARTITION_OK;
    }
    need(out, needed);
  }
}

static enum gm_partition_answer decode(gm_partition *p, const uint8_t *data, size_t size) {
  for (;;) {
    while (gm_must_grow(p->engine->heap) && gm_grow(p->engine->heap)) continue;
    int why = gm_engine_words(p->engine, data, size, p->decoded);
    if (why == 0) return GM_PARTITION_OK;
    if (why != GM_FULL || !gm_grow(p->engine->heap)) return answer_of(why);
  }
}

static enum gm_partition_answer find_key(gm_partition *p, const uint32_t *words) {
  for (;;) {
    enum gm_status status = gm_runner_key(p->runner, words, p->key);
    if (status == GM_STATUS_OK) return GM_PARTITION_OK;
    if (status == GM_STATUS_MISFIT) return GM_PARTITION_MISFIT;
    if (status != GM_STATUS_AGAIN || !gm_grow(p->engine->heap)) return GM_PARTITION_FAILED;
  }
}

static uint64_t hash_of(const bytes *b) {
  uint64_t hash = mixed(0x6a09e667f3bcc909u, b->size), word;
  size_t at = 0;
  for (; at + sizeof word <= b->size; at += sizeof word) {
    memcpy(&word, b->data + at, sizeof word);
    hash = mixed(hash, word);
  }
  for (word = 0; at < b->size; at++) word = word << 8 | b->data[at];
  hash = mixed(hash, word);
  return mixed(hash, hash >> 32);
}

/* Who owns a state: decided by the bytes of its representative. Leaves the bytes of the state in p->state. */
static enum gm_partition_answer find_owner(gm_partition *p, const uint32_t *words, uint32_t *owner) {
  enum gm_partition_answer answer = p->has_key ? find_key(p, words) : GM_PARTITION_OK;
  if (answer == GM_PARTITION_OK) answer = encode(p, p->has_key ? p->key : words);
  if (answer != GM_PARTITION_OK) return answer;
  *owner = (uint32_t)((hash_of(&p->state) >> 32) * p->owners >> 32);
  return p->has_key ? encode(p, words) : GM_PARTITION_OK;
}

/* A record: its size, 0 or 1 + the parent, the action, the bytes of the state. */
static void write_record(bytes *to, uint64_t parent, uint32_t action, const bytes *state) {
  uint8_t header[MOST_HEADER];
  size_t size = gm_write_varint(header, state->size);
  size += gm_write_varint(header + size, parent + 1);
  size += gm_write_varint(header + size, action);
  append(to, header, size);
  append(to, state->data, state->size);
}

/* ---- what is wrong ---- */

/* Without a state, that of the parent is told. */
static enum gm_partition_answer tell(gm_partition *p, enum gm_outcome kind, uint64_t parent, uint32_t action,
                                     const uint32_t *words) {
  if (p->now.events++ >= MOST_EVENTS) return GM_PARTITION_OK;
  enum gm_partition_answer answer = encode(p, words ? words : p->parent);
  if (answer != GM_PARTITION_OK) return answer;
  uint8_t header[MOST_HEADER];
  append(&p->events, header, gm_write_varint(header, kind));
  write_record(&p->events, parent, words ? action : 0, &p->state);
  return GM_PARTITION_OK;
}

static enum gm_partition_answer check(gm_partition *p, uint64_t parent, uint32_t action, const uint32_t *words, bool *passed) {
  *passed = true;
  if (!p->has_check) return GM_PARTITION_OK;
  enum gm_status status;
  do status = gm_runner_check(p->runner, words, NULL);
  while (status == GM_STATUS_AGAIN && gm_grow(p->engine->heap));
  if (status == GM_STATUS_OK) return GM_PARTITION_OK;
  *passed = false;
  if (status == GM_STATUS_MISFIT) return GM_PARTITION_MISFIT;
  if (status == GM_STATUS_AGAIN) return GM_PARTITION_NO_MEMORY;
  return tell(p, status == GM_STATUS_STOP ? GM_OUTCOME_BAD_STATE : GM_OUTCOME_FAILED_CHECK, parent, action, words);
}

/* ---- storing ---- */

static uint64_t everywhere(const gm_partition *p, uint64_t number) { return number * p->owners + p->self; }

static enum gm_partition_answer store(gm_partition *p, const uint32_t *words, uint64_t parent, uint32_t action,
                                      bool is_checked, bool *passed) {
  *passed = true;
  if (parent != UINT64_MAX && parent >= GM_PARTITION_MOST) return GM_PARTITION_NO_MEMORY;
  int added = gm_add_known(p->core, words, parent, action, 1); /* which level it is, the owner of all knows */
  if (added < 0) return GM_PARTITION_NO_MEMORY;
  if (added == 0) return GM_PARTITION_OK;
  p->stored++;
  p->now.fresh++;
  return is_checked ? GM_PARTITION_OK : check(p, parent, action, words, passed);
}

typedef struct record {
  uint64_t parent;
  uint32_t action;
  const uint8_t *data;
  size_t size;
} record;

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *n) {
  *n = 0;
  for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
    uint8_t byte = *(*at)++;
    *n |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

static bool read_record(const uint8_t **at, const uint8_t *end, uint32_t actions, record *out) {
  uint64_t size, parent, action;
  if (!read_varint(at, end, &size) || !read_varint(at, end, &parent) || !read_varint(at, end, &action)) return false;
  if (size > (uint64_t)(end - *at) || (parent && action >= actions)) return false;
  *out = (record){parent - 1, (uint32_t)action, *at, (size_t)size};
  *at += size;
  return true;
}

static void begin_call(gm_partition *p) {
  p->runner->worker->stack_limit = gm_stack_limit(); /* each call may come from another thread */
  memset(&p->now, 0, sizeof p->now);
  p->events.size = 0;
  for (uint32_t i = 0; i < p->owners; i++) {
    p->out[i].size = 0;
    p->sent[i] = 0;
  }
  memset(p->taken, 0, (p->engine->spec->actions + 1) * sizeof *p->taken);
}

/* Initial states come to everybody, and each takes its own. */
static enum gm_partition_answer insert_one(gm_partition *p, const record *r, enum gm_partition_kind kind) {
  bool passed;
  enum gm_partition_answer answer = decode(p, r->data, r->size);
  if (answer != GM_PARTITION_OK) return answer;
  p->now.received++;
  if (kind == GM_PARTITION_INITIAL) {
    uint32_t owner = 0;
    answer = find_owner(p, p->decoded, &owner);
    if (answer != GM_PARTITION_OK || owner != p->self) return answer;
  } else if (p->has_key) {
    answer = find_key(p, p->decoded); /* what it takes is made here, where there may be made room for it */
    if (answer != GM_PARTITION_OK) return answer;
  }
  return store(p, p->decoded, r->parent, r->action, kind != GM_PARTITION_SENT, &passed);
}

enum gm_partition_answer gm_partition_insert(gm_partition *p, const uint8_t *data, size_t size,
                                             enum gm_partition_kind kind, size_t *at) {
  const uint8_t *next = data, *end = data + size;
  record r;
  begin_call(p);
  while (next < end) {
    *at = (size_t)(next - data);
    if (!read_record(&next, end, p->engine->spec->actions, &r)) return GM_PARTITION_DAMAGED;
    enum gm_partition_answer answer = insert_one(p, &r, kind);
    if (answer != GM_PARTITION_OK) return answer;
  }
  return GM_PARTITION_OK;
}

/* ---- expanding ---- */

/* Whether it was routed in this level already. Two states never count as one here: the words are compared. */
static bool is_repeated(gm_partition *p, const uint32_t *words) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < p->words; i++) hash = mixed(hash, words[i]);
  size_t at = (hash >> 20) & (CACHED - 1);
  uint32_t *cached = p->cached + at * (p->words + 1);
  if (p->is_cached[at] && memcmp(cached, words, p->words * sizeof *words) == 0) return true;
  memcpy(cached, words, p->words * sizeof *words);
  p->is_cached[at] = true;
  return false;
}

static enum gm_partition_answer route(gm_partition *p, uint64_t parent, uint32_t action, const uint32_t *words) {
  uint32_t owner = 0;
  bool passed;
  if (is_repeated(p, words)) {
    p->now.repeated++;
    return GM_PARTITION_OK;
  }
  enum gm_partition_answer answer = find_owner(p, words, &owner);
  if (answer != GM_PARTITION_OK) return answer;
  p->sent[owner]++;
  if (owner == p->self) {
    p->now.received++;
    return store(p, words, parent, action, false, &passed);
  }
  write_record(&p->out[owner], parent, action, &p->state);
  return GM_PARTITION_OK;
}

static enum gm_partition_answer absorb(gm_partition *p, uint64_t parent, uint32_t i) {
  uint32_t action = gm_sink_actions(p->sink)[i], marks = gm_sink_marks(p->sink)[i];
  const uint32_t *words = gm_sink_states(p->sink) + (size_t)i * p->words;
  enum gm_partition_answer answer;
  bool passed = true;
  p->now.generated++;
  p->taken[action]++;
  if (marks & GM_MARK_UNKNOWN) {
    p->now.unknown++;
    return tell(p, GM_OUTCOME_FAILED_CHECK, parent, action, words);
  }
  if (marks & GM_MARK_CUT) {
    p->now.cut++;
    answer = check(p, parent, action, words, &passed);
  } else {
    answer = route(p, parent, action, words);
  }
  if (answer != GM_PARTITION_OK || !passed) return answer;
  if (marks & GM_MARK_UNKNOWN_STEP) return tell(p, GM_OUTCOME_FAILED_CHECK, parent, action, words);
  if (marks & GM_MARK_BAD_STEP) return tell(p, GM_OUTCOME_BAD_STEP, parent, action, words);
  if (marks & GM_MARK_UNMET) return tell(p, GM_OUTCOME_UNMET, parent, action, words);
  return GM_PARTITION_OK;
}

static enum gm_status successors(gm_partition *p) {
  enum gm_status status;
  do {
    while (gm_must_grow(p->engine->heap) && gm_grow(p->engine->heap)) continue;
    gm_sink_empty(p->sink);
    gm_sink_begin(p->sink);
    status = gm_runner_expand(p->runner, p->parent, p->sink);
  } while (status == GM_STATUS_AGAIN && gm_grow(p->engine->heap));
  return status;
}

static enum gm_partition_answer expand(gm_partition *p, uint64_t number) {
  const uint32_t *state = gm_state(p->core, number, p->parent);
  if (state != p->parent) memcpy(p->parent, state, p->words * sizeof *p->parent);
  enum gm_status status = successors(p);
  if (status == GM_STATUS_MISFIT) return GM_PARTITION_MISFIT;
  if (status == GM_STATUS_AGAIN || gm_sink_failed(p->sink)) return GM_PARTITION_NO_MEMORY;
  uint32_t count = gm_sink_count(p->sink);
  uint64_t parent = everywhere(p, number);
  for (uint32_t i = 0; i < count; i++) {
    enum gm_partition_answer answer = absorb(p, parent, i);
    if (answer != GM_PARTITION_OK) return answer;
  }
  p->now.expanded++;
  if (status != GM_STATUS_OK) return tell(p, GM_OUTCOME_FAILED, parent, 0, NULL);
  if (count == 0 && p->check_deadlock) return tell(p, GM_OUTCOME_DEADLOCK, parent, 0, NULL);
  return GM_PARTITION_OK;
}

static size_t waiting(const gm_partition *p) {
  size_t size = 0;
  for (uint32_t i = 0; i < p->owners; i++) size += p->out[i].size;
  return size;
}

enum gm_partition_answer gm_partition_expand(gm_partition *p, uint64_t start, uint64_t end, size_t most, uint64_t *next) {
  begin_call(p);
  for (*next = start; *next < end && p->now.generated < most && waiting(p) < 64 * most; (*next)++) {
    enum gm_partition_answer answer = expand(p, *next);
    if (answer != GM_PARTITION_OK) return answer;
  }
  return GM_PARTITION_OK;
}

/* ---- what came of it ---- */

void gm_partition_read(const gm_partition *p, gm_partition_counts *out) { *out = p->now; }
uint64_t gm_partition_stored(const gm_partition *p) { return p->stored; }
const uint64_t *gm_partition_taken(const gm_partition *p) { return p->taken; }

const uint8_t *gm_partition_batch(const gm_partition *p, uint32_t owner, size_t *size, uint64_t *count) {
  *size = p->out[owner].size;
  *count = p->sent[owner];
  return p->out[owner].data;
}

const uint8_t *gm_partition_events(const gm_partition *p, size_t *size) {
  *size = p->events.size;
  return p->events.data;
}

enum gm_partition_answer gm_partition_save(gm_partition *p, uint64_t start, uint64_t end) {
  p->saved.size = 0;
  for (uint64_t number = start; number < end; number++) {
    enum gm_partition_answer answer = encode(p, gm_state(p->core, number, p->parent));
    if (answer != GM_PARTITION_OK) return answer;
    uint64_t parent = gm_parent(p->core, number);
    write_record(&p->saved, parent, parent == UINT64_MAX ? 0 : gm_action(p->core, number), &p->state);
  }
  return GM_PARTITION_OK;
}

const uint8_t *gm_partition_saved(const gm_partition *p, size_t *size) {
  *size = p->saved.size;
  return p->saved.data;
}

void gm_partition_found(const gm_partition *p, uint64_t start, uint64_t end, uint64_t *found) {
  for (uint64_t number = start; number < end; number++)
    if (gm_parent(p->core, number) != UINT64_MAX) found[gm_action(p->core, number)]++;
}
