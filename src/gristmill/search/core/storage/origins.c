#include "origins.h"

#include <stdlib.h>

static gm_jump *jumps_of(const gm_core *core) { return (gm_jump *)core->jumps.base; }

int gm_origins_open(gm_core *core) {
  uint64_t bytes = gm_address_space() / 4;
  core->action_bytes = core->model.actions <= UINT8_MAX ? 1 : core->model.actions <= UINT16_MAX ? 2 : 4;
  core->parent_bytes = core->limits.foreign_parents ? GM_FOREIGN_BYTES : 1;
  if (gm_region_open(&core->parents, bytes) != 0 || gm_region_open(&core->actions, bytes) != 0) return -1;
  return gm_region_open(&core->jumps, bytes);
}

void gm_origins_close(gm_core *core) {
  gm_region_close(&core->parents);
  gm_region_close(&core->actions);
  gm_region_close(&core->jumps);
}

uint64_t gm_origins_bytes(const gm_core *core) { return core->jump_count * sizeof(gm_jump); }

static void put_foreign(unsigned char *at, uint64_t parent) {
  for (uint32_t i = 0; i < GM_FOREIGN_BYTES; i++) at[i] = (unsigned char)(parent >> 8 * i);
}

static uint64_t get_foreign(const unsigned char *at) {
  uint64_t parent = 0;
  for (uint32_t i = 0; i < GM_FOREIGN_BYTES; i++) parent |= (uint64_t)at[i] << 8 * i;
  return parent;
}

static void jump(gm_core *core, gm_jumps *jumps, uint64_t number, uint64_t parent) {
  if (jumps->count == jumps->capacity) {
    uint64_t capacity = jumps->capacity ? 2 * jumps->capacity : 16;
    gm_jump *items = realloc(jumps->items, capacity * sizeof *items);
    if (!items) {
      core->out_of_memory = core->lost = true;
      return;
    }
    jumps->items = items;
    jumps->capacity = capacity;
  }
  jumps->items[jumps->count++] = (gm_jump){number, parent};
}

static bool must_jump(uint64_t number, uint64_t before, uint64_t parent) {
  return number % GM_JUMP_EVERY == 0 || parent < before || parent - before > UINT8_MAX;
}

/* Everything but jumps. */
static void put(gm_core *core, uint64_t number, uint64_t before, uint64_t parent, uint32_t action) {
  gm_put_action(core->actions.base, core->action_bytes, number, action);
  if (core->limits.foreign_parents)
    put_foreign(core->parents.base + number * GM_FOREIGN_BYTES, parent);
  else
    core->parents.base[number] = (unsigned char)(parent - before); /* of a jump, not read */
}

void gm_origin_put(gm_core *core, uint64_t number, uint64_t before, uint64_t parent, uint32_t action, gm_jumps *jumps) {
  put(core, number, before, parent, action);
  if (!core->limits.foreign_parents && must_jump(number, before, parent)) jump(core, jumps, number, parent);
}

static void append_jump(gm_core *core, uint64_t number, uint64_t parent) {
  if ((core->jump_count + 1) * sizeof(gm_jump) > core->jumps.reserved)
    core->out_of_memory = core->lost = true;
  else
    jumps_of(core)[core->jump_count++] = (gm_jump){number, parent};
}

void gm_origins_append(gm_core *core, uint64_t parent, uint32_t action) {
  uint64_t number = core->count, before = core->last_parent;
  put(core, number, before, parent, action);
  if (!core->limits.foreign_parents && must_jump(number, before, parent)) append_jump(core, number, parent);
  core->last_parent = parent;
}

void gm_jumps_append(gm_core *core, gm_jumps *jumps) {
  for (uint64_t i = 0; i < jumps->count; i++) append_jump(core, jumps->items[i].number, jumps->items[i].parent);
  free(jumps->items);
  *jumps = (gm_jumps){NULL, 0, 0};
}

void gm_origins_cut(gm_core *core, uint64_t count) {
  while (core->jump_count > 0 && jumps_of(core)[core->jump_count - 1].number >= count) core->jump_count--;
  core->last_parent = count > 0 ? gm_origin_parent(core, count - 1) : 0;
}

/* The last jump to a state up to that number: there is one to the first of all. */
static gm_jump jump_before(const gm_core *core, uint64_t number) {
  const gm_jump *jumps = jumps_of(core);
  uint64_t low = 0, high = core->jump_count;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (jumps[middle].number <= number)
      low = middle;
    else
      high = middle;
  }
  return jumps[low];
}

uint64_t gm_origin_parent(const gm_core *core, uint64_t number) {
  if (core->limits.foreign_parents) return get_foreign(core->parents.base + number * GM_FOREIGN_BYTES);
  gm_jump from = jump_before(core, number);
  uint64_t parent = from.parent;
  for (uint64_t at = from.number + 1; at <= number; at++) parent += core->parents.base[at];
  return parent;
}

uint32_t gm_origin_action(const gm_core *core, uint64_t number) {
  uint32_t action = gm_get_action(core->actions.base, core->action_bytes, number);
  uint32_t none = UINT32_MAX >> (32 - 8 * core->action_bytes);
  return action == none ? GM_NO_ACTION : action;
}
