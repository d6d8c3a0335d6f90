/* Threads that work together, and can all be made to stand still. */

#include <pthread.h>
#include <stdlib.h>

#include "table.h"

struct gm_team {
  pthread_t *threads; /* of the workers but the first, which is the caller of gm_team_do */
  uint32_t started;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  void (*task)(gm_searcher *worker);
  _Atomic uint64_t tasks;   /* how many there have been */
  uint32_t busy;            /* workers in the task, and not parked */
  _Atomic uint32_t unfinished; /* workers in the task, parked or not */
  uint64_t standstills;     /* how many there have been */
  _Atomic uint32_t wishes;  /* why all must stand still */
  bool still;               /* they do: tasks are done by one */
  _Atomic bool closing;
};

/* Tasks are short and follow one another: what others do is worth waiting for awake, for about as long as it takes to
   fall asleep and be woken. */
enum { AWAKE = 4000 };

static inline void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void await_task(gm_team *team, uint64_t done) {
  for (int i = 0; i < AWAKE && atomic_load(&team->tasks) == done && !atomic_load(&team->closing); i++) breathe();
}

static void await_others(gm_team *team) {
  for (int i = 0; i < AWAKE && atomic_load(&team->unfinished) > 0; i++) breathe();
}

static void fulfil(gm_core *core, uint32_t wishes) {
  if (wishes & GM_WISH_PAUSE && core->model.pause) core->model.pause(core->model.context);
  if (wishes & GM_WISH_GROW) {
    uint64_t entries = core->count + atomic_load_explicit(&core->round.fresh, memory_order_relaxed);
    if (gm_table_grow(core, entries + entries / 2) != 0) core->out_of_memory = true;
  }
}

/* With the lock. The last one to stand still does what is wished and wakes the others. */
static void stand_still(gm_core *core) {
  gm_team *team = core->team;
  team->still = true;
  fulfil(core, atomic_load(&team->wishes));
  team->still = false;
  atomic_store(&team->wishes, 0);
  team->standstills++;
  pthread_cond_broadcast(&team->changed);
}

bool gm_parking(const gm_core *core) {
  return core->team && atomic_load_explicit(&core->team->wishes, memory_order_relaxed) != 0;
}

void gm_park(gm_searcher *worker, uint32_t wishes) {
  gm_core *core = worker->core;
  gm_team *team = core->team;
  if (!team || team->unfinished == 0) { /* no other worker runs */
    fulfil(core, wishes);
    return;
  }
  pthread_mutex_lock(&team->lock);
  atomic_fetch_or(&team->wishes, wishes);
  if (atomic_load(&team->wishes) != 0) {
    uint64_t standstills = team->standstills;
    team->busy--;
    if (team->busy == 0)
      stand_still(core);
    else
      while (team->standstills == standstills) pthread_cond_wait(&team->changed, &team->lock);
    team->busy++;
  }
  pthread_mutex_unlock(&team->lock);
}

/* With the lock. */
static void finish(gm_core *core) {
  gm_team *team = core->team;
  team->unfinished--;
  team->busy--;
  if (team->busy == 0 && atomic_load(&team->wishes) != 0) stand_still(core);
  if (team->unfinished == 0) pthread_cond_broadcast(&team->changed);
}

static void *work(void *argument) {
  gm_searcher *worker = argument;
  gm_team *team = worker->core->team;
  uint64_t done = 0;
  for (;;) {
    await_task(team, done);
    pthread_mutex_lock(&team->lock);
    while (team->tasks == done && !team->closing) pthread_cond_wait(&team->changed, &team->lock);
    if (team->closing) break;
    done = team->tasks;
    pthread_mutex_unlock(&team->lock);
    team->task(worker);
    pthread_mutex_lock(&team->lock);
    finish(worker->core);
    pthread_mutex_unlock(&team->lock);
  }
  pthread_mutex_unlock(&team->lock);
  return NULL;
}

static void do_alone(gm_core *core, void (*task)(gm_searcher *worker)) {
  for (uint32_t i = 0; i < core->limits.workers; i++) task(&core->workers[i]);
}

void gm_team_do(gm_core *core, void (*task)(gm_searcher *worker)) {
  gm_team *team = core->team;
  if (!team || team->still) {
    do_alone(core, task);
    return;
  }
  pthread_mutex_lock(&team->lock);
  team->task = task;
  team->tasks++;
  team->busy = team->unfinished = core->limits.workers;
  pthread_cond_broadcast(&team->changed);
  pthread_mutex_unlock(&team->lock);
  task(&core->workers[0]);
  pthread_mutex_lock(&team->lock);
  finish(core);
  pthread_mutex_unlock(&team->lock);
  await_others(team);
  pthread_mutex_lock(&team->lock);
  while (team->unfinished > 0) pthread_cond_wait(&team->changed, &team->lock);
  pthread_mutex_unlock(&team->lock);
}

enum { DEEP = 512 << 20 }; /* bytes, virtual: models recurse, and what they call may be Python */

static bool start(pthread_t *thread, gm_searcher *worker) {
  pthread_attr_t deep;
  pthread_attr_init(&deep);
  pthread_attr_setstacksize(&deep, DEEP);
  bool started = pthread_create(thread, &deep, work, worker) == 0 || pthread_create(thread, NULL, work, worker) == 0;
  pthread_attr_destroy(&deep);
  return started;
}

int gm_team_open(gm_core *core) {
  if (core->limits.workers < 2) return 0;
  gm_team *team = calloc(1, sizeof *team);
  if (!team) return -1;
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->changed, NULL);
  team->threads = calloc(core->limits.workers, sizeof *team->threads);
  core->team = team;
  for (uint32_t i = 1; team->threads && i < core->limits.workers; i++, team->started++)
    if (!start(&team->threads[i], &core->workers[i])) break;
  if (team->started + 1 == core->limits.workers) return 0;
  gm_team_close(core);
  return -1;
}

void gm_team_close(gm_core *core) {
  gm_team *team = core->team;
  if (!team) return;
  pthread_mutex_lock(&team->lock);
  team->closing = true;
  pthread_cond_broadcast(&team->changed);
  pthread_mutex_unlock(&team->lock);
  for (uint32_t i = 1; i <= team->started; i++) pthread_join(team->threads[i], NULL);
  pthread_mutex_destroy(&team->lock);
  pthread_cond_destroy(&team->changed);
  free(team->threads);
  free(team);
  core->team = NULL;
}

void gm_share(const gm_searcher *worker, uint64_t total, uint64_t *start, uint64_t *end) {
  uint64_t workers = worker->core->limits.workers, part = total / workers, rest = total % workers;
  uint64_t number = worker->number;
  *start = number * part + (number < rest ? number : rest);
  *end = *start + part + (number < rest);
}
