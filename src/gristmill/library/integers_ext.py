"""The modules Bitwise, Combinatorics and Statistics."""

from __future__ import annotations

from math import comb, exp, lgamma, log

from gristmill.library.arguments import integer, natural, pairs, string, wrong
from gristmill.library.declaration import ALIKE, CALLBACK, DOUBTFUL, Operator
from gristmill.library.effects import NONE
from gristmill.values import Value


@Operator("Bitwise", "&", effects=NONE, equivariance=ALIKE, c="gm_bit_and")
def bit_and(a: Value, b: Value) -> Value:
    return integer(a, "&") & integer(b, "&")


@Operator("Bitwise", "|", effects=NONE, equivariance=ALIKE, c="gm_bit_or")
def bit_or(a: Value, b: Value) -> Value:
    return integer(a, "|") | integer(b, "|")


@Operator("Bitwise", "^^", effects=NONE, equivariance=ALIKE, c="gm_bit_xor")
def bit_xor(a: Value, b: Value) -> Value:
    return integer(a, "^^") ^ integer(b, "^^")


@Operator("Bitwise", "Not", effects=NONE, equivariance=ALIKE, c="gm_bit_not")
def bit_not(a: Value) -> Value:
    """The digits up to the highest that is 1."""
    number = integer(a, "Not")
    return ~number & ((1 << number.bit_length()) - 1)


@Operator("Bitwise", "shiftR", effects=NONE, equivariance=ALIKE, c="gm_shift_right")
def shift_right(number: Value, places: Value) -> Value:
    bits, distance = integer(number, "shiftR"), natural(places, "shiftR")
    return (bits if bits >= 0 else bits & 0xFFFFFFFF) >> distance  # TLC shifts 32 bits, without their sign


@Operator("Combinatorics", "choose", effects=NONE, equivariance=ALIKE, c="gm_choose")
def choose(n: Value, k: Value) -> Value:
    return comb(natural(n, "choose"), natural(k, "choose"))


@Operator("Statistics", "ChiSquare", effects=NONE, equivariance=DOUBTFUL, c=CALLBACK, boolean=True)
def chi_square(expected: Value, actual: Value, alpha: Value) -> bool:
    """Whether the counts may come from the expected distribution: not rejected at the significance level alpha."""
    wanted = [integer(value, "ChiSquare") for _, value in pairs(expected, "ChiSquare")]
    counted = [integer(value, "ChiSquare") for _, value in pairs(actual, "ChiSquare")]
    try:
        level = float(string(alpha, "ChiSquare"))
    except ValueError:
        wrong("ChiSquare", "a significance level in (0, 0.5] as text", alpha)
    if len(wanted) != len(counted) or len(wanted) < 2 or min(wanted) <= 0:
        wrong("ChiSquare", "two functions on one domain of at least two elements, the first positive", expected)
    scale = sum(counted) / sum(wanted)
    statistic = sum((count - scale * want) ** 2 / (scale * want) for want, count in zip(wanted, counted, strict=True))
    return _upper_gamma((len(wanted) - 1) / 2, statistic / 2) >= level


def _upper_gamma(a: float, x: float) -> float:
    """The regularized upper incomplete gamma function, by its series or Lentz's continued fraction."""
    if x <= 0:
        return 1.0
    front = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while abs(term) > abs(total) * 1e-15:
            n += 1
            term *= x / n
            total += term
        return 1 - front * total
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    result = d
    for i in range(1, 10_000):
        factor = -i * (i - a)
        b += 2
        d = 1 / (factor * d + b or tiny)
        c = b + factor / c or tiny
        step = d * c
        result *= step
        if abs(step - 1) < 1e-15:
            break
    return front * result
