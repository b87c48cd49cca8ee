"""Transformers whose language hangs on the order of summation: runnable counterexamples, with the reason for each step.

The claim that a fixed-precision soft-attention transformer without positions stays in LTL[P], and one with periodic
positions in LTL[P, MOD], does not hold for sums that are rounded from left to right.
"""

from certify.counterexamples.clock import erasing_clock
from certify.counterexamples.counterexample import Counterexample
from certify.counterexamples.flip_flop import flip_flop
from certify.counterexamples.unequal import alternating
from certify.counterexamples.uniform import uniform_head

__all__ = ["Counterexample", "alternating", "erasing_clock", "flip_flop", "uniform_head"]
