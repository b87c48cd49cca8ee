"""Rounded arithmetic as terms of SMT-LIB's floating-point theory, for the solver bitwuzla.

Two encodings.

* `Native`: F is one of the IEEE formats that bitwuzla takes as sorts (Float16, Float32, Float64, Float128; it refuses
  others).  Each operation is the theory's own.
* `Carried`: the values of another format, nearest-even, are numbers of a carrier: Float32 or Float64, of P >= 2p + 2
  bits.  An operation is done there, and its result is rounded to F on its bits.  A product of two values is exact in
  the carrier (2p bits, with an exponent far from the ends); a sum is exact, or rounded to P bits first, after which a
  second rounding to nearest gives what one alone would (Figueroa 1995); neither is subnormal in the carrier.

  Rounding x to F: below 2^emin, (x + A) - A with A = 1.5 * 2^(P - 1 + e), e the exponent of the least positive value,
  since x + A is rounded to a multiple of 2^e.  From there on, the last P - p bits of the significand are rounded off by
  an addition of integers, whose carry into the exponent is right.  What is then above the largest value is beyond
  range.

A result beyond range is an infinity here, also where the policy is NaN: from an infinity +, - and * never come back to
a finite number, so either way the score of the pair is not finite.
"""

from __future__ import annotations

from typing import Any

from gmpy2 import mpq

from certify.second_opinions.values import Values, power_of_two
from fpsim.errors import UnsupportedError

__all__ = ["Carried", "Native", "arithmetic"]

_EXPONENT_BITS = {(11, -14): 5, (24, -126): 8, (53, -1022): 11, (113, -16382): 15}
_MODES = {"even": "RNE", "away": "RNA", "zero": "RTZ", "up": "RTP", "down": "RTN"}


def arithmetic(bitwuzla: Any, terms: Any, values: Values) -> Native:
    """The encoding for a value set.  Raises `UnsupportedError` where there is none."""
    if values.kind != "float" or values.ftz:
        raise UnsupportedError("the solver is asked about floating-point formats without ftz only")
    if values.rounding not in _MODES:
        raise UnsupportedError(f"SMT-LIB has no rounding mode {values.rounding!r}")
    p, emin = values.precision, values.emin
    ieee_largest = (2 - power_of_two(1 - p)) * power_of_two(1 - emin)
    if (p, emin) in _EXPONENT_BITS and values.largest == ieee_largest and values.overflow == "inf":
        return Native(bitwuzla, terms, values)
    if values.rounding == "even" and values.overflow != "saturate" and p >= 2 and _carrier(values):
        return Carried(bitwuzla, terms, values)
    raise UnsupportedError(
        "the solver takes Float16, Float32, Float64 and Float128, and other formats of up to 25 bits and moderate "
        "exponents when they round to nearest-even and do not saturate"
    )


def _carrier(values: Values) -> tuple[int, int] | None:
    """(exponent bits, P) of the narrowest carrier; None when there is none."""
    for bits, precision in ((8, 24), (11, 53)):
        reach = (1 << (bits - 1)) - 2  # 2^-reach is the least normal number, and 2^reach is far from the largest
        least = 2 * (values.emin - values.precision + 1)  # the exponent of the least product
        if precision >= 2 * values.precision + 2 and least >= -reach and values.largest**2 <= power_of_two(reach):
            return bits, precision
    return None


class Native:
    """Operations of one of the solver's own formats.

    sides: formulas that hold of what the terms name, to be asserted with them.
    """

    def __init__(self, bitwuzla: Any, terms: Any, values: Values) -> None:
        self.bitwuzla, self.terms, self.values = bitwuzla, terms, values
        self.sides: list[Any] = []
        self.sort = self._made_sort()
        self.mode = self.rounding(_MODES[values.rounding])

    def _made_sort(self) -> Any:
        p, emin = self.values.precision, self.values.emin
        return self.terms.mk_fp_sort(_EXPONENT_BITS[p, emin], p)

    def rounding(self, name: str) -> Any:
        """A rounding mode of SMT-LIB."""
        return self.terms.mk_rm_value(getattr(self.bitwuzla.RoundingMode, name))

    def term(self, kind: str, *arguments: Any, indices: tuple[int, ...] = ()) -> Any:
        """A term."""
        return self.terms.mk_term(getattr(self.bitwuzla.Kind, kind), list(arguments), list(indices))

    def literal(self, x: mpq) -> Any:
        """A number of the sort, exactly (so that the mode does not matter)."""
        return self.terms.mk_fp_value(self.sort, self.rounding("RNE"), str(x.numerator), str(x.denominator))

    def times(self, a: Any, b: Any) -> Any:
        """a * b, rounded."""
        return self.rounded(self.term("FP_MUL", self.mode, a, b))

    def plus(self, a: Any, b: Any) -> Any:
        """a + b, rounded."""
        return self.rounded(self.term("FP_ADD", self.mode, a, b))

    def minus(self, a: Any, b: Any) -> Any:
        """a - b, rounded."""
        return self.rounded(self.term("FP_SUB", self.mode, a, b))

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        """a * b + c, rounded once."""
        return self.term("FP_FMA", self.mode, a, b, c)

    def rounded(self, x: Any) -> Any:
        """A result of the sort, rounded to the value set: here they are the same."""
        return x

    def gap_fails(self, target: Any, other: Any, threshold: Any) -> Any:
        """Whether the exact difference is below the threshold, a number of the sort, or an operand is not finite.

        No wider format is needed for exactness: rounding down is monotone and keeps the numbers of the sort, so the
        exact difference is at least f exactly when it is rounded down to at least f.
        """
        gap = self.term("FP_SUB", self.rounding("RTN"), target, other)
        broken = [self.term(kind, x) for x in (target, other) for kind in ("FP_IS_INF", "FP_IS_NAN")]
        return self.term("OR", self.term("NOT", self.term("FP_GEQ", gap, threshold)), *broken)


class Carried(Native):
    """Operations of a format whose values are carried in Float32 or Float64."""

    def _made_sort(self) -> Any:
        carrier = _carrier(self.values)
        assert carrier is not None  # `arithmetic` asked
        self.shape = carrier
        return self.terms.mk_fp_sort(*carrier)

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        """Not available: the carrier would round the sum first, and twice is not once."""
        raise UnsupportedError("fma is asked of the solver for Float16, Float32, Float64 and Float128 only")

    def rounded(self, x: Any) -> Any:
        """The number x of the carrier rounded to the value set."""
        values, width = self.values, sum(self.shape)
        lost = self.shape[1] - values.precision
        words = self.terms.mk_bv_sort(width)

        def word(n: int) -> Any:
            return self.terms.mk_bv_value(words, n)

        # The theory has no function from numbers to bits: a new constant is one that the number is made of.
        bits = self.terms.mk_const(words)
        self.sides.append(self.term("EQUAL", self.term("FP_TO_FP_FROM_BV", bits, indices=self.shape), x))
        odd = self.term("BV_AND", self.term("BV_SHR", bits, word(lost)), word(1))
        moved = self.term("BV_ADD", self.term("BV_ADD", bits, word((1 << (lost - 1)) - 1)), odd)
        kept = self.term("BV_AND", moved, word(((1 << width) - 1) ^ ((1 << lost) - 1)))
        normal = self.term("FP_TO_FP_FROM_BV", kept, indices=self.shape)
        shift = self.literal(mpq(3, 2) * power_of_two(lost + values.emin))
        small = self.term("FP_SUB", self.mode, self.term("FP_ADD", self.mode, x, shift), shift)
        size = self.term("FP_ABS", x)
        result = self.term("ITE", self.term("FP_LT", size, self.literal(power_of_two(values.emin))), small, normal)
        beyond = self.term("FP_GT", self.term("FP_ABS", result), self.literal(values.largest))
        infinity = self.terms.mk_fp_pos_inf(self.sort)
        # An x that is no number stays so: the comparisons are then false, or true of an infinity.
        stays = self.term("OR", self.term("FP_IS_INF", x), self.term("FP_IS_NAN", x))
        return self.term("ITE", stays, x, self.term("ITE", beyond, infinity, result))
