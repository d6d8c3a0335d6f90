/* Messages out of the bytes of connections, for those who hear a lot of them: what a decoder in Python does for most of
   what comes, with no object of Python for a message.

   The decoders in Python say what is right. They begin each connection and hand it over once it is in a state that is
   known here; whatever does not look as it usually does is theirs again, with the record of the recording that it came in:
   a record is taken as a whole or not at all. So nothing here explains a mistake.

   A message becomes an *item*: who sent it to whom on which connection (a route, which Python has given a number), when,
   numbers that were asked for of it (a recipe), and the bytes that say all of it, for the day on which somebody asks. */

#ifndef LISTENING_H
#define LISTENING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct listener listener;

/* Why it has stopped: at the end; at a record that is not for us; at one that is not as usual, or on a route that is not
   known: nothing has happened with it; because enough has come of it. */
enum listen_why { LISTEN_END, LISTEN_OTHER, LISTEN_UNUSUAL, LISTEN_ROUTE, LISTEN_FULL };

typedef struct listen_result {
  uint64_t used;      /* bytes, of whole records */
  uint64_t items;     /* bytes of items that are ready */
  uint64_t messages;  /* so many are in them */
  uint64_t ignored;   /* and so many were left out, by their routes */
  uint64_t from, to;  /* of a route that is wanted, with the connection and the kind */
  uint32_t why, connection, kind, direction;
} listen_result;

/* In front of each item; its size is a multiple of 8. Behind it, the numbers (8 bytes each), and the bytes. */
typedef struct listen_item {
  uint32_t size, route;
  uint64_t number, sequence, time;
  uint32_t numbers, bytes;
} listen_item;

/* What is known of a connection when it is handed over or back. */
enum listen_form { LISTEN_MESSAGES = 1, LISTEN_APPENDS = 2, LISTEN_CALLS = 3 };

/* Forms of an item's bytes (their first byte): a message by itself, on either stream; entries that follow on the message
   before, behind its term and index; what a client asks, and what it is told. */
enum listen_bytes { BYTES_MESSAGE = 1, BYTES_APPENDED = 2, BYTES_ASKED = 3, BYTES_TOLD = 4, BYTES_IN_APPENDS = 5 };

/* Kinds of messages besides those of Raft, which have their own numbers. */
enum listen_kind { KIND_APPENDED = 64, KIND_READ, KIND_WRITE, KIND_OTHER, KIND_READ_TOLD, KIND_WRITE_TOLD,
                   KIND_OTHER_TOLD };

/* What is asked for of a message: a recipe is a list of these. FIELD_EACH: of each entry what comes next, as many as the
   word behind it says. */
enum listen_field { FIELD_TERM = 1, FIELD_LOG_TERM, FIELD_INDEX, FIELD_COMMIT, FIELD_REJECT, FIELD_NOT_REJECT,
                    FIELD_REJECT_HINT, FIELD_TOKEN, FIELD_CONTEXT, FIELD_FIRST_DATA, FIELD_EACH, FIELD_DATA, FIELD_ASKS,
                    FIELD_ID };

listener *listener_new(const uint8_t *huffman_lengths, const uint8_t *fixed_headers, size_t size);
void listener_free(listener *l);
/* False if this state is not one that can be gone on with here. */
bool listener_begin(listener *l, uint32_t connection, const uint8_t *state, size_t size);
/* How it is handed back; it is not listened to any more. Returns the size, and writes it if there is room. 0: it was not
   listened to. */
size_t listener_state(listener *l, uint32_t connection, uint8_t *out, size_t room);
void listener_end(listener *l, uint32_t connection);
/* `status`: 0 for messages that are left out, 1 for those that are wanted, 2 for those that Python makes. */
void listener_route(listener *l, uint32_t connection, uint32_t kind, uint64_t from, uint64_t to, uint32_t id,
                    uint32_t status, const uint32_t *recipe, uint32_t size);
/* All routes are asked for again, and may have other numbers. */
void listener_forget_routes(listener *l);
/* Records as a recording has them. `count`: messages before. */
void listener_hear(listener *l, const uint8_t *records, size_t size, uint64_t count, listen_result *result);
const uint8_t *listener_items(const listener *l);
/* Copies those items whose route is marked. Returns the bytes written. */
size_t listen_pick(const uint8_t *items, size_t size, const uint8_t *marks, uint32_t routes, uint8_t *out, uint64_t *count);

#endif
