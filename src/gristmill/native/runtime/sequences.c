/* The operators of the module Sequences. Of strings only the reference evaluator knows the characters. */

#include "parts.h"

static const gm_object *sequence(gm_worker *w, V *v) {
  *v = gm_computed(w, *v);
  if (!gm_is_kind(*v, GM_SEQUENCE)) gm_fail(w, GM_ERROR);
  return gm_object_of(*v);
}

static V slice(gm_worker *w, V whole, const gm_object *o, uint32_t from, uint32_t n) {
  if (n == o->size) return whole;
  if (!n) return w->empty_sequence;
  gm_object *result = gm_new(w, GM_SEQUENCE, n);
  memcpy(result->items, o->items + from, n * sizeof(V));
  return gm_value_of(result);
}

V gm_length(gm_worker *w, V s) { return gm_int(sequence(w, &s)->size); }

V gm_append(gm_worker *w, V s, V e) {
  const gm_object *o = sequence(w, &s);
  e = gm_part(w, e);
  gm_object *result = gm_new(w, GM_SEQUENCE, o->size + 1);
  memcpy(result->items, o->items, o->size * sizeof(V));
  result->items[o->size] = e;
  return gm_value_of(result);
}

V gm_concat(gm_worker *w, V s, V t) {
  const gm_object *a = sequence(w, &s), *b = sequence(w, &t);
  if (!b->size) return s;
  if (!a->size) return t;
  gm_object *result = gm_new(w, GM_SEQUENCE, a->size + b->size);
  memcpy(result->items, a->items, a->size * sizeof(V));
  memcpy(result->items + a->size, b->items, b->size * sizeof(V));
  return gm_value_of(result);
}

V gm_head(gm_worker *w, V s) {
  const gm_object *o = sequence(w, &s);
  if (!o->size) gm_fail(w, GM_ERROR);
  return o->items[0];
}

V gm_tail(gm_worker *w, V s) {
  const gm_object *o = sequence(w, &s);
  if (!o->size) gm_fail(w, GM_ERROR);
  return slice(w, s, o, 1, o->size - 1);
}

V gm_subseq(gm_worker *w, V s, V from, V to) {
  const gm_object *o = sequence(w, &s);
  if (!gm_is_int(from) || !gm_is_int(to)) gm_fail(w, GM_ERROR);
  int64_t first = gm_int_of(from), last = gm_int_of(to);
  if (last < first) return w->empty_sequence;
  if (first < 1 || last > (int64_t)o->size) gm_fail(w, GM_ERROR);
  return slice(w, s, o, (uint32_t)(first - 1), (uint32_t)(last - first + 1));
}
