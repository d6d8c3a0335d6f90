#include <stdlib.h>
#include <string.h>

#include "fair.h"

enum { EDGES_BETWEEN_POLLS = 1 << 20 };

/* ------------------------------------------------------------------------------------------------------- small things */

bool gm_search_grow(void **items, size_t *room, size_t count, size_t size) {
  if (count < *room) return true;
  size_t wanted = *room ? *room * 2 : 1024;
  void *grown = wanted > SIZE_MAX / size ? NULL : realloc(*items, wanted * size);
  if (grown == NULL) return false;
  *items = grown;
  *room = wanted;
  return true;
}

bool gm_search_fail(gm_search *search, enum gm_answer why) {
  search->answer = why;
  return false;
}

bool gm_count_edges(gm_search *search, uint64_t count) {
  search->edges += count;
  if (search->edges < search->next_poll || search->poll == NULL) return true;
  search->next_poll = search->edges + EDGES_BETWEEN_POLLS;
  return search->poll(search->edges) == 0 || gm_search_fail(search, GM_STOPPED);
}

/* Whether every position in the edges of a node has a number, and every node. */
static bool can_be_numbered(const gm_product *product) {
  const gm_steps *steps = &product->steps;
  uint64_t longest = 0, most = 0;
  for (uint32_t state = 0; state < steps->states; state++) {
    uint64_t length = steps->first[state + 1] - steps->first[state] + 1;
    if (length > longest) longest = length;
  }
  for (uint32_t place = 0; place < product->automaton.states; place++) {
    uint64_t count = product->automaton.first[place + 1] - product->automaton.first[place];
    if (count > most) most = count;
  }
  return gm_nodes(product) < UINT32_MAX && (longest + 1) * (most + 1) < UINT64_C(1) << 31;
}

gm_search *gm_search_new(const gm_steps *steps, const gm_automaton *automaton, gm_poll poll) {
  gm_product product = {*steps, *automaton};
  gm_search *search = can_be_numbered(&product) ? calloc(1, sizeof *search) : NULL;
  if (search == NULL) return NULL;
  search->product = product;
  search->poll = poll;
  search->next_poll = EDGES_BETWEEN_POLLS;
  search->live = (uint32_t)gm_live_nodes(&product);
  search->next_number = UINT32_MAX - 1;
  search->mark = calloc((size_t)search->live + 1, sizeof *search->mark);
  search->was_passed = calloc((gm_nodes(&product) - search->live) / 8 + 1, 1);
  if (search->mark != NULL && search->was_passed != NULL) return search;
  gm_search_free(search);
  return NULL;
}

static void free_components(gm_component *components, size_t count) {
  for (size_t i = 0; i < count; i++) free(components[i].nodes);
  free(components);
}

void gm_search_free(gm_search *search) {
  if (search == NULL) return;
  gm_components_close(search);
  for (size_t i = 0; i < search->chain_count; i++) free(search->chains[i]);
  free(search->chains);
  free_components(search->waiting, search->waiting_count);
  free_components(search->fair, search->fair_count);
  free(search->unmet);
  free(search->remaining);
  free(search->own_allowed);
  free(search->passed);
  free(search->was_passed);
  free(search->mark);
  free(search);
}

const gm_product *gm_product_of(const gm_search *search) { return &search->product; }

/* ------------------------------------------------------------------------------------------------------------ clauses */

bool gm_meets(const gm_search *search, const gm_edge *edge, uint32_t clause) {
  const gm_clause *asked = &search->clauses[clause];
  if (asked->promise != 0) return !(search->product.automaton.promises[edge->transition] & asked->promise);
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

/* Eight steps at a time: those of other states among them are of no interest, or the same. */
static void allow(gm_search *search, uint64_t first, uint64_t end) {
  for (uint64_t at = first >> 3; at <= (end - 1) >> 3; at++) {
    uint8_t bits = 0xFF;
    for (const gm_within *link = search->within; link != NULL; link = link->outer) bits &= link->set[at];
    search->own_allowed[at] = bits;
  }
}

/* From here on only the edges within some sets count. */
static bool restrict_to(gm_search *search, const uint32_t *nodes, size_t count, const gm_within *within) {
  const gm_steps *steps = &search->product.steps;
  uint64_t edges = steps->first[steps->states];
  search->within = within;
  search->remaining_count = gm_remaining(search, within, search->remaining);
  search->allowed = within == NULL ? NULL : within->set;
  if (within == NULL || within->outer == NULL) return true;
  if (search->own_allowed == NULL) search->own_allowed = malloc((edges + steps->states) / 8 + 1);
  if (search->own_allowed == NULL) return gm_search_fail(search, GM_NO_MEMORY);
  search->allowed = search->own_allowed;
  for (size_t i = 0; i < count; i++) {
    uint32_t state = gm_state_of(&search->product, nodes[i]);
    if (steps->first[state] < steps->first[state + 1]) allow(search, steps->first[state], steps->first[state + 1]);
    allow(search, edges + state, edges + state + 1);
  }
  return true;
}

/* ---------------------------------------------------------------------------------------- what to do with a component */

static bool append(gm_search *search, gm_component **list, size_t *count, size_t *room, gm_component item) {
  uint32_t *copy = gm_search_grow((void **)list, room, *count, sizeof **list) ? malloc(item.count * sizeof *copy) : NULL;
  if (copy == NULL) return gm_search_fail(search, GM_NO_MEMORY);
  memcpy(copy, item.nodes, item.count * sizeof *copy);
  item.nodes = copy;
  (*list)[(*count)++] = item;
  return true;
}

static bool wait_for(gm_search *search, gm_component item) {
  return append(search, &search->waiting, &search->waiting_count, &search->waiting_room, item);
}

static const gm_within *within(gm_search *search, const gm_within *outer, uint32_t clause, uint32_t which) {
  if (!gm_search_grow((void **)&search->chains, &search->chain_room, search->chain_count, sizeof *search->chains))
    return NULL;
  gm_within *link = malloc(sizeof *link);
  if (link == NULL) return NULL;
  *link = (gm_within){outer, search->clauses[clause].all[which], clause};
  search->chains[search->chain_count++] = link;
  return link;
}

/* A component whose edges meet none of the `count` clauses in `unmet`: what is left to be looked at. */
static bool refine(gm_search *search, gm_component item, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (search->clauses[search->unmet[i]].all_count == 0) return true; /* nothing can meet it */
  for (uint32_t i = 0; i < count; i++)
    if (search->clauses[search->unmet[i]].all_count == 1) { /* there is no choice */
      item.within = within(search, item.within, search->unmet[i], 0);
      if (item.within == NULL) return gm_search_fail(search, GM_NO_MEMORY);
    }
  if (item.within != search->within) return wait_for(search, item);
  for (uint32_t which = 0; which < search->clauses[search->unmet[0]].all_count; which++) {
    item.within = within(search, search->within, search->unmet[0], which);
    if (item.within == NULL) return gm_search_fail(search, GM_NO_MEMORY);
    if (!wait_for(search, item)) return false;
  }
  return true;
}

static bool meets_some(const gm_search *search, const gm_edge *edge, uint32_t unmet) {
  for (uint32_t i = 0; i < unmet; i++)
    if (gm_meets(search, edge, search->unmet[i])) return true;
  return false;
}

bool gm_examine(gm_search *search, const uint32_t *nodes, size_t count, uint32_t number) {
  uint32_t unmet = search->remaining_count;
  memcpy(search->unmet, search->remaining, unmet * sizeof *search->unmet);
  bool connected = false;
  for (size_t i = 0; i < count && !(connected && unmet == 0); i++) {
    gm_cursor cursor = gm_edges_of(&search->product, nodes[i]);
    if (!gm_count_edges(search, cursor.stuttering - cursor.row + 1)) return false;
    gm_edge edge;
    while (!(connected && unmet == 0) && gm_next_move(&search->product, search->allowed, &cursor, &edge)) {
      if (connected && !meets_some(search, &edge, unmet)) continue; /* where it leads need not be looked up */
      gm_lead(&search->product, &cursor, &edge);
      if (edge.target >= search->live || search->mark[edge.target] != number) continue;
      connected = true;
      for (uint32_t j = 0; j < unmet;)
        if (gm_meets(search, &edge, search->unmet[j]))
          search->unmet[j] = search->unmet[--unmet];
        else
          j++;
    }
  }
  gm_component item = {(uint32_t *)nodes, count, search->within};
  if (!connected) return true;
  if (unmet > 0) return refine(search, item, unmet);
  return append(search, &search->fair, &search->fair_count, &search->fair_room, item);
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

/* Numbers of components must not run out. Who gets a new mark afterwards does so with all others of the same part. */
static void renumber(gm_search *search, size_t components) {
  if (search->next_number > (uint64_t)search->live + components + 1) return;
  memset(search->mark, 0xFF, (size_t)search->live * sizeof *search->mark);
  search->next_number = UINT32_MAX - 1;
}

static bool look_into(gm_search *search, const gm_component *item) {
  renumber(search, item->count);
  return restrict_to(search, item->nodes, item->count, item->within) &&
         gm_components_among(search, item->nodes, item->count);
}

bool gm_enter(gm_search *search, const gm_component *component) {
  renumber(search, 1);
  search->entered = search->next_number--;
  for (size_t i = 0; i < component->count; i++) search->mark[component->nodes[i]] = search->entered;
  return restrict_to(search, component->nodes, component->count, component->within);
}

bool gm_next_inside(const gm_search *search, gm_cursor *cursor, gm_edge *edge) {
  while (gm_next_edge(&search->product, search->allowed, cursor, edge))
    if (edge->target < search->live && search->mark[edge->target] == search->entered) return true;
  return false;
}

/* Those that were fair without the newest clauses. */
static bool look_again(gm_search *search) {
  gm_component *former = search->fair;
  size_t count = search->fair_count;
  search->fair = NULL;
  search->fair_count = search->fair_room = 0;
  bool going_on = true;
  for (size_t i = 0; going_on && i < count; i++)
    going_on = gm_enter(search, &former[i]) && gm_examine(search, former[i].nodes, former[i].count, search->entered);
  free_components(former, count);
  return going_on;
}

static bool look(gm_search *search) {
  bool has_begun = search->has_begun;
  search->has_begun = true;
  if (!gm_components_open(search)) return gm_search_fail(search, GM_NO_MEMORY);
  bool going_on = has_begun ? look_again(search) : restrict_to(search, NULL, 0, NULL) && gm_components_of_all(search);
  while (going_on && search->waiting_count > 0) {
    gm_component item = search->waiting[--search->waiting_count];
    going_on = look_into(search, &item);
    free(item.nodes);
  }
  return going_on;
}

static bool demand(gm_search *search, const gm_clause *clauses, uint32_t count) {
  uint32_t *remaining = realloc(search->remaining, ((size_t)count + 1) * sizeof *remaining);
  if (remaining != NULL) search->remaining = remaining;
  uint32_t *unmet = realloc(search->unmet, ((size_t)count + 1) * sizeof *unmet);
  if (unmet != NULL) search->unmet = unmet;
  search->clauses = clauses;
  search->clause_count = count;
  return (remaining != NULL && unmet != NULL) || gm_search_fail(search, GM_NO_MEMORY);
}

enum gm_answer gm_fair_components(gm_search *search, const gm_clause *clauses, uint32_t clause_count,
                                  const gm_component **found, size_t *count) {
  bool looked = search->answer == GM_NONE && demand(search, clauses, clause_count) && look(search);
  gm_components_close(search);
  if (!looked) return search->answer;
  *found = search->fair;
  *count = search->fair_count;
  return search->fair_count > 0 ? GM_FOUND : GM_NONE;
}
