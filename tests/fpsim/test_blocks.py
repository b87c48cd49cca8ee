"""Realized blocks in arrays against `Realization.block`, to the bit."""

import pytest
from gmpy2 import mpq

from fpsim.angle import Angle, conventional_angle
from fpsim.blocks import blocks, turn_words
from fpsim.realization import realize
from fpsim.valueset import ValueSet

FORMATS = ["fp16", "fp32", "fp64", "bf16", "e4m3", "fixed:6.2", "fixed:4.1", "nf4", "fp16:up", "fp16:ftz:down", "e5m2:odd", "e8m30"]
ANGLES = ["1", "0.1", "2pi/8", "2pi*3/7", "-7.5", "1e-6", "pi", "0", "1e10", "2pi/12"]


def same(fast, exact):
    assert [str(float(x)) for x in fast] == [str(float(x)) for x in exact]


@pytest.mark.parametrize("kind", ["ideal", "phase"])
@pytest.mark.parametrize("name", FORMATS)
def test_blocks(name, kind):
    for text in ANGLES:
        realization = realize(kind, Angle.parse(text), ValueSet.parse(name))
        for start, stop in ((0, 60), (1000, 1020), (2**31, 2**31 + 5), (2**53 - 2, 2**53 + 3), (2**62 - 5, 2**62)):
            c, s = blocks(realization, start, stop)
            exact = [realization.block(i) for i in range(start, stop)]
            same(c, [block[0] for block in exact])
            same(s, [block[1] for block in exact])


def test_symbolic_angle():
    realization = realize("ideal", conventional_angle(10000, 3, 128), ValueSet.parse("bf16"))
    c, s = blocks(realization, 0, 300)
    same(c, [realization.block(i)[0] for i in range(300)])
    same(s, [realization.block(i)[1] for i in range(300)])


@pytest.mark.parametrize("text", ["1", "2pi/3", "-1", "1e-30", "100", "2pi/1024"])
def test_turn_words_are_the_floor(text):
    words = [int(word) for word in turn_words(Angle.parse(text))]
    fraction = mpq((words[0] << 128) + (words[1] << 64) + words[2], 1 << 192)
    lo, hi = Angle.parse(text).enclose_turns(400)
    lo, hi = lo - lo.numerator // lo.denominator, hi - lo.numerator // lo.denominator
    assert fraction <= lo
    assert hi <= fraction + mpq(1, 1 << 192)


def test_positions_are_checked():
    realization = realize("ideal", Angle.parse("1"), ValueSet.parse("fp16"))
    for start, stop in ((-1, 2), (3, 2), (0, 2**63)):
        with pytest.raises(ValueError, match="positions"):
            blocks(realization, start, stop)
