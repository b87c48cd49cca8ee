"""The moduli that heads decide, against models that run, and the certificates of them."""

import numpy as np
import pytest
from gmpy2 import mpq

from certify import modulus, modulus_certificates
from certify.checker import check_bytes
from certify.compiling.modular_head import lemma_head, modular_head, summed_head
from certify.compiling.modular_scores import bos_scores
from certify.compiling.scales import middle_scale, scales
from certify.compiling.selection import least_distance
from fpsim import reference
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.precision import Precision
from fpsim.realization import realize
from fpsim.rounding.reference import round_exact
from fpsim.sums import ordered_sum
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("e4m3", [*range(2, 11), 12]),
        ("e4m3:saturate", [*range(2, 11), 12]),
        ("e5m2", [*range(2, 9)]),
        ("bf16", [*range(2, 39), 40]),
        ("fp16", [*range(2, 65)]),
    ],
)
def test_known_moduli(dtype, expected):
    found = modulus(dtype=dtype)
    assert list(found.single) == expected
    assert list(found.harmonic) == list(range(2, 65))
    assert all(bound.holds for head in (*found.single.values(), *found.harmonic.values()) for bound in head.bounds)


def test_small_sets_have_the_sum_where_its_scale_is_near_the_largest_value():
    """With one harmonic it is the head of one pair with a free baseline, so 2 and 3 are among both."""
    for dtype, least in (("e2m3", 20), ("e3m4", 20), ("fixed:8.3", 20), ("fixed:8.4", 3), ("e2m1", 7)):
        found = modulus(dtype=dtype, max=20)
        assert {2, 3} <= set(found.single) & set(found.harmonic)
        assert set(range(2, least + 1)) <= set(found.harmonic), dtype


def test_numbers_beyond_binary64_are_printed():
    assert "BOS leads by 1.18973149536e+4932 >= 11433.4627433" in str(modulus(dtype="fp128", max=2))


def queries(precision, m, pairs=1):
    """(r, i, the rotated query of each pair), by the reference arithmetic."""
    values = precision.values
    rounded = {}
    for h in range(1, pairs + 1):
        angle = Angle(mpq(2 * h, m), "pi")
        table = realize("table", angle, values)
        biases = [
            (round_exact(values, cos_of(angle, r)), round_exact(values, sin_of(angle.times(-1), r))) for r in range(m)
        ]
        rounded[h] = biases, [table.block(i) for i in range(m)]
    for r in range(m):
        for i in range(m):
            found = []
            for biases, blocks in rounded.values():
                (a, b), (c, s) = biases[r], blocks[i]
                first = reference.sub(values, reference.mul(values, c, a), reference.mul(values, s, b))
                second = reference.add(values, reference.mul(values, s, a), reference.mul(values, c, b))
                found += [first, second]
            yield r, i, found


def decides(precision, m, C, asked=None, baseline=None):
    """The definition: at each residue of the position, for each r, one of BOS and the others has the weight 0."""
    values, softmax = precision.values, precision.regime.softmax
    base = middle_scale(values, m, C) if baseline is None else baseline
    for r, i, query in queries(precision, m) if asked is None else asked:
        terms = [reference.mul(values, x, mpq(0) if n % 2 else C) for n, x in enumerate(query)]
        bos = ordered_sum(values, terms, precision.dot)
        top = max(bos, base)
        weights = [reference.exp(softmax, reference.sub(softmax, x, top)) for x in (bos, base)]
        if weights != ([1, 0] if i == r else [0, 1]):
            return False
    return True


@pytest.mark.parametrize("dtype", ["e4m3", "e5m2", "e3m2"])
def test_small_formats_by_brute_force(dtype):
    """Every C of F, with the definition itself: the list is complete."""
    precision = Precision.of(dtype)
    values = precision.values
    found = modulus(dtype=dtype, max=13)
    for m in range(2, 14):
        asked = list(queries(precision, m))
        every = any(decides(precision, m, values.value(n), asked) for n in range(values.last, 0, -1))
        assert (m in found.single) is every, m


@pytest.mark.parametrize(
    ("dtype", "m"), [("bf16", 17), ("fp16", 13), ("e5m10:zero", 9), ("fixed:16.8", 7), ("fixed:8.4", 4)]
)
def test_heads_by_the_definition(dtype, m):
    precision = Precision.of(dtype)
    least = least_distance(precision.regime)
    one = lemma_head(precision, m, np.arange(m), least)
    assert decides(precision, m, one.scale)
    many = summed_head(precision, m, np.arange(m), m // 2, least)
    assert many is None or decides(precision, m, many.scale, queries(precision, m, m // 2), many.baseline)
    assert (many is None) == (dtype == "fixed:8.4")


def test_a_head_for_one_residue_has_few_pairs():
    precision = Precision.of("e4m3")
    assert [modular_head(precision, 1, m, mpq(7)).harmonics for m in (12, 13, 16, 30, 60)] == [1, 1, 2, 3, 6]


def test_scores_do_not_depend_on_how_many_residues_are_asked():
    precision = Precision.of("bf16", dot="pairwise")
    every = bos_scores(precision, 9, np.arange(9), 4, mpq(64))
    for r in range(9):
        assert bos_scores(precision, 9, np.array([r]), 4, mpq(64)).tolist() == [every[r].tolist()]


def test_scales_double():
    """What works with C works with 2C, but for what overflows: so the last binades are enough."""
    precision = Precision.of("e5m2")
    for m in (3, 5, 8):
        works = [C for C in scales(ValueSet.parse("e5m2")) if decides(precision, m, C)]
        assert all(2 * C in works or 2 * C > 57344 for C in works)


def test_no_modulus_where_no_head_selects():
    assert "NaN" in modulus(dtype="e4m3", order="pairwise", max=4).reason
    assert "f_large" in modulus(dtype="fp16:up", max=4).reason
    assert list(modulus(dtype="e4m3", order="blocked:4", max=4).single) == [2, 3, 4]
    for wrong in (1, 1001, "7"):
        with pytest.raises(InputError):
            modulus(max=wrong)


@pytest.mark.parametrize(
    ("dtype", "most", "order"), [("e4m3", 20, "blocked:4"), ("fp16", 12, "pairwise"), ("fixed:8.4", 6, "wide:fp32")]
)
def test_certificates_are_verified(dtype, most, order):
    found = modulus(dtype=dtype, max=most, order=order)
    documents = modulus_certificates(found)
    assert len(documents) == len(found.single) > 2
    assert {check_bytes(data, 3_000_000).verdict for data in documents} == {"verified"}


def test_a_false_certificate_is_refuted():
    (data, *_) = modulus_certificates(modulus(dtype="e4m3", max=2))
    for m, verdict in ((13, "refuted"), (11, "refuted"), (2, "verified")):
        report = check_bytes(data.replace(b'"m":2', b'"m":%d' % m), 3_000_000)
        assert report.verdict == verdict, report.lines
