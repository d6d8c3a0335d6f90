/* Asking the reference evaluator. */

#include "parts.h"

static const size_t FIRST_ROOM = 4096;

static uint8_t *bytes(gm_worker *w, size_t size) { return (uint8_t *)gm_scratch(w, (size + sizeof(V) - 1) / sizeof(V)); }

/* The number of arguments, then each of them. */
static uint8_t *encode_all(gm_worker *w, const V *args, uint32_t n, size_t *size) {
  size_t needed = 5;
  for (uint32_t i = 0; i < n; i++) needed += gm_encode(w, args[i], NULL, 0);
  uint8_t *out = bytes(w, needed);
  *size = gm_write_varint(out, n);
  for (uint32_t i = 0; i < n; i++) *size += gm_encode(w, args[i], out + *size, needed - *size);
  return out;
}

V gm_call_python(gm_worker *w, gm_callback call, uint32_t primitive, const V *args, uint32_t n) {
  size_t size, room = FIRST_ROOM;
  const uint8_t *in = encode_all(w, args, n, &size);
  w->callbacks++;
  uint8_t *out = bytes(w, room);
  size_t found = call(primitive, in, size, out, room);
  while (found > room) {
    room = found;
    out = bytes(w, room);
    found = call(primitive, in, size, out, room);
  }
  if (!found) gm_fail(w, GM_ERROR);
  return gm_decode(w, out, found, NULL);
}
