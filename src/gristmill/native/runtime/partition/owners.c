/* Who owns a state: decided by a hash that is the same in every process, for every layout, and for all states of an orbit
   under symmetry.

   The hash of a function is the sum of those of its values, each times a factor that belongs to the argument; so it can be
   computed of a whole value, or slot by slot, where a function was cut into slots. Names that a symmetry exchanges are
   hashed as one, and sums know no order. Without a symmetry a set has the hash that kept values have anyway, which is the
   same in every run. Two states with one hash have the same owner, which does no harm: whether they
   are the same state is not decided here. */

#include "partition_parts.h"

enum { LATELY = 1 << 17, BYTES = 1 << 8, PAIRS = 1 << 16 };
static const uint64_t OF_ARGUMENT = 0x6a09e667f3bcc909u, OF_ELEMENT = 0xbb67ae8584caa73bu, OF_SET = 0x3c6ef372fe94f82bu;

typedef struct entry {
  V value; /* kept; 0 is none */
  uint64_t hash;
} entry;

struct gm_hashes {
  const gm_engine *engine;
  uint64_t *classes; /* by position of a name */
  bool exchanges;    /* some names stand for others */
  uint32_t names, words, wide;
  uint64_t *factor;        /* by byte of a state, where a slot begins */
  uint8_t *width;          /* the same: of that slot, 0 where none begins */
  uint64_t *bytes, *pairs; /* by number in the dictionary; 0: not computed yet, or 0 */
  entry *lately;
};

gm_hashes *gm_hashes_new(const gm_engine *e, const uint64_t *classes, uint32_t names) {
  gm_hashes *h = gm_checked(calloc(1, sizeof *h));
  h->engine = e;
  h->names = names;
  h->words = e->state_words;
  h->wide = gm_narrow_ends(e->narrow)[0];
  h->classes = gm_checked(calloc((size_t)names + 1, sizeof *h->classes));
  memcpy(h->classes, classes, names * sizeof *classes);
  for (uint32_t i = 0; i < names; i++) h->exchanges |= classes[i] != i;
  h->factor = gm_checked(calloc(4 * (size_t)h->words + 4, sizeof *h->factor));
  h->width = gm_checked(calloc(4 * (size_t)h->words + 4, 1));
  h->bytes = gm_checked(calloc(BYTES, sizeof *h->bytes));
  h->pairs = gm_checked(calloc(PAIRS, sizeof *h->pairs));
  h->lately = gm_checked(calloc(LATELY, sizeof *h->lately));
  return h;
}

void gm_hashes_free(gm_hashes *h) {
  free(h->classes);
  free(h->factor);
  free(h->width);
  free(h->bytes);
  free(h->pairs);
  free(h->lately);
  free(h);
}

void gm_hashes_factors(gm_hashes *h, const uint64_t *factors) {
  const uint32_t *order = gm_narrow_order(h->engine->narrow), *ends = gm_narrow_ends(h->engine->narrow);
  size_t at = 0;
  for (uint32_t i = 0; i < ends[2]; i++) {
    uint8_t width = i < ends[0] ? 4 : i < ends[1] ? 2 : 1;
    h->factor[at] = factors[order[i]];
    h->width[at] = width;
    at += width;
  }
}

/* ---- values ---- */

static uint64_t hash_of(gm_hashes *h, V v);

static uint64_t factor_of(gm_hashes *h, V argument) { return gm_mix(hash_of(h, argument) ^ OF_ARGUMENT) | 1; }

static uint64_t hash_of_parts(gm_hashes *h, const gm_object *o) {
  uint64_t hash = 0;
  switch (o->kind) {
    case GM_SET:
      if (!h->exchanges) return gm_mix(gm_hash(gm_value_of(o)) ^ OF_SET); /* no layout cuts a set */
      hash = OF_SET;
      for (uint32_t i = 0; i < o->size; i++) hash += gm_mix(hash_of(h, o->items[i]) ^ OF_ELEMENT);
      return hash;
    case GM_SEQUENCE:
      for (uint32_t i = 0; i < o->size; i++) hash += factor_of(h, gm_int(i + 1)) * hash_of(h, o->items[i]);
      return hash;
    case GM_FUNCTION:
      for (uint32_t i = 1; i < o->size; i++)
        hash += factor_of(h, gm_domain_of(o)->items[i - 1]) * hash_of(h, o->items[i]);
      return hash;
    default: return hash_of(h, o->items[0]); /* an integer: kept values are of no other kind */
  }
}

/* Those that were asked for lately are remembered. */
static uint64_t hash_of_object(gm_hashes *h, V v) {
  const gm_object *o = gm_object_of(v);
  bool is_quick = o->kind == GM_SET && !h->exchanges;
  if (is_quick || !(o->flags & GM_KEPT) || o->size == 0) return hash_of_parts(h, o);
  entry *known = &h->lately[gm_mix(v) >> 32 & (LATELY - 1)];
  if (known->value != v) {
    uint64_t hash = hash_of_parts(h, o);
    *known = (entry){v, hash};
  }
  return known->hash;
}

static uint64_t hash_of(gm_hashes *h, V v) {
  if (gm_is_object(v)) return hash_of_object(h, v);
  if (!gm_is_atom(v)) return gm_mix(v);
  uint64_t position = gm_atom_position(v);
  return gm_mix(position < h->names ? h->classes[position] << 4 | (v & 15) : v);
}

uint64_t gm_hashes_factor(gm_hashes *h, V argument) { return factor_of(h, argument); }

/* ---- states ---- */

static inline uint64_t hash_of_number(gm_hashes *h, uint64_t *known, uint32_t width, uint32_t number) {
  if (!known[number]) known[number] = hash_of(h, gm_narrow_value(h->engine->narrow, width, number));
  return known[number];
}

static inline uint64_t hash_of_word(gm_hashes *h, uint32_t word) { return hash_of(h, gm_unpack(h->engine->heap, word)); }

/* The slots of one word that are narrow. */
static uint64_t hash_of_narrow(gm_hashes *h, const uint32_t *words, uint32_t i) {
  const uint8_t *bytes = (const uint8_t *)words;
  uint64_t hash = 0;
  for (size_t at = 4 * (size_t)i; at < 4 * (size_t)i + 4 && h->width[at]; at += h->width[at]) {
    uint16_t pair;
    if (h->width[at] == 1) {
      hash += h->factor[at] * hash_of_number(h, h->bytes, 1, bytes[at]);
    } else {
      memcpy(&pair, bytes + at, sizeof pair);
      hash += h->factor[at] * hash_of_number(h, h->pairs, 2, pair);
    }
  }
  return hash;
}

uint64_t gm_hash_of_state(gm_hashes *h, const uint32_t *words) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < h->wide; i++) hash += h->factor[4 * (size_t)i] * hash_of_word(h, words[i]);
  for (uint32_t i = h->wide; i < h->words; i++) hash += hash_of_narrow(h, words, i);
  return hash;
}

uint64_t gm_hash_of_next(gm_hashes *h, uint64_t hash, const uint32_t *before, const uint32_t *words) {
  for (uint32_t i = 0; i < h->words; i++) {
    if (words[i] == before[i]) continue;
    if (i < h->wide)
      hash += h->factor[4 * (size_t)i] * (hash_of_word(h, words[i]) - hash_of_word(h, before[i]));
    else
      hash += hash_of_narrow(h, words, i) - hash_of_narrow(h, before, i);
  }
  return hash;
}

uint64_t gm_hash_of_variables(gm_hashes *h, gm_worker *w) {
  const gm_spec *s = h->engine->spec;
  uint64_t hash = 0;
  for (uint32_t i = 0; i < s->variables; i++) {
    V v = gm_part(w, s->build[i](w, w->current + s->first_slot[i]));
    hash += factor_of(h, gm_int(i)) * hash_of(h, v);
  }
  return hash;
}
