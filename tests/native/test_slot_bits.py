"""Slots of large states share the bits that say that they have changed."""

from __future__ import annotations

import random

from gristmill.native.plan.slot_bits import BITS, slot_bits


def test_each_slot_of_a_small_state_has_a_bit_of_its_own() -> None:
    assert slot_bits(64, [{1, 2}]) == tuple(range(64))
    assert slot_bits(0, []) == ()


def test_slots_share_bits_with_those_that_the_same_formulas_read() -> None:
    chance = random.Random(1)
    for _ in range(200):
        slots = chance.randrange(BITS + 1, 400)
        read = [set(chance.sample(range(slots), chance.randrange(1, slots))) for _ in range(chance.randrange(5))]
        bits = slot_bits(slots, read)
        assert len(bits) == slots
        assert set(bits) <= set(range(BITS))
        for one in range(slots):
            for other in range(one):
                if bits[one] == bits[other]:
                    assert [one in each for each in read] == [other in each for each in read]


def test_bits_that_are_not_needed_are_shared_out() -> None:
    bits = slot_bits(100, [set(range(50))])
    assert len(set(bits)) > 60
    assert set(bits[:50]).isdisjoint(bits[50:])


def test_with_too_many_formulas_the_last_bit_is_that_of_many() -> None:
    bits = slot_bits(200, [{slot} for slot in range(150)])
    assert set(bits) == set(range(BITS))
    assert bits.count(BITS - 1) > 80
