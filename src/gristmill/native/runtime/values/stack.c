/* How far the stack of this thread may be used by recursion. */

#define _GNU_SOURCE /* pthread_getattr_np */

#include <pthread.h>

#include "value.h"

enum { MOST = 64 << 20, MARGIN = 1 << 20 }; /* bytes: what recursion may use, and what is left for those it calls */

static char *lowest(size_t *size) {
  void *start = NULL;
  *size = 0;
#ifdef __APPLE__
  *size = pthread_get_stacksize_np(pthread_self());
  start = (char *)pthread_get_stackaddr_np(pthread_self()) - *size;
#else
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return NULL;
  if (pthread_attr_getstack(&attributes, &start, size) != 0) start = NULL;
  pthread_attr_destroy(&attributes);
#endif
  return start;
}

char *gm_stack_limit(void) {
  static _Thread_local char *limit;
  if (limit) return limit;
  char here;
  size_t size;
  char *start = lowest(&size);
  uintptr_t top = (uintptr_t)&here, end = (uintptr_t)start + (size > 4 * MARGIN ? MARGIN : size / 4);
  if (!start) end = top - MARGIN / 4; /* a guess that is right on every machine we know */
  if (top > MOST && top - MOST > end) end = top - MOST;
  limit = (char *)end;
  return limit;
}
