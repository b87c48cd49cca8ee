"""Certificates about realized blocks that are given in a file beside them."""

import hashlib
import json

import numpy as np
import pytest

import certify
from certify.certificates.checking import check
from certify.certificates.ranges import range_blocks, range_certificates
from certify.checker.canonical import canonical
from fpsim.errors import UnsupportedError


@pytest.fixture(scope="module")
def dumped(tmp_path_factory):
    """cos and sin of the angle 1 as float16 holds them, at 300 positions."""
    path = tmp_path_factory.mktemp("array") / "blocks.npy"
    i = np.arange(300.0)
    np.save(path, np.stack([np.cos(i), np.sin(i)], -1)[:, None, :].astype(np.float16))
    return path


def certificate(path, **options):
    """(the certificate, the bytes of its blocks) of a head of scale 10^4 in fp16."""
    asked = {"g": "1", "C": 10_000, "dtype": "fp16", "realize": f"array:{path}"} | options
    result = certify.nmax(**asked)
    return result, range_certificates(result)[0], range_blocks(result)[0]


def verdict(tmp_path, data, blocks):
    (tmp_path / "blocks.json").write_bytes(blocks)
    return check(data, beside=[tmp_path / "blocks.json"]).report.verdict


def changed(data, **fields):
    thing = json.loads(data)
    thing["claim"] |= fields
    return canonical(thing)


def with_blocks(data, blocks):
    """The certificate that names these bytes."""
    return changed(data, realize={"array": hashlib.sha256(blocks).hexdigest()})


@pytest.mark.parametrize(
    "options", [{}, {"k": 3}, {"criterion": "weight"}, {"C": 40}, {"max_length": 9}, {"score_dtype": "fp32"}], ids=str
)
def test_a_true_claim_is_verified(dumped, tmp_path, options):
    result, data, blocks = certificate(dumped, **options)
    assert verdict(tmp_path, data, blocks) == "verified"
    if result.status == "exact":
        for value in (result.n_max - 1, result.n_max + 1):
            thing = json.loads(changed(data, value=value))
            thing["hints"]["fails"] = [value + 2, 0]
            assert verdict(tmp_path, canonical(thing), blocks) in (
                "refuted",
                "unsupported",
            )  # a position beyond the file


def test_the_ideal_head_has_the_same_range(dumped):
    assert certificate(dumped)[0].n_max == certify.nmax(g="1", C=10_000, dtype="fp16").n_max == 43


def test_an_array_that_ends_too_early(dumped, tmp_path):
    short = tmp_path / "short.npy"
    np.save(short, np.load(dumped)[:20])
    result, data, blocks = certificate(short)
    assert (result.status, result.lower) == ("at_least", 18)
    assert verdict(tmp_path, data, blocks) == "verified"
    assert verdict(tmp_path, changed(data, lower=19), blocks) == "unsupported"


def test_without_the_file_and_with_another_one(dumped, tmp_path):
    _, data, blocks = certificate(dumped)
    assert check(data).report.verdict == "unsupported"
    thing = json.loads(blocks)
    thing["blocks"][2] = thing["blocks"][0]
    assert verdict(tmp_path, data, canonical(thing)) == "unsupported"
    # A claim about other blocks is another claim: here keys 0 and 1 are one.
    thing["blocks"][:4] = thing["blocks"][:2] * 2
    other = canonical(thing)
    assert verdict(tmp_path, with_blocks(data, other), other) == "refuted"


@pytest.mark.parametrize(
    "blocks",
    [
        b"", b"[]\n", b'{"blocks":[],"fpcert-blocks":1}\n', b'{"blocks":[1],"fpcert-blocks":1}\n', b'{"blocks":[1,0],"fpcert-blocks":2}\n',
        b'{"blocks":["1/3",0],"fpcert-blocks":1}\n', b'{"blocks":[1.5,0],"fpcert-blocks":1}\n', b'{"blocks":[1, 0],"fpcert-blocks":1}\n',
        b'{"blocks":{},"fpcert-blocks":1}\n', b'{"blocks":["1p-1000000",0],"fpcert-blocks":1}\n', b"\x80\x04", b"[" * 100_000,
        b'{"blocks":[' + b"1," * 65_535 + b'0],"fpcert-blocks":1}\n',
    ],
)  # fmt: skip
def test_files_that_are_no_blocks(dumped, tmp_path, blocks):
    _, data, _ = certificate(dumped)
    assert verdict(tmp_path, with_blocks(data, blocks), blocks) in ("malformed", "refuted")


@pytest.mark.parametrize(
    "realize",
    [{}, {"array": 1}, {"array": "0" * 63}, {"array": "G" * 64}, {"array": "0" * 64, "x": 1}, ["array"], None],
)
def test_other_forms_of_realize_are_malformed(dumped, realize):
    _, data, _ = certificate(dumped)
    assert check(changed(data, realize=realize)).report.verdict == "malformed"


def test_the_period_of_an_array_has_no_claim(dumped):
    with pytest.raises(UnsupportedError, match="window-only"):
        certify.period_certificates(certify.period(theta="1", dtype="fp16", realize=f"array:{dumped}"))
