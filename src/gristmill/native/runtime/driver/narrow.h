/* Slots of one or two bytes. A slot whose values are few holds a dense number of its value in a dictionary that all
   slots of that width share; a slot of four bytes holds the number of the value itself; one of eight has bits (universe.h). A dictionary that is full ends
   the run with GM_MISFIT: it goes on with wider slots (widen.c), or begins again. */

#ifndef GM_NARROW_H
#define GM_NARROW_H

#include "value.h"

typedef struct gm_narrow gm_narrow;

/* `bit`: of each slot, that of those that gm_narrow_changed gives. */
gm_narrow *gm_narrow_new(const uint8_t *widths, const uint8_t *bit, uint32_t slots);
void gm_narrow_free(gm_narrow *n);
uint32_t gm_narrow_words(const gm_narrow *n); /* 32-bit words of a state */

/* Write one slot of a state that is otherwise complete. Returns the kept value, or GM_UNSET if a dictionary is full. */
V gm_narrow_set(gm_worker *w, gm_narrow *n, uint32_t *words, uint32_t slot, V value);
void gm_narrow_unpack(const gm_heap *h, const gm_narrow *n, const uint32_t *words, V *slots);
V gm_narrow_get(const gm_heap *h, const gm_narrow *n, const uint32_t *words, uint32_t slot);
uint64_t gm_narrow_changed(const gm_narrow *n, const uint32_t *a, const uint32_t *b); /* bits of slots that differ */
/* The same; and `slots`, which have the contents of `before`, get those of `words`. */
uint64_t gm_narrow_unpack_changed(const gm_heap *h, const gm_narrow *n, const uint32_t *words, const uint32_t *before,
                                  V *slots);
void gm_narrow_mask(const gm_narrow *n, const uint32_t *slots, uint32_t count, uint32_t *mask); /* the bits of some slots */
uint32_t gm_narrow_full(const gm_narrow *n); /* the width whose dictionary was full last; 0 if none was */

/* For those who take states apart. A state has its slots of four bytes first, then those of two, then those of one: `order`
   has the slots in that order, `ends` where each of the three kinds ends in it. None may have bits of sets. */
const uint32_t *gm_narrow_order(const gm_narrow *n);
const uint32_t *gm_narrow_ends(const gm_narrow *n);
/* The dictionary of the slots of one or two bytes: how many values it has, one of them, and the number of a value, which is
   added; UINT32_MAX if it is full. */
uint32_t gm_narrow_count(const gm_narrow *n, uint32_t width);
V gm_narrow_value(const gm_narrow *n, uint32_t width, uint32_t number);
uint32_t gm_narrow_number(gm_worker *w, gm_narrow *n, uint32_t width, V value);

/* The dictionaries in a file and back; 0 if it went well. `distance` as in persist.h. */
int gm_narrow_save(const gm_narrow *n, int file);
int gm_narrow_load(gm_narrow *n, int file, uint64_t distance);

#endif
