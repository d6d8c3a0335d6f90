#define _GNU_SOURCE
#include "relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ACCEPTED_AT_ONCE = 64, IDLE_SECONDS = 30, PROBE_SECONDS = 10, PROBES = 3 };

static side *other(side *s) { return s == &s->connection->dialer ? &s->connection->acceptor : &s->connection->dialer; }

/* ---------------------------------------------------------------------------------------------------- opened, closed */

static void address_text(char *out, size_t size, const struct sockaddr_storage *address) {
    char host[INET6_ADDRSTRLEN] = "?";
    int port = 0;
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
        port = ntohs(four->sin_port);
    } else if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
        port = ntohs(six->sin6_port);
    }
    snprintf(out, size, "[\"%s\", %d]", host, port);
}

static void note_opened(relay *r, const connection *c, const link_end *link, const struct sockaddr_storage *dialer) {
    char address[INET6_ADDRSTRLEN + 32], text[4096];
    address_text(address, sizeof address, dialer);
    int length = snprintf(text, sizeof text, "{%s, \"dialer\": %s}", link->about, address);
    ring_put(&r->ring, c->number, RECORD_OPENED, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static void note_closed(relay *r, const connection *c, const side *by, const char *why) {
    char text[128];
    int length = snprintf(text, sizeof text, "{\"by\": %d, \"error\": \"%s\"}", by == &c->acceptor, why);
    ring_put(&r->ring, c->number, RECORD_CLOSED, text, (size_t)length);
}

/* Closing resets a connection unless it is said otherwise: if we are killed, nobody takes that for an orderly end. */
static void end_by_reset(int descriptor, bool reset) {
    struct linger how = {reset, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &how, sizeof how);
}

static void let_go(side *s, bool orderly) {
    if (orderly) end_by_reset(s->descriptor, false);
    close(s->descriptor);
    s->descriptor = -1;
    free(s->rest);
    s->rest = NULL;
}

/* The end of a connection. `why`: empty if both sides have said all they wanted to. */
static void finish(relay *r, connection *c, const side *by, const char *why) {
    if (c->gone) return;
    c->gone = true;
    note_closed(r, c, by, why);
    let_go(&c->dialer, *why == 0);
    let_go(&c->acceptor, *why == 0);
    c->next_gone = r->gone;
    r->gone = c;
    atomic_fetch_sub(&r->ring.shared->open, 1);
}

void relay_bury(relay *r) {
    connection **place = &r->gone;
    while (*place != NULL) {
        connection *c = *place;
        if (c->queued) { /* it waits for a turn, which forgets it */
            place = &c->next_gone;
        } else {
            *place = c->next_gone;
            free(c);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------- passing on */

/* False: the receiver has gone. */
static bool send_rest(side *to) {
    while (to->rest != NULL) {
        ssize_t sent = send(to->descriptor, to->rest + to->rest_from, to->rest_to - to->rest_from, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN;
        to->rest_from += (size_t)sent;
        if (to->rest_from == to->rest_to) {
            free(to->rest);
            to->rest = NULL;
        }
    }
    return true;
}

/* False: the receiver has gone, or there is no memory for what it does not take. */
static bool send_all(side *to, const uint8_t *data, size_t length) {
    ssize_t sent;
    do sent = send(to->descriptor, data, length, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno != EAGAIN) return false;
    size_t done = sent < 0 ? 0 : (size_t)sent;
    if (done == length) return true;
    to->rest = malloc(length - done);
    if (to->rest == NULL) return false;
    memcpy(to->rest, data + done, length - done);
    to->rest_from = 0;
    to->rest_to = length - done;
    return true;
}

typedef enum { WAITS, GOES_ON, SENDER_GONE, RECEIVER_GONE } progress;

/* It is told where a server that goes past the tap will be found. Only plain addresses are repeated. */
static void note_past(relay *r, const connection *c, const uint8_t *data, size_t length) {
    static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.:-_|[]";
    char address[ANNOUNCEMENT_MOST + 1] = "", text[ANNOUNCEMENT_MOST + 64];
    memcpy(address, data + ANNOUNCEMENT_HEAD, length - ANNOUNCEMENT_HEAD);
    for (char *at = address; *at != 0; at++)
        if (strchr(plain, *at) == NULL) *at = '?';
    int size = snprintf(text, sizeof text, "{\"note\": \"past\", \"address\": \"%s\"}", address);
    ring_put(&r->ring, c->number, RECORD_NOTE, text, (size_t)size);
}

/* The first bytes of a dialer that may tell where it can be dialed. Nothing is taken before all of that is there. */
static progress pass_announcement(relay *r, connection *c, side *from, side *to) {
    uint8_t first[ANNOUNCEMENT_MOST], changed[ANNOUNCEMENT_MOST];
    ssize_t count = recv(from->descriptor, first, sizeof first, MSG_PEEK);
    if (count < 0 && errno == EAGAIN) {
        from->readable = false;
        return WAITS;
    }
    long length = count <= 0 ? 0 : announcement_length(first, (size_t)count);
    if (length < 0 && !from->hung) {
        from->readable = false;
        return WAITS;
    }
    const announcements *known = c->expected;
    c->expected = NULL;
    if (length <= 0) return GOES_ON;
    if (recv(from->descriptor, first, (size_t)length, 0) != length) return SENDER_GONE;
    size_t size = announcement_changed(known, first, (size_t)length, changed);
    if (size == 0) note_past(r, c, first, (size_t)length);
    const uint8_t *told = size == 0 ? first : changed;
    if (size == 0) size = (size_t)length;
    ring_put(&r->ring, c->number, RECORD_DIALED, told, size);
    return send_all(to, told, size) ? GOES_ON : RECEIVER_GONE;
}

/* One stretch of bytes from one side to the other, or the news that no more will come. */
static progress pass(relay *r, connection *c, side *from, side *to) {
    if (!send_rest(to)) return RECEIVER_GONE;
    if (to->rest != NULL) return WAITS;
    if (from->ended) {
        if (!to->shut) shutdown(to->descriptor, SHUT_WR);
        to->shut = true;
        return WAITS;
    }
    if (!from->readable) return WAITS;
    if (c->expected != NULL && from == &c->dialer) return pass_announcement(r, c, from, to);
    uint8_t *room = ring_room(&r->ring, RELAY_STRETCH), *data = room ? room : r->scratch;
    ssize_t count = recv(from->descriptor, data, RELAY_STRETCH, 0);
    if (count == 0) {
        from->ended = true;
        return GOES_ON;
    }
    if (count < 0) {
        if (errno == EINTR) return GOES_ON;
        from->readable = false;
        return errno == EAGAIN ? WAITS : SENDER_GONE;
    }
    if (room == NULL) ring_miss(&r->ring, (size_t)count);
    else ring_commit(&r->ring, c->number, from == &c->dialer ? RECORD_DIALED : RECORD_ANSWERED, (size_t)count);
    if ((size_t)count < RELAY_STRETCH && !from->hung) from->readable = false;
    return send_all(to, data, (size_t)count) ? GOES_ON : RECEIVER_GONE;
}

/* One side has gone. What it has sent before is passed on first, then the other is told in the same way. */
static void broke(relay *r, connection *c, side *by) {
    side *left = other(by);
    for (;;) {
        ssize_t count = recv(by->descriptor, r->scratch, sizeof r->scratch, 0);
        if (count <= 0) break;
        ring_put(&r->ring, c->number, by == &c->dialer ? RECORD_DIALED : RECORD_ANSWERED, r->scratch, (size_t)count);
        if (left->rest == NULL) send_all(left, r->scratch, (size_t)count);
    }
    finish(r, c, by, "reset");
}

static void queue(relay *r, connection *c) {
    if (c->queued) return;
    c->queued = true;
    c->next_ready = r->ready;
    r->ready = c;
}

static void work(relay *r, connection *c) {
    side *ends[2] = {&c->dialer, &c->acceptor};
    bool more = false;
    if (!c->connected || c->gone) return;
    for (int i = 0; i < 2; i++) {
        side *from = ends[i], *to = ends[1 - i];
        progress went = GOES_ON;
        for (int turn = 0; turn < RELAY_TURNS && went == GOES_ON; turn++) went = pass(r, c, from, to);
        if (went == SENDER_GONE || went == RECEIVER_GONE) {
            broke(r, c, went == SENDER_GONE ? from : to);
            return;
        }
        more = more || went == GOES_ON;
    }
    if (c->dialer.shut && c->acceptor.shut) finish(r, c, &c->dialer, "");
    else if (more) queue(r, c);
}

bool relay_turn(relay *r) {
    connection *c = r->ready;
    r->ready = NULL;
    while (c != NULL) {
        connection *next = c->next_ready;
        c->queued = false;
        work(r, c);
        c = next;
    }
    return r->ready != NULL;
}

/* ----------------------------------------------------------------------------------------------------------- events */

static bool is_connected(side *acceptor) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(acceptor->descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

void relay_event(relay *r, side *which, uint32_t events) {
    connection *c = which->connection;
    if (c->gone) return;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) which->readable = true;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) which->hung = true;
    if (!c->connected && which == &c->acceptor && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP))) {
        if (!is_connected(which)) {
            atomic_fetch_add(&r->ring.shared->refused, 1);
            finish(r, c, which, "refused");
            return;
        }
        c->connected = true;
    }
    if (!c->connected && which == &c->dialer && (events & (EPOLLHUP | EPOLLERR))) {
        finish(r, c, which, "reset"); /* gone before there was a connection */
        return;
    }
    if ((events & EPOLLERR) && which->ended) { /* it had said all it wanted to, and now will not listen either */
        broke(r, c, which);
        return;
    }
    work(r, c);
}

/* As the sockets of the two would have noticed it themselves: data at once, and a side that is no longer there. */
static void tune(int descriptor) {
    int yes = 1, idle = IDLE_SECONDS, between = PROBE_SECONDS, probes = PROBES;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    end_by_reset(descriptor, true);
}

static bool follow(relay *r, connection *c, side *s, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = s};
    *s = (side){.kind = SOURCE_SIDE, .descriptor = descriptor, .connection = c};
    tune(descriptor);
    return epoll_ctl(r->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

/* A connection for this dialer. False: it cannot be had. */
static bool begin(relay *r, link_end *link, int dialer, const struct sockaddr_storage *address) {
    int acceptor = socket(link->target.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    connection *c = acceptor < 0 ? NULL : calloc(1, sizeof *c);
    if (c == NULL) {
        if (acceptor >= 0) close(acceptor);
        return false;
    }
    c->number = (uint32_t)atomic_fetch_add(&r->ring.shared->connections, 1) + 1;
    c->expected = link->announces ? &link->announced : NULL;
    atomic_fetch_add(&r->ring.shared->open, 1);
    note_opened(r, c, link, address);
    bool dialed = connect(acceptor, (struct sockaddr *)&link->target, link->target_length) == 0 || errno == EINPROGRESS;
    bool followed = follow(r, c, &c->dialer, dialer) & follow(r, c, &c->acceptor, acceptor);
    if (!dialed || !followed) {
        atomic_fetch_add(&r->ring.shared->refused, 1);
        finish(r, c, &c->acceptor, "refused");
    }
    return true;
}

void relay_accept(relay *r, link_end *link) {
    for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
        struct sockaddr_storage address = {0};
        socklen_t length = sizeof address;
        int dialer = accept4(link->descriptor, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (dialer < 0) {
            link->paused = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            return;
        }
        if (!begin(r, link, dialer, &address)) {
            close(dialer);
            atomic_fetch_add(&r->ring.shared->refused, 1);
            link->paused = true;
            return;
        }
    }
}
