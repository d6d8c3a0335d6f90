/* The representative of a state among all that permutations of interchangeable model values make of it, found by sorting.

   The values are the *elements*; they come in sets, and every permutation that maps each set to itself is a symmetry. An
   element's *signature* in a state is a hash of the state in which this element is "me", and every other element only "one
   of such a set": it does not change when state and element are permuted together. Candidates are the states in which, for
   each set, signatures ascend in the order of its elements; the representative is the least of them.

   Why that is the same for a whole orbit. Let sig(e, s) be the signature, E1, E2, ... the elements of a set in order, and
   P(s) the permutations p with sig(p^-1(E1), s) <= sig(p^-1(E2), s) <= ... for every set, so that the candidates are p(s)
   for p in P(s). For any symmetry q, sig(p^-1(Ei), q(s)) = sig(q^-1(p^-1(Ei)), s) = sig((p q)^-1(Ei), s), so p is in
   P(q(s)) just if p q is in P(s), and the candidates of q(s), p(q(s)) for p in P(q(s)), are those of s. They are states of
   the orbit, so the representatives of different orbits differ. Hashes that happen to be equal only make more candidates.

   Where all signatures differ there is one candidate. Of elements with equal signatures all orders are tried, but for
   those that can be exchanged: if the transposition of two of them leaves the state as it is, it makes no difference to
   the candidates which of them comes first. (This is an equivalence, since (a c) = (a b)(b c)(a b).)

   Signatures depend on nothing but contents, so that they are the same in another process: a checkpoint has
   representatives in it. */

#ifndef GM_CANONICAL_H
#define GM_CANONICAL_H

#include "value.h"

enum { GM_MOST_ELEMENTS = 16 };

/* Slots are numbered through; a function on elements has its slots for one of them `shift` away from its first. */
typedef struct gm_elements {
  uint32_t elements, sets, slots;
  const uint64_t *position;   /* of each element among the names; those of a set are neighbours */
  const uint32_t *first;      /* of each set its first element, then the number of elements */
  const uint32_t *class_of;   /* [slot * elements + e]: equal for slots that are the same thing, seen from e */
  const uint32_t *first_term; /* of each slot, then the number of terms: for which elements it is */
  const uint32_t *term_element, *term_level;
  const uint32_t *shift;      /* [level * elements + e] */
  uint32_t levels;
} gm_elements;

typedef struct gm_canonical gm_canonical; /* what workers share */
typedef struct gm_canonizer gm_canonizer; /* what each has */

gm_canonical *gm_canonical_new(const gm_elements *elements); /* copied; NULL: no memory */
void gm_canonical_free(gm_canonical *c);
gm_canonizer *gm_canonizer_new(const gm_canonical *c); /* NULL: no memory */
void gm_canonizer_free(gm_canonizer *z);

/* The candidates of a state, one after the other. `values`: its slots, kept values; they must stay where they are.
   `moved`: room for as many. Fails as gm_keep does. */
void gm_canonical_begin(gm_canonizer *z, gm_worker *w, const V *values);
bool gm_canonical_next(gm_canonizer *z, gm_worker *w, V *moved); /* false: there are no more */

/* A permutation that can be changed, for one worker; `code` must be another one for another permutation. */
gm_permutation *gm_permutation_changeable(const uint64_t *positions, uint32_t n);
void gm_permutation_change(gm_permutation *p, uint64_t code, const uint64_t *from, const uint64_t *to, uint32_t n);

#endif
