#include "canonical.h"

#include <stdlib.h>

#include "parts.h"

enum { NONE = 255, SEEN = 1 << 14, MOVES = 64 };

struct gm_canonical {
  gm_elements given;
  uint32_t *memory; /* of what `given` points to */
  uint64_t position[GM_MOST_ELEMENTS];
  uint8_t set_of[GM_MOST_ELEMENTS];
  uint64_t positions;
  uint8_t *element_at; /* by position; NONE */
};

/* The hash of an object as one element sees it. */
typedef struct seen {
  uint64_t object_and_element, hash;
} seen;

/* Where a permutation puts each slot. `code`: that of the permutation plus 1; 0: none yet. */
typedef struct moves {
  uint64_t code;
  uint32_t *places;
} moves;

struct gm_canonizer {
  const gm_canonical *shared;
  gm_permutation *permutation;
  seen *seen;
  const V *values;
  bool begun;
  uint8_t image[GM_MOST_ELEMENTS]; /* of each element under the permutation at hand */
  uint8_t order[GM_MOST_ELEMENTS]; /* elements, sorted by signature; then as they are arranged */
  uint8_t label[GM_MOST_ELEMENTS]; /* by element: equal for those that can be exchanged */
  uint8_t tie[GM_MOST_ELEMENTS];   /* by place in `order`: where those with the same signature end */
  uint64_t signature[GM_MOST_ELEMENTS];
  V *signed_values; /* those that signatures are of, if they are of any: states that follow each other differ in little */
  bool has_signatures;
  moves moves[MOVES];
  uint32_t *places; /* of all of them */
};

/* ---- making and ending ---- */

static uint32_t *copied(uint32_t **at, const uint32_t *from, size_t n) {
  uint32_t *to = *at;
  memcpy(to, from, n * sizeof *to);
  *at += n;
  return to;
}

static void copy_tables(gm_canonical *c, const gm_elements *from, uint32_t terms) {
  uint32_t *at = c->memory;
  c->given = *from;
  c->given.position = c->position;
  c->given.first = copied(&at, from->first, from->sets + 1);
  c->given.class_of = copied(&at, from->class_of, (size_t)from->slots * from->elements);
  c->given.first_term = copied(&at, from->first_term, from->slots + 1);
  c->given.term_element = copied(&at, from->term_element, terms);
  c->given.term_level = copied(&at, from->term_level, terms);
  c->given.shift = copied(&at, from->shift, (size_t)from->levels * from->elements);
}

gm_canonical *gm_canonical_new(const gm_elements *from) {
  gm_canonical *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  uint32_t terms = from->first_term[from->slots];
  size_t tables = (size_t)(from->slots + from->levels) * from->elements + from->sets + from->slots + 2 * (size_t)terms;
  for (uint32_t e = 0; e < from->elements; e++) {
    c->position[e] = from->position[e];
    if (from->position[e] >= c->positions) c->positions = from->position[e] + 1;
  }
  c->memory = malloc((tables + 2) * sizeof *c->memory);
  c->element_at = malloc((size_t)c->positions + 1);
  if (!c->memory || !c->element_at) {
    gm_canonical_free(c);
    return NULL;
  }
  memset(c->element_at, NONE, (size_t)c->positions + 1);
  for (uint32_t e = 0; e < from->elements; e++) c->element_at[c->position[e]] = (uint8_t)e;
  copy_tables(c, from, terms);
  for (uint32_t s = 0; s < from->sets; s++)
    for (uint32_t e = from->first[s]; e < from->first[s + 1]; e++) c->set_of[e] = (uint8_t)s;
  return c;
}

void gm_canonical_free(gm_canonical *c) {
  if (!c) return;
  free(c->memory);
  free(c->element_at);
  free(c);
}

gm_canonizer *gm_canonizer_new(const gm_canonical *c) {
  gm_canonizer *z = calloc(1, sizeof *z);
  if (!z) return NULL;
  z->shared = c;
  z->permutation = gm_permutation_changeable(c->position, c->given.elements);
  z->seen = calloc(SEEN, sizeof *z->seen);
  z->signed_values = calloc((size_t)c->given.slots + 1, sizeof *z->signed_values);
  z->places = calloc((size_t)MOVES * c->given.slots + 1, sizeof *z->places);
  for (uint32_t i = 0; z->places && i < MOVES; i++) z->moves[i].places = z->places + (size_t)i * c->given.slots;
  if (z->permutation && z->seen && z->signed_values && z->places) return z;
  gm_canonizer_free(z);
  return NULL;
}

void gm_canonizer_free(gm_canonizer *z) {
  if (!z) return;
  gm_permutation_free(z->permutation);
  free(z->seen);
  free(z->signed_values);
  free(z->places);
  free(z);
}

/* ---- signatures ---- */

static uint64_t seen_from(gm_canonizer *z, gm_worker *w, uint32_t me, V v);

static uint64_t seen_parts(gm_canonizer *z, gm_worker *w, uint32_t me, const gm_object *o) {
  uint64_t sum = 0;
  gm_check_stack(w);
  switch (o->kind) {
    case GM_SET: /* permuted, they stand in another order: they are added */
      for (uint32_t i = 0; i < o->size; i++) sum += gm_mix(seen_from(z, w, me, o->items[i]));
      break;
    case GM_SEQUENCE:
      for (uint32_t i = 0; i < o->size; i++) sum = gm_mix(sum + seen_from(z, w, me, o->items[i]));
      break;
    default: {
      const V *arguments = gm_domain_of(o)->items;
      for (uint32_t i = 0; i + 1 < o->size; i++) {
        uint64_t argument = seen_from(z, w, me, arguments[i]), value = seen_from(z, w, me, o->items[i + 1]);
        sum += gm_mix(gm_mix(argument) + value);
      }
    }
  }
  return gm_mix(sum + ((uint64_t)o->size << 8 | o->kind));
}

/* The hash of a value in which one element is told from all others, and the others only by their sets. */
static uint64_t seen_from(gm_canonizer *z, gm_worker *w, uint32_t me, V v) {
  const gm_canonical *c = z->shared;
  if (gm_is_model_value(v)) {
    uint64_t position = gm_atom_position(v);
    uint8_t element = position < c->positions ? c->element_at[position] : NONE;
    if (element != NONE) return gm_mix(element == me ? 1 : 2 + (uint64_t)c->set_of[element]) | 1;
  }
  if (!gm_is_object(v)) return gm_mix(v) & ~UINT64_C(1);
  uint64_t key = (uint64_t)gm_pack(w, v) << 8 | (me + 1);
  seen *known = &z->seen[gm_mix(key) & (SEEN - 1)];
  if (known->object_and_element == key) return known->hash;
  uint64_t hash = seen_parts(z, w, me, gm_object_of(v));
  *known = (seen){key, hash};
  return hash;
}

/* What a slot adds to the signature of an element. */
static uint64_t share(gm_canonizer *z, gm_worker *w, uint32_t me, uint32_t slot, V v) {
  const gm_elements *given = &z->shared->given;
  uint64_t class_of = given->class_of[(size_t)slot * given->elements + me];
  return gm_mix(seen_from(z, w, me, v) + class_of * UINT64_C(0x9e3779b97f4a7c15));
}

/* Sums over slots: where there are some of another state, only slots that differ are looked at. Values are kept, so those
   that are equal are the same word. */
static void sign(gm_canonizer *z, gm_worker *w) {
  const gm_elements *given = &z->shared->given;
  bool has_signatures = z->has_signatures;
  z->has_signatures = false; /* until all is well */
  if (!has_signatures) memset(z->signature, 0, sizeof z->signature);
  for (uint32_t i = 0; i < given->slots; i++) {
    V before = z->signed_values[i], now = z->values[i];
    if (has_signatures && before == now) continue;
    for (uint32_t e = 0; e < given->elements; e++) {
      if (has_signatures) z->signature[e] -= share(z, w, e, i, before);
      z->signature[e] += share(z, w, e, i, now);
    }
    z->signed_values[i] = now;
  }
  z->has_signatures = true;
}

/* ---- permutations of slots ---- */

static uint32_t place_of(const gm_canonizer *z, uint32_t slot) {
  const gm_elements *given = &z->shared->given;
  uint32_t place = slot;
  for (uint32_t t = given->first_term[slot]; t < given->first_term[slot + 1]; t++) {
    const uint32_t *shift = given->shift + (size_t)given->term_level[t] * given->elements;
    uint32_t element = given->term_element[t];
    place += shift[z->image[element]] - shift[element];
  }
  return place;
}

/* The permutation is what `image` says; where it puts each slot. */
static const uint32_t *take_permutation(gm_canonizer *z) {
  const gm_canonical *c = z->shared;
  uint64_t to[GM_MOST_ELEMENTS], code = 0;
  for (uint32_t e = 0; e < c->given.elements; e++) {
    to[e] = c->position[z->image[e]];
    code = code << 4 | z->image[e];
  }
  gm_permutation_change(z->permutation, code, c->position, to, c->given.elements);
  moves *found = &z->moves[gm_mix(code) % MOVES];
  if (found->code != code + 1) {
    for (uint32_t i = 0; i < c->given.slots; i++) found->places[i] = place_of(z, i);
    found->code = code + 1;
  }
  return found->places;
}

static bool can_be_exchanged(gm_canonizer *z, gm_worker *w, uint8_t a, uint8_t b) {
  for (uint32_t e = 0; e < z->shared->given.elements; e++) z->image[e] = (uint8_t)e;
  z->image[a] = b, z->image[b] = a;
  const uint32_t *places = take_permutation(z);
  for (uint32_t i = 0; i < z->shared->given.slots; i++)
    if (gm_permute(w, z->permutation, z->values[i]) != z->values[places[i]]) return false;
  return true;
}

/* ---- candidates ---- */

static void sort_set(gm_canonizer *z, uint32_t start, uint32_t end) {
  for (uint32_t i = start; i < end; i++) {
    uint8_t element = (uint8_t)i;
    uint32_t at = i;
    for (; at > start && z->signature[z->order[at - 1]] > z->signature[element]; at--) z->order[at] = z->order[at - 1];
    z->order[at] = element;
  }
}

/* Labels for what stands from `start` to `end` in the order, which is then sorted by them. */
static void label_tie(gm_canonizer *z, gm_worker *w, uint32_t start, uint32_t end) {
  uint8_t first[GM_MOST_ELEMENTS]; /* of those with each label */
  uint32_t labels = 0;
  for (uint32_t i = start; i < end; i++) {
    uint8_t element = z->order[i];
    uint32_t label = 0, at = i;
    while (label < labels && !can_be_exchanged(z, w, first[label], element)) label++;
    if (label == labels) first[labels++] = element;
    z->label[element] = (uint8_t)label;
    for (; at > start && z->label[z->order[at - 1]] > label; at--) z->order[at] = z->order[at - 1];
    z->order[at] = element;
  }
}

void gm_canonical_begin(gm_canonizer *z, gm_worker *w, const V *values) {
  const gm_elements *given = &z->shared->given;
  z->values = values;
  z->begun = false;
  sign(z, w);
  for (uint32_t s = 0; s < given->sets; s++) {
    uint32_t end = given->first[s + 1];
    sort_set(z, given->first[s], end);
    for (uint32_t i = given->first[s], tie; i < end; i = tie) {
      for (tie = i + 1; tie < end && z->signature[z->order[tie]] == z->signature[z->order[i]];) tie++;
      for (uint32_t j = i; j < tie; j++) z->tie[j] = (uint8_t)tie;
      label_tie(z, w, i, tie);
    }
  }
}

/* The next order of labels, lexicographically; false: there was none, and the first one is there again. */
static bool rearrange(gm_canonizer *z, uint32_t start, uint32_t end) {
  uint8_t *order = z->order;
  const uint8_t *label = z->label;
  uint32_t i = end - 1;
  while (i > start && label[order[i - 1]] >= label[order[i]]) i--;
  bool more = i > start;
  if (more) {
    uint32_t j = end - 1;
    while (label[order[j]] <= label[order[i - 1]]) j--;
    uint8_t swapped = order[i - 1];
    order[i - 1] = order[j], order[j] = swapped;
  }
  for (uint32_t j = end - 1; i < j; i++, j--) {
    uint8_t swapped = order[i];
    order[i] = order[j], order[j] = swapped;
  }
  return more;
}

static bool next_arrangement(gm_canonizer *z) {
  if (!z->begun) return z->begun = true;
  for (uint32_t i = 0; i < z->shared->given.elements; i = z->tie[i])
    if (rearrange(z, i, z->tie[i])) return true;
  return false;
}

bool gm_canonical_next(gm_canonizer *z, gm_worker *w, V *moved) {
  const gm_elements *given = &z->shared->given;
  if (!next_arrangement(z)) return false;
  for (uint32_t i = 0; i < given->elements; i++) z->image[z->order[i]] = (uint8_t)i;
  const uint32_t *places = take_permutation(z);
  for (uint32_t i = 0; i < given->slots; i++) moved[places[i]] = gm_permute(w, z->permutation, z->values[i]);
  return true;
}
