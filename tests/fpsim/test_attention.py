"""Attention: the compiled tiles against the reference arithmetic, NumPy float16 operation by operation, and what §6 says."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpsim
from fpsim.attention import reference
from fpsim.attention.attend import attend, rows_of_elements
from fpsim.attention.dots import Chain, Fused, Tree, Wide
from fpsim.attention.rows import attention_rows
from fpsim.attention.stages import kernels_of
from fpsim.attention.tiles import LANES
from fpsim.errors import InputError, UnsupportedError
from fpsim.rounding.reference import is_nan
from fpsim.transformer import Precision

# Sets of one kind share compiled kernels; each kind takes seconds to compile, so that the rarer ones are left to the
# exhaustive tests.
SETS = ["fp16", "bf16", "e4m3", "e5m2", "e4m3fnuz", "fixed:8.4", "fp32"]
RARER = ["nf4", "e2m1", "fp64", "e4m3:saturate:zero", "fp16:up", "fp16:ftz", "tf32:odd"]
ORDERS = ["sequential", "reverse", "pairwise", "blocked:3", "wide:fp32"]


def same(found, expected) -> bool:
    """Equal to the bit, but that every NaN is NaN."""
    pairs = zip(np.ravel(found), expected, strict=True)
    return all(
        (math.isnan(x) and is_nan(y)) or (x == y and math.copysign(1, x) == math.copysign(1, float(y)))
        for x, y in pairs
    )


def qkv(values, seed, shape=(7, 2), width=3, scale=2.0):
    rng = np.random.default_rng(seed)
    return [
        np.asarray(fpsim.round(values, rng.normal(scale=scale, size=(*shape[:-1], n))))
        for n in (shape[-1], shape[-1], width)
    ]


def expected(precision, q, k, v, mask):
    rows = reference.attend(precision, *(rows_of_elements(x) for x in (q, k, v)), mask)
    return [x for row in rows for x in row.output]


def compare(precision, values, mask="strict", seeds=3, **shape):
    for seed in range(seeds):
        q, k, v = qkv(values, seed, **shape)
        assert same(attend(precision, q, k, v, mask=mask), expected(precision, q, k, v, mask))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("values", SETS)
def test_as_the_reference(values, order):
    for mask in ("strict", "causal"):
        compare(Precision.of(values, order=order, dot=order), values, mask, shape=(9, 4))


@pytest.mark.thorough
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("values", RARER)
def test_rarer_sets_as_the_reference(values, order):
    compare(Precision.of(values, order=order, dot=order), values, shape=(9, 4))


@pytest.mark.parametrize("values", ["fp16", "e5m2"])
@pytest.mark.parametrize("order", ["sequential", "reverse", "wide:fp32"])
def test_fused_as_the_reference(values, order):
    compare(Precision.of(values, order=order, dot=order, fma=True), values)


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["sequential", "reverse", "wide:fp64"])
@pytest.mark.parametrize("values", ["fp32", "fp16:down", "nf4", "fixed:8.4", "fp64"])
def test_rarer_fused_sets_as_the_reference(values, order):
    compare(Precision.of(values, order=order, dot=order, fma=True), values)


MIXED = [
    {"dtype": "bf16", "score": "fp32", "softmax": "fp32", "output": "fp32"},
    {"dtype": "fp16", "score": "bf16", "softmax": "e5m2"},
    {"dtype": "nf4", "score": "fp16", "softmax": "bf16", "output": "e4m3:saturate"},
    {"dtype": "fp64", "score": "fp16", "softmax": "fp16", "output": "fp32"},
    {"dtype": "e4m3", "score": "fp32", "softmax": "bf16", "output": "fp16", "order": "wide:fp32", "dot": "pairwise"},
    {"dtype": "fp16:up", "score": "fp16", "softmax": "tf32", "output": "bf16:zero"},
]


def test_mixed_stages_as_the_reference():
    compare(Precision.of(**MIXED[0]), "bf16")


@pytest.mark.thorough
@pytest.mark.parametrize("stages", MIXED[1:], ids=str)
def test_rarer_mixed_stages_as_the_reference(stages):
    compare(Precision.of(**stages), stages["dtype"], seeds=4)


@pytest.mark.parametrize("order", ORDERS)
def test_longer_than_a_tile_as_the_reference(order):
    precision = Precision.of("fp16", order=order)
    q, k, v = qkv("fp16", 5, shape=(2 * LANES + 5, 2), width=1)
    assert same(attend(precision, q, k, v), expected(precision, q, k, v, "strict"))


def test_value_sets_without_kernels():
    precision = Precision.of("fp128")
    q, k, v = (x.astype(object) for x in qkv("fp64", 1, shape=(4, 2)))
    found = attend(precision, q, k, v)
    assert found.dtype == object
    assert list(found.ravel()) == expected(precision, q, k, v, "strict")


def test_the_way_of_summing_is_a_type():
    """So that kernels are compiled for the one that is asked for, and orders of one way share them."""
    ways = [type(kernels_of(Precision.of("fp16", order=order, dot=order)).output) for order in ORDERS]
    assert ways == [Chain, Chain, Tree, Tree, Wide]
    fused = [kernels_of(Precision.of("fp16", order=order, dot=order, fma=True)) for order in ("reverse", "wide:fp32")]
    assert [type(each.linear) for each in fused] == [Fused, Fused]
    assert [type(each.denominator) for each in fused] == [type(each.norm) for each in fused] == [Chain, Wide]


def in_numpy_float16(q, k, v):
    """Row by row, one float16 operation at a time, which NumPy rounds once (exp: through a longer one, checked below)."""
    q, k, v = (x.astype(np.float16) for x in (q, k, v))
    out = np.zeros(v.shape, np.float16)
    for i in range(1, q.shape[0]):
        scores = []
        for j in range(i):
            total = q[i, 0] * k[j, 0]
            for d in range(1, q.shape[1]):
                total = np.float16(total + np.float16(q[i, d] * k[j, d]))
            scores.append(total)
        m = max(scores)
        e = [np.float16(np.exp(np.float64(np.float16(s - m)))) for s in scores]
        z = e[0]
        for x in e[1:]:
            z = np.float16(z + x)
        for d in range(v.shape[1]):
            terms = [np.float16(np.float16(x / z) * v[j, d]) for j, x in enumerate(e)]
            total = terms[0]
            for x in terms[1:]:
                total = np.float16(total + x)
            out[i, d] = total
    return out


@pytest.mark.parametrize("seed", range(5))
def test_as_numpy_float16_operation_by_operation(seed):
    q, k, v = qkv("fp16", seed, shape=(20, 4))
    assert np.array_equal(attend("fp16", q, k, v), in_numpy_float16(q, k, v).astype(np.float64))


@settings(max_examples=60, deadline=None)
@given(
    values=st.sampled_from(["fp16", "bf16", "e4m3", "e5m2", "fixed:8.4", "e4m3fnuz"]),
    order=st.sampled_from(ORDERS),
    length=st.integers(1, 6),
    size=st.integers(1, 3),
    seed=st.integers(0, 2**32),
    scale=st.sampled_from([0.01, 1.0, 30.0, 1e4]),
)
def test_any_shape_and_magnitude_as_the_reference(values, order, length, size, seed, scale):
    precision = Precision.of(values, order=order)
    q, k, v = qkv(values, seed, shape=(length, size), scale=scale)
    with np.errstate(invalid="ignore", over="ignore"):
        assert same(attend(precision, q, k, v), expected(precision, q, k, v, "strict"))


@pytest.mark.parametrize(
    ("values", "gap"), [("fp16", 17.34375), ("bf16", 93.0), ("e5m2", 12.0), ("e4m3", 7.0), ("fp32", 104.0)]
)
@pytest.mark.parametrize("order", ["sequential", "reverse", "pairwise", "blocked:2"])
def test_a_gap_of_f_large_selects_one_key(values, gap, order):
    precision = Precision.of(values, order=order)
    keys = [[0.0], [0.0], [gap], [0.0], [0.0]]
    rows = attention_rows(precision, [[1.0]] * 5, keys, [[2.0], [3.0], [-5.0], [7.0], [1.0]])
    assert rows.weights[3].tolist() == rows.weights[4].tolist() == [0.0, 0.0, 1.0, 0.0, 0.0]
    assert rows.outputs[3:].ravel().tolist() == [-5.0, -5.0]


def test_masks():
    q, v = [[0.0], [0.0]], [[5.0], [7.0]]
    assert attend("fp16", q, q, v).tolist() == [[0.0], [5.0]]
    assert attend("fp16", q, q, v, mask="causal").tolist() == [[5.0], [6.0]]


def test_overflow_and_nan_go_their_way():
    # Scores of 60000 + 60000 are infinite in fp16: S - m is inf - inf, and the row is NaN.
    big = [[60000.0, 60000.0]] * 3
    ones = [[1.0, 1.0]] * 3
    out = attend("fp16", ones, big, [[1.0], [2.0], [3.0]])
    assert out[0, 0] == 0
    assert np.isnan(out[1:]).all()
    assert attend("fp16:saturate", ones, big, [[1.0], [2.0], [3.0]]).ravel().tolist() == [0.0, 1.0, 1.5]
    # One NaN score: the queries that see it, and no other.
    out = attend("e4m3", [[16.0]] * 4, [[1.0], [1.0], [448.0], [1.0]], [[1.0]] * 4)
    assert [math.isnan(x) for x in out.ravel()] == [False, False, False, True]


def test_a_row_of_minus_infinities_is_nan():
    out = attend("fp16", [[60000.0]] * 2, [[-60000.0]] * 2, [[1.0]] * 2)
    assert math.isnan(out[1, 0])


def test_rows_are_what_attend_computes():
    for order in ORDERS:
        precision = Precision.of("fp16", order=order)
        q, k, v = qkv("fp16", 3, shape=(40, 4))
        rows = attention_rows(precision, q, k, v)
        assert np.array_equal(rows.outputs, attend(precision, q, k, v))
        assert np.isnan(rows.scores[5, 5:]).all()
        assert not rows.weights[5, 5:].any()
        some = attention_rows(precision, q, k, v, rows=[39, 2])
        assert np.array_equal(some.weights, rows.weights[[39, 2]])
        assert np.array_equal(some.denominators, rows.denominators[[39, 2]])


def test_rows_by_the_reference_are_those_of_the_kernels():
    precision = Precision.of("bf16", order="pairwise")
    q, k, v = qkv("bf16", 9, shape=(6, 2))
    fast = attention_rows(precision, q, k, v)
    slow = attention_rows(precision, *(np.array(x, dtype=object) for x in (q, k, v)))
    for name in ("scores", "exponentials", "denominators", "weights", "outputs"):
        assert np.array_equal(getattr(fast, name), np.asarray(getattr(slow, name), dtype=float), equal_nan=True), name


@pytest.mark.parametrize("values", ["fp16", "fp32"])
def test_threads_and_batches_change_nothing(values):
    q, k, v = qkv(values, 1, shape=(6, 5, 50, 4))
    whole = attend(values, q, k, v, threads=1)
    assert np.array_equal(whole, attend(values, q, k, v, threads=2))
    assert np.array_equal(whole, attend(values, q, k, v, threads=7))
    one = np.stack([np.stack([attend(values, q[a, b], k[a, b], v[a, b]) for b in range(5)]) for a in range(6)])
    assert np.array_equal(whole, one)


def test_memory_is_linear_in_the_length():
    import resource

    q = np.zeros((16384, 2))
    attend("fp16", q[:2], q[:2], q[:2])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    attend("fp16", q, q, q[:, :1], threads=1)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 1 << 18  # in KiB; one row for each query would be 2 GiB


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (([[1.0]], [[1.0]], [[0.1]]), "v[0, 0]"),
        (([[1.0]], [[1.0, 1.0]], [[1.0]]), "shapes"),
        (([[1.0]], [[1.0]], [[1.0], [1.0]]), "shapes"),
        ((1.0, [[1.0]], [[1.0]]), "dimensions"),
    ],
)
def test_bad_input_is_named(arguments, part):
    with pytest.raises(InputError, match=part.replace("[", r"\[").replace("]", r"\]")):
        attend("fp16", *arguments)


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="mask"):
        attend("fp16", [[1.0]], [[1.0]], [[1.0]], mask="both")
    with pytest.raises(UnsupportedError, match="stochastic"):
        Precision.of("fp16:stochastic=1")
    with pytest.raises(UnsupportedError, match="fma in the order pairwise"):
        Precision.of("fp16", order="pairwise", fma=True)
    with pytest.raises(InputError, match="row"):
        attention_rows(Precision.of("fp16"), [[1.0]], [[1.0]], [[1.0]], rows=[1])
