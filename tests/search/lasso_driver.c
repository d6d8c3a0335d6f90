/* Reads graphs with automata and clauses from standard input, and prints for each the behaviour that gm_find_lasso finds:
   so that the search can run under sanitizers, outside of Python. All numbers are separated by white space. */

#include <stdio.h>
#include <stdlib.h>

#include "lasso.h"

enum { BUDGET = 20000000 }; /* as from Python */

static uint64_t number(void) {
  unsigned long long found;
  if (scanf("%llu", &found) != 1) exit(2);
  return found;
}

static void *room(size_t count, size_t size) { /* exactly as large as is said, so that reading past the end is seen */
  void *found = calloc(count, size);
  if (found == NULL && count > 0) exit(3);
  return found;
}

static uint32_t *numbers(size_t count) {
  uint32_t *found = room(count, sizeof *found);
  for (size_t i = 0; i < count; i++) found[i] = (uint32_t)number();
  return found;
}

static uint64_t *long_numbers(size_t count) {
  uint64_t *found = room(count, sizeof *found);
  for (size_t i = 0; i < count; i++) found[i] = number();
  return found;
}

/* A number of bytes, and the bytes; no bytes are no bits. */
static gm_bits bits(void) {
  size_t count = (size_t)number();
  uint8_t *found = count ? room(count, 1) : NULL;
  for (size_t i = 0; i < count; i++) found[i] = (uint8_t)number();
  return found;
}

static gm_bits *many_bits(size_t count) {
  gm_bits *found = room(count, sizeof *found);
  for (size_t i = 0; i < count; i++) found[i] = bits();
  return found;
}

static void free_bits(const gm_bits *many, size_t count) {
  for (size_t i = 0; i < count; i++) free((void *)many[i]);
  free((void *)many);
}

static int polls; /* called only in searches longer than these */
static int poll(uint64_t edges) { return edges == 0 && polls++; }

static void one(void) {
  gm_steps steps = {.states = (uint32_t)number(), .initial = (uint32_t)number()};
  steps.first = long_numbers((size_t)steps.states + 1);
  steps.targets = numbers(steps.first[steps.states]);
  gm_automaton automaton = {.states = (uint32_t)number()};
  automaton.first = numbers((size_t)automaton.states + 1);
  size_t transitions = automaton.first[automaton.states];
  automaton.targets = numbers(transitions);
  automaton.promises = long_numbers(transitions);
  automaton.conditions = many_bits(transitions);
  automaton.passing = bits(); /* a byte each, which reads the same */
  uint32_t count = (uint32_t)number();
  gm_clause *clauses = room(count, sizeof *clauses);
  for (uint32_t i = 0; i < count; i++) {
    clauses[i].some = bits();
    clauses[i].promise = number();
    clauses[i].all_count = (uint32_t)number();
    clauses[i].all = many_bits(clauses[i].all_count);
  }
  gm_lasso lasso = {0};
  enum gm_answer answer = gm_find_lasso(&steps, &automaton, clauses, count, BUDGET, poll, &lasso);
  printf("%d %llu", (int)answer, (unsigned long long)lasso.loop);
  for (uint64_t i = 0; i < lasso.count; i++) printf(" %u", lasso.states[i]);
  printf("\n");
  gm_lasso_clear(&lasso);
  for (uint32_t i = 0; i < count; i++) {
    free((void *)clauses[i].some);
    free_bits(clauses[i].all, clauses[i].all_count);
  }
  free(clauses);
  free((void *)automaton.passing);
  free_bits(automaton.conditions, transitions);
  free((void *)automaton.promises);
  free((void *)automaton.targets);
  free((void *)automaton.first);
  free((void *)steps.targets);
  free((void *)steps.first);
}

int main(void) {
  for (uint64_t cases = number(); cases > 0; cases--) one();
  return 0;
}
