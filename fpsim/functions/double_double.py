"""Double-double arithmetic: a number as the unevaluated sum hi + lo of two binary64 numbers, |lo| <= ulp(hi)/2.

Only the four operations that the accurate phases of exp, sin and cos need.  With u = 2^-53, and barring overflow and
underflow, the relative errors are those proved by M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds
for basic building blocks of double-word arithmetic", ACM TOMS 44(2), 2017, and checked in Coq by J.-M. Muller and
L. Rideau, "Formalization of double-word arithmetic, and comments on ...", ACM TOMS 48(1), 2022:

| function   | their algorithm        | relative error            |
|------------|------------------------|---------------------------|
| `dd_add_d` | 4, DWPlusFP            | 2 u^2                     |
| `dd_add`   | 6, AccurateDWPlusDW    | 3 u^2 / (1 - 4u)          |
| `dd_mul_d` | 9, DWTimesFP3          | 2 u^2                     |
| `dd_mul`   | 12, DWTimesDW3         | 5 u^2 (4 u^2 in the second) |

The "sloppy" addition (their algorithm 5) is not offered: its relative error is unbounded when the terms have opposite
signs, and sin and cos add such terms.  Operands must be normalized as above; results are.  A NaN or an infinity in an
operand gives NaN in at least one part of the result.
"""

from __future__ import annotations

from fpsim.compilation import kernel
from fpsim.error_free import fast_two_sum, fma, two_prod, two_sum

__all__ = ["dd_add", "dd_add_d", "dd_mul", "dd_mul_d"]


@kernel(forceinline=True)
def dd_add_d(xh: float, xl: float, y: float) -> tuple[float, float]:
    """(xh + xl) + y for a double-double x and a binary64 y; relative error at most 2 u^2."""
    sh, sl = two_sum(xh, y)
    return fast_two_sum(sh, xl + sl)


@kernel(forceinline=True)
def dd_add(xh: float, xl: float, yh: float, yl: float) -> tuple[float, float]:
    """(xh + xl) + (yh + yl); relative error at most 3 u^2 / (1 - 4u), also when the leading parts cancel."""
    sh, sl = two_sum(xh, yh)
    th, tl = two_sum(xl, yl)
    vh, vl = fast_two_sum(sh, sl + th)
    return fast_two_sum(vh, tl + vl)


@kernel(forceinline=True)
def dd_mul_d(xh: float, xl: float, y: float) -> tuple[float, float]:
    """(xh + xl) * y for a double-double x and a binary64 y; relative error at most 2 u^2."""
    ch, cl = two_prod(xh, y)
    return fast_two_sum(ch, fma(xl, y, cl))


@kernel(forceinline=True)
def dd_mul(xh: float, xl: float, yh: float, yl: float) -> tuple[float, float]:
    """(xh + xl) * (yh + yl); relative error at most 5 u^2."""
    ch, cl = two_prod(xh, yh)
    t = fma(xl, yh, fma(xh, yl, xl * yl))
    return fast_two_sum(ch, cl + t)
