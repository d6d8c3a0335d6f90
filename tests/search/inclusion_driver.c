/* Decides cases that stand in the input as numbers, also with too little memory for them, and tells the answers. */

#include <stdio.h>
#include <stdlib.h>

#include "inclusion.h"

static uint64_t number(void) {
  unsigned long long n = 0;
  if (scanf("%llu", &n) != 1) exit(2);
  return n;
}

static uint32_t *numbers(uint64_t count) {
  uint32_t *all = malloc(count * sizeof *all); /* exactly: reading past the end is seen */
  for (uint64_t i = 0; i < count; i++) all[i] = (uint32_t)number();
  return all;
}

static gm_observed_graph graph(void) {
  gm_observed_graph g;
  uint64_t states = number(), initial = number();
  uint64_t *first = malloc((states + 1) * sizeof *first);
  g.states = (uint32_t)states;
  g.initial_count = (uint32_t)initial;
  g.initial = numbers(initial);
  for (uint64_t i = 0; i <= states; i++) first[i] = number();
  g.first = first;
  g.targets = numbers(first[states]);
  g.observations = numbers(states);
  return g;
}

static void free_graph(gm_observed_graph *g) {
  free((void *)g->initial);
  free((void *)g->first);
  free((void *)g->targets);
  free((void *)g->observations);
}

static int stop(void) { return 1; }

int main(void) {
  for (uint64_t left = number(); left > 0; left--) {
    gm_observed_graph a = graph(), b = graph();
    gm_inclusion found;
    for (uint64_t memory = 1; memory < UINT64_C(1) << 24; memory += memory / 2 + 1) {
      enum gm_inclusion_answer answer = gm_include(&a, &b, memory, NULL, &found);
      if (answer == GM_INCLUSION_NO_MEMORY && found.run) return 3;
      gm_inclusion_clear(&found);
    }
    gm_include(&a, &b, 0, stop, &found);
    gm_inclusion_clear(&found);
    int answer = gm_include(&a, &b, 0, NULL, &found);
    printf("%d %llu", answer, (unsigned long long)found.product_steps);
    for (uint32_t i = 0; i < found.length; i++) printf(" %u", found.run[i]);
    printf("\n");
    gm_inclusion_clear(&found);
    free_graph(&a);
    free_graph(&b);
  }
  return 0;
}
