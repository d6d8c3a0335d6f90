/* Messages and entries of etcd's Raft, as etcd writes them: what gristmill/systems/decoders/etcd/hearing.py reads in one
   pass. Whatever looks otherwise is left to Python. */

#include "inside.h"

enum { VARINT = 0, CONTENT = 2 };
enum { MOST_KINDS = 24 };
enum { TYPE = 0x08, TO = 0x10, FROM = 0x18, TERM = 0x20, LOG_TERM = 0x28, INDEX = 0x30, ENTRY = 0x3a, COMMIT = 0x40,
       SNAPSHOT = 0x4a, REJECT = 0x50, REJECT_HINT = 0x58, CONTEXT = 0x62, VOTE = 0x68 };
enum { ENTRY_TYPE = 0x08, ENTRY_TERM = 0x10, ENTRY_INDEX = 0x18, ENTRY_DATA = 0x22 };
/* Fields of a request: those that Python looks for, in the order in which it does. */
static const uint32_t REQUESTS[] = {3, 4, 5, 6, 7, 8, 9, 10, 1300, 1301, 1302};
enum { REQUEST_COUNT = sizeof REQUESTS / sizeof *REQUESTS, PUT = 1, DELETE = 2, TRANSACTION = 3 };
#define LARGEST (UINT64_C(1) << 60) /* of numbers that native values can have */

bool next_field(const uint8_t **at, const uint8_t *end, field *found) {
  if (*at >= end) return false;
  const uint8_t *here = *at;
  uint64_t key, value;
  if (!varint(&here, end, &key) || key > UINT32_MAX || !varint(&here, end, &value)) return false;
  found->key = key;
  found->number = value;
  if ((key & 7) == CONTENT) {
    if (value > (uint64_t)(end - here)) return false;
    found->content = (span){here, value};
    here += value;
  } else if ((key & 7) != VARINT) {
    return false;
  }
  *at = here;
  return true;
}

static bool is_clean(span data) {
  const uint8_t *at = data.at, *end = data.at + data.size;
  field f;
  while (next_field(&at, end, &f)) continue;
  return at == end;
}

/* The first two contents of what is put or deleted. */
static bool read_pair(span data, entry *e) {
  const uint8_t *at = data.at, *end = data.at + data.size;
  field f;
  while (next_field(&at, end, &f)) {
    if (f.key >> 3 != 1 && f.key >> 3 != 2) continue;
    if ((f.key & 7) != CONTENT) return false;
    *(f.key >> 3 == 1 ? &e->key : &e->value) = f.content;
  }
  return at == end;
}

/* What a normal entry is about: as far as a client may have asked for it. */
static bool read_request(entry *e) {
  const uint8_t *at = e->data.at, *end = e->data.at + e->data.size;
  field f, found[REQUEST_COUNT];
  bool has[REQUEST_COUNT] = {false};
  while (next_field(&at, end, &f))
    for (int i = 0; i < REQUEST_COUNT; i++)
      if (f.key >> 3 == REQUESTS[i]) found[i] = f, has[i] = true;
  if (at != end) return false;
  for (int i = 0; i < REQUEST_COUNT; i++) {
    if (!has[i]) continue;
    if ((found[i].key & 7) != CONTENT) return false;
    if (i == PUT || i == DELETE) {
      e->asks = i == PUT ? ASKS_PUT : ASKS_DELETE;
      return read_pair(found[i].content, e);
    }
    if (i == TRANSACTION) e->asks = ASKS_TRANSACTION;
    return is_clean(found[i].content);
  }
  return true;
}

bool read_entry(span data, entries *into) {
  entry e = {0};
  const uint8_t *at = data.at, *end = data.at + data.size;
  field f;
  while (next_field(&at, end, &f)) {
    switch (f.key) {
      case ENTRY_TERM: e.term = f.number; break;
      case ENTRY_INDEX: e.index = f.number; break;
      case ENTRY_DATA: e.data = f.content; break;
      case ENTRY_TYPE:
        if (f.number) return false;
        break;
      default: return false;
    }
  }
  if (at != end || e.term >= LARGEST || e.index >= LARGEST) return false;
  if (into->count == into->room) {
    into->room = 2 * into->room + 16;
    into->at = sure(realloc(into->at, into->room * sizeof *into->at));
  }
  into->at[into->count++] = e;
  return true;
}

/* Messages that carry none have a snapshot of nothing: metadata without an index. */
static bool is_no_snapshot(span data) {
  static const uint8_t NOTHING[] = {0x12, 0x08, 0x0a, 0x02, 0x28, 0x00, 0x10, 0x00, 0x18, 0x00};
  static const uint8_t LESS[] = {0x12, 0x06, 0x0a, 0x00, 0x10, 0x00, 0x18, 0x00};
  return !data.size || (data.size == sizeof NOTHING && memcmp(data.at, NOTHING, sizeof NOTHING) == 0) ||
         (data.size == sizeof LESS && memcmp(data.at, LESS, sizeof LESS) == 0);
}

bool read_message(span data, message *m, entries *into) {
  const uint8_t *at = data.at, *end = data.at + data.size;
  field f;
  *m = (message){0};
  into->count = 0;
  if (data.size < 3 || data.at[0] != TYPE || data.at[1] >= MOST_KINDS || data.at[2] != TO) return false;
  m->kind = data.at[1];
  at += 2;
  if (!next_field(&at, end, &f)) return false;
  m->to = f.number;
  if (!next_field(&at, end, &f) || f.key != FROM) return false;
  m->from = f.number;
  while (next_field(&at, end, &f)) {
    switch (f.key) {
      case TERM: m->term = f.number; break;
      case LOG_TERM: m->log_term = f.number; break;
      case INDEX: m->index = f.number; break;
      case COMMIT: m->commit = f.number; break;
      case REJECT: m->reject = f.number; break;
      case REJECT_HINT: m->reject_hint = f.number; break;
      case CONTEXT: m->context = f.content; break;
      case VOTE: break;
      case ENTRY:
        if (!read_entry(f.content, into)) return false;
        break;
      case SNAPSHOT:
        if (!is_no_snapshot(f.content)) return false;
        break;
      default: return false;
    }
  }
  bool fits = m->term < LARGEST && m->log_term < LARGEST && m->index < LARGEST && m->commit < LARGEST;
  if (at != end || !fits || m->reject_hint >= LARGEST) return false;
  m->entries = into->at;
  m->count = into->count;
  return true;
}

bool read_asks(entry *e) { return !e->data.size || read_request(e); }
