"""The rotation x -> x + step of the integers mod m: the first hit of an interval, and the return times to it.

Any exact rotation is reduced to this one: by a/m turns it *is* this one, and by an irrational alpha it is this one up
to a known error, with step = floor(2^w alpha) and modulus 2^w (`fixed_point`).  All of it is integer arithmetic in
O(log m) steps, whatever the size.

**Return times** (N. B. Slater, "Gaps and steps for the sequence n theta mod 1", Proc. Cambridge Philos. Soc. 63 (1967),
1115-1123).  Let I = [0, length), 1 <= length <= m.  Let r be the least n >= 1 whose shift forward, d_r = n step mod m,
is below length, and s the least n >= 1 whose shift backward, d_s = -n step mod m, is.  Then from x in I the next visit
of I is

    after r steps, at x + d_r              if x + d_r < length,
    after s steps, at x - d_s              if x - d_s >= 0 and not the former,
    after r + s steps, at x + d_r - d_s    otherwise.

Proof.  If a shift is 0, two points of the orbit in I coincide, r = s, and the first line always applies.  Otherwise:

* d_r + d_s >= length.  For r = s the sum is m.  For r < s a smaller sum would be the shift backward after s - r < s
  steps, against the choice of s; likewise for s < r.  So at most one of the first two conditions holds.
* Under the first condition d_s > x.  A return in n < r steps would be one backward, by some t <= x < d_s, so n > s;
  n - s steps shift forward by d_s - t < length, so n - s >= r, a contradiction.  The second is its mirror image.
* Under neither, x + d_r - d_s lies in I.  A return forward is by some t < length - x <= d_r, so in n > r steps; n - r
  steps shift backward by d_r - t < length, so n - r >= s.  A return backward is its mirror image.
"""

from __future__ import annotations

from fpsim.angle import Angle

__all__ = ["first_hit", "fixed_point", "return_times"]


def fixed_point(angle: Angle, bits: int) -> tuple[int, int, int]:
    """(step, modulus, blur) with step <= modulus * alpha <= step + blur, alpha the angle over 2 pi mod 1.

    For a/m turns that is (a mod m, m, 0).  Otherwise the modulus is 2^bits and blur is 1, and both ends are strict:
    n alpha lies strictly between n step and n step + n, over the modulus.

    >>> fixed_point(Angle.parse("2pi*3/7"), 64), fixed_point(Angle.parse("1"), 16)
    ((3, 7, 0), (10430, 65536, 1))
    """
    turns = angle.turns
    if turns is not None:
        return int(turns.numerator % turns.denominator), int(turns.denominator), 0
    lo, _ = angle.enclose_turns(8)
    size = max(0, int(lo.numerator.bit_length() - lo.denominator.bit_length()) + 1)  # of the whole turns
    working = bits + size + 32
    while True:
        lo, hi = angle.enclose_turns(working)
        below = (lo.numerator << bits) // lo.denominator
        if below == (hi.numerator << bits) // hi.denominator:  # else an integer lies in between: it parts them later
            return int(below) % (1 << bits), 1 << bits, 1
        working *= 2


def first_hit(step: int, modulus: int, low: int, length: int) -> int | None:
    """The least t >= 0 with t * step mod modulus in [low, low + length) mod modulus, or None if there is none.

    Method: if no multiple of the step lies in [low, high] before the first lap ends, every solution t step - y modulus
    in [low, high] has -y modulus mod step in [low, high] mod step, an instance with modulus `step` for the laps y,
    and the least y gives the least t.  Turning the circle over when 2 step > modulus halves the modulus each time.

    >>> first_hit(3, 7, 5, 1), first_hit(2, 10, 5, 1)
    (4, None)
    """
    if length <= 0:
        return None
    step, low = step % modulus, low % modulus
    high = low + length - 1
    if low == 0 or high >= modulus:  # the interval contains 0
        return 0
    laps: list[tuple[int, int, int]] = []
    while True:
        if 2 * step > modulus:
            step, low, high = modulus - step, modulus - high, modulus - low
        if step == 0:
            return None
        t = -(-low // step)
        if t * step <= high:
            break
        laps.append((step, modulus, low))
        step, modulus, low, high = -modulus % step, step, low % step, high % step
    for outer_step, outer_modulus, outer_low in reversed(laps):
        t = -(-(outer_low + t * outer_modulus) // outer_step)
    return t


def return_times(step: int, modulus: int, length: int) -> tuple[int, int, int, int]:
    """(r, d_r, s, d_s): the two return times to [0, length), 1 <= length <= modulus, and their shifts forward and back.

    With the three lines of the module's text they give every next visit.

    >>> return_times(3, 7, 2)
    (5, 1, 2, 1)
    """
    ahead = first_hit(step, modulus, -step, length)
    back = first_hit(-step, modulus, step, length)
    assert ahead is not None  # after modulus steps the shift is 0
    assert back is not None
    r, s = ahead + 1, back + 1
    return r, r * step % modulus, s, -s * step % modulus
