#include "filter.h"

#include <linux/if_arp.h>
#include <linux/if_packet.h>

/* Written from the front to the back: conditions jump over the next instruction only, except where they skip a whole
 * part, which is a jump with a long reach. */
typedef struct {
    struct sock_filter *out;
    size_t count;
} program;

static size_t emit(program *p, uint16_t code, uint8_t yes, uint8_t no, uint32_t value) {
    p->out[p->count] = (struct sock_filter){code, yes, no, value};
    return p->count++;
}

static void reject(program *p) { emit(p, BPF_RET | BPF_K, 0, 0, 0); }
static void accept_it(program *p) { emit(p, BPF_RET | BPF_K, 0, 0, 0x7fffffff); }

static void reject_unless(program *p, uint32_t value) {
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, value);
    reject(p);
}

static void test_port(program *p, uint16_t mode, uint32_t at, const uint16_t *ports, size_t count) {
    emit(p, BPF_LD | BPF_H | mode, 0, 0, at);
    for (size_t i = 0; i < count; i++) {
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, ports[i]);
        accept_it(p);
    }
}

static void test_ports(program *p, uint16_t mode, uint32_t at, const uint16_t *ports, size_t count) {
    if (count > FILTER_MOST_PORTS) {
        accept_it(p);
        return;
    }
    test_port(p, mode, at, ports, count);
    test_port(p, mode, at + 2, ports, count);
    reject(p);
}

size_t filter_make(struct sock_filter *out, const uint16_t *ports, size_t count) {
    program p = {out, 0};
    emit(&p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)(SKF_AD_OFF + SKF_AD_HATYPE));
    emit(&p, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, ARPHRD_LOOPBACK);
    emit(&p, BPF_LD | BPF_B | BPF_ABS, 0, 0, (uint32_t)(SKF_AD_OFF + SKF_AD_PKTTYPE));
    reject_unless(&p, PACKET_OUTGOING);
    emit(&p, BPF_LD | BPF_B | BPF_ABS, 0, 0, 0); /* the version of IP */
    emit(&p, BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xf0);
    emit(&p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0x40);
    size_t six = emit(&p, BPF_JMP | BPF_JA, 0, 0, 0);
    emit(&p, BPF_LD | BPF_B | BPF_ABS, 0, 0, 9);
    reject_unless(&p, 6);
    emit(&p, BPF_LDX | BPF_B | BPF_MSH, 0, 0, 0);
    test_ports(&p, BPF_IND, 0, ports, count);
    out[six].k = (uint32_t)(p.count - six - 1);
    reject_unless(&p, 0x60);
    emit(&p, BPF_LD | BPF_B | BPF_ABS, 0, 0, 6);
    reject_unless(&p, 6);
    test_ports(&p, BPF_ABS, 40, ports, count);
    return p.count;
}
