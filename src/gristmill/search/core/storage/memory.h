/* Big arrays that never move: address space is reserved once, pages come when they are touched. */

#ifndef GM_MEMORY_H
#define GM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define GM_HUGE (UINT64_C(1) << 21) /* bytes of a huge page */

typedef struct gm_region {
  unsigned char *base;
  uint64_t reserved; /* bytes */
  uint64_t spilled;  /* bytes from the start that are in a file, not in memory */
  int file;          /* -1: none yet */
} gm_region;

/* Reserve up to `bytes`, or as much as the system grants. 0, or -1 if there is nothing to be had. */
int gm_region_open(gm_region *region, uint64_t bytes);
void gm_region_close(gm_region *region);

/* Give the pages from `start` to `end` back. What was there is lost. */
void gm_region_drop(gm_region *region, uint64_t start, uint64_t end);

/* Move the first bytes to an unlinked file in `directory`, up to `end`, rounded down to huge pages. They stay readable at the
   same address. No one may write to them meanwhile or later. 0, or -1 if the file cannot be written. */
int gm_region_spill(gm_region *region, uint64_t end, const char *directory);

/* Spilled pages that were read come into memory again; send them away. */
void gm_region_forget_spilled(gm_region *region);

/* Of spilled bytes that will be read one after the other, and of those that were. */
void gm_region_will_read(gm_region *region, uint64_t start, uint64_t end);
void gm_region_was_read(gm_region *region, uint64_t start, uint64_t end);

uint64_t gm_address_space(void);   /* how much it is wise to reserve for one region */
uint64_t gm_resident_memory(void); /* of this process now; 0 if the system does not tell */

#endif
