"""`fpcert nmax` for a head on many pairs: keys, exit codes, messages."""

import json

import pytest


def test_conventional_schedule(fpcert):
    shown = json.loads(
        fpcert("nmax", "--base", "10000", "--dim", "4", "--C", "100,50", "--dtype", "fp16", "--json").out
    )
    assert (shown["g"], shown["C"], shown["status"], shown["records"]) == (["1", "0.01"], ["100", "50"], "exact", [])
    assert list(shown) == sorted(shown)


def test_listed_angles_may_be_repeated_or_separated_by_commas(fpcert):
    once = fpcert("nmax", "--theta", "1,0.1", "--C", "400")
    twice = fpcert("nmax", "--theta", "1", "--theta", "0.1", "--C", "400", "--C", "400")
    assert once.out == twice.out
    assert "= 62" in once.out


def test_no_repeated_scale_or_offset_is_dropped(fpcert):
    arguments = ("nmax", "--theta", "1,0.1", "--json")
    listed = fpcert(*arguments, "--C", "400,50", "--k", "1,2,3")
    assert fpcert(*arguments, "--C", "400", "--C", "50", "--k", "1", "--k", "2,3").out == listed.out
    assert len(json.loads(listed.out)["results"]) == 3
    found = json.loads(fpcert("design", "--dtype", "e4m3", "--length", "9", "--k", "1", "--k", "2", "--json").out)
    assert found["k"] == [1, 2]


def test_what_the_search_does_not_reach_is_exit_code_3(fpcert):
    done = fpcert(
        "nmax", "--theta", "1,0.1,0.01,1/77777", "--C", "1e9", "--dtype", "fp32", "--max-length", "1000", "--json"
    )
    shown = json.loads(done.out)
    assert (done.code, shown["status"], shown["lower"]) == (3, "at_least", 1000)


@pytest.mark.parametrize(("arguments", "text"), [
    (("--base", "10000", "--dim", "7", "--C", "4"), "even"), (("--base", "10000", "--C", "4"), "--dim"), (("--dim", "8", "--C", "4"), "base"),
    (("--g", "1", "--base", "10000", "--dim", "8", "--C", "4"), "one way"), (("--g", "1", "--theta", "1", "--C", "4"), "one way"),
    (("--theta", "1", "--theta", "0.1", "--C", "4,5,6"), "one for each pair"), (("--theta", "0,0", "--C", "4"), "other than 0"),
    (("--theta", "1,0.1", "--C", "4,-5"), "greater than 0"), (("--theta", "1,0.1", "--C", "4,0"), "greater than 0"), (("--theta", "1,,2", "--C", "4"), "angle"),
    (("--theta", "1,0.1", "--C", "1e6"), "65504"), (("--C", "4"), "--theta"), (("--g", "1", "--C", "4,5"), "finite number"),
    (("--base", "-2", "--dim", "8", "--C", "4"), "greater than 0"), (("--base", "10000", "--dim", "1e9", "--C", "4"), "even integer"),
])  # fmt: skip
def test_bad_input_is_exit_code_2_with_a_message(fpcert, arguments, text):
    done = fpcert("nmax", *arguments)
    assert done.code == 2
    assert text in done.err
    assert "Traceback" not in done.err
    assert done.out == ""
