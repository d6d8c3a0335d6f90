/* What kept values are made of, so far as it says whether they can be compared.

   Kept values are equal just if they are at the same address. To know that two are *not* equal is not enough to say so:
   the reference refuses to compare some, and it takes a comparison part by part to find that out. Values of the same
   shape can always be compared, and so can some of different shapes. Shapes are numbers, found when they are asked for
   and noted in the value; each stands for exactly one description, so equal numbers are equal shapes. */

#ifndef GM_SHAPES_H
#define GM_SHAPES_H

#include "parts.h"

/* 0 in a value: not computed yet. NONE: mixed, long, or with model values of many types in it: nothing can be said. */
enum { GM_SHAPE_NONE = 1 };

gm_shapes *gm_shapes_new(void); /* NULL: no memory */
void gm_shapes_free(gm_shapes *shapes);

uint16_t gm_shape_of(gm_worker *w, V v); /* of what is not kept, nothing is known */
/* Whether a value of one shape and any value of the other can be compared: `=` then never fails. */
bool gm_can_compare(gm_worker *w, uint16_t a, uint16_t b);
/* Whether all elements of a SET are kept, and a value of a shape can be compared with them. */
bool gm_can_look_up(gm_worker *w, uint16_t shape, V set);

#endif
