/* TCP put together, with random packets: cut, repeated, overlapping, out of order, lost; and what comes out is compared
 * with what was sent. Arguments: a seed, and how many connections. */
#define _GNU_SOURCE
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RING = 1 << 20, LENGTH = 6000, MOST_PACKETS = 400 };

static uint64_t state;

static uint32_t chance(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

static void check(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

typedef struct {
    uint8_t data[LENGTH];
    uint32_t first;      /* sequence number of the first byte */
    size_t sent;         /* up to where packets were made */
    uint8_t got[LENGTH];
    size_t got_length;
} direction;

static uint8_t out[RING];

/* What was noted since the last time; the number of notes that a connection is torn. */
static int take(ring *r, direction *ways) {
    int torn = 0;
    uint64_t length = ring_take(r, out, RING), at = 0;
    while (at < length) {
        uint8_t kind = out[at + 20];
        uint32_t size;
        memcpy(&size, out + at + 21, 4);
        if (kind <= RECORD_ANSWERED) {
            check(ways[kind].got_length + size <= LENGTH, "more than was sent");
            memcpy(ways[kind].got + ways[kind].got_length, out + at + RECORD_HEAD, size);
            ways[kind].got_length += size;
        }
        torn += kind == RECORD_NOTE;
        at += RECORD_HEAD + size;
    }
    return torn;
}

static void see(streams *s, const endpoint *ends, int from, uint32_t sequence, uint32_t acknowledged, uint8_t flags,
                const uint8_t *data, size_t length) {
    segment p = {.from = ends[from], .to = ends[1 - from], .sequence = sequence, .acknowledged = acknowledged,
                 .flags = flags, .length = length, .captured = length, .time = 1};
    uint8_t *copy = malloc(length ? length : 1); /* so that a sanitizer knows where it ends */
    if (length > 0) memcpy(copy, data, length);
    p.data = copy;
    streams_see(s, &p);
    free(copy);
}

/* All of both directions, in pieces, in a random order, some twice; `lose`: one piece never comes and is acknowledged. */
static void one(streams *s, ring *r, endpoint *ends, bool lose) {
    static direction ways[2];
    memset(ways, 0, sizeof ways);
    for (int i = 0; i < 2; i++) {
        ways[i].first = chance(4) ? chance(0xffffffff) : 0xffffffffu - chance(LENGTH); /* also where numbers wrap */
        for (int k = 0; k < LENGTH; k++) ways[i].data[k] = (uint8_t)chance(256);
    }
    see(s, ends, 0, ways[0].first - 1, 0, TCP_SYN, NULL, 0);
    if (chance(3) == 0) see(s, ends, 0, ways[0].first - 1, 0, TCP_SYN, NULL, 0);
    see(s, ends, 1, ways[1].first - 1, ways[0].first, TCP_SYN | TCP_ACK, NULL, 0);
    size_t done[2] = {0, 0};
    int torn = 0;
    while (done[0] < LENGTH || done[1] < LENGTH) {
        int i = (int)chance(2);
        if (done[i] == LENGTH) i = 1 - i;
        /* a window of pieces from here on, sent in a random order until all are there */
        size_t end = done[i] + 1 + chance(1500);
        if (end > LENGTH) end = LENGTH;
        size_t cuts[8], pieces = 1 + chance(6);
        cuts[0] = done[i];
        for (size_t k = 1; k < pieces; k++) cuts[k] = done[i] + chance((uint32_t)(end - done[i]));
        bool sent[8] = {false};
        for (size_t left = pieces; left > 0;) {
            size_t k = chance((uint32_t)pieces);
            size_t from = cuts[k], to = end; /* overlapping: each piece reaches up to some other place */
            if (k != 0 || pieces > 1) to = from + 1 + chance((uint32_t)(end - from));
            if (k == 0 && left == 1) to = end;
            see(s, ends, i, ways[i].first + (uint32_t)from, ways[1 - i].first + (uint32_t)ways[1 - i].got_length, TCP_ACK,
                ways[i].data + from, to - from);
            if (!sent[k]) left--;
            sent[k] = true;
        }
        if (!lose || end < LENGTH)
            see(s, ends, i, ways[i].first + (uint32_t)done[i], ways[1 - i].first + (uint32_t)ways[1 - i].got_length, TCP_ACK,
                ways[i].data + done[i], end - done[i]);
        done[i] = end;
        torn += take(r, ways);
        if (!torn) check(ways[i].got_length <= end, "ahead of what was sent");
        if (lose && end == LENGTH) break;
    }
    for (int i = 0; i < 2; i++)
        check(memcmp(ways[i].got, ways[i].data, ways[i].got_length) == 0, "other bytes than were sent");
    if (lose) { /* the receivers have all of it, and more */
        see(s, ends, 0, ways[0].first + LENGTH, ways[1].first + LENGTH + 1, TCP_ACK, NULL, 0);
        see(s, ends, 1, ways[1].first + LENGTH, ways[0].first + LENGTH + 1, TCP_ACK, NULL, 0);
        torn += take(r, ways);
        check(torn == 1, "what was not seen is not noted as torn, once");
        see(s, ends, 0, 0, 0, TCP_RST, NULL, 0);
    } else {
        check(torn == 0, "torn, and all was there");
        check(ways[0].got_length == LENGTH && ways[1].got_length == LENGTH, "not all that was sent");
        see(s, ends, 0, ways[0].first + LENGTH, ways[1].first + LENGTH, TCP_ACK | TCP_FIN, NULL, 0);
        see(s, ends, 1, ways[1].first + LENGTH, ways[0].first + LENGTH + 1, TCP_ACK | TCP_FIN, NULL, 0);
        see(s, ends, 0, ways[0].first + LENGTH + 1, ways[1].first + LENGTH + 1, TCP_ACK, NULL, 0);
    }
    check(take(r, ways) == 0, "torn after the end");
    check(atomic_load(&r->shared->open) == 0, "not closed");
    check(ways[0].got_length <= LENGTH, "more than all");
}

int main(int count, char **arguments) {
    ring r;
    if (count != 3) return 2;
    state = strtoull(arguments[1], NULL, 10);
    int memory = memfd_create("ring", 0);
    check(memory >= 0 && ftruncate(memory, sysconf(_SC_PAGESIZE) + RING) == 0 && ring_map(&r, memory, RING), "no memory");
    endpoint ends[2] = {{.host = {127, 0, 0, 1}, .length = 4, .port = 40000}, {.host = {127, 0, 0, 1}, .length = 4, .port = 2380}};
    watched_port port = {.at = ends[1], .about = (char[]){"\"name\": \"x\""}};
    streams *s = streams_new(&r, &port, 1);
    for (int i = 0; i < atoi(arguments[2]); i++) {
        ends[0].port = (uint16_t)(40000 + chance(300)); /* ports are used again */
        one(s, &r, ends, chance(4) == 0);
    }
    streams_free(s);
    ring_unmap(&r);
    close(memory);
    return 0;
}
