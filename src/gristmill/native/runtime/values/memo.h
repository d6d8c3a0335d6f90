/* What a worker has computed lately of kept operands. A result is worth remembering only if it is kept, and it is not for
   us to keep it. So a new scratch object has its recipe noted, and when it is kept, the recipe gets the result. */

#ifndef GM_MEMO_H
#define GM_MEMO_H

#include "parts.h"

enum { GM_MEMO_BITS = 13 };

enum gm_memo_operation {
  GM_MEMO_UNION, /* of two sets */
  GM_MEMO_WITH,  /* of a set and one element */
  GM_MEMO_WITHOUT,
  GM_MEMO_INTERSECTION,
  GM_MEMO_DIFFERENCE,
  GM_MEMO_EXCEPT,
  GM_MEMO_APPEND,
  GM_MEMO_TAIL,
  GM_MEMO_MERGE, /* of a function, and the argument and value of another one that has no more: f @@ (a :> v) */
  GM_MEMO_MERGE_OVER /* (a :> v) @@ f. Operations are in the four lowest bits of the first operand, a kept object */
};

typedef struct gm_recipe {
  V first, second, third;
  V result; /* kept; or the scratch object with its lowest bit set, while it is not; or 0 */
} gm_recipe;

/* Where a recipe is noted or would be. The operands are fixed, the first is an object. */
static inline gm_recipe *gm_memo(gm_worker *w, enum gm_memo_operation operation, V first, V second, V third) {
  gm_recipe *memo = ((gm_private *)w->private_data)->memo;
  uint64_t hash = (first | operation) * 0x9fb21c651e98df25u ^ second * 0xd6e8feb86659fd93u ^ third * 0x9e3779b97f4a7c15u;
  return &memo[(hash ^ hash >> 29) * 0x9fb21c651e98df25u >> (64 - GM_MEMO_BITS)];
}

/* The result; 0 if it is not known. */
static inline V gm_memo_result(const gm_recipe *r, enum gm_memo_operation operation, V first, V second, V third) {
  bool known = r->first == (first | operation) && r->second == second && r->third == third && !(r->result & 1);
  return known ? r->result : 0;
}

/* Notes how a value was made, and returns it. */
static inline V gm_memo_note(gm_worker *w, gm_recipe *r, enum gm_memo_operation operation, V first, V second, V third,
                             V result) {
  r->first = first | operation;
  r->second = second;
  r->third = third;
  r->result = result;
  if (!gm_is_kept(result)) {
    r->result |= 1;
    gm_object_of(result)->recipe = (uint16_t)(r - ((gm_private *)w->private_data)->memo + 1);
  }
  return result;
}

/* A scratch object that has a recipe was kept. Another one may have taken the place meanwhile. */
static inline void gm_memo_kept(gm_worker *w, V scratch, V kept) {
  gm_recipe *r = &((gm_private *)w->private_data)->memo[gm_object_of(scratch)->recipe - 1];
  if (r->result == (scratch | 1)) r->result = kept;
}

#endif
