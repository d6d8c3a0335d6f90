/* One part of a search that several processes share. A state is owned by a hash of its values, which is the same in every
   process and for every layout (owners.c).

   A level is expanded in several calls, each of which leaves a batch for each owner; what is the partition's own is stored
   at once. Storing a state twice changes nothing, so that a level may be done again from its beginning.

   States go from one process to another, and to a file, as the words that the sender has for them, each value being defined
   once, before it is first used (sending.c, receiving.c). So batches of one sender make a stream: they are read in order,
   by a process whose states have the same layout. What must be read under another layout is written as records: values
   encoded as codec.c has it. */

#ifndef GM_PARTITION_H
#define GM_PARTITION_H

#include "driver.h"

typedef struct gm_partition gm_partition;

enum gm_partition_answer {
  GM_PARTITION_OK = 0,
  GM_PARTITION_MISFIT,    /* a state does not fit the layout: the partition is of no more use */
  GM_PARTITION_NO_MEMORY,
  GM_PARTITION_DAMAGED,   /* bytes that are no states */
  GM_PARTITION_FAILED,    /* a state has no native form */
  GM_PARTITION_GAP,       /* a batch of this stream is missing before this one */
  GM_PARTITION_DOUBT      /* who owns a state was computed in two ways, with two results */
};

enum gm_partition_kind {
  GM_PARTITION_SENT,    /* a batch from another partition: what is new is checked */
  GM_PARTITION_SAVED,   /* a batch from the partition's own file */
  GM_PARTITION_INITIAL, /* records of all initial states, which have been checked: those that it owns are taken */
  GM_PARTITION_MOVED    /* records of its own states, which had another layout */
};

/* Of the last call. `repeated`: successors that were sent before. `fresh`: states that are new. `defined`: values that were
   sent along. generated = cut + unknown + repeated + all that was sent, to itself, too. */
typedef struct gm_partition_counts {
  uint64_t expanded, generated, cut, unknown, repeated, received, fresh, events, defined;
} gm_partition_counts;

/* Numbers of parents are number * owners + owner, and below this: an origin has 40 bits for them. */
#define GM_PARTITION_MOST ((UINT64_C(1) << 40) - 2)

/* `core` has the engine's model, and nothing but the partition adds to it. `classes`: for each name, by position, the name
   that stands for all those that a symmetry exchanges it with; the owner of a state is that of all states of its orbit. */
gm_partition *gm_partition_new(gm_engine *e, gm_core *core, uint32_t owners, uint32_t self, bool check_deadlock,
                               const uint64_t *classes, uint32_t names);
void gm_partition_free(gm_partition *p);
/* What an argument contributes to the hash of a function; then what all of them on the way to a slot contribute, for each
   slot. To be told before anything else. */
uint64_t gm_partition_factor(gm_partition *p, const uint8_t *value, size_t size);
void gm_partition_factors(gm_partition *p, const uint64_t *factors);
/* What others have been sent is not to be relied on: the level begins again. */
void gm_partition_forget(gm_partition *p);

/* Expand states from `start` on until about `most` were generated; `next`: where to go on. */
enum gm_partition_answer gm_partition_expand(gm_partition *p, uint64_t start, uint64_t end, size_t most, uint64_t *next);
/* Store states. `sender`: whose stream it is; the file's is that of number `owners`. `at`: the record that was being read,
   if something is wrong with it. */
enum gm_partition_answer gm_partition_insert(gm_partition *p, const uint8_t *data, size_t size,
                                             enum gm_partition_kind kind, uint32_t sender, size_t *at);

void gm_partition_read(const gm_partition *p, gm_partition_counts *out);
uint64_t gm_partition_stored(const gm_partition *p); /* all states */
const uint64_t *gm_partition_taken(const gm_partition *p); /* of the last call, per action: states generated */
const uint8_t *gm_partition_batch(const gm_partition *p, uint32_t owner, size_t *size, uint64_t *count);
const uint8_t *gm_partition_events(const gm_partition *p, size_t *size); /* a gm_outcome and a record each */

/* Some states for the file: the next batch of its stream. */
enum gm_partition_answer gm_partition_save(gm_partition *p, uint64_t start, uint64_t end);
/* A batch of the file as records, which are not stored. */
enum gm_partition_answer gm_partition_translate(gm_partition *p, const uint8_t *data, size_t size);
const uint8_t *gm_partition_saved(const gm_partition *p, size_t *size); /* of either */
void gm_partition_found(const gm_partition *p, uint64_t start, uint64_t end, uint64_t *found); /* adds, per action */

#endif
