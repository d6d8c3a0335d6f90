"""Kept values and their numbers, bytes, permutations, calls of Python."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest
from random_values import UNTYPED, Values, register_names
from reference import may_refuse
from runtime_library import CALLBACK, FULL, KEPT_RESULT, Failure, Runtime, library

from gristmill.native.codec import LARGEST, decode, decode_all, encode, encode_all
from gristmill.native.errors import NoNativeFormError
from gristmill.reference.permutations import Permuter
from gristmill.values import (
    FALSE,
    INT,
    NAT,
    TRUE,
    Interval,
    ModelValue,
    PowerSet,
    Value,
    current,
    explicit,
    is_lazy,
    make_record,
    make_set,
)


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    found = Runtime(library())
    yield found
    found.close()


@pytest.fixture
def values() -> Values:
    rng = Random("values")
    register_names(rng)
    return Values(rng)


def _some(values: Values, count: int) -> Iterator[Value]:
    """Such as the runtime can hold."""
    for _ in range(count):
        values.new_shape(values.rng.randint(0, 3))
        value = values.value()
        with suppress(NoNativeFormError):
            encode(value)
            if not may_refuse("same", (value,), value):
                yield value


# --- bytes -----------------------------------------------------------------------------------------------------------


def test_bytes_and_back(values: Values) -> None:
    for _ in range(2000):
        value = values.collection() if values.rng.random() < 0.4 else values.value()
        values.new_shape()
        try:
            data = encode(value)
        except NoNativeFormError:
            continue
        assert decode(data) == value
        assert decode_all(encode_all([value, 3, value])) == [value, 3, value]


@pytest.mark.parametrize("number", [0, -1, 63, 64, -64, -65, LARGEST, -LARGEST - 1])
def test_integers_to_the_limits(runtime: Runtime, number: int) -> None:
    assert decode(encode(number)) == number
    assert runtime.call("same", number) == number
    assert runtime.call("pack", number) == number


@pytest.mark.parametrize("number", [LARGEST + 1, -LARGEST - 2, 1 << 200])
def test_integers_beyond_the_limits(number: int) -> None:
    with pytest.raises(NoNativeFormError):
        encode((number,))


def test_what_cannot_be_sorted_has_no_native_form() -> None:
    with pytest.raises(NoNativeFormError):
        encode(frozenset((1, "a")))


# --- numbers ---------------------------------------------------------------------------------------------------------


def test_equal_values_have_equal_numbers(runtime: Runtime, values: Values) -> None:
    known: dict[int, Value] = {}
    numbers: dict[Value, int] = {}
    for value in _some(values, 4000):
        number = runtime.number(value)
        assert known.setdefault(number, value) == value
        assert numbers.setdefault(value, number) == number
    assert len(known) == len(numbers) > 500


def test_atoms_are_in_the_number(runtime: Runtime) -> None:
    before = runtime.lib.gm_heap_values(runtime.heap)
    atoms = [0, 1, -1, (1 << 29) - 1, -(1 << 29), "a", "b", ModelValue("a"), ModelValue("b"), TRUE, FALSE]
    assert len(set(map(runtime.number, atoms))) == len(atoms)
    assert runtime.lib.gm_heap_values(runtime.heap) == before
    assert runtime.number(1 << 29) % 4 == 0
    assert runtime.lib.gm_heap_values(runtime.heap) == before + 1


def test_a_lazy_set_is_kept_listed(runtime: Runtime) -> None:
    lazy = PowerSet(Interval(1, 4))
    assert runtime.number(lazy) == runtime.number(explicit(lazy))
    assert not is_lazy(runtime.call("same", lazy, how=KEPT_RESULT))


@pytest.mark.parametrize("infinite", [NAT, INT, PowerSet(NAT)])
def test_an_infinite_set_is_not_kept(runtime: Runtime, infinite: Value) -> None:
    with pytest.raises(Failure):
        runtime.number(infinite)


def test_numbers_survive_growth(runtime: Runtime) -> None:
    numbers, grown = {}, 0
    for i in range(40_000):
        value = (i, i % 7)
        numbers[value] = runtime.number(value)
        if runtime.lib.gm_must_grow(runtime.heap):
            assert runtime.lib.gm_grow(runtime.heap)
            grown += 1
    assert grown == 3
    assert len(set(numbers.values())) == 40_000
    assert all(runtime.number(value) == number for value, number in numbers.items())


def _fill(runtime: Runtime) -> None:
    for i in range(1 << 14):
        runtime.number(tuple(range(i, i + 100)))


def test_a_full_heap_says_so() -> None:
    small = Runtime(library(), max_bytes=1 << 20)
    with pytest.raises(Failure) as failed:
        _fill(small)
    assert failed.value.why == FULL
    assert not small.lib.gm_grow(small.heap)
    small.close()


# --- permutations ----------------------------------------------------------------------------------------------------


def test_permutations_like_the_reference(runtime: Runtime, values: Values) -> None:
    images = UNTYPED[1:] + UNTYPED[:1]
    positions = [(ctypes.c_uint64 * 3)(*(current().positions[m.name] for m in some)) for some in (UNTYPED, images)]
    permutation = runtime.lib.gm_permutation_new(runtime.heap, *positions, 3)
    reference = Permuter(dict(zip(UNTYPED, images, strict=True)), 10_000)
    moved = 0
    for value in _some(values, 3000):
        found = runtime.permute(permutation, value)
        assert found == reference.value(value)
        moved += found != value
    assert moved > 300
    runtime.lib.gm_permutation_free(permutation)


# --- functions evaluated argument by argument, and calls of Python ---------------------------------------------------


def test_a_recursive_function_remembers_its_values(runtime: Runtime) -> None:
    fibonacci = runtime.call("fibonacci", Interval(0, 80))  # without memory it would take years
    assert [fibonacci[n] for n in (0, 1, 2, 10, 80)] == [0, 1, 1, 55, 23416728348467685]


def test_calls_of_python(runtime: Runtime) -> None:
    asked: list[int] = []

    @CALLBACK
    def answer(primitive: int, args: object, size: int, out: object, room: int) -> int:
        (value,) = decode_all(ctypes.string_at(args, size))  # type: ignore[arg-type]
        asked.append(room)
        data = encode((value, primitive))
        if len(data) <= room:
            ctypes.memmove(out, data, len(data))  # type: ignore[arg-type]
        return len(data)

    runtime.lib.harness_call_with(answer)
    record = make_record({"f": make_set([1, 2]), "g": ModelValue("m1")})
    assert runtime.call("call_python", record) == (record, 7)
    large = tuple(range(100_000))
    assert runtime.call("call_python", large) == (large, 7)
    assert asked[1] < asked[2]  # there was not enough room at first


def test_python_may_have_no_answer(runtime: Runtime) -> None:
    runtime.lib.harness_call_with(none := CALLBACK(lambda *_: 0))
    with pytest.raises(Failure):
        runtime.call("call_python", 1)
    assert none
