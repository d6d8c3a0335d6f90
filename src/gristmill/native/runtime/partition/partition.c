/* One part of a search that several processes share: the states that it owns, in a core of its own. See partition.h. */

#include "partition_parts.h"

enum { MOST_EVENTS = 1024, MOST_CACHED = 1 << 17, CACHE_BYTES = 1 << 24, MOST_KNOWN = 1 << 21, LEAST_KNOWN = 1 << 16 };

/* ---- making and ending ---- */

static uint64_t cached_states(uint32_t words) {
  uint64_t count = MOST_CACHED;
  while (count > 1024 && count * (words + 2) * sizeof(uint32_t) > CACHE_BYTES) count /= 2;
  return count;
}

static void make_room(gm_partition *p, size_t words) {
  p->decoded = gm_checked(calloc(words * GM_TOGETHER, sizeof *p->decoded));
  p->key = gm_checked(calloc(words, sizeof *p->key));
  p->room = gm_checked(calloc(words, sizeof *p->room));
  p->parents = gm_checked(calloc(words * GM_MOST_PARENTS, sizeof *p->parents));
  p->cached = cached_states(p->words);
  p->sent_before = gm_checked(calloc(p->cached, sizeof *p->sent_before));
  p->sent_words = gm_checked(calloc(p->cached, words * sizeof *p->sent_words));
  p->taken = gm_checked(calloc(p->engine->spec->actions + 1, sizeof *p->taken));
  p->sent = gm_checked(calloc(p->owners, sizeof *p->sent));
}

/* What the other ends know is bounded in all, as each of them needs memory here. */
static void open_streams(gm_partition *p) {
  uint32_t most = MOST_KNOWN / (p->owners + 1);
  p->out = gm_checked(calloc(p->owners + 1, sizeof *p->out));
  p->in = gm_checked(calloc(p->owners + 1, sizeof *p->in));
  for (uint32_t i = 0; i <= p->owners; i++)
    p->out[i] = gm_outgoing_new(p->engine, most > LEAST_KNOWN ? most : LEAST_KNOWN);
}

gm_partition *gm_partition_new(gm_engine *e, gm_core *core, uint32_t owners, uint32_t self, bool check_deadlock,
                               const uint64_t *classes, uint32_t names) {
  gm_partition *p = gm_checked(calloc(1, sizeof *p));
  p->engine = e;
  p->core = core;
  p->runner = gm_checked(gm_runner_new(e));
  p->sink = gm_checked(gm_sink_new(e->state_words));
  p->owners = owners;
  p->self = self;
  p->words = e->state_words;
  p->check_deadlock = check_deadlock;
  p->has_check = e->spec->invariants > 0;
  p->has_key = e->symmetries || e->canonical;
  p->hashes = gm_hashes_new(e, classes, names);
  make_room(p, p->words + 1);
  open_streams(p);
  return p;
}

void gm_partition_free(gm_partition *p) {
  for (uint32_t i = 0; i <= p->owners; i++) {
    gm_outgoing_free(p->out[i]);
    gm_incoming_free(p->in[i]);
  }
  gm_runner_free(p->runner);
  gm_sink_free(p->sink);
  gm_hashes_free(p->hashes);
  void *all[] = {p->out,    p->in,      p->state.data,  p->saved.data, p->events.data, p->decoded, p->key,
                 p->room,   p->parents, p->sent_before, p->sent_words, p->hash,        p->taken,   p->sent};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(p);
}

uint64_t gm_partition_factor(gm_partition *p, const uint8_t *value, size_t size) {
  V v = gm_engine_keep(p->engine, value, size);
  return v == GM_UNSET ? 0 : gm_hashes_factor(p->hashes, v);
}

void gm_partition_factors(gm_partition *p, const uint64_t *factors) { gm_hashes_factors(p->hashes, factors); }

void gm_partition_forget(gm_partition *p) {
  memset(p->sent_before, 0, p->cached * sizeof *p->sent_before);
  for (uint32_t i = 0; i <= p->owners; i++) gm_outgoing_restart(p->out[i]);
}

void gm_begin_call(gm_partition *p) {
  p->runner->worker->stack_limit = gm_stack_limit(); /* each call may come from another thread */
  memset(&p->now, 0, sizeof p->now);
  p->events.size = 0;
  for (uint32_t i = 0; i < p->owners; i++) {
    gm_outgoing_begin(p->out[i]);
    p->sent[i] = 0;
  }
  memset(p->taken, 0, (p->engine->spec->actions + 1) * sizeof *p->taken);
}

/* ---- records: states as bytes that mean the same in every process, whatever the layout ---- */

enum gm_partition_answer gm_encode_state(gm_partition *p, const uint32_t *words) {
  const gm_engine *e = p->engine;
  gm_worker *w = p->runner->worker;
  for (;;) {
    jmp_buf here;
    begin(p->runner, words, 0, &here);
    gm_bytes *out = &p->state;
    out->size = 0;
    volatile size_t needed = 0;
    int why = setjmp(here);
    if (why == GM_FULL && gm_grow(e->heap)) continue;
    if (why != 0) return gm_answer_of(why);
    for (uint32_t i = 0; i < e->spec->variables; i++) {
      V v = e->spec->build[i](w, w->current + e->spec->first_slot[i]);
      needed += gm_encode(w, v, out->data + needed, out->room > needed ? out->room - needed : 0);
    }
    if (needed <= out->room) {
      out->size = needed;
      return GM_PARTITION_OK;
    }
    gm_bytes_need(out, needed);
  }
}

static enum gm_partition_answer decode(gm_partition *p, const uint8_t *data, size_t size) {
  for (;;) {
    while (gm_must_grow(p->engine->heap) && gm_grow(p->engine->heap)) continue;
    int why = gm_engine_words(p->engine, data, size, p->decoded);
    if (why == 0) return GM_PARTITION_OK;
    if (why != GM_FULL || !gm_grow(p->engine->heap)) return gm_answer_of(why);
  }
}

/* A record: its size, 0 or 1 + the parent, the action, the bytes of the state. */
static void write_record(gm_bytes *to, uint64_t parent, uint32_t action, const gm_bytes *state) {
  gm_bytes_varint(to, state->size);
  gm_bytes_varint(to, parent + 1);
  gm_bytes_varint(to, action);
  gm_bytes_append(to, state->data, state->size);
}

typedef struct record {
  uint64_t parent;
  uint32_t action;
  const uint8_t *data;
  size_t size;
} record;

static bool read_record(const uint8_t **at, const uint8_t *end, uint32_t actions, record *out) {
  uint64_t size, parent, action;
  if (!gm_read_varint(at, end, &size) || !gm_read_varint(at, end, &parent) || !gm_read_varint(at, end, &action)) return false;
  if (size > (uint64_t)(end - *at) || (parent && action >= actions)) return false;
  *out = (record){parent - 1, (uint32_t)action, *at, (size_t)size};
  *at += size;
  return true;
}

/* ---- what is wrong ---- */

enum gm_partition_answer gm_tell(gm_partition *p, enum gm_outcome kind, uint64_t parent, const uint32_t *parent_words,
                                 uint32_t action, const uint32_t *words) {
  if (p->now.events++ >= MOST_EVENTS) return GM_PARTITION_OK;
  enum gm_partition_answer answer = gm_encode_state(p, words ? words : parent_words);
  if (answer != GM_PARTITION_OK) return answer;
  gm_bytes_varint(&p->events, kind);
  write_record(&p->events, parent, words ? action : 0, &p->state);
  return GM_PARTITION_OK;
}

enum gm_partition_answer gm_check_state(gm_partition *p, uint64_t parent, uint32_t action, const uint32_t *words,
                                        uint64_t changed, bool *passed) {
  *passed = true;
  if (!p->has_check) return GM_PARTITION_OK;
  enum gm_status status;
  do status = gm_runner_check_changed(p->runner, words, changed);
  while (status == GM_STATUS_AGAIN && gm_grow(p->engine->heap));
  if (status == GM_STATUS_OK) return GM_PARTITION_OK;
  *passed = false;
  if (status == GM_STATUS_MISFIT) return GM_PARTITION_MISFIT;
  if (status == GM_STATUS_AGAIN) return GM_PARTITION_NO_MEMORY;
  enum gm_outcome kind = status == GM_STATUS_STOP ? GM_OUTCOME_BAD_STATE : GM_OUTCOME_FAILED_CHECK;
  return gm_tell(p, kind, parent, NULL, action, words);
}

/* ---- storing ---- */

static enum gm_partition_answer find_key(gm_partition *p, const uint32_t *words) {
  for (;;) {
    enum gm_status status = gm_runner_key(p->runner, words, p->key);
    if (status == GM_STATUS_OK) return GM_PARTITION_OK;
    if (status == GM_STATUS_MISFIT) return GM_PARTITION_MISFIT;
    if (status != GM_STATUS_AGAIN || !gm_grow(p->engine->heap)) return GM_PARTITION_FAILED;
  }
}

enum gm_partition_answer gm_store_state(gm_partition *p, const uint32_t *words, uint64_t parent, uint32_t action,
                                        bool is_checked, uint64_t changed, bool *passed) {
  *passed = true;
  if (parent != UINT64_MAX && parent >= GM_PARTITION_MOST) return GM_PARTITION_NO_MEMORY;
  enum gm_partition_answer answer = p->has_key ? find_key(p, words) : GM_PARTITION_OK;
  if (answer != GM_PARTITION_OK) return answer;
  /* which level it is, the owner of all knows */
  int added = gm_add_keyed(p->core, words, p->has_key ? p->key : NULL, parent, action, 1);
  if (added < 0) return GM_PARTITION_NO_MEMORY;
  if (added == 0) return GM_PARTITION_OK;
  p->stored++;
  p->now.fresh++;
  return is_checked ? GM_PARTITION_OK : gm_check_state(p, parent, action, words, changed, passed);
}

/* Initial states come to everybody, and each takes its own. */
static enum gm_partition_answer insert_record(gm_partition *p, const record *r, enum gm_partition_kind kind) {
  bool passed;
  enum gm_partition_answer answer = decode(p, r->data, r->size);
  if (answer != GM_PARTITION_OK) return answer;
  p->now.received++;
  if (kind == GM_PARTITION_INITIAL && gm_owner_of(p, gm_hash_of_state(p->hashes, p->decoded)) != p->self)
    return GM_PARTITION_OK;
  return gm_store_state(p, p->decoded, r->parent, r->action, true, UINT64_MAX, &passed);
}

static enum gm_partition_answer insert_records(gm_partition *p, const uint8_t *data, size_t size,
                                               enum gm_partition_kind kind, size_t *at) {
  const uint8_t *next = data, *end = data + size;
  record r;
  while (next < end) {
    *at = (size_t)(next - data);
    if (!read_record(&next, end, p->engine->spec->actions, &r)) return GM_PARTITION_DAMAGED;
    enum gm_partition_answer answer = insert_record(p, &r, kind);
    if (answer != GM_PARTITION_OK) return answer;
  }
  return GM_PARTITION_OK;
}

typedef struct arrived {
  uint64_t parent, changed;
  uint32_t action;
} arrived;

static bool read_arrived(gm_partition *p, const gm_incoming *in, const uint8_t *record, arrived *out, uint32_t *words) {
  uint64_t origin;
  if (!gm_incoming_read(in, record, &origin, &out->changed, words)) return false;
  out->parent = (origin >> GM_ACTION_BITS) - 1;
  out->action = (uint32_t)(origin & ((1u << GM_ACTION_BITS) - 1));
  return out->parent == UINT64_MAX || out->action < p->engine->spec->actions;
}

/* Some at a time: while one is looked up, what the others need is on its way to the cache. */
static enum gm_partition_answer insert_some(gm_partition *p, const gm_incoming *in, const uint8_t *records, uint32_t count,
                                            bool is_checked) {
  arrived all[GM_TOGETHER];
  uint64_t expected[GM_TOGETHER];
  bool passed;
  size_t size = gm_incoming_record(in);
  while (gm_must_grow(p->engine->heap) && gm_grow(p->engine->heap)) continue;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t *words = p->decoded + (size_t)i * p->words;
    if (!read_arrived(p, in, records + i * size, &all[i], words)) return GM_PARTITION_DAMAGED;
    expected[i] = gm_expect(p->core, words);
  }
  for (uint32_t i = 0; i < count; i++) gm_expect_equal(p->core, expected[i]);
  for (uint32_t i = 0; i < count; i++) {
    p->now.received++;
    enum gm_partition_answer answer = gm_store_state(p, p->decoded + (size_t)i * p->words, all[i].parent, all[i].action,
                                                     is_checked, all[i].changed, &passed);
    if (answer != GM_PARTITION_OK) return answer;
  }
  return GM_PARTITION_OK;
}

static gm_incoming *stream_of(gm_partition *p, uint32_t sender) {
  if (!p->in[sender]) p->in[sender] = gm_incoming_new(p->engine);
  return p->in[sender];
}

enum gm_partition_answer gm_partition_insert(gm_partition *p, const uint8_t *data, size_t size,
                                             enum gm_partition_kind kind, uint32_t sender, size_t *at) {
  *at = 0;
  gm_begin_call(p);
  if (kind == GM_PARTITION_INITIAL || kind == GM_PARTITION_MOVED) return insert_records(p, data, size, kind, at);
  if (sender > p->owners) return GM_PARTITION_DAMAGED;
  gm_incoming *in = stream_of(p, sender);
  const uint8_t *records = NULL;
  uint64_t count = 0;
  enum gm_partition_answer answer = gm_incoming_open(in, p->runner->worker, data, size, &records, &count);
  for (uint64_t i = 0; i < count && answer == GM_PARTITION_OK; i += GM_TOGETHER) {
    uint32_t some = count - i < GM_TOGETHER ? (uint32_t)(count - i) : GM_TOGETHER;
    answer = insert_some(p, in, records + i * gm_incoming_record(in), some, kind == GM_PARTITION_SAVED);
  }
  return answer;
}

/* ---- what came of it ---- */

void gm_partition_read(const gm_partition *p, gm_partition_counts *out) { *out = p->now; }
uint64_t gm_partition_stored(const gm_partition *p) { return p->stored; }
const uint64_t *gm_partition_taken(const gm_partition *p) { return p->taken; }

const uint8_t *gm_partition_batch(const gm_partition *p, uint32_t owner, size_t *size, uint64_t *count) {
  *count = p->sent[owner];
  return gm_outgoing_batch(p->out[owner], size);
}

const uint8_t *gm_partition_events(const gm_partition *p, size_t *size) {
  *size = p->events.size;
  return p->events.data;
}

/* ---- files ---- */

enum gm_partition_answer gm_partition_save(gm_partition *p, uint64_t start, uint64_t end) {
  gm_outgoing *out = p->out[p->owners];
  gm_worker *w = p->runner->worker;
  w->stack_limit = gm_stack_limit();
  gm_outgoing_begin(out);
  for (uint64_t number = start; number < end; number++) {
    uint64_t parent = gm_parent(p->core, number);
    uint64_t origin = parent == UINT64_MAX ? 0 : (parent + 1) << GM_ACTION_BITS | gm_action(p->core, number);
    int why = gm_outgoing_add(out, w, origin, UINT64_MAX, gm_state(p->core, number, p->room));
    if (why != 0) return gm_answer_of(why);
  }
  int why = gm_outgoing_finish(out, w);
  if (why != 0) return gm_answer_of(why);
  size_t size;
  const uint8_t *batch = gm_outgoing_batch(out, &size);
  p->saved.size = 0;
  gm_bytes_append(&p->saved, batch, size);
  return GM_PARTITION_OK;
}

enum gm_partition_answer gm_partition_translate(gm_partition *p, const uint8_t *data, size_t size) {
  gm_incoming *in = stream_of(p, p->owners);
  const uint8_t *records = NULL;
  uint64_t count = 0;
  gm_begin_call(p);
  p->saved.size = 0;
  enum gm_partition_answer answer = gm_incoming_open(in, p->runner->worker, data, size, &records, &count);
  for (uint64_t i = 0; i < count && answer == GM_PARTITION_OK; i++) {
    arrived one;
    if (!read_arrived(p, in, records + i * gm_incoming_record(in), &one, p->decoded)) return GM_PARTITION_DAMAGED;
    answer = gm_encode_state(p, p->decoded);
    if (answer == GM_PARTITION_OK) write_record(&p->saved, one.parent, one.action, &p->state);
  }
  return answer;
}

const uint8_t *gm_partition_saved(const gm_partition *p, size_t *size) {
  *size = p->saved.size;
  return p->saved.data;
}

void gm_partition_found(const gm_partition *p, uint64_t start, uint64_t end, uint64_t *found) {
  for (uint64_t number = start; number < end; number++)
    if (gm_parent(p->core, number) != UINT64_MAX) found[gm_action(p->core, number)]++;
}
