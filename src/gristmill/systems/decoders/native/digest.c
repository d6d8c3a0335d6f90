/* Numbers of 48 bits that stand for texts: the first bytes of BLAKE2b (RFC 7693), with a length of 6. */

#include "inside.h"

static const uint64_t START[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
    0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

static const uint8_t ORDER[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint64_t rotated(uint64_t x, unsigned by) { return x >> by | x << (64 - by); }

#define MIX(a, b, c, d, x, y)   \
  a += b + (x);                 \
  d = rotated(d ^ a, 32);       \
  c += d;                       \
  b = rotated(b ^ c, 24);       \
  a += b + (y);                 \
  d = rotated(d ^ a, 16);       \
  c += d;                       \
  b = rotated(b ^ c, 63);

static void take_block(digest_of *d, bool last) {
  uint64_t v[16], m[16];
  for (int i = 0; i < 16; i++) {
    m[i] = 0;
    for (int j = 7; j >= 0; j--) m[i] = m[i] << 8 | d->block[8 * i + j];
  }
  memcpy(v, d->h, sizeof d->h);
  memcpy(v + 8, START, sizeof START);
  v[12] ^= d->count;
  if (last) v[14] = ~v[14];
  for (int round = 0; round < 12; round++) {
    const uint8_t *s = ORDER[round % 10];
    MIX(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]])
    MIX(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]])
    MIX(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]])
    MIX(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]])
    MIX(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]])
    MIX(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]])
    MIX(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]])
    MIX(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]])
  }
  for (int i = 0; i < 8; i++) d->h[i] ^= v[i] ^ v[i + 8];
}

void digest_begin(digest_of *d) {
  memcpy(d->h, START, sizeof START);
  d->h[0] ^= 0x01010000u ^ 6;
  d->count = 0;
  d->held = 0;
  d->any = false;
}

static void put(digest_of *d, const uint8_t *at, size_t size) {
  d->any = d->any || size;
  while (size) {
    if (d->held == sizeof d->block) {
      d->count += d->held;
      take_block(d, false);
      d->held = 0;
    }
    size_t part = sizeof d->block - d->held < size ? sizeof d->block - d->held : size;
    memcpy(d->block + d->held, at, part);
    d->held += part;
    at += part;
    size -= part;
  }
}

void digest_text(digest_of *d, const char *text) { put(d, (const uint8_t *)text, strlen(text)); }

/* How many bytes the character has that begins here; 0 if none does. */
static size_t character(const uint8_t *at, size_t left) {
  uint8_t first = at[0];
  if (first < 0x80) return 1;
  size_t size = first >= 0xc2 && first <= 0xdf ? 2 : (first & 0xf0) == 0xe0 ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (!size || size > left) return 0;
  uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (at[1] < low || at[1] > high) return 0;
  for (size_t i = 2; i < size; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  return size;
}

static const char DIGITS[] = "0123456789abcdef";

void digest_bytes(digest_of *d, span s) {
  size_t from = 0;
  for (size_t at = 0; at < s.size;) {
    size_t size = character(s.at + at, s.size - at);
    if (size) {
      at += size;
      continue;
    }
    put(d, s.at + from, at - from);
    uint8_t escaped[4] = {'\\', 'x', (uint8_t)DIGITS[s.at[at] >> 4], (uint8_t)DIGITS[s.at[at] & 15]};
    put(d, escaped, sizeof escaped);
    from = ++at;
  }
  if (s.size > from) put(d, s.at + from, s.size - from);
}

void digest_hex(digest_of *d, span s) {
  uint8_t digits[128];
  for (size_t at = 0; at < s.size; at += sizeof digits / 2) {
    size_t size = s.size - at < sizeof digits / 2 ? s.size - at : sizeof digits / 2;
    for (size_t i = 0; i < size; i++) {
      digits[2 * i] = (uint8_t)DIGITS[s.at[at + i] >> 4];
      digits[2 * i + 1] = (uint8_t)DIGITS[s.at[at + i] & 15];
    }
    put(d, digits, 2 * size);
  }
}

uint64_t digest_end(digest_of *d) {
  if (!d->any) return 0;
  d->count += d->held;
  memset(d->block + d->held, 0, sizeof d->block - d->held);
  take_block(d, true);
  uint64_t found = 0;
  for (int i = 0; i < 6; i++) found = found << 8 | (d->h[0] >> (8 * i) & 0xff);
  return found;
}
