/* The two streams that a member of etcd writes to each other member, in a body of HTTP that comes in chunks: as
   gristmill/systems/decoders/etcd/streams.py and http1.py read them. */

#include "inside.h"

enum { LINK_HEARTBEAT = 0, ENTRIES = 1, MESSAGE = 2, HEARTBEAT = 8 };
#define LARGEST (UINT64_C(1) << 30)
#define MOST_TERM (UINT64_C(1) << 60)

/* ---- chunks ---- */

static int digit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  byte |= 0x20;
  return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The size of a chunk, of a line without its end; 0 if it is none, or none as usual. */
static uint64_t chunk_size(const uint8_t *line, size_t size) {
  uint64_t found = 0;
  if (size < 1 || size > 15) return 0;
  for (size_t i = 0; i < size; i++) {
    int value = digit(line[i]);
    if (value < 0) return 0;
    found = found << 4 | (uint64_t)value;
  }
  return found;
}

/* Mostly it is one whole chunk. */
static bool one_chunk(const listened *c, span data, span *content) {
  if (c->where != IN_SIZE || c->line_size || data.size < 6) return false;
  size_t line = 0;
  while (line < 16 && line < data.size && data.at[line] != '\r') line++;
  if (line + 4 > data.size || data.at[line] != '\r' || data.at[line + 1] != '\n') return false;
  uint64_t size = chunk_size(data.at, line);
  if (!size || size != data.size - line - 4 || memcmp(data.at + data.size - 2, "\r\n", 2) != 0) return false;
  *content = (span){data.at + line + 2, size};
  return true;
}

/* What more there is of the body. `c` is changed; false if it is not as usual. */
static bool contents(listened *c, span data, bytes *into) {
  for (size_t at = 0; at < data.size;) {
    if (c->where == IN_CHUNK) {
      size_t part = c->left < data.size - at ? (size_t)c->left : data.size - at;
      add(into, data.at + at, part);
      at += part;
      c->left -= part;
      if (!c->left) c->where = BEHIND_CHUNK;
      continue;
    }
    if (c->line_size == sizeof c->line) return false;
    uint8_t byte = c->line[c->line_size++] = data.at[at++];
    bool ends = byte == '\n' && c->line_size >= 2 && c->line[c->line_size - 2] == '\r';
    if (c->where == BEHIND_CHUNK) {
      if (c->line[0] != '\r' || (c->line_size == 2 && !ends)) return false;
      if (ends) c->where = IN_SIZE, c->line_size = 0;
    } else if (ends) {
      c->left = chunk_size(c->line, c->line_size - 2);
      if (!c->left) return false;
      c->where = IN_CHUNK;
      c->line_size = 0;
    }
  }
  return true;
}

/* ---- messages in them ---- */

/* Whether so many bytes are there; else, it is noted that they are needed. */
static bool has(listener *l, span data, size_t count) {
  if (data.size >= count) return true;
  l->needed = count;
  return false;
}

/* What has its length in front. False if it is not complete. */
static bool counted(listener *l, span data, size_t at, span *found, bool *usual) {
  if (!has(l, data, at + 8)) return false;
  uint64_t length = big_endian(data.at + at, 8);
  if (length > LARGEST) *usual = false;
  if (length > LARGEST || !has(l, data, at + 8 + length)) return false;
  *found = (span){data.at + at + 8, length};
  return true;
}

/* Each of these returns how many bytes a message takes, 0 if it is not complete. */

static size_t message_by_itself(listener *l, listened *c, span data, size_t at, bool *usual) {
  span found;
  message m;
  bool appends = c->form == LISTEN_APPENDS;
  if (!counted(l, data, at + appends, &found, usual)) return 0;
  if (!read_message(found, &m, &l->entries)) {
    *usual = false;
    return 0;
  }
  if (appends) {
    c->term = m.term;
    c->index = m.count ? m.entries[m.count - 1].index : m.index;
  }
  bool is_link = !appends && m.kind == HEARTBEAT && !m.from && !m.to;
  if (!is_link) *usual = emit(l, &m, appends ? BYTES_IN_APPENDS : BYTES_MESSAGE, NULL, 0, found);
  return appends + 8 + found.size;
}

static size_t appended(listener *l, listened *c, span data, size_t start, bool *usual) {
  if (!has(l, data, start + 9)) return 0;
  uint64_t count = big_endian(data.at + start + 1, 8);
  size_t at = start + 9;
  l->entries.count = 0;
  for (uint64_t i = 0; i < count; i++) {
    span found;
    if (!counted(l, data, at, &found, usual)) return 0;
    if (!read_entry(found, &l->entries)) {
      *usual = false;
      return 0;
    }
    at += 8 + found.size;
  }
  if (!has(l, data, at + 8)) return 0;
  uint64_t before[] = {c->term, c->index};
  message m = {.kind = KIND_APPENDED, .term = c->term, .log_term = c->term, .index = c->index};
  m.commit = big_endian(data.at + at, 8);
  m.entries = l->entries.at;
  m.count = l->entries.count;
  *usual = m.commit < MOST_TERM && c->index < MOST_TERM;
  *usual = *usual && emit(l, &m, BYTES_APPENDED, before, 2, (span){data.at + start + 1, at + 7 - start});
  c->index += count;
  return at + 8 - start;
}

static size_t next(listener *l, listened *c, span data, size_t at, bool *usual) {
  if (c->form == LISTEN_MESSAGES || data.at[at] == MESSAGE) return message_by_itself(l, c, data, at, usual);
  if (data.at[at] == ENTRIES) return appended(l, c, data, at, usual);
  if (data.at[at] != LINK_HEARTBEAT) *usual = false;
  return data.at[at] == LINK_HEARTBEAT;
}

static void keep_where(listened *c, const listened *changed) {
  c->where = changed->where;
  c->left = changed->left;
  c->line_size = changed->line_size;
  memcpy(c->line, changed->line, sizeof c->line);
  c->term = changed->term;
  c->index = changed->index;
}

bool streams_hear(listener *l, listened *c, span data) {
  listened changed = *c;
  bytes *pending = &c->pending[1];
  size_t before = pending->size, at = 0;
  span whole;
  bool is_alone = !before && one_chunk(c, data, &whole), usual = true;
  if (!is_alone) {
    usual = contents(&changed, data, pending);
    whole = (span){pending->at, pending->size};
  }
  l->needed = c->needed;
  if (whole.size >= c->needed) {
    l->needed = 0;
    while (at < whole.size && usual) {
      size_t size = next(l, &changed, whole, at, &usual);
      if (!size) break;
      at += size;
    }
  }
  if (!usual) {
    pending->size = before;
    return false;
  }
  keep_where(c, &changed);
  c->needed = l->needed > at ? l->needed - at : 0;
  if (is_alone) {
    add(pending, whole.at + at, whole.size - at);
  } else if (at) {
    pending->size -= at;
    memmove(pending->at, pending->at + at, pending->size);
  }
  return true;
}
