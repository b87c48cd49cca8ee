"""A value set F: a finite set of rationals that contains 0, with its rounding mode and its overflow policy.

Every value has an *index*: 0 for 0, k for the k-th positive value and -k for the k-th negative one.  Rounding needs
no more than indices: the neighbours of a real are two consecutive indices, and a tie goes to the even one, which for a
binary format with p >= 2 is ties-to-even of IEEE 754-2019.

A fixed-point set is the float format whose every value is subnormal or in the first binade, so both are one formula:
the value of index n >= 2^(p-1) is (2^(p-1) + n mod 2^(p-1)) * 2^(emin - p + n div 2^(p-1)), below that n *
2^(emin-p+1).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from gmpy2 import mpq

from fpsim.errors import InputError

__all__ = ["Carrier", "Layout", "Overflow", "Rounding", "ValueSet"]

Rounding: TypeAlias = Literal["even", "away", "zero", "up", "down", "odd", "stochastic"]
Overflow: TypeAlias = Literal["inf", "saturate", "nan"]
Layout: TypeAlias = Literal["ieee", "fn", "fnuz", "none", "two", "index"]
Carrier: TypeAlias = Literal["float64", "mpfr", "mpq"]

MAX_PRECISION = 240
MAX_GRID = 65536


@dataclass(frozen=True)
class ValueSet:
    """A value set with its rounding; immutable and hashable.  Two sets that round alike are equal whatever their names.

    Make one from text with `ValueSet.parse("fp16")`, or `fpsim.value_set`, which reads files too.

    name: how it was asked for.  kind: "float", "fixed" or "grid".  precision, emin: p and the exponent of the least
    normal value (0 for a grid).  last: the greatest index.  first: the least index, as a number <= 0 (-last but for a
    grid).  grid: the values of a grid in rising order.  overflow: what a result beyond range becomes ("inf": an
    infinity; "saturate": the last value; "nan": NaN).  rounding: the mode.  seed: of stochastic rounding, else None.
    ftz: subnormal inputs and results become zeros.  signed_zero: whether -0 is kept.  layout: how codes are laid out.

    >>> ValueSet.parse("fp16").max
    mpq(65504,1)
    >>> ValueSet.parse("e5m10") == ValueSet.parse("fp16")
    True
    """

    name: str = field(compare=False)
    kind: Literal["float", "fixed", "grid"]
    precision: int = 0
    emin: int = 0
    last: int = 0
    first: int = 0
    grid: tuple[mpq, ...] = ()
    overflow: Overflow = "inf"
    rounding: Rounding = "even"
    seed: int | None = None
    ftz: bool = False
    signed_zero: bool = False
    layout: Layout = "none"

    @staticmethod
    def parse(text: str) -> ValueSet:
        """The value set that `text` names: `fp16`, `e4m3:saturate`, `fp16:ftz:up`, `fixed:8.4`, `grid:FILE`, `nf4`.

        Raises `InputError` for an unknown name, naming near ones.
        """
        from fpsim.valueset_text import parse_value_set

        return parse_value_set(text)

    def __post_init__(self) -> None:
        if self.kind != "grid" and not 1 <= self.precision <= MAX_PRECISION:
            raise InputError("precision", self.precision, f"between 1 and {MAX_PRECISION} bits")
        if self.rounding == "stochastic" and self.seed is None:
            raise InputError("rounding", self.rounding, "given with a seed, as in fp16:stochastic=1")
        if self.ftz and self.kind != "float":
            raise InputError("ftz", self.name, "asked of a float format: no other set has subnormal values")

    def __str__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(
            (
                self.kind,
                self.precision,
                self.emin,
                self.last,
                self.first,
                self.grid,
                self.overflow,
                self.rounding,
                self.seed,
                self.ftz,
                self.signed_zero,
                self.layout,
            )
        )

    # -- the values ----------------------------------------------------------------------------------------------

    def value(self, index: int) -> mpq:
        """The value with this index.  Raises IndexError beyond `first` and `last`."""
        if not self.first <= index <= self.last:
            raise IndexError(f"{self.name} has indices {self.first}..{self.last}, not {index}")
        if self.kind == "grid":
            return self.grid[index - self.first]
        magnitude = self._magnitude(abs(index))
        return -magnitude if index < 0 else magnitude

    def _magnitude(self, n: int) -> mpq:
        binade, fraction = divmod(n, 1 << (self.precision - 1))
        significand = fraction if binade == 0 else fraction + (1 << (self.precision - 1))
        exponent = self.quantum_exponent + max(binade - 1, 0)
        return mpq(significand << exponent) if exponent >= 0 else mpq(significand, 1 << -exponent)

    def floor_index(self, magnitude: mpq, negative: bool = False) -> int:
        """The greatest n >= 0 such that the n-th value of this side is at most `magnitude` (>= 0) in magnitude."""
        if self.kind == "grid":
            if negative:
                return -self.first - bisect_left(self.grid, -magnitude)
            return bisect_right(self.grid, magnitude) - 1 + self.first
        top = -self.first if negative else self.last
        if magnitude >= self._magnitude(top):
            return top
        exponent = max(_floor_log2(magnitude), self.emin) if magnitude else self.emin
        shift = self.precision - 1 - exponent  # magnitude * 2^shift has its unit at this binade's quantum
        numerator, denominator = magnitude.numerator, magnitude.denominator
        significand = (numerator << shift) // denominator if shift >= 0 else numerator // (denominator << -shift)
        return int(significand) + ((exponent - self.emin) << (self.precision - 1))

    def index(self, value: mpq) -> int:
        """The index of `value`.  Raises `InputError` when it is not in F."""
        negative = value < 0
        n = self.floor_index(abs(value), negative)
        index = -n if negative else n
        if self.value(index) != value or self._flushed(n):
            raise InputError("value", value, f"a value of {self.name}")
        return index

    def __contains__(self, value: mpq) -> bool:
        n = self.floor_index(abs(value), value < 0)
        return self.value(-n if value < 0 else n) == value and not self._flushed(n)

    def _flushed(self, n: int) -> bool:
        return self.ftz and 0 < n < self.least_index

    # -- facts ---------------------------------------------------------------------------------------------------

    @property
    def least_index(self) -> int:
        """The index of the least positive value: 1, or that of the least normal under `ftz`."""
        return 1 << (self.precision - 1) if self.ftz else 1

    @property
    def quantum_exponent(self) -> int:
        """e such that 2^e is the spacing of the subnormal values (floats and fixed point)."""
        return self.emin - self.precision + 1

    @property
    def size(self) -> int:
        """How many finite values F has; +0 and -0 count once."""
        return self.last - self.first + 1 - (2 * (self.least_index - 1))

    @cached_property
    def max(self) -> mpq:
        """The greatest value."""
        return self.value(self.last)

    @cached_property
    def min(self) -> mpq:
        """The least value."""
        return self.value(self.first)

    @cached_property
    def min_positive(self) -> mpq | None:
        """The least positive value, or None when there is none."""
        return self.value(self.least_index) if self.least_index <= self.last else None

    @cached_property
    def min_normal(self) -> mpq | None:
        """The least normal value of a float format, or None for other sets."""
        return self.value(1 << (self.precision - 1)) if self.kind == "float" else None

    @property
    def emax(self) -> int:
        """The exponent of the greatest value (floats and fixed point)."""
        return _floor_log2(self.max)

    @property
    def has_infinity(self) -> bool:
        """Whether an overflow can give an infinity, which is then a value of F."""
        return self.overflow == "inf"

    @cached_property
    def is_binary(self) -> bool:
        """Whether F is a float or fixed-point format, so that values are integers times powers of two."""
        return self.kind != "grid"

    @cached_property
    def carrier(self) -> Carrier:
        """What holds one value in memory: "float64" (binary64, exactly), "mpfr", or "mpq" (grids of other
        rationals).
        """
        if self.is_binary:
            return "float64" if self._fits(53, -1074, 1023) else "mpfr"
        return "float64" if all(_is_binary64(value) for value in self.grid) else "mpq"

    @cached_property
    def fits_float32(self) -> bool:
        """Whether every value is a binary32 number, so that float32 arrays can carry F."""
        if self.is_binary:
            return self._fits(24, -149, 127)
        return all(value in _BINARY32 for value in self.grid)

    def _fits(self, precision: int, quantum: int, emax: int) -> bool:
        return self.precision <= precision and self.quantum_exponent >= quantum and self.emax <= emax


def _floor_log2(value: mpq) -> int:
    """floor(log2(value)) for value > 0."""
    exponent = int(value.numerator.bit_length() - value.denominator.bit_length())
    below = (
        value.numerator < (value.denominator << exponent)
        if exponent >= 0
        else (value.numerator << -exponent) < value.denominator
    )
    return exponent - 1 if below else exponent


def _is_binary64(value: mpq) -> bool:
    try:
        return bool(mpq(float(value)) == value)
    except OverflowError:
        return False


_BINARY32 = ValueSet(
    "fp32",
    "float",
    precision=24,
    emin=-126,
    last=(254 << 23) + (1 << 23) - 1,
    first=-((254 << 23) + (1 << 23) - 1),
    signed_zero=True,
    layout="ieee",
)
