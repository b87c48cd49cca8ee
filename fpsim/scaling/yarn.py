"""yarn: from theta for the fast pairs to theta/f for the slow ones, along a ramp (Peng et al., arXiv:2309.00071).

The pair that turns beta times within the original length L0 has the index c(beta) = d ln(L0/(2 pi beta)) / (2 ln base).
With lo = c(beta_fast) and hi = c(beta_slow), rounded down and up when `truncate`, and brought within 0 .. d-1, pair j
gets (1 - r) theta + r theta/f with r = (j - lo)/(hi - lo), brought within 0 .. 1.

c(beta) is never a whole number n: then L0/(2 pi beta) = base^(2n/d) would make pi algebraic.  So its floor and ceiling
are found by enclosures.  Truncated, r is rational and the angle a rational multiple of theta; else r has logarithms in
it, and whether the angle over 2 pi is irrational is not known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gmpy2 import mpq

from fpsim.angle import Angle, NamedReal
from fpsim.enclosure import MAX_BITS, Enclosure, log_bounds, narrowed, over, pi_bounds, plus, point, product
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import exact_text
from fpsim.real import Irrational, Real
from fpsim.scaling.parameters import Parameters
from fpsim.schedule import Scaling, Schedule

__all__ = ["yarn"]


def yarn(schedule: Schedule, parameters: Parameters) -> Schedule:
    """The schedule along its ramp, and the attention factor 1 + ln(f)/10 or what the parameters say."""
    base, dim = schedule.base, schedule.dim
    assert base is not None
    assert dim is not None  # a conventional schedule
    if base == 1:
        raise InputError("rope_theta", 1, "other than 1 for the rope type yarn, which divides by its logarithm")
    factor, original = parameters.factor_or_ratio(), parameters.original_length()
    fast, slow = parameters.number("beta_fast", mpq(32)), parameters.number("beta_slow", mpq(1))
    if fast <= slow:
        raise InputError(parameters.name("beta_fast"), exact_text(fast), f"greater than beta_slow, {exact_text(slow)}")
    truncate = parameters.flag("truncate", True)
    ends = _ramp_ends(base, dim, original, (fast, slow), truncate)
    angles = tuple(_on_ramp(angle, j, ends, factor) for j, angle in enumerate(schedule.angles))
    attention, how = _attention_factor(parameters, factor)
    scaling = Scaling.of(
        "yarn",
        factor=factor,
        original_max_position_embeddings=original,
        beta_fast=fast,
        beta_slow=slow,
        truncate=truncate,
        **how,
    )
    return replace(schedule, angles=angles, scaling=scaling, attention_factor=attention)


@dataclass(frozen=True)
class _Index:
    """c(beta), an irrational number: (dim/2) ln(ratio/pi) / ln(base), with ratio = L0/(2 beta)."""

    base: mpq
    dim: int
    ratio: mpq

    def enclose(self, bits: int) -> Enclosure | None:
        """Rational bounds; None where more bits are needed."""
        pi_lo, pi_hi = pi_bounds(bits)
        lo, _ = log_bounds(self.ratio / pi_hi, bits)
        _, hi = log_bounds(self.ratio / pi_lo, bits)
        return over(product(point(mpq(self.dim, 2)), (lo, hi)), log_bounds(self.base, bits))

    def floor(self) -> int:
        """The greatest whole number below."""
        bits = 64
        while bits <= MAX_BITS:
            ends = self.enclose(bits)
            if ends is not None:
                lo, hi = (end.numerator // end.denominator for end in ends)
                if lo == hi:
                    return int(lo)
            bits *= 2
        raise UnsupportedError(f"{MAX_BITS} bits do not decide between which whole numbers {self} lies")

    def __str__(self) -> str:
        return f"{self.dim // 2}*log({exact_text(self.ratio)}/pi)/log({exact_text(self.base)})"


def _ramp_ends(base: mpq, dim: int, original: int, betas: tuple[mpq, mpq], truncate: bool) -> tuple[mpq | _Index, ...]:
    """lo and hi: whole numbers, or one that is not a whole number as it is."""
    fast, slow = (_Index(base, dim, original / (2 * beta)) for beta in betas)
    low, high = fast.floor(), slow.floor()
    if truncate:
        first, last = max(low, 0), min(high + 1, dim - 1)
        return mpq(first), first + mpq(1, 1000) if first == last else mpq(last)  # so that hi - lo is not 0
    # Not whole, c < 0 when its floor is, and c > d - 1 when its floor is at least that.
    return mpq(0) if low < 0 else fast, mpq(dim - 1) if high >= dim - 1 else slow


def _on_ramp(angle: Angle, j: int, ends: tuple[mpq | _Index, ...], factor: mpq) -> Angle:
    """(1 - r) theta + r theta/f = theta (1 - r (1 - 1/f))."""
    ramp = _ramp(j, *ends)
    drop = 1 - 1 / factor
    if not isinstance(ramp, _Ramp):
        return angle.times(1 - ramp * drop)
    if drop == 0:
        return angle
    text = f"{angle}*(1-{exact_text(drop)}*{ramp})"

    def compute(bits: int) -> Enclosure | None:
        r = ramp.enclose(bits)
        return None if r is None else product(angle.enclose(bits), plus(point(1), product(point(-drop), r)))

    return Angle(mpq(1), "real", real=NamedReal(text, lambda bits: narrowed(compute, bits, text)))


@dataclass(frozen=True)
class _Ramp:
    """(j - lo)/(hi - lo) between 0 and 1, with an end that is no whole number."""

    j: int
    lo: mpq | _Index
    hi: mpq | _Index

    def enclose(self, bits: int) -> Enclosure | None:
        """Rational bounds; None where more bits are needed."""
        ends = [end.enclose(bits) if isinstance(end, _Index) else point(end) for end in (self.lo, self.hi)]
        if ends[0] is None or ends[1] is None:
            return None
        minus_lo = product(point(-1), ends[0])
        return over(plus(point(self.j), minus_lo), plus(ends[1], minus_lo))

    def __str__(self) -> str:
        lo, hi = (str(end) if isinstance(end, _Index) else exact_text(end) for end in (self.lo, self.hi))
        return f"({self.j}-{lo})/({hi}-{lo})"


def _ramp(j: int, lo: mpq | _Index, hi: mpq | _Index) -> mpq | _Ramp:
    """r, brought within 0 .. 1."""
    if not isinstance(lo, _Index) and not isinstance(hi, _Index):
        return min(max((j - lo) / (hi - lo), mpq(0)), mpq(1))
    ramp, bits = _Ramp(j, lo, hi), 64
    while bits <= MAX_BITS:  # j is an end only where that end is a whole number, and then r is enclosed by itself
        ends = ramp.enclose(bits)
        if ends is not None:
            if ends[1] <= 0:
                return mpq(0)
            if ends[0] >= 1:
                return mpq(1)
            if ends[0] > 0 and ends[1] < 1:
                return ramp
        bits *= 2
    raise UnsupportedError(f"{MAX_BITS} bits do not decide whether {ramp} is between 0 and 1")


def _attention_factor(parameters: Parameters, factor: mpq) -> tuple[Real, dict[str, mpq]]:
    """The factor, and the parameters that it came from."""
    if "attention_factor" in parameters:
        given = parameters.number("attention_factor")
        return given, {"attention_factor": given}
    above, below = (parameters.number(key, mpq(0), above=None) for key in ("mscale", "mscale_all_dim"))
    for key, scale in (("mscale", above), ("mscale_all_dim", below)):
        if scale < 0:
            raise InputError(parameters.name(key), exact_text(scale), "at least 0")
    if above and below:
        return _ratio(factor, above / 10, below / 10), {"mscale": above, "mscale_all_dim": below}
    return _ratio(factor, mpq(1, 10), mpq(0)), {}


def _ratio(factor: mpq, a: mpq, b: mpq) -> Real:
    """(1 + a ln f) / (1 + b ln f) for f > 1, else 1.

    It is irrational for a other than b: a rational value q would give (a - q b) ln f = q - 1, and ln f is
    transcendental (Lindemann), so that a = q b and q = 1.
    """
    if factor <= 1 or a == b:
        return mpq(1)

    def compute(bits: int) -> Enclosure | None:
        log = log_bounds(factor, bits)
        return over(plus(point(1), product(point(a), log)), plus(point(1), product(point(b), log)))

    return Irrational(lambda bits: narrowed(compute, bits, "the attention factor"))
