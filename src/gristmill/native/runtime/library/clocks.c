/* The module VectorClocks: entries in an order in which none precedes one that it depends on, as library has it. */

#include "community.h"

#include "parts.h"

typedef struct entry {
  V value, clock;
  int64_t ticks; /* of its node */
} entry;

typedef struct owner {
  V node;
  entry *log; /* sorted by its own clock */
  uint32_t count, done;
} owner;

static int64_t ticks_of(gm_worker *w, V clock, V host) {
  V ticks = gm_apply(w, clock, host);
  if (!gm_is_int(ticks)) gm_fail(w, GM_ERROR);
  return gm_int_of(ticks);
}

static owner *owner_of(owner *owners, uint32_t n, V node) {
  for (uint32_t i = 0; i < n; i++)
    if (gm_same(owners[i].node, node)) return &owners[i];
  return NULL;
}

/* Of entries with equal clocks the first comes first. */
static void insert(owner *o, entry new) {
  uint32_t at = o->count++;
  for (; at > 0 && o->log[at - 1].ticks > new.ticks; at--) o->log[at] = o->log[at - 1];
  o->log[at] = new;
}

static bool knows(gm_worker *w, V clock, V host) {
  gm_pairs known = gm_pairs_of(w, clock);
  for (uint32_t i = 0; i < known.count; i++)
    if (gm_same(known.arguments[i], host)) return true;
  return false;
}

static bool is_ready(gm_worker *w, const owner *o, owner *owners, uint32_t n, V hosts) {
  V clock = o->log[o->done].clock, host;
  gm_iterator it;
  gm_iterate(w, &it, gm_call(w, hosts, &clock));
  while (gm_next(w, &it, &host)) {
    if (gm_same(host, o->node) || !knows(w, clock, host)) continue;
    const owner *other = owner_of(owners, n, host);
    if (other && ticks_of(w, clock, host) > other->done) return false;
  }
  return true;
}

V gm_causal_order(gm_worker *w, V log, V clock, V node, V hosts) {
  const gm_object *entries = gm_sequence_of(w, log);
  owner *owners = (owner *)(void *)gm_array(w, entries->size * (uint64_t)(sizeof(owner) / sizeof(V)));
  uint32_t n = 0, count = 0;
  for (uint32_t i = 0; i < entries->size; i++) {
    V at = gm_part(w, gm_call(w, node, &entries->items[i])), when = gm_part(w, gm_call(w, clock, &entries->items[i]));
    owner *o = owner_of(owners, n, at);
    if (!o) {
      o = &owners[n++];
      entry *own = (entry *)(void *)gm_array(w, entries->size * (uint64_t)(sizeof(entry) / sizeof(V)));
      *o = (owner){.node = at, .log = own};
    }
    insert(o, (entry){entries->items[i], when, ticks_of(w, when, at)});
  }
  V *ordered = gm_array(w, entries->size);
  while (count < entries->size) {
    uint32_t before = count;
    for (owner *o = owners; o < owners + n; o++)
      if (o->done < o->count && is_ready(w, o, owners, n, hosts)) ordered[count++] = o->log[o->done++].value;
    if (count == before) gm_fail(w, GM_ERROR);
  }
  return gm_make_sequence(w, ordered, count);
}
