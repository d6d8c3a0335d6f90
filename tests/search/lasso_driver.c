/* Reads graphs with automata and clauses from standard input, and prints for each the behaviours that gm_find_lasso finds:
   so that the search can run under sanitizers, outside of Python. All numbers are separated by white space. */

#include <stdio.h>
#include <stdlib.h>

#include "lasso.h"

enum { BUDGET = 20000000 }; /* as from Python */
enum { MOST_CLAUSES = 1000 };

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

static uint32_t more_clauses(gm_clause *clauses, uint32_t count) {
  uint32_t end = count + (uint32_t)number();
  if (end > MOST_CLAUSES) exit(4);
  for (; count < end; count++) {
    clauses[count].some = bits();
    clauses[count].promise = number();
    clauses[count].all_count = (uint32_t)number();
    clauses[count].all = many_bits(clauses[count].all_count);
  }
  return count;
}

static void print_lasso(gm_search *search, const gm_clause *clauses, uint32_t count) {
  gm_lasso lasso = {0};
  enum gm_answer answer = gm_find_lasso(search, clauses, count, BUDGET, &lasso);
  printf("%d %llu", (int)answer, (unsigned long long)lasso.loop);
  for (uint64_t i = 0; i < lasso.count; i++) printf(" %u", lasso.states[i]);
  printf("\n");
  gm_lasso_clear(&lasso);
}

static void one(void) {
  gm_steps steps = {.states = (uint32_t)number(), .initial = (uint32_t)number()};
  steps.first = long_numbers((size_t)steps.states + 1);
  steps.targets = numbers(steps.first[steps.states]);
  gm_automaton automaton = {.states = (uint32_t)number()};
  automaton.passing = (uint32_t)number();
  automaton.start = (uint32_t)number();
  automaton.first = numbers((size_t)automaton.states + 1);
  size_t transitions = automaton.first[automaton.states];
  automaton.targets = numbers(transitions);
  automaton.promises = long_numbers(transitions);
  automaton.conditions = many_bits(transitions);
  gm_search *search = gm_search_new(&steps, &automaton, poll);
  gm_clause clauses[MOST_CLAUSES];
  uint32_t count = 0;
  for (uint64_t rounds = number(); rounds > 0; rounds--) {
    count = more_clauses(clauses, count);
    print_lasso(search, clauses, count);
  }
  gm_search_free(search);
  for (uint32_t i = 0; i < count; i++) {
    free((void *)clauses[i].some);
    free_bits(clauses[i].all, clauses[i].all_count);
  }
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
