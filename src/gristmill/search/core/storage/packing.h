/* States in as few bits as have ever differed.

   The words of a state, taken in pairs, differ from those of the first state in some bits only. A layout says which bits of
   each pair are written, one after the other; all others are as in the first state. The first states are written as they
   are. A state that differs in more bits begins another layout: it holds from that state on, and nothing that was written is
   ever written again. So what is on disk, spilled or in a checkpoint, stays as it is. */

#ifndef GM_PACKING_H
#define GM_PACKING_H

#include "internal.h"

int gm_packing_open(gm_core *core);
void gm_packing_close(gm_core *core);

/* The bits in which a state differs from the first one, added to `seen`, of which there is a word for each pair. */
void gm_note_bits(const gm_core *core, const uint32_t *words, uint64_t *seen);
/* Another layout from state core->count on, if the bits in core->seen do not fit the last one. -1: no memory. */
int gm_fit_seen(gm_core *core);
int gm_fit_state(gm_core *core, const uint32_t *words); /* the same for the state that gets this number */
void gm_layouts_cut(gm_core *core);                     /* to those of core->count states */

/* To and from the place of a state, whose layout fits. `room` has core->packed_room bytes. */
void gm_pack_state(const gm_core *core, uint64_t number, const uint32_t *words, unsigned char *room);
void gm_unpack_state(const gm_core *core, uint64_t number, uint32_t *out);
bool gm_is_packed(const gm_core *core, uint64_t number, const uint32_t *words); /* whether that is the state */

/* Layouts in a checkpoint. */
typedef int (*gm_mover)(int file, void *bytes, uint64_t count); /* writes or reads; 0 if that went well */
int gm_layouts_move(gm_core *core, int file, uint32_t layouts, gm_mover move);

static inline const gm_layout *gm_layout_of(const gm_core *core, uint64_t number) {
  const gm_layout *layout = core->layouts + core->layout_count - 1;
  while (layout->start > number) layout--;
  return layout;
}
/* Where it begins in `states`, in bytes; of core->count, where they end. */
static inline uint64_t gm_state_offset(const gm_core *core, uint64_t number) {
  const gm_layout *layout = gm_layout_of(core, number);
  return layout->offset + (number - layout->start) * layout->bytes;
}
/* The words of a state: in place, or in `room`. */
static inline const uint32_t *gm_words(const gm_core *core, uint64_t number, uint32_t *room) {
  if (number < core->layouts[0].end) return (const uint32_t *)core->states.base + number * core->model.words;
  gm_unpack_state(core, number, room);
  return room;
}

#endif
