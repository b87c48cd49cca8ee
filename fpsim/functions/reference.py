"""exp, sin and cos correctly rounded to binary64 by MPFR: the last resort of `binary64`, and its oracle in the tests.

MPFR evaluates with growing precision until the rounding is certain (Ziv's strategy), in a context with the precision,
the exponent range and the gradual underflow of binary64.  A few microseconds per call; nothing is approximated.
"""

from __future__ import annotations

import gmpy2

__all__ = ["cos_reference", "exp_reference", "sin_reference"]

# In MPFR's numbering of exponents (fraction in [1/2, 1)) binary64 spans 2^-1074 = 0.5 * 2^-1073 up to 2^1024.
_BINARY64 = gmpy2.context(precision=53, emin=-1073, emax=1024, subnormalize=True)


def exp_reference(x: float) -> float:
    """exp(x) rounded to nearest, ties to even; exp(-inf) = 0, exp(inf) = inf, NaN for NaN; overflow gives inf.

    >>> exp_reference(1.0).hex()
    '0x1.5bf0a8b145769p+1'
    """
    return float(_BINARY64.exp(gmpy2.mpfr(x)))


def sin_reference(x: float) -> float:
    """sin(x) rounded to nearest, ties to even; NaN for NaN and the infinities; the sign of a zero is kept.

    >>> sin_reference(-0.0)
    -0.0
    """
    return float(_BINARY64.sin(gmpy2.mpfr(x)))


def cos_reference(x: float) -> float:
    """cos(x) rounded to nearest, ties to even; NaN for NaN and the infinities.

    >>> cos_reference(0.0)
    1.0
    """
    return float(_BINARY64.cos(gmpy2.mpfr(x)))
