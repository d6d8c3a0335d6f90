/* A search on disk. Everything that only grows is a file that is only appended to; one small file, `checkpoint`, says how
   long each is, with its checksum. It is written anew and takes the place of the old one by a rename, so a process that is
   killed at any moment leaves the checkpoint before or the one after.

   `checkpoint.new` is there before anything is appended, and until that rename: where it is, files may be longer than
   `checkpoint` says. Where it is not, they have exactly that length, or something has damaged them. */

#ifndef GM_CHECKPOINT_H
#define GM_CHECKPOINT_H

#include "checksum.h"
#include "table.h"

#define GM_MAGIC UINT64_C(0x35306b63656d6772)

enum { GM_PARTS = 9 };

typedef struct gm_header {
  uint64_t magic, whole; /* `whole`: a hash of everything in this file after these two */
  uint64_t identity;
  uint32_t words, key_words, actions, fingerprints, edges, levels, level, layouts;
  uint64_t count, expanded, level_end, initial_generated, initial_count, cut, edge_count, states_dropped, incidents, jumps;
  uint64_t turn;           /* how many were written before, in this folder, by this search */
  uint64_t sums[GM_PARTS]; /* checksums of the other files */
} gm_header;

/* A file, the array that is in it, and from where to where. */
typedef struct gm_part {
  const char *name;
  gm_region *region;
  uint64_t start, end; /* bytes */
  bool anew;           /* it is not appended to, but written under another name each time */
} gm_part;

/* Of a core with these counts. Returns how many there are. */
uint32_t gm_list_parts(gm_core *core, const gm_header *header, gm_part parts[GM_PARTS]);
int gm_open_in(const gm_core *core, const char *name, int flags);
int gm_unlink_in(const gm_core *core, const char *name);
int gm_hash_file(int file, uint64_t *hash); /* of a `checkpoint`, after the first two numbers */

#endif
