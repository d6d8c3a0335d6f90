/* One process of a model, followed by its messages as long as there is one state that it can be in: what it owes, what it
   has sent, what has arrived and may still be looked at, and how far it is behind. Whatever is not usual is left to whoever
   asks, who knows how the node was some messages ago and begins anew from there. */
#ifndef GM_FOLLOWING_H
#define GM_FOLLOWING_H

#include "driver.h"

typedef struct gm_follower gm_follower;

enum { GM_SEEN_SENT = 1, GM_SEEN_WAITS = 2, GM_SEEN_MERGES = 4 };

typedef struct gm_seen {
  uint64_t number, time, channel, flags;
} gm_seen;

/* What is counted. `most`, `stalled`, `silent`, `unanswered`: how far the node is behind. */
typedef struct gm_followed {
  uint64_t seen, sent, received, states, waiting, most_waiting, most, stalled, silent, unanswered;
} gm_followed;

/* `settle`: messages within which a node has answered. The names of the fields that tell kinds apart, and the receiver. */
gm_follower *gm_follower_new(gm_taker *t, uint32_t settle, uint32_t kind_name, uint32_t target_name);
void gm_follower_free(gm_follower *f);
/* All of it, as numbers: `gm_followed`; the state; how many times, and these; the same of what it has sent when, and of
   messages that are used up; of those that wait, a record, a number and a channel each; of what is owed or was paid, a
   record, whether the state owes it, and when that was. Returns how many words that takes, and writes them if there is
   room. */
uint64_t gm_follower_dump(const gm_follower *f, uint64_t *out, uint64_t room);
void gm_follower_load(gm_follower *f, const uint64_t *from);
/* The next message, a record of the form that the plan is for. False if it is not usual: then this must not be used before
   it is loaded again. */
bool gm_follower_see(gm_follower *f, gm_plan *plan, const uint32_t *parts, const gm_seen *m);

#endif
