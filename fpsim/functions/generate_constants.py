"""Writes `constants.py`: every constant and table of the exp, sin and cos kernels, from mpmath at 2000 bits.

    python -m fpsim.functions.generate_constants > fpsim/functions/constants.py

needs mpmath, which the kernels do not.  A binary64 part is the exact value of mpmath rounded once to nearest, through a
fraction of integers, so that the printed file does not depend on the working precision (a test runs this and compares).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

__all__ = ["constants_source"]

PRECISION = 2000
"""Working precision in bits: the longest constant, 1/(2 pi), is printed to 1280 bits."""

HEADER = '''"""Constants and tables of the exp, sin and cos kernels.  Written by `generate_constants.py`; do not edit.

A number with several parts `X_1, X_2, ...` (or `X_HI, X_LO`) is their sum: part 1 is the number rounded to nearest
binary64, part 2 is what remains, rounded again, and so on.
"""

from __future__ import annotations

import numpy as np

'''

FOOTER = '''

def _pairs(text: str) -> np.ndarray:
    """A table of (hi, lo) rows from hexadecimal floats."""
    return np.array([float.fromhex(word) for word in text.split()]).reshape(-1, 2)


def _full_turn(quarter: np.ndarray) -> np.ndarray:
    """sin(2 pi j/512) for j = 0..639 from j = 0..128: a turn for sin, and a quarter more for cos by j + 128."""
    half = np.concatenate([quarter, quarter[-2:0:-1]])
    turn = np.concatenate([half, 0.0 - half])
    return np.ascontiguousarray(np.concatenate([turn, turn[:128]]))


EXP2_TABLE = _pairs(_EXP2)
"""2^(j/128), j = 0..127, as rows (hi, lo) with relative error at most 2^-106."""

SINE_TABLE = _full_turn(_pairs(_SINE))
"""sin(2 pi j/512), j = 0..639, as rows (hi, lo) with relative error at most 2^-106; the zeros are exactly 0."""

INVERSE_TWO_PI = np.array([int(word, 16) for word in _INVERSE_TWO_PI.split()], dtype=np.uint64)
"""64 zero bits, then the first 1280 fraction bits of 1/(2 pi), truncated; most significant word first."""
'''


def _fraction(value: Any) -> Fraction:
    """The exact value of an mpmath number."""
    sign, mantissa, exponent, _ = value._mpf_
    return Fraction((-1) ** sign * int(mantissa)) * Fraction(2) ** int(exponent)


def _parts(value: Any, count: int) -> list[float]:
    """`count` binary64 numbers whose sum is nearest to value, each the rounded remainder of the ones before."""
    rest, parts = _fraction(value), []
    for _ in range(count):
        part = float(rest)  # a division of integers: correctly rounded
        parts.append(part)
        rest -= Fraction(part)
    return parts


def _literal(value: float) -> str:
    """A short exact spelling: a decimal integer where that is exact, else a hexadecimal float."""
    return repr(value) if value == int(value) and abs(value) < 2**53 else f'float.fromhex("{value.hex()}")'


def _block(name: str, rows: Iterable[str]) -> str:
    return f'_{name} = """\n' + "\n".join(f"    {row}" for row in rows) + '\n"""\n'


def constants_source() -> str:
    """The text of `constants.py`."""
    import mpmath

    with mpmath.workprec(PRECISION):
        pi, ln2 = +mpmath.mp.pi, +mpmath.mp.ln2
        numbers: list[tuple[str, str, Any, int]] = [
            ("INVERSE_LN2", "1/ln 2", 1 / ln2, 1),
            ("LN2", "ln 2", ln2, 2),
            ("EXP_STEPS_PER_UNIT", "128/ln 2", 128 / ln2, 1),
            ("EXP_STEP", "ln(2)/128", ln2 / 128, 3),
            ("INVERSE_PI", "1/pi", 1 / pi, 1),
            ("HALF_PI", "pi/2", pi / 2, 3),
            ("SINE_STEPS_PER_UNIT", "256/pi", 256 / pi, 1),
            ("SINE_STEP", "pi/256", pi / 256, 3),
            ("TWO_PI", "2 pi", 2 * pi, 2),
        ]
        lines = [
            "MAGIC = 6755399441055744.0",
            '"""1.5 * 2^52: adding it to y, |y| < 2^51, rounds y to an integer, held in the low bits of the sum."""',
            "",
        ]
        for name, meaning, value, count in numbers:
            parts = _parts(value, count)
            names = [name] if count == 1 else [f"{name}_{i + 1}" for i in range(count)]
            lines.append(f"# {meaning}")
            lines += [f"{label} = {_literal(part)}" for label, part in zip(names, parts, strict=True)]
        factorials = [_parts(1 / mpmath.factorial(n), 2) for n in range(22)]
        for label, which in (("HI", 0), ("LO", 1)):
            lines.append(f"INVERSE_FACTORIAL_{label} = (")
            lines += [f"    {_literal(row[which])}," for row in factorials]
            lines += [")", f'"""1/n!, n = 0..21, {"leading" if which == 0 else "second"} part."""', ""]
        exp2 = [_parts(mpmath.power(2, mpmath.mpf(j) / 128), 2) for j in range(128)]
        sine = [_parts(mpmath.sinpi(mpmath.mpf(j) / 256), 2) for j in range(129)]
        words = int(mpmath.floor(mpmath.ldexp(1 / (2 * pi), 1280)))
        hexadecimal = f"{words:0336x}"  # 21 words of 16 digits, the first of them zero
        blocks = [
            _block("EXP2", (f"{hi.hex()} {lo.hex()}" for hi, lo in exp2)),
            _block("SINE", (f"{hi.hex()} {lo.hex()}" for hi, lo in sine)),
            _block("INVERSE_TWO_PI", (hexadecimal[i : i + 16] for i in range(0, 336, 16))),
        ]
    return HEADER + "\n".join(lines) + "\n" + "\n".join(blocks) + FOOTER


if __name__ == "__main__":
    sys.stdout.write(constants_source())
