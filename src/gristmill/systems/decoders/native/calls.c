/* Clients of etcd that speak gRPC: calls on streams of HTTP/2, as gristmill/systems/decoders/etcd/grpc.py and http2.py read
   them. Reads, puts and deletions that come in one piece; everything else is left to Python. */

#include "hpack.h"

enum { DATA = 0, HEADERS = 1, RESET = 3, PUSH = 5, CONTINUATION = 9 };
enum { END_STREAM = 0x1, END_HEADERS = 0x4, PADDED = 0x8, PRIORITY = 0x20 };
enum { FRAME = 9, PREFIX = 5, MOST_CALLS = 128, MOST_BLOCK = 1024, SCRATCH = 1 << 14, LARGEST = 1 << 28 };
enum { NAME_NONE = 0, NAME_RANGE = 1, NAME_PUT = 2, NAME_DELETE = 3 }; /* and others that are known */
enum { SERIALIZABLE = 7 };

typedef struct call {
  uint32_t stream, name, asked; /* the kind of what was asked, as long as it has no answer; 0 */
  bool has_id;
  uint8_t head[PREFIX]; /* of the answer, of which so many bytes have come */
  uint64_t id, got;
} call;

typedef struct block { /* the last headers, and their stream */
  uint8_t bytes[MOST_BLOCK];
  uint32_t size, stream, ends;
} block;

struct calls {
  uint64_t number, count; /* of the connection, and of calls */
  hpack headers[2], headers_before;
  block blocks[2], block_before;
  bool saved;
  call open[MOST_CALLS], open_before[MOST_CALLS];
  uint32_t size;
  bytes texts, said;
};

/* ---- handed over and back ---- */

bool calls_begin(listener *l, listened *c, cursor *from) {
  (void)l;
  calls *k = c->calls = sure(calloc(1, sizeof *k));
  k->number = take_long(from);
  k->count = take_long(from);
  for (int direction = 0; direction < 2; direction++) {
    span pending = take_span(from);
    add(&c->pending[direction], pending.at, pending.size);
    hpack *h = &k->headers[direction];
    uint64_t limit = take_long(from), count = take_long(from);
    if (from->failed || limit > HPACK_MOST || count > HPACK_ENTRIES) return false;
    h->limit = (uint32_t)limit;
    for (; count && !from->failed; count--) {
      span name = take_span(from), value = take_span(from);
      uint32_t before = h->count;
      if (from->failed || !hpack_add(h, name, value) || h->count != before + 1) return false;
    }
    span last = take_span(from);
    block *b = &k->blocks[direction];
    b->stream = (uint32_t)take_long(from);
    b->ends = (uint32_t)take_long(from);
    if (from->failed || last.size > MOST_BLOCK) return false;
    memcpy(b->bytes, last.at, last.size);
    b->size = (uint32_t)last.size;
  }
  uint64_t size = take_long(from);
  if (from->failed || size > MOST_CALLS) return false;
  for (k->size = 0; k->size < size; k->size++) {
    call *each = &k->open[k->size];
    each->stream = (uint32_t)take_long(from);
    each->name = (uint32_t)take_long(from);
    each->has_id = take_long(from) != 0;
    each->id = take_long(from);
    each->asked = (uint32_t)take_long(from);
    span head = take_span(from);
    each->got = take_long(from);
    if (from->failed || head.size > PREFIX || head.size > each->got) return false;
    memcpy(each->head, head.at, head.size);
  }
  make_room(&k->texts, SCRATCH);
  return !from->failed;
}

void calls_state(const listened *c, bytes *out) {
  const calls *k = c->calls;
  add_long(out, k->number);
  add_long(out, k->count);
  for (int direction = 0; direction < 2; direction++) {
    add_span(out, (span){c->pending[direction].at, c->pending[direction].size});
    const hpack *h = &k->headers[direction];
    add_long(out, h->limit);
    add_long(out, h->count);
    for (uint32_t i = 0; i < h->count; i++) {
      const uint8_t *at = h->bytes + h->entries[i].at;
      add_span(out, (span){at, h->entries[i].name});
      add_span(out, (span){at + h->entries[i].name, h->entries[i].value});
    }
    const block *b = &k->blocks[direction];
    add_span(out, (span){b->bytes, b->size});
    add_long(out, b->stream);
    add_long(out, b->ends);
  }
  add_long(out, k->size);
  for (uint32_t i = 0; i < k->size; i++) {
    const call *each = &k->open[i];
    add_long(out, each->stream);
    add_long(out, each->name);
    add_long(out, each->has_id);
    add_long(out, each->id);
    add_long(out, each->asked);
    add_span(out, (span){each->head, each->got < PREFIX ? each->got : PREFIX});
    add_long(out, each->got);
  }
}

void calls_free(calls *k) {
  free(k->texts.at);
  free(k->said.at);
  free(k);
}

/* ---- calls ---- */

static call *call_on(calls *k, uint32_t stream) {
  for (uint32_t i = k->size; i-- > 0;)
    if (k->open[i].stream == stream) return &k->open[i];
  return NULL;
}

static void close_call(calls *k, call *gone) {
  size_t behind = (size_t)(k->open + k->size - (gone + 1));
  memmove(gone, gone + 1, behind * sizeof *gone);
  k->size--;
}

/* False if this path is not one of ours: Python knows others. */
static bool open_call(calls *k, uint32_t stream, span path) {
  uint32_t name = same(path, "/etcdserverpb.KV/Range")         ? NAME_RANGE
                  : same(path, "/etcdserverpb.KV/Put")         ? NAME_PUT
                  : same(path, "/etcdserverpb.KV/DeleteRange") ? NAME_DELETE
                                                               : NAME_NONE;
  if (name == NAME_NONE || call_on(k, stream) || k->size == MOST_CALLS) return false;
  k->open[k->size++] = (call){.stream = stream, .name = name};
  return true;
}

/* What is asked, of a request as etcd's clients write it. */
static bool read_asked(uint32_t name, span data, entry *e, bool *serializable) {
  const uint8_t *at = data.at, *end = data.at + data.size;
  field f;
  while (next_field(&at, end, &f)) {
    uint64_t number = f.key >> 3;
    bool is_content = (f.key & 7) == 2;
    if (name == NAME_RANGE && number == SERIALIZABLE) {
      if (is_content) return false;
      *serializable = f.number != 0;
    } else if (name != NAME_RANGE && (number == 1 || number == 2)) {
      if (!is_content) return false;
      *(number == 1 ? &e->key : &e->value) = f.content;
    }
  }
  e->asks = name == NAME_PUT ? ASKS_PUT : name == NAME_DELETE ? ASKS_DELETE : ASKS_NOTHING;
  return at == end;
}

static bool ask(listener *l, calls *k, call *c, span data) {
  if (data.size < PREFIX || data.at[0]) return false;
  uint64_t length = big_endian(data.at + 1, 4);
  if (length > LARGEST || length > data.size - PREFIX) return false;
  entry e = {0};
  bool serializable = false;
  if (!read_asked(c->name, (span){data.at + PREFIX, length}, &e, &serializable)) return false;
  c->has_id = true;
  c->id = ++k->count;
  c->asked = c->name != NAME_RANGE ? KIND_WRITE : serializable ? KIND_OTHER : KIND_READ;
  k->said.size = 0;
  if (e.asks) {
    add_byte(&k->said, (uint8_t)e.asks);
    add_word(&k->said, (uint32_t)e.key.size);
    add(&k->said, e.key.at, e.key.size);
    add(&k->said, e.value.at, e.value.size);
  }
  message m = {.kind = c->asked, .entries = &e, .count = 1, .id_connection = k->number, .id_number = c->id};
  return emit(l, &m, BYTES_ASKED, &c->id, 1, (span){k->said.at, k->said.size});
}

static bool tell(listener *l, calls *k, call *c, span data) {
  for (size_t i = 0; i < data.size && c->got + i < PREFIX; i++) c->head[c->got + i] = data.at[i];
  c->got += data.size;
  if (c->got && c->head[0]) return false;
  if (c->got < PREFIX) return true;
  uint64_t length = big_endian(c->head + 1, 4);
  if (length > LARGEST) return false;
  if (c->got < PREFIX + length || !c->asked) return true;
  message m = {.kind = c->asked - KIND_READ + KIND_READ_TOLD, .id_connection = k->number, .id_number = c->id};
  c->asked = 0;
  return emit(l, &m, BYTES_TOLD, &c->id, 1, (span){NULL, 0});
}

/* ---- frames ---- */

static void copy_headers(hpack *to, const hpack *from) {
  to->count = from->count;
  to->size = from->size;
  to->limit = from->limit;
  to->used = from->used;
  memcpy(to->entries, from->entries, from->count * sizeof *from->entries);
  memcpy(to->bytes, from->bytes, from->used);
}

static void copy_block(block *to, const block *from) {
  to->size = from->size;
  to->stream = from->stream;
  to->ends = from->ends;
  memcpy(to->bytes, from->bytes, from->size);
}

static bool headers(listener *l, calls *k, uint32_t direction, uint8_t flags, uint32_t stream, span data) {
  if (!(flags & END_HEADERS) || flags & (PADDED | PRIORITY) || data.size > MOST_BLOCK) return false;
  if (!k->saved) {
    copy_headers(&k->headers_before, &k->headers[direction]);
    copy_block(&k->block_before, &k->blocks[direction]);
    k->saved = true;
  }
  block *b = &k->blocks[direction];
  memcpy(b->bytes, data.at, data.size);
  b->size = (uint32_t)data.size;
  b->stream = stream;
  b->ends = flags & END_STREAM;
  span found;
  k->texts.size = 0;
  if (!hpack_read(l, &k->headers[direction], data, direction ? "grpc-status" : ":path", &found, &k->texts)) return false;
  if (!direction) return !found.size || open_call(k, stream, found);
  call *c = call_on(k, stream);
  if (!c) return true;
  if (c->has_id && found.at && !same(found, "0")) return false;
  if (!(flags & END_STREAM)) return true;
  if (c->has_id && c->asked) return false; /* it has ended without an answer */
  close_call(k, c);
  return true;
}

static bool data_frame(listener *l, calls *k, uint32_t direction, uint8_t flags, uint32_t stream, span data) {
  if (flags & PADDED) return false;
  call *c = call_on(k, stream);
  if (!c) return true;
  if (!direction) {
    if (!c->name || c->has_id) return true;
    return c->name <= NAME_DELETE && ask(l, k, c, data);
  }
  if (c->has_id && !tell(l, k, c, data)) return false;
  if (!(flags & END_STREAM)) return true;
  if (c->has_id && c->asked) return false;
  close_call(k, c);
  return true;
}

static bool frames(listener *l, calls *k, uint32_t direction, span data, size_t *used) {
  size_t at = 0;
  while (data.size - at >= FRAME) {
    const uint8_t *head = data.at + at;
    size_t size = (size_t)big_endian(head, 3);
    if (data.size - at - FRAME < size) break;
    uint32_t stream = (uint32_t)big_endian(head + 5, 4) & 0x7fffffff;
    span inside = {head + FRAME, size};
    switch (head[3]) {
      case HEADERS:
        if (!headers(l, k, direction, head[4], stream, inside)) return false;
        break;
      case DATA:
        if (!data_frame(l, k, direction, head[4], stream, inside)) return false;
        break;
      case RESET:
      case PUSH:
      case CONTINUATION: return false;
      default: break; /* settings, windows and pings */
    }
    at += FRAME + size;
  }
  *used = at;
  return true;
}

bool calls_hear(listener *l, listened *c, uint32_t direction, span data) {
  calls *k = c->calls;
  bytes *pending = &c->pending[direction];
  uint64_t count = k->count;
  uint32_t size = k->size;
  span whole = data;
  if (pending->size) {
    l->scratch.size = 0;
    add(&l->scratch, pending->at, pending->size);
    add(&l->scratch, data.at, data.size);
    whole = (span){l->scratch.at, l->scratch.size};
  }
  k->saved = false;
  memcpy(k->open_before, k->open, size * sizeof *k->open);
  size_t used = 0;
  if (!frames(l, k, direction, whole, &used)) {
    k->count = count;
    k->size = size;
    memcpy(k->open, k->open_before, size * sizeof *k->open);
    if (k->saved) {
      copy_headers(&k->headers[direction], &k->headers_before);
      copy_block(&k->blocks[direction], &k->block_before);
    }
    return false;
  }
  pending->size = 0;
  if (whole.size > used) add(pending, whole.at + used, whole.size - used);
  return true;
}
