#define _GNU_SOURCE /* sync_file_range */

#include "memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

enum { SMALLEST = 1 << 20 };

static uint64_t page_size(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }

static void *reserve(uint64_t bytes) {
  void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? NULL : base;
}

static void advise(void *base, uint64_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(base, bytes, MADV_HUGEPAGE);
#endif
#ifdef MADV_DONTDUMP
  madvise(base, bytes, MADV_DONTDUMP);
#endif
  (void)base, (void)bytes;
}

int gm_region_open(gm_region *region, uint64_t bytes) {
  memset(region, 0, sizeof *region);
  region->file = -1;
  if (bytes < SMALLEST) bytes = SMALLEST;
  for (; bytes >= SMALLEST; bytes /= 2) { /* a limit on address space may stand in the way */
    region->base = reserve(bytes);
    if (region->base) {
      region->reserved = bytes;
      advise(region->base, bytes);
      return 0;
    }
  }
  return -1;
}

void gm_region_close(gm_region *region) {
  if (!region->base) return; /* never opened: all of it is zero, and file 0 is not ours */
  munmap(region->base, region->reserved);
  if (region->file >= 0) close(region->file);
  memset(region, 0, sizeof *region);
  region->file = -1;
}

void gm_region_drop(gm_region *region, uint64_t start, uint64_t end) {
  uint64_t page = page_size();
  start = (start + page - 1) / page * page;
  end = end / page * page;
  if (start >= end) return;
#ifdef __linux__
  madvise(region->base + start, end - start, MADV_DONTNEED);
#else /* elsewhere that is only a hint */
  mmap(region->base + start, end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
#endif
}

static int open_unlinked(const char *directory) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/gristmill-spill-XXXXXX", directory);
  if (length < 0 || (size_t)length >= sizeof path) return -1;
  int file = mkstemp(path);
  if (file >= 0) unlink(path); /* it vanishes with the process, whatever happens */
  return file;
}

static int write_all(int file, const unsigned char *bytes, uint64_t count, uint64_t offset) {
  while (count > 0) {
    ssize_t written = pwrite(file, bytes, count < (1u << 30) ? count : (1u << 30), (off_t)offset);
    if (written <= 0) return -1;
    bytes += written, offset += (uint64_t)written, count -= (uint64_t)written;
  }
  return 0;
}

/* The pages may be gone: they come from the file, which has them. */
static int read_back(gm_region *region, uint64_t start, uint64_t end) {
  unsigned char *base = region->base;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap(base + start, end - start, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) abort(); /* no way on */
  for (uint64_t at = start; at < end;) {
    ssize_t got = pread(region->file, base + at, end - at, (off_t)at);
    if (got <= 0) abort();
    at += (uint64_t)got;
  }
  return -1;
}

int gm_region_spill(gm_region *region, uint64_t end, const char *directory) {
  uint64_t start = region->spilled;
  end = end / GM_HUGE * GM_HUGE;
  if (end <= start) return 0;
  if (region->file < 0) region->file = open_unlinked(directory);
  if (region->file < 0) return -1;
  if (write_all(region->file, region->base + start, end - start, start) != 0) return -1;
  void *at = mmap(region->base + start, end - start, PROT_READ, MAP_SHARED | MAP_FIXED, region->file, (off_t)start);
  if (at == MAP_FAILED) return read_back(region, start, end);
#ifdef __linux__
  sync_file_range(region->file, (off_t)start, (off_t)(end - start), SYNC_FILE_RANGE_WRITE);
#endif
  madvise(at, end - start, MADV_RANDOM);
  region->spilled = end;
  return 0;
}

void gm_region_forget_spilled(gm_region *region) {
  if (region->spilled > 0) madvise(region->base, region->spilled, MADV_DONTNEED);
}

static void advise_spilled(gm_region *region, uint64_t start, uint64_t end, int advice) {
  uint64_t page = page_size();
  if (end > region->spilled) end = region->spilled;
  start = start / page * page;
  if (start < end) madvise(region->base + start, end - start, advice);
}

void gm_region_will_read(gm_region *region, uint64_t start, uint64_t end) {
  advise_spilled(region, start, end, MADV_WILLNEED);
}

void gm_region_was_read(gm_region *region, uint64_t start, uint64_t end) {
  advise_spilled(region, start, end, MADV_DONTNEED);
}

uint64_t gm_resident_memory(void) {
  unsigned long long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%llu %llu", &total, &resident) != 2) resident = 0;
  fclose(file);
  return resident * page_size();
}

/* Where reserved memory counts as used, or where address space is limited, there are only shares of it. */
static bool is_strict(void) {
  FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
  if (!file) return false;
  int policy = fgetc(file);
  fclose(file);
  return policy == '2';
}

uint64_t gm_address_space(void) {
  long pages = sysconf(_SC_PHYS_PAGES);
  uint64_t physical = pages > 0 ? (uint64_t)pages * page_size() : (uint64_t)8 << 30, most = UINT64_C(1) << 40;
  struct rlimit limit;
  uint64_t wise = is_strict() ? physical / 32 : 16 * physical; /* more than there is: it may spill to disk */
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 16 < wise)
    wise = limit.rlim_cur / 16;
  return wise < most ? wise : most;
}
