"""`fpcert reproduce`."""

from __future__ import annotations

import json

import pytest


def test_table_1(fpcert):
    done = fpcert("reproduce", "table1", "--json")
    found = json.loads(done.out)
    assert (done.code, found["differences"], found["source"]) == (0, 0, "arXiv:2608.11909")
    assert {row["language"] for row in found["rows"]} == {"(aa)*", "(ab)*", "aΣ*", "Σ*a", "Σ*abΣ*", "PARITY"}
    assert "Prop. B.3" in fpcert("reproduce", "table1").out


def test_table_2(fpcert):
    done = fpcert("reproduce", "table2", "--words", "4", "--lengths", "6-7", "--dtype", "e5m2", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert [(row["encoding"], row["all_lengths"], row["N_star"]) for row in found["rows"]] == [
        ("RoPE_P", True, 7),
        ("SiPE_P", True, 7),
    ] * 2


def test_table_3(fpcert):
    done = fpcert("reproduce", "table3", "--random", "5")
    assert done.code == 0
    assert done.out.count("DIFFERS") == 1
    assert "Def. A.13" in done.out


@pytest.mark.parametrize("arguments", [
    (), ("table4",), ("table1", "--words", "3"), ("table3", "--lengths", "3-4"), ("table2", "--lengths", "3"),
    ("table2", "--lengths", "9-3"), ("table2", "--random", "3"), ("table2", "--dtype", "fp17"),
])  # fmt: skip
def test_usage(fpcert, arguments):
    assert fpcert("reproduce", *arguments).code == 2
