/* Connections that go through us: what comes from one side is noted, then passed on to the other.
 *
 * The order is what all else rests on: bytes are noted after they were read from their sender and before they are
 * written to their receiver. So one record is both the sending and the receiving, and whatever a node has received
 * before it sent something stands before that.
 *
 * A connection holds no more than one stretch of bytes for each direction: while the receiver does not take it, nothing
 * is read from the sender, who then waits as it would without us. Bytes are read into the ring and written from there.
 */
#ifndef GRISTMILL_RELAY_H
#define GRISTMILL_RELAY_H

#include "announcing.h"
#include "ring.h"

#include <sys/epoll.h>
#include <sys/socket.h>

enum { RELAY_STRETCH = 1 << 16, RELAY_TURNS = 4 };

typedef enum { SOURCE_LISTENER, SOURCE_SIDE, SOURCE_CONTROL, SOURCE_SUCCESSOR } source_kind;

struct connection;

/* One end of a connection, as epoll knows it. */
typedef struct side {
    source_kind kind;
    int descriptor;
    bool readable, ended;      /* something may be read; nothing will come any more */
    bool hung;                 /* the end is near: read until it is there */
    bool shut;                 /* it was told that nothing will come from the other side */
    uint8_t *rest;             /* what it has not taken yet */
    size_t rest_from, rest_to;
    struct connection *connection;
} side;

typedef struct connection {
    uint32_t number;
    bool connected, gone, queued;
    const announcements *expected; /* what a dialer may begin with; NULL: it has begun */
    side dialer, acceptor;
    struct connection *next_ready, *next_gone;
} connection;

typedef struct {
    ring ring;
    int epoll;
    connection *ready;         /* with more to do, which must wait for others to have their turn */
    connection *gone;          /* to be freed when no event can name them */
    uint8_t scratch[RELAY_STRETCH]; /* for what there is no room in the ring for */
} relay;

/* A link: where connections come in, and where they go. `about`: what is noted of each, members of a JSON object. */
typedef struct link_end {
    source_kind kind;
    int descriptor;
    struct sockaddr_storage target;
    socklen_t target_length;
    char *about;
    bool announces;            /* dialers may begin with an address of their own */
    announcements announced;   /* which is to be changed */
    bool paused;               /* there was no descriptor left for another connection */
} link_end;

/* Take what waits to be accepted. */
void relay_accept(relay *r, link_end *link);

/* Something has happened at this side. */
void relay_event(relay *r, side *which, uint32_t events);

/* Whoever is ready has a turn. True: some still are. */
bool relay_turn(relay *r);

/* Free what has gone. */
void relay_bury(relay *r);

#endif
