/* The modules Graphs and UndirectedGraphs: a graph is a record with the fields node and edge, whose names come first. */

#include "community.h"

#include <string.h>

#include "parts.h"

/* Arcs lead from places of nodes to places of nodes. */
typedef struct graph {
  const gm_object *nodes;
  const V *edges;
  V node_set;
  uint32_t edge_count, count; /* of arcs */
  uint32_t *from, *to;
} graph;

static uint32_t *numbers(gm_worker *w, uint64_t n) { return (uint32_t *)(void *)gm_array(w, n); }

static V field(gm_worker *w, V record, V name) {
  V found = gm_is_kind(record, GM_FUNCTION) ? gm_select(w, record, name) : GM_UNSET;
  if (found == GM_UNSET) gm_fail(w, GM_ERROR);
  return gm_list(w, found);
}

static graph graph_of(gm_worker *w, V node, V edge, V record) {
  V nodes = field(w, record, node);
  const gm_object *edges = gm_object_of(field(w, record, edge));
  graph g = {.nodes = gm_object_of(nodes), .node_set = nodes, .edges = edges->items, .edge_count = edges->size};
  return g;
}

/* The ends of an edge; what is none is left out. */
static bool ends_of(V edge, bool directed, V *one, V *other) {
  if (!gm_is_kind(edge, directed ? GM_SEQUENCE : GM_SET)) return false;
  const gm_object *o = gm_object_of(edge);
  if (directed ? o->size != 2 : o->size < 1 || o->size > 2) return false;
  *one = o->items[0];
  *other = o->items[o->size - 1];
  return true;
}

static void add_arc(graph *g, uint32_t from, uint32_t to) {
  g->from[g->count] = from;
  g->to[g->count++] = to;
}

static void find_arcs(gm_worker *w, graph *g, bool directed) {
  V one = 0, other = 0;
  g->from = numbers(w, 2 * (uint64_t)g->edge_count);
  g->to = numbers(w, 2 * (uint64_t)g->edge_count);
  for (uint32_t i = 0; i < g->edge_count; i++) {
    if (!ends_of(g->edges[i], directed, &one, &other)) continue;
    if (!gm_member(w, one, g->node_set) || !gm_member(w, other, g->node_set)) continue;
    uint32_t a = gm_place_in(w, g->node_set, one), b = gm_place_in(w, g->node_set, other);
    add_arc(g, a, b);
    if (!directed && a != b) add_arc(g, b, a);
  }
}

/* Notes in `found` which nodes can be reached, and returns how many. */
static uint32_t reach(gm_worker *w, const graph *g, uint32_t start, bool back, bool *found) {
  const uint32_t *from = back ? g->to : g->from, *to = back ? g->from : g->to;
  uint32_t *waiting = numbers(w, g->nodes->size), count = 1, done = 0;
  memset(found, 0, g->nodes->size);
  found[start] = true;
  waiting[0] = start;
  for (; done < count; done++)
    for (uint32_t i = 0; i < g->count; i++) {
      if (from[i] != waiting[done] || found[to[i]]) continue;
      found[to[i]] = true;
      waiting[count++] = to[i];
    }
  return count;
}

static bool *marks(gm_worker *w, const graph *g) { return (bool *)(void *)gm_array(w, g->nodes->size); }

/* ---- connections ---- */

static bool are_connected(gm_worker *w, graph g, V start, V end, bool directed) {
  if (!gm_member(w, start, g.node_set) || !gm_member(w, end, g.node_set)) return false;
  if (gm_equal(w, start, end)) return true;
  find_arcs(w, &g, directed);
  bool *found = marks(w, &g);
  reach(w, &g, gm_place_in(w, g.node_set, start), false, found);
  return found[gm_place_in(w, g.node_set, end)];
}

bool gm_are_connected(gm_worker *w, V node, V edge, V start, V end, V record) {
  return are_connected(w, graph_of(w, node, edge, record), start, end, true);
}

bool gm_are_joined(gm_worker *w, V node, V edge, V start, V end, V record) {
  return are_connected(w, graph_of(w, node, edge, record), start, end, false);
}

bool gm_is_strongly_connected(gm_worker *w, V node, V edge, V record) {
  graph g = graph_of(w, node, edge, record);
  if (!g.nodes->size) return true;
  find_arcs(w, &g, true);
  bool *found = marks(w, &g);
  return reach(w, &g, 0, false, found) == g.nodes->size && reach(w, &g, 0, true, found) == g.nodes->size;
}

V gm_connected_components(gm_worker *w, V node, V edge, V record) {
  graph g = graph_of(w, node, edge, record);
  find_arcs(w, &g, false);
  bool *found = marks(w, &g);
  V *components = gm_array(w, g.nodes->size), *members = gm_array(w, g.nodes->size);
  for (uint32_t i = 0; i < g.nodes->size; i++) {
    uint32_t n = 0;
    reach(w, &g, i, false, found);
    for (uint32_t j = 0; j < g.nodes->size; j++)
      if (found[j]) members[n++] = g.nodes->items[j];
    components[i] = gm_set_from_sorted(w, members, n);
  }
  return gm_make_set(w, components, g.nodes->size);
}

/* ---- paths that visit no node twice ---- */

typedef struct paths {
  graph g;
  uint32_t *path; /* places of nodes */
  bool *visited;
  V *found, *nodes;
  uint64_t count, room;
} paths;

static void note_path(gm_worker *w, paths *p, uint32_t length) {
  if (p->count == GM_MAX_SET) gm_fail(w, GM_ERROR);
  if (p->count == p->room) {
    V *more = gm_array(w, 2 * p->room);
    memcpy(more, p->found, p->count * sizeof *more);
    p->found = more;
    p->room *= 2;
  }
  for (uint32_t i = 0; i < length; i++) p->nodes[i] = p->g.nodes->items[p->path[i]];
  p->found[p->count++] = gm_make_sequence(w, p->nodes, length);
}

static void go_on(gm_worker *w, paths *p, uint32_t last, uint32_t length) {
  gm_check_stack(w);
  p->path[length++] = last;
  p->visited[last] = true;
  note_path(w, p, length);
  for (uint32_t i = 0; i < p->g.count; i++)
    if (p->g.from[i] == last && !p->visited[p->g.to[i]]) go_on(w, p, p->g.to[i], length);
  p->visited[last] = false;
}

static V simple_paths(gm_worker *w, graph g, bool directed) {
  find_arcs(w, &g, directed);
  uint32_t n = g.nodes->size;
  paths p = {.g = g, .path = numbers(w, n), .visited = marks(w, &g), .nodes = gm_array(w, n), .room = 16};
  p.found = gm_array(w, p.room);
  memset(p.visited, 0, n);
  for (uint32_t i = 0; i < n; i++) go_on(w, &p, i, 0);
  return gm_make_set(w, p.found, (uint32_t)p.count);
}

V gm_directed_paths(gm_worker *w, V node, V edge, V record) {
  return simple_paths(w, graph_of(w, node, edge, record), true);
}

V gm_undirected_paths(gm_worker *w, V node, V edge, V record) {
  return simple_paths(w, graph_of(w, node, edge, record), false);
}
