#define _GNU_SOURCE
#include "announcing.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t VERSION[7] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00}; /* and 0 or 1 */

bool announcements_add(announcements *a, int64_t server, int port, const char *told) {
    announced *all = realloc(a->all, (a->count + 1) * sizeof *all);
    if (all == NULL) return false;
    a->all = all;
    a->all[a->count] = (announced){server, port, strdup(told)};
    return a->all[a->count++].told != NULL;
}

static uint64_t number(const uint8_t *data, int bytes) {
    uint64_t found = 0;
    for (int i = 0; i < bytes; i++) found = found << 8 | data[i];
    return found;
}

long announcement_length(const uint8_t *data, size_t count) {
    size_t common = count < sizeof VERSION ? count : sizeof VERSION;
    if (count == 0 || memcmp(data, VERSION, common) != 0) return 0;
    if (count < ANNOUNCEMENT_HEAD) return -1;
    uint64_t length = number(data + 16, 4);
    if (length == 0 || length > ANNOUNCEMENT_MOST - ANNOUNCEMENT_HEAD) return 0;
    return count < ANNOUNCEMENT_HEAD + length ? -1 : (long)(ANNOUNCEMENT_HEAD + length);
}

/* The port behind the last colon; -1 if there is none. */
static int port_of(const char *address, size_t length) {
    size_t at = length;
    int port = 0;
    while (at > 0 && address[at - 1] != ':') at--;
    if (at == 0 || at == length || length - at > 5) return -1;
    for (; at < length; at++) {
        if (address[at] < '0' || address[at] > '9') return -1;
        port = 10 * port + (address[at] - '0');
    }
    return port;
}

static const char *told_instead(const announcements *a, int64_t server, int port) {
    for (size_t i = 0; i < a->count; i++)
        if (a->all[i].server == server && a->all[i].port == port) return a->all[i].told;
    return NULL;
}

size_t announcement_changed(const announcements *a, const uint8_t *data, size_t length, uint8_t *out) {
    const char *text = (const char *)data + ANNOUNCEMENT_HEAD;
    size_t left = length - ANNOUNCEMENT_HEAD, written = 0;
    int64_t server = (int64_t)number(data + 8, 8);
    for (;;) {
        const char *bar = memchr(text, '|', left);
        size_t size = bar == NULL ? left : (size_t)(bar - text);
        const char *told = told_instead(a, server, port_of(text, size));
        if (told == NULL) return 0;
        size_t needed = strlen(told) + (written > 0);
        if (ANNOUNCEMENT_HEAD + written + needed > ANNOUNCEMENT_MOST) return 0;
        if (written > 0) out[ANNOUNCEMENT_HEAD + written++] = '|';
        memcpy(out + ANNOUNCEMENT_HEAD + written, told, strlen(told));
        written += strlen(told);
        if (bar == NULL) break;
        left -= size + 1;
        text = bar + 1;
    }
    memcpy(out, data, ANNOUNCEMENT_HEAD - 4);
    for (int i = 0; i < 4; i++) out[16 + i] = (uint8_t)(written >> (8 * (3 - i)));
    return ANNOUNCEMENT_HEAD + written;
}
