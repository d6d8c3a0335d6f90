/* Records on their way from who notes them (tap, capture: one process, one thread) to who reads them.
 *
 * A piece of memory that both processes share, so that neither ever waits for the other, and nothing that was noted is
 * lost when either is killed: a record counts once `head` has moved past it, and that happens when it is whole. The data
 * are mapped twice, one copy behind the other, so that no record is cut at the end.
 *
 * If the reader is so far behind that there is no room, records are not kept: they are counted, and the next record that
 * is kept is a note that says how many are missing.
 */
#ifndef GRISTMILL_RING_H
#define GRISTMILL_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_HEAD = 25, RECORD_DIALED = 0, RECORD_ANSWERED = 1, RECORD_OPENED = 2, RECORD_CLOSED = 3, RECORD_NOTE = 4 };

/* The first page. Counts are of all processes that have written here. */
typedef struct {
    _Atomic uint64_t head, tail;       /* bytes ever put in, ever taken out */
    _Atomic uint64_t sequence;         /* records ever noted, whether kept or not */
    _Atomic uint64_t connections;      /* ever opened: the number of the last one */
    _Atomic uint64_t open;             /* now */
    _Atomic uint64_t missed, missed_bytes; /* records that were not kept, and what they would have carried */
    _Atomic uint64_t told, told_bytes; /* of these, what notes have told of */
    _Atomic uint64_t refused;          /* connections: the target did not answer, or there was no descriptor left */
    _Atomic uint64_t dropped;          /* packets that the kernel had no room for (capture) */
    _Atomic uint64_t torn;             /* connections of which something was not seen (capture) */
    _Atomic uint64_t writers;          /* processes that have begun to write here, one after the other */
    _Atomic uint64_t shrugged;         /* packets that are no business of ours: not TCP, or cut short (capture) */
} ring_shared;

typedef struct {
    ring_shared *shared;
    uint8_t *data;
    uint64_t size;
} ring;

/* Map a descriptor of a file with a page for `ring_shared` and `size` bytes, a multiple of the page. False: errno. */
bool ring_map(ring *r, int descriptor, uint64_t size);
void ring_unmap(ring *r);

/* Where the payload of the next record may be written, at least so long; NULL if there is no room. */
uint8_t *ring_room(ring *r, size_t length);

/* What was written there is a record now. */
void ring_commit(ring *r, uint32_t connection, uint8_t direction, size_t length);

/* A record that nothing was kept of. */
void ring_miss(ring *r, size_t length);

/* Room and commit; or miss. */
void ring_put(ring *r, uint32_t connection, uint8_t direction, const void *data, size_t length);

/* With a time of its own, in nanoseconds. 0: now. */
void ring_put_at(ring *r, uint32_t connection, uint8_t direction, const void *data, size_t length, uint64_t time);

/* For readers: whole records, up to `most` bytes, are moved out; how many bytes. */
uint64_t ring_take(ring *r, uint8_t *out, uint64_t most);

#endif
