/* See hpack.h. */

#include "hpack.h"

enum { FIXED = 61, OVERHEAD = 32, END_OF_TEXT = 256 };

static bool read_number(const uint8_t **at, const uint8_t *end, unsigned bits, uint32_t *value) {
  uint32_t most = (1u << bits) - 1, found = *(*at)++ & most;
  if (found == most) {
    unsigned shift = 0;
    uint8_t byte;
    do {
      if (*at >= end || shift > 14) return false; /* none is so large */
      byte = *(*at)++;
      found += (uint32_t)(byte & 0x7f) << shift;
      shift += 7;
    } while (byte & 0x80);
  }
  *value = found;
  return true;
}

/* Symbol by symbol, bit by bit. Bits of the last byte that are no symbol do not count. */
static bool unpacked(const listener *l, span packed, bytes *out) {
  uint32_t code = 0, length = 0;
  for (size_t i = 0; i < packed.size; i++)
    for (int shift = 7; shift >= 0; shift--) {
      code = code << 1 | (packed.at[i] >> shift & 1u);
      if (++length > 30) return false;
      uint32_t at = code - l->huffman_first[length];
      if (code < l->huffman_first[length] || at >= l->huffman_count[length]) continue;
      const uint8_t *symbol = l->huffman_symbols + 2 * (l->huffman_start[length] + at);
      if (symbol[1]) return false;
      add_byte(out, symbol[0]);
      code = length = 0;
    }
  return true;
}

static bool read_text(const listener *l, const uint8_t **at, const uint8_t *end, span *text, bytes *scratch) {
  if (*at >= end) return false;
  bool is_packed = **at & 0x80;
  uint32_t size;
  if (!read_number(at, end, 7, &size) || size > (size_t)(end - *at)) return false;
  *text = (span){*at, size};
  *at += size;
  if (!is_packed) return true;
  size_t start = scratch->size;
  if (scratch->room - start < 2 * (size_t)size + 8) return false; /* it must not move: others refer to it */
  if (!unpacked(l, *text, scratch)) return false;
  *text = (span){scratch->at + start, scratch->size - start};
  return true;
}

static bool entry_at(const listener *l, const hpack *h, uint32_t index, span *name, span *value) {
  if (!index || index > FIXED + h->count) return false;
  if (index <= FIXED) {
    *name = l->fixed[index][0];
    *value = l->fixed[index][1];
    return true;
  }
  uint32_t place = h->count - (index - FIXED);
  const uint8_t *at = h->bytes + h->entries[place].at;
  *name = (span){at, h->entries[place].name};
  *value = (span){at + name->size, h->entries[place].value};
  return true;
}

static void shrink(hpack *h) {
  uint32_t gone = 0;
  while (h->size > h->limit && gone < h->count) {
    h->size -= h->entries[gone].name + h->entries[gone].value + OVERHEAD;
    gone++;
  }
  if (!gone) return;
  h->count -= gone;
  memmove(h->entries, h->entries + gone, h->count * sizeof *h->entries);
  if (!h->count) h->used = 0;
}

/* Bytes of those that are gone are used again. */
static void pack_bytes(hpack *h) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < h->count; i++) {
    uint32_t size = h->entries[i].name + h->entries[i].value;
    memmove(h->bytes + used, h->bytes + h->entries[i].at, size);
    h->entries[i].at = used;
    used += size;
  }
  h->used = used;
}

bool hpack_add(hpack *h, span name, span value) {
  if (name.size + value.size + OVERHEAD > h->limit) return false; /* it would empty the table */
  uint8_t copied[HPACK_MOST]; /* either may be in the table itself */
  memcpy(copied, name.at, name.size);
  memcpy(copied + name.size, value.at, value.size);
  uint32_t size = (uint32_t)(name.size + value.size);
  h->size += size + OVERHEAD;
  shrink(h);
  if (sizeof h->bytes - h->used < size) pack_bytes(h);
  if (h->count == HPACK_ENTRIES || sizeof h->bytes - h->used < size) return false;
  h->entries[h->count].at = h->used;
  h->entries[h->count].name = (uint32_t)name.size;
  h->entries[h->count].value = (uint32_t)value.size;
  h->count++;
  memcpy(h->bytes + h->used, copied, size);
  h->used += size;
  return true;
}

/* What is found may be in the table, which changes. */
static void keep(span *found, span value, bytes *scratch) {
  size_t start = scratch->size;
  add(scratch, value.at, value.size);
  *found = (span){scratch->at + start, value.size};
}

bool hpack_read(const listener *l, hpack *h, span block, const char *wanted, span *found, bytes *scratch) {
  const uint8_t *at = block.at, *end = block.at + block.size;
  *found = (span){NULL, 0};
  while (at < end) {
    uint8_t byte = *at;
    uint32_t index;
    span name, value;
    if ((byte & 0xe0) == 0x20) {
      if (!read_number(&at, end, 5, &index) || index > HPACK_MOST) return false;
      h->limit = index;
      shrink(h);
      continue;
    }
    unsigned bits = byte & 0x80 ? 7 : byte & 0x40 ? 6 : 4;
    if (!read_number(&at, end, bits, &index)) return false;
    if (byte & 0x80) {
      if (!entry_at(l, h, index, &name, &value)) return false;
    } else {
      if (index ? !entry_at(l, h, index, &name, &value) : !read_text(l, &at, end, &name, scratch)) return false;
      if (!read_text(l, &at, end, &value, scratch)) return false;
    }
    if (same(name, wanted)) {
      if (scratch->room - scratch->size < value.size) return false;
      keep(found, value, scratch);
      value = *found;
    }
    if ((byte & 0xc0) == 0x40 && !hpack_add(h, name, value)) return false;
  }
  return true;
}
