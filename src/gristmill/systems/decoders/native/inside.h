/* What the files of the listener know of one another. */

#ifndef LISTENING_INSIDE_H
#define LISTENING_INSIDE_H

#include "listening.h"

/* ---- bytes ---- */

typedef struct bytes {
  uint8_t *at;
  size_t size, room;
} bytes;

typedef struct span {
  const uint8_t *at;
  size_t size;
} span;

static inline void *sure(void *memory) {
  if (!memory) abort(); /* there is nobody to tell */
  return memory;
}

static inline void make_room(bytes *b, size_t more) {
  if (b->room - b->size >= more) return;
  b->room = 2 * b->room + more;
  b->at = sure(realloc(b->at, b->room));
}

static inline void add(bytes *b, const void *from, size_t size) {
  if (!size) return;
  make_room(b, size);
  memcpy(b->at + b->size, from, size);
  b->size += size;
}

static inline void add_byte(bytes *b, uint8_t byte) { add(b, &byte, 1); }
static inline void add_word(bytes *b, uint32_t word) { add(b, &word, sizeof word); }
static inline void add_long(bytes *b, uint64_t word) { add(b, &word, sizeof word); }

static inline uint64_t big_endian(const uint8_t *at, size_t size) {
  uint64_t found = 0;
  for (size_t i = 0; i < size; i++) found = found << 8 | at[i];
  return found;
}

static inline bool same(span a, const char *text) {
  size_t size = strlen(text);
  return a.size == size && memcmp(a.at, text, size) == 0;
}

/* The next number of a protocol buffer. False if it is broken off, or beyond 64 bits. */
static inline bool varint(const uint8_t **at, const uint8_t *end, uint64_t *value) {
  uint64_t found = 0;
  for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
    uint8_t byte = *(*at)++;
    if (shift == 63 && byte > 1) return false;
    found |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = found;
      return true;
    }
  }
  return false;
}

/* ---- protocol buffers ---- */

/* The next field: a number, or a content. False at the end, or if it is not usual; then `at` is not the end. */
typedef struct field {
  uint64_t key, number; /* with the type in the last three bits */
  span content;
} field;
bool next_field(const uint8_t **at, const uint8_t *end, field *found);

/* ---- digests ---- */

/* As gristmill/watch/records.py has them: of a text in pieces. */
typedef struct digest digest_of;
struct digest {
  uint64_t h[8], count;
  uint8_t block[128];
  size_t held;
  bool any;
};
void digest_begin(digest_of *d);
void digest_text(digest_of *d, const char *text);
void digest_bytes(digest_of *d, span s); /* as text: what is none becomes \xNN */
void digest_hex(digest_of *d, span s);
uint64_t digest_end(digest_of *d); /* 0 if nothing was put in */

/* ---- messages ---- */

typedef struct entry {
  uint64_t term, index;
  span data;
  int asks; /* 0: nothing, or one of the ASKS; and what about */
  span key, value;
} entry;
enum { ASKS_NOTHING, ASKS_PUT, ASKS_DELETE, ASKS_TRANSACTION };

typedef struct message {
  uint32_t kind;
  uint64_t from, to, term, log_term, index, commit, reject, reject_hint;
  span context;
  entry *entries;
  size_t count;
  uint64_t id_connection, id_number; /* of what a client asks */
} message;

/* Entries of the message that is looked at. */
typedef struct entries {
  entry *at;
  size_t count, room;
} entries;
bool read_entry(span data, entries *into);
bool read_message(span data, message *m, entries *into);
bool read_asks(entry *e); /* what it asks for, which is not looked at before somebody wants to know */

/* ---- connections ---- */

typedef struct route {
  uint32_t kind, id, status, size;
  uint64_t from, to;
  uint32_t *recipe;
} route;

typedef struct calls calls; /* of clients: calls.h */

typedef struct listened {
  struct listened *next;
  uint32_t connection;
  enum listen_form form;
  uint64_t on_channel[2]; /* messages, by direction */
  route *routes;
  uint32_t route_count, last_route;
  /* A body of HTTP in chunks: where in one we are, how much is left of it, and the beginning of a line. */
  enum { IN_SIZE, IN_CHUNK, BEHIND_CHUNK } where;
  uint64_t left;
  uint8_t line[32];
  uint32_t line_size;
  bytes pending[2]; /* the beginning of a message, by direction */
  uint64_t needed;  /* bytes of it, before there can be one in a stream */
  uint64_t term, index; /* of the last message in a stream of entries */
  calls *calls;
} listened;

struct listener {
  listened *table[1024];
  bytes out;         /* items */
  bytes scratch;     /* what has come, in one piece */
  entries entries;
  uint64_t sequence, time, count, messages, ignored; /* of the record that is looked at; messages by now */
  listened *now;
  uint64_t needed; /* bytes, before there is another message */
  uint32_t direction;
  listen_result *result;
  uint8_t huffman_symbols[257 * 2];
  uint32_t huffman_first[32], huffman_start[32], huffman_count[32];
  span fixed[62][2]; /* names and values of headers, from 1 on */
  uint8_t *fixed_bytes;
};

/* A message is ready: `said` in this form. False if its route is not known, or it is not to be made here. */
bool emit(listener *l, const message *m, enum listen_bytes form, const uint64_t *before, size_t longs, span said);

bool streams_hear(listener *l, listened *c, span data);
bool calls_hear(listener *l, listened *c, uint32_t direction, span data);

/* Reading a state that is handed over. */
typedef struct cursor {
  const uint8_t *at, *end;
  bool failed;
} cursor;
static inline uint64_t take_long(cursor *c) {
  uint64_t found = 0;
  if (c->end - c->at < 8) c->failed = true;
  else memcpy(&found, c->at, 8), c->at += 8;
  return found;
}
static inline span take_span(cursor *c) {
  uint64_t size = take_long(c);
  if (c->failed || size > (uint64_t)(c->end - c->at)) {
    c->failed = true;
    return (span){c->at, 0};
  }
  span found = {c->at, size};
  c->at += size;
  return found;
}
static inline void add_span(bytes *b, span s) {
  add_long(b, s.size);
  add(b, s.at, s.size);
}

bool calls_begin(listener *l, listened *c, cursor *from);
void calls_state(const listened *c, bytes *out);
void calls_free(calls *c);

#endif
