/* Where states come from: of each the action, and in one byte how much greater the number of its parent is than that of the
   state before. As states are numbered in the order of their parents, that is little. Where it does not fit, and for one
   state in 256, the parent itself is noted as a jump. Where parents are foreign (see core.h), each has its own, in five bytes.

   Parents are counted from 1 here; 0: none. */

#ifndef GM_ORIGINS_H
#define GM_ORIGINS_H

#include "internal.h"

enum { GM_JUMP_EVERY = 256, GM_FOREIGN_BYTES = 5 };
#define GM_MOST_PARENT ((UINT64_C(1) << 8 * GM_FOREIGN_BYTES) - 1)

int gm_origins_open(gm_core *core);
void gm_origins_close(gm_core *core);
uint64_t gm_origins_bytes(const gm_core *core);

/* Of the state with that number, where the one before it has the parent `before`. Jumps go to a list of the caller's. */
void gm_origin_put(gm_core *core, uint64_t number, uint64_t before, uint64_t parent, uint32_t action, gm_jumps *jumps);
void gm_origins_append(gm_core *core, uint64_t parent, uint32_t action); /* of the state number core->count */
void gm_jumps_append(gm_core *core, gm_jumps *jumps); /* and the list is empty then */
void gm_origins_cut(gm_core *core, uint64_t count);   /* only the first remain */
uint64_t gm_origin_parent(const gm_core *core, uint64_t number);
uint32_t gm_origin_action(const gm_core *core, uint64_t number); /* GM_NO_ACTION: none */

/* Numbers of actions in as few bytes as will do; all ones: none. */
static inline void gm_put_action(void *base, uint32_t bytes, uint64_t at, uint32_t action) {
  if (bytes == 1)
    ((uint8_t *)base)[at] = (uint8_t)action;
  else if (bytes == 2)
    ((uint16_t *)base)[at] = (uint16_t)action;
  else
    ((uint32_t *)base)[at] = action;
}
static inline uint32_t gm_get_action(const void *base, uint32_t bytes, uint64_t at) {
  if (bytes == 1) return ((const uint8_t *)base)[at];
  return bytes == 2 ? ((const uint16_t *)base)[at] : ((const uint32_t *)base)[at];
}

#endif
