/* What the operations that generated code does most cost: nanoseconds each, on kept operands. See native_values.py. */

#include <stdio.h>
#include <time.h>

#include "value.h"

enum { RECORDS = 64, IN_SET = 20, ROUNDS = 20000, REPEATS = 50 };

static V records[RECORDS], names, set_of_records, sets[RECORDS], sequence, function, model_values[3];
static volatile uint64_t sink;

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static V record(gm_worker *w, uint32_t i) {
  V values[4] = {gm_string(10 + i % 3), gm_int(i), gm_atom(20 + i % 3, true), gm_int(i / 2)};
  return gm_make_record(w, names, values);
}

static void prepare(gm_worker *w) {
  V fields[4] = {gm_string(1), gm_string(2), gm_string(3), gm_string(4)}, some[IN_SET];
  names = gm_keep(w, gm_make_set(w, fields, 4));
  for (uint32_t i = 0; i < RECORDS; i++) records[i] = gm_keep(w, record(w, i));
  for (uint32_t i = 0; i < IN_SET; i++) some[i] = records[i];
  set_of_records = gm_keep(w, gm_make_set(w, some, IN_SET));
  for (uint32_t i = 0; i < RECORDS; i++) {
    V one = gm_make_set(w, &records[i], 1);
    sets[i] = gm_keep(w, gm_union(w, set_of_records, one));
  }
  sequence = gm_keep(w, gm_make_sequence(w, records, 5));
  for (uint32_t i = 0; i < 3; i++) model_values[i] = gm_atom(30 + i, true);
  function = gm_keep(w, gm_make_function(w, gm_make_set(w, (V[]){model_values[0], model_values[1], model_values[2]}, 3), records));
}

/* The least of several times: others use the machine, too. */
#define MEASURE(TITLE, WORK)                                          \
  do {                                                                \
    double least = 1e18;                                              \
    for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {           \
      double begin = now();                                           \
      uint64_t sum = 0;                                               \
      for (uint32_t i = 0; i < ROUNDS; i++) {                         \
        gm_reset(w);                                                  \
        sum += (uint64_t)(WORK);                                      \
      }                                                               \
      sink += sum;                                                    \
      double time = (now() - begin) / ROUNDS;                         \
      if (time < least) least = time;                                 \
    }                                                                 \
    printf("%-58s %6.1f ns\n", TITLE, least);                        \
  } while (0)

static uint64_t walk(gm_worker *w, V set) {
  gm_iterator it;
  V element;
  uint64_t sum = 0;
  gm_iterate(w, &it, set);
  while (gm_next(w, &it, &element)) sum += element;
  return sum;
}

int main(void) {
  gm_heap *h = gm_heap_new(0);
  gm_worker *w = gm_worker_new(h, 0);
  jmp_buf recover;
  w->recover = &recover;
  if (setjmp(recover)) return 1;
  prepare(w);
  uint64_t cache = 0;
#define R(i) records[(i) % RECORDS]
#define ONE(i) gm_make_set(w, (V[]){R(i)}, 1)
  MEASURE("r.f", gm_field(w, R(i), gm_string(3), &cache));
  MEASURE("f[x], x a model value", gm_apply(w, function, model_values[i % 3]));
  MEASURE("[r EXCEPT !.f = 1]", gm_except(w, R(i), gm_string(2), gm_int(i & 63)));
  MEASURE("[r EXCEPT !.f = 1], kept", gm_keep(w, gm_except(w, R(i), gm_string(2), gm_int(i & 7))));
  MEASURE("[f EXCEPT ![x] = r], kept", gm_keep(w, gm_except(w, function, model_values[i % 3], R(i))));
  MEASURE("[a |-> 1, ...], kept", gm_keep(w, record(w, i % RECORDS)));
  MEASURE("S \\cup {r}, 20 records, r new", gm_union(w, set_of_records, ONE(i % 40 + 20)));
  MEASURE("S \\cup {r}, 20 records, kept", gm_keep(w, gm_union(w, set_of_records, ONE(i))));
  MEASURE("S \\cup {r}, 20 records, r there", gm_union(w, set_of_records, ONE(i % IN_SET)));
  MEASURE("S \\ {r}, kept", gm_keep(w, gm_difference(w, set_of_records, ONE(i % IN_SET))));
  MEASURE("S \\cup T, both 21 records", gm_union(w, sets[i % RECORDS], sets[(i + 5) % RECORDS]));
  MEASURE("r \\in S, 20 records, kept r there", gm_member(w, R(i % IN_SET), set_of_records));
  MEASURE("r \\in S, 20 records, kept r not there", gm_member(w, R(i % 40 + 20), set_of_records));
  MEASURE("r \\in S, 20 records, new r there", gm_member(w, record(w, i % IN_SET), set_of_records));
  MEASURE("S \\subseteq T, 20 records", gm_subset(w, set_of_records, sets[i % RECORDS]));
  MEASURE("r = q, kept, different", gm_equal(w, R(i), R(i + 1)));
  MEASURE("r = q, new and kept, the same", gm_equal(w, record(w, i % RECORDS), R(i)));
  MEASURE("S = T, kept, different", gm_equal(w, sets[i % 40 + 20], sets[i % 39 + 21]));
  MEASURE("Append(s, r), 5 records, kept", gm_keep(w, gm_append(w, sequence, R(i))));
  MEASURE("Tail(s), 5 records, kept", gm_keep(w, gm_tail(w, sequence)));
  MEASURE("going through 20 records", walk(w, set_of_records));
  MEASURE("going through SUBSET of 3 (8 sets)", walk(w, gm_powerset(w, gm_domain(w, function))));
  MEASURE("{r, q, p}, made", gm_make_set(w, (V[]){R(i), R(i + 7), R(i + 3)}, 3));
  MEASURE("pack and unpack", gm_unpack(h, gm_pack(w, R(i))));
  gm_worker_free(w);
  gm_heap_free(h);
  return 0;
}
