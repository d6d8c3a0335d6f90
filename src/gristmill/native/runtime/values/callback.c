/* Asking the reference evaluator. */

#include "parts.h"

static const size_t FIRST_ROOM = 4096;

static uint8_t *bytes(gm_worker *w, size_t size) { return (uint8_t *)gm_scratch(w, (size + sizeof(V) - 1) / sizeof(V)); }

/* The number of arguments, then each of them. */
static size_t write_all(gm_worker *w, const V *args, uint32_t n, uint8_t *out, size_t room) {
  size_t size = gm_write_varint(out, n);
  for (uint32_t i = 0; i < n; i++) size += gm_encode(w, args[i], out + size, room - size);
  return size;
}

static uint8_t *room_for(gm_worker *w, const V *args, uint32_t n, size_t *room) {
  *room = 10;
  for (uint32_t i = 0; i < n; i++) *room += gm_encode(w, args[i], NULL, 0);
  return bytes(w, *room);
}

const uint8_t *gm_encode_call(gm_worker *w, uint32_t number, const V *args, uint32_t n, size_t *size) {
  size_t room;
  uint8_t *out = room_for(w, args, n, &room);
  size_t head = gm_write_varint(out, number);
  *size = head + write_all(w, args, n, out + head, room - head);
  return out;
}

V gm_call_python(gm_worker *w, gm_callback call, uint32_t primitive, const V *args, uint32_t n) {
  size_t needed, room = FIRST_ROOM;
  uint8_t *in = room_for(w, args, n, &needed);
  size_t size = write_all(w, args, n, in, needed);
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
