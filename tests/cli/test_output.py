"""How results are written: the JSON form of every kind of number, and the file given with `-o`."""

import dataclasses
import json
import math
import os
from fractions import Fraction
from pathlib import Path

import gmpy2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpcert.output import emit, note, note_files, to_json
from fpsim.errors import FpcertError


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (None, None),
        (True, True),
        (np.True_, True),
        ("text", "text"),
        (2**53, 2**53),
        (2**53 + 1, str(2**53 + 1)),
        (-(2**53) - 1, str(-(2**53) - 1)),
        (2**60, 2**60),
        (2**1023, 2**1023),
        (2**1024, str(2**1024)),
        (Fraction(1, 2), 0.5),
        (Fraction(4, 2), 2.0),
        (Fraction(1, 3), "1/3"),
        (Fraction(2**1024), str(2**1024)),
        (Fraction(1, 2**1075), f"1/{2**1075}"),
        (0.1, 0.1),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
        (np.float32(0.1), 0.10000000149011612),
        (np.float16("inf"), "inf"),
        (np.int64(7), 7),
        (np.uint64(2**64 - 1), str(2**64 - 1)),
        (np.array([1.5, math.inf]), [1.5, "inf"]),
        (gmpy2.mpz(2**53 + 1), str(2**53 + 1)),
        (gmpy2.mpq(1, 3), "1/3"),
        (gmpy2.mpfr("0.5"), 0.5),
        (gmpy2.mpfr("nan"), "nan"),
        ((1, [2, {"a": Fraction(1, 3)}]), [1, [2, {"a": "1/3"}]]),
    ],
)
def test_json_form(value, form):
    result = to_json(value)
    assert result == form
    assert type(result) is type(form)


def test_an_integer_of_any_length():
    text = to_json(10**5000 + 1)
    assert text == "1" + "0" * 4999 + "1"


def test_a_dataclass_is_the_object_of_its_fields():
    @dataclasses.dataclass(frozen=True)
    class Point:
        x: int
        y: Fraction

    assert to_json([Point(1, Fraction(1, 3))]) == [{"x": 1, "y": "1/3"}]


@pytest.mark.parametrize("value", [object(), {1, 2}, {1: 2}, 1j, int])
def test_what_has_no_json_form_is_refused(value):
    with pytest.raises(TypeError):
        to_json(value)


@given(st.fractions() | st.integers() | st.floats())
def test_a_number_in_json_is_exact(value):
    form = to_json(value)
    read = json.loads(json.dumps(form, allow_nan=False))
    if isinstance(read, str):
        assert (math.isnan(value) and read == "nan") or read == str(value)
    else:
        assert float(read) == value


def test_emit_sorts_keys_and_writes_one_object(capsys):
    emit({"b": 1, "a": {"d": 2, "c": 3}}, True, None)
    assert capsys.readouterr().out == '{"a": {"c": 3, "d": 2}, "b": 1}\n'


def test_emit_as_text(capsys):
    emit({"name": "fp16", "max": 65504, "f_large": None}, False, None)
    assert capsys.readouterr().out == "name     fp16\nmax      65504\nf_large  null\n"
    emit({"name": "fp16"}, False, None, text="what it says")
    assert capsys.readouterr().out == "what it says\n"


def test_emit_to_a_file(capsys, tmp_path):
    emit({"a": 1}, True, str(tmp_path / "a.json"))
    assert capsys.readouterr().out == ""
    assert (tmp_path / "a.json").read_text() == '{"a": 1}\n'


def test_emit_to_a_folder_fails(tmp_path):
    with pytest.raises(FpcertError, match="cannot write"):
        emit({"a": 1}, True, str(tmp_path))


def test_note_goes_to_stderr_unless_quiet(capsys):
    note("slow", quiet=False)
    note("silent", quiet=True)
    assert capsys.readouterr() == ("", "slow\n")


def test_the_option_o(fpcert, tmp_path):
    target = tmp_path / "env.json"
    outcome = fpcert("env", "--json", "-o", str(target))
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert json.loads(target.read_text())["fpcert"]
    assert json.loads(fpcert("env", "--json", "-o", "-").out)["fpcert"]


def test_a_file_that_cannot_be_written_is_a_usage_error(fpcert, tmp_path):
    for name, reason in ((tmp_path, "is a folder"), (tmp_path / "absent" / "file", "does not exist")):
        outcome = fpcert("env", "-o", str(name))
        assert (outcome.code, outcome.out) == (2, "")
        assert reason in outcome.err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_protected_folder(fpcert, tmp_path):
    tmp_path.chmod(0o500)
    outcome = fpcert("env", "-o", str(tmp_path / "file"))
    assert outcome.code == 2
    assert "permission denied" in outcome.err


def test_what_a_terminal_obeys_is_escaped_in_text(capsys, tmp_path):
    text = "name \x1b[31mred\x07 and \ud800\n  a\ttab\n"
    emit({}, False, None, text=text)
    assert capsys.readouterr().out == "name \\x1b[31mred\\x07 and \\ud800\n  a\ttab\n"
    emit({}, False, str(tmp_path / "out"), text=text)
    assert (tmp_path / "out").read_text(encoding="utf-8") == "name \\x1b[31mred\\x07 and \\ud800\n  a\ttab\n"
    emit({"name": "\x1b\ud800"}, True, str(tmp_path / "out"))
    assert json.loads((tmp_path / "out").read_text(encoding="utf-8")) == {"name": "\x1b\ud800"}


def test_what_the_encoding_of_stdout_lacks_is_escaped(process):
    code = "from fpcert.output import emit; emit({}, False, None, text='angle \u03c0')"
    done = process(code=("-c", code), PYTHONIOENCODING="ascii")
    assert (done.code, done.out, done.err) == (0, "angle \\u03c0\n", "")


def test_several_certificates_are_named(capsys):
    files = [Path("a-1.json"), Path("a-2.json")]
    note_files(files[:1])
    note_files(files, quiet=True)
    assert capsys.readouterr().err == ""
    note_files(files)
    assert capsys.readouterr() == ("", "wrote a-1.json, a-2.json\n")
