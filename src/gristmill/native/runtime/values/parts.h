/* What the files of the runtime know of one another. */

#ifndef GM_PARTS_H
#define GM_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "value.h"

enum { GM_MAX_SET = 1000000, GM_MAX_INTERVAL = 1 << 24 }; /* elements of a set that is listed, as the reference has it */

/* The types of model values, by position; 0 is none. A larger table takes the place of one that is too small, which others
   may still be reading: it stays to the end. */
typedef struct gm_types {
  struct gm_types *before;
  uint64_t size;
  _Atomic uint32_t of[];
} gm_types;

struct gm_heap {
  char *base; /* first, as gm_unpack has it; kept objects lie here, at multiples of 16 */
  uint64_t reserved;
  _Atomic uint64_t used;
  _Atomic uint64_t *table; /* a slot is the upper half of a hash, then the place of the object; 0 is free */
  uint64_t mask;
  _Atomic uint64_t count;
  _Atomic bool exhausted;
  V empty_set, empty_sequence, booleans;
  _Atomic(gm_types *) types; /* of model values; NULL while none has any */
  pthread_mutex_t telling; /* held to change `types` */
  struct gm_shapes *shapes;
  bool typed; /* some model value has a type, and what can be compared is no longer easy to tell */
};

typedef struct gm_shapes gm_shapes; /* see shapes.h */

typedef struct gm_pair { /* of shapes */
  uint64_t pair;
  bool can;
} gm_pair;

typedef struct gm_answer {
  V element, set;
  bool is_member;
} gm_answer;

typedef struct gm_private {
  char *keep_top, *keep_end; /* the part of the heap this worker fills */
  uint64_t scratch_bytes;
  struct gm_recipe *memo;
  gm_answer *answers; /* lately, whether something was a member: GM_ANSWERS of them */
  V *tuples;          /* kept ones that were made lately: GM_TUPLES of them */
  gm_pair *pairs;     /* lately, whether values of two shapes can be compared: GM_PAIRS of them */
  uint32_t tuples_left; /* to be kept before it is computed */
} gm_private;

enum { GM_ANSWERS = 4096, GM_TUPLES = 4096, GM_PAIRS = 1024 };

static inline bool gm_is_kept(V v) { return gm_object_of(v)->flags & GM_KEPT; }
static inline bool gm_is_lazy(V v) { return gm_is_object(v) && gm_object_of(v)->kind >= GM_INTERVAL; }
static inline bool gm_is_fixed(V v) { return !gm_is_object(v) || gm_is_kept(v); } /* equal ones are equal words */
enum { GM_PARTS_KEPT = 16 }; /* a flag of scratch objects: all items are fixed */

static inline uint32_t gm_type_of(const gm_heap *h, V model_value) {
  uint64_t position = gm_atom_position(model_value);
  const gm_types *types = atomic_load_explicit(&h->types, memory_order_acquire);
  return types && position < types->size ? atomic_load_explicit(&types->of[position], memory_order_relaxed) : 0;
}
/* Set when a typed model value is made. */
static inline bool gm_is_typed(const gm_heap *h) { return __atomic_load_n(&h->typed, __ATOMIC_RELAXED); }

static inline uint64_t gm_mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  return x * 0xd6e8feb86659fd93u;
}

uint64_t gm_hash(V v); /* structural; remembers it in scratch objects */

/* What an item adds to the hash of its object: hashes are sums, so that a changed item changes them by a difference.
   The place is its index + 1, and 0 for all elements of a set. */
static inline uint64_t gm_item_hash(V item, uint64_t place) {
  uint64_t hash = !gm_is_object(item) ? item : gm_object_of(item)->hash ? gm_object_of(item)->hash : gm_hash(item);
  return gm_mix(hash + place * 0x9e3779b97f4a7c15u);
}

/* Notes that an object is a kept one changed in this way, with items that are fixed. 0 and 1 may both stand for a sum
   of 0, and so the hash is then left to be computed. */
static inline void gm_derived(gm_object *o, const gm_object *from, uint64_t change) {
  o->hash = from->hash == 1 ? 0 : from->hash + change;
  o->flags |= GM_PARTS_KEPT;
}

/* Functions: a record has strings as arguments, and one tells for all. */
static inline bool gm_is_function_like(V v) {
  return gm_is_object(v) && (gm_object_of(v)->kind == GM_SEQUENCE || gm_object_of(v)->kind == GM_FUNCTION);
}
static inline const gm_object *gm_domain_of(const gm_object *function) { return gm_object_of(function->items[0]); }
static inline bool gm_is_record(const gm_object *o) {
  return o->kind == GM_FUNCTION && gm_is_string(gm_domain_of(o)->items[0]);
}
/* How many arguments a SEQUENCE or FUNCTION has. */
static inline uint32_t gm_arguments(const gm_object *o) { return o->kind == GM_FUNCTION ? o->size - 1 : o->size; }

/* Notes in a new object which sorts of model values are in it (order.c). */
void gm_note_sorts(const gm_heap *h, gm_object *o);

/* Of model values all of one type: a number for it; 0 if there are more types, or too many to look at. */
static inline unsigned gm_common_type(const gm_heap *h, const V *items, uint32_t n) {
  if (!gm_is_typed(h)) return 4;
  uint32_t type = gm_type_of(h, items[0]);
  if (n > 16) return 0;
  for (uint32_t i = 1; i < n; i++)
    if (gm_type_of(h, items[i]) != type) return 0;
  return 4 + type;
}

/* Sets whose elements are all integers, or all strings, or all Booleans, or all model values of one type or none: these
   are ordered as their words are. 0 if it is none of these. Elements of a set can be compared, so that the ends tell. */
static inline unsigned gm_plain_class(const gm_heap *h, const V *items, uint32_t n) {
  V first = items[0];
  if (gm_is_int(first)) return 1;
  if (gm_is_string(first)) return 2;
  if (gm_is_bool(first)) return 3;
  return gm_is_model_value(first) && gm_is_model_value(items[n - 1]) ? gm_common_type(h, items, n) : 0;
}

/* Two of these differ and are ordered as their words are. */
static inline bool gm_are_plain(V a, V b) {
  return ((a ^ b) & 7) == 0 && (gm_is_int(a) || gm_is_bool(a) || (gm_is_string(a) && gm_is_string(b)));
}

bool gm_same(V a, V b);       /* structural, without errors: the same description of a set, the same value otherwise */
uint32_t gm_sort(gm_worker *w, V *items, uint32_t n); /* in place, without duplicates; how many are left */
/* Where a value is among sorted ones, or where it would stand; probes as TLC does. */
uint32_t gm_search(gm_worker *w, const V *items, uint32_t n, V value, bool *found);
V gm_set_from_sorted(gm_worker *w, const V *items, uint32_t n);
bool gm_lazy_member(gm_worker *w, V element, V set);
bool gm_equal_sets(gm_worker *w, V a, V b); /* one of them lazy */
uint64_t gm_count(gm_worker *w, V set);
bool gm_counts_quickly(V set);
V gm_interval_of(gm_worker *w, int64_t low, int64_t high);
V gm_lambda_apply(gm_worker *w, V lambda, V argument);
V gm_lambda_domain(V lambda);
size_t gm_write_varint(uint8_t *out, uint64_t n);
static inline V gm_computed(gm_worker *w, V v) { return gm_is_kind(v, GM_LAMBDA) ? gm_list_function(w, v) : v; }

#endif
