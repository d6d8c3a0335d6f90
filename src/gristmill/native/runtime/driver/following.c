/* One process of a model followed by its messages, as long as nothing unusual happens. See following.h.

   What stands here is the everyday part of gristmill/watch/judging.py, message for message: `tests/watch` compares the
   two after every stretch. */

#include "following.h"

#include "engine.h"
#include "parts.h"

enum { EVERY = 64, WAITING_ROOM = 64, MOST_BEHIND = 4096, TALK = 9, REMEMBERED = 1000, OLDEST_PAID = 128 };
enum { MANY_UNPAID = 16, MOST_GROUPS = 256 };
enum { UNUSUAL_GAP = 4 };
enum { STALLED = 500000000 }; /* nanoseconds */

/* What is owed, or was sent lately. 0: not. */
typedef struct debt {
  uint32_t record; /* 0: none is here */
  uint32_t kind, target;
  bool held; /* among what the state owes */
  uint64_t owed, paid;
} debt;

typedef struct waiting {
  uint32_t record;
  uint64_t number, channel;
} waiting;

struct gm_follower {
  gm_taker *taker;
  gm_engine *engine;
  uint32_t count, settle, kind_name, target_name;
  uint32_t *state, *out, room;
  debt *debts; /* a table by the record */
  uint32_t debt_room, debt_count;
  waiting *waits; /* in the order in which they came */
  uint32_t wait_room, wait_count;
  uint64_t *used;
  uint32_t used_room, used_count;
  uint64_t times[TALK], sent_at[REMEMBERED];
  uint32_t time_count, time_first, sent_count, sent_first;
  gm_followed now;
};

/* ---- tables ---- */

static uint32_t slot_of(const gm_follower *f, uint32_t record) {
  uint32_t at = (record * 2654435769u) & (f->debt_room - 1);
  while (f->debts[at].record && f->debts[at].record != record) at = (at + 1) & (f->debt_room - 1);
  return at;
}

static debt *known_debt(gm_follower *f, uint32_t record) {
  debt *d = &f->debts[slot_of(f, record)];
  return d->record ? d : NULL;
}

/* The value that a record has for this field, 0 if it has none. */
static uint32_t field_of(gm_follower *f, uint32_t record, uint32_t name) {
  V v = gm_unpack(f->engine->heap, record), wanted = gm_unpack(f->engine->heap, name);
  if (!gm_is_kind(v, GM_FUNCTION)) return 0;
  const gm_object *o = gm_object_of(v), *domain = gm_domain_of(o);
  for (uint32_t i = 0; i < domain->size; i++)
    if (domain->items[i] == wanted) return gm_pack(f->engine->main->worker, o->items[1 + i]);
  return 0;
}

/* A new table with those that are still worth it. */
static void rebuild(gm_follower *f) {
  debt *old = f->debts;
  uint32_t old_room = f->debt_room, left = 0;
  for (uint32_t i = 0; i < old_room; i++) left += old[i].record && (old[i].held || old[i].owed || old[i].paid);
  f->debt_room = 256;
  while (f->debt_room < 4 * left) f->debt_room *= 2;
  f->debts = gm_checked(calloc(f->debt_room, sizeof *f->debts));
  f->debt_count = left;
  for (uint32_t i = 0; i < old_room; i++)
    if (old[i].record && (old[i].held || old[i].owed || old[i].paid)) f->debts[slot_of(f, old[i].record)] = old[i];
  free(old);
}

static debt *debt_of(gm_follower *f, uint32_t record) {
  debt *d = known_debt(f, record);
  if (d) return d;
  if (2 * (f->debt_count + 1) > f->debt_room) rebuild(f);
  d = &f->debts[slot_of(f, record)];
  d->record = record;
  d->kind = field_of(f, record, f->kind_name);
  d->target = field_of(f, record, f->target_name);
  f->debt_count++;
  return d;
}

static void *grown(void *memory, uint32_t *room, uint32_t needed, size_t size) {
  if (needed <= *room) return memory;
  *room = 2 * needed;
  return gm_checked(realloc(memory, *room * size));
}

static void add_used(gm_follower *f, uint64_t number) {
  f->used = grown(f->used, &f->used_room, f->used_count + 1, sizeof *f->used);
  f->used[f->used_count++] = number;
}

/* ---- how far the node is behind ---- */

static void backlog_see(gm_follower *f, bool is_sent, uint64_t time) {
  gm_followed *n = &f->now;
  if (!is_sent) {
    n->silent++;
    if (n->silent > f->settle && n->silent > n->most) n->most = n->silent;
    return;
  }
  n->silent = 0;
  f->sent_at[(f->sent_first + f->sent_count) % REMEMBERED] = n->seen;
  if (f->sent_count < REMEMBERED) f->sent_count++;
  else f->sent_first = (f->sent_first + 1) % REMEMBERED;
  if (n->most) n->most--;
  int64_t first = (int64_t)f->times[f->time_first];
  int64_t last = (int64_t)f->times[(f->time_first + f->time_count - 1) % TALK], gap = (int64_t)time - last;
  bool is_unusual = f->time_count == TALK && gap * (TALK - 1) > UNUSUAL_GAP * (last - first);
  if (gap > STALLED && is_unusual) n->stalled = f->settle;
  else if (n->stalled) n->stalled--;
  f->times[(f->time_first + f->time_count) % TALK] = time;
  if (f->time_count < TALK) f->time_count++;
  else f->time_first = (f->time_first + 1) % TALK;
}

static uint64_t seen_before(const gm_follower *f, uint32_t count) {
  return f->sent_count < count ? 0 : f->sent_at[(f->sent_first + f->sent_count - count) % REMEMBERED];
}

static void backlog_pay(gm_follower *f, uint64_t late) {
  gm_followed *n = &f->now;
  if (late > f->settle) n->most = late > n->most ? late : n->most;
  else n->most = n->most * 3 / 4;
}

/* ---- what has arrived ---- */

static void wait_for(gm_follower *f, uint32_t record, uint64_t number, uint64_t channel) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < f->wait_count; i++)
    if (f->waits[i].record != record) f->waits[kept++] = f->waits[i];
  f->waits = grown(f->waits, &f->wait_room, kept + 1, sizeof *f->waits);
  f->waits[kept++] = (waiting){record, number, channel};
  if (kept > WAITING_ROOM + f->now.most) memmove(f->waits, f->waits + 1, --kept * sizeof *f->waits);
  f->wait_count = kept;
}

static bool is_waiting(const gm_follower *f, uint64_t number) {
  for (uint32_t i = 0; i < f->wait_count; i++)
    if (f->waits[i].number == number) return true;
  return false;
}

/* Answers of one kind to one node: when the last one was sent, how many have come to be owed since then, and when the
   first of these did. */
typedef struct group {
  uint32_t kind, target, unpaid;
  uint64_t paid, first;
} group;

typedef struct groups {
  group all[MOST_GROUPS];
  uint32_t count;
} groups;

static group *group_of(groups *known, const debt *d) {
  for (uint32_t i = 0; i < known->count; i++)
    if (known->all[i].kind == d->kind && known->all[i].target == d->target) return &known->all[i];
  if (known->count == MOST_GROUPS) return &known->all[0];
  known->all[known->count] = (group){.kind = d->kind, .target = d->target};
  return &known->all[known->count++];
}

static bool is_left_unpaid(const group *g) { return g->unpaid >= MANY_UNPAID; }

static void find_groups(gm_follower *f, groups *known) {
  for (uint32_t i = 0; i < f->debt_room; i++) {
    const debt *d = &f->debts[i];
    group *g = d->record ? group_of(known, d) : NULL;
    if (g && d->paid > g->paid) g->paid = d->paid;
  }
  for (uint32_t i = 0; i < f->debt_room; i++) {
    const debt *d = &f->debts[i];
    group *g = d->record ? group_of(known, d) : NULL;
    if (!g || !d->held || d->paid || d->owed <= g->paid) continue;
    if (!g->unpaid++ || d->owed < g->first) g->first = d->owed;
  }
  f->now.unanswered = 0;
  for (uint32_t i = 0; i < known->count; i++) {
    uint64_t since = f->now.seen - known->all[i].first;
    if (is_left_unpaid(&known->all[i]) && since > f->settle && since > f->now.unanswered) f->now.unanswered = since;
  }
}

/* Answers that were sent, but for the last one of its kind, and those that nobody has sent for long. */
static void forget(gm_follower *f) {
  groups known = {.count = 0};
  uint64_t unpaid = seen_before(f, REMEMBERED), paid = seen_before(f, OLDEST_PAID);
  uint64_t oldest = f->now.seen < MOST_BEHIND ? 0 : f->now.seen - MOST_BEHIND;
  find_groups(f, &known);
  for (uint32_t i = 0; i < f->debt_room; i++) {
    debt *d = &f->debts[i];
    if (!d->record) continue;
    const group *g = group_of(&known, d);
    bool waits = is_left_unpaid(g); /* what they answer may not have been looked at yet */
    if (!d->paid || d->paid != g->paid) {
      if (d->owed && d->owed <= (waits && oldest < unpaid ? oldest : unpaid)) d->owed = 0;
      if (d->paid && d->paid <= (waits && oldest < paid ? oldest : paid)) d->paid = d->owed = 0;
    }
    if (!d->owed) d->held = false;
  }
  rebuild(f);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < f->used_count; i++)
    if (is_waiting(f, f->used[i])) f->used[kept++] = f->used[i];
  f->used_count = kept;
}

/* ---- steps ---- */

typedef struct step {
  const uint32_t *state, *sent;
  uint32_t gone, count;
} step;

enum { MOST_STEPS = 16 };

/* The steps in the words that a plan has written, each once; -1 if there are too many. */
static int steps_in(const gm_follower *f, uint32_t needed, step *found) {
  int count = 0;
  for (uint32_t at = 1; at < needed;) {
    step s = {f->out + at, f->out + at + f->count + 2, f->out[at + f->count], f->out[at + f->count + 1]};
    uint32_t size = f->count + 2 + s.count;
    bool is_new = true;
    for (int i = 0; i < count && is_new; i++)
      is_new = found[i].count != s.count || memcmp(found[i].state, s.state, size * sizeof *s.state) != 0;
    at += size;
    if (!is_new) continue;
    if (count == MOST_STEPS) return -1;
    found[count++] = s;
  }
  return count;
}

static int follow(gm_follower *f, gm_plan *plan, const uint32_t *parts, step *found, uint32_t *record) {
  int64_t needed = gm_plan_take(plan, f->state, parts, f->out, f->room);
  if (needed < 0) return -1;
  if (needed > f->room) {
    f->out = grown(f->out, &f->room, (uint32_t)needed, sizeof *f->out);
    needed = gm_plan_take(plan, f->state, parts, f->out, f->room);
    if (needed < 0 || needed > f->room) return -1;
  }
  *record = f->out[0];
  return steps_in(f, (uint32_t)needed, found);
}

static bool owes_more(gm_follower *f, const step *s) {
  for (uint32_t i = 0; i < s->count; i++) {
    const debt *d = known_debt(f, s->sent[i]);
    if (!d || !d->held) return true;
  }
  return false;
}

static bool changes(const gm_follower *f, const step *s) {
  return memcmp(f->state, s->state, f->count * sizeof *f->state) != 0;
}

/* `anew`: the time of what was owed before is left as it was, if it is known. */
static void apply(gm_follower *f, const step *s, bool anew) {
  for (uint32_t i = 0; i < s->count; i++) {
    debt *d = debt_of(f, s->sent[i]);
    if (d->held) continue;
    d->held = true;
    if (anew || !d->owed) d->owed = f->now.seen;
  }
  memmove(f->state, s->state, f->count * sizeof *f->state);
}

static bool received(gm_follower *f, gm_plan *plan, const uint32_t *parts, const gm_seen *m) {
  step found[MOST_STEPS], *effect = NULL;
  uint32_t record = 0;
  int count = 0;
  if (m->flags & GM_SEEN_WAITS) record = gm_plan_record(plan, parts);
  else count = follow(f, plan, parts, found, &record);
  if (count < 0 || !record) return false;
  for (int i = 0; i < count; i++) {
    if (!owes_more(f, &found[i]) && !changes(f, &found[i])) continue;
    if (effect) return false;
    effect = &found[i];
  }
  if (!effect) {
    wait_for(f, record, m->number, m->channel);
    return true;
  }
  if (effect->gone) add_used(f, m->number);
  apply(f, effect, true);
  return true;
}

/* An answer takes the place of earlier ones of its kind to the same node. */
static void merge(gm_follower *f, uint32_t record) {
  const debt *d = known_debt(f, record);
  if (!d || !d->held) return;
  uint64_t since = d->owed;
  for (uint32_t i = 0; i < f->debt_room; i++) {
    debt *each = &f->debts[i];
    bool is_alike = each->record && each->held && each->kind == d->kind && each->target == d->target;
    if (is_alike && each->owed && each->owed < since) each->held = false;
  }
}

static bool sent(gm_follower *f, gm_plan *plan, const uint32_t *parts, const gm_seen *m) {
  step found[MOST_STEPS];
  uint32_t record = gm_plan_record(plan, parts);
  if (!record) return false;
  debt *d = known_debt(f, record);
  bool is_owed = d && d->held, is_again = is_owed && d->paid;
  if (!is_again) {
    int count = follow(f, plan, parts, found, &record);
    if (count < 0 || count + is_owed != 1) return false; /* unexplained, or in several ways */
    if (count) apply(f, &found[0], false);
    d = debt_of(f, record);
  }
  if (d->owed && !d->paid) backlog_pay(f, f->now.seen - d->owed);
  d->paid = f->now.seen;
  if (m->flags & GM_SEEN_MERGES && !f->now.stalled) merge(f, record); /* held up, they come in any order */
  return true;
}

bool gm_follower_see(gm_follower *f, gm_plan *plan, const uint32_t *parts, const gm_seen *m) {
  gm_followed *n = &f->now;
  bool is_sent = m->flags & GM_SEEN_SENT;
  n->seen++;
  if (n->seen % EVERY == 0) forget(f);
  backlog_see(f, is_sent, m->time);
  if (n->most > MOST_BEHIND) return false;
  if (!is_sent) {
    n->received++;
    return received(f, plan, parts, m);
  }
  n->sent++;
  if (!sent(f, plan, parts, m)) return false;
  n->states++;
  n->waiting += f->wait_count;
  if (f->wait_count > n->most_waiting) n->most_waiting = f->wait_count;
  return true;
}

/* ---- handed over and back ---- */

gm_follower *gm_follower_new(gm_taker *t, uint32_t settle, uint32_t kind_name, uint32_t target_name) {
  gm_follower *f = gm_checked(calloc(1, sizeof *f));
  f->taker = t;
  f->engine = gm_taker_engine(t);
  f->count = gm_taker_count(t);
  f->settle = settle;
  f->kind_name = kind_name;
  f->target_name = target_name;
  f->state = gm_checked(calloc(f->count + 1, sizeof *f->state));
  f->room = 1024;
  f->out = gm_checked(calloc(f->room, sizeof *f->out));
  f->debt_room = 256;
  f->debts = gm_checked(calloc(f->debt_room, sizeof *f->debts));
  return f;
}

void gm_follower_free(gm_follower *f) {
  free(f->state);
  free(f->out);
  free(f->debts);
  free(f->waits);
  free(f->used);
  free(f);
}

static uint64_t taken(const uint64_t **from) { return *(*from)++; }

void gm_follower_load(gm_follower *f, const uint64_t *from) {
  memcpy(&f->now, from, sizeof f->now);
  from += sizeof f->now / sizeof *from;
  for (uint32_t i = 0; i < f->count; i++) f->state[i] = (uint32_t)taken(&from);
  f->time_first = f->sent_first = 0;
  f->time_count = (uint32_t)taken(&from);
  for (uint32_t i = 0; i < f->time_count; i++) f->times[i] = taken(&from);
  f->sent_count = (uint32_t)taken(&from);
  for (uint32_t i = 0; i < f->sent_count; i++) f->sent_at[i] = taken(&from);
  f->used_count = 0;
  for (uint64_t count = taken(&from); count; count--) add_used(f, taken(&from));
  f->wait_count = (uint32_t)taken(&from);
  f->waits = grown(f->waits, &f->wait_room, f->wait_count, sizeof *f->waits);
  for (uint32_t i = 0; i < f->wait_count; i++) {
    f->waits[i].record = (uint32_t)taken(&from);
    f->waits[i].number = taken(&from);
    f->waits[i].channel = taken(&from);
  }
  memset(f->debts, 0, f->debt_room * sizeof *f->debts);
  f->debt_count = 0;
  for (uint64_t count = taken(&from); count; count--) {
    debt *d = debt_of(f, (uint32_t)taken(&from));
    d->held = taken(&from) != 0;
    d->owed = taken(&from);
    d->paid = taken(&from);
  }
}

typedef struct filler {
  uint64_t *out;
  uint64_t room, needed;
} filler;

static void fill(filler *to, uint64_t word) {
  if (to->needed < to->room) to->out[to->needed] = word;
  to->needed++;
}

uint64_t gm_follower_dump(const gm_follower *f, uint64_t *out, uint64_t room) {
  filler to = {out, room, sizeof f->now / sizeof *out};
  if (to.needed <= room) memcpy(out, &f->now, sizeof f->now);
  for (uint32_t i = 0; i < f->count; i++) fill(&to, f->state[i]);
  fill(&to, f->time_count);
  for (uint32_t i = 0; i < f->time_count; i++) fill(&to, f->times[(f->time_first + i) % TALK]);
  fill(&to, f->sent_count);
  for (uint32_t i = 0; i < f->sent_count; i++) fill(&to, f->sent_at[(f->sent_first + i) % REMEMBERED]);
  fill(&to, f->used_count);
  for (uint32_t i = 0; i < f->used_count; i++) fill(&to, f->used[i]);
  fill(&to, f->wait_count);
  for (uint32_t i = 0; i < f->wait_count; i++) {
    fill(&to, f->waits[i].record);
    fill(&to, f->waits[i].number);
    fill(&to, f->waits[i].channel);
  }
  fill(&to, f->debt_count);
  for (uint32_t i = 0; i < f->debt_room; i++) {
    const debt *d = &f->debts[i];
    if (!d->record) continue;
    fill(&to, d->record);
    fill(&to, d->held);
    fill(&to, d->owed);
    fill(&to, d->paid);
  }
  return to.needed;
}
