/* The operators of the module Sequences. Of strings only the reference evaluator knows the characters. */

#include "memo.h"

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
  if (o->flags & GM_KEPT) result->flags |= GM_PARTS_KEPT;
  return gm_value_of(result);
}

V gm_length(gm_worker *w, V s) { return gm_int(sequence(w, &s)->size); }

static V longer(gm_worker *w, const gm_object *o, V e) {
  gm_object *result = gm_new(w, GM_SEQUENCE, o->size + 1);
  memcpy(result->items, o->items, o->size * sizeof(V));
  result->items[o->size] = e;
  if ((o->flags & GM_KEPT) && gm_is_fixed(e)) gm_derived(result, o, gm_item_hash(e, o->size + (uint64_t)1));
  return gm_value_of(result);
}

/* What is appended to a sequence of the state will be in the next one. */
V gm_append(gm_worker *w, V s, V e) {
  const gm_object *o = sequence(w, &s);
  e = gm_part(w, e);
  if (!gm_is_kept(s)) return longer(w, o, e);
  e = gm_keep(w, e);
  gm_recipe *r = gm_memo(w, GM_MEMO_APPEND, s, e, 0);
  V known = gm_memo_result(r, GM_MEMO_APPEND, s, e, 0);
  return known ? known : gm_memo_note(w, r, GM_MEMO_APPEND, s, e, 0, longer(w, o, e));
}

V gm_concat(gm_worker *w, V s, V t) {
  const gm_object *a = sequence(w, &s), *b = sequence(w, &t);
  if (!b->size) return s;
  if (!a->size) return t;
  gm_object *result = gm_new(w, GM_SEQUENCE, a->size + b->size);
  memcpy(result->items, a->items, a->size * sizeof(V));
  memcpy(result->items + a->size, b->items, b->size * sizeof(V));
  if (a->flags & b->flags & GM_KEPT) result->flags |= GM_PARTS_KEPT;
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
  if (!gm_is_kept(s)) return slice(w, s, o, 1, o->size - 1);
  gm_recipe *r = gm_memo(w, GM_MEMO_TAIL, s, 0, 0);
  V known = gm_memo_result(r, GM_MEMO_TAIL, s, 0, 0);
  return known ? known : gm_memo_note(w, r, GM_MEMO_TAIL, s, 0, 0, slice(w, s, o, 1, o->size - 1));
}

V gm_subseq(gm_worker *w, V s, V from, V to) {
  const gm_object *o = sequence(w, &s);
  if (!gm_is_int(from) || !gm_is_int(to)) gm_fail(w, GM_ERROR);
  int64_t first = gm_int_of(from), last = gm_int_of(to);
  if (last < first) return w->empty_sequence;
  if (first < 1 || last > (int64_t)o->size) gm_fail(w, GM_ERROR);
  return slice(w, s, o, (uint32_t)(first - 1), (uint32_t)(last - first + 1));
}
