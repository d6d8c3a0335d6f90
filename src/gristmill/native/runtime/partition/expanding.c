/* The states of a partition are expanded: what it owns is stored, what others own is sent. */

#include "partition_parts.h"

enum { BYTES_A_STATE = 64, FIRST_ASKED = 256, ASKED_AGAIN = 8192 };

/* ---- who gets it ---- */

/* Whether it was sent lately. Two states never count as one here: the words are compared. */
static bool is_repeated(gm_partition *p, uint64_t hash, const uint32_t *words) {
  uint64_t mark = gm_mix(hash) | 1, at = mark >> 20 & (p->cached - 1);
  uint32_t *before = p->sent_words + at * (p->words + 1);
  if (p->sent_before[at] == mark && memcmp(before, words, p->words * sizeof *words) == 0) return true;
  memcpy(before, words, p->words * sizeof *words);
  p->sent_before[at] = mark;
  return false;
}

/* Its place in the core, if it is for that, is noted in `expected`. */
static void expect(const gm_partition *p, uint64_t hash, const uint32_t *words, uint64_t *expected) {
  *expected = 0;
  if (gm_owner_of(p, hash) == p->self) {
    *expected = gm_expect(p->core, words);
    return;
  }
  uint64_t at = (gm_mix(hash) | 1) >> 20 & (p->cached - 1);
  __builtin_prefetch(&p->sent_before[at], 1);
  __builtin_prefetch(p->sent_words + at * (p->words + 1), 1);
}

/* Of the first states, and of some later, the hash is computed of the values themselves: were it another one, a state might
   have two owners, and be counted twice. */
static enum gm_partition_answer confirm(gm_partition *p, uint64_t hash, const uint32_t *words) {
  if (p->routed++ >= FIRST_ASKED && p->routed % ASKED_AGAIN != 0) return GM_PARTITION_OK;
  for (;;) {
    jmp_buf here;
    begin(p->runner, words, 0, &here);
    int why = setjmp(here);
    if (why == 0) return gm_hash_of_variables(p->hashes, p->runner->worker) == hash ? GM_PARTITION_OK : GM_PARTITION_DOUBT;
    if (why != GM_FULL || !gm_grow(p->engine->heap)) return gm_answer_of(why);
  }
}

/* ---- the successors of some states ---- */

static enum gm_status successors(gm_partition *p, const uint32_t *state) {
  enum gm_status status;
  gm_sink_begin(p->sink);
  for (;;) {
    while (gm_must_grow(p->engine->heap) && gm_grow(p->engine->heap)) continue;
    status = gm_runner_expand(p->runner, state, p->sink);
    if (status != GM_STATUS_AGAIN || !gm_grow(p->engine->heap)) return status;
    gm_forget(p->sink);
  }
}

/* `next`: the one that does not fit, if one does not. */
static enum gm_partition_answer collect(gm_partition *p, uint64_t *next, uint64_t end) {
  gm_sink_empty(p->sink);
  p->parent_count = 0;
  while (*next < end && p->parent_count < GM_MOST_PARENTS && gm_sink_count(p->sink) < GM_MOST_TOGETHER) {
    uint32_t *words = p->parents + (size_t)p->parent_count * p->words;
    const uint32_t *state = gm_state(p->core, *next, words);
    if (state != words) memcpy(words, state, p->words * sizeof *words);
    enum gm_status status = successors(p, words);
    if (status == GM_STATUS_MISFIT) return GM_PARTITION_MISFIT;
    if (status == GM_STATUS_AGAIN || gm_sink_failed(p->sink)) return GM_PARTITION_NO_MEMORY;
    p->parent[p->parent_count++] =
        (gm_parent_state){(*next)++, gm_hash_of_state(p->hashes, words), gm_sink_count(p->sink), status};
  }
  return GM_PARTITION_OK;
}

static void find_owners(gm_partition *p) {
  uint32_t count = gm_sink_count(p->sink), i = 0;
  if (count > p->hash_room) {
    p->hash_room = 2 * count;
    free(p->hash);
    p->hash = gm_checked(malloc(2 * (size_t)p->hash_room * sizeof *p->hash));
  }
  uint64_t *expected = p->hash + p->hash_room;
  const uint32_t *words = gm_sink_states(p->sink);
  const uint8_t *marks = gm_sink_marks(p->sink);
  for (uint32_t k = 0; k < p->parent_count; k++) {
    const uint32_t *before = p->parents + (size_t)k * p->words;
    for (; i < p->parent[k].end; i++, words += p->words) {
      expected[i] = 0;
      if (marks[i] & (GM_MARK_CUT | GM_MARK_UNKNOWN)) continue;
      p->hash[i] = gm_hash_of_next(p->hashes, p->parent[k].hash, before, words);
      expect(p, p->hash[i], words, &expected[i]);
    }
  }
  for (i = 0; i < count && i < GM_MOST_TOGETHER; i++)
    if (expected[i]) gm_expect_equal(p->core, expected[i]);
}

/* ---- one of them ---- */

typedef struct step {
  uint64_t parent; /* everywhere */
  const uint32_t *before, *words;
  uint32_t action, marks;
  uint64_t hash;
} step;

static enum gm_partition_answer route(gm_partition *p, const step *s, bool *passed) {
  uint32_t owner = gm_owner_of(p, s->hash);
  if (owner != p->self && is_repeated(p, s->hash, s->words)) {
    p->now.repeated++;
    return GM_PARTITION_OK;
  }
  enum gm_partition_answer answer = confirm(p, s->hash, s->words);
  if (answer != GM_PARTITION_OK) return answer;
  p->sent[owner]++;
  uint64_t changed = p->has_check ? gm_narrow_changed(p->engine->narrow, s->words, s->before) : UINT64_MAX;
  if (owner == p->self) {
    p->now.received++;
    return gm_store_state(p, s->words, s->parent, s->action, false, changed, passed);
  }
  if (s->parent >= GM_PARTITION_MOST) return GM_PARTITION_NO_MEMORY;
  uint64_t origin = (s->parent + 1) << GM_ACTION_BITS | s->action;
  int why = gm_outgoing_add(p->out[owner], p->runner->worker, origin, changed, s->words);
  return why == 0 ? GM_PARTITION_OK : gm_answer_of(why);
}

static enum gm_partition_answer absorb(gm_partition *p, const step *s) {
  enum gm_partition_answer answer;
  bool passed = true;
  p->now.generated++;
  p->taken[s->action]++;
  if (s->marks & GM_MARK_UNKNOWN) {
    p->now.unknown++;
    return gm_tell(p, GM_OUTCOME_FAILED_CHECK, s->parent, s->before, s->action, s->words);
  }
  if (s->marks & GM_MARK_CUT) {
    p->now.cut++;
    uint64_t changed = gm_narrow_changed(p->engine->narrow, s->words, s->before);
    answer = gm_check_state(p, s->parent, s->action, s->words, changed, &passed);
  } else {
    answer = route(p, s, &passed);
  }
  if (answer != GM_PARTITION_OK || !passed) return answer;
  const uint32_t wrong = GM_MARK_UNKNOWN_STEP | GM_MARK_BAD_STEP | GM_MARK_UNMET;
  if (!(s->marks & wrong)) return GM_PARTITION_OK;
  enum gm_outcome kind = s->marks & GM_MARK_UNKNOWN_STEP ? GM_OUTCOME_FAILED_CHECK
                         : s->marks & GM_MARK_BAD_STEP   ? GM_OUTCOME_BAD_STEP
                                                         : GM_OUTCOME_UNMET;
  return gm_tell(p, kind, s->parent, s->before, s->action, s->words);
}

static enum gm_partition_answer absorb_all(gm_partition *p, uint32_t k, uint32_t start) {
  const gm_parent_state *parent = &p->parent[k];
  step s = {.parent = gm_everywhere(p, parent->number), .before = p->parents + (size_t)k * p->words};
  for (uint32_t i = start; i < parent->end; i++) {
    s.words = gm_sink_states(p->sink) + (size_t)i * p->words;
    s.action = gm_sink_actions(p->sink)[i];
    s.marks = gm_sink_marks(p->sink)[i];
    s.hash = p->hash[i];
    enum gm_partition_answer answer = absorb(p, &s);
    if (answer != GM_PARTITION_OK) return answer;
  }
  p->now.expanded++;
  if (parent->status != GM_STATUS_OK) return gm_tell(p, GM_OUTCOME_FAILED, s.parent, s.before, 0, NULL);
  if (parent->end == start && p->check_deadlock) return gm_tell(p, GM_OUTCOME_DEADLOCK, s.parent, s.before, 0, NULL);
  return GM_PARTITION_OK;
}

static enum gm_partition_answer expand_some(gm_partition *p, uint64_t *next, uint64_t end) {
  enum gm_partition_answer answer = collect(p, next, end);
  if (answer != GM_PARTITION_OK) return answer;
  find_owners(p);
  uint32_t start = 0;
  for (uint32_t k = 0; k < p->parent_count && answer == GM_PARTITION_OK; start = p->parent[k++].end)
    answer = absorb_all(p, k, start);
  return answer;
}

static size_t waiting(const gm_partition *p) {
  size_t size = 0;
  for (uint32_t i = 0; i < p->owners; i++) size += gm_outgoing_waiting(p->out[i]);
  return size;
}

enum gm_partition_answer gm_partition_expand(gm_partition *p, uint64_t start, uint64_t end, size_t most, uint64_t *next) {
  enum gm_partition_answer answer = GM_PARTITION_OK;
  gm_begin_call(p);
  *next = start;
  while (answer == GM_PARTITION_OK && *next < end && p->now.generated < most && waiting(p) < BYTES_A_STATE * most)
    answer = expand_some(p, next, end);
  for (uint32_t i = 0; i < p->owners && answer == GM_PARTITION_OK; i++) {
    int why = gm_outgoing_finish(p->out[i], p->runner->worker);
    if (why != 0) answer = gm_answer_of(why);
    p->now.defined += gm_outgoing_defined(p->out[i]);
  }
  return answer;
}
