/* What the files of a partition know of one another. */

#ifndef GM_PARTITION_PARTS_H
#define GM_PARTITION_PARTS_H

#include "engine.h"
#include "parts.h"
#include "partition.h"

/* ---- bytes ---- */

typedef struct gm_bytes {
  uint8_t *data;
  size_t size, room;
} gm_bytes;

static inline void gm_bytes_need(gm_bytes *b, size_t more) {
  if (b->size + more <= b->room) return;
  b->room = 2 * (b->size + more) + 4096;
  b->data = gm_checked(realloc(b->data, b->room));
}

static inline uint8_t *gm_bytes_add(gm_bytes *b, size_t more) {
  gm_bytes_need(b, more);
  b->size += more;
  return b->data + b->size - more;
}

static inline void gm_bytes_append(gm_bytes *to, const uint8_t *data, size_t size) {
  if (size) memcpy(gm_bytes_add(to, size), data, size);
}

static inline void gm_bytes_varint(gm_bytes *to, uint64_t n) {
  gm_bytes_need(to, 10);
  to->size += gm_write_varint(to->data + to->size, n);
}

static inline bool gm_read_varint(const uint8_t **at, const uint8_t *end, uint64_t *n) {
  *n = 0;
  for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
    uint8_t byte = *(*at)++;
    *n |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

/* ---- who owns a state: owners.c ---- */

typedef struct gm_hashes gm_hashes;
gm_hashes *gm_hashes_new(const gm_engine *e, const uint64_t *classes, uint32_t names);
void gm_hashes_free(gm_hashes *h);
uint64_t gm_hashes_factor(gm_hashes *h, V argument);
void gm_hashes_factors(gm_hashes *h, const uint64_t *factors); /* of slots */
uint64_t gm_hash_of_state(gm_hashes *h, const uint32_t *words);
/* Of a state that differs a little from one whose hash is known. */
uint64_t gm_hash_of_next(gm_hashes *h, uint64_t hash, const uint32_t *before, const uint32_t *words);
/* The same from the values of variables, whatever slots they have. Fails as evaluating does. */
uint64_t gm_hash_of_variables(gm_hashes *h, gm_worker *w);

/* ---- streams: sending.c, receiving.c ---- */

/* A batch: this, then the types of model values (position and type each), the definitions, values by their numbers in the
   dictionary of slots of one byte, of two bytes, and the records. A reference to a value is a varint that ends with

     0: the number of a definition · 1: an integer, zigzag · 2: a name, as in the word · 3: FALSE or TRUE

   in its lowest two bits. A definition is a kind, a number of items, and references; it has the next number. A record is
   an origin (1 + the parent, then 24 bits for the action; 0 for an initial state), the slots that have changed since a state
   whose invariants hold, and the words, which are the sender's, but in those of four bytes an object is the number of its
   definition. */
enum { GM_BATCH_MARK = 0x31626d67, GM_ACTION_BITS = 24 };

typedef struct gm_batch_header {
  uint64_t checksum; /* of all that follows */
  uint32_t mark, words;
  uint64_t number; /* in its stream; with 0 everything is defined anew */
  uint32_t types, definitions, bytes, pairs; /* those that are new */
  uint64_t first_definition, first_byte, first_pair, records, size;
} gm_batch_header;

typedef struct gm_record_header {
  uint64_t origin, changed;
} gm_record_header;

uint64_t gm_batch_checksum(const uint8_t *batch, size_t size);

typedef struct gm_outgoing gm_outgoing;
gm_outgoing *gm_outgoing_new(gm_engine *e, uint32_t most); /* `most`: values that may be known at the other end */
void gm_outgoing_free(gm_outgoing *s);
void gm_outgoing_restart(gm_outgoing *s);
void gm_outgoing_begin(gm_outgoing *s); /* another batch */
/* Add a state to the batch; 0, or a gm_failure. */
int gm_outgoing_add(gm_outgoing *s, gm_worker *w, uint64_t origin, uint64_t changed, const uint32_t *words);
size_t gm_outgoing_waiting(const gm_outgoing *s); /* bytes of the batch so far */
int gm_outgoing_finish(gm_outgoing *s, gm_worker *w); /* the batch is complete, if there is anything in it */
const uint8_t *gm_outgoing_batch(const gm_outgoing *s, size_t *size);
uint64_t gm_outgoing_defined(const gm_outgoing *s); /* in this batch */

typedef struct gm_incoming gm_incoming;
gm_incoming *gm_incoming_new(gm_engine *e);
void gm_incoming_free(gm_incoming *s);
/* A batch: what it defines. `records`: where they begin. */
enum gm_partition_answer gm_incoming_open(gm_incoming *s, gm_worker *w, const uint8_t *data, size_t size,
                                          const uint8_t **records, uint64_t *count);
size_t gm_incoming_record(const gm_incoming *s); /* bytes of each */
/* The words of a record as this process has them; false: it refers to nothing. */
bool gm_incoming_read(const gm_incoming *s, const uint8_t *record, uint64_t *origin, uint64_t *changed, uint32_t *words);

/* ---- a partition ---- */

enum { GM_MOST_PARENTS = 64, GM_MOST_TOGETHER = 256, GM_TOGETHER = 32 };

typedef struct gm_parent_state {
  uint64_t number, hash;
  uint32_t end; /* of its successors in the sink */
  enum gm_status status;
} gm_parent_state;

struct gm_partition {
  gm_engine *engine;
  gm_core *core;
  gm_runner *runner;
  gm_sink *sink;
  uint32_t owners, self, words;
  bool check_deadlock, has_check, has_key;
  gm_hashes *hashes;
  gm_outgoing **out; /* for each owner, then for the file */
  gm_incoming **in;  /* the same; NULL while nothing has come */
  gm_bytes state, saved, events;
  uint32_t *decoded, *key, *parents, *room;
  uint64_t cached, *sent_before; /* states that were sent lately, by hash: 0 is none; then the words of each */
  uint32_t *sent_words;
  gm_parent_state parent[GM_MOST_PARENTS];
  uint32_t parent_count;
  uint64_t *hash; /* of each successor in the sink; then, again for each, what the core calls its hash */
  uint32_t hash_room;
  uint64_t routed; /* states, of all calls */
  gm_partition_counts now;
  uint64_t *taken, *sent, stored;
};

static inline enum gm_partition_answer gm_answer_of(int why) {
  return why == GM_MISFIT ? GM_PARTITION_MISFIT : why == GM_FULL ? GM_PARTITION_NO_MEMORY : GM_PARTITION_FAILED;
}
static inline uint64_t gm_everywhere(const gm_partition *p, uint64_t number) { return number * p->owners + p->self; }
static inline uint32_t gm_owner_of(const gm_partition *p, uint64_t hash) {
  return (uint32_t)((gm_mix(hash) >> 32) * p->owners >> 32);
}

void gm_begin_call(gm_partition *p);
enum gm_partition_answer gm_encode_state(gm_partition *p, const uint32_t *words); /* into p->state */
/* Something is wrong: with a state, or with its parent if `words` is NULL. */
enum gm_partition_answer gm_tell(gm_partition *p, enum gm_outcome kind, uint64_t parent, const uint32_t *parent_words,
                                 uint32_t action, const uint32_t *words);
enum gm_partition_answer gm_check_state(gm_partition *p, uint64_t parent, uint32_t action, const uint32_t *words,
                                        uint64_t changed, bool *passed);
enum gm_partition_answer gm_store_state(gm_partition *p, const uint32_t *words, uint64_t parent, uint32_t action,
                                        bool is_checked, uint64_t changed, bool *passed);

#endif
