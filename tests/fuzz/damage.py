"""Changes of a text or of bytes, as they come from a slip of the hand, an editor, a disk or a network."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from gristmill.syntax.token import KEYWORDS, SYMBOL_KINDS

WORDS = """begin end if then else elsif while do with either or await assert print skip goto call return macro procedure
    process fair variables define := || -+-> ~> <=> self x 1 0 -1 99999999999999999999 "s" 3.5 \\b1 <1>2. WF_x x'
    {} << >> ==== ----MODULE \\* (* *) \t \x00 \ufeff é \u2028 \r ℕ \U0001f600 SPECIFICATION INVARIANT
    CONSTANT <-""".split(" ")
TOKENS = [*KEYWORDS, *SYMBOL_KINDS, *(word.strip("\n") for word in WORDS)]


def damaged(content: bytes, rng: Random, another: Callable[[], bytes]) -> bytes:
    """One to three changes; `another` has pieces that fit elsewhere."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(_CHANGES)(content, rng, another)
    return content


def _span(content: bytes, rng: Random, most: int = 60) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + 1 + rng.randrange(most))


def _remove(content: bytes, rng: Random, _: object) -> bytes:
    start, end = _span(content, rng)
    return content[:start] + content[end:]


def _repeat(content: bytes, rng: Random, _: object) -> bytes:
    start, end = _span(content, rng)
    return content[:start] + content[start:end] * rng.choice((2, 2, 3, 40)) + content[end:]


def _insert(content: bytes, rng: Random, _: object) -> bytes:
    start, end = _span(content, rng, 6)
    word = f" {rng.choice(TOKENS)} ".encode()
    return content[:start] + word + content[rng.choice((start, end)) :]


def _truncate(content: bytes, rng: Random, _: object) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _flip(content: bytes, rng: Random, _: object) -> bytes:
    changed = bytearray(content)
    for _ in range(min(len(changed), rng.choice((1, 1, 2, 8)))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _splice(content: bytes, rng: Random, another: Callable[[], bytes]) -> bytes:
    other = another()
    start, end = _span(other, rng, 300)
    at, _ = _span(content, rng)
    return content[:at] + other[start:end] + content[at:]


def _swap_words(content: bytes, rng: Random, _: object) -> bytes:
    words = content.split(b" ")
    one, two = rng.randrange(len(words)), rng.randrange(len(words))
    words[one], words[two] = words[two], words[one]
    return b" ".join(words)


def _other_word(content: bytes, rng: Random, _: object) -> bytes:
    words = content.split(b" ")
    words[rng.randrange(len(words))] = rng.choice(TOKENS).encode()
    return b" ".join(words)


_CHANGES: list[Callable[[bytes, Random, Callable[[], bytes]], bytes]] = [
    _remove,
    _repeat,
    _insert,
    _insert,
    _truncate,
    _flip,
    _splice,
    _swap_words,
    _other_word,
]
