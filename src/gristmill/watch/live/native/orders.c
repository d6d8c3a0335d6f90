#define _GNU_SOURCE
#include "orders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

_Noreturn void fail(const char *what) {
    fprintf(stderr, "%s: %s: %s\n", program_name, what, strerror(errno));
    exit(1);
}

void orders_take(ring *ring, order_taker *take, void *program) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    setvbuf(stdin, NULL, _IONBF, 0); /* what follows `go` is read elsewhere */
    while ((length = getline(&line, &room, stdin)) > 0) {
        int descriptor;
        unsigned long long size;
        if (line[length - 1] == '\n') line[length - 1] = 0;
        if (sscanf(line, "ring %d %llu", &descriptor, &size) == 2) {
            if (!ring_map(ring, descriptor, size)) fail("the ring cannot be mapped");
        } else if (strcmp(line, "go") == 0) {
            free(line);
            return;
        } else if (!take(program, line)) {
            errno = EINVAL;
            fail(line);
        }
    }
    exit(0); /* whoever has started us is gone */
}
