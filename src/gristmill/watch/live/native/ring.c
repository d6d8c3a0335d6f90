#define _GNU_SOURCE
#include "ring.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

bool ring_map(ring *r, int descriptor, uint64_t size) {
    long page = sysconf(_SC_PAGESIZE);
    *r = (ring){.size = size};
    void *shared = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (shared == MAP_FAILED) return false;
    uint8_t *data = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) {
        munmap(shared, (size_t)page);
        return false;
    }
    for (int copy = 0; copy < 2; copy++) {
        void *place = data + (uint64_t)copy * size;
        if (mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, page) == MAP_FAILED) {
            munmap(data, 2 * size);
            munmap(shared, (size_t)page);
            return false;
        }
    }
    r->shared = shared;
    r->data = data;
    return true;
}

void ring_unmap(ring *r) {
    munmap(r->data, 2 * r->size);
    munmap(r->shared, (size_t)sysconf(_SC_PAGESIZE));
    *r = (ring){0};
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t head_of(const ring *r) { return atomic_load_explicit(&r->shared->head, memory_order_relaxed); }

static bool has_room(const ring *r, uint64_t length) {
    uint64_t tail = atomic_load_explicit(&r->shared->tail, memory_order_acquire);
    return head_of(r) - tail + RECORD_HEAD + length <= r->size;
}

static void little(uint8_t *out, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) out[i] = (uint8_t)(value >> (8 * i));
}

static void commit_at(ring *r, uint32_t connection, uint8_t direction, size_t length, uint64_t time) {
    uint64_t head = head_of(r);
    uint8_t *out = r->data + head % r->size;
    little(out, atomic_fetch_add_explicit(&r->shared->sequence, 1, memory_order_relaxed), 8);
    little(out + 8, time, 8);
    little(out + 16, connection, 4);
    out[20] = direction;
    little(out + 21, length, 4);
    atomic_store_explicit(&r->shared->head, head + RECORD_HEAD + length, memory_order_release);
}

/* Before anything else is kept, it is said what was not. */
static bool told_what_is_missing(ring *r, size_t length) {
    char text[128];
    ring_shared *s = r->shared;
    uint64_t missed = s->missed, bytes = s->missed_bytes;
    if (missed == s->told) return true;
    int written = snprintf(text, sizeof text, "{\"note\": \"missed\", \"records\": %llu, \"bytes\": %llu}",
                           (unsigned long long)(missed - s->told), (unsigned long long)(bytes - s->told_bytes));
    if (!has_room(r, (uint64_t)written + RECORD_HEAD + length)) return false;
    memcpy(r->data + head_of(r) % r->size + RECORD_HEAD, text, (size_t)written);
    commit_at(r, 0, RECORD_NOTE, (size_t)written, now());
    s->told = missed;
    s->told_bytes = bytes;
    return true;
}

uint8_t *ring_room(ring *r, size_t length) {
    if (!told_what_is_missing(r, length) || !has_room(r, length)) return NULL;
    return r->data + head_of(r) % r->size + RECORD_HEAD;
}

void ring_commit(ring *r, uint32_t connection, uint8_t direction, size_t length) {
    commit_at(r, connection, direction, length, now());
}

void ring_miss(ring *r, size_t length) {
    atomic_fetch_add_explicit(&r->shared->sequence, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&r->shared->missed, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&r->shared->missed_bytes, length, memory_order_relaxed);
}

void ring_put(ring *r, uint32_t connection, uint8_t direction, const void *data, size_t length) {
    ring_put_at(r, connection, direction, data, length, 0);
}

void ring_put_at(ring *r, uint32_t connection, uint8_t direction, const void *data, size_t length, uint64_t time) {
    uint8_t *out = ring_room(r, length);
    if (out == NULL) {
        ring_miss(r, length);
        return;
    }
    memcpy(out, data, length);
    commit_at(r, connection, direction, length, time ? time : now());
}

static uint64_t length_at(const ring *r, uint64_t at) {
    const uint8_t *length = r->data + at % r->size + 21;
    return RECORD_HEAD + ((uint64_t)length[0] | (uint64_t)length[1] << 8 | (uint64_t)length[2] << 16 | (uint64_t)length[3] << 24);
}

uint64_t ring_take(ring *r, uint8_t *out, uint64_t most) {
    uint64_t head = atomic_load_explicit(&r->shared->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&r->shared->tail, memory_order_relaxed);
    uint64_t end = tail;
    while (end < head && end + length_at(r, end) - tail <= most) end += length_at(r, end);
    memcpy(out, r->data + tail % r->size, end - tail);
    atomic_store_explicit(&r->shared->tail, end, memory_order_release);
    return end - tail;
}
