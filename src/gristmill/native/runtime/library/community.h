/* Operators of the community modules and of Bags, with the meaning of library. In doubt they fail, and the
   reference evaluator answers. */

#ifndef GM_COMMUNITY_H
#define GM_COMMUNITY_H

#include "driver.h"

/* ---- Functions, FiniteSetsExt ---- */
V gm_restrict(gm_worker *w, V function, V arguments), gm_range(gm_worker *w, V function);
bool gm_is_injective(gm_worker *w, V function);
V gm_sum_function(gm_worker *w, V function), gm_sum_function_on_set(gm_worker *w, V function, V arguments);
V gm_sum_set(gm_worker *w, V set), gm_product_set(gm_worker *w, V set);
V gm_greatest(gm_worker *w, V set), gm_least(gm_worker *w, V set);
V gm_anti_function(gm_worker *w, V function), gm_k_subset(gm_worker *w, V size, V set);
bool gm_exists_injection(gm_worker *w, V source, V target), gm_exists_surjection(gm_worker *w, V source, V target);
bool gm_exists_bijection(gm_worker *w, V source, V target);

/* ---- SequencesExt ---- */
V gm_to_set(gm_worker *w, V items), gm_set_to_seq(gm_worker *w, V set);
bool gm_contains(gm_worker *w, V items, V wanted);
V gm_reverse(gm_worker *w, V items), gm_remove(gm_worker *w, V items, V unwanted);
V gm_replace_all(gm_worker *w, V items, V old, V new);
V gm_insert_at(gm_worker *w, V items, V index, V item), gm_remove_at(gm_worker *w, V items, V index);
V gm_remove_first(gm_worker *w, V items, V unwanted);
V gm_cons(gm_worker *w, V item, V items), gm_snoc(gm_worker *w, V item, V items);
V gm_front(gm_worker *w, V items), gm_last(gm_worker *w, V items), gm_flatten_seq(gm_worker *w, V items);
bool gm_is_prefix(gm_worker *w, V part, V whole), gm_is_suffix(gm_worker *w, V part, V whole);
bool gm_is_strict_prefix(gm_worker *w, V part, V whole), gm_is_strict_suffix(gm_worker *w, V part, V whole);

V gm_replace_at(gm_worker *w, V items, V index, V item), gm_to_bag(gm_worker *w, V items);
V gm_prefixes(gm_worker *w, V items), gm_suffixes(gm_worker *w, V items);
V gm_subseqs(gm_worker *w, V items), gm_all_subseqs(gm_worker *w, V items);
V gm_set_to_seqs(gm_worker *w, V set), gm_set_to_all_k_permutations(gm_worker *w, V set);
V gm_longest_common_prefix(gm_worker *w, V set), gm_zip(gm_worker *w, V left, V right);
V gm_replace_first_subseq(gm_worker *w, V new, V old, V items);
V gm_replace_all_subseqs(gm_worker *w, V new, V old, V items);

/* ---- TLC, TLCExt ---- */
V gm_permutations(gm_worker *w, V set), gm_no_operation(gm_worker *w, V value);

/* ---- Bitwise, Combinatorics ---- */
V gm_bit_and(gm_worker *w, V a, V b), gm_bit_or(gm_worker *w, V a, V b), gm_bit_xor(gm_worker *w, V a, V b);
V gm_bit_not(gm_worker *w, V a), gm_shift_right(gm_worker *w, V number, V places), gm_choose(gm_worker *w, V n, V k);

/* ---- Graphs, UndirectedGraphs: the names of two fields come first ---- */
V gm_directed_paths(gm_worker *w, V node, V edge, V record), gm_undirected_paths(gm_worker *w, V node, V edge, V record);
bool gm_are_connected(gm_worker *w, V node, V edge, V start, V end, V record);
bool gm_are_joined(gm_worker *w, V node, V edge, V start, V end, V record);
bool gm_is_strongly_connected(gm_worker *w, V node, V edge, V record);
V gm_connected_components(gm_worker *w, V node, V edge, V record);

/* ---- Bags ---- */
bool gm_is_bag(gm_worker *w, V value), gm_bag_in(gm_worker *w, V element, V bag);
V gm_set_to_bag(gm_worker *w, V set), gm_copies_in(gm_worker *w, V element, V bag);
V gm_bag_sum(gm_worker *w, V left, V right), gm_bag_difference(gm_worker *w, V left, V right);
bool gm_bag_included(gm_worker *w, V left, V right);
V gm_bag_cardinality(gm_worker *w, V bag), gm_bag_union(gm_worker *w, V bags);

/* ---- operators that take operators (gm_make_operator) ---- */
V gm_fold_set(gm_worker *w, V operator, V base, V set), gm_reduce_set(gm_worker *w, V operator, V set, V base);
V gm_fold_function(gm_worker *w, V operator, V base, V function);
V gm_fold_function_on_set(gm_worker *w, V operator, V base, V function, V arguments);
V gm_map_then_sum_set(gm_worker *w, V map, V set), gm_quantify(gm_worker *w, V set, V test);
V gm_map_then_fold_set(gm_worker *w, V operator, V base, V map, V choose, V set);
V gm_restrict_domain(gm_worker *w, V function, V test), gm_restrict_values(gm_worker *w, V function, V test);
V gm_fold_left(gm_worker *w, V operator, V base, V items), gm_fold_right(gm_worker *w, V operator, V items, V base);
V gm_fold_left_domain(gm_worker *w, V operator, V base, V items);
V gm_fold_right_domain(gm_worker *w, V operator, V items, V base);
V gm_select_in_seq(gm_worker *w, V items, V test), gm_select_last_in_seq(gm_worker *w, V items, V test);
V gm_select_in_subseq(gm_worker *w, V items, V first, V last, V test);
V gm_select_last_in_subseq(gm_worker *w, V items, V first, V last, V test);
V gm_remove_first_match(gm_worker *w, V items, V test);
V gm_sort_seq(gm_worker *w, V items, V precedes), gm_set_to_sort_seq(gm_worker *w, V set, V precedes);
V gm_fold_bag(gm_worker *w, V operator, V base, V bag), gm_bag_of_all(gm_worker *w, V operator, V bag);
V gm_causal_order(gm_worker *w, V log, V clock, V node, V hosts);

/* ---- what these files share ---- */
static inline const gm_object *gm_sequence_of(gm_worker *w, V v) {
  if (!gm_is_kind(v, GM_SEQUENCE)) gm_fail(w, GM_ERROR);
  return gm_object_of(v);
}
/* A function as `count` arguments, listed, and values. */
typedef struct gm_pairs {
  const V *arguments, *values;
  uint32_t count;
} gm_pairs;
gm_pairs gm_pairs_of(gm_worker *w, V function);
gm_pairs gm_bag_of(gm_worker *w, V v); /* all values are positive integers */
gm_pairs gm_counts_of(gm_worker *w, V v); /* all values are integers: TLC does not check everywhere that they are positive */
/* Where an element of a listed set is in it. */
uint32_t gm_place_in(gm_worker *w, V set, V element);

#endif
