#include "packing.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GM_PLAIN_BITS)
#define GM_HAS_BIT_INSTRUCTIONS 1
#include <immintrin.h>
#else
#define GM_HAS_BIT_INSTRUCTIONS 0
#endif

#ifndef GM_UNPACKED
#define GM_UNPACKED 4096 /* states that are written as they are: after so many, most bits have been seen */
#endif

enum { STEPS = 6, LITTLE_ENDIAN_ONLY = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

/* The bits of one pair of words: which, from which bit of a packed state on, and for processors without an instruction for
   that the bits to be moved by 1, 2, 4 … places (Hacker's Delight, 7-4 and 7-5). */
struct gm_field {
  uint64_t mask, moved[STEPS];
  uint32_t at;
};

/* ---- bits of a pair ---- */

static inline uint64_t whole_pair(const uint32_t *words, uint32_t i) {
  uint64_t pair;
  memcpy(&pair, words + 2 * (size_t)i, sizeof pair);
  return pair;
}

/* The last one may have one word only. */
static inline uint64_t pair_at(const gm_core *core, const uint32_t *words, uint32_t i) {
  return 2 * i + 1 < core->model.words ? whole_pair(words, i) : words[2 * i];
}

static void plan_moves(gm_field *field) {
  uint64_t mask = field->mask, gaps = ~mask << 1;
  for (uint32_t step = 0; step < STEPS; step++) {
    uint64_t parity = gaps;
    for (uint32_t shift = 1; shift < 64; shift *= 2) parity ^= parity << shift;
    uint64_t moved = parity & mask;
    field->moved[step] = moved;
    mask = (mask ^ moved) | moved >> (1u << step);
    gaps &= ~parity;
  }
}

static inline uint64_t gather(uint64_t pair, const gm_field *field) {
  pair &= field->mask;
  for (uint32_t step = 0; step < STEPS; step++) {
    uint64_t moved = pair & field->moved[step];
    pair = (pair ^ moved) | moved >> (1u << step);
  }
  return pair;
}

static inline uint64_t scatter(uint64_t bits, const gm_field *field) {
  for (uint32_t step = STEPS; step-- > 0;)
    bits = (bits & ~field->moved[step]) | (bits << (1u << step) & field->moved[step]);
  return bits & field->mask;
}

static inline uint64_t load(const unsigned char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

/* ---- states, with GATHER and SCATTER ---- */

/* One pair from its bytes. A field never needs more than eight of them, see `place_fields`; some may belong to the next
   state. */
#define READ(SCATTER, i) \
  (SCATTER(load(in + (layout->fields[i].at >> 3)) >> (layout->fields[i].at & 7), &layout->fields[i]) ^ core->common[i])
#define WRITE(GATHER, i, pair)                                                                                       \
  do {                                                                                                               \
    unsigned char *at = out + (layout->fields[i].at >> 3);                                                           \
    uint64_t bits = load(at) | GATHER((pair) ^ core->common[i], &layout->fields[i]) << (layout->fields[i].at & 7);   \
    memcpy(at, &bits, sizeof bits);                                                                                  \
  } while (0)

#define DEFINE_PACKING(ATTRIBUTE, PACK, UNPACK, IS_SAME, GATHER, SCATTER)                                             \
  ATTRIBUTE static void PACK(const gm_core *core, const gm_layout *layout, const uint32_t *words, unsigned char *out) { \
    uint32_t whole = core->model.words / 2;                                                                          \
    for (uint32_t i = 0; i < whole; i++) WRITE(GATHER, i, whole_pair(words, i));                                      \
    if (whole < core->pairs) WRITE(GATHER, whole, words[2 * whole]);                                                  \
  }                                                                                                                  \
  ATTRIBUTE static void UNPACK(const gm_core *core, const gm_layout *layout, const unsigned char *in, uint32_t *words) { \
    uint32_t whole = core->model.words / 2;                                                                          \
    for (uint32_t i = 0; i < whole; i++) {                                                                           \
      uint64_t pair = READ(SCATTER, i);                                                                              \
      memcpy(words + 2 * (size_t)i, &pair, sizeof pair);                                                             \
    }                                                                                                                \
    if (whole < core->pairs) words[2 * whole] = (uint32_t)READ(SCATTER, whole);                                       \
  }                                                                                                                  \
  ATTRIBUTE static bool IS_SAME(const gm_core *core, const gm_layout *layout, const unsigned char *in,               \
                                const uint32_t *words) {                                                             \
    uint32_t whole = core->model.words / 2;                                                                          \
    for (uint32_t i = 0; i < whole; i++)                                                                             \
      if (READ(SCATTER, i) != whole_pair(words, i)) return false;                                                     \
    return whole == core->pairs || READ(SCATTER, whole) == words[2 * whole];                                          \
  }

DEFINE_PACKING(, pack_plain, unpack_plain, is_same_plain, gather, scatter)

#if GM_HAS_BIT_INSTRUCTIONS
#define GATHER_FAST(pair, field) _pext_u64(pair, (field)->mask)
#define SCATTER_FAST(bits, field) _pdep_u64(bits, (field)->mask)
DEFINE_PACKING(__attribute__((target("bmi2"))), pack_fast, unpack_fast, is_same_fast, GATHER_FAST, SCATTER_FAST)

/* Some processors have the instructions, but take hundreds of cycles for them. */
static bool has_bit_instructions(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}
#else
#define pack_fast pack_plain
#define unpack_fast unpack_plain
#define is_same_fast is_same_plain
static bool has_bit_instructions(void) { return false; }
#endif

static unsigned char *place_of(const gm_core *core, const gm_layout *layout, uint64_t number) {
  return core->states.base + layout->offset + (number - layout->start) * layout->bytes;
}

void gm_pack_state(const gm_core *core, uint64_t number, const uint32_t *words, unsigned char *room) {
  const gm_layout *layout = gm_layout_of(core, number);
  unsigned char *place = place_of(core, layout, number);
  if (!layout->fields) {
    memcpy(place, words, layout->bytes);
    return;
  }
  memset(room, 0, layout->bytes + sizeof(uint64_t));
  if (core->bit_instructions)
    pack_fast(core, layout, words, room);
  else
    pack_plain(core, layout, words, room);
  memcpy(place, room, layout->bytes);
}

void gm_unpack_state(const gm_core *core, uint64_t number, uint32_t *out) {
  const gm_layout *layout = gm_layout_of(core, number);
  const unsigned char *place = place_of(core, layout, number);
  if (!layout->fields)
    memcpy(out, place, layout->bytes);
  else if (core->bit_instructions)
    unpack_fast(core, layout, place, out);
  else
    unpack_plain(core, layout, place, out);
}

bool gm_is_packed(const gm_core *core, uint64_t number, const uint32_t *words) {
  const gm_layout *layout = gm_layout_of(core, number);
  const unsigned char *place = place_of(core, layout, number);
  if (!layout->fields) return memcmp(place, words, layout->bytes) == 0;
  return core->bit_instructions ? is_same_fast(core, layout, place, words) : is_same_plain(core, layout, place, words);
}

/* ---- layouts ---- */

void gm_note_bits(const gm_core *core, const uint32_t *words, uint64_t *seen) {
  for (uint32_t i = 0; i < core->pairs; i++) seen[i] |= pair_at(core, words, i) ^ core->common[i];
}

static uint32_t bits_in(uint64_t mask) { return (uint32_t)__builtin_popcountll(mask); }

/* Where each field begins: such that it lies within eight bytes. */
static void place_fields(const gm_core *core, gm_layout *layout) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < core->pairs; i++) {
    uint32_t bits = bits_in(layout->fields[i].mask);
    if ((at & 7) + bits > 64) at = (at + 7) & ~7u;
    layout->fields[i].at = at;
    at += bits;
    plan_moves(&layout->fields[i]);
  }
  layout->bytes = at > 0 ? (at + 7) / 8 : 1;
}

/* One layout more, whose masks are to be filled in; NULL if there is no memory. */
static gm_layout *add_layout(gm_core *core, uint64_t start, bool has_fields) {
  uint32_t count = core->layout_count;
  gm_layout *layouts = realloc(core->layouts, (count + 1) * sizeof *layouts);
  if (!layouts) return NULL;
  core->layouts = layouts;
  gm_layout *layout = &layouts[count];
  *layout = (gm_layout){.start = start, .end = GM_NO_STATE, .bytes = core->model.words * (uint32_t)sizeof(uint32_t)};
  if (has_fields) {
    layout->fields = calloc(core->pairs + 1, sizeof *layout->fields);
    if (!layout->fields) return NULL;
  }
  if (count > 0) {
    layout->offset = gm_state_offset(core, start); /* by the one before: it is not counted yet */
    layouts[count - 1].end = start;
  }
  core->layout_count++;
  return layout;
}

/* All bits below the highest one of each byte, and one above. */
static uint64_t widened(uint64_t mask) {
  const uint64_t not_last = UINT64_C(0x7f7f7f7f7f7f7f7f);
  mask |= (mask & not_last) << 1;
  for (uint32_t i = 0; i < 7; i++) mask |= mask >> 1 & not_last;
  return mask;
}

static const gm_layout *last_layout(const gm_core *core) { return &core->layouts[core->layout_count - 1]; }

/* Whether states stay as they are for now. */
static bool is_too_early(const gm_core *core) {
  return core->count < GM_UNPACKED || core->limits.fingerprints_only || !LITTLE_ENDIAN_ONLY;
}

static bool fits(const gm_core *core) {
  const gm_layout *last = last_layout(core);
  if (!last->fields) return is_too_early(core);
  for (uint32_t i = 0; i < core->pairs; i++)
    if (core->seen[i] & ~last->fields[i].mask) return false;
  return true;
}

/* Where layouts follow one another quickly, the next one has bits to spare. */
int gm_fit_seen(gm_core *core) {
  if (fits(core)) return 0;
  const gm_layout *last = last_layout(core);
  bool is_first = !last->fields, is_soon = !is_first && core->count - last->start < core->count / 8;
  gm_layout *next = add_layout(core, core->count, true);
  if (!next) return -1;
  last = next - 1;
  for (uint32_t i = 0; i < core->pairs; i++) {
    uint64_t mask = core->seen[i] | (is_first ? 0 : last->fields[i].mask);
    if (is_soon && mask != last->fields[i].mask) mask = widened(mask);
    if (2 * i + 1 >= core->model.words) mask &= UINT32_MAX;
    next->fields[i].mask = mask;
  }
  place_fields(core, next);
  return 0;
}

int gm_fit_state(gm_core *core, const uint32_t *words) {
  const gm_layout *last = last_layout(core);
  uint64_t more = 0;
  if (core->count == 0)
    for (uint32_t i = 0; i < core->pairs; i++) core->common[i] = pair_at(core, words, i);
  for (uint32_t i = 0; last->fields && i < core->pairs; i++)
    more |= (pair_at(core, words, i) ^ core->common[i]) & ~last->fields[i].mask;
  if (last->fields && !more) return 0;
  gm_note_bits(core, words, core->seen);
  return gm_fit_seen(core);
}

void gm_layouts_cut(gm_core *core) {
  while (core->layout_count > 1 && last_layout(core)->start > core->count) {
    free(core->layouts[--core->layout_count].fields);
    core->layouts[core->layout_count - 1].end = GM_NO_STATE;
  }
}

int gm_packing_open(gm_core *core) {
  core->pairs = (core->model.words + 1) / 2;
  core->packed_room = 8 * (uint64_t)core->pairs + 2 * sizeof(uint64_t);
  core->common = calloc(core->pairs + 1, sizeof *core->common);
  core->seen = calloc(core->pairs + 1, sizeof *core->seen);
  core->packed = malloc(core->packed_room);
  core->shown = calloc(core->model.words + 1, sizeof *core->shown);
  core->bit_instructions = has_bit_instructions();
  if (!core->common || !core->seen || !core->packed || !core->shown) return -1;
  return add_layout(core, 0, false) ? 0 : -1;
}

void gm_packing_close(gm_core *core) {
  for (uint32_t i = 0; i < core->layout_count; i++) free(core->layouts[i].fields);
  free(core->layouts);
  free(core->common);
  free(core->seen);
  free(core->packed);
  free(core->shown);
}

/* ---- in a checkpoint ---- */

static int move_masks(gm_core *core, int file, gm_layout *layout, gm_mover move) {
  for (uint32_t i = 0; i < core->pairs; i++)
    if (move(file, &layout->fields[i].mask, sizeof(uint64_t)) != 0) return -1;
  return 0;
}

/* Of a core that is to be filled, only the first layout is there already. */
int gm_layouts_move(gm_core *core, int file, uint32_t layouts, gm_mover move) {
  uint64_t bytes = core->pairs * sizeof(uint64_t);
  if (move(file, core->common, bytes) != 0 || move(file, core->seen, bytes) != 0) return -1;
  for (uint32_t i = 1; i < layouts; i++) {
    bool is_new = i >= core->layout_count;
    uint64_t start = is_new ? 0 : core->layouts[i].start;
    if (move(file, &start, sizeof start) != 0 || start < core->layouts[i - 1].start) return -1;
    gm_layout *layout = is_new ? add_layout(core, start, true) : &core->layouts[i];
    if (!layout || move_masks(core, file, layout, move) != 0) return -1;
    if (is_new) place_fields(core, layout);
  }
  return 0;
}
