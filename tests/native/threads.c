/* Several threads keep the same values at once, each in another order: all get the same numbers. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "value.h"

enum { THREADS = 4, VALUES = 3000, STRIDES = 4 };
static const uint32_t STRIDE[STRIDES] = {1, 7, 1009, 2999}; /* without common divisors with VALUES */

typedef struct task {
  gm_heap *heap;
  gm_permutation *permutation;
  uint32_t number;
  uint32_t found[VALUES], image[VALUES];
  int failed;
  pthread_t thread;
} task;

/* Values that share parts: <<i % 50, {i % 7, i % 11}, [x \in {m0, m1, m2} |-> i % 9 + x's place]>> */
static V value_of(gm_worker *w, uint32_t i) {
  V pair[2] = {gm_int(i % 7), gm_int(i % 11)}, domain[3], values[3], parts[4];
  for (uint32_t m = 0; m < 3; m++) {
    domain[m] = gm_atom(m, true);
    values[m] = gm_int(i % 9 + m);
  }
  parts[0] = gm_int(i % 50);
  parts[1] = gm_make_set(w, pair, 2);
  parts[2] = gm_make_function(w, gm_make_set(w, domain, 3), values);
  parts[3] = gm_int((int64_t)i << 40);
  return gm_make_sequence(w, parts, 4);
}

static void *run(void *argument) {
  task *t = argument;
  gm_worker *w = gm_worker_new(t->heap, 0);
  jmp_buf recover;
  w->recover = &recover;
  t->failed = setjmp(recover);
  if (!t->failed) {
    for (uint32_t step = 0, i = 0; step < VALUES; step++, i = (i + STRIDE[t->number % STRIDES]) % VALUES) {
      gm_reset(w);
      V kept = gm_keep(w, value_of(w, i));
      t->found[i] = gm_pack(w, kept);
      t->image[i] = gm_pack(w, gm_permute(w, t->permutation, kept));
    }
  }
  gm_worker_free(w);
  return NULL;
}

int main(void) {
  const uint64_t from[3] = {0, 1, 2}, to[3] = {1, 2, 0};
  gm_heap *h = gm_heap_new((uint64_t)1 << 28);
  gm_permutation *p = gm_permutation_new(h, from, to, 3);
  task *tasks = calloc(THREADS, sizeof *tasks);
  for (uint32_t i = 0; i < THREADS; i++) {
    tasks[i].heap = h;
    tasks[i].permutation = p;
    tasks[i].number = i;
    if (pthread_create(&tasks[i].thread, NULL, run, &tasks[i])) return 2;
  }
  int differing = 0;
  for (uint32_t i = 0; i < THREADS; i++) {
    pthread_join(tasks[i].thread, NULL);
    if (tasks[i].failed) return 3;
    for (uint32_t v = 0; v < VALUES; v++) {
      differing += tasks[i].found[v] != tasks[0].found[v] || tasks[i].image[v] != tasks[0].image[v];
    }
  }
  printf("%d differing, %llu values\n", differing, (unsigned long long)gm_heap_values(h));
  gm_permutation_free(p);
  gm_heap_free(h);
  free(tasks);
  return differing != 0;
}
