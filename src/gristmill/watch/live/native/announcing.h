/* Addresses that nodes tell each other, and that must be those of the tap.
 *
 * A server of ZooKeeper that dials another one for an election begins with the address at which it can be dialed itself.
 * Of two servers only the one with the higher number keeps a connection that it has dialed: the other one's is closed,
 * and the address that came on it is dialed. That would go past the tap, whatever servers are told about each other in
 * their configuration. So it is replaced by the address of the link back.
 *
 *     long version (-65536, or -65535), long server, int length, that many bytes of HOST:PORT; or several, | between them
 */
#ifndef GRISTMILL_ANNOUNCING_H
#define GRISTMILL_ANNOUNCING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANNOUNCEMENT_HEAD = 20, ANNOUNCEMENT_MOST = 1024 };

/* What a server with this number says of itself, by the port, and what its peer is to be told instead. */
typedef struct {
    int64_t server;
    int port;
    char *told;
} announced;

typedef struct {
    announced *all;
    size_t count;
} announcements;

/* False: there is no memory. */
bool announcements_add(announcements *a, int64_t server, int port, const char *told);

/* The length of an announcement at the beginning of what a dialer has sent. 0: there is none. -1: it has just begun. */
long announcement_length(const uint8_t *data, size_t count);

/* The announcement that the peer is to be told: its length, at most ANNOUNCEMENT_MOST. 0: nothing is known about this
 * server and port. */
size_t announcement_changed(const announcements *a, const uint8_t *data, size_t length, uint8_t *out);

#endif
