"""The compiled walk of the exhaustive road against the reference rows, over formats, regimes, realizations and orders."""

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certify.certified_range.exhaustive import ReferenceRows
from certify.certified_range.fast_rows import FastRows, fast_rows, has_fast_rows
from certify.certified_range.question import Question
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.regime import Regime
from fpsim.valueset import ValueSet

FORMATS = ["fp16", "bf16", "fp32", "tf32", "e4m3", "e5m2", "e3m2", "e4m3fnuz", "fixed:8.4", "fixed:12.5", "fp64", "e8m20", "fp16:up",
           "bf16:zero", "fp16:ftz", "e4m3:saturate:away", "e5m2:odd"]  # fmt: skip
# Every mixture of kinds of specs is compiled anew, so the ordinary test mixes sets of one kind.
ONE_KIND = ["fp16", "bf16", "tf32", "e4m3", "e5m2", "fixed:12.5"]
ORDERS = ["sequential", "reverse", "pairwise", "blocked:1", "blocked:3"]


@st.composite
def regimes(draw, mixture, orders):
    if draw(st.booleans()):
        stages = {name: draw(st.sampled_from(mixture)) for name in ("dtype", "rotate", "score", "softmax")}
        order = draw(st.sampled_from(orders))
    else:
        stages = {"dtype": draw(st.sampled_from(FORMATS))}
        order = draw(st.sampled_from(ORDERS))
    return Regime.of(**stages, fma=draw(st.booleans()), order=order)


def questions(mixture, orders):
    return st.fixed_dictionaries({
        "angle": st.sampled_from(["1", "0.1", "2.5", "2pi*3/7", "0.01", "7", "-1", "6.28", "1e-3", "pi/2"]).map(Angle.parse),
        "scale": st.sampled_from([1, 5, 7, 20, 100, 400, 3000, 30000]).map(mpq),
        "offset": st.sampled_from([1, 1, 2, 3, 5, 9]),
        "regime": regimes(mixture, orders),
        "kind": st.sampled_from(["ideal", "phase", "counter", "recurrence"]),
        "criterion": st.sampled_from(["gap", "weight"]),
    })  # fmt: skip


def compare(arguments, stop):
    try:
        question = Question(**arguments)
    except InputError:  # this C overflows in this F
        assume(False)
    assume(question.threshold is not None)
    fast, start = fast_rows(question), question.offset + 1
    assert fast is not None
    assert fast.first_failure(start, stop) == ReferenceRows(question).first_failure(start, stop)


@given(questions(ONE_KIND, [*ORDERS, "wide:tf32"]))
@settings(max_examples=150)
def test_random_heads(arguments):
    compare(arguments, 30)


@pytest.mark.exhaustive
@given(questions(FORMATS, [*ORDERS, "wide:fp32"]))
@settings(max_examples=150)
def test_many_random_heads(arguments):
    compare(arguments, 60)


@pytest.mark.parametrize(
    ("dtype", "scale", "k"), [("fp32", 10**5, 1), ("fp16", 60000, 1), ("fp32", 10**4, 3), ("bf16", 10**30, 9)]
)
def test_long_walks(dtype, scale, k):
    question = Question(Angle.parse("0.3"), mpq(scale), k, Regime.of(dtype))
    fast, reference = FastRows(question), ReferenceRows(question)
    found = fast.first_failure(k + 1, 2000)
    assert found is not None
    assert reference.failure(found) is not None
    for i in np.linspace(k + 1, found - 1, 6).astype(int):
        assert reference.failure(int(i)) is None


def test_row_by_row_equals_one_call():
    question = Question(Angle.parse("0.1"), mpq(5000), 2, Regime.of("fp16"))
    whole = FastRows(question).first_failure(3, 200)
    stepwise = FastRows(question)
    assert next(i for i in range(3, 200) if stepwise.first_failure(i, i + 1) is not None) == whole


def test_no_fast_walk_without_kernels():
    for dtype in ("fp128", "e8m60", "fp64:up"):
        assert not has_fast_rows(Question(Angle.parse("1"), mpq(40), 1, Regime.of(dtype)))
    assert ValueSet.parse("fp128").carrier == "mpfr"
