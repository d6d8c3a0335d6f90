/* What was found wrong. */

#include <stdlib.h>
#include <string.h>

#include "packing.h"

/* Also where the search goes on after violations, it ends when something could not be computed. */
bool gm_is_fatal(const gm_core *core, enum gm_outcome kind) {
  bool violation = kind == GM_OUTCOME_BAD_STATE || kind == GM_OUTCOME_BAD_STEP || kind == GM_OUTCOME_DEADLOCK ||
                   kind == GM_OUTCOME_UNMET;
  if (kind == GM_OUTCOME_UNMET && core->limits.each_unmet) return false;
  return !(violation && core->limits.keep_going);
}

bool gm_is_told(const gm_core *core, uint32_t action, enum gm_outcome kind) {
  return kind == GM_OUTCOME_UNMET && core->limits.each_unmet && core->unmet[action];
}

static uint32_t *copy_of(const gm_core *core, const uint32_t *words) {
  uint32_t *copy = malloc((core->model.words + 1) * sizeof *copy);
  if (copy) memcpy(copy, words, core->model.words * sizeof *copy);
  return copy;
}

/* With its words, which are the list's from now on. Without memory, the run ends. */
void gm_events_move(gm_core *core, gm_events *events, const gm_event *event) {
  if (events->count == events->capacity) {
    uint64_t capacity = events->capacity ? 2 * events->capacity : 16;
    gm_event *items = realloc(events->items, capacity * sizeof *items);
    if (!items) {
      core->out_of_memory = true;
      free(event->words);
      return;
    }
    events->items = items;
    events->capacity = capacity;
  }
  events->items[events->count++] = *event;
}

/* `words` of a state that is not stored; else NULL. */
void gm_events_add(gm_core *core, gm_events *events, gm_event event, const uint32_t *words) {
  event.words = words ? copy_of(core, words) : NULL;
  gm_events_move(core, events, &event);
}

void gm_events_cut(gm_events *events, uint64_t count) {
  while (events->count > count) free(events->items[--events->count].words);
}

void gm_events_free(gm_events *events) {
  gm_events_cut(events, 0);
  free(events->items);
  memset(events, 0, sizeof *events);
}

void gm_stop(gm_core *core, const gm_event *event) {
  core->stopped = true;
  core->report.outcome = event->kind;
  core->report.limit = event->kind == GM_OUTCOME_LIMIT ? GM_LIMIT_MEMORY : GM_LIMIT_NONE;
  core->report.parent = event->parent;
  core->report.action = event->action;
  core->report.state = event->target;
}

static const uint32_t *words_of(const gm_core *core, const gm_event *event) {
  if (event->words) return event->words;
  return event->target < core->count ? gm_words(core, event->target, core->shown) : NULL;
}

int gm_read_incident(const gm_core *core, uint64_t number, gm_incident *out) {
  if (number >= core->incidents.count) return -1;
  const gm_event *event = &core->incidents.items[number];
  *out = (gm_incident){event->kind, event->action, event->parent, event->target};
  return 0;
}

const uint32_t *gm_incident_state(const gm_core *core, uint64_t number) {
  return number < core->incidents.count ? words_of(core, &core->incidents.items[number]) : NULL;
}

static void count_in(gm_tally *tally, uint64_t number) {
  if (tally->count++ == 0) tally->first = number;
}

uint64_t gm_tally_incidents(const gm_core *core, enum gm_outcome kind, gm_tally *out) {
  uint64_t unknown = 0;
  for (uint64_t i = 0; i < core->incidents.count; i++) {
    const gm_event *event = &core->incidents.items[i];
    if (event->kind != kind) continue;
    if (kind == GM_OUTCOME_UNMET) {
      count_in(&out[event->action], i);
    } else if (kind != GM_OUTCOME_BAD_STATE && kind != GM_OUTCOME_BAD_STEP) {
      count_in(&out[0], i);
    } else if (event->reasons == 0) {
      unknown++;
    } else {
      for (uint32_t bit = 0; bit < GM_REASONS; bit++)
        if (event->reasons >> bit & 1) count_in(&out[bit], i);
    }
  }
  return unknown;
}

const uint32_t *gm_refused(const gm_core *core) {
  return core->incidents.count ? words_of(core, &core->incidents.items[core->incidents.count - 1]) : NULL;
}
