/* TLA+ values in native code.

   A value is one 64-bit word. Small things are in the word; everything else is a pointer to an object that never
   changes. Objects are either *scratch*, which live until the worker's next `gm_reset`, or *kept*: hash-consed, shared
   by all workers, alive to the end of the run. Whatever a state holds is kept, so that a state is a vector of 32-bit
   numbers of kept values.

   Nothing here explains an error. An operation that TLA+ leaves undefined, that the reference evaluator would refuse, or
   that is not supported calls `gm_fail`, which unwinds to the worker's `jmp_buf`; the reference evaluator then
   evaluates that state again and either says what is wrong or gives the answer. So when in doubt, fail: it is never
   wrong, only slow. Never answer where the reference evaluator would raise an error or answer otherwise.

   What the reference evaluator answers and these functions refuse (tests/native/reference.py has the list as code):
     - integers beyond 61 bits;
     - Len, Tail, SubSeq and \o of strings, whose characters are not known here;
     - infinite sets inside other values, equality of different infinite sets, Real, Any;
     - sets with elements that cannot be compared, already when they are made;
     - an order between a record and a function that is none, or between a function with a model value among its
       arguments and one without: as elements of one set, or looked up in a set of the others (order.c says why);
     - some sets that mix model values of several types. */

#ifndef GM_VALUE_H
#define GM_VALUE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t V;

enum { GM_TAG_OBJECT = 0, GM_TAG_INT = 1, GM_TAG_ATOM = 2, GM_TAG_BOOL = 3, GM_TAG_THUNK = 4, GM_TAG_BITS = 5, GM_TAG_MARK = 7 };

#define GM_UNSET ((V)7) /* a slot that has no value yet */
#define GM_FALSE ((V)3)
#define GM_TRUE ((V)11)

static inline unsigned gm_tag(V v) { return (unsigned)(v & 7); }
static inline bool gm_is_object(V v) { return gm_tag(v) == GM_TAG_OBJECT; }
static inline bool gm_is_int(V v) { return gm_tag(v) == GM_TAG_INT; }
static inline bool gm_is_atom(V v) { return gm_tag(v) == GM_TAG_ATOM; }
static inline bool gm_is_bool(V v) { return gm_tag(v) == GM_TAG_BOOL; }
static inline V gm_bool(bool b) { return b ? GM_TRUE : GM_FALSE; }

/* Integers have 61 bits; what does not fit fails with GM_OVERFLOW. */
#define GM_INT_MAX ((int64_t)(((uint64_t)1 << 60) - 1))
#define GM_INT_MIN (-GM_INT_MAX - 1)
static inline V gm_int(int64_t n) { return ((V)n << 3) | GM_TAG_INT; }
static inline int64_t gm_int_of(V v) { return (int64_t)v >> 3; }

/* Strings and model values: the position of the name in the canonical order of names, which both kinds share. */
static inline V gm_atom(uint64_t position, bool model_value) { return position << 4 | (V)model_value << 3 | GM_TAG_ATOM; }
static inline V gm_string(uint64_t position) { return gm_atom(position, false); }
static inline uint64_t gm_atom_position(V v) { return v >> 4; }
static inline bool gm_is_model_value(V v) { return (v & 15) == 10; }
static inline bool gm_is_string(V v) { return (v & 15) == 2; }

/* `FUNCTION` has the domain, a SET, as item 0 and then the values in the domain's order; it is never one whose domain is
   1..n, which is a SEQUENCE, and so is the empty function. A record is a FUNCTION on strings. The kinds from INTERVAL on
   are sets that are described, not listed; they never are inside other kept values. */
enum gm_kind {
  GM_SET = 1,   /* items sorted in canonical order, without duplicates; all comparable with one another */
  GM_SEQUENCE,
  GM_FUNCTION,
  GM_BIG,       /* an integer of a state that does not fit into a 32-bit number; item 0 is the integer word */
  GM_LAMBDA,    /* a function evaluated argument by argument; scratch only */
  GM_INTERVAL,  /* items: low, high (integer words) */
  GM_POWERSET,  /* base */
  GM_FUNCTIONS, /* domain, range */
  GM_RECORDS,   /* SET of names, then the sets in its order */
  GM_PRODUCT,   /* factors */
  GM_SEQUENCES, /* base */
  GM_UNION,     /* two sets, at least one of them lazy */
  GM_NAT,
  GM_INT_SET,
  GM_STRINGS,
  GM_INTERSECTION, /* two lazy sets */
  GM_DIFFERENCE,   /* a lazy set, another set */
  GM_BIG_UNION     /* UNION of a lazy set */
};

/* SELECTED: an empty SET that a filter has left of a set that is not listed. What is no candidate for that set cannot be asked
   for, which an empty set would not tell. */
enum { GM_KEPT = 1, GM_SELECTED = 128 };

typedef struct gm_object {
  uint8_t kind;
  uint8_t flags;
  uint16_t recipe; /* of scratch: where it is noted how it was made, see memo.h; of kept: its shape, see shapes.h */
  uint32_t size;  /* number of items */
  uint64_t hash;  /* structural, the same in every run; 0 while not computed (scratch) */
  V items[];
} gm_object;

static inline gm_object *gm_object_of(V v) { return (gm_object *)(uintptr_t)v; }
static inline V gm_value_of(const gm_object *o) { return (V)(uintptr_t)o; }
static inline bool gm_is_kind(V v, enum gm_kind kind) { return gm_is_object(v) && gm_object_of(v)->kind == kind; }

/* Why a computation stopped. All but GM_MISFIT, GM_FULL are looked into by the reference evaluator. */
enum gm_failure {
  GM_OK = 0,
  GM_ERROR,    /* undefined, or not supported */
  GM_OVERFLOW, /* an integer beyond 61 bits */
  GM_DEEP,     /* the stack is nearly exhausted */
  GM_MISFIT,   /* a value does not fit the layout of the states; `misfit_slot` says where */
  GM_FULL      /* a shared table must grow before this can go on: try the state again after gm_grow */
};

typedef struct gm_heap gm_heap; /* what all workers share: kept values */

/* An element of a universe (universe.h), and its number there, which stays the same. */
typedef struct gm_numbered {
  V element;
  uint32_t universe, number;
} gm_numbered;
enum { GM_NUMBERED = 64 };

/* What one worker needs. `current` and `next` are the slots of the state being expanded and of its successor. */
typedef struct gm_worker {
  V *current, *next;
  uint64_t changed; /* bits of slots (`slot_bit` of driver.h) in which `current` may differ from a state of which its predicates hold */
  char *scratch, *scratch_top, *scratch_end;
  gm_heap *heap;
  jmp_buf *recover;
  char *stack_limit; /* below this address, evaluation is nested too deeply */
  int misfit_slot;
  uint32_t warnings; /* EXCEPT outside a domain happened */
  uint64_t callbacks; /* evaluations by the reference evaluator */
  void *model, *sink; /* of the generated code */
  int64_t level; /* of the state that is looked at; see TLCGet */
  V *lasting; /* values that are the same in every state; 0 where they are not made yet */
  void *private_data; /* of the runtime: allocation buffers, memo tables */
  V empty_set, empty_sequence; /* kept; no other object is empty */
  struct gm_universe **universes; /* of sets in slots, see universe.h */
  gm_numbered numbered[GM_NUMBERED]; /* elements that were asked for lately */
} gm_worker;

_Noreturn void gm_fail(gm_worker *w, enum gm_failure why);
/* What cannot be told to anybody in C: the process ends as one whose limit is reached, with a message. Nothing is lost: a
   checkpoint is whole at any moment. */
_Noreturn void gm_out_of_memory(void);
static inline void *gm_checked(void *memory) {
  if (!memory) gm_out_of_memory();
  return memory;
}
static inline void gm_reset(gm_worker *w) { w->scratch_top = w->scratch; }
/* Scratch memory; fails with GM_ERROR when there is no more. */
static inline V *gm_scratch(gm_worker *w, uint64_t words) {
  char *found = w->scratch_top;
  if (words > (uint64_t)(w->scratch_end - found) / sizeof(V)) gm_fail(w, GM_ERROR);
  w->scratch_top = found + words * sizeof(V);
  return (V *)(void *)found;
}
/* A scratch object whose items are not set. Never of size 0; what is set must be no lazy set (`gm_part`). */
static inline gm_object *gm_new(gm_worker *w, enum gm_kind kind, uint32_t size) {
  gm_object *o = (gm_object *)(void *)gm_scratch(w, 2 + (uint64_t)size);
  o->kind = (uint8_t)kind;
  o->flags = 0;
  o->recipe = 0;
  o->size = size;
  o->hash = 0;
  return o;
}

/* ---- the heap ---- */
gm_heap *gm_heap_new(uint64_t max_bytes); /* room for kept values: at most 16 GB, which 0 means; NULL: no memory */
void gm_heap_free(gm_heap *h);
/* current/next arrays of that many slots each; `stack_limit` is NULL, `recover` too: the runner sets them.
   NULL if there is no memory. */
gm_worker *gm_worker_new(gm_heap *h, uint32_t slots);
void gm_worker_free(gm_worker *w);
bool gm_must_grow(gm_heap *h);           /* ask at safe points: the table of kept values is more than half full */
bool gm_grow(gm_heap *h);                /* only while no worker runs; false: the memory for kept values is used up */
V gm_keep(gm_worker *w, V v);            /* the kept twin of a value: lazy sets listed, everything inside kept too */
uint64_t gm_heap_bytes(const gm_heap *h);
uint64_t gm_heap_values(const gm_heap *h);

/* A value as a 32-bit number and back: small integers, atoms and Booleans are in the number, else it numbers a kept
   object. Equal values have equal numbers. `gm_pack` keeps the value first if need be; fails on lazy infinite sets. */
uint32_t gm_pack_slow(gm_worker *w, V v);
static inline uint32_t gm_pack(gm_worker *w, V v) {
  if (gm_is_int(v)) {
    int64_t n = gm_int_of(v);
    if (n >= -((int64_t)1 << 29) && n < (int64_t)1 << 29) return (uint32_t)n << 2 | 1;
  } else if (gm_is_object(v)) {
    const gm_object *o = gm_object_of(v);
    if (o->flags & GM_KEPT) return (uint32_t)((uint64_t)((const char *)o - *(char *const *)w->heap) >> 4) << 2;
  } else if (gm_is_bool(v)) {
    return v == GM_TRUE ? 7 : 3;
  }
  return gm_pack_slow(w, v);
}
static inline V gm_unpack(const gm_heap *h, uint32_t number) {
  switch (number & 3) {
    case 1: return gm_int((int32_t)number >> 2);
    case 2: return (V)(number >> 2) << 3 | GM_TAG_ATOM;
    case 3: return number == 7 ? GM_TRUE : GM_FALSE;
    default: break;
  }
  const gm_object *o = (const gm_object *)(*(char *const *)h + ((uint64_t)(number >> 2) << 4)); /* its base comes first */
  return o->kind == GM_BIG ? o->items[0] : gm_value_of(o);
}

/* Bytes for Python and for files; see native/codec.py for the same format. `gm_decode` makes scratch values; bytes that
   are none of this format fail. */
size_t gm_encode(gm_worker *w, V v, uint8_t *out, size_t room); /* the size needed; writes only if it fits */
V gm_decode(gm_worker *w, const uint8_t *in, size_t size, size_t *used);
/* Before any worker has the value; the type is a letter, 0 none. `gm_decode` does it of what it reads. */
void gm_set_model_value_type(gm_heap *h, uint64_t position, uint32_t type);

/* ---- equality and order: TLC's, failing where values cannot be compared ---- */
bool gm_equal_slow(gm_worker *w, V a, V b);
static inline bool gm_equal(gm_worker *w, V a, V b) {
  if (a == b) return true;
  if (gm_is_int(a) && gm_is_int(b)) return false;
  if (gm_is_string(a) && gm_is_string(b)) return false;
  if (gm_is_bool(a) && gm_is_bool(b)) return false;
  return gm_equal_slow(w, a, b);
}
int gm_compare(gm_worker *w, V a, V b);
static inline bool gm_truth(gm_worker *w, V v) {
  if (v == GM_TRUE) return true;
  if (v != GM_FALSE) gm_fail(w, GM_ERROR);
  return false;
}

/* ---- sets ---- */
bool gm_member(gm_worker *w, V element, V set);
/* The same for a set that is there for ever: what came of it is remembered. */
bool gm_member_known(gm_worker *w, V element, V set);
V gm_make_set(gm_worker *w, V *items, uint32_t n);   /* sorts `items` in place, removes duplicates */
V gm_list(gm_worker *w, V set);                      /* the same set as a SET; fails if infinite or over 10^6 (2^24 for intervals) */
bool gm_is_set(V v);
/* A value as it may stand inside another: a lazy set listed, a LAMBDA computed. All that makes values of parts does it. */
V gm_part_slow(gm_worker *w, V v);
static inline V gm_part(gm_worker *w, V v) {
  return gm_is_object(v) && gm_object_of(v)->kind >= GM_LAMBDA ? gm_part_slow(w, v) : v;
}
bool gm_is_enumerable(gm_worker *w, V v); /* a set that could be listed, were there time */
bool gm_is_empty(gm_worker *w, V set);
bool gm_subset(gm_worker *w, V a, V b);
V gm_union(gm_worker *w, V a, V b);
V gm_intersect(gm_worker *w, V a, V b);
V gm_difference(gm_worker *w, V a, V b);
V gm_big_union(gm_worker *w, V set);
V gm_cardinality(gm_worker *w, V set);
bool gm_is_finite(gm_worker *w, V set);
V gm_powerset(gm_worker *w, V base);
V gm_interval(gm_worker *w, V low, V high);
V gm_functions(gm_worker *w, V domain, V range);
V gm_records(gm_worker *w, V names, const V *sets);  /* `names`: a kept SET of strings; `sets` in its order */
V gm_product(gm_worker *w, const V *factors, uint32_t n);
V gm_sequences(gm_worker *w, V base);
V gm_nat(void), gm_int_set(void), gm_strings(void);

/* Going through a set in canonical order, each element once (`gm_iterate`), or as TLC assigns a variable from it, where
   elements of a lazy union may come twice (`gm_iterate_assign`). Lazy sets are not listed when they can be walked:
   intervals, power sets, sets of functions and records, products. No order is promised to differ from values/enumeration.py. */
typedef struct gm_iterator {
  V set;
  uint64_t position, count;
  V *items;       /* of a SET */
  V low;          /* of an INTERVAL; else 0 */
  void *state;    /* of lazy ones, in scratch */
} gm_iterator;
void gm_iterate_slow(gm_worker *w, gm_iterator *it, V set, bool assign);
static inline void gm_iterate_interval(gm_iterator *it, V set) {
  V low = gm_object_of(set)->items[0], high = gm_object_of(set)->items[1];
  uint64_t count = gm_int_of(high) < gm_int_of(low) ? 0 : (uint64_t)(gm_int_of(high) - gm_int_of(low)) + 1;
  *it = (gm_iterator){.set = set, .low = low, .count = count};
}
static inline void gm_iterate_either(gm_worker *w, gm_iterator *it, V set, bool assign) {
  if (gm_is_kind(set, GM_SET)) {
    it->items = gm_object_of(set)->items;
    it->low = 0;
    it->position = 0;
    it->count = gm_object_of(set)->size;
  } else if (gm_is_kind(set, GM_INTERVAL)) {
    gm_iterate_interval(it, set);
  } else {
    gm_iterate_slow(w, it, set, assign);
  }
}
static inline void gm_iterate(gm_worker *w, gm_iterator *it, V set) { gm_iterate_either(w, it, set, false); }
static inline void gm_iterate_assign(gm_worker *w, gm_iterator *it, V set) { gm_iterate_either(w, it, set, true); }
bool gm_next_slow(gm_worker *w, gm_iterator *it, V *element);
/* Of a set of functions or records that is not empty: the values of the next one, without making it. */
bool gm_next_into(gm_iterator *it, V *slots);
static inline bool gm_next(gm_worker *w, gm_iterator *it, V *element) {
  if (it->items) {
    if (it->position == it->count) return false;
    *element = it->items[it->position++];
    return true;
  }
  if (it->low) {
    if (it->position == it->count) return false;
    *element = gm_int(gm_int_of(it->low) + (int64_t)it->position++);
    return true;
  }
  return gm_next_slow(w, it, element);
}

/* ---- functions, sequences, records ---- */
V gm_apply_slow(gm_worker *w, V function, V argument);
static inline V gm_apply(gm_worker *w, V f, V a) {
  if (gm_is_kind(f, GM_SEQUENCE) && gm_is_int(a)) {
    const gm_object *o = gm_object_of(f);
    uint64_t i = (uint64_t)gm_int_of(a) - 1;
    if (i < o->size) return o->items[i];
  }
  return gm_apply_slow(w, f, a);
}
/* Field access with a memory of where the field was last found: domain word -> index. `cache` belongs to the place in
   the code and is shared by workers: one relaxed 64-bit word. */
V gm_field_slow(gm_worker *w, V record, V name, uint64_t *cache);
static inline V gm_field(gm_worker *w, V record, V name, uint64_t *cache) {
  if (gm_is_kind(record, GM_FUNCTION)) {
    const gm_object *o = gm_object_of(record);
    uint64_t found = __atomic_load_n(cache, __ATOMIC_RELAXED); /* kept domain, then 16 bits for the index of the item */
    if (found >> 16 == o->items[0]) return o->items[found & 0xffff];
  }
  return gm_field_slow(w, record, name, cache);
}
V gm_domain(gm_worker *w, V function);
/* `values` in the order of `domain`, a SET or INTERVAL that can be listed; becomes a SEQUENCE if the domain is 1..n. */
V gm_make_function(gm_worker *w, V domain, const V *values);
V gm_make_sequence(gm_worker *w, const V *items, uint32_t n);
V gm_make_tuple(gm_worker *w, const V *items, uint32_t n); /* the same, for a few: kept if its items are */
V gm_make_record(gm_worker *w, V names, const V *values); /* `names`: kept SET of strings; values in its order */
/* [function EXCEPT ![argument] = value]; outside the domain the function itself, with a warning counted. */
V gm_except(gm_worker *w, V function, V argument, V value);
/* What EXCEPT finds at an argument; GM_UNSET outside the domain. */
V gm_select(gm_worker *w, V function, V argument);
V gm_merge(gm_worker *w, V f, V g);   /* f @@ g */
V gm_single(gm_worker *w, V a, V v);  /* a :> v */
V gm_length(gm_worker *w, V s), gm_append(gm_worker *w, V s, V e), gm_concat(gm_worker *w, V s, V t);
V gm_head(gm_worker *w, V s), gm_tail(gm_worker *w, V s), gm_subseq(gm_worker *w, V s, V from, V to);

/* A function evaluated argument by argument: `f[x \in S] == e` while it is being computed, and functions on sets that
   cannot be listed. `body(w, frame, argument)`. Values already computed are remembered. */
typedef V (*gm_body)(gm_worker *w, V *frame, V argument);
V gm_lambda(gm_worker *w, V domain, gm_body body, V *frame);
V gm_list_function(gm_worker *w, V lambda); /* every value computed: a FUNCTION or SEQUENCE; fails if the domain cannot be listed */

/* ---- arithmetic, failing on overflow and on what is no integer ---- */
static inline V gm_check_int(gm_worker *w, int64_t n) {
  if (n > GM_INT_MAX || n < GM_INT_MIN) gm_fail(w, GM_OVERFLOW);
  return gm_int(n);
}
static inline V gm_add(gm_worker *w, V a, V b) {
  if (!gm_is_int(a) || !gm_is_int(b)) gm_fail(w, GM_ERROR);
  return gm_check_int(w, gm_int_of(a) + gm_int_of(b));
}
static inline V gm_subtract(gm_worker *w, V a, V b) {
  if (!gm_is_int(a) || !gm_is_int(b)) gm_fail(w, GM_ERROR);
  return gm_check_int(w, gm_int_of(a) - gm_int_of(b));
}
static inline bool gm_less(gm_worker *w, V a, V b) {
  if (!gm_is_int(a) || !gm_is_int(b)) gm_fail(w, GM_ERROR);
  return (int64_t)a < (int64_t)b;
}
static inline bool gm_at_most(gm_worker *w, V a, V b) {
  if (!gm_is_int(a) || !gm_is_int(b)) gm_fail(w, GM_ERROR);
  return (int64_t)a <= (int64_t)b;
}
V gm_multiply(gm_worker *w, V a, V b), gm_divide(gm_worker *w, V a, V b), gm_modulo(gm_worker *w, V a, V b);
V gm_power(gm_worker *w, V a, V b), gm_negate(gm_worker *w, V a);

/* ---- the reference evaluator, asked for a primitive that has no native form ---- */
/* `args`: the number of arguments as a varint, then each encoded. Returns the size of the encoded result, of which it
   writes only what fits in `room` (then it is called again with more room); 0 if there is no result: GM_ERROR. */
typedef size_t (*gm_callback)(uint32_t primitive, const uint8_t *args, size_t size, uint8_t *out, size_t room);
V gm_call_python(gm_worker *w, gm_callback call, uint32_t primitive, const V *args, uint32_t n);
/* A number, then arguments as the callback gets them, in scratch memory. */
const uint8_t *gm_encode_call(gm_worker *w, uint32_t number, const V *args, uint32_t n, size_t *size);

/* ---- permutations of model values, for symmetry ---- */
/* `from`/`to`: positions of model values. Results for kept values are remembered per permutation. */
typedef struct gm_permutation gm_permutation;
gm_permutation *gm_permutation_new(gm_heap *h, const uint64_t *from, const uint64_t *to, uint32_t n);
void gm_permutation_free(gm_permutation *p);
V gm_permute(gm_worker *w, gm_permutation *p, V v); /* kept */

char *gm_stack_limit(void); /* of the thread that asks, for `stack_limit` */
static inline void gm_check_stack(gm_worker *w) {
  char here;
  if (&here < w->stack_limit) gm_fail(w, GM_DEEP);
}

#endif
