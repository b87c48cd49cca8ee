"""With a clock of period 3, rounded sums recognize Sigma* a, which is not in LTL[P, MOD].

One layer, three heads, equal scores; F is a float format with p bits of significand, positions i = 0 (BOS), 1, ...  The
embedding of a letter is 1 for a and -1 for b, and the clock is the sinusoidal encoding of angle 2 pi / 3: sine 0, s,
-s and cosine 1, -1/2, -1/2, where s = round(sqrt(3) / 2).  Head z reads the letters at positions i = z (mod 3) and
erases before each of them.  From left to right:

* Its value at i is a combination of sine and cosine that is exactly 0, +C, -C for i = z, z + 1, z + 2 (mod 3), plus the
  number of the letter.  C = 6 * 2^p u, where 1 <= u < 2 is such that a quotient by s times s gives back what it was:

      z = 0:  f = a sin               a s = C, so that f(1) = C and f(2) = -C
      z = 1:  f = -a/2 sin - C cos    f(1) = -C/2 + C/2 = 0,  f(2) = C/2 + C/2 = C,  f(0) = -C
      z = 2:  f = -a/2 sin + C cos    f(2) = C/2 - C/2 = 0,   f(0) = C,  f(1) = -C/2 - C/2 = -C

  and C + 1 and C - 1 become C, for half of the spacing of F on either side of C is at least C 2^(-p-1) >= 3.  So the
  values are +C, -C and, where i = z, the letter itself: rounding does the "and" of letter and clock.
* All weights of a row are one number w = round(1 / Z), with Z the rounded sum of ones, at most 2^p, where it stagnates.
  The weighted values are A = round(w C), -A and w or -w.  From A >= w C (1 - 2^-p), half of the spacing beside A is at
  least A 2^(-p-1) > w.  So the sum, which is w, -w or 0 before, becomes A with +A, then exactly 0 with -A, and then w
  or -w with the next letter: all before is erased.
* BOS is at position 0.  In head 0 its value is 0, in head 2 it is +C and begins an erasure.  In head 1 it would be a -C
  without its +C; there a coordinate of BOS adds C, which makes it 0.
* At EOS, position n + 1, the head z = n (mod 3) has read the last letter last: its sum is w or -w, and 0 for the empty
  word.  The others hold A, after +A, and 0, after -A.  The feed-forward network drops them: its unit z is relu(g + sum
  of head z) with g = 0 exactly for n + 1 = z + 1 (mod 3), and else g <= -C <= -A.  What is left is w for a and 0 for b.

So the language is Sigma* a at every length, and its automaton has two states that lead to each other, with loops: no
power of it is partially ordered.  Rounding in other orders does not erase, or erases other letters.
"""

from __future__ import annotations

import numpy as np
from gmpy2 import mpq

from certify.counterexamples.counterexample import Counterexample
from fpsim import reference
from fpsim.angle import Angle
from fpsim.errors import UnsupportedError
from fpsim.operands import as_array
from fpsim.realization import realize
from fpsim.transformer import Attention, FeedForward, Layer, Linear, Precision, Sinusoidal, Transformer
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["erasing_clock"]

_PLACES = ("sine", "cosine", "eos", "bos", "letter", "head0", "head1", "head2")
"""The coordinates.  Their order counts: sums of products run in it, and the clock comes before letters and heads."""

_ANGLE = "2pi/3"


def erasing_clock(dtype: ValueSet | str = "fp16") -> Counterexample:
    """The model for a binary float format in which ties go to even, and its language.

    Raises `UnsupportedError` for other sets, and where none of the C fits (range, or the sine of 2 pi / 3).

    >>> from fpsim.transformer.forward import run
    >>> run(erasing_clock().model, ["a", "b", "ab", "bba", ""]).accepted.tolist()
    [True, False, False, True, False]
    """
    values = value_set(dtype)
    if values.kind != "float" or values.rounding != "even" or values.ftz:
        raise UnsupportedError(f"{values.name}: this construction is for float formats that round to nearest even")
    scale, slope = _scale(values)
    return Counterexample("Sigma* a", "LTL[P, MOD]", _model(values, scale, slope), lambda word: word.endswith("a"))


def _scale(values: ValueSet) -> tuple[mpq, mpq]:
    """(C, a) with a value a of F such that round(a s) = C, and 2 C in range."""
    sine = mpq(realize("ideal", Angle.parse(_ANGLE), values).block(1)[1])
    for step in range(8):
        scale = 6 * 2**values.precision * (1 + mpq(step, 8))
        slope = mpq(reference.div(values, scale, sine))
        if scale in values and 2 * scale <= values.max and reference.mul(values, slope, sine) == scale:
            return scale, slope
    raise UnsupportedError(f"{values.name}: no scale of this construction fits")


def _model(values: ValueSet, scale: mpq, slope: mpq) -> Transformer:
    half = slope / 2
    heads = [
        _row(sine=slope, letter=1),
        _row(sine=-half, cosine=-scale, bos=scale, letter=1),
        _row(sine=-half, cosine=scale, letter=1),
    ]
    units = [  # g(i) is 0 for i = z + 1 (mod 3), the position of EOS after a letter of head z, and at most -C elsewhere
        _row(sine=half, cosine=-scale, eos=-scale, head0=1),
        _row(sine=-half, cosine=-scale, eos=-scale, head1=1),
        _row(cosine=scale, eos=-scale, head2=1),
    ]
    scores = Linear(np.zeros((3, len(_PLACES))))
    back = np.zeros((len(_PLACES), 3))
    back[-3:] = np.eye(3)
    attention = Attention(query=scores, key=scores, value=Linear(as_array(heads)), output=Linear(back), heads=3)
    down = np.zeros((len(_PLACES), 3))
    down[_PLACES.index("letter")] = 1
    layer = Layer(attention, FeedForward(Linear(as_array(units)), Linear(down)))
    embedding = as_array([_row(bos=1), _row(eos=1), _row(letter=1), _row(letter=-1)])
    classifier = Linear(as_array([_row(letter=1)]))
    clock = Sinusoidal.of([_ANGLE])
    return Transformer(("a", "b"), embedding, (layer,), classifier, Precision.of(values), position=clock)


def _row(**parts: mpq | int) -> list[mpq | int]:
    return [parts.get(name, 0) for name in _PLACES]
