/* What a model says while states are expanded: kept by each worker, told in the order of one. */

#include <stdlib.h>
#include <string.h>

#include "internal.h"

static bool has_room(gm_said *said, uint64_t more) {
  if (said->room - said->used >= more) return true;
  uint64_t room = said->room ? said->room : 4096;
  while (room - said->used < more) room *= 2;
  unsigned char *bytes = realloc(said->bytes, room);
  if (!bytes) return false;
  said->bytes = bytes;
  said->room = room;
  return true;
}

void gm_say(gm_sink *sink, const void *bytes, size_t size) {
  gm_said *said = &sink->said;
  if (said->silent) return;
  gm_saying head = {said->parent, said->before, (uint32_t)size};
  if (size > UINT32_MAX || !has_room(said, sizeof head + size)) {
    sink->failed = true;
    return;
  }
  memcpy(said->bytes + said->used, &head, sizeof head);
  memcpy(said->bytes + said->used + sizeof head, bytes, size);
  said->used += sizeof head + size;
}

void gm_begin_branch(gm_sink *sink) { sink->said.before = sink->count - sink->start; }

void gm_unsay(gm_sink *sink) { sink->said.used = sink->said.start = sink->said.heard = 0; }

/* The state of what comes next; GM_NO_STATE if there is nothing more. */
static uint64_t next_parent(const gm_said *said, gm_saying *head) {
  if (said->heard == said->used) return GM_NO_STATE;
  memcpy(head, said->bytes + said->heard, sizeof *head);
  return head->parent;
}

/* Whose turn it is, and the first state that is another's. NULL if nobody has anything more to say. Each worker takes
   states in order, and says all there is to say of one. */
static gm_said *first_of(gm_core *core, uint64_t *until) {
  gm_said *first = NULL;
  uint64_t least = GM_NO_STATE;
  gm_saying head;
  *until = GM_NO_STATE;
  for (uint32_t i = 0; i < core->limits.workers; i++) {
    gm_said *said = &core->workers[i].sink.said;
    uint64_t parent = next_parent(said, &head);
    if (parent < least) {
      *until = least;
      least = parent;
      first = said;
    } else if (parent < *until) {
      *until = parent;
    }
  }
  return first;
}

/* Passes over what this worker has to say of states before `until`, up to the end. Returns where that is, in bytes. */
static uint64_t end_of(gm_said *said, uint64_t until, uint64_t parent, uint32_t successors) {
  uint64_t end = said->heard, next;
  gm_saying head;
  while ((next = next_parent(said, &head)) < until) {
    said->heard += sizeof head + head.size;
    if (next < parent || (next == parent && head.before < successors)) end = said->heard;
  }
  return end;
}

void gm_pass_on(gm_core *core, uint64_t parent, uint32_t successors) {
  if (!core->model.said) return;
  uint64_t until;
  gm_said *said;
  while ((said = first_of(core, &until))) {
    uint64_t start = said->heard, end = end_of(said, until, parent, successors);
    if (end > start) core->model.said(core->model.context, said->bytes + start, end - start);
  }
  for (uint32_t i = 0; i < core->limits.workers; i++) gm_unsay(&core->workers[i].sink);
}
