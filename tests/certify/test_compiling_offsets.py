"""Compiled Y^k: up to the certified length, with heads whose angle is no rational part of a turn."""

from dataclasses import replace

import pytest

from certify import compile_formula, nmax
from certify.compiling.offset_head import offset_head
from certify.compiling.selection import least_distance
from fpsim.errors import UnsupportedError
from fpsim.precision import Precision

FORMULAS = (
    "Y a",
    "Y(a & Y b)",
    "Y^2 a | Y^3 !b",
    "P(a & Y b) & !Y Y a",
    "Y true & !Y^4 a",
    "Y^5(a | Y !b) | Y^2 MOD(1,3)",
    "P(b & Y^2 true) & MOD(0,3)",
)


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "e4m3", "e5m2"])
def test_formulas_with_y(dtype, formulas):
    """Every word up to 7 letters, and three of each length up to the certified one."""
    options = {"length": 8} if dtype in ("e4m3", "e5m2") else {}
    for text in FORMULAS[:5] if options else FORMULAS:
        made = formulas.compiled(text, dtype=dtype, **options)
        lengths = range(8, made.certified_length + 1)
        tried = [word for seed in range(3) for word in formulas.random_words(lengths, seed)]
        assert formulas.disagreements(made, [*formulas.words(7), *tried]) == [], text


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["sequential", "reverse", "pairwise", "blocked:4"])
@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "e4m3", "e5m2"])
def test_formulas_with_y_in_every_order(dtype, order, formulas):
    for text in FORMULAS:
        made = formulas.compiled(text, dtype=dtype, order=order)
        lengths = range(9, made.certified_length + 1)
        tried = [word for seed in range(5) for word in formulas.random_words(lengths, seed)]
        assert formulas.disagreements(made, [*formulas.words(8), *tried]) == [], text


@pytest.mark.parametrize(("dtype", "k", "length"), [("fp16", 1, 30), ("fp16", 7, 60), ("bf16", 3, 20), ("e4m3", 2, 12)])
def test_the_head_has_the_certified_range(dtype, k, length):
    """The length is the least N_max (Cor. 4.1), found again by `nmax`."""
    made = compile_formula(f"Y^{k} a", dtype=dtype, length=length)
    (gadget,) = [each for each in made.gadgets if each.kind == "Y"]
    criterion = "weight" if dtype == "e4m3" else "gap"
    found = nmax(g=gadget.parameters["g"], C=gadget.parameters["C"], dtype=dtype, k=k, criterion=criterion)
    assert length <= made.certified_length <= found.n_max
    assert made.limited_by.startswith(f"N_max^({k})")


def test_the_angle_is_irrational():
    precision = Precision.of("fp16")
    head = offset_head(precision, 1, 30, least_distance(precision.regime))
    assert "Lindemann" in head.angle.irrational_because


def test_the_model_goes_wrong_beyond_its_range(formulas):
    """The certified length is about this model: in longer words keys come near again."""
    made = formulas.compiled("Y a", dtype="e4m3", length=12)
    words = [word for seed in range(20) for word in formulas.random_words(range(1, 40), seed)]
    wrong = formulas.disagreements(replace(made, certified_length=None), words)
    assert wrong
    assert min(map(len, wrong)) > made.certified_length


def test_several_offsets_have_the_least_range(formulas):
    made = formulas.compiled("Y a & Y^2 b", dtype="bf16")
    ranges = [each.bounds[0].value for each in made.gadgets if each.kind == "Y"]
    assert made.certified_length == min(ranges)


def test_out_of_reach(formulas):
    with pytest.raises(UnsupportedError, match=r"Y\^1 up to length 100 in e4m3: no head .* no head goes beyond 92"):
        formulas.compiled("Y a", dtype="e4m3", length=100)
    with pytest.raises(UnsupportedError, match="wide sums over coordinates"):
        formulas.compiled("Y a", dot="wide:fp32")
