/* Actions taken one at a time on states of which only a part is handed over, for those who follow one process of a model
   by its messages. See driver.h. */

#include "engine.h"

struct gm_plan {
  gm_plan *next; /* of the same taker */
  gm_taker *taker;
  bool arrives;
  uint32_t first, domain, parts; /* the first parameter; the domain of records, and how many values they have */
  uint32_t *table;               /* what parameters are taken from: the first one, the record, its values */
  uint32_t *given;
  uint32_t size, ways[]; /* each a branch, how many parameters there are, and the place in the table of each */
};

struct gm_taker {
  gm_batch *batch;
  gm_plan *plans;
  uint32_t *words, *places;    /* the state that is looked at; the variables that are handed over */
  uint32_t *usual;             /* what the others have */
  uint32_t count, sent, given; /* how many are handed over, the variable of messages, the first of parameters */
  uint32_t none;               /* the number of the empty set */
};

gm_taker *gm_taker_new(gm_engine *e, const uint32_t *usual, const uint32_t *places, uint32_t count, uint32_t sent,
                       uint32_t given) {
  size_t words = e->state_words;
  gm_taker *t = gm_checked(calloc(1, sizeof *t));
  t->batch = gm_batch_new(e, 0);
  t->words = gm_checked(calloc(words + 1, sizeof *t->words));
  t->usual = gm_checked(calloc(words + 1, sizeof *t->usual));
  t->places = gm_checked(calloc(count + 1, sizeof *t->places));
  memcpy(t->usual, usual, words * sizeof *usual);
  memcpy(t->places, places, count * sizeof *places);
  t->count = count;
  t->sent = sent;
  t->given = given;
  t->none = gm_pack(e->main->worker, e->main->worker->empty_set);
  return t;
}

void gm_taker_free(gm_taker *t) {
  for (gm_plan *p = t->plans, *next; p; p = next) {
    next = p->next;
    free(p->table);
    free(p->given);
    free(p);
  }
  gm_batch_free(t->batch);
  free(t->words);
  free(t->usual);
  free(t->places);
  free(t);
}

/* The set of messages is the one that has arrived, or empty. */
static void put_arrived(gm_taker *t, gm_worker *w, uint32_t arrived) {
  V set = w->empty_set;
  if (arrived) {
    gm_object *one = gm_new(w, GM_SET, 1);
    one->items[0] = gm_unpack(w->heap, arrived);
    set = gm_keep(w, gm_value_of(one));
  }
  w->current[t->sent] = set;
  t->words[t->sent] = gm_pack(w, set);
}

/* Writes as long as there is room; what is needed is counted in any case. */
typedef struct writer {
  uint32_t *out, room, needed;
} writer;

static void put(writer *to, uint32_t word) {
  if (to->needed < to->room) to->out[to->needed] = word;
  to->needed++;
}

static bool is_among(const gm_object *messages, V message) {
  for (uint32_t i = 0; i < messages->size; i++)
    if (messages->items[i] == message) return true;
  return false;
}

/* One step: the variables that are handed over, whether the message that had arrived is gone, and the other messages.
   Nothing if another message is wanted among these and is not. */
static void put_step(const gm_taker *t, gm_worker *w, const uint32_t *state, V arrived, V wanted, writer *to) {
  V set = gm_unpack(w->heap, state[t->sent]);
  if (!gm_is_kind(set, GM_SET)) gm_fail(w, GM_ERROR);
  const gm_object *messages = gm_object_of(set);
  if (wanted != GM_UNSET && !is_among(messages, wanted)) return;
  bool stays = is_among(messages, arrived);
  for (uint32_t i = 0; i < t->count; i++) put(to, state[t->places[i]]);
  put(to, arrived != GM_UNSET && !stays);
  put(to, messages->size - stays);
  for (uint32_t i = 0; i < messages->size; i++)
    if (messages->items[i] != arrived) put(to, gm_pack(w, messages->items[i]));
}

/* What one action is taken on, and the numbers of the message that has arrived and of the one that is wanted, or 0. */
typedef struct occasion {
  uint32_t branch, arrived, wanted, count;
  const uint32_t *state, *given;
} occasion;

static enum gm_status take(gm_taker *t, const occasion *o, writer *to) {
  gm_batch *b = t->batch;
  gm_runner *r = b->runner;
  gm_worker *w = r->worker;
  V *current = w->current, *next = w->next;
  jmp_buf here;
  gm_sink_empty(b->sink);
  begin(r, t->words, 0, &here);
  int why = setjmp(here);
  if (why == 0) {
    put_arrived(t, w, o->arrived);
    r->engine->spec->branch[o->branch](w);
    V arrived = o->arrived ? gm_unpack(w->heap, o->arrived) : GM_UNSET;
    V wanted = o->wanted ? gm_unpack(w->heap, o->wanted) : GM_UNSET;
    const uint32_t *found = gm_sink_states(b->sink);
    for (uint32_t i = 0; i < gm_sink_count(b->sink); i++)
      put_step(t, w, found + (size_t)i * r->engine->state_words, arrived, wanted, to);
    return GM_STATUS_OK;
  }
  w->current = current;
  w->next = next;
  return status_of(why);
}

/* False if the reference evaluator must be asked. */
static bool take_on(gm_taker *t, const occasion *o, writer *to) {
  gm_batch *b = t->batch;
  gm_engine *e = b->runner->engine;
  if (!e->spec->branch[o->branch]) return false;
  memcpy(t->words, t->usual, e->state_words * sizeof *t->words);
  for (uint32_t i = 0; i < t->count; i++) t->words[t->places[i]] = o->state[i];
  memcpy(t->words + t->given, o->given, o->count * sizeof *o->given);
  enum gm_status status;
  uint32_t before = to->needed;
  do {
    while (gm_must_grow(e->heap) && gm_grow(e->heap)) continue;
    t->words[t->sent] = t->none;
    to->needed = before;
    status = take(t, o, to);
  } while (status == GM_STATUS_AGAIN && gm_grow(e->heap));
  return status == GM_STATUS_OK && !gm_sink_failed(b->sink);
}

int64_t gm_take(gm_taker *t, uint32_t branch, const uint32_t *state, uint32_t arrived, const uint32_t *given,
                uint32_t count, uint32_t *out, uint32_t room) {
  writer to = {out, room, 0};
  occasion o = {branch, arrived, 0, count, state, given};
  return take_on(t, &o, &to) ? (int64_t)to.needed : -1;
}

gm_plan *gm_plan_new(gm_taker *t, const uint32_t *ways, uint32_t size, uint32_t first, uint32_t domain, uint32_t parts,
                     bool arrives) {
  gm_plan *p = gm_checked(calloc(1, sizeof *p + size * sizeof *p->ways));
  p->taker = t;
  p->arrives = arrives;
  p->first = first;
  p->domain = domain;
  p->parts = parts;
  p->table = gm_checked(calloc(parts + 2, sizeof *p->table));
  p->given = gm_checked(calloc(size + 1, sizeof *p->given));
  p->size = size;
  memcpy(p->ways, ways, size * sizeof *ways);
  p->next = t->plans;
  t->plans = p;
  return p;
}

int64_t gm_plan_take(gm_plan *p, const uint32_t *state, const uint32_t *parts, uint32_t *out, uint32_t room) {
  gm_taker *t = p->taker;
  uint32_t record = gm_plan_record(p, parts);
  if (!record) return -1;
  p->table[0] = p->first;
  p->table[1] = record;
  memcpy(p->table + 2, parts, p->parts * sizeof *parts);
  writer to = {out, room, 0};
  put(&to, record);
  for (uint32_t at = 0; at < p->size; at += 2 + p->ways[at + 1]) {
    uint32_t count = p->ways[at + 1];
    for (uint32_t i = 0; i < count; i++) p->given[i] = p->table[p->ways[at + 2 + i]];
    occasion o = {p->ways[at], p->arrives ? record : 0, p->arrives ? 0 : record, count, state, p->given};
    if (!take_on(t, &o, &to)) return -1;
  }
  return to.needed;
}

uint32_t gm_plan_record(gm_plan *p, const uint32_t *parts) {
  return gm_engine_made(p->taker->batch->runner->engine, p->domain, parts, p->parts);
}

gm_engine *gm_taker_engine(const gm_taker *t) { return t->batch->runner->engine; }

uint32_t gm_taker_count(const gm_taker *t) { return t->count; }

uint32_t gm_engine_number(gm_engine *e, const uint8_t *bytes, size_t size) {
  gm_worker *w = e->main->worker;
  jmp_buf here;
  char *top = w->scratch_top;
  w->recover = &here;
  volatile uint32_t number = 0;
  while (gm_must_grow(e->heap) && gm_grow(e->heap)) continue;
  if (setjmp(here) == 0) number = gm_pack(w, gm_keep(w, gm_decode(w, bytes, size, NULL)));
  w->scratch_top = top;
  return number;
}

uint32_t gm_engine_made(gm_engine *e, uint32_t domain, const uint32_t *parts, uint32_t count) {
  gm_worker *w = e->main->worker;
  V set = gm_unpack(e->heap, domain);
  if (!gm_is_kind(set, GM_SET) || gm_object_of(set)->size != count) return 0;
  jmp_buf here;
  char *top = w->scratch_top;
  w->recover = &here;
  volatile uint32_t number = 0;
  while (gm_must_grow(e->heap) && gm_grow(e->heap)) continue;
  if (setjmp(here) == 0) {
    V *values = gm_scratch(w, count);
    for (uint32_t i = 0; i < count; i++) values[i] = gm_unpack(e->heap, parts[i]);
    number = gm_pack(w, gm_keep(w, gm_make_function(w, set, values)));
  }
  w->scratch_top = top;
  return number;
}

uint32_t gm_engine_parts(gm_engine *e, uint32_t number, uint32_t *out, uint32_t room) {
  gm_worker *w = e->main->worker;
  V v = gm_unpack(e->heap, number);
  if (!gm_is_object(v)) return 0;
  const gm_object *o = gm_object_of(v);
  uint32_t first = o->kind == GM_SEQUENCE; /* it has no domain in front */
  if (o->size + first > room || (o->kind != GM_FUNCTION && o->kind != GM_SEQUENCE)) return 0;
  jmp_buf here;
  char *top = w->scratch_top;
  w->recover = &here;
  volatile uint32_t count = 0;
  if (setjmp(here) == 0) {
    out[0] = 0;
    for (uint32_t i = 0; i < o->size; i++) out[i + first] = gm_pack(w, o->items[i]);
    count = o->size + first;
  }
  w->scratch_top = top;
  return count;
}

size_t gm_engine_numbered(gm_engine *e, uint32_t number, uint8_t *out, size_t room) {
  return gm_engine_value(e, gm_unpack(e->heap, number), out, room);
}
