#include "checkpoint.h"

#include "packing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct path {
  char text[4096];
} path;

static int path_of(const gm_core *core, const char *name, path *out) {
  int length = snprintf(out->text, sizeof out->text, "%s/%s", core->limits.checkpoint_directory, name);
  return length > 0 && (size_t)length < sizeof out->text ? 0 : -1;
}

int gm_open_in(const gm_core *core, const char *name, int flags) {
  path found;
  return path_of(core, name, &found) == 0 ? open(found.text, flags | O_CLOEXEC, 0600) : -1;
}

int gm_unlink_in(const gm_core *core, const char *name) {
  path found;
  return path_of(core, name, &found) == 0 ? unlink(found.text) : -1;
}

/* With fingerprints only, words of states that wait are kept, and no others: a few, and others each time. */
static const char *frontier(uint64_t turn) { return turn % 2 ? "frontier-1" : "frontier-0"; }

static gm_part list_states(gm_core *core, const gm_header *header, uint64_t state) {
  uint64_t end = gm_state_offset(core, header->count);
  if (!core->limits.fingerprints_only) return (gm_part){"states", &core->states, 0, end, false};
  return (gm_part){frontier(header->turn), &core->states, header->states_dropped * state, end, true};
}

uint32_t gm_list_parts(gm_core *core, const gm_header *header, gm_part parts[GM_PARTS]) {
  uint64_t states = header->count, word = sizeof(uint32_t), state = core->model.words * word;
  uint32_t count = 0;
  parts[count++] = list_states(core, header, state);
  if (core->limits.fingerprints_only) /* these keep their words, in front of others that do not */
    parts[count++] = (gm_part){"initial", &core->states, 0, header->initial_count * state, false};
  parts[count++] = (gm_part){"parents", &core->parents, 0, states * core->parent_bytes, false};
  parts[count++] = (gm_part){"actions", &core->actions, 0, states * core->action_bytes, false};
  parts[count++] = (gm_part){"jumps", &core->jumps, 0, header->jumps * sizeof(gm_jump), false};
  if (core->key_region.base) parts[count++] = (gm_part){"keys", &core->key_region, 0, states * core->key_words * word, false};
  if (!core->model.keep_edges) return count;
  parts[count++] = (gm_part){"edge-starts", &core->edge_starts, 0, (header->expanded + 1) * sizeof(uint64_t), false};
  parts[count++] = (gm_part){"edge-targets", &core->edge_targets, 0, header->edge_count * word, false};
  parts[count++] = (gm_part){"edge-actions", &core->edge_actions, 0, header->edge_count * core->action_bytes, false};
  return count;
}

int gm_hash_file(int file, uint64_t *hash) {
  uint32_t block[4096];
  off_t at = 2 * sizeof(uint64_t);
  *hash = 1;
  for (;;) {
    memset(block, 0, sizeof block);
    ssize_t got = pread(file, block, sizeof block, at);
    if (got < 0) return -1;
    if (got == 0) return 0;
    *hash = (*hash ^ gm_hash(block, sizeof block / sizeof *block)) * 0x9e3779b97f4a7c15u + (uint64_t)got;
    at += got;
  }
}

static int write_at(int file, const void *bytes, uint64_t count, uint64_t offset) {
  const char *at = bytes;
  while (count > 0) {
    ssize_t written = pwrite(file, at, count < (1u << 30) ? count : (1u << 30), (off_t)offset);
    if (written <= 0) return -1;
    at += written, offset += (uint64_t)written, count -= (uint64_t)written;
  }
  return 0;
}

static int save(int file) {
#ifdef __linux__
  return fdatasync(file);
#else
  return fsync(file);
#endif
}

/* From byte `start` of the array to its end. A file that was there before may have been longer. */
static int write_part(const gm_core *core, const gm_part *part, uint64_t start) {
  int file = gm_open_in(core, part->name, O_WRONLY | O_CREAT);
  if (file < 0) return -1;
  int failed = write_at(file, part->region->base + start, part->end - start, start - part->start) != 0 ||
               ftruncate(file, (off_t)(part->end - part->start)) != 0 || save(file) != 0;
  return close(file) != 0 || failed ? -1 : 0;
}

/* What has come since the last time, or everything; and its checksum. */
static int put_part(gm_core *core, const gm_part *part, gm_saved *saved, uint64_t *sum) {
  if (part->anew) *saved = (gm_saved){.bytes = part->start};
  bool changed = saved->bytes < part->end || core->turn == 0 || part->anew;
  if (changed && write_part(core, part, saved->bytes) != 0) return -1;
  saved->bytes = part->end;
  const unsigned char *base = part->region->base + part->start;
  gm_checksum_extend(&saved->sum, base, part->end - part->start);
  *sum = gm_checksum_value(&saved->sum, base, part->end - part->start);
  return 0;
}

static int put_parts(gm_core *core, gm_header *header) {
  gm_part parts[GM_PARTS];
  uint32_t count = gm_list_parts(core, header, parts);
  for (uint32_t i = 0; i < count; i++)
    if (put_part(core, &parts[i], &core->saved[i], &header->sums[i]) != 0) return -1;
  return 0;
}

static gm_header header_of(gm_core *core) {
  gm_header header = {.magic = GM_MAGIC, .identity = core->model.identity, .words = core->model.words};
  header.key_words = core->model.key_words;
  header.actions = core->model.actions;
  header.fingerprints = core->limits.fingerprints_only;
  header.edges = core->model.keep_edges;
  header.levels = core->levels;
  header.level = core->level;
  header.count = core->count;
  header.expanded = core->expanded;
  header.level_end = core->level_end;
  header.initial_generated = core->initial_generated;
  header.initial_count = core->initial_count;
  header.cut = core->cut;
  header.edge_count = core->edge_count;
  header.states_dropped = core->states_dropped;
  header.incidents = core->incidents.count;
  header.turn = core->turn;
  header.jumps = core->jump_count;
  header.layouts = core->layout_count;
  return header;
}

static int put(int file, const void *bytes, uint64_t count) {
  const char *at = bytes;
  while (count > 0) {
    ssize_t written = write(file, at, count);
    if (written <= 0) return -1;
    at += written, count -= (uint64_t)written;
  }
  return 0;
}

static int put_bytes(int file, void *bytes, uint64_t count) { return put(file, bytes, count); }

static int put_incidents(const gm_core *core, int file) {
  for (uint64_t i = 0; i < core->incidents.count; i++) {
    const gm_event *event = &core->incidents.items[i];
    uint64_t row[6] = {event->parent, event->target, event->action, event->kind, event->words != NULL, event->reasons};
    if (put(file, row, sizeof row) != 0) return -1;
    if (event->words && put(file, event->words, core->model.words * sizeof(uint32_t)) != 0) return -1;
  }
  return 0;
}

static int put_all(gm_core *core, int file, const gm_header *header) {
  uint64_t actions = core->model.actions * sizeof(uint64_t);
  if (put(file, header, sizeof *header) != 0 || put(file, core->taken, actions) != 0) return -1;
  if (put(file, core->found, actions) != 0 || gm_layouts_move(core, file, core->layout_count, put_bytes) != 0) return -1;
  if (put(file, core->level_starts, core->levels * sizeof(uint64_t)) != 0 || put_incidents(core, file) != 0) return -1;
  return core->model.save ? core->model.save(core->model.context, file) : 0;
}

static int put_hash(int file) {
  uint64_t hash;
  if (gm_hash_file(file, &hash) != 0) return -1;
  return write_at(file, &hash, sizeof hash, offsetof(gm_header, whole));
}

/* The names in a directory are also only safe when it was saved. */
static int save_names(const gm_core *core) {
  int file = open(core->limits.checkpoint_directory, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  fsync(file);
  return close(file);
}

static int exchange(const gm_core *core) {
  path from, to;
  if (path_of(core, "checkpoint.new", &from) != 0 || path_of(core, "checkpoint", &to) != 0) return -1;
  return rename(from.text, to.text) != 0 ? -1 : save_names(core);
}

static int put_header(gm_core *core, int file, const gm_header *header) {
  return put_all(core, file, header) != 0 || put_hash(file) != 0 || save(file) != 0 ? -1 : 0;
}

int gm_checkpoint_write(gm_core *core) {
  if (mkdir(core->limits.checkpoint_directory, 0700) != 0 && access(core->limits.checkpoint_directory, W_OK) != 0)
    return -1;
  int file = gm_open_in(core, "checkpoint.new", O_RDWR | O_CREAT | O_TRUNC);
  if (file < 0) return -1;
  gm_header header = header_of(core);
  int failed = save_names(core) != 0 || put_parts(core, &header) != 0 || put_header(core, file, &header) != 0;
  if (close(file) != 0 || failed || exchange(core) != 0) return -1;
  core->turn++;
  if (core->limits.fingerprints_only) gm_unlink_in(core, frontier(core->turn)); /* if there is one, it is an older one */
  return 0;
}
