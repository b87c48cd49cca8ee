"""longrope: a factor for each pair, one list for short sequences and one for long ones (Ding et al., arXiv:2402.13753).

theta_j = 1/(ext_j base^(2j/d)), with ext the long factors when the sequence is longer than the original length L0, else
the short ones.  cos and sin are multiplied by sqrt(1 + ln f/ln L0), where f is how much longer sequences may become.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

from gmpy2 import mpq

from fpsim.enclosure import Enclosure, log_bounds, narrowed, over, plus, point, sqrt_bounds
from fpsim.real import Irrational, Real, sqrt_of
from fpsim.scaling.parameters import Parameters
from fpsim.schedule import Scaling, Schedule

__all__ = ["log_ratio", "longrope"]


def longrope(schedule: Schedule, parameters: Parameters) -> Schedule:
    """The schedule for a sequence of `length`, or of `max_position_embeddings`."""
    pairs = len(schedule.angles)
    original = parameters.original_length(least=2)
    lists = {name: parameters.numbers(f"{name}_factor", pairs) for name in ("short", "long")}
    length = parameters.length or parameters.most()
    chosen = "long" if length > original else "short"
    angles = tuple(angle.times(1 / ext) for angle, ext in zip(schedule.angles, lists[chosen], strict=True))
    attention, how = _attention_factor(parameters, original, chosen)
    scaling = Scaling.of(
        "longrope",
        short_factor=lists["short"],
        long_factor=lists["long"],
        original_max_position_embeddings=original,
        length=length,
        factors=chosen,
        **how,
    )
    return replace(schedule, angles=angles, scaling=scaling, attention_factor=attention)


def _attention_factor(parameters: Parameters, original: int, chosen: str) -> tuple[Real, dict[str, mpq]]:
    """The factor, and the parameters that it came from."""
    mscales = {name: parameters.number(f"{name}_mscale", mpq(0)) for name in ("short", "long")}
    if mscales[chosen]:
        return mscales[chosen], {f"{chosen}_mscale": mscales[chosen]}
    if "attention_factor" in parameters:
        given = parameters.number("attention_factor")
        return given, {"attention_factor": given}
    factor = parameters.factor_or_ratio()
    return _root(factor, original), {"factor": factor}


def _root(factor: mpq, original: int) -> Real:
    """sqrt(1 + ln f/ln L0) for f > 1, else 1: irrational when the ratio of the logarithms is."""
    if factor <= 1:
        return mpq(1)
    ratio = log_ratio(factor, mpq(original))
    if ratio is not None:
        return sqrt_of(1 + ratio)

    def compute(bits: int) -> Enclosure | None:
        quotient = over(log_bounds(factor, bits), log_bounds(mpq(original), bits))
        return None if quotient is None else sqrt_bounds(plus(point(1), quotient), bits)

    return Irrational(lambda bits: narrowed(compute, bits, "the attention factor"))


def log_ratio(x: mpq, y: mpq) -> mpq | None:
    """ln x / ln y for rationals x, y > 0, y other than 1, when that is rational, else None.

    ln x / ln y = p/q says x^q = y^p.  Written with factors that have no common divisor, two rationals have a common
    power exactly when the exponents of the one are a multiple of those of the other.

    >>> log_ratio(mpq(32), mpq(4096)), log_ratio(mpq(8, 27), mpq(9, 4)), log_ratio(mpq(6), mpq(12))
    (mpq(5,12), mpq(-3,2), None)
    """
    factors = _coprime_factors([int(each) for z in (x, y) for each in (z.numerator, z.denominator)])
    exponents = [(_exponent(x, factor), _exponent(y, factor)) for factor in factors]
    known = next(mpq(of_x, of_y) for of_x, of_y in exponents if of_y)  # y is not 1
    return known if all(of_x == known * of_y for of_x, of_y in exponents) else None


def _coprime_factors(numbers: list[int]) -> list[int]:
    """Whole numbers above 1 without a common divisor, pairwise, of which all the numbers are products."""
    factors = {number for number in numbers if number > 1}
    while True:
        meeting = next(((a, b) for a, b in combinations(sorted(factors), 2) if math.gcd(a, b) > 1), None)
        if meeting is None:
            return sorted(factors)
        a, b = meeting
        common = math.gcd(a, b)
        factors = (factors - {a, b}) | {part for part in (a // common, b // common, common) if part > 1}


def _exponent(x: mpq, factor: int) -> int:
    """How often the factor divides the numerator, less how often the denominator."""
    count, top, bottom = 0, int(x.numerator), int(x.denominator)
    while top % factor == 0:
        count, top = count + 1, top // factor
    while bottom % factor == 0:
        count, bottom = count - 1, bottom // factor
    return count
