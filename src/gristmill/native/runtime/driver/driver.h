/* Between the search core and the code generated for a specification: states are unpacked, actions run, successors
   packed and handed to the core, and whatever native code cannot answer is put to the reference evaluator. */

#ifndef GM_DRIVER_H
#define GM_DRIVER_H

#include "canonical.h"
#include "core.h"
#include "narrow.h"
#include "universe.h"
#include "value.h"

typedef bool (*gm_predicate)(gm_worker *w);

/* Slots from the first up to the one before `end`. */
typedef struct gm_stretch {
  uint16_t first, end;
} gm_stretch;

/* What the generated file exports. A NULL among the branches and predicates is evaluated by the reference evaluator.
   A branch of the next-state relation has one action or several, each of its steps is one of them. */
typedef struct gm_spec {
  uint32_t slots, next_slots, variables; /* `next_slots`: with those that only ENABLED has */
  uint32_t lasting; /* values that are the same in every state, each made once a worker */
  uint32_t remembered; /* values of definitions, each made once a state: they stand behind the variables' own */
  uint32_t branches, actions, invariants, implied_inits, constraints, action_constraints, implied_actions, alternatives;
  void (*initial)(gm_worker *w);
  void (*const *branch)(gm_worker *w);
  const uint32_t *branch_action; /* the first action of each */
  const gm_predicate *invariant, *implied_init, *constraint, *action_constraint, *implied_action,
      *alternative;
  const uint32_t *first_alternative; /* obligations: a step of action a must satisfy one of the alternatives from number
                                        first_alternative[a] to first_alternative[a + 1] - 1, if there are any */
  const uint8_t *slot_bit; /* of each slot, the number of the bit that says that it has changed; slots may share one */
  uint64_t unconstrained; /* bits of slots: a step that changes none but these need not be asked about constraints */
  uint64_t checked; /* bits of slots: a step that changes none of these is to a state of which invariants hold as before */
  V (*view)(gm_worker *w);
  V (*const *build)(gm_worker *w, const V *slots);               /* of a variable: its value from its slots */
  void (*const *explode)(gm_worker *w, V value, V *slots);       /* and back; GM_MISFIT if it does not fit */
  const uint32_t *first_slot;                                    /* of each variable, and the number of slots */
  const uint8_t *width;                                          /* of each slot, in bytes: 1, 2 or 4; 8 for bits of sets */
  uint32_t universes;                                            /* of sets that are held as bits */
  const uint32_t *universe_words;                                /* of each of them: slots of a set */
  void (*link)(const V *constants);
} gm_spec;

enum gm_family {
  GM_INVARIANT,
  GM_IMPLIED_INIT,
  GM_CONSTRAINT,
  GM_ACTION_CONSTRAINT,
  GM_IMPLIED_ACTION,
  GM_ALTERNATIVE
};

/* One thing that is evaluated, in a search in order, and so may have effects: an action, a family of predicates. `number`
   counts them. `action`: the one that is being taken, or has led to the state in question; GM_NO_ACTION initially.
   `candidate`: the state that predicates are being evaluated in, while one that was expanded is another; else NULL. */
typedef struct gm_turn {
  uint64_t number;
  const uint32_t *candidate;
  uint32_t action;
  uint32_t stored; /* 1 while initial states are checked, if `candidate` is new: it is not in the queue yet */
  uint32_t family, refused; /* the predicate that was evaluated last, and so the one that is false or has failed */
  uint64_t first; /* the number of the first one for the state that is being expanded */
} gm_turn;

/* The reference evaluator. Results of `predicate`: 0 or 1, or -1 if it cannot be evaluated. `expand` and `take` emit into
   the sink and return a gm_status; `expand` also calls for all the state's marks. `said` hears what was printed, as
   gm_model's: a number, which is 0 for a text and else a primitive's + 1, then its arguments as it gets them. */
typedef struct gm_reference {
  int (*expand)(gm_sink *sink, const uint32_t *state);
  int (*take)(gm_sink *sink, uint32_t branch, const uint32_t *state);
  int (*predicate)(uint32_t family, uint32_t index, const uint32_t *state, const uint32_t *next);
  gm_callback primitive;
  void (*undo)(void); /* take back the effects of this turn: what had them is evaluated again, by other means */
  void (*said)(const uint8_t *sayings, size_t size);
} gm_reference;

typedef struct gm_engine gm_engine;

gm_engine *gm_engine_new(const gm_spec *spec, const gm_reference *reference, uint64_t max_bytes);
void gm_engine_free(gm_engine *e);
gm_heap *gm_engine_heap(gm_engine *e);

/* The worker that Python uses, and that holds the constants: its scratch memory is never reset. */
gm_worker *gm_engine_worker(gm_engine *e);
int gm_engine_link(gm_engine *e, const uint8_t *bytes, size_t size, uint32_t count); /* constants; 0 if it went well */

/* Symmetry: `moves` are the permutations' effects on slots (`moves[p * slots + k]`: where slot k goes). */
void gm_engine_symmetry(gm_engine *e, gm_permutation *const *permutations, const uint32_t *moves, uint32_t count);
void gm_engine_order(gm_engine *e, const uint32_t *slots); /* then the first of them in this order is wanted */
void gm_engine_canonical(gm_engine *e, const gm_elements *elements); /* in its place: all permutations of some sets */

/* Evaluation has effects: the model is for a search in order. Before gm_engine_model. */
void gm_engine_in_order(gm_engine *e);
const gm_turn *gm_engine_turn(const gm_engine *e);
/* Or actions print, and nothing else has effects: the search needs no order, and output is said to the core. */
void gm_engine_aloud(gm_engine *e);

void gm_engine_model(gm_engine *e, gm_model *model); /* fills in the callbacks and sizes for the core */

/* The search that the engine works for: native code may ask it where it is. Before anything runs. */
void gm_engine_follow(gm_engine *e, const gm_core *core);

/* Initial states into the core, with their constraints, invariants and implied inits. 0: all well; 1: the native code
   failed, ask the reference evaluator for all; 2: a predicate is false or cannot be evaluated in the state that
   gm_engine_bad gives; 3: misfit; 4: interrupted. */
int gm_engine_initial(gm_engine *e, gm_core *core);
const uint32_t *gm_engine_bad(const gm_engine *e);

/* States for Python: the values of all variables, encoded one after the other. Returns the size needed, 0 on failure. */
size_t gm_engine_values(gm_engine *e, const uint32_t *words, uint8_t *out, size_t room);
/* The same of some variables; `ends`: where the value of each ends. */
size_t gm_engine_some_values(gm_engine *e, const uint32_t *words, const uint32_t *which, uint32_t count, uint8_t *out,
                             size_t room, size_t *ends);
/* And back: 0 if all went well, else a gm_failure. */
int gm_engine_words(gm_engine *e, const uint8_t *bytes, size_t size, uint32_t *words);

int gm_engine_misfit(const gm_engine *e); /* the variable that did not fit last */
uint32_t gm_engine_full(const gm_engine *e); /* the width of slots that were too many values for; 0 if none */
uint32_t gm_engine_words_count(const gm_engine *e); /* of a state */
uint64_t gm_engine_fallbacks(const gm_engine *e); /* states that the reference evaluator had to expand */
uint64_t gm_engine_between(const gm_engine *e); /* states between two actions of \cdot, which are counted */
const uint8_t *gm_engine_met(const gm_engine *e); /* per alternative of obligations: it was the first to hold of a step */
uint64_t gm_engine_callbacks(const gm_engine *e); /* primitives and predicates that it had to evaluate */

/* Predicates of states and of steps, of all that the core has found: a bit each, from number `at` on, 1 if it is true. Where
   there is a 1 already, that is known. They may be of another library that was generated with the same layouts, linked by
   gm_engine_link_more. False if native code has failed. */
bool gm_engine_states(gm_engine *e, const gm_core *core, gm_predicate p, uint64_t start, uint64_t end, uint8_t *bits,
                      uint64_t at);
/* Of several at once, whether each is true of any of these states: `met` has what is known of each, and gets it. */
enum gm_ever { GM_EVER_NOT, GM_EVER_MET, GM_EVER_UNKNOWN };
void gm_engine_ever(gm_engine *e, const gm_core *core, const gm_predicate *predicates, uint32_t count, uint64_t start,
                    uint64_t end, uint8_t *met);
/* `first`, `targets`: the steps of the states from `start` on, in compressed rows; a bit for each of them. `among`, a bit for
   each state from 0 on: 0 if its steps are none of it, without a look at them. NULL: all are looked at. */
bool gm_engine_steps(gm_engine *e, const gm_core *core, gm_predicate p, uint64_t start, uint64_t end,
                     const uint64_t *first, const uint32_t *targets, const uint8_t *among, uint8_t *bits, uint64_t at);
int gm_engine_link_more(gm_engine *e, const gm_spec *spec, const uint8_t *bytes, size_t size, uint32_t count);
/* While no worker runs: go on with another library of the very same text, compiled otherwise. Constants are linked anew;
   kept values are the same words in both, and whatever a worker remembers stands in the same places. 0 if it is done. */
int gm_engine_exchange(gm_engine *e, const gm_spec *spec, const uint8_t *bytes, size_t size, uint32_t count);

/* After GM_STATUS_MISFIT for want of room in a dictionary (gm_engine_full): other widths for the slots. Then gm_engine_model is
   asked again, and a search that is opened for that model takes over from the one before, where that has ended: its states
   with the same numbers, its counts. Not, in a search in order, where a turn of the state that is expanded anew has had
   effects. False: there are too many values still, or no memory; then
   neither search can go on. */
void gm_engine_widen(gm_engine *e, const uint8_t *widths);
bool gm_engine_take_over(gm_engine *e, const gm_core *before, gm_core *after);

/* States by what some slots of them contain: equal numbers for equal contents, from 0 on in the order of appearance, of the
   first `states` states of a search. `examples`: for each number the first state that has it. Returns how many numbers
   there are; 0 if there are states and no memory. */
uint64_t gm_engine_project(const gm_engine *e, const gm_core *core, const uint32_t *slots, uint32_t count, uint64_t states,
                           uint32_t *numbers, uint32_t *examples);

/* The content of one slot in some states of a search: kept values, equal ones being the same word. */
void gm_engine_slot(const gm_engine *e, const gm_core *core, uint32_t slot, const uint32_t *states, uint64_t count, V *out);

/* Steps of a batch of states, without a search, each with the values of its action's parameters. The program must have been
   generated for that, with a branch for each action, and without constraints and properties. */
typedef struct gm_batch gm_batch;
gm_batch *gm_batch_new(gm_engine *e, uint32_t parameters); /* the most that an action has */
void gm_batch_free(gm_batch *b);
/* All steps of `count` states, or those by the actions that have a 1 in `actions`, or those of them whose parameters are
   `wanted`: so many values for each action, kept, and GM_UNSET where any will do. False if there was no memory. */
bool gm_batch_run(gm_batch *b, const uint32_t *states, uint32_t count, const uint8_t *actions, const V *wanted);
/* What came of it. The steps of state i are number first[i] … first[i + 1] - 1; parameters that an action does not have are
   GM_UNSET. `left`: 1 for a state, without steps here, whose steps the reference evaluator must tell. */
typedef struct gm_batch_result {
  const uint64_t *first;
  const uint8_t *left;
  const uint32_t *states, *actions;
  const V *parameters;
} gm_batch_result;
void gm_batch_read(const gm_batch *b, gm_batch_result *out);
/* A value, encoded: the size needed, 0 on failure. And back: the kept value, GM_UNSET on failure. */
size_t gm_engine_value(gm_engine *e, V v, uint8_t *out, size_t room);
V gm_engine_keep(gm_engine *e, const uint8_t *bytes, size_t size);

/* Actions taken one at a time, for those who hold a part of the variables of a state: a word for each of them, the number
   of its value. The program is as for a batch, and every variable is one slot of four bytes. The other variables have what
   they have in `usual`, but for that of messages, `sent`, a set, and those from number `given` on, which hold parameters.
   A value that no state has may be numbered, too; 0 is no number. */
typedef struct gm_taker gm_taker;
gm_taker *gm_taker_new(gm_engine *e, const uint32_t *usual, const uint32_t *places, uint32_t count, uint32_t sent,
                       uint32_t given);
void gm_taker_free(gm_taker *t);
/* The steps by one action, where `arrived` is the one message there is, or 0. For each: the variables that are handed over;
   1 if that message is gone, else 0; how many other messages there are, and these. Returns how many words that takes, and
   writes them if there is room; -1 if the reference evaluator must be asked. */
int64_t gm_take(gm_taker *t, uint32_t branch, const uint32_t *state, uint32_t arrived, const uint32_t *given,
                uint32_t count, uint32_t *out, uint32_t room);
/* What is done with records of one form: the actions that may consume one (it `arrives`), or send one. The record is made
   of the numbers of its values, in the order of its domain. Then each of the ways is taken: a branch, how many parameters
   there are, and where each comes from: 0 is `first`, 1 the record, 2 and more the values of it. Of senders, only steps by
   which this very record is sent count. A plan is freed with its taker. Returns as `gm_take` does; the first word is the
   number of the record. */
typedef struct gm_plan gm_plan;
gm_plan *gm_plan_new(gm_taker *t, const uint32_t *ways, uint32_t size, uint32_t first, uint32_t domain, uint32_t parts,
                     bool arrives);
int64_t gm_plan_take(gm_plan *p, const uint32_t *state, const uint32_t *parts, uint32_t *out, uint32_t room);
/* The number of a record of this form, 0 on failure. */
uint32_t gm_plan_record(gm_plan *p, const uint32_t *parts);
gm_engine *gm_taker_engine(const gm_taker *t);
uint32_t gm_taker_count(const gm_taker *t); /* of the variables that are handed over */
/* The number of a value, 0 on failure. */
uint32_t gm_engine_number(gm_engine *e, const uint8_t *bytes, size_t size);
/* The same of the function with this domain, a set, and these values, in the order of the domain. */
uint32_t gm_engine_made(gm_engine *e, uint32_t domain, const uint32_t *parts, uint32_t count);
/* The numbers of the domain of a function and of its values, or 0 and those of the elements of a sequence; returns how many
   there are. 0: it is neither, or there is no room. */
uint32_t gm_engine_parts(gm_engine *e, uint32_t number, uint32_t *out, uint32_t room);
size_t gm_engine_numbered(gm_engine *e, uint32_t number, uint8_t *out, size_t room); /* encoded, as gm_engine_value does */

/* ---- for the generated code ---- */

/* Something to be evaluated when it is first needed. One that `changes` is evaluated each time: it depends on what may
   still be assigned another value. */
typedef struct gm_thunk {
  V value;
  V (*code)(gm_worker *w, V *frame);
  V *frame;
  bool changes;
} gm_thunk;

V gm_make_thunk(gm_worker *w, V (*code)(gm_worker *, V *), V *frame, bool changes);
V gm_force(gm_worker *w, V *slot);
static inline V gm_get(gm_worker *w, V *slot) { return gm_tag(*slot) == GM_TAG_THUNK ? gm_force(w, slot) : *slot; }

/* An operator as an argument. */
typedef struct gm_operator {
  V (*code)(gm_worker *w, V *up, const V *args);
  V *up;
} gm_operator;
V gm_make_operator(gm_worker *w, V (*code)(gm_worker *, V *, const V *), V *up);
static inline V gm_call(gm_worker *w, V operator, const V *args) {
  const gm_operator *o = (const gm_operator *)(uintptr_t)operator;
  return o->code(w, o->up, args);
}

#define GM_UP(frame) ((V *)(uintptr_t)(frame)[0])
#define GM_AS_UP(frame) ((V)(uintptr_t)(frame))

V *gm_array(gm_worker *w, uint64_t n); /* scratch */
V gm_finish_set(gm_worker *w, V *items, uint64_t n); /* like gm_make_set, for items already sorted and different */
V gm_lasting(gm_worker *w, uint32_t place, V value); /* puts it there; fails on an infinite set */
/* The same for what a filter has left of a set. */
V gm_finish_selection(gm_worker *w, V *items, uint64_t n, V base);
int gm_index_slow(gm_worker *w, V domain, V argument); /* position in a kept SET that has elements, -1 if it is not there */
/* Names that were introduced together, and numbers in a row, follow each other: where one should be is tried first. */
static inline int gm_index(gm_worker *w, V domain, V argument) {
  const gm_object *o = gm_object_of(domain);
  uint64_t expected = (argument - o->items[0]) >> (gm_is_int(argument) ? 3 : 4);
  if (expected < o->size && o->items[expected] == argument) return (int)expected;
  return gm_index_slow(w, domain, argument);
}
/* In the domain low..high. */
static inline int gm_index_from(gm_worker *w, int64_t low, uint64_t count, V argument) {
  if (!gm_is_int(argument)) gm_fail(w, GM_ERROR);
  uint64_t i = (uint64_t)(gm_int_of(argument) - low);
  return i < count ? (int)i : -1;
}
/* EXCEPT changes nothing: the first time that this happens in a place, it fails. `told`: whether it has. */
void gm_outside(gm_worker *w, int *told);
static inline uint32_t gm_must(gm_worker *w, int index) {
  if (index < 0) gm_fail(w, GM_ERROR);
  return (uint32_t)index;
}
uint64_t gm_element_count(gm_worker *w, V set); /* of elements; fails beyond 2^24 */
static inline uint64_t gm_times(gm_worker *w, uint64_t a, uint64_t b) { /* numbers of elements */
  if (a && b > ((uint64_t)1 << 24) / a) gm_fail(w, GM_ERROR);
  return a * b;
}
V gm_listed(gm_worker *w, V v);         /* a LAMBDA as a function that is listed; anything else as it is */
V gm_union_of(gm_worker *w, V *sets, uint64_t n);
V gm_python(gm_worker *w, uint32_t primitive, const V *args, uint32_t n);
/* The same, of a primitive that prints its arguments. Where the search needs no order, it is printed when its turn has come,
   and `value` is the result. */
V gm_print(gm_worker *w, uint32_t primitive, const V *args, uint32_t n, V value);
_Noreturn void gm_misfit(gm_worker *w, uint32_t variable);
/* Something with effects was to be evaluated, where nobody expected it: the run ends as with a misfit of this variable. */
enum { GM_TRAPPED = 0x7fffffff };
V gm_trapped(gm_worker *w);
/* A successor: these slots of `next` may differ from `current`, all others are the same whatever `next` has there. */
void gm_step(gm_worker *w, uint32_t action, const gm_stretch *stretches, uint32_t n);
/* The same in a batch, with the values of the action's parameters. */
void gm_step_with(gm_worker *w, uint32_t action, const gm_stretch *stretches, uint32_t n, const V *values, uint32_t count);
void gm_step_initial(gm_worker *w);

/* The truth of a state predicate that reads only these slots: remembered for the contents they had lately. */
enum { GM_KNOWN_SLOTS = 8 };
bool gm_known(gm_worker *w, gm_predicate predicate, const uint16_t *slots, uint32_t n);
bool gm_subset_known(gm_worker *w, V some, V set); /* whether all elements of a set are members */

/* A \cdot B: the states in between, in order. `first` calls gm_found_between for each, which is in `next`. */
typedef struct gm_between {
  V *slots; /* like `current` */
  struct gm_between *after;
} gm_between;
const gm_between *gm_states_between(gm_worker *w, void (*first)(gm_worker *, V *), V *frame);
void gm_found_between(gm_worker *w);

/* ENABLED: `solve` calls gm_enabled_found when the action is possible. */
bool gm_enabled(gm_worker *w, void (*solve)(gm_worker *, V *), V *frame);
_Noreturn void gm_enabled_found(gm_worker *w);

#endif
