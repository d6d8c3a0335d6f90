/* What the files of the core share. core.h is the outside.

   States have numbers, in the order in which one worker would find them; by number, `states` has their words, `keys`
   what tells them apart (the words themselves if the model has no key); origins.h has parent and action.

   The search goes in rounds: a range of parents of one level, taken in order. One worker stores what is new under its
   number at once (single_worker.c). Several store it as *fresh* with a claim, the least position (parent, successor) that it was
   generated at, and number it when the round is over, in the order of claims (several_workers.c, renumber.c): these are the
   numbers that one worker would have given. Between rounds the state does not depend on the number of workers. */

#ifndef GM_INTERNAL_H
#define GM_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checksum.h"
#include "core.h"
#include "memory.h"

#define GM_NO_STATE UINT64_MAX
#define GM_ACTION_BITS 24
#define GM_NO_ACTION ((UINT32_C(1) << GM_ACTION_BITS) - 1)

/* ---------------------------------------------------------------------------------------------- table (table.h, .c) */

typedef struct gm_table {
  void *slots;        /* of 64 bits each if it is wide, else of 32 */
  uint64_t size;      /* slots */
  uint64_t fresh;     /* the bit that says so */
  uint64_t ones;      /* all bits of a slot */
  uint32_t tag_shift; /* bits below the tag */
  bool wide;
  uint64_t limit; /* grow before there are more entries */
  uint64_t most;  /* grow at once when there are more */
} gm_table;

/* -------------------------------------------------------------------------------------- parents (origins.h, .c) */

typedef struct gm_jump {
  uint64_t number, parent;
} gm_jump;

typedef struct gm_jumps {
  gm_jump *items;
  uint64_t count, capacity;
} gm_jumps;

/* -------------------------------------------------------------------------------------- words (packing.h, .c) */

typedef struct gm_field gm_field;

typedef struct gm_layout {
  uint64_t start, end; /* numbers of states; the last one has no end yet */
  uint64_t offset;     /* of the first of them, in bytes */
  uint32_t bytes;      /* of each */
  gm_field *fields;    /* by pair of words; NULL: the words themselves are written */
} gm_layout;

/* ------------------------------------------------------------------------------------------ successors (sink.c) */

/* What a worker has said and nobody has heard yet, as gm_model.said gets it (said.c). */
typedef struct gm_said {
  unsigned char *bytes;
  uint64_t used, room;
  uint64_t heard;  /* bytes that are told */
  uint64_t start;  /* of what belongs to the state being expanded */
  uint64_t parent; /* that state */
  uint32_t before; /* how many successors it had when the branch at hand began */
  bool silent;     /* nobody listens */
} gm_said;

struct gm_sink {
  uint32_t words, key_words;
  uint32_t count, capacity, start; /* `start`: the first successor of the state being expanded */
  uint32_t *states, *keys, *actions;
  uint64_t *hashes;
  uint8_t *marks;
  const gm_table *table;
  gm_said said;
  bool failed; /* there was no memory */
};

/* A state that was expanded: its successors end at `end` in the sink. */
typedef struct gm_expanded {
  uint64_t number;
  const uint32_t *words;
  uint32_t end;
  enum gm_status status;
} gm_expanded;

#ifndef GM_BATCH
#define GM_BATCH 64 /* successors, or parents, to collect before they are looked up */
#endif
#define GM_PREFETCHED (4 * GM_BATCH) /* more than that would drive each other out of the cache */

/* -------------------------------------------------------------------------------------- what is wrong (incidents.c) */

/* `position`: where in the order of one worker. `target`: the refused state as a slot has it, or GM_NO_STATE. `words`: a
   copy, if it is not stored. `of_state`: it is wrong with the state, by whichever step it is reached first. `reasons`: of a
   BAD_STATE or BAD_STEP, as the model tells them. */
typedef struct gm_event {
  uint64_t position, parent, target, reasons;
  uint32_t action;
  bool of_state;
  enum gm_outcome kind;
  uint32_t *words;
} gm_event;

typedef struct gm_events {
  gm_event *items;
  uint64_t count, capacity;
} gm_events;

/* -------------------------------------------------------------------------------------------- workers (team.c) */

typedef struct gm_searcher {
  struct gm_core *core;
  uint32_t number;
  void *own;      /* the model's */
  uint32_t *view; /* room for a key */
  uint32_t *words; /* room for the words of each parent of a batch */
  uint32_t *hashed; /* room for the words of a state while the table grows, which may be in the middle of a batch */
  const uint32_t *parent; /* the words of the one whose successors are looked at */
  uint64_t *seen;         /* bits of states that are new in this round, see packing.h */
  unsigned char *packed;  /* room for a packed state */
  gm_sink sink;
  gm_expanded batch[GM_BATCH];
  uint32_t batch_count;
  uint32_t looked_at; /* where the search ends at a state: how many of its successors were looked at */
  uint64_t fresh_next, fresh_end; /* a block of places for fresh states */
  uint64_t fresh_made;
  uint32_t *chunk_taken;          /* of the chunk at hand */
  uint64_t *chunk_cut;
  gm_events events;
  gm_jumps jumps;   /* to states that get their numbers */
  uint64_t reasons; /* of what was refused last */
  bool *unmet; /* per action: a step that is UNMET is among the events of this round; positions only grow in one worker */
  uint64_t *edges; /* (target as a slot has it << 24 | action) in the order of generation, for the chunk's parents */
  uint64_t edge_count, edge_capacity;
  _Atomic uint64_t generated, cut, distinct; /* of this round, for those who watch */
  char padding[64];
} gm_searcher;

/* A range of parents, cut into chunks. A position is parent - first | successor from 1; 0 is before, all ones is after
   its successors. A claim is a position | action. */
typedef struct gm_round {
  uint64_t first, size, chunk_size, chunks;
  uint64_t quota; /* end the round when so many places are given out */
  uint32_t index_bits, action_bits;
  _Atomic uint64_t next_chunk;
  _Atomic uint64_t fresh;            /* places given out */
  _Atomic uint64_t best;             /* nothing after this position matters */
  uint32_t *chunk_taken;             /* chunks × actions */
  uint64_t *chunk_cut;
  struct gm_chunk_edges *chunk_edges;
  uint32_t *edge_counts;             /* by parent */
  _Atomic uint32_t *ends;            /* by parent: where its states end in `order` */
  uint32_t *order;                   /* places in the order of claims */
  uint64_t parents;                  /* that are done */
  uint64_t keep;                     /* states up to this position stay */
  uint64_t last_position;            /* of the last of them; GM_NO_STATE if there is none */
} gm_round;

/* Where the edges of a chunk begin. */
struct gm_chunk_edges {
  uint32_t worker;
  uint64_t start;
};

typedef struct gm_team gm_team;

/* An array in a file of a checkpoint: up to where, and the checksum up to there. */
typedef struct gm_saved {
  uint64_t bytes;
  gm_checksum sum;
} gm_saved;

/* ------------------------------------------------------------------------------------------------------- the core */

struct gm_core {
  gm_model model;
  gm_limits limits;
  gm_table table;
  gm_region states, key_region;
  gm_layout *layouts; /* packing.h */
  uint32_t layout_count, pairs;
  uint64_t *common;      /* the words of the first state, in pairs */
  uint64_t *seen;        /* bits in which others differ from them */
  unsigned char *packed; /* room for a packed state */
  uint64_t packed_room;  /* bytes of it */
  uint32_t *shown;       /* room for the words of a state that someone asks for */
  bool bit_instructions;
  gm_region parents, actions, jumps; /* origins.h */
  uint64_t jump_count, last_parent;
  uint32_t parent_bytes;
  gm_region fresh_states, fresh_keys, claims;
  uint32_t *keys, *fresh_key_words; /* bases of what is compared; `keys` is NULL if that is the state itself */
  uint32_t key_words;               /* of what is compared */
  uint64_t count, capacity, fresh_capacity;
  uint64_t most_states; /* see gm_allow */
  uint64_t *level_starts;
  uint32_t levels, level_capacity;
  uint32_t level;     /* of the states being expanded; 0 before */
  uint64_t level_end; /* the number of states up to this level */
  uint64_t expanded;
  uint64_t initial_generated, initial_count, cut;
  uint64_t *taken, *found;
  uint64_t *taken_before; /* in a search in order: before the state that is being expanded */
  bool *unmet; /* per action: a step that is UNMET has been reported */
  uint64_t states_dropped; /* with fingerprints only: these have no words any more */
  gm_searcher *workers;
  gm_team *team;
  gm_round round;
  gm_events incidents;
  gm_region edge_starts, edge_targets, edge_actions;
  uint64_t edge_count;
  uint32_t action_bytes; /* of an action in `actions` and edge_actions: as few as there can be */
  uint32_t *row_seen; /* room to find repeated targets in a row */
  uint64_t row_room;
  gm_report report;
  bool stopped, not_queued;
  _Atomic bool out_of_memory;
  bool out_of_disk;
  _Atomic bool lost; /* there was no memory for what belongs to states that are counted: no checkpoint can be written */
  _Atomic bool interrupted;
  uint64_t pause_at;        /* end the round when there are so many states */
  uint64_t resident_before; /* bytes of the process when the core was made */
  gm_saved saved[9]; /* of each file of the last checkpoint */
  bool was_being_saved; /* the process was killed while it wrote the checkpoint to resume from */
  uint64_t turn;     /* how many were written, in this run or one that it resumes */
  double deadline, next_checkpoint;
  gm_progress base; /* of what was done before this round */
  _Atomic uint64_t seen_distinct, seen_generated, seen_queue, seen_depth, seen_cut, seen_bytes;
};

/* -------------------------------------------------------------------------------------------------- small readers */

/* The parent, if it is known to have passed all checks: not, if the search goes on after one has not. */
static inline const uint32_t *gm_passed(const gm_searcher *worker) {
  return worker->core->limits.keep_going ? NULL : worker->parent;
}
/* Whether a successor need not be checked, as its parent was. */
static inline bool gm_has_passed(const gm_searcher *worker, uint32_t marks) {
  return marks & GM_MARK_SAME && gm_passed(worker);
}
static inline const uint32_t *gm_key_at(const gm_core *core, uint64_t number) {
  return core->keys + number * core->key_words;
}
static inline uint32_t *gm_fresh_words(const gm_core *core, uint64_t place) {
  return (uint32_t *)core->fresh_states.base + place * core->model.words;
}
static inline uint32_t *gm_fresh_key(const gm_core *core, uint64_t place) {
  return core->fresh_key_words + place * core->key_words;
}
static inline _Atomic uint64_t *gm_claim(const gm_core *core, uint64_t place) {
  return (_Atomic uint64_t *)core->claims.base + place;
}

/* sink.c */
int gm_sink_open(gm_sink *sink, const gm_core *core);
void gm_sink_close(gm_sink *sink);
void gm_sink_clear(gm_sink *sink);

/* said.c: what was said before this many successors of a state were looked at, and all that was said of states before it,
   is told; the rest is forgotten. */
enum { GM_MOST_SAID = 16 << 20 }; /* bytes, after which a worker ends the round */
void gm_pass_on(gm_core *core, uint64_t parent, uint32_t successors);
void gm_unsay(gm_sink *sink); /* forget all of it */

/* expand.c: one parent into the worker's batch; the status says whether its successors are there. */
enum gm_status gm_expand(gm_searcher *worker, uint64_t number);
const uint32_t *gm_parent_words(gm_searcher *worker, uint64_t number); /* the next of the batch: worker->parent */
/* AGAIN is taken care of. gm_check refuses a state (STOP) with its reasons; gm_reasons are those of a refused state, or of
   a step: STOP, or what else has come of it. */
enum gm_status gm_reasons(gm_searcher *worker, const uint32_t *state, const uint32_t *successor);
enum gm_status gm_check(gm_searcher *worker, const uint32_t *state, const uint32_t *parent);
enum gm_status gm_add_key(gm_searcher *worker, uint32_t i); /* to a successor in the sink; a mark says if it has none */
enum gm_status gm_key(gm_searcher *worker, const uint32_t *state, uint32_t *key);

/* store.c */
int gm_store_open(gm_core *core);
void gm_store_close(gm_core *core);
/* `parent`: GM_NO_STATE for none. */
uint64_t gm_store_append(gm_core *core, const uint32_t *words, const uint32_t *key, uint64_t parent, uint32_t action);
/* 1 new, 0 known, -1 no room */
int gm_store_add(gm_core *core, const uint32_t *words, const uint32_t *key, uint64_t parent, uint32_t action);
void gm_store_cut(gm_core *core); /* take back the last state; its slot in the table stays */
bool gm_has_room(gm_core *core, uint64_t more); /* for so many states: in the regions, and in the table, which may grow */

/* spill.c */
uint64_t gm_bytes(const gm_core *core);                          /* in memory */
void gm_keep_budget(gm_core *core);                              /* between rounds */
bool gm_budget_allows(gm_core *core, uint64_t table_bytes);      /* a table of that size; makes room for it */
int gm_spill_read(gm_core *core, gm_region *region, uint64_t end); /* of what is read from a checkpoint */

/* incidents.c */
void gm_events_add(gm_core *core, gm_events *events, gm_event event, const uint32_t *words);
void gm_events_move(gm_core *core, gm_events *events, const gm_event *event);
void gm_events_cut(gm_events *events, uint64_t count); /* only the first remain */
void gm_events_free(gm_events *events);
void gm_stop(gm_core *core, const gm_event *event); /* the run ends here: the last incident */
bool gm_is_fatal(const gm_core *core, enum gm_outcome kind);
bool gm_is_told(const gm_core *core, uint32_t action, enum gm_outcome kind); /* another such step has been reported */

/* single_worker.c, several_workers.c: expand parents from core->expanded on, up to `end` at most. Something stops them, or they come to
   the end, or it is time for what is done between rounds. */
void gm_round_alone(gm_core *core, uint64_t end);
void gm_round_together(gm_core *core, uint64_t end);
/* single_worker.c: one successor from the sink, or what is wrong with a parent. Whether the search ends here. `start`: where the
   successors of this parent begin in the sink. */
bool gm_absorb(gm_searcher *worker, uint32_t start, uint32_t i, uint64_t parent);
bool gm_end_at(gm_core *core, uint64_t parent, enum gm_outcome kind);
void gm_unfind(gm_core *core, uint64_t parent); /* take back the states that were found last, as far as they are of this parent */

/* ordered.c: rounds of a model that is `ordered`; and the marks of a successor in the sink, a step from
   worker->parent, when their turn comes. */
void gm_round_ordered(gm_core *core, uint64_t end);
enum gm_status gm_judge_state(gm_searcher *worker, uint32_t i);
enum gm_status gm_judge_step(gm_searcher *worker, uint32_t i);

/* end_of_round.c: the end of a round of several workers. */
void gm_settle(gm_core *core);
static inline uint64_t gm_position(const gm_round *round, uint64_t claim) { return claim >> round->action_bits; }
static inline uint64_t gm_position_parent(const gm_round *round, uint64_t position) {
  return position >> round->index_bits;
}

/* renumber.c: the places that are this worker's. */
void gm_fresh_share(const gm_searcher *worker, uint64_t *start, uint64_t *end);
/* What is fresh, up to round.keep, gets its number; a claim is then that number. -1: no memory. */
int gm_renumber(gm_core *core, uint64_t parents);

/* edges.c */
int gm_edges_open(gm_core *core);
void gm_edges_close(gm_core *core);
bool gm_edges_add(gm_core *core, uint64_t target, uint32_t action); /* false: no room */
int gm_edges_gather(gm_core *core, uint64_t parents); /* of a round of several workers; -1: no room */
void gm_edges_end(gm_core *core, uint64_t parent); /* all of its edges were added */

/* team.c */
int gm_team_open(gm_core *core);
void gm_team_close(gm_core *core);
void gm_team_do(gm_core *core, void (*task)(gm_searcher *worker)); /* every worker does it; back when all have */
enum gm_wish { GM_WISH_PAUSE = 1, GM_WISH_GROW = 2 };
void gm_park(gm_searcher *worker, uint32_t wishes); /* until all others park, too, and the wishes are fulfilled */
bool gm_parking(const gm_core *core);             /* someone wishes that */
/* The part of `total` things that is this worker's. */
void gm_share(const gm_searcher *worker, uint64_t total, uint64_t *start, uint64_t *end);

/* run.c */
double gm_clock(void);
bool gm_time_is_up(const gm_core *core); /* for what is done between rounds */
void gm_show_progress(gm_core *core);
void gm_begin_level(gm_core *core, uint64_t first);
uint64_t gm_begun_level(const gm_core *core, uint32_t level); /* its first state; the number of states if there is none */

/* checkpoint.c */
int gm_checkpoint_write(gm_core *core);

#endif
