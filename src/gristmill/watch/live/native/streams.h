/* TCP as it goes by: packets of connections put together to what each side has sent.
 *
 * Bytes are noted when they are next in order, which is when the receiver can have them. What comes twice is noted once.
 * What is missing and is sent again is waited for. If the receiver acknowledges what has not been seen, it will not come:
 * then the connection is torn, and nothing more is noted of it. A connection whose beginning was not seen is noted as
 * open from before, and nothing else of it.
 */
#ifndef GRISTMILL_STREAMS_H
#define GRISTMILL_STREAMS_H

#include "ring.h"

typedef struct {
    uint8_t host[16];   /* 4 bytes, or 16 */
    uint8_t length;
    uint16_t port;
} endpoint;

/* A port that is watched. `anywhere`: at any address of the machine. `about`: members of a JSON object. */
typedef struct {
    endpoint at;
    bool anywhere;
    char *about;
} watched_port;

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_ACK = 16 };

typedef struct {
    endpoint from, to;
    uint32_t sequence, acknowledged;
    uint8_t flags;
    const uint8_t *data;
    size_t length;      /* as it was sent */
    size_t captured;    /* as we have it */
    uint64_t time;
} segment;

typedef struct streams streams;

streams *streams_new(ring *out, const watched_port *ports, size_t count);
void streams_free(streams *s);

/* The next packet. */
void streams_see(streams *s, const segment *packet);

#endif
