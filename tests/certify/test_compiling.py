"""Compiled formulas: their models against the formulas themselves, and the bounds that make them exact."""

import random
from dataclasses import replace

import pytest
from gmpy2 import mpq

from certify import classify, compile_formula
from certify.compiling.exact_sums import ones_until_nan
from certify.compiling.layout import layouts
from certify.compiling.normalization import normalized_layout
from certify.compiling.plan import plan_of
from certify.languages.formula import FALSE, past, subformulas
from certify.languages.formula_text import parse_formula
from certify.languages.formula_truth import accepts, holds
from fpsim.errors import InputError, UnsupportedError
from fpsim.grid_file import grid
from fpsim.precision import Precision
from fpsim.regime import Regime
from fpsim.rounding.reference import is_nan
from fpsim.sums import ordered_sum
from fpsim.transformer import Linear, forward_reference
from fpsim.transformer.forward import activations, run
from fpsim.transformer.layer_norm import norm_vector

DTYPES = ("fp16", "bf16", "e4m3", "e5m2", "e4m3:saturate")  # these share kernels
ORDERS = ("sequential", "reverse", "pairwise", "blocked:4")
SMALL = grid(
    ["-16", "-8", "-4", "-2", "-1", "-1/2", 0, "1/4", "1/2", 1, 2, 4, 8, 16], overflow="saturate", name="small"
)


@pytest.mark.parametrize("encoding", ["rope", "sipe"])
@pytest.mark.parametrize("place", range(8))
def test_a_diagonal_of_formulas_formats_and_orders(place, encoding, formulas):
    tried = [*formulas.words(6), *formulas.random_words((33, 120, 300))]
    for n in range(4):
        dtype, order = DTYPES[(place + n) % len(DTYPES)], ORDERS[(n + place // 2) % 4]
        made = formulas.compiled(formulas.FORMULAS[place], dtype=dtype, encoding=encoding, order=order, dot=order)
        assert formulas.disagreements(made, tried) == [], (dtype, order)


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", ["rope", "sipe"])
@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "e4m3", "e5m2"])
def test_every_formula_in_every_format_and_order(dtype, encoding, formulas):
    tried = [*formulas.words(8), *formulas.random_words((41, 100, 257, 500))]
    for formula in formulas.FORMULAS:
        for order in ORDERS:
            made = formulas.compiled(formula, dtype=dtype, encoding=encoding, order=order)
            assert formulas.disagreements(made, tried) == [], (formula, order)


@pytest.mark.parametrize(("dtype", "norms"), [("fp16", False), ("e5m2", True), ("e5m2", False)])
def test_every_subformula_has_its_coordinate(dtype, norms, formulas):
    """Def. C.2: 1 where it is true and 0 where it is not, at the positions 1 .. N + 1, after the last layer."""
    for encoding in ("rope", "sipe"):
        made = formulas.compiled(formulas.FORMULAS[6], dtype=dtype, encoding=encoding, norms=norms)
        for word in ("", "b", "abba", "babbaab"):
            final = activations(made.model, word).final
            for node in subformulas(made.formula):
                expected = [float(holds(node, word, i)) for i in range(1, len(word) + 2)]
                assert final[1:, made.coordinates[node]].tolist() == expected, (node, word)


@pytest.mark.parametrize(
    "dtype", ["fixed:8.4", "fixed:16.8", "e3m2", "e4m3fnuz", "fp16:zero", "fp16:ftz", "tf32", SMALL]
)
def test_other_value_sets_by_the_reference(dtype, formulas):
    for formula in (formulas.FORMULAS[0], formulas.FORMULAS[1]):
        for encoding in ("rope", "sipe"):
            made = formulas.compiled(formula, dtype=dtype, encoding=encoding)
            for word in ("", "a", "ab", "ba", "abab", "aabba"):
                assert (forward_reference.classify(made.model, word) > 0) is accepts(made.formula, word), word


def test_wide_sums_over_coordinates(formulas):
    """In a set that has all of F the model is right; in one that has not, the head of MOD would score infinity."""
    made = formulas.compiled("MOD(1,2) & P a", dtype="e4m3", dot="wide:fp16")
    for word in ("", "a", "aa", "abb", "bbbb", "ba"):
        assert (forward_reference.classify(made.model, word) > 0) is accepts(made.formula, word), word
    broken = formulas.compiled("MOD(1,2)", dtype="bf16").model
    broken = replace(broken, precision=Precision.of("bf16", dot="wide:fp16"))
    assert not forward_reference.classify(broken, "") > 0  # NaN; with an exact score it is 1


def test_room_in_a_wide_accumulator_that_becomes_nan():
    """The and of 40 parts adds -1 as often: fixed:6.0 saturates at -31, and NaN would be in the accumulator."""
    letters = "".join(chr(ord("A") + n) for n in range(40))
    text = " & ".join(f"!P '{a}'" for a in letters)
    options = {"dtype": "fixed:6.0:saturate", "alphabet": letters, "norms": False}
    made = compile_formula(text, dot="wide:fixed:8.0:nan", **options)
    assert forward_reference.classify(made.model, "") > 0 == forward_reference.classify(made.model, "A")
    with pytest.raises(UnsupportedError, match=r"fixed:6\.0:nan: room for one of each part 31 >= 40"):
        compile_formula(text, dot="wide:fixed:6.0:nan", **options)


def test_binary128_by_the_reference(formulas):
    made = formulas.compiled("P(a & MOD(1,3))", dtype="fp128")
    assert [forward_reference.classify(made.model, word) > 0 for word in ("a", "ba", "bbba")] == [True, False, True]


def test_deep_formulas_keep_few_layers(formulas):
    """Independent parts share a layer, and conjunctions of conjunctions are computed at once."""
    flat = formulas.compiled("(a & (b & (P a & P b))) | ((P a | P(b & P a)) | MOD(1,2))")
    assert (len(flat.model.layers), flat.heads) == (
        2,
        (3, 1),
    )  # P a, P b, MOD and the conjunctions; P(b & P a) and the rest
    deep = parse_formula("a")
    for _ in range(12):
        deep = past(deep)
    made = formulas.compiled(deep, dtype="e5m2")
    assert (len(made.model.layers), made.heads) == (12, (1,) * 12)
    assert (
        formulas.disagreements(made, [*formulas.words(4), "a" * 12, "a" + "b" * 11, "b" * 30, "b" * 9 + "a" * 12]) == []
    )


def test_long_words_in_small_formats(formulas):
    """Sums of ones stagnate at 8 in e5m2, and nothing depends on them."""
    for dtype in ("e5m2", "e4m3"):
        made = formulas.compiled(formulas.FORMULAS[3], dtype=dtype)  # (ab)*
        assert run(made.model, ["ab" * 1000, "ab" * 999 + "ba", "ab" * 1000 + "a"]).accepted.tolist() == [
            True,
            False,
            False,
        ]


def test_the_words_of_table_2(formulas):
    """(aa)* and (ab)* of the paper, 41 to 500 letters, every length and its neighbours."""
    for formula, unit, letters in (("MOD(1,2)", "aa", "a"), (formulas.FORMULAS[3], "ab", "ab")):
        for encoding in ("rope", "sipe"):
            made = compile_formula(formula, dtype="bf16", alphabet=letters, encoding=encoding)
            tried = [(unit * length)[:length] for length in range(41, 501, 17)]
            assert run(made.model, tried).accepted.tolist() == [len(word) % 2 == 0 for word in tried]


# -- the parts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["fp16", "bf16", "fp32", "e4m3", "e5m2", "e2m1", "e3m2", "fixed:8.4", "e4m3fnuz", "e5m2:up"]
)
@pytest.mark.parametrize("dot", ["sequential", "reverse", "pairwise", "blocked:4", "wide:fp32", "wide:e4m3"])
def test_the_norm_leaves_every_vector_as_it_is(dtype, dot, formulas):
    """All truth values of few owners, random ones of many."""
    precision, rng = Precision.of(dtype, dot=dot), random.Random(dtype + dot)
    for text, encoding in (("P a", "rope"), (formulas.FORMULAS[6], "rope"), (formulas.FORMULAS[7], "sipe")):
        plan = plan_of(parse_formula(text), ("a", "b"), encoding)
        waves = {3: 1, 4: 2} if encoding == "sipe" else {}
        layout, norm, gadget = normalized_layout(plan, waves, precision)
        places = list(layout.place.values())
        truths = range(1 << len(places)) if len(places) < 6 else [rng.getrandbits(len(places)) for _ in range(12)]
        for truth in truths:
            vector = [mpq(0)] * layout.dim
            for n, place in enumerate(places):
                vector[place + (truth >> n & 1)] = mpq(1)
            for place, constant in layout.constants.items():
                vector[place] = constant
            assert norm_vector(precision, norm, vector) == vector
        assert gadget.holds


def test_a_norm_without_a_fixed_variance_is_refused(formulas):
    plan = plan_of(parse_formula(formulas.FORMULAS[7]), ("a", "b"), "rope")
    with pytest.raises(UnsupportedError, match="blocks of 3 part a pair"):
        list(layouts(plan, {}, Regime.of("e5m2").values, Precision.of("e5m2", dot="blocked:3").dot))
    assert (
        formulas.compiled(formulas.FORMULAS[7], dtype="fp16", dot="blocked:3").model.layers[0].attention_norm
        is not None
    )


@pytest.mark.parametrize(
    "order", ["sequential", "reverse", "pairwise", "blocked:4", "blocked:7", "wide:fp16", "wide:e4m3"]
)
@pytest.mark.parametrize("dtype", ["e4m3", "e4m3fnuz", "fp16", "e4m3:saturate"])
def test_where_sums_of_ones_become_nan(dtype, order):
    regime = Regime.of(dtype, order=order)
    found = ones_until_nan(regime)
    if found is None:
        assert not any(is_nan(ordered_sum(regime.softmax, [mpq(1)] * n, regime.order)) for n in (1, 15, 300, 700))
        return
    for n in (1, found - 1, found):
        assert not is_nan(ordered_sum(regime.softmax, [mpq(1)] * n, regime.order))
    assert is_nan(ordered_sum(regime.softmax, [mpq(1)] * (found + 1), regime.order))


def test_nan_limits_the_length_in_e4m3(formulas):
    """Beyond it the model does go wrong; up to it, it does not."""
    made = formulas.compiled("P a", dtype="e4m3", order="pairwise")
    assert made.certified_length == 468
    tried = ["a" * n for n in (467, 468, 480)]
    assert run(made.model, tried).accepted.tolist() == [True, True, False]
    assert formulas.compiled("P a", dtype="e4m3:saturate", order="pairwise").certified_length is None
    with pytest.raises(UnsupportedError, match="469 exponentials can be NaN"):
        formulas.compiled("P a", dtype="e4m3", order="pairwise", length=500)


def test_a_much_smaller_b_is_not_enough(formulas):
    """What loses by less than f_large keeps a weight; by 2, one that shows in the truth values."""
    made = formulas.compiled("P a", dtype="e4m3", norms=False)
    (head,) = [layer.attention for layer in made.model.layers]
    tried = ["", "b" * 10, "b" * 300, "ba", "a" + "b" * 300]
    assert run(made.model, tried).values.tolist() == [0, 0, 0, 1, 1]
    layer = replace(made.model.layers[0], attention=replace(head, key=Linear(head.key.weight * 2 / 7)))
    assert run(replace(made.model, layers=(layer,)), tried).values.tolist() != [0, 0, 0, 1, 1]


def test_constants_and_letters_need_no_layers():
    for text, expected in (("true", [True, True]), ("false", [False, False]), ("a", [False, False]), ("!a", [True, True]),
                           ("MOD(0,1)", [True, True])):  # fmt: skip
        made = compile_formula(text, alphabet="ab")
        assert made.model.layers == ()
        assert run(made.model, ["", "a"]).accepted.tolist() == expected
    assert compile_formula(past(FALSE), alphabet="ab", dtype="e5m2").heads == (1,)
    assert run(compile_formula(past(FALSE), alphabet="ab").model, ["", "ab"]).accepted.tolist() == [False, False]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a S b", {}, "S is not compiled"),
        ("MOD(2,33)", {"dtype": "e2m1"}, "MOD.2,33. in e2m1: with one pair and C = .* at residue 2 and"),
        (
            "MOD(2,300)",
            {"dtype": "e2m1", "encoding": "sipe"},
            "with 16 sinusoidal encodings the sum at residue 2 is not above",
        ),
        ("P a", {"dtype": "fp16:up"}, "no f_large"),
        ("P a", {"dtype": "fixed:8.7"}, "does not have both 1 and -1"),
        ("Y a", {"encoding": "sipe"}, "Y a: Y.k takes rotary heads"),
        ("MOD(1,20000)", {}, "moduli above 10000"),
        ("MOD(1,2)", {"dtype": "bf16", "dot": "wide:fp16"}, "wide:fp16: fp16 does not have every value of bf16"),
        ("P a", {"dtype": "fp16", "dot": "wide:e5m2"}, "e5m2 does not have every value of fp16"),
    ],
)
def test_what_a_format_cannot_carry_says_why(text, options, message):
    with pytest.raises(UnsupportedError, match=message):
        compile_formula(text, alphabet="ab", **options)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("P(", {}, "formula"),
        ("MOD(1,0)", {}, "modulus"),
        ("c", {"alphabet": "ab"}, "'c'"),
        ("true", {}, "alphabet"),
        ("a", {"encoding": "alibi"}, "rope or sipe"),
        ("a", {"length": 0}, "length"),
        ("a", {"order": "sideways"}, "order"),
        ("a", {"norms": 1}, "norms"),
        (7, {}, "formula"),
    ],
)
def test_arguments_that_cannot_be_taken(text, options, message):
    with pytest.raises(InputError, match=message):
        compile_formula(text, **options)


def test_what_is_printed_and_written(formulas):
    made = formulas.compiled(formulas.FORMULAS[1], dtype="e4m3")
    shown, text = made.to_json(), str(made)
    assert (shown["layers"], shown["heads"], shown["certified_length"]) == (2, [2, 1], None)
    assert {gadget["kind"] for gadget in shown["gadgets"]} == {"norm", "P", "MOD", "and"}
    assert "all lengths" in text
    assert "BOS leads by 7 >= 7" in text


@pytest.mark.parametrize("regex", ["(ab)*", "(aabb)*|c(abc)*", "b*a(..)*", "a.*", "(aaa|aab)*", "c*(ab|c)?"])
def test_from_a_regular_expression_to_weights(regex):
    """The formula that `classify` finds, compiled, against the DFA of the expression."""
    found = classify(regex, alphabet="abc")
    assert found.formula is not None
    made = compile_formula(found.formula, alphabet="abc", dtype="bf16")
    rng = random.Random(regex)
    tried = ["".join(rng.choice("abc") for _ in range(rng.randrange(12))) for _ in range(300)]
    tried += [unit * n for unit in ("ab", "aabb", "abc", "cabc", "aaaaab") for n in range(8)]
    answers = run(made.model, tried).accepted.tolist()
    for word, answer in zip(tried, answers, strict=True):
        state = found.dfa.initial
        for letter in word:
            state = found.dfa.delta[state]["abc".index(letter)]
        assert answer is (state in found.dfa.accepting), word
