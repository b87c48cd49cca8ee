"""Grids from files: the three forms, and what is refused."""

import json
import os

import numpy as np
import pytest
from gmpy2 import mpq

from fpsim.errors import InputError
from fpsim.grid_file import grid, read_grid
from fpsim.neighbours import rounding_facts
from fpsim.valueset import ValueSet

VALUES = (mpq(-1), mpq(0), mpq(1, 3), mpq(1, 2))


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def test_text(write):
    path = write("g.txt", "# a grid\noverflow saturate\n0, 1/3 0x1p-1  # the last two\n-1.0\n")
    found = read_grid(path)
    assert (found.grid, found.overflow, found.first, found.last) == (VALUES, "saturate", -1, 2)
    assert ValueSet.parse(f"grid:{path}") == found
    assert ValueSet.parse(f"grid:{path}:up").rounding == "up"


def test_json(write):
    found = read_grid(write("g.json", '{"values": [0, "1/3", 0.5, -1], "overflow": "nan"}'))
    assert (found.grid, found.overflow) == (VALUES, "nan")
    assert read_grid(write("h.json", "[0, 0.1]")).grid == (
        mpq(0),
        mpq(1, 10),
    )  # the decimal, not its binary64 neighbour


def test_npy(tmp_path):
    np.save(tmp_path / "g.npy", np.array([0.1, 0.0, -1.0]))
    assert read_grid(str(tmp_path / "g.npy")).grid == (mpq(-1), mpq(0), mpq(0.1))


def test_policy_is_inf_when_nothing_is_said(write):
    assert read_grid(write("g.txt", "0 1")).overflow == "inf"
    assert read_grid(write("g.txt", "0 1 inf -inf")).overflow == "inf"


def test_carriers():
    assert grid([0, "0.5"]).carrier == "float64"
    assert grid([0, "1/3"]).carrier == "mpq"
    assert grid([0, 2**2000]).carrier == "mpq"


def test_nf4_is_shipped():
    values = ValueSet.parse("nf4")
    assert (values.size, values.max, values.min, values.overflow) == (16, 1, -1, "saturate")
    assert all(float(np.float32(float(x))) == float(x) for x in values.grid)


@pytest.mark.parametrize(("content", "reason"), [
    ("1 2", "contains 0"), ("0 1 1", "distinct"), ("0 1 2/2", "distinct"), ("0 nan", "NaN"), ("0", "at least two"), ("", "contains 0"),
    ("0 x", "finite number"), ("0 1e999999999", "exponent"), ("0 1/0", "denominator"), ("overflow up\n0 1", "overflow"),
    ("overflow saturate\n0 1 inf", "absent"), ("overflow inf\noverflow nan\n0 1", "earlier line"), (b"\xff\xfe0 1", "text"),
])  # fmt: skip
def test_bad_text(write, content, reason):
    with pytest.raises(InputError, match=reason):
        read_grid(write("g.txt", content))


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        "[[0, 1]]",
        '{"values": 3}',
        "[0, true]",
        "[0,",
        '{"values": [0, 1], "size": 2}',
        '{"values": [0, 1], "values": [0, 2]}',
        "[" * 100_000,
        '{"values":[0,1],"overflow":"up"}',
    ],
)
def test_bad_json(write, content):
    with pytest.raises(InputError, match="should be"):
        read_grid(write("g.json", content))


def test_bad_npy(tmp_path, write):
    for name, array in {
        "shape": np.zeros((2, 2)),
        "complex": np.zeros(2, complex),
        "nan": np.array([0, np.nan]),
    }.items():
        np.save(tmp_path / f"{name}.npy", array)
        with pytest.raises(InputError):
            read_grid(str(tmp_path / f"{name}.npy"))
    np.save(tmp_path / "pickle.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError):
        read_grid(str(tmp_path / "pickle.npy"))
    with pytest.raises(InputError):
        read_grid(write("text.npy", "0 1"))


def test_a_million_values_are_refused(write):
    with pytest.raises(InputError, match="at most 65536"):
        read_grid(write("g.json", json.dumps(list(range(1_000_000)))))


def test_a_folder_is_no_grid(tmp_path):
    with pytest.raises(InputError):
        read_grid(str(tmp_path))


def test_what_is_no_plain_file_is_no_grid(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (str(pipe), "/dev/zero"):
        with pytest.raises(InputError, match="plain file"):
            read_grid(path)


def test_an_array_whose_header_lies_is_refused(tmp_path):
    np.save(tmp_path / "g.npy", np.array([0.0, 1.0]))
    data = (tmp_path / "g.npy").read_bytes()
    (tmp_path / "g.npy").write_bytes(data.replace(b"(2,)", b"(9999999999999,)").replace(b" " * 12 + b"\n", b"\n", 1))
    with pytest.raises(InputError):
        read_grid(str(tmp_path / "g.npy"))


def test_neighbours_under_ftz_are_values_of_the_set():
    facts = rounding_facts("fp16:ftz", "1e-6")
    assert (facts.below, facts.above) == (0, mpq(1, 2**14))
