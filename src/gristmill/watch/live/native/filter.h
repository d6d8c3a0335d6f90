/* What the kernel hands over of all that goes by: TCP from or to some ports, and of the loopback only what is sent, as
 * each packet comes by there twice. */
#ifndef GRISTMILL_FILTER_H
#define GRISTMILL_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

enum { FILTER_MOST_PORTS = 400, FILTER_ROOM = 8 * FILTER_MOST_PORTS + 64 };

/* How many instructions. With more ports than that, all of TCP passes. */
size_t filter_make(struct sock_filter *out, const uint16_t *ports, size_t count);

#endif
