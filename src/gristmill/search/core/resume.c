/* Back from a checkpoint. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint.h"

enum { PIECE = 1 << 26 };

static int get(int file, void *bytes, uint64_t count) {
  char *at = bytes;
  while (count > 0) {
    ssize_t taken = read(file, at, count < (1u << 30) ? count : (1u << 30));
    if (taken <= 0) return -1;
    at += taken, count -= (uint64_t)taken;
  }
  return 0;
}

static bool fits(const gm_core *core, const gm_header *header) {
  return header->magic == GM_MAGIC && header->identity == core->model.identity && header->words == core->model.words &&
         header->key_words == core->model.key_words && header->actions == core->model.actions &&
         header->fingerprints == core->limits.fingerprints_only && header->edges == core->model.keep_edges &&
         header->count <= core->capacity && header->expanded <= header->count && header->levels <= header->count;
}

/* In pieces, so that it need not be in memory all at a time. */
static int get_pieces(gm_core *core, const gm_part *part, int file) {
  if (lseek(file, (off_t)part->start, SEEK_SET) < 0) return -1;
  for (uint64_t at = part->start, next; at < part->end; at = next) {
    next = part->end - at < PIECE ? part->end : at + PIECE;
    if (get(file, part->region->base + at, next - at) != 0) return -1;
    if (part->start == 0 && gm_spill_read(core, part->region, next) != 0) return -1;
  }
  return 0;
}

static int get_part(gm_core *core, const gm_part *part) {
  if (part->start >= part->end) return 0;
  if (part->end > part->region->reserved) return -1;
  int file = gm_open_in(core, part->name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  int answer = get_pieces(core, part, file);
  close(file);
  return answer;
}

static int get_incidents(gm_core *core, int file, uint64_t count) {
  uint32_t *words = malloc((core->model.words + 1) * sizeof *words);
  int failed = words == NULL;
  for (uint64_t i = 0; i < count && !failed; i++) {
    uint64_t row[5];
    failed = get(file, row, sizeof row) != 0 || (row[4] && get(file, words, core->model.words * sizeof *words) != 0);
    gm_event event = {.parent = row[0], .target = row[1], .action = (uint32_t)row[2], .kind = (enum gm_outcome)row[3]};
    if (!failed) gm_events_add(core, &core->incidents, event, row[4] ? words : NULL);
  }
  free(words);
  return failed ? -1 : 0;
}

static int get_counts(gm_core *core, int file, const gm_header *header) {
  uint64_t actions = core->model.actions * sizeof(uint64_t);
  if (get(file, core->taken, actions) != 0 || get(file, core->found, actions) != 0) return -1;
  for (uint32_t i = 0; i < header->levels; i++) {
    uint64_t start;
    if (get(file, &start, sizeof start) != 0 || start > header->count) return -1;
    gm_begin_level(core, start);
  }
  return get_incidents(core, file, header->incidents);
}

static void set_counts(gm_core *core, const gm_header *header) {
  core->level = header->level;
  core->level_end = header->level_end;
  core->expanded = header->expanded;
  core->initial_generated = header->initial_generated;
  core->initial_count = header->initial_count;
  core->cut = header->cut;
  core->edge_count = header->edge_count;
  core->states_dropped = header->states_dropped;
}

static int get_parts(gm_core *core, const gm_header *header) {
  gm_part parts[GM_PARTS];
  uint32_t count = gm_list_parts(core, header, parts);
  for (uint32_t i = 0; i < count; i++) {
    if (get_part(core, &parts[i]) != 0) return -1;
    core->saved[i] = parts[i].end;
  }
  return 0;
}

static int resume(gm_core *core, int file) {
  gm_header header;
  uint64_t hash;
  if (get(file, &header, sizeof header) != 0 || !fits(core, &header)) return -1;
  if (gm_hash_file(file, &hash) != 0 || hash != header.whole) return -1;
  if (get_counts(core, file, &header) != 0) return -1;
  if (core->model.load && core->model.load(core->model.context, file) != 0) return -1;
  if (get_parts(core, &header) != 0) return -1;
  if (gm_sum(core, 0, 0, header.count) != header.sum) return -1;
  set_counts(core, &header);
  core->saved_sum = header.sum;
  core->count = core->saved_count = header.count;
  return gm_table_refill(core) != 0 ? -2 : 1;
}

int gm_resume(gm_core *core) {
  if (!core->limits.checkpoint_directory || core->count > 0) return -1;
  int file = gm_open_in(core, "checkpoint", O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  int answer = resume(core, file);
  close(file);
  return answer;
}
