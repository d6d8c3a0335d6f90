/* Passive capture: what goes by on the interfaces of this machine, put together and noted.
 *
 * Told by lines on standard input what to do (orders.h):
 *
 *     port FAMILY HOST PORT ABOUT         a port that is watched; HOST is * for any address
 *     packets DESCRIPTOR INTERFACE        a packet socket that is not bound yet, and the number of an interface; 0: all
 *
 * and "end", at last.
 *
 * Packets come from the kernel in blocks of memory that it shares with us (TPACKET_V3), in the order in which it has
 * handled them: that order is the order of records. It is the order of what happened if all that is watched happens on
 * this machine: a packet is seen when it is sent, before it is received.
 */
#define _GNU_SOURCE
#include "filter.h"
#include "orders.h"
#include "streams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BLOCK = 1 << 20, BLOCKS = 64, FRAME = 1 << 11, RETIRE_MS = 10, WAIT_MS = 200 };

const char *const program_name = "capture";

typedef struct {
    ring ring;
    watched_port *ports;
    size_t port_count;
    int packets, interface;
    uint8_t *blocks;
    size_t next; /* block */
    streams *streams;
} capture;

/* ------------------------------------------------------------------------------------------------- what we are told */

static void add_port(capture *c, const char *line) {
    int family, port, at = 0;
    char host[64];
    if (sscanf(line, "port %d %63s %d %n", &family, host, &port, &at) != 3 || at == 0) fail(line);
    watched_port *ports = realloc(c->ports, (c->port_count + 1) * sizeof *ports);
    if (ports == NULL) fail("memory");
    c->ports = ports;
    watched_port *new = &ports[c->port_count++];
    *new = (watched_port){.anywhere = strcmp(host, "*") == 0, .about = strdup(line + at)};
    new->at.port = (uint16_t)port;
    new->at.length = family == 6 ? 16 : 4;
    if (!new->anywhere && inet_pton(family == 6 ? AF_INET6 : AF_INET, host, new->at.host) != 1) fail(host);
    if (new->about == NULL) fail("memory");
}

static bool take_order(void *program, const char *line) {
    capture *c = program;
    if (strncmp(line, "port ", 5) == 0) {
        add_port(c, line);
        return true;
    }
    return sscanf(line, "packets %d %d", &c->packets, &c->interface) == 2;
}

/* ----------------------------------------------------------------------------------------------------- the packets */

static void set_filter(const capture *c) {
    static struct sock_filter code[FILTER_ROOM];
    uint16_t *ports = calloc(c->port_count + 1, sizeof *ports);
    if (ports == NULL) fail("memory");
    for (size_t i = 0; i < c->port_count; i++) ports[i] = c->ports[i].at.port;
    struct sock_fprog program = {(unsigned short)filter_make(code, ports, c->port_count), code};
    if (setsockopt(c->packets, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0) fail("filter");
    free(ports);
}

static void open_packets(capture *c) {
    int version = TPACKET_V3;
    struct tpacket_req3 request = {
        .tp_block_size = BLOCK, .tp_block_nr = BLOCKS, .tp_frame_size = FRAME,
        .tp_frame_nr = (BLOCK / FRAME) * BLOCKS, .tp_retire_blk_tov = RETIRE_MS,
    };
    struct sockaddr_ll place = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = c->interface};
    set_filter(c);
    if (setsockopt(c->packets, SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0) fail("TPACKET_V3");
    if (setsockopt(c->packets, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) != 0) fail("PACKET_RX_RING");
    c->blocks = mmap(NULL, (size_t)BLOCK * BLOCKS, PROT_READ | PROT_WRITE, MAP_SHARED, c->packets, 0);
    if (c->blocks == MAP_FAILED) fail("the packets cannot be mapped");
    if (bind(c->packets, (struct sockaddr *)&place, sizeof place) != 0) fail("bind");
}

static void shrug(capture *c) { atomic_fetch_add(&c->ring.shared->shrugged, 1); }

/* The part of a packet after IP's head. `total`: its length as IP says, `captured`: as we have it. */
static void see_tcp(capture *c, segment *s, const uint8_t *data, size_t total, size_t captured) {
    if (captured < sizeof(struct tcphdr) || total < sizeof(struct tcphdr)) {
        shrug(c);
        return;
    }
    struct tcphdr head;
    memcpy(&head, data, sizeof head);
    size_t offset = (size_t)head.doff * 4;
    if (offset < sizeof head || offset > total || offset > captured) {
        shrug(c);
        return;
    }
    s->from.port = ntohs(head.source);
    s->to.port = ntohs(head.dest);
    s->sequence = ntohl(head.seq);
    s->acknowledged = ntohl(head.ack_seq);
    s->flags = (uint8_t)((head.fin ? TCP_FIN : 0) | (head.syn ? TCP_SYN : 0) | (head.rst ? TCP_RST : 0) | (head.ack ? TCP_ACK : 0));
    s->data = data + offset;
    s->length = total - offset;
    s->captured = captured - offset < s->length ? captured - offset : s->length;
    streams_see(c->streams, s);
}

static void see_four(capture *c, segment *s, const uint8_t *data, size_t captured, size_t sent) {
    struct iphdr head;
    if (captured < sizeof head) {
        shrug(c);
        return;
    }
    memcpy(&head, data, sizeof head);
    size_t offset = (size_t)head.ihl * 4, total = ntohs(head.tot_len) ? ntohs(head.tot_len) : sent;
    bool fragment = (ntohs(head.frag_off) & (IP_MF | IP_OFFMASK)) != 0;
    if (head.protocol != IPPROTO_TCP || fragment || offset < sizeof head || offset > captured || offset > total) {
        shrug(c);
        return;
    }
    s->from.length = s->to.length = 4;
    memcpy(s->from.host, &head.saddr, 4);
    memcpy(s->to.host, &head.daddr, 4);
    see_tcp(c, s, data + offset, total - offset, captured - offset);
}

static void see_six(capture *c, segment *s, const uint8_t *data, size_t captured) {
    struct ip6_hdr head;
    if (captured < sizeof head) {
        shrug(c);
        return;
    }
    memcpy(&head, data, sizeof head);
    if (head.ip6_nxt != IPPROTO_TCP) {
        shrug(c);
        return;
    }
    s->from.length = s->to.length = 16;
    memcpy(s->from.host, &head.ip6_src, 16);
    memcpy(s->to.host, &head.ip6_dst, 16);
    see_tcp(c, s, data + sizeof head, ntohs(head.ip6_plen), captured - sizeof head);
}

static void see_packet(capture *c, const struct tpacket3_hdr *packet) {
    const uint8_t *start = (const uint8_t *)packet + packet->tp_net;
    size_t captured = packet->tp_snaplen, sent = packet->tp_len;
    segment s = {.time = (uint64_t)packet->tp_sec * 1000000000u + packet->tp_nsec};
    if (captured == 0) return;
    switch (start[0] >> 4) {
    case 4: see_four(c, &s, start, captured, sent); break;
    case 6: see_six(c, &s, start, captured); break;
    default: shrug(c);
    }
}

static void see_block(capture *c, struct tpacket_block_desc *block) {
    const uint8_t *at = (const uint8_t *)block + block->hdr.bh1.offset_to_first_pkt;
    for (uint32_t i = 0; i < block->hdr.bh1.num_pkts; i++) {
        const struct tpacket3_hdr *packet = (const struct tpacket3_hdr *)at;
        see_packet(c, packet);
        at += packet->tp_next_offset;
    }
}

/* What the kernel had no room for may have been anything, also the whole of a connection. */
static void count_dropped(capture *c) {
    struct tpacket_stats_v3 counts;
    socklen_t size = sizeof counts;
    char text[128];
    if (getsockopt(c->packets, SOL_PACKET, PACKET_STATISTICS, &counts, &size) != 0 || counts.tp_drops == 0) return;
    atomic_fetch_add(&c->ring.shared->dropped, counts.tp_drops);
    int length = snprintf(text, sizeof text, "{\"note\": \"missed\", \"why\": \"the kernel has dropped %u packets\"}", counts.tp_drops);
    ring_put(&c->ring, 0, RECORD_NOTE, text, (size_t)length);
}

/* All blocks that the kernel has handed over. */
static void see_blocks(capture *c) {
    for (;;) {
        struct tpacket_block_desc *block = (struct tpacket_block_desc *)(c->blocks + c->next * BLOCK);
        if (!(__atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER)) return;
        see_block(c, block);
        __atomic_store_n(&block->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
        c->next = (c->next + 1) % BLOCKS;
    }
}

/* Until "end", or whoever has started us is gone. What the kernel still holds then comes after a moment. */
static void run(capture *c) {
    struct pollfd sources[2] = {{.fd = c->packets, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
    while (sources[1].revents == 0) {
        if (poll(sources, 2, WAIT_MS) < 0 && errno != EINTR) fail("poll");
        see_blocks(c);
        count_dropped(c);
    }
    usleep(3 * RETIRE_MS * 1000);
    see_blocks(c);
    count_dropped(c);
    streams_free(c->streams);
}

/* What has gone by while nobody was here is not known. */
static void note_restart(capture *c) {
    static const char text[] = "{\"note\": \"missed\", \"why\": \"the capture had ended, and was started again\"}";
    ring_shared *shared = c->ring.shared;
    if (atomic_fetch_add(&shared->writers, 1) > 0) ring_put(&c->ring, 0, RECORD_NOTE, text, sizeof text - 1);
    atomic_store(&shared->open, 0);
}

int main(void) {
    static capture c = {.packets = -1};
    signal(SIGINT, SIG_IGN);
    orders_take(&c.ring, take_order, &c);
    if (c.ring.shared == NULL || c.packets < 0) {
        errno = EINVAL;
        fail("no ring, or no packets");
    }
    c.streams = streams_new(&c.ring, c.ports, c.port_count);
    if (c.streams == NULL) fail("memory");
    note_restart(&c);
    open_packets(&c);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6) fail("nobody is there");
    run(&c);
}
