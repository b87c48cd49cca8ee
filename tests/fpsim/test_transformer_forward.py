"""The forward pass: compiled against the reference arithmetic, batches, threads, and what a model must refuse."""

import math

import numpy as np
import pytest

import fpsim
from fpsim.errors import InputError
from fpsim.realization.array_file import ArrayKind
from fpsim.rounding.reference import is_nan
from fpsim.transformer import (
    Attention,
    FeedForward,
    Layer,
    Linear,
    Norm,
    Precision,
    Rotary,
    Transformer,
    forward_reference,
    parameters,
    rounded,
)
from fpsim.transformer.forward import activations, run
from fpsim.transformer.layer_norm import norm_rows
from fpsim.transformer.linear import linear_rows

WORDS = ["", "a", "b", "ab", "abba", "bbbab"]


def agree(model, words=WORDS):
    found = run(model, words).values
    for value, word in zip(found, words, strict=True):
        exact = forward_reference.classify(model, word)
        assert (math.isnan(value) and is_nan(exact)) or value == exact, word


@pytest.mark.parametrize("values", ["fp16", "bf16", "e4m3", "e5m2", "fixed:12.6", "fp32"])
@pytest.mark.parametrize(
    "parts", [{}, {"norm_at": "pre", "sinusoidal": True}, {"kind": "none", "norms": False, "mask": "causal"}], ids=str
)
def test_as_the_reference(values, parts, random_model):
    for seed in range(2):
        agree(random_model(seed, Precision.of(values), **parts))


@pytest.mark.parametrize("kind", ["ideal", "phase", "counter", "recurrence"])
def test_realizations_as_the_reference(kind, random_model):
    agree(random_model(3, Precision.of("fp16"), kind=kind, angles=("0.3", "1", "0")))


def test_tables_as_the_reference(random_model):
    agree(random_model(4, Precision.of("bf16"), kind="table", angles=("2pi/3", "2pi*2/5", "0")))


@pytest.mark.parametrize("order", ["reverse", "pairwise", "blocked:2", "wide:fp32"])
def test_orders_as_the_reference(order, random_model):
    agree(random_model(5, Precision.of("fp16", order=order, dot=order)))


def test_parameters_that_are_texts():
    """Exact numbers, as texts are taken, are what the same floats are, norms included."""
    one, half = Linear([["1/2", "1"]], ["1"]), Norm(["1/2", "2"], ["0", "1"])
    parts = {"feed_forward": FeedForward(one, Linear([["1"], ["2"]])), "feed_forward_norm": half}
    model = Transformer(("a", "b"), [["0", "1"], ["1", "2"], ["3", "1/2"], ["1", "1"]], (Layer(**parts),), one, "fp16")
    assert any(array.dtype == object for array in parameters(model).values())
    agree(model)
    assert np.array_equal(run(model, WORDS).values, run(rounded(model), WORDS).values)


def test_a_kernel_is_compiled_once_for_weights_and_their_copies():
    """Parameters are read-only: were they passed on as they are, kernels would be compiled a second time for them."""
    for bias in (None, [1.0]):
        norm = Norm([1.0], bias)
        one = Linear([[1.0]], bias)  # of this shape the transposed weight is contiguous, and no copy by itself
        layer = Layer(None, FeedForward(one, one), None, norm)
        agree(Transformer(("a", "b"), [[1.0], [0.5], [0.25], [2.0]], (layer,), one, "fp16"))
    arrays = [
        x for each in (linear_rows, norm_rows) for types in each.signatures for x in types if hasattr(x, "layout")
    ]
    assert arrays
    assert all(x.mutable for x in arrays)


def test_fused_as_the_reference(random_model):
    agree(random_model(6, Precision.of("bf16", fma=True)))


def test_mixed_stages_as_the_reference(random_model):
    precision = Precision.of("bf16", rotate="fp32", score="fp32", softmax="fp32", output="fp32", linear="fp32")
    agree(random_model(7, precision), WORDS[:5])


@pytest.mark.thorough
@pytest.mark.parametrize("stages", [
    {"dtype": "nf4"}, {"dtype": "fp64"}, {"dtype": "fp16:up"}, {"dtype": "e4m3:saturate:zero"},
    {"dtype": "fp16", "linear": "bf16", "rotate": "e5m2"}, {"dtype": "fp64", "linear": "fp16", "fma": True, "dot": "wide:fp32"},
    {"dtype": "nf4", "linear": "fp16", "rotate": "fp32", "dot": "pairwise"},
], ids=str)  # fmt: skip
def test_rarer_stages_as_the_reference(stages, random_model):
    for seed in range(3):
        agree(random_model(seed, Precision.of(**stages), sinusoidal=seed == 1))


def test_value_sets_without_kernels(random_model):
    model = random_model(1, Precision.of("fp128"), layers=1)
    assert run(model, ["ab"]).values.dtype == object
    agree(model, ["", "ab"])


def test_activations_are_those_of_the_reference(random_model):
    model = random_model(8, Precision.of("fp16"), norm_at="pre", sinusoidal=True)
    fast, slow = activations(model, "abab"), forward_reference.activations(model, "abab")
    assert fast.value == slow.value == run(model, ["abab"]).values[0]
    assert np.array_equal(fast.final, np.asarray(slow.final, dtype=float))
    for a, b in zip(fast.inputs, slow.inputs, strict=True):
        assert np.array_equal(a, np.asarray(b, dtype=float))
    for a, b in zip(fast.heads, slow.heads, strict=True):
        for part in ("queries", "keys", "values", "attended"):
            assert np.array_equal(getattr(a, part), np.asarray(getattr(b, part), dtype=float)), part


def test_batches_and_threads_change_nothing(random_model):
    model = random_model(9, Precision.of("fp16"), sinusoidal=True)
    rng = np.random.default_rng(1)
    words = ["".join(rng.choice(list("ab"), size=n)) for n in rng.integers(0, 60, size=50)]
    whole = run(model, words, threads=1).values
    assert np.array_equal(whole, run(model, words, threads=3).values)
    assert np.array_equal(whole, [run(model, [word]).values[0] for word in words])


def test_progress_and_acceptance(random_model):
    seen = []
    model = random_model(10, Precision.of("fp16"))
    outcome = run(model, ["a", "ab", "b"], progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)
    assert outcome.accepted.tolist() == (outcome.values > 0).tolist()


def test_nan_is_not_accepted():
    model = Transformer(("a",), [[448.0]] * 3, (), Linear([[448.0]]), Precision.of("e4m3"))
    outcome = run(model, ["a"])
    assert math.isnan(outcome.values[0])
    assert not outcome.accepted[0]


def one_head(rotary=None, size=2, heads=1):
    part = Linear(np.ones((heads * size, 1)))
    attention = Attention(part, part, part, Linear(np.ones((1, heads * size))), heads, rotary)
    return Transformer(("a",), [[1.0]] * 3, (Layer(attention),), Linear([[1.0]]), Precision.of("fp16"))


def test_an_unrotated_pair_is_left_alone_in_any_rotate_set():
    precision = Precision.of("fp16", rotate="e5m2")
    part = Linear([[1.0], [0.1875]])  # 0.1875 has 2 bits; 1.0625 has more than e5m2 holds
    model = one_head(Rotary.of([["0"]]))
    for layer in model.layers:
        assert layer.attention is not None
    q = Linear([[1.0625], [0.5]])
    model = Transformer(
        ("a",),
        [[1.0]] * 3,
        (Layer(Attention(q, part, part, Linear([[1.0, 1.0]]), 1, Rotary.of([["0"]]))),),
        Linear([[1.0]]),
        precision,
    )
    assert activations(model, "a").heads[0].queries[0].tolist() == [[1.0625, 0.5]] * 3
    agree(model, ["a", "aa"])


def test_a_word_longer_than_an_array_realization():
    kind = ArrayKind.of(np.float16([[1.0]] * 4), np.float16([[0.0]] * 4))
    model = one_head(Rotary.of([["1"]], kind))
    agree(model, ["aa"])
    with pytest.raises(InputError, match="5 positions"):
        run(model, ["aaa"])


def test_parameters_outside_the_set_are_refused():
    model = Transformer(("a",), [[0.1]] * 3, (), Linear([[1.0]]), Precision.of("fp16"))
    with pytest.raises(InputError, match=r"embedding\[0, 0\].*fp16"):
        run(model, ["a"])
    assert fpsim.transformer.outside(model) == {"embedding": 3}
    assert run(fpsim.transformer.rounded(model), ["a"]).accepted[0]


def test_unknown_letters_are_named():
    with pytest.raises(InputError, match=r"letter 2 of the word"):
        run(one_head(), ["ac"])


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: Linear([1.0]), "dimensions"),
        (lambda: Linear([[1.0]], [1.0, 2.0]), "bias"),
        (lambda: Norm([1.0], epsilon=-1), "epsilon"),
        (lambda: one_head(Rotary.of([["1"], ["1"]])), "rotary"),
        (lambda: one_head(Rotary.of([["1"]]), size=3), "rotary"),
        (lambda: Attention(*[Linear(np.ones((3, 1)))] * 3, Linear(np.ones((1, 3))), 2), "heads"),
        (lambda: Transformer(("a", "a"), [[1.0]] * 4, (), Linear([[1.0]]), Precision.of("fp16")), "alphabet"),
        (lambda: Transformer(("a",), [[1.0]] * 2, (), Linear([[1.0]]), Precision.of("fp16")), "embedding"),
        (lambda: Transformer(("a",), [[1.0]] * 3, (), Linear([[1.0, 1.0]]), Precision.of("fp16")), "classifier"),
    ],
)
def test_shapes_that_do_not_fit(make, part):
    with pytest.raises(InputError, match=part):
        make()


def test_parts_of_other_types_are_refused_where_they_are_given():
    part = Linear([[1.0, 0.0]])
    good = {"alphabet": "a", "embedding": np.zeros((3, 2)), "layers": [], "classifier": part, "precision": "fp16"}
    assert Transformer(**good).layers == ()
    assert Transformer(**good).alphabet == ("a",)
    for name, wrong in [
        ("layers", Layer()), ("layers", [part]), ("alphabet", {"a"}), ("alphabet", [1]), ("precision", 16),
        ("classifier", [[1.0, 0.0]]), ("position", part), ("final_norm", part),
    ]:  # fmt: skip
        with pytest.raises(InputError, match=name):
            Transformer(**(good | {name: wrong}))
    with pytest.raises(InputError, match="attention_norm"):
        Layer(attention_norm=Norm([1.0]))
    with pytest.raises(InputError, match="query"):
        Attention([[1.0]], part, part, part)


def test_layers_in_a_list_are_parameters_too():
    part = Linear([[0.1]])
    model = Transformer(["a"], [[1.0]] * 3, [Layer(Attention(part, part, part, part))], Linear([[1.0]]), "fp16")
    assert len(fpsim.transformer.outside(model)) == 4
    with pytest.raises(InputError, match=r"layers\.0\.attention\.query\.weight"):
        run(model, ["a"])


def test_progress_within_a_word_and_no_end_before_the_end():
    seen = []
    model = Transformer(("a",), [[1.0]] * 3, one_head().layers * 2, Linear([[1.0]]), Precision.of("fp16"))
    run(model, ["a" * 10_000], threads=1, progress=lambda done, total: seen.append(done))
    assert seen == sorted(seen)
    assert len(seen) > 4
    assert seen[-1] == 1
    assert seen[-2] <= 1


def test_an_interrupt_ends_a_long_word():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(one_head(), ["a" * 50_000], threads=2, progress=stop)


def test_nan_parameters_are_named():
    model = Transformer(("a",), [[math.nan]] * 3, (), Linear([[1.0]]), Precision.of("fp16"))
    assert fpsim.transformer.outside(model) == {"embedding": 3}
    assert math.isnan(run(model, ["a"]).values[0])
    with pytest.warns(fpsim.RoundedWarning, match="nan"):
        fpsim.run_model(model, ["a"])
    with pytest.raises(InputError, match="nan"):
        fpsim.run_model(model, ["a"], strict=True)


@pytest.mark.parametrize(
    ("words", "part"), [("ab", "words"), ([1], "word 1"), ([["a", ["b"]]], "word 1"), (None, "words")]
)
def test_what_are_no_words(words, part):
    with pytest.raises(InputError, match=part):
        fpsim.run_model(one_head(), words)
    with pytest.raises(InputError, match="threads"):
        run(one_head(), ["a"], threads=0)


def test_memory_of_a_batch_does_not_hang_on_the_width():
    import resource

    wide = 4096
    network = fpsim.transformer.FeedForward(Linear(np.zeros((wide, 1))), Linear(np.zeros((1, wide))))
    model = Transformer(("a",), [[1.0]] * 3, (Layer(feed_forward=network),), Linear([[1.0]]), Precision.of("fp16"))
    run(model, ["a"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(model, ["a"] * 7_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000  # in KiB; 21,000 positions: 672,000
