#define _GNU_SOURCE
#include "streams.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 14, MOST_AHEAD = 4 << 20, CLOSED_KEPT = 4096 };

/* Bytes that have come before their turn. */
typedef struct ahead {
    struct ahead *next;
    uint32_t sequence;
    size_t length;
    uint8_t data[];
} ahead;

/* One direction of a connection. `next`: the sequence number that is next in order. */
typedef struct {
    bool known, ends, ended;
    uint32_t next, end;
    ahead *waiting; /* in order */
    size_t waiting_bytes;
} flow;

typedef struct tcp {
    struct tcp *chain;
    endpoint dialer, acceptor;
    uint32_t number, first; /* first: sequence number of the SYN */
    bool torn, closed;
    flow flows[2]; /* from the dialer, from the acceptor */
} tcp;

typedef struct {
    tcp *connection;
    uint32_t number;
} closed_one;

struct streams {
    ring *out;
    const watched_port *ports;
    size_t port_count;
    tcp *buckets[BUCKETS];
    closed_one closed[CLOSED_KEPT]; /* late packets of these are no new connections */
    size_t closed_at;
};

streams *streams_new(ring *out, const watched_port *ports, size_t count) {
    streams *s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->out = out;
        s->ports = ports;
        s->port_count = count;
    }
    return s;
}

/* ------------------------------------------------------------------------------------------------------ connections */

static bool same(const endpoint *one, const endpoint *other) {
    return one->port == other->port && one->length == other->length && memcmp(one->host, other->host, one->length) == 0;
}

static size_t bucket_of(const endpoint *dialer, const endpoint *acceptor) {
    uint64_t hash = 14695981039346656037u;
    const endpoint *ends[2] = {dialer, acceptor};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < ends[i]->length; k++) hash = (hash ^ ends[i]->host[k]) * 1099511628211u;
        hash = (hash ^ ends[i]->port) * 1099511628211u;
    }
    return (hash ^ hash >> 29) % BUCKETS;
}

static tcp *find(streams *s, const endpoint *dialer, const endpoint *acceptor) {
    for (tcp *c = s->buckets[bucket_of(dialer, acceptor)]; c != NULL; c = c->chain)
        if (same(&c->dialer, dialer) && same(&c->acceptor, acceptor)) return c;
    return NULL;
}

static const watched_port *port_at(const streams *s, const endpoint *e) {
    for (size_t i = 0; i < s->port_count; i++) {
        const watched_port *p = &s->ports[i];
        if (p->at.port == e->port && (p->anywhere || same(&p->at, e))) return p;
    }
    return NULL;
}

static void forget_waiting(flow *f) {
    while (f->waiting != NULL) {
        ahead *next = f->waiting->next;
        free(f->waiting);
        f->waiting = next;
    }
    f->waiting_bytes = 0;
}

static void delete (streams *s, tcp *gone) {
    tcp **place = &s->buckets[bucket_of(&gone->dialer, &gone->acceptor)];
    while (*place != gone) place = &(*place)->chain;
    *place = gone->chain;
    free(gone);
}

void streams_free(streams *s) {
    for (size_t i = 0; i < BUCKETS; i++) {
        while (s->buckets[i] != NULL) {
            tcp *c = s->buckets[i];
            forget_waiting(&c->flows[0]);
            forget_waiting(&c->flows[1]);
            s->buckets[i] = c->chain;
            free(c);
        }
    }
    free(s);
}

/* ---------------------------------------------------------------------------------------------------- what is noted */

static void note_opened(streams *s, tcp *c, bool midway, uint64_t time) {
    char host[INET6_ADDRSTRLEN] = "?", text[4096];
    const watched_port *port = port_at(s, &c->acceptor);
    inet_ntop(c->dialer.length == 4 ? AF_INET : AF_INET6, c->dialer.host, host, sizeof host);
    int length = snprintf(text, sizeof text, "{%s, \"dialer\": [\"%s\", %d]%s}", port ? port->about : "\"name\": \"?\"",
                          host, c->dialer.port, midway ? ", \"midway\": true" : "");
    size_t kept = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    ring_put_at(s->out, c->number, RECORD_OPENED, text, kept, time);
}

static void close_it(streams *s, tcp *c, int by, const char *why, uint64_t time) {
    char text[64];
    if (c->closed) return;
    c->closed = true;
    forget_waiting(&c->flows[0]);
    forget_waiting(&c->flows[1]);
    int length = snprintf(text, sizeof text, "{\"by\": %d, \"error\": \"%s\"}", by, why);
    ring_put_at(s->out, c->number, RECORD_CLOSED, text, (size_t)length, time);
    atomic_fetch_sub(&s->out->shared->open, 1);
    closed_one *place = &s->closed[s->closed_at++ % CLOSED_KEPT];
    if (place->connection != NULL && place->connection->closed && place->connection->number == place->number)
        delete (s, place->connection);
    *place = (closed_one){c, c->number};
}

static void tear(streams *s, tcp *c, const char *why, uint64_t time) {
    char text[160];
    if (c->torn) return;
    c->torn = true;
    forget_waiting(&c->flows[0]);
    forget_waiting(&c->flows[1]);
    atomic_fetch_add(&s->out->shared->torn, 1);
    int length = snprintf(text, sizeof text, "{\"note\": \"torn\", \"why\": \"%s\"}", why);
    ring_put_at(s->out, c->number, RECORD_NOTE, text, (size_t)length, time);
}

/* A connection begins, in the place of one between the same ports if there was one. */
static tcp *begin(streams *s, const endpoint *dialer, const endpoint *acceptor, bool midway, uint64_t time) {
    tcp *c = find(s, dialer, acceptor);
    if (c != NULL) {
        close_it(s, c, 0, "unseen", time); /* its end was not */
        tcp *chain = c->chain;
        *c = (tcp){.chain = chain};
    } else {
        size_t bucket = bucket_of(dialer, acceptor);
        c = calloc(1, sizeof *c);
        if (c == NULL) return NULL;
        c->chain = s->buckets[bucket];
        s->buckets[bucket] = c;
    }
    c->dialer = *dialer;
    c->acceptor = *acceptor;
    c->torn = midway;
    c->number = (uint32_t)atomic_fetch_add(&s->out->shared->connections, 1) + 1;
    atomic_fetch_add(&s->out->shared->open, 1);
    note_opened(s, c, midway, time);
    return c;
}

/* -------------------------------------------------------------------------------------------------- bytes in order */

static void deliver(streams *s, tcp *c, int direction, const uint8_t *data, size_t length, uint64_t time) {
    ring_put_at(s->out, c->number, direction ? RECORD_ANSWERED : RECORD_DIALED, data, length, time);
    c->flows[direction].next += (uint32_t)length;
}

static int32_t distance(uint32_t from, uint32_t to) { return (int32_t)(to - from); }

static void deliver_waiting(streams *s, tcp *c, int direction, uint64_t time) {
    flow *f = &c->flows[direction];
    while (f->waiting != NULL && distance(f->next, f->waiting->sequence) <= 0) {
        ahead *first = f->waiting;
        size_t known = (size_t)distance(first->sequence, f->next);
        f->waiting = first->next;
        f->waiting_bytes -= first->length;
        if (known < first->length) deliver(s, c, direction, first->data + known, first->length - known, time);
        free(first);
    }
}

static void wait_for_its_turn(streams *s, tcp *c, flow *f, const segment *p) {
    ahead **place = &f->waiting;
    if (f->waiting_bytes + p->length > MOST_AHEAD) {
        tear(s, c, "too much has come out of order", p->time);
        return;
    }
    while (*place != NULL && distance((*place)->sequence, p->sequence) > 0) place = &(*place)->next;
    if (*place != NULL && (*place)->sequence == p->sequence && (*place)->length >= p->length) return;
    ahead *kept = malloc(sizeof *kept + p->length);
    if (kept == NULL) {
        tear(s, c, "there is no memory", p->time);
        return;
    }
    kept->next = *place;
    kept->sequence = p->sequence;
    kept->length = p->length;
    memcpy(kept->data, p->data, p->length);
    *place = kept;
    f->waiting_bytes += p->length;
}

static void see_data(streams *s, tcp *c, int direction, const segment *p) {
    flow *f = &c->flows[direction];
    int32_t ahead_by = distance(f->next, p->sequence);
    if ((int64_t)ahead_by + (int64_t)p->length <= 0) return; /* once more */
    if (p->captured < p->length) {
        tear(s, c, "a packet was cut short", p->time);
    } else if (ahead_by > 0) {
        wait_for_its_turn(s, c, f, p);
    } else {
        size_t known = (size_t)-ahead_by;
        deliver(s, c, direction, p->data + known, p->length - known, p->time);
        deliver_waiting(s, c, direction, p->time);
    }
}

static void see_end(tcp *c, int direction) {
    flow *f = &c->flows[direction];
    if (f->ends && !f->ended && f->next == f->end) {
        f->ended = true;
        f->next++; /* an end takes a number, too */
    }
}

static void see_acknowledged(streams *s, tcp *c, int direction, const segment *p) {
    flow *other = &c->flows[1 - direction];
    if (other->known && distance(other->next, p->acknowledged) > 0)
        tear(s, c, "bytes were acknowledged that have not been seen", p->time);
}

/* ---------------------------------------------------------------------------------------------------------- packets */

static void see_known(streams *s, tcp *c, int direction, const segment *p) {
    flow *f = &c->flows[direction];
    if (p->flags & TCP_RST) {
        close_it(s, c, direction, "reset", p->time);
        return;
    }
    if (c->torn) {
        if (p->flags & TCP_FIN) f->ended = true;
    } else {
        if (p->length > 0 && !f->known) tear(s, c, "its beginning was not seen", p->time);
        else if (p->length > 0) see_data(s, c, direction, p);
        if ((p->flags & TCP_FIN) && !f->ends) {
            f->ends = true;
            f->end = p->sequence + (uint32_t)p->length;
        }
        see_end(c, direction);
        if (p->flags & TCP_ACK && !c->torn) see_acknowledged(s, c, direction, p);
    }
    if (c->flows[0].ended && c->flows[1].ended) close_it(s, c, direction, "", p->time);
}

static void see_opening(streams *s, tcp *c, const endpoint *dialer, const endpoint *acceptor, const segment *p) {
    bool answer = (p->flags & TCP_ACK) != 0;
    if (c != NULL && !c->closed && !answer && c->flows[0].known && c->first == p->sequence) return; /* once more */
    if (c == NULL || c->closed || !answer) {
        c = begin(s, dialer, acceptor, false, p->time);
        if (c == NULL) return;
    }
    if (answer && !c->flows[1].known) {
        c->flows[1].known = true;
        c->flows[1].next = p->sequence + 1;
    }
    if (!c->flows[0].known) {
        c->flows[0].known = true;
        c->flows[0].next = answer ? p->acknowledged : p->sequence + 1;
        c->first = c->flows[0].next - 1;
    }
}

void streams_see(streams *s, const segment *p) {
    bool answers = port_at(s, &p->to) == NULL; /* the side that is watched is the one that was dialed */
    const endpoint *dialer = answers ? &p->to : &p->from, *acceptor = answers ? &p->from : &p->to;
    if (answers && port_at(s, &p->from) == NULL) return;
    tcp *c = find(s, dialer, acceptor);
    if (p->flags & TCP_SYN) {
        see_opening(s, c, dialer, acceptor, p);
    } else if (c != NULL && !c->closed) {
        see_known(s, c, answers, p);
    } else if (c == NULL && p->length > 0 && !(p->flags & TCP_RST)) {
        begin(s, dialer, acceptor, true, p->time);
    }
}
