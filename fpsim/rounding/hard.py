"""The last resort of compiled exp, sin, cos and sqrt: MPFR, for the rare results that lie next to a boundary.

An irrational real is handed back in the three parts that `round_parts` takes, so what is computed here depends on the
argument only, not on the value set: h is the nearest binary64 number, the second part is nearest to what h leaves, and
the third is the sign of what is left then.  The enclosure is narrowed until both ends agree on all three.
"""

from __future__ import annotations

import math

import numba
from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.compilation import kernel
from fpsim.real import Irrational, exp_of, sqrt_of
from fpsim.rounding.dispatch import implement, round_parts
from fpsim.rounding.kinds import AnyFloat, Binary32, Grid, NearestFloat, Spec
from fpsim.turning import cos_of, sin_of

__all__ = ["COSINE", "EXPONENTIAL", "ROOT", "SINE", "parts_of", "round_hard"]

EXPONENTIAL, SINE, COSINE, ROOT = range(4)

_MAX_BITS = 1 << 22


def parts_of(x: Irrational | mpq) -> tuple[float, float, float]:
    """(h, rest, side) of an exact real within the range of binary64.

    >>> parts_of(mpq(1, 3))[0] == 1 / 3
    True
    """
    if not isinstance(x, Irrational):
        return _parts(x)
    bits = 256
    while bits < _MAX_BITS:
        lo, hi = (_parts(end) for end in x.enclose(bits))
        if lo == hi and lo[2] != 0.0:
            return lo
        bits *= 2
    raise ArithmeticError(f"undecided at {bits} bits: a real this close to a number of 106 bits")


def _parts(x: mpq) -> tuple[float, float, float]:
    h = float(x)
    rest = float(x - mpq(h))
    left = x - mpq(h) - mpq(rest)
    return h, rest, math.copysign(1.0, left) if left else 0.0


def _evaluate(function: int, x: float) -> tuple[float, float, float]:
    exact = mpq(x)
    if function == EXPONENTIAL:
        return parts_of(exp_of(exact))
    if function == ROOT:
        return parts_of(sqrt_of(exact))
    return parts_of(sin_of(Angle(exact)) if function == SINE else cos_of(Angle(exact)))


def round_hard(spec: Spec, function: int, x: float) -> float:
    """exp, sin, cos or sqrt (`EXPONENTIAL`, ...) of a finite x, rounded once into F.

    For results between 2^-1000 and 2^1000 in magnitude.
    """
    return round_parts(spec, *_evaluate(function, x))


# nogil=False: object mode takes the lock again, which is what is wanted here
@kernel(nogil=False)
def _evaluate_compiled(function: int, x: float) -> tuple[float, float, float]:
    with numba.objmode(h="float64", rest="float64", side="float64"):
        h, rest, side = _evaluate(function, x)
    return h, rest, side


def _round_hard(spec: Spec, function: int, x: float) -> float:
    h, rest, side = _evaluate_compiled(function, x)
    return round_parts(spec, h, rest, side)


implement(round_hard, dict.fromkeys((Binary32, NearestFloat, AnyFloat, Grid), _round_hard), inline=False)
