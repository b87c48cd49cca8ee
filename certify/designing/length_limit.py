r"""An upper bound of the certified range over *all* angles g and scales C: what no k-offset head in F can exceed.

**Theorem.**  All stages in F, rounding to nearest, no `ftz`, realization `ideal` or `table`, and C in F's range.  Let x
be any arc, 0 < x < 1, such that each head fails to tell a key at angle x or nearer from the key at angle 0 (below).
If 2 pi / (N+1) <= x then N_max^(k) <= N + k - 2 for every g, every C and every k >= 1, under either criterion.

*Proof.*  By Dirichlet some n, 1 <= n <= N, has |phi| <= 2 pi / (N+1) <= x for phi = g n mod 2 pi: of the N+1 points 0,
g, .., N g two are that near on the circle.  Query i = n + k has the target n and the competitor 0, and fails.  So
i0 <= n + k.

**When it fails.**  |fl(x) - x| <= u|x| + a for every x in range: u = 2^-p and a half the least positive value for
floats; u = 0 and a half the step for fixed point.  Let |phi| <= x, and let e be the greatest error of rounding
[-1, 1].

1. Keys.  If 1 - x^2/2 lies in the rounding cell of 1, then fl(cos phi) = 1 = fl(cos 0): the keys are (1, s) and
   (1, 0), with s = fl(sin phi), |s| <= (1+u) x + a.
2. Scores.  With the query (A, B), S(n+k, 0) = fl(A + fl(B * 0)) = A.  S(n+k, n) = fl(A + P) with P = fl(B s), or B s
   itself under `fma`.  If A, B or P is not finite, the target's score is not, and the query fails; so let them be.
3. The query (A, B) is C (cos phi, sin phi) up to errors.  For b = (b0, b1), |b0| + |b1| <= w := sqrt2 (1+u) C + 2a, and
   its own errors move a component of the rotated vector by at most sqrt2 u C + 2a; those of the block by e w; those of
   the products by u (1 + sqrt2 e) ((1+u) C + sqrt2 a) + 2a (Cauchy-Schwarz).  Let D be their sum.  Then
   |B| <= (1+u) (C x + D) + a, and A >= C (1 - x^2/2) - D - u (C + D) - a.  (Where F saturates, A may be the largest
   value instead: then fl(A + P) <= A, and the query fails anyway.)
4. With X = |B| ((1+u) x + a) >= |B s|: |P| <= (1+u) X + a, and P = 0, or A + B s rounds to A, where X < a.
5. *Tie.*  Half the spacing of F above A > 0 is more than u A / 2, so fl(A + P) <= A for (1+u) X + a <= u A / 2 (for P
   < 0 as rounding is monotone), and for X < a.  The target's score is then not the greater one, which fails.
6. *Small gap.*  |fl(A + P) - A| <= 2|P|, as A itself is a value at the distance |P| of A + P.  So a gap of f needs
   2 ((1+u) X + a) >= f.  For `gap` f = f_large.  For `weight` it is the midpoint m of f_large and the value before it:
   a difference below m rounds to a value below f_large, whose exponential is not rounded to 0, and then the two weights
   are not 1 and 0: a weight of 0 needs Z >= 2, which leaves the target at most 1/2 (and if another score is above the
   target's, so is its weight).

X rises with C, so 6 holds for all C up to one at which it does.  Divided by C, 5 only gets easier as C rises, for
u > 0.  So all C are covered by: 6 at the greatest C; or 6 and 5 at one C0 (f_large is taken); or, for fixed point,
X < a at the greatest C.  Everything is monotone in x, so the least N is found by bisection, in rational arithmetic.

**Without f_large** no head is usable under `gap`.  Nor is one under `weight`, unless S - m may become an infinity,
whose exponential is 0: let a be the least positive value; exp(-f) does not round to 0, so e_j >= a.  A weight of 1
needs 1 in F.  If the mode is not to nearest, a weight of 0 needs e_j/Z < a and a mode toward 0, so Z > 1, and then the
target's e/Z <= 1/Z < 1 is not rounded to 1.  To nearest it needs e_j/Z <= a/2, so Z >= 2 and e/Z <= 1/2, which rounds
to 1 only if a = 1; but e^-1 rounds to 0 then, and f_large exists.  Under `ftz`, in any mode, e_j/Z < a: Z > 1, which in
floats is Z >= 1 + 2^(1-p), so 1/Z is at most 1 - 2^-p, the value before 1 (if that is flushed, a = 1, as before).

To first order 5 asks for x^2 < u/2: N is about 2 pi sqrt(2/u), which grows as the square root of 2^p.
"""

from __future__ import annotations

from dataclasses import dataclass

from gmpy2 import mpq

from certify.certified_range.pigeonhole import keys_at_most, reason_of_repetition
from certify.certified_range.question import Criterion
from certify.certified_range.rounding_error import rounding_error, sqrt_up
from fpsim.angle import Angle
from fpsim.flarge import f_large
from fpsim.realization import Kind, traits_of
from fpsim.realization import realize as make
from fpsim.rounding.reference import round_exact
from fpsim.valueset import ValueSet

__all__ = ["LengthLimit", "length_limit"]

_SQRT2 = sqrt_up(mpq(2))
_TURN = Angle(mpq(2), "pi").enclose(96)[1]  # an upper bound of 2 pi
_FARTHEST = 1 << 200
_SAMPLE = Angle(mpq(2, 5), "pi")  # an angle that every kind takes


@dataclass(frozen=True)
class LengthLimit:
    """N_max^(k) <= bound for every g and C, and why; bound k - 1 means that no head in F is usable at all."""

    bound: int
    reason: str


def length_limit(
    values: ValueSet, k: int, *, criterion: Criterion = "gap", realize: Kind | str = "ideal"
) -> LengthLimit | None:
    """The least proved upper bound of N_max^(k) over all g and C in the range of `values`, None when none is known.

    realize: a kind that is made from an angle.

    >>> length_limit(ValueSet.parse("fp16"), 1).bound, length_limit(ValueSet.parse("e4m3"), 1).bound
    (422, 92)
    """
    threshold = f_large(values)
    if threshold is None and (criterion == "gap" or values.overflow != "inf"):
        return LengthLimit(k - 1, f"{values.name} has no f_large: no gap in it makes a weight exactly 0")
    found = []
    traits = traits_of(make(realize, _SAMPLE, values))
    if traits.phase == "exact" and threshold is not None:
        steps = _steps(values, threshold, criterion)
        if steps is not None:
            found.append(
                LengthLimit(
                    steps + k - 2,
                    f"for every angle some n <= {steps} brings the rotation back to within 2 pi/{steps + 1}, and there "
                    f"no scale{_up_to(values)} makes two scores in {values.name} differ by f_large (Dirichlet)",
                )
            )
    if traits.phase == "product" and traits.repeats is not None:  # which do not depend on the angle
        reason = f"whatever the angle, {reason_of_repetition(traits.repeats)}"
        found.append(LengthLimit(traits.repeats[1] + k - 2, reason))
    if traits.on_circle:
        keys = keys_at_most(values)
        if keys is not None:
            found.append(
                LengthLimit(keys + k - 2, f"at most {keys} realized keys in {values.name} are different (pigeonhole)")
            )
    return min(found, key=lambda limit: limit.bound, default=None)


def _up_to(values: ValueSet) -> str:
    return f" up to {float(values.max):.6g}" if values.overflow == "saturate" else ""


def _steps(values: ValueSet, threshold: mpq, criterion: Criterion) -> int | None:
    """The least N of the theorem, or None where it does not apply."""
    if not values.is_binary or values.ftz or values.rounding not in ("even", "away"):
        return None
    if mpq(1) not in values or round_exact(values, mpq(1, 2)) == 1:
        return None
    needed = threshold
    if criterion == "weight":
        index = values.index(threshold)
        needed = (threshold + (values.value(index - 1) if index > values.least_index else 0)) / 2
    head = _Worst(values, needed)
    low, high = 5, 11  # N = 5 leaves arcs above 1
    while not head.fails(_TURN / (high + 1)):
        low, high = high, 2 * high
        if high > _FARTHEST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if head.fails(_TURN / (middle + 1)) else (middle, high)
    return high


class _Worst:
    """The bounds of the module's text, for any head in `values`."""

    def __init__(self, values: ValueSet, needed: mpq) -> None:
        self.needed = needed
        self.u = mpq(1, 1 << values.precision) if values.kind == "float" else mpq(0)
        self.a = mpq(2) ** (values.quantum_exponent - 1)
        self.e = rounding_error(values, mpq(1))
        self.cell = (1 + values.value(values.index(mpq(1)) - 1)) / 2  # above it, cosines round to 1
        # Beyond M by more than half its spacing C overflows, or F saturates and such C are left out.
        self.greatest = values.max if values.overflow == "saturate" else values.max * (1 + self.u) + self.a

    def fails(self, x: mpq) -> bool:
        """Whether no head tells a key at angle x, or nearer, from the one at 0."""
        if 1 - x * x / 2 <= self.cell:
            return False
        if self._small_gap(x, self.greatest):
            return True
        if not self.u:
            return bool(self._product(x, self.greatest) < self.a)
        scale = min(self.needed, self.greatest)
        return self._small_gap(x, scale) and self._tie(x, scale)

    def _small_gap(self, x: mpq, scale: mpq) -> bool:
        return bool(2 * ((1 + self.u) * self._product(x, scale) + self.a) < self.needed)

    def _tie(self, x: mpq, scale: mpq) -> bool:
        error = self._error(scale)
        least = scale * (1 - x * x / 2) - error - self.u * (scale + error) - self.a  # A
        return bool((1 + self.u) * self._product(x, scale) + self.a <= self.u * least / 2)

    def _product(self, x: mpq, scale: mpq) -> mpq:
        """X."""
        second = (1 + self.u) * (scale * x + self._error(scale)) + self.a
        return second * ((1 + self.u) * x + self.a)

    def _error(self, scale: mpq) -> mpq:
        """D."""
        u, a, e = self.u, self.a, self.e
        bias = _SQRT2 * u * scale + 2 * a
        block = e * (_SQRT2 * (1 + u) * scale + 2 * a)
        products = u * (1 + _SQRT2 * e) * ((1 + u) * scale + _SQRT2 * a) + 2 * a
        return bias + block + products
