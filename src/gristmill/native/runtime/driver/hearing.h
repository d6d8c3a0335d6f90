/* Messages of a process that come as numbers, many in one call: each becomes a record and is followed (following.h).

   An item is a head and numbers; what these are is said once for each route, of which items have the number: the form of
   its records. Behind the numbers are bytes that are not looked at here. */
#ifndef GM_HEARING_H
#define GM_HEARING_H

#include "following.h"

typedef struct gm_hearing gm_hearing;

typedef struct gm_item {
  uint32_t size, route; /* with all that belongs to it */
  uint64_t number, sequence, time;
  uint32_t numbers, bytes;
} gm_item;

/* Of a route: not told yet; none of this process's; to be followed; not to be followed here. */
enum { GM_ROUTE_UNKNOWN, GM_ROUTE_OTHERS, GM_ROUTE_FOLLOWED, GM_ROUTE_REFUSED };
/* Why it has stopped: at the end, or as many as were wanted have been followed; at an item whose route is not known, or
   not followed here; at one that is not usual: then nothing more can be followed. */
enum { GM_HEARD_ALL, GM_HEARD_UNKNOWN, GM_HEARD_REFUSED, GM_HEARD_UNUSUAL };

gm_hearing *gm_hearing_new(gm_follower *f, gm_taker *t, uint32_t settle);
void gm_hearing_free(gm_hearing *h);
/* `parts`: the record, as numbers of values, without those that differ; of these, `shape` has for each its place and what
   it is: 0 an integer, 1 a truth value, 2 a sequence. A sequence has behind that the domain of its elements, how many
   parts they have, these, and how many of them differ, each with its place and what it is. */
void gm_hearing_route(gm_hearing *h, uint32_t route, uint32_t state, gm_plan *plan, uint64_t flags, uint64_t channel,
                      const uint32_t *parts, uint32_t count, const uint32_t *shape, uint32_t size);
/* All routes are unknown again. */
void gm_hearing_forget(gm_hearing *h);
/* Returns the bytes of the items that are done with; `most` and `followed`: how many of the process's own. */
uint64_t gm_hearing_follow(gm_hearing *h, const uint8_t *items, uint64_t size, uint64_t most, uint64_t *followed,
                           uint32_t *why);
/* The process has sent a message, of which this is not told otherwise. */
void gm_hearing_hear(gm_hearing *h, uint64_t channel, uint64_t time);
/* The connections on which the process sends (gristmill/watch/held_up.py), as numbers: how many messages it has sent, how
   many connections there are; of each its channel, messages that may come that were held up, messages sent before the
   last one on it, and how many times there are, and these. */
uint64_t gm_hearing_dump(const gm_hearing *h, uint64_t *out, uint64_t room);
void gm_hearing_load(gm_hearing *h, const uint64_t *from);

#endif
