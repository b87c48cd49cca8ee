"""exp, sin and cos correctly rounded to binary64 (nearest, ties to even), callable inside compiled code.

A. Ziv's strategy (ACM TOMS 17(3), 1991): evaluate cheaply with a proved error bound; if every number within the bound
rounds to the same result, that is the answer; else evaluate again, more accurately.  Three steps: the quick kernels
(about one argument in a thousand passes on), the accurate kernels (about one in 2^45), and MPFR, which always answers.
No result comes from the C library: these functions return the same bits on every machine.

The rounding test.  The true value is in [hi + lo - err, hi + lo + err].  With e = err + 2^-105 |hi|, which covers the
roundings of lo - e and lo + e since |lo| <= u |hi|, these two machine numbers enclose the true value minus hi.
Rounding is monotone: if hi + (lo - e) and hi + (lo + e) round to the same number, so does the true value.
"""

from __future__ import annotations

import numba
import numpy as np

from fpsim.compilation import kernel
from fpsim.error_free import fma, two_sum
from fpsim.functions.bits import bits_of, from_bits
from fpsim.functions.exponential import exp_accurate, exp_quick
from fpsim.functions.reference import cos_reference, exp_reference, sin_reference
from fpsim.functions.sine_cosine import cos_accurate, cos_quick, sin_accurate, sin_quick

__all__ = ["cos64", "cos64_array", "exp64", "exp64_array", "rounds_safely", "sin64", "sin64_array"]

_LARGEST_EXP = float.fromhex("0x1.62e42fefa39efp+9")  # exp of the next number exceeds every binary64 number
_SMALLEST_NORMAL_EXP = float.fromhex("-0x1.6232bdd7abcd2p+9")  # exp of it is the first above 2^-1022
_SMALLEST_EXP = -745.2  # exp of it is below 2^-1075, half the smallest subnormal number
_TINY_SINE = 2.0**-27  # |x| below: |x - sin(x)| <= |x|^3/6 < |x| 2^-56, less than half the gap next to x
_FRACTION_BITS = np.uint64(52)


@kernel(forceinline=True)
def rounds_safely(hi: float, lo: float, err: float) -> tuple[float, bool]:
    """(y, safe): y is hi + lo rounded to nearest; safe if every number within err of hi + lo rounds to y.

    Needs |lo| <= ulp(hi)/2 and a result in the normal range of binary64.  NaN is never safe.
    """
    e = fma(abs(hi), 2.0**-105, err)
    y = hi + (lo + e)
    return y, y == hi + (lo - e)


# nogil=False: numba warns that object mode takes the lock again, which is what is wanted here
@kernel(nogil=False)
def _exp_by_mpfr(x: float) -> float:
    with numba.objmode(y="float64"):
        y = exp_reference(x)
    return y  # noqa: RET504 - object mode hands over named variables


@kernel(nogil=False)
def _sin_by_mpfr(x: float) -> float:
    with numba.objmode(y="float64"):
        y = sin_reference(x)
    return y  # noqa: RET504 - object mode hands over named variables


@kernel(nogil=False)
def _cos_by_mpfr(x: float) -> float:
    with numba.objmode(y="float64"):
        y = cos_reference(x)
    return y  # noqa: RET504 - object mode hands over named variables


@kernel(forceinline=True)
def _shifted(y: float, k: np.int64) -> float:
    """y 2^k for a normal y whose product is normal too."""
    return from_bits(bits_of(y) + (np.uint64(k) << _FRACTION_BITS))


@kernel()
def _exp_subnormal(hi: float, lo: float, err: float, k: np.int64) -> tuple[float, bool]:
    """(hi + lo) 2^k rounded to a multiple of 2^-1074, for a result below 2^-1022, and whether err leaves it certain."""
    # Numbers of [big, 2 big) are multiples of 2^(-1074-k), so adding big rounds at the right place
    big = from_bits(np.uint64(1023 - 1022 - k) << _FRACTION_BITS)
    s, rest = two_sum(big, hi)
    rest, last = two_sum(rest, lo)
    y, safe = rounds_safely(s, rest, err + abs(last))
    # y is big plus an integer number of units, and that integer is the bit pattern of the subnormal result
    return from_bits(bits_of(y) - bits_of(big)), safe


@kernel()
def _exp_rare(x: float) -> float:
    """exp64 where the quick phase gives no answer: the ends of the range, NaN, subnormal results, hard cases."""
    if x > _LARGEST_EXP:
        return np.inf
    if x < _SMALLEST_EXP:
        return 0.0
    if np.isnan(x):
        return x
    if x >= _SMALLEST_NORMAL_EXP:
        hi, lo, err, k = exp_accurate(x)
        y, safe = rounds_safely(hi, lo, err)
        if safe:
            return _shifted(y, k)
        return _exp_by_mpfr(x)
    hi, lo, err, k = exp_quick(x)
    y, safe = _exp_subnormal(hi, lo, err, k)
    if safe:
        return y
    hi, lo, err, k = exp_accurate(x)
    y, safe = _exp_subnormal(hi, lo, err, k)
    if safe:
        return y
    return _exp_by_mpfr(x)


@kernel()
def exp64(x: float) -> float:
    """exp(x) correctly rounded to binary64: nearest, ties to even, gradual underflow.

    Any x: exp(inf) = inf, exp(-inf) = 0, NaN gives NaN; above 709.78 the result is inf, below -745.13 it is 0.

    >>> exp64(1.0).hex()
    '0x1.5bf0a8b145769p+1'
    """
    if _SMALLEST_NORMAL_EXP <= x <= _LARGEST_EXP:
        hi, lo, err, k = exp_quick(x)
        y, safe = rounds_safely(hi, lo, err)
        if safe:
            return _shifted(y, k)
    return _exp_rare(x)


@kernel()
def _sin_rare(x: float) -> float:
    """sin64 where the quick phase gives no answer: NaN, the infinities, hard cases."""
    if not abs(x) < np.inf:
        return np.nan
    hi, lo, err = sin_accurate(x)
    y, safe = rounds_safely(hi, lo, err)
    if safe:
        return y
    return _sin_by_mpfr(x)


@kernel()
def sin64(x: float) -> float:
    """sin(x) correctly rounded to binary64 (nearest, ties to even), for every finite x, 10^300 included.

    NaN and the infinities give NaN; sin(-0.0) = -0.0.

    >>> sin64(1e22).hex()
    '-0x1.b453ab76bf397p-1'
    """
    if abs(x) < _TINY_SINE:
        return x
    hi, lo, err = sin_quick(x)
    y, safe = rounds_safely(hi, lo, err)
    if safe:
        return y
    return _sin_rare(x)


@kernel()
def _cos_rare(x: float) -> float:
    """cos64 where the quick phase gives no answer: NaN, the infinities, hard cases."""
    if not abs(x) < np.inf:
        return np.nan
    hi, lo, err = cos_accurate(x)
    y, safe = rounds_safely(hi, lo, err)
    if safe:
        return y
    return _cos_by_mpfr(x)


@kernel()
def cos64(x: float) -> float:
    """cos(x) correctly rounded to binary64 (nearest, ties to even), for every finite x, 10^300 included.

    NaN and the infinities give NaN.

    >>> cos64(0.0)
    1.0
    """
    hi, lo, err = cos_quick(x)
    y, safe = rounds_safely(hi, lo, err)
    if safe:
        return y
    return _cos_rare(x)


@kernel()
def exp64_array(x: np.ndarray, out: np.ndarray) -> None:
    """out[i] = exp64(x[i]) for one-dimensional binary64 arrays of the same length; out may be x."""
    for i in range(x.size):
        out[i] = exp64(x[i])


@kernel()
def sin64_array(x: np.ndarray, out: np.ndarray) -> None:
    """out[i] = sin64(x[i]) for one-dimensional binary64 arrays of the same length; out may be x."""
    for i in range(x.size):
        out[i] = sin64(x[i])


@kernel()
def cos64_array(x: np.ndarray, out: np.ndarray) -> None:
    """out[i] = cos64(x[i]) for one-dimensional binary64 arrays of the same length; out may be x."""
    for i in range(x.size):
        out[i] = cos64(x[i])
