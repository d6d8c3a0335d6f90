/* The tap: a process of its own, between the nodes of a system.
 *
 * It is told by lines on its standard input what to do (orders.h):
 *
 *     link DESCRIPTOR FAMILY HOST PORT ABOUT     a socket that listens, where to connect to (4 or 6), what to note
 *     announces DESCRIPTOR                       dialers on this link may begin with their addresses (announcing.h)
 *     announced DESCRIPTOR SERVER PORT ADDRESS   what the peer of such a dialer is told instead
 *     stay                                       go on when whoever has started us is gone
 *
 * and "end", at last.
 *
 * Nothing here waits for a reader of the records, or for a disk. If whoever reads them is slow, records are missed and
 * counted; if it dies, the traffic goes on (`stay`) until a successor asks for the links: at a name in the kernel that
 * is made of their addresses, and only whoever has the same user, or is root, is obeyed.
 */
#define _GNU_SOURCE
#include "orders.h"
#include "relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

enum { EVENTS = 256, RETRY_MS = 100 };

const char *const program_name = "tap";

typedef struct {
    relay relay;
    link_end **links;
    size_t link_count;
    bool stay;
    source_kind control; /* as epoll knows our standard input */
} tap;

typedef struct {
    source_kind kind;
    int descriptor;
} successor;

static void follow(tap *t, int descriptor, void *source) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};
    if (epoll_ctl(t->relay.epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll");
}

/* ------------------------------------------------------------------------------------------------ what we are told */

static void set_target(link_end *link, int family, const char *host, int port) {
    if (family == 6) {
        struct sockaddr_in6 *six = (struct sockaddr_in6 *)&link->target;
        six->sin6_family = AF_INET6;
        six->sin6_port = htons((uint16_t)port);
        link->target_length = sizeof *six;
        if (inet_pton(AF_INET6, host, &six->sin6_addr) != 1) fail(host);
    } else {
        struct sockaddr_in *four = (struct sockaddr_in *)&link->target;
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        link->target_length = sizeof *four;
        if (inet_pton(AF_INET, host, &four->sin_addr) != 1) fail(host);
    }
}

static void add_link(tap *t, const char *line) {
    int descriptor, family, port, at = 0;
    char host[64];
    if (sscanf(line, "link %d %d %63s %d %n", &descriptor, &family, host, &port, &at) != 4 || at == 0) fail(line);
    link_end *link = calloc(1, sizeof *link);
    link_end **links = realloc(t->links, (t->link_count + 1) * sizeof *links);
    if (link == NULL || links == NULL) fail("memory");
    link->kind = SOURCE_LISTENER;
    link->descriptor = descriptor;
    set_target(link, family, host, port);
    link->about = strdup(line + at);
    if (link->about == NULL || fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0) fail("link");
    t->links = links;
    t->links[t->link_count++] = link;
}

static link_end *link_at(const tap *t, int descriptor) {
    for (size_t i = 0; i < t->link_count; i++)
        if (t->links[i]->descriptor == descriptor) return t->links[i];
    errno = EINVAL;
    fail("there is no such link");
}

static void add_announced(tap *t, const char *line) {
    int descriptor, port;
    long long server;
    char told[256];
    if (sscanf(line, "announces %d", &descriptor) == 1) {
        link_at(t, descriptor)->announces = true;
        return;
    }
    if (sscanf(line, "announced %d %lld %d %255s", &descriptor, &server, &port, told) != 4) fail(line);
    if (!announcements_add(&link_at(t, descriptor)->announced, server, port, told)) fail("memory");
}

static bool take_order(void *program, const char *line) {
    tap *t = program;
    if (strncmp(line, "link ", 5) == 0) add_link(t, line);
    else if (strncmp(line, "announce", 8) == 0) add_announced(t, line);
    else if (strcmp(line, "stay") == 0) t->stay = true;
    else return false;
    return true;
}

/* -------------------------------------------------------------------------------------------------- without a parent */

static void offer(tap *t, const link_end *link) {
    struct sockaddr_storage own = {0};
    socklen_t length = sizeof own;
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char host[INET6_ADDRSTRLEN] = "";
    if (getsockname(link->descriptor, (struct sockaddr *)&own, &length) != 0) return;
    bool six = own.ss_family == AF_INET6;
    const void *address = six ? (void *)&((struct sockaddr_in6 *)&own)->sin6_addr : (void *)&((struct sockaddr_in *)&own)->sin_addr;
    int port = ntohs(six ? ((struct sockaddr_in6 *)&own)->sin6_port : ((struct sockaddr_in *)&own)->sin_port);
    inet_ntop(own.ss_family, address, host, sizeof host);
    int written = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "gristmill-tap-%s-%d", host, port);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    successor *s = calloc(1, sizeof *s);
    if (descriptor < 0 || s == NULL) return;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)written);
    if (bind(descriptor, (struct sockaddr *)&name, size) != 0 || listen(descriptor, 4) != 0) {
        close(descriptor);
        free(s);
        return;
    }
    *s = (successor){SOURCE_SUCCESSOR, descriptor};
    follow(t, descriptor, s);
}

static void orphaned(tap *t) {
    if (!t->stay) exit(0);
    epoll_ctl(t->relay.epoll, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
    for (size_t i = 0; i < t->link_count; i++) offer(t, t->links[i]);
}

static void succeeded(const successor *s) {
    struct ucred who;
    socklen_t length = sizeof who;
    int descriptor = accept4(s->descriptor, NULL, NULL, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &length) == 0 && (who.uid == geteuid() || who.uid == 0))
        _exit(0); /* our connections are reset, and its own take their place */
    close(descriptor);
}

static void controlled(tap *t) {
    char text[64];
    ssize_t length = read(STDIN_FILENO, text, sizeof text);
    if (length > 0) exit(0); /* "end" is all that is said */
    if (length == 0) orphaned(t);
}

/* ------------------------------------------------------------------------------------------------------- at work */

static void handle(tap *t, const struct epoll_event *event) {
    switch (*(source_kind *)event->data.ptr) {
    case SOURCE_LISTENER: {
        link_end *link = event->data.ptr;
        relay_accept(&t->relay, link);
        if (link->paused) epoll_ctl(t->relay.epoll, EPOLL_CTL_DEL, link->descriptor, NULL);
        break;
    }
    case SOURCE_SIDE:
        relay_event(&t->relay, event->data.ptr, event->events);
        break;
    case SOURCE_CONTROL:
        controlled(t);
        break;
    case SOURCE_SUCCESSOR:
        succeeded(event->data.ptr);
        break;
    }
}

/* Links that had to stop taking connections try again. True: some still wait. */
static bool paused(tap *t, bool again) {
    bool any = false;
    for (size_t i = 0; i < t->link_count; i++) {
        link_end *link = t->links[i];
        if (link->paused && again) {
            link->paused = false;
            follow(t, link->descriptor, link);
        }
        any = any || link->paused;
    }
    return any;
}

static void run(tap *t) {
    struct epoll_event events[EVENTS];
    bool ready = false;
    for (;;) {
        int timeout = ready ? 0 : paused(t, false) ? RETRY_MS : -1;
        int count = epoll_wait(t->relay.epoll, events, EVENTS, timeout);
        if (count < 0 && errno != EINTR) fail("epoll");
        for (int i = 0; i < count; i++) handle(t, &events[i]);
        if (count == 0 && !ready) paused(t, true);
        ready = relay_turn(&t->relay);
        relay_bury(&t->relay);
    }
}

/* Connections of a predecessor are gone with it, without a word. */
static void note_restart(tap *t) {
    static const char text[] = "{\"note\": \"restarted\"}";
    ring_shared *shared = t->relay.ring.shared;
    if (atomic_fetch_add(&shared->writers, 1) > 0) ring_put(&t->relay.ring, 0, RECORD_NOTE, text, sizeof text - 1);
    atomic_store(&shared->open, 0);
}

int main(void) {
    static tap t = {.control = SOURCE_CONTROL};
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    orders_take(&t.relay.ring, take_order, &t);
    if (t.relay.ring.shared == NULL) {
        errno = EINVAL;
        fail("no ring");
    }
    t.relay.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (t.relay.epoll < 0) fail("epoll");
    note_restart(&t);
    follow(&t, STDIN_FILENO, &t.control);
    for (size_t i = 0; i < t.link_count; i++) follow(&t, t.links[i]->descriptor, t.links[i]);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6) fail("nobody is there");
    run(&t);
}
