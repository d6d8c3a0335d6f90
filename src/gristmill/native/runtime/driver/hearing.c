/* Items followed one after the other. See hearing.h. */

#include "hearing.h"

#include "engine.h"
#include "parts.h"

enum { TALK = 9, MOST_KNOWN = 256, UNUSUAL_GAP = 4, STALLED = 500000000 }; /* nanoseconds */
enum { INTEGER, TRUTH, SEQUENCE };

typedef struct form {
  gm_plan *plan;
  uint64_t flags, channel;
  uint32_t state, count, size; /* of parts, and of the shape */
  uint32_t *parts, *shape;
} form;

typedef struct connection {
  uint64_t channel, times[TALK], sent, held;
  uint32_t count, first;
} connection;

struct gm_hearing {
  gm_follower *follower;
  gm_engine *engine;
  form *forms;
  uint32_t form_count, settle;
  connection known[MOST_KNOWN]; /* in the order in which they were heard first */
  uint32_t known_count, last;
  uint64_t sent;
  uint32_t *parts, room; /* of the record that is looked at */
};

/* ---- connections that were held up ---- */

static connection *connection_of(gm_hearing *h, uint64_t channel) {
  for (uint32_t i = 0; i < h->known_count; i++) {
    uint32_t at = (h->last + i) % h->known_count;
    if (h->known[at].channel != channel) continue;
    h->last = at;
    return &h->known[at];
  }
  return NULL;
}

static void add_time(connection *c, uint64_t time) {
  c->times[(c->first + c->count) % TALK] = time;
  if (c->count < TALK) c->count++;
  else c->first = (c->first + 1) % TALK;
}

void gm_hearing_hear(gm_hearing *h, uint64_t channel, uint64_t time) {
  h->sent++;
  connection *c = connection_of(h, channel);
  if (!c) {
    if (h->known_count == MOST_KNOWN) memmove(h->known, h->known + 1, --h->known_count * sizeof *h->known);
    h->last = h->known_count++;
    c = &h->known[h->last];
    *c = (connection){.channel = channel, .sent = h->sent};
    add_time(c, time);
    return;
  }
  int64_t last = (int64_t)c->times[(c->first + c->count - 1) % TALK], first = (int64_t)c->times[c->first];
  int64_t gap = (int64_t)time - last;
  if (gap > STALLED && c->count == TALK && gap * (TALK - 1) > UNUSUAL_GAP * (last - first)) {
    uint64_t meanwhile = h->sent - c->sent;
    c->held = meanwhile > h->settle ? meanwhile : h->settle;
  } else if (c->held) {
    c->held--;
  }
  add_time(c, time);
  c->sent = h->sent;
}

/* ---- records ---- */

static uint32_t *grown(uint32_t *memory, uint32_t *room, uint32_t needed) {
  if (needed <= *room) return memory;
  *room = 2 * needed;
  return gm_checked(realloc(memory, *room * sizeof *memory));
}

/* The next numbers of an item; `failed` if there are too few. */
typedef struct source {
  const uint8_t *at;
  uint32_t left;
  bool failed;
} source;

static int64_t taken(source *from) {
  int64_t found = 0;
  if (!from->left) {
    from->failed = true;
    return 0;
  }
  memcpy(&found, from->at, sizeof found);
  from->at += sizeof found;
  from->left--;
  return found;
}

static V value_of(gm_worker *w, uint32_t type, int64_t number) {
  if (type == TRUTH) return gm_bool(number != 0);
  return gm_check_int(w, number);
}

/* A sequence of records of one domain. */
static V sequence_of(gm_worker *w, const uint32_t *shape, source *from) {
  uint32_t domain = shape[0], count = shape[1], differ = shape[2 + count];
  const uint32_t *parts = shape + 2, *differing = shape + 3 + count;
  int64_t size = taken(from);
  if (size < 0 || (uint64_t)size * differ > from->left) gm_fail(w, GM_ERROR);
  if (!size) return w->empty_sequence;
  V *items = gm_scratch(w, (uint64_t)size), *values = gm_scratch(w, count);
  for (uint32_t i = 0; i < count; i++) values[i] = gm_unpack(w->heap, parts[i]);
  for (int64_t at = 0; at < size; at++) {
    for (uint32_t i = 0; i < differ; i++) values[differing[2 * i]] = value_of(w, differing[2 * i + 1], taken(from));
    items[at] = gm_keep(w, gm_make_function(w, gm_unpack(w->heap, domain), values));
  }
  return gm_make_sequence(w, items, (uint32_t)size);
}

static void fill(gm_hearing *h, gm_worker *w, const form *f, source *from) {
  memcpy(h->parts, f->parts, f->count * sizeof *h->parts);
  for (uint32_t at = 0; at < f->size;) {
    uint32_t place = f->shape[at], type = f->shape[at + 1];
    at += 2;
    if (type == SEQUENCE) {
      h->parts[place] = gm_pack(w, gm_keep(w, sequence_of(w, f->shape + at, from)));
      at += 3 + f->shape[at + 1];
      at += 2 * f->shape[at - 1];
    } else {
      h->parts[place] = gm_pack(w, value_of(w, type, taken(from)));
    }
  }
}

/* The parts of its record. False if it has no native form. */
static bool make_parts(gm_hearing *h, const form *f, const gm_item *head, const uint8_t *numbers) {
  gm_worker *w = h->engine->main->worker;
  source from = {numbers, head->numbers, false};
  h->parts = grown(h->parts, &h->room, f->count);
  while (gm_must_grow(h->engine->heap) && gm_grow(h->engine->heap)) continue;
  jmp_buf here;
  char *top = w->scratch_top;
  w->recover = &here;
  volatile bool made = false;
  if (setjmp(here) == 0) {
    fill(h, w, f, &from);
    made = !from.failed && !from.left;
  }
  w->scratch_top = top;
  return made;
}

/* ---- items ---- */

static uint32_t follow(gm_hearing *h, const form *f, const gm_item *head, const uint8_t *numbers) {
  if (f->flags & GM_SEEN_SENT) gm_hearing_hear(h, f->channel, head->time);
  if (!make_parts(h, f, head, numbers)) return GM_HEARD_UNUSUAL;
  gm_seen seen = {head->number, head->time, f->channel, f->flags};
  return gm_follower_see(h->follower, f->plan, h->parts, &seen) ? GM_HEARD_ALL : GM_HEARD_UNUSUAL;
}

uint64_t gm_hearing_follow(gm_hearing *h, const uint8_t *items, uint64_t size, uint64_t most, uint64_t *followed,
                           uint32_t *why) {
  uint64_t at = 0;
  *followed = 0;
  *why = GM_HEARD_ALL;
  while (at < size && *followed < most) {
    gm_item head;
    memcpy(&head, items + at, sizeof head);
    const form *f = head.route < h->form_count ? &h->forms[head.route] : NULL;
    if (!f || f->state == GM_ROUTE_UNKNOWN || f->state == GM_ROUTE_REFUSED) {
      *why = f && f->state == GM_ROUTE_REFUSED ? GM_HEARD_REFUSED : GM_HEARD_UNKNOWN;
      return at;
    }
    if (f->state == GM_ROUTE_FOLLOWED) {
      *why = follow(h, f, &head, items + at + sizeof head);
      if (*why != GM_HEARD_ALL) return at;
      ++*followed;
    }
    at += head.size;
  }
  return at;
}

static uint32_t *copied(const uint32_t *words, uint32_t count) {
  uint32_t *copy = gm_checked(calloc(count + 1, sizeof *copy));
  if (count) memcpy(copy, words, count * sizeof *copy);
  return copy;
}

void gm_hearing_route(gm_hearing *h, uint32_t route, uint32_t state, gm_plan *plan, uint64_t flags, uint64_t channel,
                      const uint32_t *parts, uint32_t count, const uint32_t *shape, uint32_t size) {
  if (route >= h->form_count) {
    uint32_t room = 2 * route + 16;
    h->forms = gm_checked(realloc(h->forms, room * sizeof *h->forms));
    memset(h->forms + h->form_count, 0, (room - h->form_count) * sizeof *h->forms);
    h->form_count = room;
  }
  form *f = &h->forms[route];
  free(f->parts);
  free(f->shape);
  *f = (form){plan, flags, channel, state, count, size, copied(parts, count), copied(shape, size)};
}

/* ---- begin and end ---- */

gm_hearing *gm_hearing_new(gm_follower *f, gm_taker *t, uint32_t settle) {
  gm_hearing *h = gm_checked(calloc(1, sizeof *h));
  h->follower = f;
  h->engine = gm_taker_engine(t);
  h->settle = settle;
  return h;
}

void gm_hearing_forget(gm_hearing *h) {
  for (uint32_t i = 0; i < h->form_count; i++) {
    free(h->forms[i].parts);
    free(h->forms[i].shape);
  }
  free(h->forms);
  h->forms = NULL;
  h->form_count = 0;
}

void gm_hearing_free(gm_hearing *h) {
  gm_hearing_forget(h);
  free(h->parts);
  free(h);
}

uint64_t gm_hearing_dump(const gm_hearing *h, uint64_t *out, uint64_t room) {
  uint64_t needed = 2;
  for (uint32_t i = 0; i < h->known_count; i++) needed += 4 + h->known[i].count;
  if (needed > room) return needed;
  *out++ = h->sent;
  *out++ = h->known_count;
  for (uint32_t i = 0; i < h->known_count; i++) {
    const connection *c = &h->known[i];
    *out++ = c->channel;
    *out++ = c->held;
    *out++ = c->sent;
    *out++ = c->count;
    for (uint32_t at = 0; at < c->count; at++) *out++ = c->times[(c->first + at) % TALK];
  }
  return needed;
}

void gm_hearing_load(gm_hearing *h, const uint64_t *from) {
  h->sent = *from++;
  h->known_count = (uint32_t)*from++;
  h->last = 0;
  for (uint32_t i = 0; i < h->known_count; i++) {
    connection *c = &h->known[i];
    *c = (connection){.channel = from[0], .held = from[1], .sent = from[2]};
    uint64_t count = from[3];
    from += 4;
    for (; count; count--) add_time(c, *from++);
  }
}
