#include "checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int gm_open_in(const gm_core *core, const char *name, int flags) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/%s", core->limits.checkpoint_directory, name);
  return length > 0 && (size_t)length < sizeof path ? open(path, flags, 0600) : -1;
}

uint32_t gm_list_parts(gm_core *core, const gm_header *header, gm_part parts[GM_PARTS]) {
  uint64_t states = header->count, word = sizeof(uint32_t), state = core->model.words * word;
  uint32_t count = 0;
  parts[count++] = (gm_part){"states", &core->states, header->states_dropped * state, states * state};
  if (core->limits.fingerprints_only) /* these keep their words, in front of others that do not */
    parts[count++] = (gm_part){"initial", &core->states, 0, header->initial_count * state};
  parts[count++] = (gm_part){"origins", &core->origins, 0, states * sizeof(uint64_t)};
  if (core->key_region.base) parts[count++] = (gm_part){"keys", &core->key_region, 0, states * core->key_words * word};
  if (!core->model.keep_edges) return count;
  parts[count++] = (gm_part){"edge-starts", &core->edge_starts, 0, (header->expanded + 1) * sizeof(uint64_t)};
  parts[count++] = (gm_part){"edge-targets", &core->edge_targets, 0, header->edge_count * word};
  parts[count++] = (gm_part){"edge-actions", &core->edge_actions, 0, header->edge_count * core->action_bytes};
  return count;
}

uint64_t gm_sum(const gm_core *core, uint64_t sum, uint64_t start, uint64_t end) {
  for (uint64_t number = start; number < end; number++)
    sum = (sum + gm_hash(gm_key_at(core, number), core->key_words) + *gm_origin_at(core, number)) *
          0x9e3779b97f4a7c15u;
  return sum;
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

/* What has come since the last time. */
static int append(gm_core *core, const gm_part *part, uint64_t *saved) {
  uint64_t start = *saved > part->start ? *saved : part->start;
  if (start >= part->end) return 0;
  int file = gm_open_in(core, part->name, O_WRONLY | O_CREAT | O_CLOEXEC);
  if (file < 0) return -1;
  int failed = write_at(file, part->region->base + start, part->end - start, start) != 0 || save(file) != 0;
  if (close(file) != 0 || failed) return -1;
  *saved = part->end;
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
  core->saved_sum = gm_sum(core, core->saved_sum, core->saved_count, core->count);
  core->saved_count = core->count;
  header.sum = core->saved_sum;
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

static int put_incidents(const gm_core *core, int file) {
  for (uint64_t i = 0; i < core->incidents.count; i++) {
    const gm_event *event = &core->incidents.items[i];
    uint64_t row[5] = {event->parent, event->target, event->action, event->kind, event->words != NULL};
    if (put(file, row, sizeof row) != 0) return -1;
    if (event->words && put(file, event->words, core->model.words * sizeof(uint32_t)) != 0) return -1;
  }
  return 0;
}

static int put_all(gm_core *core, int file, const gm_header *header) {
  uint64_t actions = core->model.actions * sizeof(uint64_t);
  if (put(file, header, sizeof *header) != 0 || put(file, core->taken, actions) != 0) return -1;
  if (put(file, core->found, actions) != 0) return -1;
  if (put(file, core->level_starts, core->levels * sizeof(uint64_t)) != 0 || put_incidents(core, file) != 0) return -1;
  return core->model.save ? core->model.save(core->model.context, file) : 0;
}

static int put_hash(int file) {
  uint64_t hash;
  if (gm_hash_file(file, &hash) != 0) return -1;
  return write_at(file, &hash, sizeof hash, offsetof(gm_header, whole));
}

/* The names in a directory are also only safe when it was saved. */
static int exchange(const gm_core *core) {
  char new_path[4096], path[4096];
  const char *directory = core->limits.checkpoint_directory;
  snprintf(new_path, sizeof new_path, "%s/checkpoint.new", directory);
  snprintf(path, sizeof path, "%s/checkpoint", directory);
  if (rename(new_path, path) != 0) return -1;
  int file = open(directory, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  fsync(file);
  return close(file);
}

int gm_checkpoint_write(gm_core *core) {
  gm_part parts[GM_PARTS];
  if (mkdir(core->limits.checkpoint_directory, 0700) != 0 && access(core->limits.checkpoint_directory, W_OK) != 0)
    return -1;
  gm_header header = header_of(core);
  uint32_t count = gm_list_parts(core, &header, parts);
  for (uint32_t i = 0; i < count; i++)
    if (append(core, &parts[i], &core->saved[i]) != 0) return -1;
  int file = gm_open_in(core, "checkpoint.new", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC);
  if (file < 0) return -1;
  int failed = put_all(core, file, &header) != 0 || put_hash(file) != 0 || save(file) != 0;
  if (close(file) != 0 || failed) return -1;
  return exchange(core);
}
