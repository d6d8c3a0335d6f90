/* Operations of the runtime for tests: arguments and result as bytes, a failure as a negative number. */

#include <string.h>

#include "value.h"

enum { KEEP_ARGUMENTS = 1, KEEP_RESULT = 2, ALTERNATE = 4, MOST = 5000 };
enum { TWO_OBJECTS = 99 }; /* a failure that must never be */

typedef V (*operation)(gm_worker *w, V *a, uint32_t n);

static V need(gm_worker *w, uint32_t have, uint32_t want) {
  if (have != want) gm_fail(w, GM_ERROR);
  return 0;
}

#define OPERATION(NAME, COUNT, RESULT)                      \
  static V do_##NAME(gm_worker *w, V *a, uint32_t n) {      \
    need(w, n, COUNT);                                      \
    return RESULT;                                          \
  }

static V collected(gm_worker *w, V set, bool assign) {
  static _Thread_local V found[MOST];
  gm_iterator it;
  uint32_t n = 0;
  if (assign) gm_iterate_assign(w, &it, set);
  else gm_iterate(w, &it, set);
  while (n < MOST && gm_next(w, &it, &found[n])) n++;
  return gm_make_sequence(w, found, n);
}

static V selected(gm_worker *w, V f, V a) {
  V found = gm_select(w, f, a);
  return found == GM_UNSET ? gm_make_sequence(w, NULL, 0) : gm_make_sequence(w, &found, 1);
}

static V changed(gm_worker *w, V f, V a, V v) {
  uint32_t before = w->warnings;
  V both[2] = {gm_except(w, f, a, v), GM_FALSE};
  both[1] = gm_bool(w->warnings != before);
  return gm_make_sequence(w, both, 2);
}

static V compared(int order) { return gm_int((order > 0) - (order < 0)); }

/* As if each name had its place in the code, which outlives heaps. */
static uint64_t caches[64];

static V field(gm_worker *w, V record, V name) {
  return gm_field(w, record, name, &caches[gm_atom_position(name) % 64]);
}

/* The function whose value is the argument itself, and the argument again through it. */
static V same(gm_worker *w, V *frame, V argument) {
  (void)w;
  (void)frame;
  return argument;
}

/* f[n] == IF n <= 1 THEN n ELSE f[n-1] + f[n-2] */
static V fibonacci(gm_worker *w, V *frame, V n) {
  if (gm_at_most(w, n, gm_int(1))) return n;
  V one = gm_apply(w, frame[0], gm_subtract(w, n, gm_int(1)));
  return gm_add(w, one, gm_apply(w, frame[0], gm_subtract(w, n, gm_int(2))));
}

static V fibonacci_on(gm_worker *w, V domain) {
  V frame[1];
  frame[0] = gm_lambda(w, domain, fibonacci, frame);
  return gm_list_function(w, frame[0]);
}

static V packed(gm_worker *w, V v) {
  uint32_t number = gm_pack(w, v);
  V back = gm_unpack(w->heap, number);
  if (gm_pack(w, back) != number || gm_pack(w, gm_keep(w, v)) != number) gm_fail(w, GM_DEEP);
  return back;
}

static size_t (*python)(uint32_t, const uint8_t *, size_t, uint8_t *, size_t);

void harness_call_with(gm_callback call) { python = call; }

OPERATION(same, 1, a[0])
OPERATION(pack, 1, packed(w, a[0]))
OPERATION(equal, 2, gm_bool(gm_equal(w, a[0], a[1])))
OPERATION(compare, 2, compared(gm_compare(w, a[0], a[1])))
OPERATION(contains, 2, gm_bool(gm_member(w, a[1], a[0])))
OPERATION(make_tuple, n, gm_make_sequence(w, a, n))
OPERATION(make_set, n, gm_make_set(w, a, n))
OPERATION(tabulate, 1, gm_list_function(w, gm_lambda(w, a[0], same, NULL)))
OPERATION(lazy_apply, 2, gm_apply(w, gm_lambda(w, a[0], same, NULL), a[1]))
OPERATION(fibonacci, 1, fibonacci_on(w, a[0]))
OPERATION(explicit, 1, gm_list(w, a[0]))
OPERATION(subset_of, 2, gm_bool(gm_subset(w, a[0], a[1])))
OPERATION(union, 2, gm_union(w, a[0], a[1]))
OPERATION(intersect, 2, gm_intersect(w, a[0], a[1]))
OPERATION(difference, 2, gm_difference(w, a[0], a[1]))
OPERATION(big_union, 1, gm_big_union(w, a[0]))
OPERATION(cardinality, 1, gm_cardinality(w, a[0]))
OPERATION(is_finite, 1, gm_bool(gm_is_finite(w, a[0])))
OPERATION(is_empty, 1, gm_bool(gm_is_empty(w, a[0])))
OPERATION(is_enumerable, 1, gm_bool(gm_is_enumerable(w, a[0])))
OPERATION(enumerate_set, 1, collected(w, a[0], false))
OPERATION(elements, 1, collected(w, a[0], true))
OPERATION(power_set, 1, gm_powerset(w, a[0]))
OPERATION(interval, 2, gm_interval(w, a[0], a[1]))
OPERATION(apply, 2, gm_apply(w, a[0], a[1]))
OPERATION(field, 2, field(w, a[0], a[1]))
OPERATION(domain, 1, gm_domain(w, a[0]))
OPERATION(select, 2, selected(w, a[0], a[1]))
OPERATION(except_at, 3, changed(w, a[0], a[1], a[2]))
OPERATION(merge, 2, gm_merge(w, a[0], a[1]))
OPERATION(single, 2, gm_single(w, a[0], a[1]))
OPERATION(length, 1, gm_length(w, a[0]))
OPERATION(append, 2, gm_append(w, a[0], a[1]))
OPERATION(concat, 2, gm_concat(w, a[0], a[1]))
OPERATION(head, 1, gm_head(w, a[0]))
OPERATION(tail, 1, gm_tail(w, a[0]))
OPERATION(subseq, 3, gm_subseq(w, a[0], a[1], a[2]))
OPERATION(add, 2, gm_add(w, a[0], a[1]))
OPERATION(subtract, 2, gm_subtract(w, a[0], a[1]))
OPERATION(multiply, 2, gm_multiply(w, a[0], a[1]))
OPERATION(divide, 2, gm_divide(w, a[0], a[1]))
OPERATION(modulo, 2, gm_modulo(w, a[0], a[1]))
OPERATION(power, 2, gm_power(w, a[0], a[1]))
OPERATION(negate, 1, gm_negate(w, a[0]))
OPERATION(less, 2, gm_bool(gm_less(w, a[0], a[1])))
OPERATION(at_most, 2, gm_bool(gm_at_most(w, a[0], a[1])))
OPERATION(call_python, n, gm_call_python(w, python, 7, a, n))

static const struct {
  const char *name;
  operation run;
} OPERATIONS[] = {
#define NAMED(NAME) {#NAME, do_##NAME}
    NAMED(same),        NAMED(pack),         NAMED(equal),     NAMED(compare),     NAMED(contains),  NAMED(make_tuple),
    NAMED(make_set),    NAMED(tabulate),     NAMED(lazy_apply), NAMED(fibonacci),  NAMED(explicit),  NAMED(subset_of),
    NAMED(union),       NAMED(intersect),    NAMED(difference), NAMED(big_union),  NAMED(cardinality), NAMED(is_finite),
    NAMED(is_empty),    NAMED(is_enumerable), NAMED(enumerate_set), NAMED(elements), NAMED(power_set), NAMED(interval),
    NAMED(apply),       NAMED(field),        NAMED(domain),    NAMED(select),      NAMED(except_at), NAMED(merge),
    NAMED(single),      NAMED(length),       NAMED(append),    NAMED(concat),      NAMED(head),      NAMED(tail),
    NAMED(subseq),      NAMED(add),          NAMED(subtract),  NAMED(multiply),    NAMED(divide),    NAMED(modulo),
    NAMED(power),       NAMED(negate),       NAMED(less),      NAMED(at_most),     NAMED(call_python),
};

/* However a value was made, there is one kept object of it. */
static V kept_once(gm_worker *w, V v) {
  static _Thread_local uint8_t bytes[1 << 16];
  V kept = gm_keep(w, v);
  size_t size = gm_encode(w, kept, bytes, sizeof bytes);
  if (size <= sizeof bytes && gm_keep(w, gm_decode(w, bytes, size, NULL)) != kept) gm_fail(w, (enum gm_failure)TWO_OBJECTS);
  return kept;
}

static V run(gm_worker *w, const char *name, const uint8_t *in, size_t size, int how) {
  V a[64];
  uint32_t n = 0;
  for (size_t at = 0, used; at < size && n < 64; at += used, n++) {
    a[n] = gm_decode(w, in + at, size - at, &used);
    bool keep = how & ALTERNATE ? n % 2 : how & KEEP_ARGUMENTS;
    if (keep && gm_is_object(a[n]) && gm_object_of(a[n])->kind < GM_LAMBDA) a[n] = gm_keep(w, a[n]);
  }
  for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++) {
    if (strcmp(name, OPERATIONS[i].name)) continue;
    V result = OPERATIONS[i].run(w, a, n);
    return how & KEEP_RESULT ? kept_once(w, result) : result;
  }
  gm_fail(w, GM_MISFIT);
}

/* The size of the encoded result, of which as much as fits is written; minus the failure otherwise. */
int64_t harness_run(gm_worker *w, const char *name, const uint8_t *in, size_t size, int how, uint8_t *out, size_t room) {
  jmp_buf recover;
  w->recover = &recover;
  int failed = setjmp(recover);
  if (failed) return -failed;
  gm_reset(w);
  return (int64_t)gm_encode(w, run(w, name, in, size, how), out, room);
}

/* Keep the value of some bytes: its number, or minus the failure. */
int64_t harness_keep(gm_worker *w, const uint8_t *in, size_t size) {
  jmp_buf recover;
  w->recover = &recover;
  int failed = setjmp(recover);
  if (failed) return -failed;
  gm_reset(w);
  return (int64_t)gm_pack(w, gm_decode(w, in, size, NULL));
}

/* The image under a permutation, encoded. */
int64_t harness_permute(gm_worker *w, gm_permutation *p, const uint8_t *in, size_t size, uint8_t *out, size_t room) {
  jmp_buf recover;
  w->recover = &recover;
  int failed = setjmp(recover);
  if (failed) return -failed;
  gm_reset(w);
  return (int64_t)gm_encode(w, gm_permute(w, p, gm_decode(w, in, size, NULL)), out, room);
}
