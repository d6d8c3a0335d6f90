/* The search core: breadth-first over states that are vectors of 32-bit words, exact, parallel, deterministic.

   It knows nothing of what the words mean. A model gives initial states and successors; the core finds out which are
   new, in the same order and with the same counts for any number of workers, and stops at the first thing that is wrong
   in that order (level by level, in the order of parents, in the order of their successors). */

#ifndef GM_CORE_H
#define GM_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gm_core gm_core;
typedef struct gm_sink gm_sink; /* where a model puts the successors of one state */

/* What is known of a successor when it is generated. */
enum gm_mark {
  GM_MARK_CUT = 1,           /* a constraint or action constraint is false: not stored, but its invariants are checked */
  GM_MARK_BAD_STEP = 2,      /* an implied action is false of this step: stop, after its invariants were checked */
  GM_MARK_UNKNOWN = 4,       /* a constraint could not be evaluated: stop before it is stored */
  GM_MARK_UNKNOWN_STEP = 8,  /* an implied action or obligation could not be evaluated: stop after its invariants */
  GM_MARK_UNMET = 16,        /* the step does not meet the obligation of its action: stop after all else */
  GM_MARK_SAME = 32          /* `check` would look at nothing that the step has changed: if it accepts the parent, it accepts
                                the successor */
};

/* `words`: as many as the model said. Copied. `action` < the number of actions. */
void gm_emit(gm_sink *sink, uint32_t action, const uint32_t *words, uint32_t marks);

/* The same without a copy: write the words where gm_place says, then gm_emit_placed. What was placed and not emitted is
   forgotten at the next gm_place. */
uint32_t *gm_place(gm_sink *sink);
void gm_emit_placed(gm_sink *sink, uint32_t action, uint32_t marks);

/* Something that is to be told while a state is expanded, as output is: the core keeps it until it knows that one worker
   would have come to it, and hands it to `said` in the order of one worker, once. Such a worker finds all successors by a
   branch before it looks at the first of them, and looks at those before it comes to the next branch, which begins with
   gm_begin_branch. */
void gm_say(gm_sink *sink, const void *bytes, size_t size);
void gm_begin_branch(gm_sink *sink);

/* Forget what was emitted and said so far for the state being expanded: it will be once more, by other means. */
void gm_forget(gm_sink *sink);

/* A sink of one's own, to see what a model leads to without a search. Everything stays there until it is emptied. */
gm_sink *gm_sink_new(uint32_t words);
void gm_sink_free(gm_sink *sink);
void gm_sink_empty(gm_sink *sink);
void gm_sink_begin(gm_sink *sink); /* another state is expanded: gm_forget goes back to here */
uint32_t gm_sink_count(const gm_sink *sink);
bool gm_sink_failed(const gm_sink *sink); /* there was no memory for all */
const uint32_t *gm_sink_states(const gm_sink *sink);  /* as many words each as the sink has */
const uint32_t *gm_sink_actions(const gm_sink *sink);
const uint8_t *gm_sink_marks(const gm_sink *sink);

/* What a callback returns. AGAIN and MISFIT may come from each of them; AGAIN from `check` and `key` only calls them
   again. STOP and FAIL from `key`: it could not be evaluated, as with GM_MARK_UNKNOWN. With `keep_going`, all invariants
   must be evaluated by `check` or then by `reasons`, and FAIL comes before STOP. */
enum gm_status {
  GM_STATUS_OK = 0,
  GM_STATUS_STOP = 1,  /* expand: evaluation failed after what was emitted. check: the state violates something */
  GM_STATUS_AGAIN = 2, /* forget what was emitted for this state, call `pause` while no worker runs, and try again */
  GM_STATUS_MISFIT = 3, /* the run must end here: forget what was emitted for this state. The search can be continued
                           from its checkpoint by another core with another layout */
  GM_STATUS_FAIL = 4   /* check only: evaluation of an invariant failed */
};

/* What `judge` is asked of a step: constraints and action constraints (CUT, UNKNOWN), implied actions (BAD_STEP,
   UNKNOWN_STEP). Obligations are of searches that are not `ordered`. */
enum gm_question { GM_ASK_CONSTRAINTS, GM_ASK_IMPLIED_ACTIONS };

typedef struct gm_model {
  uint32_t words, actions;
  uint32_t branches; /* of a model that is `ordered`: what `take` is called for, one after the other */
  uint32_t key_words; /* 0: the state itself decides whether it is new; else `key` writes so many words that do */
  bool check_deadlock, keep_edges;
  bool keep_labels; /* of edges: those by different actions are different */
  void *context;
  void *(*worker_new)(void *context, uint32_t worker);
  void (*worker_free)(void *worker);
  enum gm_status (*expand)(void *worker, const uint32_t *state, gm_sink *sink);
  /* Invariants; NULL if there are none. `parent`: a state that has passed and of which this is a successor, or NULL. */
  enum gm_status (*check)(void *worker, const uint32_t *state, const uint32_t *parent);
  enum gm_status (*key)(void *worker, const uint32_t *state, uint32_t *key);
  void (*pause)(void *context); /* no worker runs: grow what is shared. NULL if never needed */
  /* What states refer to (interned values, ...) as bytes in a checkpoint. `save` writes to a file descriptor where it
     stands, `load` reads just that much; 0 if that went well. NULL if words mean the same in every process. */
  int (*save)(void *context, int file);
  int (*load)(void *context, int file);
  uint64_t identity; /* a checkpoint of a model with another one is refused */
  uint64_t (*bytes)(void *context); /* of memory that the model itself takes out of the budget; NULL: none */
  /* Instead of `expand`: evaluation does more than to give states. One worker then calls these, and `check`, in order and
     once for everything: all successors by a branch of the next-state relation, without marks; what is to be said of a
     step, which is one of `action`, when its turn comes. */
  bool ordered;
  enum gm_status (*take)(void *worker, const uint32_t *state, uint32_t branch, gm_sink *sink);
  enum gm_status (*judge)(void *worker, const uint32_t *state, const uint32_t *successor, uint32_t action,
                          enum gm_question question, uint32_t *marks);
  /* With `keep_going`, why `check` has refused a state (`successor` is NULL), or a step is a BAD_STEP: a bit for each
     invariant, or implied action, that is false. FAIL: one of them cannot be evaluated. 0 bits: there are too many of them
     to tell. NULL if reasons are not told. */
  enum gm_status (*reasons)(void *worker, const uint32_t *state, const uint32_t *successor, uint64_t *bits);
  /* What was said, in order, while no worker runs: for each thing a gm_saying, then its bytes. NULL if nobody listens. */
  void (*said)(void *context, const uint8_t *sayings, size_t size);
} gm_model;

typedef struct gm_saying {
  uint64_t parent; /* the state that was expanded */
  uint32_t before; /* how many successors it had when the branch began */
  uint32_t size;   /* of the bytes that follow */
} gm_saying;

typedef struct gm_limits {
  uint32_t workers;
  uint32_t max_depth;      /* 0: none */
  double seconds;          /* 0: none */
  uint64_t memory;         /* bytes for states, table and what the model takes; beyond that, states go to
                              `spill_directory`. 0: no bound */
  const char *spill_directory;
  const char *checkpoint_directory; /* NULL: none */
  double checkpoint_seconds;
  bool keep_going;
  bool fingerprints_only;
  bool each_unmet; /* go on after steps that are UNMET, and report only the first one of each action */
  bool foreign_parents; /* parents are numbers of states elsewhere, up to 2^40 - 2, in no order: only for gm_add_known */
} gm_limits;

/* Read by Python at any time without stopping anything (relaxed atomics). */
typedef struct gm_progress {
  uint64_t distinct, generated, queue, depth, cut, bytes;
} gm_progress;

enum gm_outcome {
  GM_OUTCOME_DONE = 0,
  GM_OUTCOME_BAD_STATE,    /* `check` refused the successor: `state`, reached from `parent` by `action` */
  GM_OUTCOME_BAD_STEP,
  GM_OUTCOME_DEADLOCK,     /* `parent` has no successor */
  GM_OUTCOME_FAILED,       /* expanding `parent` failed */
  GM_OUTCOME_FAILED_CHECK, /* an invariant, constraint or implied action could not be evaluated in `state` */
  GM_OUTCOME_LIMIT,        /* depth, seconds, memory; `limit` says which */
  GM_OUTCOME_INTERRUPTED,  /* gm_interrupt was called */
  GM_OUTCOME_MISFIT,
  GM_OUTCOME_UNMET         /* like BAD_STEP, for an obligation of `action` */
};

enum gm_limit { GM_LIMIT_NONE = 0, GM_LIMIT_DEPTH, GM_LIMIT_SECONDS, GM_LIMIT_MEMORY, GM_LIMIT_DISK, GM_LIMIT_STATES };

typedef struct gm_report {
  enum gm_outcome outcome;
  uint64_t parent;  /* number of a state */
  uint32_t action;
  uint64_t distinct, generated, depth, queue, cut, initial_generated, initial_distinct;
  uint64_t expanded;   /* states expanded, with the one at which the search stopped */
  int limit;           /* enum gm_limit */
  uint64_t incidents;  /* see gm_read_incident */
  uint64_t state;      /* the number of the refused state if it is stored, else UINT64_MAX */
  uint64_t level;      /* of the states that were expanded last; 0 before */
} gm_report;

gm_core *gm_core_new(const gm_model *model, const gm_limits *limits);
void gm_core_free(gm_core *core);

/* Initial states, one after the other in the model's order, from any one thread before gm_run. Each is counted, checked
   against duplicates, and (unless cut) stored. Returns 1 if new, 0 if known or cut; `check` is left to the caller. */
int gm_add_initial(gm_core *core, const uint32_t *words, uint32_t marks);
/* This one will come soon: fetch what it takes. Then, some time later, with the hash that the first has returned, the state
   that it will be compared with. */
uint64_t gm_expect(const gm_core *core, const uint32_t *words);
void gm_expect_equal(const gm_core *core, uint64_t hash);

/* Continue another search: states in their order, with parents, actions, levels and counts, as if this core had
   found them; then gm_continue_at says how many were expanded already. Used to hand over from the reference evaluator and to
   change the layout. */
int gm_add_known(gm_core *core, const uint32_t *words, uint64_t parent, uint32_t action, uint32_t level);
/* The same of one whose key is computed already; NULL, where the state itself is the key. */
int gm_add_keyed(gm_core *core, const uint32_t *words, const uint32_t *key, uint64_t parent, uint32_t action,
                 uint32_t level);
void gm_continue_at(gm_core *core, uint64_t expanded, uint64_t generated, uint64_t cut, const uint64_t *taken,
                    const uint64_t *found);

/* Instead of initial states: take up the checkpoint in the checkpoint directory, with any number of workers. After an
   answer below 0 the core cannot be used. A checkpoint is written every `checkpoint_seconds`, and when a limit or an
   interrupt ends the run. */
enum gm_resumed {
  GM_RESUME_DONE = 1,
  GM_RESUME_NONE = 0,       /* there is no checkpoint */
  GM_RESUME_DAMAGED = -1,   /* some file is missing, or not as it was written */
  GM_RESUME_NO_MEMORY = -2,
  GM_RESUME_OTHER = -3      /* of another model */
};
int gm_resume(gm_core *core);

/* Before the next gm_run, which goes on where the last one was interrupted or ended by a limit: for so many seconds, and
   to the end of the level in which there are so many states. 0: no limit. */
void gm_allow(gm_core *core, double seconds, uint64_t states);
enum gm_outcome gm_run(gm_core *core);  /* runs to the end; its threads are its own */
void gm_interrupt(gm_core *core);       /* from any thread or a signal handler: stop soon */
void gm_read_progress(const gm_core *core, gm_progress *out);
void gm_read_report(const gm_core *core, gm_report *out);

/* The state that was refused (`state` above), though it may not be stored. To be read before another is asked for. */
const uint32_t *gm_refused(const gm_core *core);
/* The words of a state, perhaps in `room`, where there must be room for them. NULL if only its fingerprint was kept. */
const uint32_t *gm_state(const gm_core *core, uint64_t number, uint32_t *room);
/* The words of state `number` from those of its parent, by expanding that again. 0, or -1 if it is no successor of it. */
int gm_follow(gm_core *core, const uint32_t *parent, uint64_t number, uint32_t *out);
uint64_t gm_parent(const gm_core *core, uint64_t number);   /* UINT64_MAX for initial states */
uint32_t gm_action(const gm_core *core, uint64_t number);
uint64_t gm_find(gm_core *core, const uint32_t *words);      /* the number of a state, UINT64_MAX if it is not known */
uint32_t gm_level(const gm_core *core); /* of the states that are being expanded, from 1; 0 while initial states are added */
uint64_t gm_level_start(const gm_core *core, uint32_t level); /* the first state of a level, from 1; the number of states if
                                                                 there is no such level */
const uint64_t *gm_taken(const gm_core *core);   /* per action: states generated */
const uint64_t *gm_found(const gm_core *core);   /* per action: new states */

uint64_t gm_fingerprint_gap(const gm_core *core); /* the least difference of two fingerprints; 0 if there are none */

/* What was found wrong, in order. Without `keep_going` there is at most one, the same as in the report. `state` is the
   number of the refused state if it is stored, else UINT64_MAX; gm_incident_state has its words in both cases, to be
   read before another is asked for. */
typedef struct gm_incident {
  enum gm_outcome kind; /* BAD_STATE, BAD_STEP, UNMET, DEADLOCK, FAILED, FAILED_CHECK */
  uint32_t action;
  uint64_t parent, state;
} gm_incident;
int gm_read_incident(const gm_core *core, uint64_t number, gm_incident *out); /* 0, or -1 if there is none such */
const uint32_t *gm_incident_state(const gm_core *core, uint64_t number);

/* Incidents of one kind, counted by their reasons: by the bits of the model's `reasons` (BAD_STATE, BAD_STEP), of which
   there are GM_REASONS; by action (UNMET); at 0 (others). `first` is the first incident of each. Returns how many incidents
   have no reason, and so are not counted. */
enum { GM_REASONS = 64 };
typedef struct gm_tally {
  uint64_t count, first;
} gm_tally;
uint64_t gm_tally_incidents(const gm_core *core, enum gm_outcome kind, gm_tally *out);

/* Steps between stored states, if the model said `keep_edges`, in the order of generation: those from state s < expanded
   are number first[s] … first[s + 1] - 1. Each is there once, with the action that came first; a step that changes
   nothing is not. With `keep_labels`, each is there at least once for each action that takes it, also if it changes
   nothing. */
typedef struct gm_edges {
  uint64_t count;
  const uint64_t *first;
  const uint32_t *targets;
  const void *actions;
  uint32_t action_bytes; /* 1, 2 or 4: of each of them */
} gm_edges;
void gm_read_edges(const gm_core *core, gm_edges *out);

/* A bit for each step from the states from `start` to `end`, from number `at` on: it is set if the action is a wanted one,
   of which `wanted` has a byte each. And one for each of the states, likewise, if there is such a step from it. */
void gm_steps_by(const gm_core *core, const uint8_t *wanted, uint64_t start, uint64_t end, uint8_t *bits, uint64_t at);
void gm_sources_by(const gm_core *core, const uint8_t *wanted, uint64_t start, uint64_t end, uint8_t *bits, uint64_t at);

#endif
