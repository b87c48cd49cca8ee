"""Realizations: the references by their definitions, what they say of themselves, and arrays from files."""

import math
import os
import random
import zipfile

import ml_dtypes
import numpy as np
import pytest
from gmpy2 import mpq

from fpsim import reference
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.grid_file import grid
from fpsim.realization import IDENTITY, Traits, parse_kind, realize, traits_of
from fpsim.realization.array_file import ArrayKind
from fpsim.realization.block import is_finite
from fpsim.realization.containment import contains
from fpsim.realization.counting import count_ends, counted, counted_floats, first_equal_positions, integers_up_to
from fpsim.realization.membership import members
from fpsim.rounding.reference import round_exact
from fpsim.valueset import ValueSet

ONE = Angle.parse("1")
FORMATS = ["fp16", "bf16", "e4m3", "e5m2", "e3m2", "fixed:8.4", "fixed:12.2", "nf4", "fp16:up", "e4m3:odd", "e5m2:up", "e5m2:away", "e5m2:odd",
           "e4m3:saturate:up", "e3m2:nan", "e4m3fnuz", "e4m2:ftz", "fixed:5.0", "e8m3:up", "e8m3:odd", "e2m1"]  # fmt: skip


def random_grids(number):
    source = random.Random(3)
    for place in range(number):
        values = sorted({mpq(a, b) for a in range(1, 40) for b in (1, 2, 4)})
        chosen = ["0", *map(str, source.sample(values, 12))]
        yield grid(chosen, overflow=source.choice(["inf", "saturate", "nan"]), name=f"random {place}")


# -- counting --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [*map(ValueSet.parse, FORMATS), *random_grids(20)], ids=str)
def test_counting_is_counting(values):
    """x_0 = 0, x_{i+1} = round(x_i + 1), one step after another."""
    steps, x, slow = 1500, mpq(0), []
    for _ in range(steps):
        slow.append(x)
        x = reference.add(values, x, mpq(1))
    shown = [str(float(x)) for x in slow]
    for start, stop in ((0, steps), (5, 40), (250, 280), (1490, 1490)):
        assert list(map(str, counted_floats(values, start, stop).tolist())) == shown[start:stop]
    assert [str(float(counted(values, i))) for i in range(0, steps, 7)] == shown[::7]
    assert slow[: integers_up_to(values) + 1] == list(range(min(integers_up_to(values) + 1, steps)))
    end, stays = count_ends(values)
    if end < steps - 1:
        assert {str(x) for x in slow[end:]} == {str(stays)}
        assert end == 0 or slow[end - 1] != slow[end]
    for far in (10**9, 2**62 - 3):
        assert list(map(str, counted_floats(values, far, far + 2))) == [
            str(float(counted(values, far + n))) for n in (0, 1)
        ]


@pytest.mark.parametrize("values", [*map(ValueSet.parse, FORMATS), *random_grids(20)], ids=str)
def test_first_equal_positions(values):
    before, j = first_equal_positions(values)
    rounded = [round_exact(values, mpq(i)) for i in range(j + 1)]
    assert before == j - 1
    assert not is_finite(rounded[j]) or rounded[j] == rounded[j - 1]
    assert all(is_finite(x) for x in rounded[:j])
    assert len(set(rounded[:j])) == j


# -- what realizations say of themselves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_positions_that_repeat(name):
    values = ValueSet.parse(name)
    for kind, text in (
        ("ideal", "2pi*3/7"),
        ("table", "2pi*3/7"),
        ("phase", "1"),
        ("phase", "0.3"),
        ("counter", "1"),
        ("counter", "-7.5"),
    ):
        realization = realize(kind, Angle.parse(text), values)
        traits = traits_of(realization)
        assert traits.on_circle
        assert traits.random_access
        early, late = traits.repeats
        assert 0 <= early < late
        block = realization.block(late)
        assert not all(map(is_finite, block)) or block == realization.block(early)


def test_traits():
    fp16 = ValueSet.parse("fp16")
    assert traits_of(realize("ideal", ONE, fp16)) == Traits("exact", None, True, True, None)
    assert traits_of(realize("counter", ONE, fp16)) == Traits("product", 2048, True, True, (2048, 2049))
    assert traits_of(realize("recurrence", ONE, fp16)) == Traits("turned")
    assert traits_of(ArrayKind.of([[1, 0]]).rotation(ONE, fp16)) == Traits(random_access=True)

    class Unknown:
        traits = "something else"

    assert traits_of(Unknown()) == Traits()


def test_a_counter_is_phase_while_it_counts():
    for name in FORMATS:
        values = ValueSet.parse(name)
        counter, phase = realize("counter", Angle.parse("0.3"), values), realize("phase", Angle.parse("0.3"), values)
        last = traits_of(counter).phase_until
        for i in {0, 1, last // 2, last}:
            assert repr(counter.block(i)) == repr(phase.block(i))


def test_tables_ask_for_a_rational_turn():
    values = ValueSet.parse("bf16")
    table = realize("table", Angle.parse("2pi*3/7"), values)
    assert [table.block(i) for i in range(7)] == [table.block(i + 7 * 10**30) for i in range(7)]
    assert table.block(0) == IDENTITY
    with pytest.raises(InputError, match="rational multiple of pi"):
        realize("table", ONE, values)


def test_kinds():
    for name in ("ideal", "phase", "table", "recurrence", "counter"):
        assert parse_kind(name).name == name
    kind = ArrayKind.of([[1, 0], [0.5, 0.75]])
    assert parse_kind(kind) is kind
    for wrong in ("array", "Ideal", "", None, 3, ["ideal"]):
        with pytest.raises(InputError, match="array:FILE"):
            parse_kind(wrong)


# -- membership ------------------------------------------------------------------------------------------------------------

SETS = [*FORMATS, "fp32", "fp64", "tf32", "fp128", "e8m60", "e11m53", "fixed:64.10", "fixed:70.60", "fp16:ftz", "e2m60", "fixed:3.5", "fp64:ftz",
        "e8m30:ftz", "e15m3", "fixed:8.0"]  # fmt: skip
UNEVEN = grid(["1/3", "0", "1/2", "-1e300", "-3/4", "1e400"])


@pytest.mark.parametrize("values", [*map(ValueSet.parse, SETS), UNEVEN], ids=str)
def test_members(values):
    source = random.Random(values.name)
    numbers = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, 1e308, -1.7976931348623157e308, 2.0**-1022]
    for _ in range(200):
        n = source.choice(
            [source.randint(values.first, values.last), source.randint(max(-9, values.first), min(9, values.last))]
        )
        if abs(values.value(n)) < 2**1020:
            x = float(values.value(n))
            numbers += [x, math.nextafter(x, math.inf), math.nextafter(x, -math.inf), 1.5 * x, x / 2, 2 * x]
    numbers += [source.uniform(-1, 1) for _ in range(20)]
    wanted = [math.isfinite(x) and mpq(x) in values for x in numbers]
    assert members(values, np.array(numbers)).tolist() == wanted


def test_containment():
    small = ["e2m1", "e3m2", "e4m3", "e5m2", "fixed:6.2", "fixed:4.1", "e4m2:ftz"]
    for outer in [*map(ValueSet.parse, small), grid(["0", "1"])]:
        for inner in map(ValueSet.parse, small):
            if contains(outer, inner):
                listed = [inner.value(n) for n in range(inner.first, inner.last + 1)]
                assert all(value in outer for value in listed if value in inner)
    assert contains(ValueSet.parse("fp64"), ValueSet.parse("fixed:20.10"))
    assert not contains(ValueSet.parse("fp16"), ValueSet.parse("bf16"))


# -- arrays: what is read --------------------------------------------------------------------------------------------------

ROWS = np.array([[1.0, 0.5, 0.0, 0.25], [0.5, -0.25, 0.75, 1.0], [-0.0, 1.0, -1.0, 0.5]])  # cos, cos, sin, sin


def saved(folder, name, *arrays, **named):
    path = folder / name
    if name.endswith(".npz"):
        np.savez(path, *arrays, **named)
    else:
        np.save(path, *arrays, allow_pickle=True)
    return path


def text_file(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_every_layout_says_the_same(tmp_path):
    c, s = ROWS[:, :2], ROWS[:, 2:]
    csv = "\n".join(",".join(map(repr, row)) for row in ROWS.tolist())
    files = [
        saved(tmp_path, "two.npy", ROWS), saved(tmp_path, "three.npy", np.stack([c, s], axis=2)), saved(tmp_path, "pair.npz", cos=c, sin=s),
        saved(tmp_path, "one.npz", ROWS), saved(tmp_path, "fortran.npy", np.asfortranarray(ROWS)), saved(tmp_path, "big.npy", ROWS.astype(">f4")),
        saved(tmp_path, "half.npy", ROWS.astype(np.float16)), text_file(tmp_path, "plain.csv", csv), text_file(tmp_path, "names.CSV", "a,b,c,d\r\n" + csv),
        text_file(tmp_path, "mark.csv", "\ufeff" + csv.replace(",", " , ") + "\n\n"),
    ]  # fmt: skip
    for path in files:
        kind = ArrayKind.read(str(path))
        assert kind.name == f"array:{path}"
        assert (kind.positions, kind.pairs) == (3, 2)
        assert kind.c.tolist() == c.tolist()
        assert kind.s.tolist() == s.tolist()
        assert kind.rotation(ONE, ValueSet.parse("fp16"), 1).block(1) == (mpq(-1, 4), mpq(1))
        assert parse_kind(f"array:{path}").rotation(ONE, ValueSet.parse("e4m3"), 0).length == 3
    assert ArrayKind.of(c, s).s.tolist() == ArrayKind.of(ROWS).s.tolist() == s.tolist()
    assert ArrayKind.of(c[:, 0], s[:, 0]).c.tolist() == c[:, :1].tolist()
    assert [ArrayKind.read(path).dtype_name for path in files] == ["fp64"] * 5 + ["fp32", "fp16"] + ["fp64"] * 3


def test_the_users_array_is_his_own():
    mine = ROWS.copy()
    kind = ArrayKind.of(mine)
    mine[:] = 7
    assert kind.c[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        kind.c[0, 0] = 3


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        ("bfloat16", "bf16"),
        ("float8_e4m3fn", "e4m3"),
        ("float8_e5m2", "e5m2"),
        ("float8_e4m3fnuz", "e4m3fnuz"),
        ("float4_e2m1fn", "e2m1"),
        ("int4", "fp64"),
    ],
)
def test_small_types_of_ml_dtypes(dtype, name):
    kind = ArrayKind.of(np.array([[1, 0], [0.5, -1.0]]).astype(getattr(ml_dtypes, dtype)))
    assert kind.dtype_name == name
    assert kind.rotation(ONE, ValueSet.parse(name)).block(0) == IDENTITY


def test_minus_zero_is_zero_where_the_set_has_none():
    kind = ArrayKind.of([[1, -0.0]])
    assert repr(kind.rotation(ONE, ValueSet.parse("fp16")).block(0)[1]) == "-0.0"
    assert repr(kind.rotation(ONE, ValueSet.parse("e4m3fnuz")).block(0)[1]) == "mpq(0,1)"


def test_the_bias_is_made_of_the_arrays_own_block():
    given = ArrayKind.of([[1, 0], [0.5, 0.75]]).rotation(ONE, ValueSet.parse("fp16"))
    assert given.bias_angle() is None
    assert given.bias_rotation(1) == (mpq(1, 2), mpq(3, 4))
    assert given.bias_rotation(2) is None


# -- arrays: what is refused -----------------------------------------------------------------------------------------------


def with_entry(position, column, value):
    rows = ROWS.copy()
    rows[position, column] = value
    return rows


BAD_ARRAYS = [
    (ROWS[:, 0], r"shape \(3,\)"), (ROWS[:, :3], "odd number of columns"), (ROWS[:0], "empty"), (ROWS[:, :0], "empty"), (np.float64(3), r"shape \(\)"),
    (np.zeros((2, 2, 3)), r"shape \(2, 2, 3\)"), (np.zeros((2, 2, 2, 2)), "shape"), (with_entry(2, 1, np.nan), "nan, the cosine of pair 1 at position 2"),
    (with_entry(1, 2, -np.inf), "-inf, the sine of pair 0 at position 1"), (ROWS.astype(complex), "complex"), (ROWS.astype(object), "objects"),
    (ROWS > 0, "booleans"), (ROWS.astype(str), "entries of <U"), (np.array([[1, 2**60]]), "1152921504606846976, the sine of pair 0 at position 0"),
    (np.zeros((2, 2), [("x", float)]), "real numbers"), (np.full((2, 2), np.longdouble(1) / 3), "binary64"),
]  # fmt: skip


@pytest.mark.parametrize(("array", "message"), BAD_ARRAYS, ids=range(len(BAD_ARRAYS)))
def test_bad_arrays(tmp_path, array, message):
    with pytest.raises(InputError, match=message):
        ArrayKind.of(array)
    for path in (saved(tmp_path, "bad.npy", array), saved(tmp_path, "bad.npz", array)):
        with pytest.raises(InputError, match=message) as caught:
            ArrayKind.read(path)
        assert path.name in str(caught.value)


def test_bad_pairs_of_arrays(tmp_path):
    c, s = ROWS[:, :2], ROWS[:, 2:]
    for arguments, message in (
        ((c, s[:2]), r"shape \(3, 2\) and sin of shape \(2, 2\)"), ((c, s.astype(np.float32)), "one dtype"), ((ROWS[None], ROWS[None]), "shape"),
        (([1, 2], [1, [2]]), "different lengths"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            ArrayKind.of(*arguments)
    for named, message in (
        ({"cos": c}, "'sin' is missing"), ({"sin": c, "other": c}, "'cos' is missing"), ({"a": c, "b": s}, "'a', 'b'"), ({}, "no array at all"),
        ({"cos": c, "sin": s[:1]}, "one shape"), ({"cos": np.array([None]), "sin": np.array([None])}, "objects"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            ArrayKind.read(saved(tmp_path, "bad.npz", **named))


def test_raw_bytes_do_not_say_what_they_mean(tmp_path):
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        with pytest.raises(InputError, match="convert to float32 before saving"):
            ArrayKind.read(saved(tmp_path, "raw.npy", ROWS.astype(dtype)))


BAD_CSV = [
    ("1,0\n0.5,0.75,3\n", r"line 2.*3 columns"), ("1,0\n\n0.5,abc\n", r"line 3, column 2.*'abc'"), ("1,abc\n0.5,1\n", "line 1, column 2"), ("", "no line"),
    ("c,s\n", "no line"), (" \n\n", "no line"), ("1,nan\n", "nan, the sine of pair 0 at position 0"), ("1,1e999\n", "inf, the sine"), ("1,2,3\n", "odd number"),
    ("x,y\nu,v\n1,2\n", "line 2, column 1"), ("1;2\n3;4\n", "'3;4'"), ("1_0,1\n", "'1_0'"), ("1,0,\n1,0,\n", "line 1, column 3"), (bytes(range(256)), "whole .csv"),
    ("1,0\n".encode("utf-16"), "whole .csv"), ("0x1p-1,0\n", "column 1"), ("1,2j\n", "'2j'"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD_CSV, ids=range(len(BAD_CSV)))
def test_bad_csv(tmp_path, content, message):
    with pytest.raises(InputError, match=message) as caught:
        ArrayKind.read(text_file(tmp_path, "bad.csv", content))
    assert "bad.csv" in str(caught.value)


def test_files_that_are_none(tmp_path):
    (tmp_path / "folder.npy").mkdir()
    for name, message in (
        (tmp_path / "missing.npy", "exists"), (tmp_path / "folder.npy", "not a folder"), (text_file(tmp_path, "x.txt", "1,2"), "npy, .npz or .csv"),
        ("", "exists"), (tmp_path / ("x" * 300 + ".npy"), "should be"), (".", "not a folder"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            ArrayKind.read(name)


def test_files_that_are_cut_off_or_damaged(tmp_path):
    whole = saved(tmp_path, "whole.npy", ROWS).read_bytes()
    archive = saved(tmp_path, "whole.npz", cos=ROWS, sin=ROWS).read_bytes()
    middle = len(archive) // 3
    damaged = [
        ("a.npy", whole[:-5]), ("b.npy", whole[:40]), ("c.npy", b""), ("d.npy", b"no array " * 20), ("e.npy", whole[:6] + b"\x09" + whole[7:]),
        ("f.npy", whole.replace(b"(3, 4)", b"(3,-4)")), ("a.npz", archive[:-50]), ("b.npz", archive[:middle] + b"??" + archive[middle + 2 :]), ("c.npz", whole),
    ]  # fmt: skip
    for name, content in damaged:
        with pytest.raises(InputError, match="should be"):
            ArrayKind.read(text_file(tmp_path, name, content))
    with zipfile.ZipFile(tmp_path / "text.npz", "w") as other:
        other.writestr("readme.txt", "no array")
    with pytest.raises(InputError, match=r"whole \.npz"):
        ArrayKind.read(tmp_path / "text.npz")


def test_an_array_that_is_too_large_is_not_loaded(tmp_path):
    head = saved(tmp_path, "small.npy", np.zeros((3, 4))).read_bytes()[:128]
    large = head.replace(b"(3, 4), }" + b" " * 6, b"(268435456,4)," + b"}")
    assert len(large) == len(head)
    with pytest.raises(InputError, match=r"1073741824 entries.*2\^28"):
        ArrayKind.read(text_file(tmp_path, "large.npy", large))


def test_nothing_is_unpickled(tmp_path, monkeypatch):
    import pickle

    monkeypatch.setattr(pickle, "load", lambda *_, **__: pytest.fail("something was unpickled"))
    monkeypatch.setattr(pickle, "loads", lambda *_, **__: pytest.fail("something was unpickled"))
    for path in (
        saved(tmp_path, "o.npy", np.array([[{}, 1]])),
        text_file(tmp_path, "p.npy", pickle.dumps(ROWS)),
        text_file(tmp_path, "p.npz", pickle.dumps(ROWS)),
    ):
        with pytest.raises(InputError, match="should be"):
            ArrayKind.read(path)


def test_entries_that_are_no_values(tmp_path):
    kind = ArrayKind.of([[1.0, 0.0], [0.1, 0.0], [0.0, 0.3]])
    with pytest.raises(
        InputError,
        match=r"0.1, the cosine of pair 0 at position 1; it should be a value of fp16 \(the array holds fp64",
    ):
        kind.rotation(ONE, ValueSet.parse("fp16"))
    assert kind.rotation(ONE, ValueSet.parse("fp64")).length == 3
    assert kind.rotation(ONE, ValueSet.parse("fp128")).block(1)[0] == mpq(0.1)
    with pytest.raises(InputError, match="written in full"):
        ArrayKind.read(text_file(tmp_path, "short.csv", "0.1,0\n")).rotation(ONE, ValueSet.parse("fp16"))
    for pair in (1, -1):
        with pytest.raises(InputError, match="1 pairs"):
            kind.rotation(ONE, ValueSet.parse("fp64"), pair)


def test_what_is_no_plain_file_or_has_a_strange_header(tmp_path) -> None:
    pipe, strange = tmp_path / "pipe.npy", tmp_path / "strange.npy"
    os.mkfifo(pipe)
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (True, 2), }".ljust(117) + b"\n"
    strange.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16))
    for file in (pipe, strange):
        with pytest.raises(InputError, match="array"):
            ArrayKind.read(file)
