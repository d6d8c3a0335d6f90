"""Orbits: the same number of states as TLC finds, and a declared symmetry that is none is noticed."""

from itertools import pairwise, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_models import TableModel, action_predicate, state_predicate

from gristmill.search import breadth_first
from gristmill.search.symmetry import Symmetry, find_asymmetry, generated_group

PROCESSES, MESSAGES = ("p1", "p2", "p3"), ("a", "b")
PLACE = {name: number for number, name in enumerate(PROCESSES)}


def all_permutations(atoms):
    return [dict(zip(atoms, image, strict=True)) for image in permutations(atoms)]


def permute(permutation):
    """On the values of the model below: a tuple of pairs is a function, a frozenset of pairs a set of messages."""

    def apply(value):
        if isinstance(value, str):
            return permutation.get(value, value)
        if isinstance(value, frozenset):
            return frozenset(map(apply, value))
        if isinstance(value, dict):
            return {apply(key): apply(each) for key, each in value.items()}
        return tuple(sorted(map(apply, value))) if value and isinstance(value[0], tuple) else tuple(map(apply, value))

    return apply


def sort_key(value):
    return tuple(sorted(value)) if isinstance(value, frozenset) else value


def symmetry(*sets):
    group = generated_group([each for atoms in sets for each in all_permutations(atoms)])
    return Symmetry([permute(each) for each in group], sort_key)


def mutex(**features):
    """MODULE S: each process is idle, trying or in, and sends a message when it leaves."""

    def become(pc, process, what):
        return tuple((p, what if p == process else at) for p, at in pc)

    def try_(process):
        return lambda pc, sent: [(become(pc, process, "trying"), sent)] if dict(pc)[process] == "idle" else []

    def enter(process):
        return lambda pc, sent: (
            [(become(pc, process, "in"), sent)]
            if dict(pc)[process] == "trying" and "in" not in dict(pc).values()
            else []
        )

    def leave(process, message):
        return lambda pc, sent: (
            [(become(pc, process, "idle"), sent | {(process, message)})] if dict(pc)[process] == "in" else []
        )

    return TableModel(
        "pc sent",
        [(tuple((p, "idle") for p in PROCESSES), frozenset())],
        {
            **{f"Try{p}": try_(p) for p in PROCESSES},
            **{f"Enter{p}": enter(p) for p in PROCESSES},
            **{f"Leave{p}{m}": leave(p, m) for p, m in product(PROCESSES, MESSAGES)},
        },
        **features,
    )


@pytest.mark.parametrize(
    ("sets", "generated", "distinct"),
    [((), 3841, 1280), ((PROCESSES,), 793, 264), ((PROCESSES, MESSAGES), 475, 158)],
)
def test_counts_are_those_of_tlc(sets, generated, distinct):
    result = breadth_first(mutex(symmetry=symmetry(*sets) if sets else None))
    assert (result.generated, result.distinct, result.depth) == (generated, distinct, 23)
    assert any("up to symmetry" in caveat for caveat in result.caveats) == bool(sets)


def test_counterexamples_under_symmetry_are_real():
    both = state_predicate("NotBoth", lambda pc, sent: len({p for p, _ in sent}) < 2)
    model = mutex(symmetry=symmetry(PROCESSES, MESSAGES), invariants=[both])
    trace = breadth_first(model).trace
    assert len(trace) == len(breadth_first(mutex(invariants=[both])).trace) == 7
    states = [tuple(step.state.values()) for step in trace]
    for before, after in pairwise(states):
        assert any(after in successors for _, successors in model.successors(before))


def test_view_of_the_representative():
    model = mutex(symmetry=symmetry(PROCESSES), view=lambda state: state[0])
    assert breadth_first(model).distinct == 7  # 3 processes, none or one of them in: 4 + 3 ways to be idle or trying


@given(st.lists(st.sampled_from(all_permutations("abcd")), min_size=1, max_size=3))
def test_group_is_closed(generators):
    group = generated_group(generators)
    elements = {tuple(each.get(atom, atom) for atom in "abcd") for each in group} | {tuple("abcd")}
    assert len(elements) == len(group) + 1
    for first, second in product(elements, elements):
        composed = tuple(second["abcd".index(image)] for image in first)
        assert composed in elements


def test_group_of_two_sets():
    assert len(generated_group([*all_permutations("abc"), *all_permutations("xy")])) == 6 * 2 - 1


@given(st.data())
def test_representative_is_the_same_all_over_an_orbit(data):
    canonical = symmetry(PROCESSES, MESSAGES)
    pc = tuple((p, data.draw(st.sampled_from(["idle", "trying", "in"]))) for p in PROCESSES)
    sent = data.draw(st.frozensets(st.tuples(st.sampled_from(PROCESSES), st.sampled_from(MESSAGES))))
    orbit = set(canonical.orbit((pc, sent)))
    assert {canonical(each) for each in orbit} == {min(orbit, key=lambda state: tuple(map(sort_key, state)))}


def test_symmetric_model_has_no_asymmetry():
    model = mutex()
    assert find_asymmetry(model, symmetry(PROCESSES, MESSAGES)) is None


def test_asymmetric_steps_are_noticed():
    """p1 is declared like the others, but is the only one who may go on."""
    model = TableModel(
        "who",
        [("nobody",)],
        {
            "Choose": lambda who: [(process,) for process in PROCESSES] if who == "nobody" else [],
            "Win": lambda who: [("winner",)] if who == "p1" else [],
        },
    )
    found = find_asymmetry(model, symmetry(PROCESSES))
    assert found is not None
    assert "successors" in found.difference


def test_asymmetric_invariant_is_noticed():
    model = mutex(invariants=[state_predicate("OnlyP1", lambda pc, sent: dict(pc)["p1"] != "trying")])
    found = find_asymmetry(model, symmetry(PROCESSES))
    assert found is not None
    assert found.difference == "OnlyP1 is true in only one of them"


def test_asymmetric_action_property_is_noticed():
    wrong = action_predicate("NotP1", lambda before, after: dict(after[0])["p1"] != "trying")
    assert find_asymmetry(mutex(implied_actions=[wrong]), symmetry(PROCESSES)) is not None
