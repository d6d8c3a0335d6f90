/* What a program of ours is told, by lines on its standard input:
 *
 *     ring DESCRIPTOR SIZE     where to note what goes by (ring.h)
 *     go                       that was all
 *
 * and lines of its own.
 */
#ifndef GRISTMILL_ORDERS_H
#define GRISTMILL_ORDERS_H

#include "ring.h"

/* A line that is none of the above. False: it means nothing. */
typedef bool order_taker(void *program, const char *line);

/* Up to "go". Ends the process if whoever has started us is gone before that; if a line means nothing, by `fail`. */
void orders_take(ring *ring, order_taker *take, void *program);

/* The end of the process, with what was wrong, as errno says. */
_Noreturn void fail(const char *what);

/* How the program is called in what it says. */
extern const char *const program_name;

#endif
