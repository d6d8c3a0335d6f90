/* The budget of memory: what is old goes to a file, and stays readable where it is. The table does not: every look-up
   needs it. */

#include <stdlib.h>

#include "origins.h"
#include "packing.h"
#include "table.h"

enum { SLACK = 32 }; /* one part in so many of the budget is freed beforehand, so that it is not done all the time */

/* Everything that grows by appending, and how many bytes of it there are. What is needed least comes first. */
typedef struct part {
  gm_region *region;
  uint64_t bytes;
} part;

enum { PARTS = 7 };

static void list_parts(const gm_core *core, part parts[PARTS]) {
  gm_core *own = (gm_core *)core;
  bool fingerprints = core->limits.fingerprints_only; /* then words are not kept, and not worth writing */
  parts[0] = (part){&own->edge_actions, core->edge_count * core->action_bytes};
  parts[1] = (part){&own->edge_targets, core->edge_count * sizeof(uint32_t)};
  parts[2] = (part){&own->edge_starts, core->model.keep_edges ? core->expanded * sizeof(uint64_t) : 0};
  parts[3] = (part){&own->actions, core->count * core->action_bytes};
  parts[4] = (part){&own->parents, core->count * core->parent_bytes};
  parts[5] = (part){&own->states, fingerprints ? 0 : gm_state_offset(core, core->count)};
  parts[6] = (part){&own->key_region, core->key_region.base ? core->count * core->key_words * sizeof(uint32_t) : 0};
}

uint64_t gm_bytes(const gm_core *core) {
  part parts[PARTS];
  uint64_t bytes = gm_table_bytes(&core->table) + gm_origins_bytes(core);
  list_parts(core, parts);
  for (uint32_t i = 0; i < PARTS; i++) bytes += parts[i].bytes - parts[i].region->spilled;
  if (core->limits.fingerprints_only)
    bytes += (core->count - core->states_dropped) * core->model.words * sizeof(uint32_t);
  return bytes;
}

/* What is left of the budget when the model has taken its part. */
static uint64_t budget_left(const gm_core *core) {
  uint64_t taken = core->model.bytes ? core->model.bytes(core->model.context) : 0;
  return taken < core->limits.memory ? core->limits.memory - taken : 0;
}

static const char *directory(const gm_core *core) {
  if (core->limits.spill_directory) return core->limits.spill_directory;
  const char *temporary = getenv("TMPDIR");
  return temporary && *temporary ? temporary : "/tmp";
}

/* Until there are `room` bytes of the budget left, or nothing more to spill. */
static int spill(gm_core *core, uint64_t room) {
  uint64_t used = gm_bytes(core) + room, budget = budget_left(core);
  if (used <= budget) return 0;
  uint64_t excess = used - budget + budget / SLACK;
  part parts[PARTS];
  list_parts(core, parts);
  for (uint32_t i = 0; i < PARTS && excess > 0; i++) {
    gm_region *region = parts[i].region;
    uint64_t before = region->spilled, end = before + excess + GM_HUGE, bytes = parts[i].bytes;
    if (bytes <= before) continue;
    if (gm_region_spill(region, end < bytes ? end : bytes, directory(core)) != 0) return -1;
    uint64_t freed = region->spilled - before;
    excess -= freed < excess ? freed : excess;
  }
  return 0;
}

/* What was spilled and read again is in memory again. */
static void forget(gm_core *core) {
  uint64_t resident = gm_resident_memory();
  if (resident != 0 && resident < core->resident_before + core->limits.memory) return;
  part parts[PARTS];
  list_parts(core, parts);
  for (uint32_t i = 0; i < PARTS; i++) gm_region_forget_spilled(parts[i].region);
}

void gm_keep_budget(gm_core *core) {
  core->pause_at = GM_NO_STATE;
  if (core->limits.memory == 0) return;
  uint64_t state = (core->model.words + core->key_words) * sizeof(uint32_t) + core->parent_bytes + core->action_bytes;
  core->pause_at = core->count + core->limits.memory / SLACK / 2 / state + 1024;
  if (spill(core, 0) != 0) core->out_of_disk = true;
  if (budget_left(core) == 0) core->out_of_memory = true; /* the model's part cannot be spilled */
  forget(core);
}

bool gm_budget_allows(gm_core *core, uint64_t table_bytes) {
  if (core->limits.memory == 0) return true;
  uint64_t now = gm_table_bytes(&core->table);
  if (table_bytes > budget_left(core) / 8 * 7) return false;
  if (table_bytes > now && spill(core, table_bytes - now) != 0) core->out_of_disk = true;
  return !core->out_of_disk;
}

int gm_spill_read(gm_core *core, gm_region *region, uint64_t end) {
  if (core->limits.memory == 0 || end - region->spilled < core->limits.memory / 4) return 0;
  return gm_region_spill(region, end, directory(core));
}
