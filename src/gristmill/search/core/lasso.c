#include "lasso.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 20 }; /* nodes of fair components from which a cycle is tried: the nearest may have the longer cycle */

#define NOWHERE UINT32_MAX

typedef struct walk { /* edges in a row */
  gm_edge *edges;
  uint32_t *sources;
  size_t count, room;
} walk;

typedef struct lassos {
  gm_search *search;
  const gm_product *product;
  const gm_component *components, *entered;
  size_t component_count;
  uint32_t *owner; /* by node: the number of a component that has it, from 1; 0 if none has */
  uint32_t *queue;
  uint32_t *reached_from; /* by node: the one before it on a shortest path from an initial one */
  uint32_t *seen;         /* by node: `stamp`, if it was reached in this search of the component */
  uint32_t *came_from;    /* by node: likewise, from where */
  uint32_t stamp;
  uint32_t *unmet;
  uint32_t unmet_count;
  uint32_t entries[ENTRIES];
  uint32_t entry_count;
  walk walk, best;
  size_t best_loop;
  uint64_t edges; /* looked at within the component */
  enum gm_answer answer;
} lassos;

static bool fail(lassos *l, enum gm_answer why) {
  l->answer = why;
  return false;
}

static bool count_edge(lassos *l) { return gm_count_edge(l->search) || fail(l, GM_STOPPED); }

/* --------------------------------------------------------------------------------------------------------------- walks */

static bool append(lassos *l, uint32_t source, const gm_edge *edge) {
  walk *w = &l->walk;
  if (w->count == w->room) {
    size_t room = w->room ? 2 * w->room : 256;
    gm_edge *edges = realloc(w->edges, room * sizeof *edges);
    if (edges != NULL) w->edges = edges;
    uint32_t *sources = realloc(w->sources, room * sizeof *sources);
    if (sources != NULL) w->sources = sources;
    if (edges == NULL || sources == NULL) return fail(l, GM_NO_MEMORY);
    w->room = room;
  }
  w->sources[w->count] = source;
  w->edges[w->count++] = *edge;
  return true;
}

/* Some edge between two nodes; `inside`: of the component. */
static bool append_between(lassos *l, uint32_t source, uint32_t target, bool inside) {
  gm_cursor cursor = gm_edges_of(l->product, source);
  gm_edge edge;
  while (gm_next_edge(l->product, &cursor, &edge))
    if (edge.target == target && (!inside || gm_connects(l->search, &edge))) return append(l, source, &edge);
  return false; /* cannot be: that is how `target` was reached */
}

/* The path to `node` along `before`, which ends where that is NOWHERE. It is found backwards, so it is counted first. */
static bool append_path(lassos *l, const uint32_t *before, uint32_t node, bool inside) {
  size_t length = 0, at;
  for (uint32_t n = node; before[n] != NOWHERE; n = before[n]) l->queue[length++] = n;
  uint32_t source = length > 0 ? before[l->queue[length - 1]] : node;
  for (at = length; at > 0; at--) {
    if (!append_between(l, source, l->queue[at - 1], inside)) return false;
    source = l->queue[at - 1];
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- prefix */

static bool reach(lassos *l, size_t *count, uint32_t node, uint32_t from) {
  l->reached_from[node] = from;
  l->seen[node] = 1;
  l->queue[(*count)++] = node;
  if (l->owner[node]) l->entries[l->entry_count++] = node;
  return l->entry_count < ENTRIES;
}

/* Breadth-first until the nearest nodes of fair components are reached. */
static bool find_entries(lassos *l) {
  size_t count = 0;
  memset(l->seen, 0, gm_nodes(l->product) * sizeof *l->seen);
  for (uint32_t state = 0; state < l->product->steps->initial; state++)
    if (!reach(l, &count, state, NOWHERE)) return true;
  for (size_t i = 0; i < count; i++) {
    gm_cursor cursor = gm_edges_of(l->product, l->queue[i]);
    gm_edge edge;
    while (gm_next_edge(l->product, &cursor, &edge)) {
      if (!count_edge(l)) return false;
      if (!l->seen[edge.target] && !reach(l, &count, edge.target, l->queue[i])) return true;
    }
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------------------- cycle */

/* A wanted edge meets something not met yet; when all is met, it leads home. */
static bool wanted(const lassos *l, const gm_edge *edge, uint32_t home) {
  for (uint32_t i = 0; i < l->unmet_count; i++)
    if (gm_meets(l->search, edge, l->unmet[i])) return true;
  return l->unmet_count == 0 && edge->target == home;
}

/* Append a shortest path within the component, from `start`, that ends with a wanted edge. */
static bool go_on(lassos *l, uint32_t start, uint32_t home) {
  size_t count = 0;
  l->stamp++;
  l->seen[start] = l->stamp;
  l->came_from[start] = NOWHERE;
  l->queue[count++] = start;
  for (size_t i = 0; i < count; i++) {
    uint32_t node = l->queue[i];
    gm_cursor cursor = gm_edges_of(l->product, node);
    gm_edge edge;
    while (gm_next_edge(l->product, &cursor, &edge)) {
      l->edges++;
      if (!count_edge(l)) return false;
      if (!gm_connects(l->search, &edge)) continue;
      if (wanted(l, &edge, home)) return append_path(l, l->came_from, node, true) && append(l, node, &edge);
      if (l->seen[edge.target] == l->stamp) continue;
      l->seen[edge.target] = l->stamp;
      l->came_from[edge.target] = node;
      l->queue[count++] = edge.target;
    }
  }
  return false; /* cannot be: the component is connected, and has what it was found for */
}

static void meet(lassos *l, size_t from) {
  for (size_t i = from; i < l->walk.count; i++)
    for (uint32_t j = 0; j < l->unmet_count;)
      if (gm_meets(l->search, &l->walk.edges[i], l->unmet[j]))
        l->unmet[j] = l->unmet[--l->unmet_count];
      else
        j++;
}

static bool make_cycle(lassos *l, uint32_t home) {
  size_t start = l->walk.count;
  uint32_t node = home;
  l->unmet_count = gm_remaining(l->search, l->entered->within, l->unmet);
  while (l->unmet_count > 0) {
    size_t from = l->walk.count;
    if (!go_on(l, node, home)) return false;
    meet(l, from);
    node = l->walk.edges[l->walk.count - 1].target;
  }
  return (node == home && l->walk.count > start) || go_on(l, node, home);
}

static bool try_entry(lassos *l, uint32_t entry) {
  l->walk.count = 0;
  if (!append_path(l, l->reached_from, entry, false)) return false;
  size_t loop = l->walk.count;
  const gm_component *component = &l->components[l->owner[entry] - 1];
  if (component != l->entered) gm_enter(l->search, component);
  l->entered = component;
  if (!make_cycle(l, entry)) return false;
  if (l->best.count > 0 && l->best.count <= l->walk.count) return true;
  walk old = l->best;
  l->best = l->walk;
  l->best_loop = loop;
  l->walk = old;
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

static bool find_best(lassos *l, uint64_t budget) {
  for (uint32_t i = 0; i < l->component_count; i++)
    for (size_t j = 0; j < l->components[i].count; j++) l->owner[l->components[i].nodes[j]] = i + 1;
  if (!find_entries(l)) return false;
  memset(l->seen, 0, gm_nodes(l->product) * sizeof *l->seen);
  for (uint32_t i = 0; i < l->entry_count && (i == 0 || l->edges < budget); i++)
    if (!try_entry(l, l->entries[i])) return false;
  return l->best.count > 0;
}

static enum gm_answer hand_over(const lassos *l, gm_lasso *lasso) {
  *lasso = (gm_lasso){malloc(l->best.count * sizeof *lasso->states), malloc(l->best.count * sizeof *lasso->steps),
                      l->best.count, l->best_loop};
  if (lasso->states == NULL || lasso->steps == NULL) {
    gm_lasso_clear(lasso);
    return GM_NO_MEMORY;
  }
  for (size_t i = 0; i < l->best.count; i++) {
    lasso->states[i] = gm_state_of(l->product, l->best.sources[i]);
    lasso->steps[i] = l->best.edges[i].step;
  }
  return GM_FOUND;
}

static enum gm_answer lasso_in(lassos *l, uint32_t clause_count, uint64_t budget, gm_lasso *lasso) {
  size_t nodes = gm_nodes(l->product);
  l->queue = malloc((nodes + 1) * sizeof *l->queue);
  l->came_from = malloc((nodes + 1) * sizeof *l->came_from);
  l->unmet = malloc(((size_t)clause_count + 1) * sizeof *l->unmet);
  l->owner = calloc(nodes + 1, sizeof *l->owner);
  l->seen = gm_first_scratch(l->search);
  l->reached_from = gm_second_scratch(l->search);
  l->answer = GM_NO_MEMORY;
  enum gm_answer answer = GM_NO_MEMORY;
  if (l->queue != NULL && l->came_from != NULL && l->unmet != NULL && l->owner != NULL)
    answer = find_best(l, budget) ? hand_over(l, lasso) : l->answer;
  free(l->best.edges);
  free(l->best.sources);
  free(l->walk.edges);
  free(l->walk.sources);
  free(l->owner);
  free(l->unmet);
  free(l->came_from);
  free(l->queue);
  return answer;
}

enum gm_answer gm_find_lasso(const gm_steps *steps, const gm_automaton *automaton, const gm_clause *clauses,
                             uint32_t clause_count, uint64_t budget, gm_poll poll, gm_lasso *lasso) {
  gm_product product = {steps, automaton};
  gm_search *search = gm_search_new(&product, clauses, clause_count, poll);
  if (search == NULL) return GM_NO_MEMORY;
  lassos l = {.search = search, .product = &product};
  enum gm_answer answer = gm_fair_components(search, &l.components, &l.component_count);
  if (answer == GM_FOUND) answer = lasso_in(&l, clause_count, budget, lasso);
  gm_search_free(search);
  return answer;
}

void gm_lasso_clear(gm_lasso *lasso) {
  free(lasso->states);
  free(lasso->steps);
  *lasso = (gm_lasso){0};
}

void gm_spread(const gm_steps *steps, gm_bits states_bits, uint8_t *steps_bits) {
  uint64_t stuttering = steps->first[steps->states];
  for (uint32_t state = 0; state < steps->states; state++) {
    if (!gm_bit(states_bits, state)) continue;
    for (uint64_t step = steps->first[state]; step < steps->first[state + 1]; step++)
      steps_bits[step >> 3] |= (uint8_t)(1u << (step & 7));
    steps_bits[(stuttering + state) >> 3] |= (uint8_t)(1u << ((stuttering + state) & 7));
  }
}
