"""Pipelines: the arrays against the reference, the reference against NumPy's own arithmetic, and figures of real stacks."""

import math
from fractions import Fraction
from itertools import pairwise

import gmpy2
import ml_dtypes
import mpmath
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fpsim.angle import Angle, conventional_angle
from fpsim.blocks import blocks
from fpsim.errors import InputError
from fpsim.pipeline import ALIASES, MODEL, PIPELINES, Chain, Pipeline, Stages, pipeline_names
from fpsim.pipeline.chain import Frequency, inverse_frequency, scale
from fpsim.pipeline.power import log_of, power_of, rounded_log, rounded_power
from fpsim.realization import realize
from fpsim.rounding.reference import round_exact
from fpsim.schedule import Schedule
from fpsim.valueset import ValueSet

f32 = np.float32
bf16 = ml_dtypes.bfloat16
FP32, FP16, BF16, FP64 = (ValueSet.parse(name) for name in ("fp32", "fp16", "bf16", "fp64"))
CONVENTIONAL = Schedule.conventional("1e4", 128)
LINEAR = CONVENTIONAL.scaled({"rope_type": "linear", "factor": "3.3"})


def texts(numbers):
    return [str(float(x)) for x in numbers]


def cast(x, dtype):
    """binary64 numbers rounded to a narrower type; those here are binary32 numbers, so that it is one rounding."""
    return np.asarray(x, f32).astype(dtype).astype(np.float64)


def exact_tables(schedule, length):
    """cos and sin of the exact angles, in binary64."""
    columns = [blocks(realize("ideal", angle, FP64), 0, length) for angle in schedule.angles]
    return np.stack([c for c, _ in columns], 1), np.stack([s for _, s in columns], 1)


def tables(pipeline, dtype, length):
    columns = [rotation.fast_blocks(0, length) for rotation in pipeline.rotations(dtype)]
    return np.stack([c for c, _ in columns], 1), np.stack([s for _, s in columns], 1)


def equal_neighbours(pipeline, dtype, length):
    """The positions i whose blocks are all equal to those of i + 1."""
    keys = np.concatenate(tables(pipeline, dtype, length), 1)
    return np.flatnonzero((keys[1:] == keys[:-1]).all(1))


# -- powers and logarithms ---------------------------------------------------------------------------------------------

RATIONALS = st.fractions(Fraction(1, 10**6), 10**9, max_denominator=10**6).map(
    lambda x: mpq(x.numerator, x.denominator)
)
EXPONENTS = st.fractions(-3, 3, max_denominator=2**24).map(lambda x: mpq(x.numerator, x.denominator))


@settings(max_examples=150, deadline=None)
@given(RATIONALS, EXPONENTS, st.sampled_from(["fp32", "fp16", "bf16", "fixed:24.8", "fp64:up"]))
def test_powers_against_mpmath(base, exponent, name):
    values = ValueSet.parse(name)
    found = rounded_power(values, base, exponent)
    with mpmath.workdps(120):
        x = mpmath.power(
            mpmath.mpf(int(base.numerator)) / int(base.denominator),
            mpmath.mpf(int(exponent.numerator)) / int(exponent.denominator),
        )
        man, exp = x.man_exp
    near = mpq(man) * mpq(2) ** exp  # within 10^-110 of the power
    assert found in {round_exact(values, near * (1 + e)) for e in (mpq(-1, 10**100), mpq(0), mpq(1, 10**100))}


def test_rational_powers_are_exact():
    assert power_of(mpq(10000), mpq(3, 4)) == 1000
    assert power_of(mpq(4, 9), mpq(-3, 2)) == mpq(27, 8)
    assert power_of(mpq(1), mpq(1, 3)) == 1
    # a tie, decided by the parity and not by narrowing for ever: 2049^2 to the power 1/2, between 2048 and 2050
    assert rounded_power(FP16, mpq(2049) ** 2, mpq(1, 2)) == 2048
    assert rounded_power(FP16, mpq(2051) ** 3, mpq(1, 3)) == 2052


def test_powers_refuse():
    with pytest.raises(InputError, match="base"):
        power_of(mpq(0), mpq(1, 2))
    with pytest.raises(InputError, match="exponent"):
        power_of(mpq(10), mpq(10**9))
    with pytest.raises(InputError, match="x"):
        log_of(mpq(-1))


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [(math.inf, mpq(1, 2), "inf"), (math.inf, mpq(-1, 2), "0.0"), (mpq(0), mpq(1, 2), "0.0"), (mpq(0), mpq(-1), "inf"), (mpq(2), math.inf, "inf"), (mpq(1, 2), math.inf, "0.0"), (mpq(1, 2), -math.inf, "inf"), (mpq(1), math.inf, "1.0"), (math.inf, mpq(0), "1.0"), (math.nan, mpq(0), "nan")],
)  # fmt: skip
def test_powers_at_the_ends(base, exponent, expected):
    assert texts([rounded_power(FP16, base, exponent)]) == [expected]


def test_logarithms():
    assert rounded_log(FP32, mpq(1)) == 0
    assert texts([rounded_log(FP32, mpq(0)), rounded_log(FP32, math.inf), rounded_log(FP32, math.nan)]) == [
        "-inf",
        "inf",
        "nan",
    ]
    for base in (10000, 500000, mpq(1, 7), mpq(10**30)):
        with gmpy2.context(precision=200):
            assert float(rounded_log(FP64, mpq(base))) == float(gmpy2.log(gmpy2.mpfr(mpq(base))))


# -- the chains, against NumPy: its binary64 pow, exp and log are far closer than a binary32 rounding sees ----------------


def numpy_chain(kind, base, dim):
    d = np.arange(dim // 2)
    e = (2 * d).astype(f32) / f32(dim)
    if kind == "power":
        return f32(1) / (np.float64(base) ** e.astype(np.float64)).astype(f32)
    if kind == "scale-power":
        s = f32(np.float64(base) ** np.float64(f32(-2) / f32(dim)))
        return (np.float64(s) ** d).astype(f32)
    each = f32(np.log(np.float64(base))) / f32(dim // 2)
    return np.exp((-d.astype(f32) * each).astype(np.float64)).astype(f32)


@pytest.mark.parametrize("kind", ["power", "scale-power", "exp-log"])
@pytest.mark.parametrize(("base", "dim"), [(10000, 128), (500000, 128), (1000000, 80), (10000, 24), (150000, 64)])
def test_chains(kind, base, dim):
    sets = Stages(Chain(kind)).at(FP32)
    found = [inverse_frequency(kind, sets, Frequency(mpq(base), mpq(2 * d, dim), d)) for d in range(dim // 2)]
    assert texts(found) == texts(numpy_chain(kind, base, dim))


def test_chain_in_half_precision_is_torchs():
    """GPT-J: numerator and denominator in bf16, and the base too, 10000 -> 9984."""
    sets = Stages(Chain("power", MODEL, MODEL, MODEL)).at(BF16)
    e = (np.arange(0, 64, 2) / 64).astype(bf16).astype(np.float64)
    p = cast(np.float64(9984) ** e, bf16)
    expected = cast((1 / p), bf16)
    assert texts(
        inverse_frequency("power", sets, Frequency(mpq(10000), mpq(2 * d, 64), d)) for d in range(32)
    ) == texts(expected)


def test_chain_of_a_base_beyond_range():
    sets = Stages(Chain("power", "fp16", "fp16", "fp16")).at(FP16)
    assert [inverse_frequency("power", sets, Frequency(mpq(10**6), mpq(d, 4), d)) for d in range(3)] == [1, 0, 0]


# -- whole tables, against NumPy -----------------------------------------------------------------------------------------


def nearest_tf32(x):
    m, e = np.frexp(x)
    return np.ldexp(np.rint(m * 2048), e - 11)


def numpy_phases(name, positions, base=10000, dim=128):
    x = positions.astype(f32)[:, None]
    inverse = numpy_chain("power", base, dim)
    match name:
        case "transformers" | "vllm" | "llama" | "megatron":
            return x * inverse
        case "transformers-bf16-buffer":
            return x * inverse.astype(bf16).astype(f32)
        case "transformers-4.28":
            # the product of two bf16 numbers is a binary32 number
            return (x.astype(bf16).astype(f32) * inverse.astype(bf16).astype(f32)).astype(bf16).astype(f32)
        case "tf32-product":
            return (nearest_tf32(x.astype(np.float64)) * nearest_tf32(inverse.astype(np.float64))).astype(f32)
        case "ggml-cuda":
            return x * numpy_chain("scale-power", base, dim)
        case "mlx":
            return x * numpy_chain("exp-log", base, dim)
        case "gemma-jax" | "maxtext":
            return x / (
                np.float64(base) ** ((2 * np.arange(dim // 2)).astype(f32) / f32(dim)).astype(np.float64)
            ).astype(f32)
        case "ggml-cpu":
            s = f32(np.float64(base) ** np.float64(f32(-2) / f32(dim)))
            columns = [x]
            for _ in range(dim // 2 - 1):
                columns.append(columns[-1] * s)
            return np.concatenate(columns, 1)
    raise AssertionError(name)


TABLES = {"llama": f32, "gemma-jax": f32, "ggml-cpu": f32, "ggml-cuda": f32}


@pytest.mark.parametrize(
    "name", ["transformers", "vllm", "llama", "megatron", "transformers-bf16-buffer", "transformers-4.28", "tf32-product", "ggml-cuda", "mlx", "gemma-jax", "maxtext", "ggml-cpu"]
)  # fmt: skip
def test_tables_against_numpy(name):
    start, stop = 1900, 2700
    phases = numpy_phases(name, np.arange(start, stop))
    rotations = Pipeline.named(name, CONVENTIONAL).rotations("bf16")
    trig = bf16 if name == "transformers-4.28" else f32
    for d, rotation in enumerate(rotations):
        assert np.array_equal(rotation.fast_phases(start, stop), phases[:, d].astype(np.float64))
        c, s = rotation.fast_blocks(start, stop)
        for found, function in ((c, np.cos), (s, np.sin)):
            expected = function(phases[:, d].astype(np.float64)).astype(trig).astype(TABLES.get(name, bf16))
            assert np.array_equal(found, expected.astype(np.float64))


# -- arrays against the reference ----------------------------------------------------------------------------------------

WINDOWS = [(0, 12), (255, 262), (65510, 65525), (2**24 - 2, 2**24 + 3), (2**53 - 1, 2**53 + 2), (2**62 - 2, 2**62)]


def assert_same(rotation, windows=WINDOWS):
    for start, stop in windows:
        assert texts(rotation.fast_phases(start, stop)) == texts(rotation.phase(i) for i in range(start, stop))
        c, s = rotation.fast_blocks(start, stop)
        exact = [rotation.block(i) for i in range(start, stop)]
        assert texts(c) == texts(block[0] for block in exact)
        assert texts(s) == texts(block[1] for block in exact)


@pytest.mark.parametrize("name", pipeline_names())
def test_arrays_of_named_pipelines(name):
    schedule = Schedule.conventional("1e6", 32)
    for dtype in ("bf16", "fp16"):
        rotations = Pipeline.named(name, schedule).rotations(dtype)
        for pair in (0, 1, 7, 15):
            assert_same(rotations[pair])


@pytest.mark.parametrize("linear", ["angle", "position", "position-product", "phase", "phase-product"])
@pytest.mark.parametrize("kind", ["power", "divide", "running-product"])
def test_arrays_with_linear_scaling(kind, linear):
    if (kind, linear) == ("running-product", "angle"):
        return  # refused: see test_bad_input
    pipeline = Pipeline("mine", Stages(Chain(kind), position="bf16", linear=linear), LINEAR)
    for pair in (0, 5, 40):
        assert_same(pipeline.rotations("fp16")[pair], WINDOWS[:3])


ODD_SETS = [
    "e4m3",
    "fp16:up",
    "fp16:ftz:down",
    "fixed:12.3",
    "nf4",
    "fp128",
    "e8m30",
    "e5m2:saturate",
    "fp16:stochastic=1",
]


@pytest.mark.parametrize("name", ODD_SETS)
def test_arrays_in_any_value_set(name):
    stages = [
        Stages(position=name),
        Stages(stored=name),
        Stages(phase=name),
        Stages(trig=name),
        Stages(table=name),
        Stages(operands=name),
        Stages(Chain("divide"), phase=name, stored=name),
    ]
    for stage in stages:
        for angle in ("0.1", "-3", "2pi/7", "0"):
            assert_same(Pipeline("mine", stage).rotation(Angle.parse(angle), BF16), WINDOWS[:3])


def test_blocks_go_the_fast_way(monkeypatch):
    asked = []
    monkeypatch.setattr("fpsim.pipeline.fast.pipeline_blocks", lambda *what: asked.append(what) or (0, 1))
    rotation = Pipeline.named("all-bf16", CONVENTIONAL).rotations("bf16")[3]
    assert blocks(rotation, 250, 270) == (0, 1)
    assert asked == [(rotation, 250, 270)]


@pytest.mark.parametrize("name", ["all-fp16", "ggml-cpu", "gemma-jax", "megatron"])
def test_settled_by(name):
    """From there on nothing changes, tried at a few positions."""
    for rotation in Pipeline.named(name, LINEAR).rotations("fp16")[::21]:
        blocks_then = {str(rotation.block(rotation.settled_by + far)) for far in (0, 1, 12345, 2**130, 2**300)}
        assert len(blocks_then) == 1


def test_positions_are_checked():
    rotation = Pipeline.named("vllm").rotation(Angle.parse("1"), FP16)
    for start, stop in ((-1, 2), (3, 2), (0, 2**63)):
        with pytest.raises(ValueError, match="positions"):
            rotation.fast_blocks(start, stop)


@pytest.mark.parametrize(
    "name", ["all-fp16", "gemma-jax", "ggml-cpu", "bf16-positions", "megatron", "transformers-4.38-tf32"]
)
def test_phases_never_come_back(name):
    """|phase| rises with i, and where it leaves F it stays out: what the decision for all positions rests on."""
    places = sorted({*range(40), *(2**k + d for k in range(6, 140) for d in (-1, 0, 1))})
    for rotation in Pipeline.named(name, Schedule.conventional("1e4", 16)).rotations("fp16"):
        phases = [rotation.phase(i) for i in places]
        finite = [abs(x) for x in phases if x == x]
        assert all(a <= b for a, b in pairwise(finite))
        assert all(x != x for x in phases[len(finite) :])


# -- figures of real stacks ----------------------------------------------------------------------------------------------


def test_bf16_position_ids():
    rotation = Pipeline.named("bf16-positions", CONVENTIONAL).rotations("bf16")[0]
    held = [rotation.position(i) for i in range(4096)]
    assert next(i for i, (a, b) in enumerate(pairwise(held)) if a == b) == 256
    assert len(set(held)) == 769
    assert len(set(held[:512])) == 385  # OneTrainer#1177
    assert len({rotation.position(65536 + i) for i in range(512)}) == 2  # diffusers#13920


def test_fp16_position_ids():
    rotation = Pipeline.named("fp16-positions", CONVENTIONAL).rotations("fp16")[0]
    held = [rotation.position(i) for i in range(4096)]
    assert next(i for i, (a, b) in enumerate(pairwise(held)) if a == b) == 2048
    assert (rotation.position(65519), rotation.position(65520)) == (65504, math.inf)
    assert texts(rotation.block(65520)) == ["nan", "nan"]


def test_transformers_428_in_bf16():
    equal = equal_neighbours(Pipeline.named("transformers-4.28", CONVENTIONAL), "bf16", 4096)
    assert (equal.size, equal[0]) == (3327, 256)


@pytest.mark.parametrize(
    ("name", "dtype", "count", "first"),
    [("all-bf16", "bf16", 7295, 256), ("bf16-positions", "fp32", 7295, 256), ("all-fp16", "fp16", 4095, 2048), ("tf32-product", "fp32", 4095, 2048), ("transformers-bf16-buffer", "fp32", 0, None), ("transformers", "bf16", 0, None)],
)  # fmt: skip
def test_equal_neighbours_in_8192_positions(name, dtype, count, first):
    equal = equal_neighbours(Pipeline.named(name, CONVENTIONAL), dtype, 8192)
    assert equal.size == count
    assert (int(equal[0]) if count else None) == first


@pytest.mark.parametrize(("base", "position", "pi_at"), [("1e4", 2569, 2568.388), ("5e5", 1757, 1756.045)])
def test_phase_error_of_bf16_frequencies(base, position, pi_at):
    """Megatron-LM#744 gives 2568 and 1756, the whole parts: |stored i - theta i| is pi just above them, for pair 1."""
    schedule = Schedule.conventional(base, 128)
    errors = []
    for rotation in Pipeline.named("transformers-bf16-buffer", schedule).rotations("bf16"):
        lo, hi = rotation.angle.enclose(80)
        errors.append(abs(mpq(rotation.stored) - (lo + hi) / 2))
    worst = max(errors)
    assert errors.index(worst) == 1
    assert float(math.pi / float(worst)) == pytest.approx(pi_at, abs=1e-3)
    assert worst * (position - 1) < mpq(math.pi) < worst * position


@pytest.mark.parametrize(
    ("base", "subnormals", "zeros"), [("1e4", 0, 0), ("1e6", 19, 0), ("1e7", 25, 0), ("1e8", 27, 3)]
)
def test_fp16_inverse_frequencies(base, subnormals, zeros):
    stored = [
        rotation.stored for rotation in Pipeline.named("all-fp16", Schedule.conventional(base, 128)).rotations("fp16")
    ]
    assert sum(0 < x < FP16.min_normal for x in stored) == subnormals
    assert stored.count(0) == zeros


def test_all_bf16_positions_far_out():
    rotation = Pipeline.named("all-bf16", CONVENTIONAL).rotations("bf16")[0]
    assert rotation.position(15962) == 15936  # candle#3520
    assert BF16.value(BF16.index(mpq(15936)) + 1) - 15936 == 64


def test_division_and_product_differ():
    """26% of the phases of 131072 positions, between a division by the time scale and a product with its inverse."""
    divided, multiplied = (Pipeline.named(name, CONVENTIONAL).rotations("fp32") for name in ("maxtext", "transformers"))
    different = sum(
        np.count_nonzero(a.fast_phases(0, 131072) != b.fast_phases(0, 131072))
        for a, b in zip(divided, multiplied, strict=True)
    )
    assert different / (131072 * 64) == pytest.approx(0.2572, abs=1e-4)


def test_cosine_error_of_a_cast_buffer():
    schedule = Schedule.conventional("5e5", 128)
    found, _ = tables(Pipeline.named("transformers-bf16-buffer", schedule), "fp32", 8192)
    exact, _ = exact_tables(schedule, 8192)
    error = np.abs(found - exact)
    assert error.max() == pytest.approx(2.0, abs=1e-3)
    assert error[:256].max() == pytest.approx(0.431, abs=1e-3)


@pytest.mark.parametrize(("dtype", "largest"), [("fp16", 0.763), ("bf16", 0.864)])
def test_gpt_j_in_half_precision(dtype, largest):
    """The greatest error of cos and sin, rotary dim 64, 2048 positions (bf16: of a sine; its cosines reach 0.858)."""
    schedule = Schedule.conventional("1e4", 64)
    found, exact = tables(Pipeline.named("gpt-j", schedule), dtype, 2048), exact_tables(schedule, 2048)
    assert max(np.abs(a - b).max() for a, b in zip(found, exact, strict=True)) == pytest.approx(largest, abs=1e-3)


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_the_table_of_gpt_j_is_not_cast(dtype):
    """Its inverse frequencies have the model's type; sin and cos of the fp32 products stay in fp32."""
    pipeline = Pipeline.named("gpt-j", Schedule.conventional("1e4", 64))
    rotation = pipeline.rotations(dtype)[5]
    assert (rotation.sets.stored.name, rotation.values.name, pipeline.applied_in(dtype).name) == (
        dtype,
        "fp32",
        "fp32",
    )
    phases = (np.arange(2048, dtype=f32) * f32(float(rotation.stored))).astype(np.float64)
    c, s = rotation.fast_blocks(0, 2048)
    assert np.array_equal(c, np.cos(phases).astype(f32).astype(np.float64))
    assert np.array_equal(s, np.sin(phases).astype(f32).astype(np.float64))


# -- schedules, names, own pipelines -------------------------------------------------------------------------------------


def test_without_a_schedule_the_exact_angle_is_rounded_once():
    angle = conventional_angle("1e4", 3, 128)
    for name in ("transformers-bf16-buffer", "ggml-cpu", "mlx"):
        rotation = Pipeline.named(name).rotation(angle, BF16)
        assert rotation.stored == realize("phase", angle, rotation.sets.stored).stored
    divided = Pipeline.named("gemma-jax").rotation(angle, BF16)
    lo, hi = angle.enclose(200)
    assert 1 / divided.stored == round_exact(FP32, 2 / (lo + hi))


def test_phase_is_a_pipeline_of_one_set():
    for name in ("fp16", "bf16", "e4m3", "fixed:8.4"):
        stages = Stages(Chain("exact"), MODEL, MODEL, None, MODEL, MODEL, MODEL, MODEL, MODEL)
        for text in ("0.1", "-1", "2pi/7", "300"):
            rotation = Pipeline("mine", stages).rotation(Angle.parse(text), ValueSet.parse(name))
            phase = realize("phase", Angle.parse(text), ValueSet.parse(name))
            assert all(texts(rotation.block(i)) == texts(phase.block(i)) for i in (0, 1, 7, 300, 70000))
            assert rotation.bias_angle() == phase.bias_angle()


def test_identity():
    schedule = CONVENTIONAL.scaled({"rope_type": "proportional", "partial_rotary_factor": 0.25})
    for name in pipeline_names():
        rotation = Pipeline.named(name, schedule).rotations("bf16")[40]
        assert rotation.block(10**9) == (1, 0)
        assert [x.tolist() for x in rotation.fast_blocks(5, 8)] == [[1, 1, 1], [0, 0, 0]]


def test_partial_rotation_keeps_the_chain():
    partial = Schedule.conventional("1e4", 128).scaled({"rope_type": "default", "partial_rotary_factor": "0.75"})
    rotations = Pipeline.named("transformers", partial).rotations("fp32")
    assert texts(rotation.stored for rotation in rotations) == texts(numpy_chain("power", 10000, 96))


@pytest.mark.parametrize(
    ("name", "phases"),
    [
        ("transformers", lambda x, v, f: x * (v / f)),
        ("vllm", lambda x, v, f: (x / f) * v),
        ("megatron", lambda x, v, f: (x * f32(1 / np.float64(8.1))) * v),
        ("gemma-jax", lambda x, v, f: (x / (f32(1) / v)) / f),
    ],
)
def test_linear_scaling_where_the_stack_has_it(name, phases):
    schedule = Schedule.conventional("1e4", 4).scaled({"rope_type": "linear", "factor": "8.1"})
    rotation = Pipeline.named(name, schedule).rotations("bf16")[1]
    x, v = np.arange(3000).astype(f32), f32(0.01)
    assert f32(1) / v == f32(100)  # so that the time scale is the inverse
    assert np.array_equal(rotation.fast_phases(0, 3000), phases(x, v, f32(8.1)).astype(np.float64))
    lo, hi = rotation.angle.enclose(60)
    assert float(rotation.bias_angle().coefficient) == pytest.approx(float(lo + hi) / 2, rel=1e-6)


def test_running_product_with_linear_scaling():
    schedule = CONVENTIONAL.scaled({"rope_type": "linear", "factor": 8})
    rotation = Pipeline.named("ggml-cpu", schedule).rotations("bf16")[5]
    ratio = scale(rotation.sets, Frequency(mpq(10000), mpq(10, 128), 5))
    assert rotation.stored == mpq(ratio) ** 5
    assert rotation.bias_angle() == Angle(mpq(ratio) ** 5 / 8)
    assert np.array_equal(rotation.fast_phases(0, 500), numpy_phases("ggml-cpu", np.arange(500))[:, 5] / 8)


def test_other_scalings_round_the_exact_angle():
    scaled = Schedule.conventional("5e5", 128).scaled(
        {
            "rope_type": "llama3",
            "factor": 8,
            "low_freq_factor": 1,
            "high_freq_factor": 4,
            "original_max_position_embeddings": 8192,
        }
    )
    pipeline = Pipeline.named("transformers", scaled)
    assert any("llama3" in note for note in pipeline.notes)
    stored = [rotation.stored for rotation in pipeline.rotations("bf16")]
    chain = numpy_chain("power", 500000, 128)
    assert texts(stored[:20]) == texts(chain[:20])  # the fast pairs, which llama3 leaves alone: the stack's own chain
    assert stored[63] == round_exact(FP32, sum(scaled.angles[63].enclose(200)) / 2)
    assert not any("llama3" in note for note in Pipeline.named("transformers", CONVENTIONAL).notes)


def test_attention_factor():
    yarn = CONVENTIONAL.scaled({"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 4096})
    rotation = Pipeline.named("transformers", yarn).rotations("bf16")[3]
    factor = f32(0.1 * np.log(4) + 1)
    expected = (np.cos(rotation.fast_phases(0, 3000)).astype(f32) * factor).astype(bf16)
    assert np.array_equal(rotation.fast_blocks(0, 3000)[0], expected.astype(np.float64))
    assert_same(rotation, WINDOWS[:3])


def test_own_pipeline():
    mine = Pipeline("mine", Stages(Chain("power", "bf16", "bf16", "fp32"), stored=MODEL, position="tf32", table="fp32"))
    rotation = mine.for_schedule(CONVENTIONAL).rotations("fp16")[1]
    assert (rotation.name, rotation.values.name, rotation.sets.stored.name) == ("mine", "fp32", "fp16")
    assert rotation.position(2049) == 2048
    assert mine.applied_in("bf16").name == "bf16"


def test_realize_takes_a_pipeline():
    rotation = realize(Pipeline.named("gpt-j", CONVENTIONAL), CONVENTIONAL.angles[2], FP16, 2)
    assert rotation.name == "gpt-j"
    assert rotation.bias_rotation(3) is not None


def test_stored_that_is_not_finite():
    rotation = Pipeline("mine", Stages(stored="fp16")).rotation(Angle.parse("1e6"), FP16)
    assert rotation.bias_angle() is None
    assert rotation.bias_rotation(1) is None
    assert texts(rotation.block(0)) == texts(rotation.block(3)) == ["nan", "nan"]


def test_names():
    assert {"transformers", "gpt-j", "llama", "vllm", "megatron", "ggml-cpu", "mlx", "all-bf16"} <= set(
        pipeline_names()
    )
    assert set(ALIASES.values()) <= set(PIPELINES)
    assert not set(ALIASES) & set(PIPELINES)
    assert Pipeline.named("llama.cpp").name == "ggml-cpu"
    assert Pipeline.named(" GPT-J ").name == "gpt-j"
    assert all(pipeline.source and pipeline.notes for pipeline in PIPELINES.values())


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Pipeline.named("vlm"), "did you mean vllm"),
        (lambda: Pipeline.named("onnx"), "array:FILE"),
        (lambda: Pipeline.named(3), "pipeline"),
        (lambda: Stages(position="fp17"), "value set"),
        (lambda: Stages(linear="twice"), "linear"),
        (lambda: Chain("powers"), "chain"),
        (lambda: Pipeline("mine", Stages(Chain("running-product")), LINEAR).rotations("bf16"), "linear"),
        (lambda: Pipeline.named("vllm").rotations("bf16"), "schedule"),
        (lambda: Pipeline.named("vllm", CONVENTIONAL).rotation(Angle.parse("1"), BF16, 64), "pair"),
        (lambda: Pipeline.named("vllm", CONVENTIONAL).rotation(Angle.parse("1"), BF16, 1), "angle"),
    ],
)
def test_bad_input(make, match):
    with pytest.raises(InputError, match=match):
        make()


@pytest.mark.parametrize("made", [
    lambda: Stages(chain="exact"), lambda: Stages(chain=None), lambda: Pipeline("mine", None), lambda: Pipeline("mine", "fp32"),
    lambda: Pipeline.named("vllm", 5), lambda: Pipeline.named("vllm").for_schedule("1e4"),
])  # fmt: skip
def test_parts_of_a_wrong_type(made):
    with pytest.raises(InputError):
        made()
