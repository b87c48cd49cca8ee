"""sin and cos of a fraction of a turn given in 192 bits: the positions of a rotation, t = frac(i theta/(2 pi)).

A fraction of a turn in fixed point needs no reduction modulo 2 pi, and sums of such fractions are exact modulo one
turn; only the last step to sin and cos rounds.  The binary64 version, `sincos_turn_fast`, is in `sine_fast`.

An input known only within dt of a turn moves either result by at most 2 pi dt, to be added to err by the caller; next
to a zero of sin or cos that absolute error, not the relative one, decides.
"""

from __future__ import annotations

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.argument_reduction import reduce_turn
from fpsim.functions.sine_cosine import (
    ACCURATE_BOUND,
    QUICK_BOUND,
    combine_accurate,
    sine_cosine_of_rest,
    sine_of_step_quick,
)

__all__ = ["sincos_turn", "sincos_turn_quick"]

_QUARTER = np.uint64(128)
_INDEX_MASK = np.uint64(511)


@kernel()
def sincos_turn(f2: np.uint64, f1: np.uint64, f0: np.uint64) -> tuple[float, float, float, float, float]:
    """(s_hi, s_lo, c_hi, c_lo, err): sin and cos of 2 pi t, t = f2 2^-64 + f1 2^-128 + f0 2^-192 taken as exact.

    err = 2^-100 is *relative*: |sin(2 pi t) - (s_hi + s_lo)| <= err |s_hi|, and the same for cos; a zero (t a multiple
    of 1/4) is exactly 0.  Any three words.  An input known within dt adds 2 pi dt to each.
    """
    j, rh, rl = reduce_turn(f2, f1, f0)
    ah, al, vh, vl = sine_cosine_of_rest(rh, rl)
    sh, sl = combine_accurate(j, ah, al, vh, vl)
    ch, cl = combine_accurate((j + _QUARTER) & _INDEX_MASK, ah, al, vh, vl)
    return sh, sl, ch, cl, ACCURATE_BOUND


@kernel(forceinline=True)
def sincos_turn_quick(f2: np.uint64, f1: np.uint64, f0: np.uint64) -> tuple[float, float, float, float, float]:
    """(s_hi, s_lo, c_hi, c_lo, err): as `sincos_turn` with err = 2^-64, relative, several times faster."""
    j, rh, rl = reduce_turn(f2, f1, f0)
    sh, sl = sine_of_step_quick(j, rh, rl)
    ch, cl = sine_of_step_quick((j + _QUARTER) & _INDEX_MASK, rh, rl)
    return sh, sl, ch, cl, QUICK_BOUND
