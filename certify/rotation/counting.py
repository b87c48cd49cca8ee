"""How many near-returns there are, without listing them: to know the cost of a scan before it begins.

For 0 <= hi - lo <= m, floor((n step - lo)/m) - floor((n step - hi)/m) is 1 when n step mod m lies in [lo, hi), else 0.
So their number is a difference of two sums of floors of an arithmetic progression, each of which Euclid's algorithm
takes in O(log m) steps (R. L. Graham, D. E. Knuth, O. Patashnik, Concrete Mathematics, §3.5).  For irrational alpha the
integer rotation of `fixed_point` gives a lower and an upper count; the bits are doubled until they agree.
"""

from __future__ import annotations

from operator import index

from certify.rotation.integer_rotation import fixed_point
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import parse_number

__all__ = ["count_near_returns", "sum_of_floors"]


def count_near_returns(angle: Angle, width: object, limit: int, *, start: int = 1) -> int:
    """The number of n, start <= n <= limit, with n * angle at a distance < width from the multiples of 2 pi.

    `width` is an exact number of turns, start >= 1: the length of the list of `near_returns_within`, in O(log limit)
    steps.  Raises `InputError`.

    >>> count_near_returns(Angle.parse("1"), "1/100", 10**40) - 2 * 10**40 // 100
    -2
    """
    half = parse_number(width, "width")
    if start < 1:
        raise InputError("start", start, "an integer of at least 1")
    start, limit = index(start), index(limit)
    number = limit - start + 1
    if half <= 0 or number <= 0:
        return 0
    if 2 * half > 1 or (2 * half == 1 and angle.turns is None):
        return number
    bits = 2 * limit.bit_length() + int(half.denominator.bit_length()) + 40
    while True:
        step, modulus, blur = fixed_point(angle, bits)
        bits *= 2
        edge = int(half.numerator * modulus // half.denominator)  # floor of the width
        if not blur:  # the integers in (-width, width)
            inner = edge if edge * half.denominator < half.numerator * modulus else edge - 1
            return _count(step, modulus, range(start, limit + 1), -inner, inner + 1)
        # Places are off by less than n <= limit to the right.  Both arcs make sense: limit is small against the width,
        # edge >= modulus / denominator, and against what the width leaves of the circle, at least as much.
        least = _count(step, modulus, range(start, limit + 1), -edge, edge - limit + 1)
        most = _count(step, modulus, range(start, limit + 1), -edge - limit, edge + 1)
        if least == most:
            return least


def _count(step: int, modulus: int, places: range, lo: int, hi: int) -> int:
    """The number of n in `places` (of step 1) with n * step in [lo, hi) mod modulus, for 0 <= hi - lo <= modulus."""
    number, offset = places.stop - places.start, places.start * step  # len() ends at 2^63
    return sum_of_floors(number, modulus, step, offset - lo) - sum_of_floors(number, modulus, step, offset - hi)


def sum_of_floors(number: int, modulus: int, step: int, offset: int) -> int:
    """The sum of floor((step * i + offset) / modulus) over 0 <= i < number, for step >= 0 and modulus >= 1.

    After the whole parts are taken out, the sum counts the lattice points below a line that climbs to `top`; counted
    by columns from the other side they are a sum of the same kind with step and modulus exchanged.

    >>> sum_of_floors(5, 7, 3, -4) == sum((3 * i - 4) // 7 for i in range(5))
    True
    """
    total = 0
    while number > 0:
        whole, step = divmod(step, modulus)
        total += whole * (number * (number - 1) // 2)
        whole, offset = divmod(offset, modulus)
        total += whole * number
        number, offset = divmod(step * number + offset, modulus)
        step, modulus = modulus, step
    return total
