#include <stdlib.h>
#include <string.h>

#include "fair.h"

#define JOINED (UINT32_C(1) << 31) /* of a position: the node has the number of an earlier one */
#define NO_COMPONENT UINT32_MAX     /* of a node that is in no cycle: greater than the number of any component */

bool gm_components_open(gm_search *search) {
  search->nodes = malloc(((size_t)search->live + 1) * sizeof *search->nodes);
  search->positions = malloc(((size_t)search->live + 1) * sizeof *search->positions);
  search->depth = 0;
  search->left = search->live;
  return search->nodes != NULL && search->positions != NULL;
}

void gm_components_close(gm_search *search) {
  free(search->nodes);
  free(search->positions);
  search->nodes = search->positions = NULL;
}

static void visit(gm_search *search, uint32_t node) {
  search->mark[node] = ++search->open;
  search->nodes[search->depth] = node;
  search->positions[search->depth++] = 0;
}

/* The first of its component that was visited, with all of it among the nodes left. */
static bool close_component(gm_search *search, uint32_t first) {
  uint32_t lowest = search->mark[first], number = search->next_number--, end = search->left;
  for (; end < search->live && search->mark[search->nodes[end]] >= lowest; end++)
    search->mark[search->nodes[end]] = number;
  uint32_t start = search->left, count = end - start;
  search->left = end;
  search->open -= count;
  return gm_examine(search, search->nodes + start, count, number);
}

/* All edges of the newest node on the path have been looked at. */
static bool leave(gm_search *search) {
  uint32_t node = search->nodes[--search->depth];
  search->nodes[--search->left] = node;
  if (!(search->positions[search->depth] & JOINED)) return close_component(search, node);
  uint32_t parent = search->nodes[search->depth - 1]; /* there is one: an earlier node was visited */
  if (search->mark[node] < search->mark[parent]) {
    search->mark[parent] = search->mark[node];
    search->positions[search->depth - 1] |= JOINED;
  }
  return true;
}

static bool pass(gm_search *search, uint32_t node) {
  uint32_t number = node - search->live;
  if (gm_bit(search->was_passed, number)) return true;
  if (!gm_search_grow((void **)&search->passed, &search->passed_room, search->passed_count, sizeof *search->passed))
    return gm_search_fail(search, GM_NO_MEMORY);
  search->was_passed[number >> 3] |= (uint8_t)(1u << (number & 7));
  search->passed[search->passed_count++] = node;
  return true;
}

/* What will be looked at soon is fetched meanwhile: most of the time is spent waiting for memory. */
static void fetch_ahead(const gm_search *search, const gm_cursor *cursor) {
  const gm_steps *steps = &search->product.steps;
  for (uint64_t step = cursor->row; step < cursor->stuttering; step++) {
    uint32_t target = steps->targets[step];
    __builtin_prefetch(&steps->first[target]);
    __builtin_prefetch(&search->mark[target]);
  }
}

/* From the newest node on the path to one that has not been visited; without one, back. */
static bool go_on(gm_search *search) {
  uint32_t node = search->nodes[search->depth - 1], *position = &search->positions[search->depth - 1];
  uint32_t own = search->mark[node], lowest = own, joined = *position & JOINED;
  gm_cursor cursor = gm_edges_of(&search->product, node);
  if (*position == 0) {
    if (!gm_count_edges(search, cursor.stuttering - cursor.row + 1)) return false;
    fetch_ahead(search, &cursor);
  }
  gm_move_to(&cursor, *position & ~JOINED);
  gm_edge edge;
  uint32_t found = UINT32_MAX;
  while (found == UINT32_MAX && gm_next_edge(&search->product, search->allowed, &cursor, &edge)) {
    if (edge.target >= search->live) {
      if (!pass(search, edge.target)) return false;
      continue;
    }
    uint32_t mark = search->mark[edge.target];
    if (mark == 0)
      found = edge.target;
    else if (mark < lowest)
      lowest = mark;
  }
  search->mark[node] = lowest;
  *position = (uint32_t)gm_position(&cursor) | joined | (lowest < own ? JOINED : 0);
  if (found == UINT32_MAX) return leave(search);
  visit(search, found);
  return true;
}

static bool components_from(gm_search *search, uint32_t root) {
  if (search->mark[root] != 0) return true;
  visit(search, root);
  while (search->depth > 0)
    if (!go_on(search)) return false;
  return true;
}

/* Whether some edge of a node may be taken. */
static bool can_be_left(const gm_search *search, uint32_t node) {
  const gm_steps *steps = &search->product.steps;
  if (search->allowed == NULL) return true;
  uint32_t state = gm_state_of(&search->product, node);
  return gm_any_bit(search->allowed, steps->first[state], steps->first[state + 1]) ||
         gm_bit(search->allowed, steps->first[steps->states] + state);
}

bool gm_components_among(gm_search *search, const uint32_t *nodes, size_t count) {
  for (size_t i = 0; i < count; i++) search->mark[nodes[i]] = can_be_left(search, nodes[i]) ? 0 : NO_COMPONENT;
  for (size_t i = 0; i < count; i++)
    if (!components_from(search, nodes[i])) return false;
  return true;
}

/* ----------------------------------------------------------------------------------------------------- the first time */

static bool look_from(gm_search *search, uint32_t node) {
  return node >= search->live ? pass(search, node) : components_from(search, node);
}

static bool look_beyond(gm_search *search, uint32_t node) {
  gm_cursor cursor = gm_edges_of(&search->product, node);
  if (!gm_count_edges(search, cursor.stuttering - cursor.row + 1)) return false;
  gm_edge edge;
  while (gm_next_edge(&search->product, NULL, &cursor, &edge))
    if (!look_from(search, edge.target)) return false;
  return true;
}

static bool look_beyond_passed(gm_search *search) {
  while (search->passed_count > 0)
    if (!look_beyond(search, search->passed[--search->passed_count])) return false;
  return true;
}

/* Whether the automaton starts in a passing state in which it may remain whatever happens: then every state of the
   system is reached with it. */
static bool starts_everywhere(const gm_product *product) {
  const gm_automaton *automaton = &product->automaton;
  uint32_t start = automaton->start;
  if (start < automaton->states - automaton->passing) return false;
  for (uint32_t t = automaton->first[start]; t < automaton->first[start + 1]; t++)
    if (automaton->targets[t] == start && automaton->conditions[t] == NULL) return true;
  return false;
}

/* Where some steps lead with a transition of the automaton, wherever they begin. */
static bool look_everywhere(gm_search *search, uint32_t transition) {
  const gm_steps *steps = &search->product.steps;
  gm_bits condition = search->product.automaton.conditions[transition];
  uint64_t edges = steps->first[steps->states], count = edges + steps->states;
  uint32_t first = search->product.automaton.targets[transition] * steps->states;
  for (uint64_t step = 0; step < count; step++) {
    if ((step & 7) == 0 && condition != NULL && condition[step >> 3] == 0) {
      step += 7;
      continue;
    }
    if (condition != NULL && !gm_bit(condition, step)) continue;
    if (!look_from(search, first + (step < edges ? steps->targets[step] : (uint32_t)(step - edges)))) return false;
    if (!gm_count_edges(search, 1) || !look_beyond_passed(search)) return false;
  }
  return true;
}

bool gm_components_of_all(gm_search *search) {
  const gm_automaton *automaton = &search->product.automaton;
  uint32_t states = search->product.steps.states, first = automaton->start * states;
  if (!starts_everywhere(&search->product)) {
    for (uint32_t state = 0; state < search->product.steps.initial; state++)
      if (!look_from(search, first + state)) return false;
    return look_beyond_passed(search);
  }
  for (uint32_t number = first - search->live; number < first - search->live + states; number++)
    search->was_passed[number >> 3] |= (uint8_t)(1u << (number & 7));
  for (uint32_t t = automaton->first[automaton->start]; t < automaton->first[automaton->start + 1]; t++)
    if (automaton->targets[t] != automaton->start && !look_everywhere(search, t)) return false;
  return true;
}
