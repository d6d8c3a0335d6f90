/* One part of a search that several processes share. States are owned by a hash of their values, which is the same in
   every process, as is the form in which they travel (codec.c): layouts and dictionaries are each process's own.

   A level is expanded in several calls, each of which leaves a batch for each owner; what is the partition's own is stored
   at once. Storing a state twice changes nothing, so that a level may be done again from its beginning. */

#ifndef GM_PARTITION_H
#define GM_PARTITION_H

#include "driver.h"

typedef struct gm_partition gm_partition;

enum gm_partition_answer {
  GM_PARTITION_OK = 0,
  GM_PARTITION_MISFIT,    /* a state does not fit the layout: the partition is of no more use */
  GM_PARTITION_NO_MEMORY,
  GM_PARTITION_DAMAGED,   /* bytes that are no records */
  GM_PARTITION_FAILED     /* a state has no native form */
};

enum gm_partition_kind {
  GM_PARTITION_SENT,     /* by another partition: what is new is checked */
  GM_PARTITION_INITIAL,  /* all initial states, which have been checked: those that it owns are taken */
  GM_PARTITION_RESTORED  /* its own, once more */
};

/* Of the last call. `repeated`: successors that were routed before in this level. `fresh`: states that are new.
   generated = cut + unknown + repeated + all that was sent, to itself, too. */
typedef struct gm_partition_counts {
  uint64_t expanded, generated, cut, unknown, repeated, received, fresh, events;
} gm_partition_counts;

/* Numbers of parents are number * owners + owner, and below this: an origin has 40 bits for them. */
#define GM_PARTITION_MOST ((UINT64_C(1) << 40) - 2)

/* `core` has the engine's model, and nothing but the partition adds to it. */
gm_partition *gm_partition_new(gm_engine *e, gm_core *core, uint32_t owners, uint32_t self, bool check_deadlock);
void gm_partition_free(gm_partition *p);
void gm_partition_forget(gm_partition *p); /* what was routed: the level begins, or begins again */

/* Expand states from `start` on until about `most` were generated; `next`: where to go on. */
enum gm_partition_answer gm_partition_expand(gm_partition *p, uint64_t start, uint64_t end, size_t most, uint64_t *next);
/* Store states. `at`: the record that was being read, if something is wrong with it. */
enum gm_partition_answer gm_partition_insert(gm_partition *p, const uint8_t *data, size_t size,
                                             enum gm_partition_kind kind, size_t *at);

void gm_partition_read(const gm_partition *p, gm_partition_counts *out);
uint64_t gm_partition_stored(const gm_partition *p); /* all states */
const uint64_t *gm_partition_taken(const gm_partition *p); /* of the last call, per action: states generated */
const uint8_t *gm_partition_batch(const gm_partition *p, uint32_t owner, size_t *size, uint64_t *count);
const uint8_t *gm_partition_events(const gm_partition *p, size_t *size); /* a gm_outcome and a record each */

/* The records of some states, to be inserted as RESTORED. */
enum gm_partition_answer gm_partition_save(gm_partition *p, uint64_t start, uint64_t end);
const uint8_t *gm_partition_saved(const gm_partition *p, size_t *size);
void gm_partition_found(const gm_partition *p, uint64_t start, uint64_t end, uint64_t *found); /* adds, per action */

#endif
