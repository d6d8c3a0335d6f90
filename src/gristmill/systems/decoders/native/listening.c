/* Connections that are listened to, routes, and items. See listening.h. */

#include "inside.h"

enum { HEAD = 25, ENOUGH = 1 << 18 };
enum { LEFT_OUT = 0, WANTED = 1 };

/* ---- connections ---- */

static listened **place_of(listener *l, uint32_t connection) {
  listened **at = &l->table[connection * 2654435769u >> 22];
  while (*at && (*at)->connection != connection) at = &(*at)->next;
  return at;
}

static void free_routes(listened *c) {
  for (uint32_t i = 0; i < c->route_count; i++) free(c->routes[i].recipe);
  free(c->routes);
  c->routes = NULL;
  c->route_count = c->last_route = 0;
}

static void free_listened(listened *c) {
  free_routes(c);
  free(c->pending[0].at);
  free(c->pending[1].at);
  if (c->calls) calls_free(c->calls);
  free(c);
}

void listener_end(listener *l, uint32_t connection) {
  listened **at = place_of(l, connection), *c = *at;
  if (!c) return;
  *at = c->next;
  free_listened(c);
}

static bool begin_stream(listened *c, cursor *from) {
  c->where = (int)take_long(from);
  c->left = take_long(from);
  span line = take_span(from);
  c->term = take_long(from);
  c->index = take_long(from);
  span pending = take_span(from);
  if (from->failed || line.size > sizeof c->line || c->where > BEHIND_CHUNK) return false;
  if (c->where == IN_CHUNK && (line.size || !c->left)) return false;
  if (c->where == BEHIND_CHUNK && line.size > 1) return false;
  memcpy(c->line, line.at, line.size);
  c->line_size = (uint32_t)line.size;
  add(&c->pending[1], pending.at, pending.size);
  return true;
}

bool listener_begin(listener *l, uint32_t connection, const uint8_t *state, size_t size) {
  cursor from = {state, state + size, false};
  listener_end(l, connection);
  listened *c = sure(calloc(1, sizeof *c));
  c->connection = connection;
  c->form = (int)take_long(&from);
  c->on_channel[0] = take_long(&from);
  c->on_channel[1] = take_long(&from);
  bool can = !from.failed && (c->form == LISTEN_CALLS ? calls_begin(l, c, &from) : begin_stream(c, &from));
  if (!can || from.failed || from.at != from.end) {
    free_listened(c);
    return false;
  }
  *place_of(l, connection) = c;
  return true;
}

size_t listener_state(listener *l, uint32_t connection, uint8_t *out, size_t room) {
  listened *c = *place_of(l, connection);
  if (!c) return 0;
  bytes state = {0};
  add_long(&state, c->form);
  add_long(&state, c->on_channel[0]);
  add_long(&state, c->on_channel[1]);
  if (c->form == LISTEN_CALLS) {
    calls_state(c, &state);
  } else {
    add_long(&state, (uint64_t)c->where);
    add_long(&state, c->left);
    add_span(&state, (span){c->line, c->line_size});
    add_long(&state, c->term);
    add_long(&state, c->index);
    add_span(&state, (span){c->pending[1].at, c->pending[1].size});
  }
  size_t size = state.size;
  if (size <= room) {
    memcpy(out, state.at, size);
    listener_end(l, connection);
  }
  free(state.at);
  return size;
}

/* ---- routes and items ---- */

void listener_route(listener *l, uint32_t connection, uint32_t kind, uint64_t from, uint64_t to, uint32_t id,
                    uint32_t status, const uint32_t *recipe, uint32_t size) {
  listened *c = *place_of(l, connection);
  if (!c) return;
  c->routes = sure(realloc(c->routes, (c->route_count + 1) * sizeof *c->routes));
  route *r = &c->routes[c->route_count++];
  *r = (route){kind, id, status, size, from, to, sure(malloc((size + 1) * sizeof *recipe))};
  if (size) memcpy(r->recipe, recipe, size * sizeof *recipe);
}

void listener_forget_routes(listener *l) {
  for (size_t i = 0; i < sizeof l->table / sizeof *l->table; i++)
    for (listened *c = l->table[i]; c; c = c->next) free_routes(c);
}

static const route *route_of(listener *l, const message *m) {
  listened *c = l->now;
  for (uint32_t i = 0; i < c->route_count; i++) {
    uint32_t at = (c->last_route + i) % c->route_count;
    const route *r = &c->routes[at];
    if (r->kind != m->kind || r->from != m->from || r->to != m->to) continue;
    c->last_route = at;
    return r;
  }
  l->result->why = LISTEN_ROUTE;
  l->result->kind = m->kind;
  l->result->from = m->from;
  l->result->to = m->to;
  return NULL;
}

static uint64_t asks_digest(const entry *e) {
  digest_of d;
  digest_begin(&d);
  if (e->asks == ASKS_TRANSACTION) {
    digest_text(&d, "txn");
  } else if (e->asks != ASKS_NOTHING) {
    digest_text(&d, e->asks == ASKS_PUT ? "put " : "delete ");
    digest_bytes(&d, e->key);
    digest_text(&d, " ");
    digest_bytes(&d, e->value);
  }
  return digest_end(&d);
}

static uint64_t hex_digest(span s) {
  digest_of d;
  digest_begin(&d);
  digest_hex(&d, s);
  return digest_end(&d);
}

static uint64_t text_digest(span s) {
  digest_of d;
  digest_begin(&d);
  digest_bytes(&d, s);
  return digest_end(&d);
}

static uint64_t id_digest(const message *m) {
  char text[48];
  digest_of d;
  size_t at = sizeof text - 1;
  text[at] = 0;
  uint64_t parts[] = {m->id_number, m->id_connection};
  for (int i = 0; i < 2; i++) {
    uint64_t left = parts[i];
    do text[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (!i) text[--at] = '.';
  }
  digest_begin(&d);
  digest_text(&d, text + at);
  return digest_end(&d);
}

static bool put_entry(listener *l, entry *e, const uint32_t *recipe, uint32_t size) {
  for (uint32_t i = 0; i < size; i++) {
    switch (recipe[i]) {
      case FIELD_TERM: add_long(&l->out, e->term); break;
      case FIELD_INDEX: add_long(&l->out, e->index); break;
      case FIELD_DATA: add_long(&l->out, hex_digest(e->data)); break;
      case FIELD_ASKS:
        if (!e->asks && !read_asks(e)) return false;
        add_long(&l->out, asks_digest(e));
        break;
      default: return false;
    }
  }
  return true;
}

static bool put_numbers(listener *l, const message *m, const route *r) {
  for (uint32_t i = 0; i < r->size; i++) {
    switch (r->recipe[i]) {
      case FIELD_TERM: add_long(&l->out, m->term); break;
      case FIELD_LOG_TERM: add_long(&l->out, m->log_term); break;
      case FIELD_INDEX: add_long(&l->out, m->index); break;
      case FIELD_COMMIT: add_long(&l->out, m->commit); break;
      case FIELD_REJECT: add_long(&l->out, m->reject != 0); break;
      case FIELD_NOT_REJECT: add_long(&l->out, m->reject == 0); break;
      case FIELD_REJECT_HINT: add_long(&l->out, m->reject_hint); break;
      case FIELD_TOKEN: add_long(&l->out, hex_digest(m->context)); break;
      case FIELD_CONTEXT: add_long(&l->out, text_digest(m->context)); break;
      case FIELD_FIRST_DATA: add_long(&l->out, m->count ? hex_digest(m->entries[0].data) : 0); break;
      case FIELD_ID: add_long(&l->out, id_digest(m)); break;
      case FIELD_ASKS: /* of a client, whose message has one entry */
        if (m->count != 1) return false;
        add_long(&l->out, asks_digest(m->entries));
        break;
      case FIELD_EACH: {
        if (i + 1 >= r->size || r->recipe[i + 1] > r->size - i - 2) return false;
        add_long(&l->out, m->count);
        for (size_t at = 0; at < m->count; at++)
          if (!put_entry(l, &m->entries[at], r->recipe + i + 2, r->recipe[i + 1])) return false;
        i += 1 + r->recipe[i + 1];
        break;
      }
      default: return false;
    }
  }
  return true;
}

bool emit(listener *l, const message *m, enum listen_bytes form, const uint64_t *before, size_t longs, span said) {
  const route *r = route_of(l, m);
  if (!r || r->status > WANTED) return false;
  if (r->status == LEFT_OUT) {
    l->ignored++;
    return true;
  }
  size_t start = l->out.size;
  listen_item head = {0, r->id, ++l->count, l->sequence, l->time, 0, 0};
  add(&l->out, &head, sizeof head);
  if (!put_numbers(l, m, r)) return false;
  head.numbers = (uint32_t)((l->out.size - start - sizeof head) / sizeof(uint64_t));
  size_t first = l->out.size;
  add_byte(&l->out, (uint8_t)form);
  if (longs) add(&l->out, before, longs * sizeof *before);
  add(&l->out, said.at, said.size);
  head.bytes = (uint32_t)(l->out.size - first);
  while (l->out.size % 8) add_byte(&l->out, 0);
  head.size = (uint32_t)(l->out.size - start);
  memcpy(l->out.at + start, &head, sizeof head);
  l->messages++;
  l->now->on_channel[l->direction]++;
  return true;
}

/* ---- records ---- */

static uint64_t little_endian(const uint8_t *at, size_t size) {
  uint64_t found = 0;
  while (size--) found = found << 8 | at[size];
  return found;
}

/* False if nothing has been done with it. */
static bool hear(listener *l, listened *c, uint32_t direction, span data) {
  uint64_t count = l->count, messages = l->messages, ignored = l->ignored, size = l->out.size;
  uint64_t on_channel[] = {c->on_channel[0], c->on_channel[1]};
  l->now = c;
  l->direction = direction;
  l->result->why = LISTEN_UNUSUAL;
  if (c->form == LISTEN_CALLS ? calls_hear(l, c, direction, data) : streams_hear(l, c, data)) return true;
  l->count = count;
  l->messages = messages;
  l->ignored = ignored;
  l->out.size = size;
  memcpy(c->on_channel, on_channel, sizeof on_channel);
  return false;
}

void listener_hear(listener *l, const uint8_t *records, size_t size, uint64_t count, listen_result *result) {
  *result = (listen_result){.why = LISTEN_END};
  l->result = result;
  l->count = count;
  l->messages = l->ignored = 0;
  l->out.size = 0;
  size_t at = 0;
  while (size - at >= HEAD) {
    uint64_t length = little_endian(records + at + 21, 4);
    if (length > size - at - HEAD) break;
    uint32_t connection = (uint32_t)little_endian(records + at + 16, 4), direction = records[at + 20];
    listened *c = direction < 2 ? *place_of(l, connection) : NULL;
    if (c && c->form != LISTEN_CALLS && direction == 0) c = NULL; /* what a reader of a stream says */
    result->connection = connection;
    result->direction = direction;
    if (!c) {
      result->why = LISTEN_OTHER;
      break;
    }
    l->sequence = little_endian(records + at, 8);
    l->time = little_endian(records + at + 8, 8);
    if (!hear(l, c, direction, (span){records + at + HEAD, length})) break;
    at += HEAD + length;
    result->why = LISTEN_END;
    if (l->out.size >= ENOUGH) {
      result->why = LISTEN_FULL;
      break;
    }
  }
  result->used = at;
  result->items = l->out.size;
  result->messages = l->messages;
  result->ignored = l->ignored;
}

const uint8_t *listener_items(const listener *l) { return l->out.at; }

size_t listen_pick(const uint8_t *items, size_t size, const uint8_t *marks, uint32_t routes, uint8_t *out,
                   uint64_t *count) {
  size_t written = 0;
  *count = 0;
  for (size_t at = 0; at < size;) {
    listen_item head;
    memcpy(&head, items + at, sizeof head);
    if (head.route < routes && marks[head.route]) {
      memcpy(out + written, items + at, head.size);
      written += head.size;
      ++*count;
    }
    at += head.size;
  }
  return written;
}

/* ---- begin and end ---- */

/* Headers that every connection knows: a name and a value each, every one ended by a 0. */
static void read_fixed(listener *l, const uint8_t *texts, size_t size) {
  l->fixed_bytes = sure(malloc(size + 1));
  memcpy(l->fixed_bytes, texts, size);
  const uint8_t *at = l->fixed_bytes, *end = at + size;
  for (int i = 1; i < 62; i++)
    for (int part = 0; part < 2 && at < end; part++) {
      size_t length = strnlen((const char *)at, (size_t)(end - at));
      l->fixed[i][part] = (span){at, length};
      at += length + 1;
    }
}

/* Codes of one length follow on each other, in the order of their symbols; shorter ones come first. */
static void read_huffman(listener *l, const uint8_t *lengths) {
  uint32_t code = 0, start = 0;
  for (uint32_t length = 1; length < 32; length++) {
    code <<= 1;
    l->huffman_first[length] = code;
    l->huffman_start[length] = start;
    for (uint32_t symbol = 0; symbol < 257; symbol++) {
      if (lengths[symbol] != length) continue;
      l->huffman_symbols[2 * start] = (uint8_t)symbol;
      l->huffman_symbols[2 * start + 1] = symbol == 256;
      start++;
      code++;
    }
    l->huffman_count[length] = start - l->huffman_start[length];
  }
}

listener *listener_new(const uint8_t *huffman_lengths, const uint8_t *fixed_headers, size_t size) {
  listener *l = sure(calloc(1, sizeof *l));
  read_huffman(l, huffman_lengths);
  read_fixed(l, fixed_headers, size);
  return l;
}

void listener_free(listener *l) {
  for (size_t i = 0; i < sizeof l->table / sizeof *l->table; i++)
    for (listened *c = l->table[i], *next; c; c = next) {
      next = c->next;
      free_listened(c);
    }
  free(l->out.at);
  free(l->scratch.at);
  free(l->entries.at);
  free(l->fixed_bytes);
  free(l);
}
