/* Back from a checkpoint. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint.h"
#include "origins.h"
#include "packing.h"

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
  return header->identity == core->model.identity && header->words == core->model.words &&
         header->key_words == core->model.key_words && header->actions == core->model.actions &&
         header->fingerprints == core->limits.fingerprints_only && header->edges == core->model.keep_edges &&
         header->expanded <= header->count && header->levels <= header->count;
}

/* In pieces, so that it need not be in memory all at a time. */
static int get_pieces(gm_core *core, const gm_part *part, int file, gm_checksum *sum) {
  for (uint64_t at = part->start, next; at < part->end; at = next) {
    next = part->end - at < PIECE ? part->end : at + PIECE;
    if (get(file, part->region->base + at, next - at) != 0) return GM_RESUME_DAMAGED;
    gm_checksum_extend(sum, part->region->base + part->start, next - part->start);
    if (part->start == 0 && gm_spill_read(core, part->region, next) != 0) return GM_RESUME_NO_MEMORY;
  }
  return GM_RESUME_DONE;
}

/* Whether it has the length that it should. What a process that was killed has added to it is taken away. */
static bool has_length(const gm_core *core, int file, uint64_t bytes) {
  struct stat found;
  if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || (uint64_t)found.st_size < bytes) return false;
  return (uint64_t)found.st_size == bytes || (core->was_being_saved && ftruncate(file, (off_t)bytes) == 0);
}

static int get_part(gm_core *core, const gm_part *part, gm_saved *saved, uint64_t sum) {
  if (part->start > part->end) return GM_RESUME_DAMAGED;
  if (part->end > part->region->reserved) return GM_RESUME_NO_MEMORY;
  int file = gm_open_in(core, part->name, O_RDWR);
  if (file < 0) return GM_RESUME_DAMAGED;
  *saved = (gm_saved){.bytes = part->end};
  uint64_t bytes = part->end - part->start;
  int got = has_length(core, file, bytes) ? get_pieces(core, part, file, &saved->sum) : GM_RESUME_DAMAGED;
  close(file);
  if (got != GM_RESUME_DONE) return got;
  bool same = gm_checksum_value(&saved->sum, part->region->base + part->start, bytes) == sum;
  return same ? GM_RESUME_DONE : GM_RESUME_DAMAGED;
}

static int get_incidents(gm_core *core, int file, uint64_t count) {
  uint32_t *words = malloc((core->model.words + 1) * sizeof *words);
  int failed = words == NULL;
  for (uint64_t i = 0; i < count && !failed; i++) {
    uint64_t row[6];
    failed = get(file, row, sizeof row) != 0 || (row[4] && get(file, words, core->model.words * sizeof *words) != 0);
    gm_event event = {.parent = row[0], .target = row[1], .action = (uint32_t)row[2], .kind = (enum gm_outcome)row[3]};
    event.reasons = row[5];
    if (!failed) gm_events_add(core, &core->incidents, event, row[4] ? words : NULL);
  }
  free(words);
  return failed ? -1 : 0;
}

static int get_counts(gm_core *core, int file, const gm_header *header) {
  uint64_t actions = core->model.actions * sizeof(uint64_t);
  if (get(file, core->taken, actions) != 0 || get(file, core->found, actions) != 0) return -1;
  if (gm_layouts_move(core, file, header->layouts, get) != 0) return -1;
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
  int got = GM_RESUME_DONE;
  for (uint32_t i = 0; i < count && got == GM_RESUME_DONE; i++)
    got = get_part(core, &parts[i], &core->saved[i], header->sums[i]);
  return got;
}

static bool exists(const gm_core *core, const char *name) {
  int file = gm_open_in(core, name, O_RDONLY);
  if (file >= 0) close(file);
  return file >= 0;
}

static int resume(gm_core *core, int file) {
  gm_header header;
  uint64_t hash;
  if (get(file, &header, sizeof header) != 0 || header.magic != GM_MAGIC) return GM_RESUME_DAMAGED;
  if (gm_hash_file(file, &hash) != 0 || hash != header.whole) return GM_RESUME_DAMAGED;
  if (!fits(core, &header)) return GM_RESUME_OTHER;
  if (header.count > core->capacity) return GM_RESUME_NO_MEMORY;
  if (get_counts(core, file, &header) != 0) return GM_RESUME_DAMAGED;
  if (core->model.load && core->model.load(core->model.context, file) != 0) return GM_RESUME_NO_MEMORY;
  core->was_being_saved = exists(core, "checkpoint.new");
  int got = get_parts(core, &header);
  if (got != GM_RESUME_DONE) return got;
  if (core->was_being_saved) gm_unlink_in(core, "checkpoint.new");
  set_counts(core, &header);
  core->turn = header.turn + 1;
  core->count = header.count;
  core->jump_count = header.jumps;
  gm_origins_cut(core, core->count);
  return gm_table_refill(core) != 0 ? GM_RESUME_NO_MEMORY : GM_RESUME_DONE;
}

int gm_resume(gm_core *core) {
  if (!core->limits.checkpoint_directory || core->count > 0) return GM_RESUME_DAMAGED;
  int file = gm_open_in(core, "checkpoint", O_RDONLY);
  if (file < 0) return errno == ENOENT || errno == ENOTDIR ? GM_RESUME_NONE : GM_RESUME_DAMAGED;
  int answer = resume(core, file);
  close(file);
  return answer;
}
