r"""A proved bound on the error of a realized score: |S(i, j) - C cos(g (i-k-j))| <= E, up to a last query.

Here g is the exact angle that the head stores (`bias_angle`: theta for `ideal`, `table` and `recurrence`, round(theta)
for `phase` and `counter`).  Vectors are of the plane, |.| is the Euclidean norm, and R(c, s) is the matrix [[c, -s],
[s, c]], which multiplies norms by |(c, s)|.  e_F, pair_F and plane_F are the bounds of `rounding_error`, with F the
value set of a stage: V = values, R = rotate, T = score.  In exact arithmetic the block at i is r = (cos gi, sin gi),
the bias b = C (cos kg, -sin kg), the query Q = R(r) b = C (cos g(i-k), sin g(i-k)), the key K = (cos gj, sin gj), and S
= Q.K; marks ' are for realized numbers.

Range.  Each step below applies e_F to an upper bound of the magnitude of the exact result that is rounded.
`OutOfRangeError` there means that the result may overflow to an infinity or NaN, and that this module has no bound.
Where it is not raised every realized number is finite, so none of the NaN rules of "semantics 1" §1 applies.  A set
that saturates has bounds.

1. Block.  |(c', s') - (cos, sin)| <= rho and |c'|, |s'| <= c1, for all i <= L.
   * `ideal`, `table`: rho = plane_V(1), and c1 = max(round(1), -round(-1)), as rounding is monotone.
   * `phase`, and `counter` while x_i = i: phi = round(t x) with t = g and x = round(i), so |phi - g i| <= w = e_V(|g|
     X) + |g| e_V(L), X = L + e_V(L); where the whole numbers up to L are in V the error of x is 0, and where their
     multiples t x are too, so is w.  A rotation by w moves a unit vector by at most w: rho = plane_V(1) + w, with the
     same c1.
   * `recurrence`: `state_error`; there c1 = 1 + rho.
2. Operands.  Under `ftz` in a stage F, an operand may be taken as 0: it moves by at most l_F (`lost_operand`; 0 where
   the operands have no such values).  So the rotation sees (c, s) within rho_R = rho + sqrt2 l_R of the exact block,
   |(c, s)| <= 1 + rho_R, and the bias b* = (b0, b1), which is computed, with beta = |b* - b| enclosed.
3. Products of the rotation.  For either component the two exact products are at most c1 |b0| and c1 |b1|, and their
   magnitudes sum to at most P = (1 + rho_R) |b*| (Cauchy-Schwarz).  So both roundings together move a component by at
   most eta = min(e_R(c1 |b0|) + e_R(c1 |b1|), pair_R(P)).
4. Sums of the rotation.  The exact vector R(c, s) b* has norm at most P; the rounded products move it by at most sqrt2
   eta, so the exact sums have norm N = P + sqrt2 eta, and their rounding moves them by at most plane_R(N).
5. Storing.  If R is a part of V nothing changes; else plane_V(N + plane_R(N)) is added.
6. Query.  R(c, s) b* - R(r) b = R((c, s) - r) b* + R(r) (b* - b), of norm at most rho_R |b*| + beta.  Together
   |Q' - Q| <= dq = rho_R |b*| + beta + sqrt2 eta + plane_R(N) + [plane_V(N + plane_R(N))].
7. Score.  Its operands are within dQ = dq + sqrt2 l_T of Q and within dK = rho + sqrt2 l_T of K: |Q'| <= C + dQ and
   |K'| <= 1 + dK, so the magnitudes of the two products sum to at most P2 = (C + dQ)(1 + dK).  Their roundings: at most
   h = pair_T(P2), or, as `fma` rounds only the first, h = e_T(P2).  The last rounding: at most e_T(P2 + h).  So
   S' = Q'.K' + d with |d| <= D = h + e_T(P2 + h).
8. Theorem.  Q'.K' - Q.K = (Q' - Q).K' + Q.(K' - K), so |S' - S| <= E = dQ (1 + dK) + C dK + D.
9. Two scores of one query.  Let y = C (1 - cos gn), n = i-k-j, the exact gap.  |K_t - K_j| = 2 |sin(gn/2)| =
   sqrt(2y/C), and Q'.(K'_t - K'_j) = Q.(K_t - K_j) + (Q' - Q).(K_t - K_j) + Q'.(K'_t - K_t) - Q'.(K'_j - K_j), so
       |S'_t - S'_j - y| <= dQ sqrt(2y/C) + G,    G = 2 (C + dQ) dK + 2 D.
   The error of the query, common to both, counts for little next to a near-return: y is small against C there.
10. With a = dQ sqrt(2/C): a pair whose gap is below f has y - a sqrt y < f + G, hence sqrt y < (a + sqrt(a^2 +
   4(f+G)))/2; and y < f + 2E by 8.  `near` is the least such bound on y.  Conversely the gap is below f for certain if
   y + a sqrt y < f - G, that is sqrt y < 2(f-G)/(a + sqrt(a^2 + 4(f-G))) for f > G, or if y < f - 2E: `sure`.

To first order with u = 2^-p, all stages nearest in one p-bit format and no result subnormal: rho <= u/sqrt2, dQ <=
(1/sqrt2 + sqrt2 + 1) uC + beta and D <= 2 uC, so E <= (3 + 2 sqrt2) uC + beta with beta <= uC, and G <= (4 + sqrt2) uC.
Above nothing is dropped: second-order terms, subnormal results and `ftz` are in the steps.
"""

from __future__ import annotations

from dataclasses import dataclass

from gmpy2 import mpq

from certify.certified_range.question import Question
from certify.certified_range.recurrence_error import state_error
from certify.certified_range.rounding_error import (
    OutOfRangeError,
    lost_operand,
    pair,
    plane,
    round_up,
    rounding_error,
    sqrt_up,
)
from fpsim.angle import Angle
from fpsim.real import Irrational
from fpsim.realization import traits_of
from fpsim.realization.containment import contains
from fpsim.realization.counting import integers_up_to
from fpsim.rounding.reference import Element, round_exact
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

__all__ = ["ErrorBounds", "NoBound", "error_bound", "error_bounds"]

_SQRT2 = sqrt_up(mpq(2))


@dataclass(frozen=True)
class NoBound:
    """Why there is no bound."""

    reason: str


@dataclass(frozen=True)
class ErrorBounds:
    """Bounds for all queries k+1 <= i <= last_query and keys 0 <= j < i; the letters are those of the module's text.

    angle: g.  scale: C. score: E. query: dQ.  keys: G.
    """

    angle: Angle
    scale: mpq
    last_query: int
    score: mpq
    query: mpq
    keys: mpq

    def near(self, threshold: mpq) -> mpq:
        """Only pairs with C (1 - cos(g n)) below this can have a gap below `threshold` > 0."""
        a, rest = self._slope, threshold + self.keys
        root = (a + sqrt_up(a * a + 4 * rest)) / 2
        return round_up(min(root * root, threshold + 2 * self.score))

    def sure(self, threshold: mpq) -> mpq | None:
        """All pairs with C (1 - cos(g n)) below this have a gap below `threshold`; None where no bound says so."""
        a, rest = self._slope, threshold - self.keys
        bounds = [threshold - 2 * self.score]
        if rest > 0:
            bounds.append((2 * rest / (a + sqrt_up(a * a + 4 * rest))) ** 2)
        return max(bounds) if max(bounds) > 0 else None

    @property
    def _slope(self) -> mpq:
        return self.query * sqrt_up(2 / self.scale)


def error_bound(question: Question, last_query: int) -> mpq | None:
    """E: |S(i, j) - C cos(g (i-k-j))| <= E for all k+1 <= i <= last_query, 0 <= j < i; None when there is no bound.

    g is the angle that the head stores.  `error_bounds` says why there is none.

    >>> from fpsim.regime import Regime
    >>> question = Question(Angle.parse("1"), mpq(40), 1, Regime.of("fp16"))
    >>> E = error_bound(question, 10**9)
    >>> E < 40 * mpq(1, 2**11) * 8
    True
    """
    bounds = error_bounds(question, last_query)
    return None if isinstance(bounds, NoBound) else bounds.score


def error_bounds(question: Question, last_query: int) -> ErrorBounds | NoBound:
    """The bounds of the module's text, or the reason why there are none."""
    realization = question.head.realization
    traits, angle = traits_of(realization), realization.bias_angle()
    if traits.phase is None:
        return NoBound(f"nothing is known of the phase of the realization {question.realize}")
    if traits.phase_until is not None and last_query > traits.phase_until:
        return NoBound(f"the realization {question.realize} leaves the phase g i after position {traits.phase_until}")
    if angle is None:
        return NoBound("the angle that the head stores is not finite")
    if not angle:
        return NoBound("the angle that the head stores is 0")
    try:
        return _derive(question, angle, last_query)
    except OutOfRangeError as problem:
        return NoBound(str(problem))


def _derive(question: Question, angle: Angle, last_query: int) -> ErrorBounds:
    regime, scale = question.regime, question.scale
    values, rotate, score = regime.values, regime.rotate, regime.score
    block, most = _block_error(question, angle, last_query)  # 1: rho, c1
    seen = block + _SQRT2 * lost_operand(rotate, values)  # 2: rho_R
    bias = tuple(_taken(rotate, _finite(x, values)) for x in question.head.bias)
    length = sqrt_up(bias[0] ** 2 + bias[1] ** 2)
    total = round_up((1 + seen) * length)  # 3: P
    products = min(sum(rounding_error(rotate, most * abs(x)) for x in bias), pair(rotate, total))
    norm = round_up(total + _SQRT2 * products)  # 4: N
    sums = plane(rotate, norm)
    stored = mpq(0) if contains(values, rotate) else plane(values, norm + sums)  # 5
    query = seen * length + _bias_error(question, angle, bias) + _SQRT2 * products + sums + stored  # 6
    lost = _SQRT2 * lost_operand(score, values)  # 7
    query, key = round_up(query + lost), round_up(block + lost)
    total = round_up((scale + query) * (1 + key))
    products = rounding_error(score, total) if regime.fma else pair(score, total)
    rounding = products + rounding_error(score, total + products)
    return ErrorBounds(
        angle,
        scale,
        last_query,
        round_up(query * (1 + key) + scale * key + rounding),
        query,
        round_up(2 * (scale + query) * key + 2 * rounding),
    )


def _block_error(question: Question, angle: Angle, last_query: int) -> tuple[mpq, mpq]:
    """(rho, c1) of step 1."""
    values, phase = question.regime.values, traits_of(question.head.realization).phase
    if phase == "turned":
        error = state_error(values, last_query)
        return error, 1 + error
    most = max(abs(_finite(round_exact(values, mpq(sign)), values)) for sign in (1, -1))
    drift = mpq(0) if phase == "exact" else _phase_drift(values, angle, last_query)
    return plane(values, mpq(1)) + min(drift, mpq(2)), most  # two unit vectors are at most 2 apart


def _phase_drift(values: ValueSet, angle: Angle, last_query: int) -> mpq:
    """w of step 1; the stored angle is rational."""
    step = abs(angle.coefficient)
    if last_query > integers_up_to(values):
        position_error = rounding_error(values, mpq(last_query))
        return rounding_error(values, step * (last_query + position_error)) + step * position_error
    if _multiples_are_exact(values, step, last_query):
        return mpq(0)
    return rounding_error(values, step * last_query)


def _multiples_are_exact(values: ValueSet, step: mpq, last: int) -> bool:
    """Whether 0, step, .., last * step > 0 are all values of a float or fixed-point set (a sufficient condition)."""
    if not values.is_binary or step * last > values.max:
        return False
    odd, exponent = step.numerator, 1 - int(step.denominator.bit_length())
    if step.denominator.bit_count() != 1 or exponent < values.quantum_exponent:
        return False
    while odd % 2 == 0:
        odd //= 2
    return bool(odd * last <= 1 << values.precision)


def _finite(x: Element, values: ValueSet) -> mpq:
    if isinstance(x, float) and x - x != 0:
        raise OutOfRangeError(f"a parameter or a cosine is beyond the range of {values.name}")
    return mpq(x)


def _taken(values: ValueSet, x: mpq) -> mpq:
    """An operand as `ftz` takes it."""
    return mpq(0) if values.ftz and values.min_normal is not None and abs(x) < values.min_normal else x


def _bias_error(question: Question, angle: Angle, bias: tuple[mpq, ...]) -> mpq:
    """beta of step 2, from enclosures far narrower than a rounding error."""
    exact = (cos_of(angle, question.offset), sin_of(angle, question.offset))
    errors = []
    for x, unit, factor in zip(bias, exact, (question.scale, -question.scale), strict=True):
        lo, hi = unit.enclose(question.regime.values.precision + 96) if isinstance(unit, Irrational) else (unit, unit)
        errors.append(max(abs(x - factor * lo), abs(x - factor * hi)))
    return round_up(sqrt_up(errors[0] ** 2 + errors[1] ** 2))
