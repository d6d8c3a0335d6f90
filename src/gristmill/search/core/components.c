#include "components.h"

#include <stdlib.h>
#include <string.h>

enum { EDGES_BETWEEN_POLLS = 1 << 20 };

struct gm_search {
  gm_product product;
  const gm_clause *clauses;
  uint32_t clause_count;
  gm_poll poll;
  uint64_t edges;
  enum gm_answer answer; /* GM_NONE while nothing ends the search */

  /* By node. `order` numbers visits through all runs, so that it need not be cleared: what is not above the number at
     which a run began has not been visited in it. `part` is the run in which a node is looked at; once its component is
     known, the number of that. Runs and components are numbered together. */
  uint32_t *order, *low, *part;
  uint32_t visits, parts, run, base;

  gm_cursor *path;
  size_t path_count, path_room;
  uint32_t *stack;
  size_t stack_count, stack_room;
  uint32_t *passed; /* nodes that are in no fair component, and whose edges have not been looked at yet */
  size_t passed_count, passed_room;
  gm_component *waiting; /* nodes among which to look for components */
  size_t waiting_count, waiting_room;
  gm_within **chains; /* all of them, to be freed */
  size_t chain_count, chain_room;

  const gm_within *within;
  uint8_t *allowed; /* the steps that are in every set of `within`; of the nodes of this run only */
  uint32_t *remaining, *unmet;
  uint32_t remaining_count;
  gm_component *fair;
  size_t fair_count, fair_room;
};

/* ------------------------------------------------------------------------------------------------------- small things */

static bool grow(void **items, size_t *room, size_t count, size_t size) {
  if (count < *room) return true;
  size_t wanted = *room ? *room * 2 : 1024;
  void *grown = wanted > SIZE_MAX / size ? NULL : realloc(*items, wanted * size);
  if (grown == NULL) return false;
  *items = grown;
  *room = wanted;
  return true;
}

static bool fail(gm_search *search, enum gm_answer why) {
  search->answer = why;
  return false;
}

bool gm_count_edge(gm_search *search) {
  if (++search->edges % EDGES_BETWEEN_POLLS != 0 || search->poll == NULL) return true;
  return search->poll(search->edges) == 0 || fail(search, GM_STOPPED);
}

gm_search *gm_search_new(const gm_product *product, const gm_clause *clauses, uint32_t count, gm_poll poll) {
  uint64_t nodes = gm_nodes(product);
  uint64_t steps = product->steps->first[product->steps->states] + product->steps->states;
  gm_search *search = nodes < UINT32_MAX ? calloc(1, sizeof *search) : NULL;
  if (search == NULL) return NULL;
  search->product = *product;
  search->clauses = clauses;
  search->clause_count = count;
  search->poll = poll;
  search->order = calloc(nodes + 1, sizeof *search->order);
  search->low = calloc(nodes + 1, sizeof *search->low);
  search->part = calloc(nodes + 1, sizeof *search->part);
  search->allowed = calloc(steps / 8 + 1, 1);
  search->remaining = calloc((size_t)count + 1, sizeof *search->remaining);
  search->unmet = calloc((size_t)count + 1, sizeof *search->unmet);
  if (search->order && search->low && search->part && search->allowed && search->remaining && search->unmet)
    return search;
  gm_search_free(search);
  return NULL;
}

void gm_search_free(gm_search *search) {
  if (search == NULL) return;
  for (size_t i = 0; i < search->waiting_count; i++) free(search->waiting[i].nodes);
  for (size_t i = 0; i < search->chain_count; i++) free(search->chains[i]);
  free(search->chains);
  free(search->waiting);
  free(search->passed);
  free(search->stack);
  free(search->path);
  for (size_t i = 0; i < search->fair_count; i++) free(search->fair[i].nodes);
  free(search->fair);
  free(search->unmet);
  free(search->remaining);
  free(search->allowed);
  free(search->part);
  free(search->low);
  free(search->order);
  free(search);
}

/* ------------------------------------------------------------------------------------------------------------ clauses */

bool gm_meets(const gm_search *search, const gm_edge *edge, uint32_t clause) {
  const gm_clause *asked = &search->clauses[clause];
  if (asked->promise != 0) return !(search->product.automaton->promises[edge->transition] & asked->promise);
  return asked->some != NULL && gm_bit(asked->some, edge->step);
}

uint32_t gm_remaining(const gm_search *search, const gm_within *within, uint32_t *clauses) {
  uint32_t count = 0;
  for (uint32_t clause = 0; clause < search->clause_count; clause++) {
    const gm_within *link = within;
    while (link != NULL && link->clause != clause) link = link->outer;
    if (link == NULL) clauses[count++] = clause;
  }
  return count;
}

static bool is_within(const gm_within *within, uint64_t step) {
  for (; within != NULL; within = within->outer)
    if (!gm_bit(within->set, step)) return false;
  return true;
}

static void allow(gm_search *search, uint64_t step) {
  uint8_t bit = (uint8_t)(1u << (step & 7));
  if (is_within(search->within, step))
    search->allowed[step >> 3] |= bit;
  else
    search->allowed[step >> 3] &= (uint8_t)~bit;
}

/* From here on only the edges within some sets count, and only those between these nodes. */
static void restrict_to(gm_search *search, const uint32_t *nodes, size_t count, const gm_within *within) {
  const gm_steps *steps = search->product.steps;
  search->run = ++search->parts;
  search->within = within;
  for (size_t i = 0; i < count; i++) {
    search->part[nodes[i]] = search->run;
    if (within == NULL) continue;
    uint32_t state = gm_state_of(&search->product, nodes[i]);
    for (uint64_t step = steps->first[state]; step < steps->first[state + 1]; step++) allow(search, step);
    allow(search, steps->first[steps->states] + state);
  }
}

bool gm_connects(const gm_search *search, const gm_edge *edge) {
  return search->part[edge->target] == search->run &&
         (search->within == NULL || gm_bit(search->allowed, edge->step));
}

/* -------------------------------------------------------------------------------------------------- what to do with one */

static uint32_t *copy_of(gm_search *search, const uint32_t *nodes, size_t count) {
  uint32_t *copy = malloc(count * sizeof *copy);
  if (copy != NULL) memcpy(copy, nodes, count * sizeof *copy);
  if (copy == NULL) fail(search, GM_NO_MEMORY);
  return copy;
}

static bool wait_for(gm_search *search, const uint32_t *nodes, size_t count, const gm_within *within) {
  if (!grow((void **)&search->waiting, &search->waiting_room, search->waiting_count, sizeof *search->waiting))
    return fail(search, GM_NO_MEMORY);
  uint32_t *copy = copy_of(search, nodes, count);
  if (copy != NULL) search->waiting[search->waiting_count++] = (gm_component){copy, count, within};
  return copy != NULL;
}

static bool keep(gm_search *search, const uint32_t *nodes, size_t count) {
  if (!grow((void **)&search->fair, &search->fair_room, search->fair_count, sizeof *search->fair))
    return fail(search, GM_NO_MEMORY);
  uint32_t *copy = copy_of(search, nodes, count);
  if (copy != NULL) search->fair[search->fair_count++] = (gm_component){copy, count, search->within};
  return copy != NULL;
}

static const gm_within *within(gm_search *search, const gm_within *outer, uint32_t clause, uint32_t which) {
  if (!grow((void **)&search->chains, &search->chain_room, search->chain_count, sizeof *search->chains)) return NULL;
  gm_within *link = malloc(sizeof *link);
  if (link == NULL) return NULL;
  *link = (gm_within){outer, search->clauses[clause].all[which], clause};
  search->chains[search->chain_count++] = link;
  return link;
}

/* A component whose edges meet none of the `count` clauses in `unmet`: what is left to be looked at. */
static bool refine(gm_search *search, const uint32_t *nodes, size_t size, uint32_t count) {
  const gm_within *inner = search->within;
  for (uint32_t i = 0; i < count; i++)
    if (search->clauses[search->unmet[i]].all_count == 0) return true; /* nothing can meet it */
  for (uint32_t i = 0; i < count; i++)
    if (search->clauses[search->unmet[i]].all_count == 1) { /* there is no choice */
      inner = within(search, inner, search->unmet[i], 0);
      if (inner == NULL) return fail(search, GM_NO_MEMORY);
    }
  if (inner != search->within) return wait_for(search, nodes, size, inner);
  for (uint32_t which = 0; which < search->clauses[search->unmet[0]].all_count; which++) {
    inner = within(search, search->within, search->unmet[0], which);
    if (inner == NULL) return fail(search, GM_NO_MEMORY);
    if (!wait_for(search, nodes, size, inner)) return false;
  }
  return true;
}

/* Nodes whose part is `number` are a component. */
static bool examine(gm_search *search, const uint32_t *nodes, size_t count, uint32_t number) {
  uint32_t unmet = search->remaining_count;
  memcpy(search->unmet, search->remaining, unmet * sizeof *search->unmet);
  bool connected = false;
  for (size_t i = 0; i < count && !(connected && unmet == 0); i++) {
    gm_cursor cursor = gm_edges_of(&search->product, nodes[i]);
    gm_edge edge;
    while (gm_next_edge(&search->product, &cursor, &edge)) {
      if (!gm_count_edge(search)) return false;
      if (search->part[edge.target] != number) continue;
      if (search->within != NULL && !gm_bit(search->allowed, edge.step)) continue;
      connected = true;
      for (uint32_t j = 0; j < unmet;)
        if (gm_meets(search, &edge, search->unmet[j]))
          search->unmet[j] = search->unmet[--unmet];
        else
          j++;
      if (unmet == 0) break;
    }
  }
  if (!connected) return true;
  return unmet == 0 ? keep(search, nodes, count) : refine(search, nodes, count, unmet);
}

/* ------------------------------------------------------------------------------------------------------------- Tarjan */

static bool visit(gm_search *search, uint32_t node) {
  if (!grow((void **)&search->path, &search->path_room, search->path_count, sizeof *search->path) ||
      !grow((void **)&search->stack, &search->stack_room, search->stack_count, sizeof *search->stack))
    return fail(search, GM_NO_MEMORY);
  search->order[node] = search->low[node] = ++search->visits;
  search->stack[search->stack_count++] = node;
  search->path[search->path_count++] = gm_edges_of(&search->product, node);
  return true;
}

static bool close_component(gm_search *search, uint32_t root) {
  size_t start = search->stack_count;
  uint32_t number = ++search->parts;
  do
    search->part[search->stack[--start]] = number;
  while (search->stack[start] != root);
  size_t count = search->stack_count - start;
  search->stack_count = start;
  return examine(search, search->stack + start, count, number);
}

/* All edges of the newest node have been looked at. */
static bool leave(gm_search *search) {
  uint32_t node = search->path[--search->path_count].node;
  if (search->low[node] == search->order[node] && !close_component(search, node)) return false;
  if (search->path_count == 0) return true;
  uint32_t *low = &search->low[search->path[search->path_count - 1].node];
  if (search->low[node] < *low) *low = search->low[node];
  return true;
}

/* A node with a passing state of the automaton, in the first run: where its edges lead to is all that matters. */
static bool is_passing(const gm_search *search, uint32_t node) {
  return search->run == 0 && search->product.automaton->passing[gm_place(&search->product, node)];
}

static bool pass(gm_search *search, uint32_t node) {
  if (search->order[node] > search->base) return true;
  if (!grow((void **)&search->passed, &search->passed_room, search->passed_count, sizeof *search->passed))
    return fail(search, GM_NO_MEMORY);
  search->order[node] = ++search->visits;
  search->passed[search->passed_count++] = node;
  return true;
}

static bool components_from(gm_search *search, uint32_t root) {
  if (search->order[root] > search->base) return true;
  if (!visit(search, root)) return false;
  while (search->path_count > 0) {
    gm_cursor *cursor = &search->path[search->path_count - 1];
    gm_edge edge;
    if (!gm_next_edge(&search->product, cursor, &edge)) {
      if (!leave(search)) return false;
      continue;
    }
    if (!gm_count_edge(search)) return false;
    if (is_passing(search, edge.target)) {
      if (!pass(search, edge.target)) return false;
      continue;
    }
    if (!gm_connects(search, &edge)) continue;
    if (search->order[edge.target] <= search->base) {
      if (!visit(search, edge.target)) return false;
    } else if (search->order[edge.target] < search->low[cursor->node]) {
      search->low[cursor->node] = search->order[edge.target];
    }
  }
  return true;
}

/* Numbers must not run out within a run. */
static void renumber(gm_search *search, size_t nodes) {
  if (search->visits < UINT32_MAX - nodes - 2 && search->parts < UINT32_MAX - nodes - 2) return;
  size_t bytes = gm_nodes(&search->product) * sizeof *search->order;
  memset(search->order, 0, bytes);
  memset(search->part, 0, bytes);
  search->visits = search->parts = 0;
}

static bool look_into(gm_search *search, const gm_component *item) {
  renumber(search, item->count);
  restrict_to(search, item->nodes, item->count, item->within);
  search->remaining_count = gm_remaining(search, item->within, search->remaining);
  search->base = search->visits;
  for (size_t i = 0; i < item->count; i++)
    if (!components_from(search, item->nodes[i])) return false;
  return true;
}

static bool look_from(gm_search *search, uint32_t node) {
  return is_passing(search, node) ? pass(search, node) : components_from(search, node);
}

/* The first run: everything that can be reached. Every node has part 0, and none was visited. */
static bool look_into_all(gm_search *search) {
  search->remaining_count = gm_remaining(search, NULL, search->remaining);
  for (uint32_t state = 0; state < search->product.steps->initial; state++)
    if (!look_from(search, state)) return false;
  while (search->passed_count > 0) {
    gm_cursor cursor = gm_edges_of(&search->product, search->passed[--search->passed_count]);
    gm_edge edge;
    while (gm_next_edge(&search->product, &cursor, &edge))
      if (!gm_count_edge(search) || !look_from(search, edge.target)) return false;
  }
  return true;
}

enum gm_answer gm_fair_components(gm_search *search, const gm_component **found, size_t *count) {
  bool going_on = look_into_all(search);
  while (going_on && search->waiting_count > 0) {
    gm_component item = search->waiting[--search->waiting_count];
    going_on = look_into(search, &item);
    free(item.nodes);
  }
  if (!going_on) return search->answer;
  *found = search->fair;
  *count = search->fair_count;
  return search->fair_count > 0 ? GM_FOUND : GM_NONE;
}

void gm_enter(gm_search *search, const gm_component *component) {
  renumber(search, 1);
  restrict_to(search, component->nodes, component->count, component->within);
}

uint32_t *gm_first_scratch(gm_search *search) { return search->order; }

uint32_t *gm_second_scratch(gm_search *search) { return search->low; }
