#include "lasso.h"

#include <stdlib.h>

enum { ENTRIES = 20 }; /* nodes of fair components from which a cycle is tried: the nearest may have the longer cycle */

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
  uint8_t *is_fair; /* by node, a bit: some component has it */
  uint32_t *queue;
  uint32_t *reached_from; /* by node: 1 + the one before it on a shortest path from an initial one; 0 if not reached */
  uint32_t *seen;         /* by node: `stamp`, if it was reached in this search of the component */
  uint32_t *came_from;    /* by node: likewise, 1 + from where. Who begins comes from itself */
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

static bool count_edge(lassos *l) { return gm_count_edges(l->search, 1) || fail(l, GM_STOPPED); }

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
  while (inside ? gm_next_inside(l->search, &cursor, &edge) : gm_next_edge(l->product, NULL, &cursor, &edge))
    if (edge.target == target) return append(l, source, &edge);
  return false; /* cannot be: that is how `target` was reached */
}

/* The path to `node` along `before`. It is found backwards, so it is counted first. */
static bool append_path(lassos *l, const uint32_t *before, uint32_t node, bool inside) {
  size_t length = 0;
  uint32_t source = node;
  for (; before[source] - 1 != source; source = before[source] - 1) l->queue[length++] = source;
  for (size_t at = length; at > 0; at--) {
    if (!append_between(l, source, l->queue[at - 1], inside)) return false;
    source = l->queue[at - 1];
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------------------- prefix */

static bool reach(lassos *l, size_t *count, uint32_t node, uint32_t from) {
  l->reached_from[node] = from + 1;
  l->queue[(*count)++] = node;
  if (gm_bit(l->is_fair, node)) l->entries[l->entry_count++] = node;
  return l->entry_count < ENTRIES;
}

/* Breadth-first until the nearest nodes of fair components are reached. */
static bool find_entries(lassos *l) {
  size_t count = 0;
  uint32_t first = l->product->automaton.start * l->product->steps.states;
  for (uint32_t node = first; node < first + l->product->steps.initial; node++)
    if (!reach(l, &count, node, node)) return true;
  for (size_t i = 0; i < count; i++) {
    gm_cursor cursor = gm_edges_of(l->product, l->queue[i]);
    gm_edge edge;
    while (gm_next_edge(l->product, NULL, &cursor, &edge)) {
      if (!count_edge(l)) return false;
      if (!l->reached_from[edge.target] && !reach(l, &count, edge.target, l->queue[i])) return true;
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
  l->came_from[start] = start + 1;
  l->queue[count++] = start;
  for (size_t i = 0; i < count; i++) {
    uint32_t node = l->queue[i];
    gm_cursor cursor = gm_edges_of(l->product, node);
    gm_edge edge;
    while (gm_next_inside(l->search, &cursor, &edge)) {
      l->edges++;
      if (!count_edge(l)) return false;
      if (wanted(l, &edge, home)) return append_path(l, l->came_from, node, true) && append(l, node, &edge);
      if (l->seen[edge.target] == l->stamp) continue;
      l->seen[edge.target] = l->stamp;
      l->came_from[edge.target] = node + 1;
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

static const gm_component *component_of(const lassos *l, uint32_t node) {
  for (size_t i = 0; i < l->component_count; i++)
    for (size_t j = 0; j < l->components[i].count; j++)
      if (l->components[i].nodes[j] == node) return &l->components[i];
  return NULL; /* cannot be: it is an entry because some component has it */
}

static bool try_entry(lassos *l, uint32_t entry) {
  l->walk.count = 0;
  if (!append_path(l, l->reached_from, entry, false)) return false;
  size_t loop = l->walk.count;
  const gm_component *component = component_of(l, entry);
  if (component == NULL) return false;
  if (component != l->entered && !gm_enter(l->search, component)) return false;
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
  for (size_t i = 0; i < l->component_count; i++)
    for (size_t j = 0; j < l->components[i].count; j++) {
      uint32_t node = l->components[i].nodes[j];
      l->is_fair[node >> 3] |= (uint8_t)(1u << (node & 7));
    }
  if (!find_entries(l)) return false;
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
  size_t nodes = gm_nodes(l->product), live = gm_live_nodes(l->product); /* components have only such */
  l->queue = malloc((nodes + 1) * sizeof *l->queue);
  l->reached_from = calloc(nodes + 1, sizeof *l->reached_from);
  l->seen = calloc(live + 1, sizeof *l->seen);
  l->came_from = calloc(live + 1, sizeof *l->came_from);
  l->is_fair = calloc(nodes / 8 + 1, 1);
  l->unmet = malloc(((size_t)clause_count + 1) * sizeof *l->unmet);
  l->answer = GM_NO_MEMORY;
  enum gm_answer answer = GM_NO_MEMORY;
  if (l->queue && l->reached_from && l->seen && l->came_from && l->is_fair && l->unmet)
    answer = find_best(l, budget) ? hand_over(l, lasso) : l->answer;
  free(l->best.edges);
  free(l->best.sources);
  free(l->walk.edges);
  free(l->walk.sources);
  free(l->unmet);
  free(l->is_fair);
  free(l->came_from);
  free(l->seen);
  free(l->reached_from);
  free(l->queue);
  return answer;
}

enum gm_answer gm_find_lasso(gm_search *search, const gm_clause *clauses, uint32_t clause_count, uint64_t budget,
                             gm_lasso *lasso) {
  lassos l = {.search = search, .product = gm_product_of(search)};
  enum gm_answer answer = gm_fair_components(search, clauses, clause_count, &l.components, &l.component_count);
  return answer == GM_FOUND ? lasso_in(&l, clause_count, budget, lasso) : answer;
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
